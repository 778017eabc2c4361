"""Each page shows the figures of a log that was written by hand, in a real browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

RUNS = 60
DEGRADED = "b2" * 16
"""What the session's records hold: `conftest.records`."""
Open = Callable[..., Page]


def test_the_overview_answers_four_questions(site: str, open_page: Open) -> None:
    """Slowest on average, most called, decisions per run and their cost, what was bypassed."""
    page = open_page(site)
    slowest, most, routing, bypassed = page.locator(".question").all()

    expect(slowest).to_contain_text("slow_agent4.00 s on averagep95 4.00 s · 1 call")
    expect(most).to_contain_text("quick_agent120 calls99.2 % of 121 calls of workers")
    expect(routing).to_contain_text("1.0 per run")
    expect(routing).to_contain_text("2.06 ms a run")
    expect(bypassed).to_contain_text("1 failureslow_agent bypassed 1× in 1 run ConnectionError")
    expect(page.locator(".share-bar")).to_have_attribute(
        "aria-label", "Runs by how they ended: 60 ok, 1 waits for a person, 1 degraded"
    )
    expect(page).to_have_title("Overview · MINERVA")


def test_waiting_for_persons_and_bad_lines_are_told(site: str, open_page: Open) -> None:
    """A run that waits is in no other figure; a line that holds no record is counted."""
    page = open_page(site)

    expect(page.locator(".sums")).to_contain_text("Waiting for peoplenone · 1 open")
    expect(page.locator(".foot")).to_contain_text("1 line without a record (1 not_json)")


def test_the_agents_page_shows_latency_per_agent_and_node(site: str, open_page: Open) -> None:
    """As bars, as a distribution, and as tables with the same figures."""
    page = open_page(f"{site}/agents")

    bars = page.get_by_role("img", name="Bars of p50, p95 and p99 of 2 agents.")
    expect(bars.locator("svg text", has_text="slow_agent")).to_be_visible()
    row = page.get_by_role("region", name="All agents").locator("tr", has_text="quick_agent")
    expect(row.locator("td")).to_have_text(
        ["data", "120", "0", "0", "0", *("20.0 ms",) * 2, *("30.0 ms",) * 3, "1.80 s", "10.0 %"]
    )
    nodes = page.get_by_role("region", name="Nodes of agents")
    slow = nodes.locator("tr", has_text="slow_agent").first
    expect(slow.locator("td").first).to_have_text("slow_agent")
    expect(slow).to_contain_text("3.00 s")
    expect(page.get_by_role("img", name="Histogram of 1 call of slow_agent")).to_be_visible()


def test_the_calls_page_shows_frequency_over_time(site: str, open_page: Open) -> None:
    """Per agent and minute, with failures apart; every figure is in a table, too."""
    page = open_page(f"{site}/calls")

    expect(page.get_by_role("img", name="Columns of calls per agent and minute")).to_be_visible()
    row = page.get_by_role("region", name="Calls of all agents").last.locator(
        "tr", has_text="quick_agent"
    )
    expect(row.locator("td").nth(2)).to_have_text("120")
    expect(row.locator("td").nth(3)).to_have_text("1.9")


def test_the_routing_page_compares_supervisors_and_arms(site: str, open_page: Open) -> None:
    """Decisions and milliseconds per run; the arms of a trial side by side."""
    page = open_page(f"{site}/routing")

    expect(page.locator(".question .figure")).to_have_text(["1.0", "2.06 ms", "1.0 %", "2.00 ms"])
    expect(page.get_by_label("Arm", exact=True)).to_be_visible()
    arms = page.get_by_role("region", name="Arms of routing trials side by side")
    expect(arms.locator("tbody tr")).to_have_count(2)
    control = arms.locator("tr", has_text="control").locator("td")
    expect(control.nth(0)).to_have_text("30")
    expect(control.nth(3)).to_have_text("130 ms")


def test_the_failures_page_leads_to_the_run(site: str, open_page: Open) -> None:
    """What failed, what was done, the cause, the newest run; nothing of what follows from it."""
    page = open_page(f"{site}/failures")
    row = page.get_by_role("region", name="Failures by cause").last.locator("tbody tr")

    expect(row).to_have_count(1)
    expect(row).to_contain_text("slow_agent")
    expect(row).to_contain_text("ConnectionError the index did not answer")
    row.get_by_role("link", name=DEGRADED[:8]).click()
    expect(page).to_have_url(f"{site}/runs/{DEGRADED}")
    expect(page.locator("h1")).to_have_text(f"Run {DEGRADED[:12]}")


