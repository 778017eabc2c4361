"""A page in somebody's hands: filters, the back button, live figures, looks, keyboard, phone."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.request import urlopen

import pytest
from forms import forms, spread
from playwright.sync_api import Page, expect

Open = Callable[..., Page]
PAGES = (
    "/",
    "/agents",
    "/calls",
    "/routing",
    "/failures",
    "/runs",
    f"/runs/{'0' * 32}",
    "/teams/data",
)


def doer(version: str, pid: int) -> dict[str, Any]:
    """Return what a run's row says of who did it, and for whom."""
    versions = {"platform": "minerva-platform 1.0", "data": f"minerva-team-data {version}"}
    traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    return {"versions": versions, "host": "machine", "pid": pid, "traceparent": traceparent}


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory, new_log: Any) -> Any:
    """Two runs of two teams, half an hour ago, and one of two days ago."""
    log = new_log(tmp_path_factory.mktemp("records"))
    log.at -= timedelta(days=2)
    log.add_run("e" * 32, team="old", workers=({"agent_name": "old_agent", "ms": 7.0},))
    log.at += timedelta(days=2)
    log.add_run("0" * 32, workers=({"agent_name": "parser_agent", "ms": 20.0},), **doer("1.0", 41))
    log.add_run(
        "1" * 32,
        team="governance",
        status="ok_degraded",
        **doer("2.0", 42),
        workers=({"agent_name": "policy_agent", "ms": 50.0, "status": "timeout"},),
    )
    return log


@pytest.fixture(scope="module")
def site(log: Any, serve: Any) -> str:
    """The dashboard of the log's folder."""
    return str(serve("--source", log.path.parent))


def runs(page: Page) -> Any:
    """Return the number in the panel of runs."""
    return page.locator(".big b")


def test_a_chosen_filter_goes_into_the_address(site: str, open_page: Open) -> None:
    """And comes from there: the link shows the same, back and forward undo and do again."""
    page = open_page(site)
    expect(runs(page)).to_have_text("3")

    page.get_by_label("Team").select_option("governance")
    expect(page).to_have_url(f"{site}/?team=governance")
    expect(runs(page)).to_have_text("1")
    page.get_by_label("Status").select_option("ok_degraded")
    expect(page).to_have_url(f"{site}/?team=governance&status=ok_degraded")
    link = page.get_by_role("navigation", name="Pages").get_by_role("link", name="Agents")
    expect(link).to_have_attribute("href", "/agents?team=governance&status=ok_degraded")

    page.go_back()
    expect(page).to_have_url(f"{site}/?team=governance")
    expect(page.get_by_label("Status")).to_have_value("")
    page.go_back()
    expect(runs(page)).to_have_text("3")
    page.go_forward()
    expect(runs(page)).to_have_text("1")
    expect(page.get_by_label("Team")).to_have_value("governance")


def test_a_version_and_a_process_choose_runs(site: str, open_page: Open) -> None:
    """A list that has one entry is not shown. The page of a run tells all of it."""
    page = open_page(site)
    expect(page.get_by_label("Host")).to_be_hidden()
    page.get_by_label("Version").select_option("minerva-team-data 2.0")
    expect(runs(page)).to_have_text("1")
    page.get_by_label("Process").fill("41")
    page.get_by_label("Process").press("Enter")
    expect(page).to_have_url(f"{site}/?version=minerva-team-data%202.0&pid=41")
    expect(page.locator(".notice")).to_contain_text("Nothing is recorded that matches")
    facts = open_page(f"{site}/runs/{'1' * 32}").locator(".facts")
    expect(facts).to_contain_text("Versionsminerva-platform 1.0, minerva-team-data 2.0")
    expect(facts).to_contain_text("Process42 at machine")
    expect(facts).to_contain_text("Trace4bf92f3577b34da6a3ce929d0e0e4736")


def test_a_time_range_leaves_out_what_is_older(site: str, blank_page: Page) -> None:
    """As a span until now, or between two moments of the clock on the wall."""
    page = blank_page
    page.goto(site)
    expect(page.locator(".foot")).to_contain_text("Times in Asia/Seoul")

    page.get_by_label("Time", exact=True).select_option("24h")
    expect(page).to_have_url(f"{site}/?since=24h")
    expect(runs(page)).to_have_text("2")
    page.get_by_label("Time", exact=True).select_option("custom")
    page.get_by_label("From").fill("2020-01-01T09:30")
    page.get_by_label("From").press("Enter")
    expect(page).to_have_url(re.compile(r"since=2020-01-01T00%3A30%3A00Z"))
    expect(runs(page)).to_have_text("3")
    page.get_by_role("button", name="Clear").click()
    expect(page).to_have_url(f"{site}/")


@pytest.mark.whole
def test_what_is_not_understood_is_said(site: str, open_page: Open) -> None:
    """A wrong address is no silent other one; the rest of it holds."""
    page = open_page(f"{site}/?since=yesterday&team=governance&bucket=year")

    expect(page.locator(".notice")).to_contain_text("since=yesterday is not a time; write 1h, 24h")
    expect(page.locator(".notice")).to_contain_text("bucket=year is not one of minute, hour, day")
    expect(runs(page)).to_have_text("1")


