"""What `minerva demo` leaves is what the overview says, added up by hand."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from minerva_observability import build_recorder
from minerva_platform import Platform
from minerva_platform.cli.ask.demo import read_demo, text_for
from minerva_platform.config.settings import find_settings
from minerva_platform.contract.askable import build_task

CONFIGS = Path(__file__).parents[3] / "configs"
DEMOS = 2


@pytest.fixture
def rows(minerva_home: Path) -> list[dict[str, Any]]:
    """The records of two demos, in a thread: Playwright's event loop has this one."""
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(asyncio.run, demonstrated(minerva_home)).result() == ["ok"] * DEMOS
    lines = (minerva_home / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


async def demonstrated(home: Path) -> list[str]:
    """Run what `minerva demo` runs; return how the runs ended."""
    settings = find_settings(CONFIGS)
    wish = read_demo(settings)
    with closing(build_recorder(home)) as recorder:
        app = Platform(settings=settings, teams=wish.teams, recorder=recorder, home=home)
        task = build_task(text_for(wish.request, "ko"), wish.inputs)
        task = task.model_copy(update={"approvals": "never"})  # nobody is here to answer
        return [(await app.aask(task)).status for _ in range(DEMOS)]


@pytest.mark.whole
def test_the_overview_says_what_demos_left(
    rows: list[dict[str, Any]], minerva_home: Path, serve: Any, open_page: Callable[..., Page]
) -> None:
    """Slowest, most called and routing equal a plain loop over the lines.

    Nothing is said of arms and of persons who kept a run waiting: there were none.
    """
    calls: defaultdict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row["kind"] == "agent" and row["path"].split("/")[-1] == row["agent_name"]:
            calls[row["agent_name"]].append(row["ms"])
    routing = [row["ms"] for row in rows if row["kind"] == "route"]
    runs = [row["ms"] for row in rows if row["kind"] == "run"]
    slowest = max(calls, key=lambda name: mean(calls[name]))
    most = max(len(each) for each in calls.values())
    page = open_page(serve("--source", minerva_home))
    shown = page.locator(".question")

    expect(shown.nth(0)).to_contain_text(f"{slowest}{duration(mean(calls[slowest]))} on average")
    expect(shown.nth(1)).to_contain_text(f"{most} calls")
    expect(shown.nth(2)).to_contain_text(f"{len(routing) / DEMOS:g} per run")
    expect(shown.nth(2)).to_contain_text(f"{100 * sum(routing) / sum(runs):.1f} % of the runs")
    expect(shown.nth(3)).to_contain_text("nothing failed")
    expect(page.locator(".big")).to_have_text(f"{DEMOS} runs")
    expect(page.locator(".sums")).not_to_contain_text("Waiting")
    expect(page.get_by_label("Team", exact=True)).to_be_visible()
    expect(page.get_by_label("Arm", exact=True)).to_be_hidden()
    page.locator("nav").get_by_text("Routing", exact=True).click()
    expect(page.locator(".question .figure").first).to_be_visible()
    expect(page.get_by_text("Arms side by side")).to_be_hidden()


def duration(ms: float) -> str:
    """Return it as pages say it, with three digits: on a busy machine it may be a second."""
    for unit, size in (("s", 1_000), ("ms", 1)):
        value = ms / size
        if value >= 1:
            return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f} {unit}"
    raise AssertionError(ms)