def test_one_run_is_a_waterfall_with_its_decisions(site: str, open_page: Open) -> None:
    """Hops in their order with self and total time, bypasses, scores; also of a compacted run."""
    page = open_page(f"{site}/runs/{DEGRADED}")
    rows = page.locator(".waterfall tbody tr")

    names = ["platform", *["routing"] * 3, "governance", "slow_agent", "scan", "report"]
    names.append("reader_agent")
    assert sorted(rows.locator(".name").all_inner_texts()) == sorted(names)
    expect(rows.first).to_contain_text("degraded")
    slow = rows.filter(has_text="the index did not answer")
    expect(slow).to_contain_text("bypassed")
    expect(slow).to_contain_text("ConnectionError the index did not answer")
    expect(slow.locator("td.number")).to_have_text(["2.00 s", "4.00 s"])
    reader = rows.filter(has_text="reader_agent")
    expect(reader).to_contain_text("skipped · because of platform/governance/slow_agent")
    decision = page.get_by_role("region", name="Routing decisions").locator("tbody tr").first
    expect(decision).to_contain_text("governance1.50data0.25data1.25embedded2.00 ms")


@pytest.mark.whole
def test_the_beginning_of_an_id_finds_its_run(site: str, open_page: Open) -> None:
    """One run is shown, several are listed, none is said."""
    page = open_page(f"{site}/runs/b2b2")
    expect(page.locator(".facts")).to_contain_text(DEGRADED)

    page.goto(f"{site}/runs/000")
    expect(page.locator(".notice")).to_contain_text("60 runs begin with this")
    page.goto(f"{site}/runs/ffff")
    expect(page.locator(".notice")).to_contain_text("No such run")


def test_a_team_sees_itself_alone(site: str, open_page: Open) -> None:
    """Its workers, nodes, failures and runs; nothing of the others."""
    page = open_page(f"{site}/teams/governance")

    expect(page.locator("h1")).to_have_text("governance")
    body = page.locator(".panels")
    expect(body).to_contain_text("slow_agent")
    expect(body).not_to_contain_text("quick_agent")
    expect(page.get_by_role("region", name="Runs").locator("tbody tr")).to_have_count(1)


def test_runs_are_searched_ordered_and_leafed_through(site: str, open_page: Open) -> None:
    """50 a page; what is searched and how it is ordered stands in the address."""
    page = open_page(f"{site}/runs")
    rows = page.locator(".panels tbody tr")

    expect(rows).to_have_count(50)
    page.get_by_role("link", name="Next ›").click()
    expect(page).to_have_url(f"{site}/runs?page=2")
    expect(rows).to_have_count(RUNS + 2 - 50)
    page.get_by_role("link", name="slowest first").click()
    expect(rows.first).to_contain_text("5.00 s")
    search = page.get_by_label("Search")
    search.fill("approval")
    search.press("Enter")
    expect(rows).to_have_count(1)
    expect(page).to_have_url(f"{site}/runs?search=approval&order=slowest")


def test_an_address_without_a_page_says_so(site: str, open_page: Open) -> None:
    """With the way back, and the status that programs expect."""
    page = open_page(f"{site}/agents/nobody")

    expect(page.locator("h1")).to_have_text("No such page")
    assert page.request.get(f"{site}/nowhere").status == 404


@pytest.mark.whole
def test_every_chart_has_its_figures_as_a_table(site: str, open_page: Open) -> None:
    """Who cannot see a chart unfolds the table below it."""
    page = open_page(site)

    for chart in page.locator("section.chart").all():
        assert re.search(r"\w{4}", chart.locator(".drawing").get_attribute("aria-label") or "")
        chart.locator("summary").click()
        expect(chart.locator("table tbody tr").first).to_be_visible()


def test_filters_of_the_address_narrow_every_figure(site: str, open_page: Open) -> None:
    """A link that is shared shows the same to everybody."""
    page = open_page(f"{site}/?team=governance")
    slowest, most, *_ = page.locator(".question").all()

    expect(slowest).to_contain_text("slow_agent")
    expect(most).to_contain_text("slow_agent1 call100 % of 1 call")
    expect(page.get_by_label("Team", exact=True)).to_have_value("governance")