@pytest.mark.whole
def test_filters_that_match_nothing_say_so(site: str, open_page: Open) -> None:
    """Instead of a page of zeros, with the way out."""
    page = open_page(f"{site}/agents?agent=nobody")

    expect(page.locator(".notice")).to_contain_text("Nothing is recorded that matches")
    page.get_by_role("button", name="Clear").click()
    expect(page.locator(".panels")).to_contain_text("parser_agent")


def test_a_run_shows_up_while_somebody_looks(site: str, log: Any, open_page: Open) -> None:
    """Every page that is open shows it by itself, unless it was paused."""
    live, paused = open_page(f"{site}/teams/fresh"), open_page(site)
    before = runs(paused).inner_text()
    button = paused.get_by_role("button", name="Live")
    button.click()
    expect(paused.get_by_role("button", name="Paused")).to_have_attribute("aria-pressed", "false")

    log.add_run("f" * 32, team="fresh", workers=({"agent_name": "fresh_agent", "ms": 5.0},))

    expect(live.get_by_role("region", name="Agents")).to_contain_text("fresh_agent")
    expect(runs(paused)).to_have_text(before)
    paused.get_by_role("button", name="Paused").click()
    expect(runs(paused)).to_have_text(str(int(before) + 1))


def test_prometheus_asks_the_dashboard_for_what_others_record(site: str, log: Any) -> None:
    """It is counted since the server began."""
    log.add_run("b" * 32, workers=({"agent_name": "late_agent", "ms": 20.0},))

    with urlopen(f"{site}/metrics") as answer:  # noqa: S310  # http, loopback
        kind, text = answer.headers["content-type"], answer.read().decode()

    assert kind.startswith("text/plain; version=")
    assert "gen_ai_invoke_agent_duration_seconds_count{" in text
    assert 'gen_ai_agent_name="late_agent"' in text
    assert "parser_agent" not in text


def background(page: Page) -> int:
    """Return how bright the page is, 0 to 765."""
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(map(int, re.findall(r"\d+", colour)))


@pytest.mark.parametrize(
    ("scheme", "is_dark"), forms([("light", False), ("dark", True)], [("dark", True)])
)
@pytest.mark.whole
def test_the_look_is_the_systems_until_it_is_switched(
    site: str,
    open_page: Open,
    scheme: str,
    is_dark: bool,  # noqa: FBT001
) -> None:
    """Then it is remembered; the charts change with the page."""
    page = open_page(site, color_scheme=scheme)
    first = page.locator(".drawing svg text").first
    assert (background(page) < 150) is is_dark
    before = first.get_attribute("fill")

    page.get_by_role("button", name="Switch between dark and light").click()
    expect(first).not_to_have_attribute("fill", before or "")
    assert (background(page) > 600) is is_dark
    page.reload()
    assert (background(page) > 600) is is_dark


@pytest.mark.small(1)
@pytest.mark.parametrize("path", spread(PAGES, 3))
def test_a_phone_needs_no_sideways_scrolling(
    site: str, path: str, open_page: Open, wait_until_filled: Callable[[Page], None]
) -> None:
    """On no page: tables scroll by themselves."""
    page = open_page(site + path, viewport={"width": 390, "height": 844})
    wait_until_filled(page)

    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.whole
def test_a_phone_shows_filters_when_they_are_asked_for(site: str, open_page: Open) -> None:
    """They would fill the first screen."""
    page = open_page(f"{site}/?team=data", viewport={"width": 390, "height": 844})

    expect(page.get_by_label("Status")).to_be_hidden()
    page.locator("summary", has_text="Filters").click()
    expect(page.get_by_label("Status")).to_be_visible()
    expect(page.locator(".filters > summary")).to_have_text("Filters1 set")


def test_everything_is_reached_by_keyboard(site: str, open_page: Open) -> None:
    """From the skip link over navigation and filters into the figures, focus always visible."""
    page = open_page(site)
    reached: list[str] = []
    for _ in range(60):
        page.keyboard.press("Tab")
        told = page.evaluate(
            "() => { const e = document.activeElement; const s = getComputedStyle(e);"
            " return [e.tagName, (e.getAttribute('aria-label') || e.textContent).trim(),"
            " s.outlineStyle] }"
        )
        name, text, outline = told
        if name == "BODY":
            break
        assert outline != "none", told
        reached.append(f"{name} {text}")

    assert reached[0] == "A Skip to content"
    wanted = (
        "A Agents",
        "SELECT Team",
        "INPUT Thread",
        "A policy_agent",
        "SUMMARY Show as a table",
    )
    places = [reached.index(each) for each in wanted]
    assert places == sorted(places)
    assert "DIV Newest runs" in reached
    assert "BUTTON Switch between dark and light" in reached

    page.reload()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
