"""Names and texts of strangers stay text: on every page, in every chart, with no way out."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Request, expect

from minerva_observability import JsonlSink, RunScope, record_span

HOSTILE = (
    '<img src=x onerror="window.hacked=1">',
    "</script><script>window.hacked=2</script>",
    "{{7*7}}${7*7}#{7*7}",
    "`${window.hacked=3}`",
    "\u202egnp.exe \u200b\u2066",
    "مرحبا بالعالم",
    "n" * 10_000,
    "{a|b}<b>bold</b>",
    "../../../etc/passwd?x=1#y",
    "javascript:window.hacked=4",
    "한글_에이전트 & 'quoted' \"name\"",
)
PATHS = ("/", "/agents", "/calls", "/routing", "/failures", "/runs", f"/runs/{7:032x}")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, new_log: Any, serve: Any) -> str:
    """A dashboard whose every name, error, thread, model and decision is hostile."""
    log = new_log(tmp_path_factory.mktemp("records"))
    for number, text in enumerate(HOSTILE):
        log.add_run(
            f"{number:032x}",
            team=text,
            status="ok_degraded",
            reason=text,
            thread_id=text,
            route={
                "arm": text,
                "router": text,
                "decision": {"goals": [text], "scores": {text: 1.0}, "runner_up": text},
            },
            workers=(
                {
                    "agent_name": text.replace("/", ""),
                    "ms": 10.0,
                    "status": "failed",
                    "action": "bypassed",
                    "error": {"type": text, "message": text * 3, "where": text},
                    "nodes": {text: 4.0},
                },
            ),
        )
    return str(serve("--source", log.path.parent))


@pytest.fixture
def watched(blank_page: Page) -> Callable[[str], tuple[Page, list[str]]]:
    """Open a page in a fresh context; give what it asked for and what went wrong in it."""

    def open_(url: str) -> tuple[Page, list[str]]:
        page = blank_page
        seen: list[str] = []

        def ask(request: Request) -> None:
            here, there = urlsplit(url).netloc, urlsplit(request.url)
            if there.scheme not in {"data", "blob"} and there.netloc != here:
                seen.append(f"foreign request: {request.url}")

        page.on("request", ask)
        page.on("websocket", lambda socket: seen.extend(_foreign(socket.url, url)))
        page.on("pageerror", lambda error: seen.append(f"error: {error}"))
        page.on("console", lambda said: seen.extend(_loud(said.type, said.text)))
        page.goto(url)
        return page, seen

    return open_


def _foreign(socket: str, url: str) -> list[str]:
    return [] if urlsplit(socket).netloc == urlsplit(url).netloc else [f"socket: {socket}"]


def _loud(kind: str, text: str) -> list[str]:
    return [f"{kind}: {text}"] if kind in {"error", "warning"} else []


ELEMENTS = """() => [
    window.hacked,
    document.querySelectorAll('.content img, .content b b, .side img, [onerror]').length,
    [...document.scripts].filter(script => script.textContent.includes('hacked=')
        && !script.textContent.includes('parseElements')).length,
    [...document.querySelectorAll('a')].filter(a => !/^https?:$/.test(a.protocol)).length,
    document.body.innerText.includes('49$'),
]"""


def test_hostile_names_create_no_element(
    site: str,
    watched: Callable[[str], tuple[Page, list[str]]],
    wait_until_filled: Callable[[Page], None],
) -> None:
    """On no page: nothing runs, nothing is asked of anybody else, and the names can be read."""
    page, seen = watched(site)
    teams = ["/teams/%3Cimg%20src%3Dx%20onerror%3D%22window.hacked%3D1%22%3E"]
    queries = ["/?team=%3Cimg%20src%3Dx%20onerror%3Dwindow.hacked%3D5%3E", "/runs?search=%3Cimg%3E"]
    for path in (*PATHS, *teams, *queries):
        page.goto(site + path)
        wait_until_filled(page)
        assert page.evaluate(ELEMENTS) == [None, 0, 0, 0, False], path
    assert seen == []

    page.goto(f"{site}/failures")
    expect(page.locator(".panels")).to_contain_text('<img src=x onerror="window.hacked=1">')
    expect(page.locator(".panels")).to_contain_text("{{7*7}}${7*7}")
    expect(page.locator(".panels")).to_contain_text("\\u202egnp.exe \\u200b\\u2066")


def test_a_chart_draws_hostile_names_as_text(
    site: str, watched: Callable[[str], tuple[Page, list[str]]]
) -> None:
    """In axes, legends, and in the tooltip over a bar."""
    page, seen = watched(f"{site}/agents")
    chart = page.locator(".drawing").first

    expect(chart.locator("svg text", has_text="<img src=x onerr").first).to_be_visible()
    box = chart.bounding_box()
    assert box
    tooltip = chart.locator("svg text", has_text="10 ms")
    for part in range(3, 18):
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * part / 20)
    expect(tooltip.first).to_be_visible()
    assert page.evaluate(ELEMENTS) == [None, 0, 0, 0, False]
    assert seen == []


def test_what_is_endless_is_cut(
    site: str,
    watched: Callable[[str], tuple[Page, list[str]]],
    wait_until_filled: Callable[[Page], None],
) -> None:
    """10 kB of a name neither fill a page nor push it off the screen."""
    page, _ = watched(f"{site}/agents")
    wait_until_filled(page)

    longest = page.evaluate(
        "Math.max(...document.body.innerText.match(/n+…?/g).map(s => s.length))"
    )
    assert longest == 80
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_a_link_to_a_hostile_name_leads_to_it(
    site: str, watched: Callable[[str], tuple[Page, list[str]]]
) -> None:
    """Whatever is in it arrives as it was."""
    page, seen = watched(f"{site}/agents")
    region = page.get_by_role("region", name="All agents")

    region.locator("th").get_by_role("link", name=HOSTILE[0], exact=True).click()
    expect(page.get_by_label("Agent", exact=True)).to_have_value(HOSTILE[0])
    expect(page.get_by_role("region", name="All agents").locator("tbody tr")).to_have_count(1)
    page.goto(f"{site}/teams/{'..%2F' * 3}etc%2Fpasswd%3Fx=1%23y")
    expect(page.locator("h1")).to_have_text("../../../etc/passwd?x=1#y")
    expect(page.get_by_role("region", name="Runs").locator("tbody tr")).to_have_count(1)
    assert seen == []


def test_a_secret_reaches_no_page(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    serve: Any,
    blank_page: Page,
    wait_until_filled: Callable[[Page], None],
) -> None:
    """The recorder masks it once, for whoever shows what was recorded (P19)."""
    canary = "canary-9f3c-never-shown"
    monkeypatch.setenv("CLINIC_API_KEY", canary)
    recorder = JsonlSink(tmp_path / "runs.jsonl")
    scope = RunScope(recorder=recorder, thread_id="t")
    with (
        scope.bound(),
        record_span(kind="run", path="platform", agent_name="p", team="platform"),
        record_span(kind="agent", path="platform/w", agent_name="w", team="t") as span,
    ):
        span.set_error(ValueError(f"key {canary} was refused"))
    recorder.close()
    site = serve("--source", tmp_path)

    for path in (*PATHS[:-1], f"/runs/{scope.run_id}", "/teams/t"):
        blank_page.goto(site + path)
        wait_until_filled(blank_page)
        assert canary not in blank_page.content(), path
    expect(blank_page.locator(".panels")).to_contain_text("was refused")
