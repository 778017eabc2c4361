"""Nothing recorded yet, nothing to read, too much to read at once: each is designed."""

import importlib.util
import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from minerva_observability import compact_records

Open = Callable[..., Page]
GENERATOR = Path(__file__).parents[2] / "bench" / "_generated_log.py"
PATHS = ("/agents", "/runs", "/runs/abc", "/teams/data", "/")


def test_before_the_first_run_it_says_what_to_type(
    tmp_path: Path,
    serve: Any,
    open_page: Open,
    new_log: Any,
    wait_until_filled: Callable[[Page], None],
) -> None:
    """On every page; the first run then shows by itself, also in a folder that was not there."""
    site = serve(MINERVA_HOME=str(tmp_path / "home"))
    page = open_page(site)

    for path in PATHS:
        page.goto(site + path)
        wait_until_filled(page)
        expect(page.locator(".notice")).to_contain_text("home is not there (yet).")
        expect(page.locator(".notice code").last).to_have_text("minerva demo")
    new_log(tmp_path / "home").add_run(
        "a" * 32, workers=({"agent_name": "parser_agent", "ms": 20.0},)
    )

    expect(page.locator(".question").first).to_contain_text("parser_agent")
    expect(page.locator(".notice")).to_have_count(0)


def test_a_source_that_cannot_be_read_is_told(
    tmp_path: Path, serve: Any, open_page: Open, new_log: Any
) -> None:
    """With the cause; what was read before stays, and it goes on once it can be read again."""
    log = new_log(tmp_path)
    log.add_run("a" * 32, workers=({"agent_name": "parser_agent", "ms": 20.0},))
    page = open_page(serve("--source", tmp_path))
    expect(page.locator(".question").first).to_contain_text("parser_agent")

    broken = tmp_path / "runs" / "2025-01-01.parquet"
    broken.parent.mkdir()
    broken.write_bytes(b"this is no Parquet")
    expect(page.locator(".notice")).to_contain_text("The records cannot be read")
    expect(page.locator(".notice")).to_contain_text("2025-01-01.parquet")
    expect(page.locator(".question").first).to_contain_text("parser_agent")

    shutil.rmtree(broken.parent)
    log.add_run("b" * 32)
    expect(page.locator(".notice")).to_have_count(0)
    expect(page.locator(".big b")).to_have_text("2")


def test_there_is_never_a_blank_page(
    tmp_path: Path, serve: Any, blank_page: Page, new_log: Any
) -> None:
    """Before its figures come, a page has its title, navigation and the outline of its panels."""
    new_log(tmp_path).add_run("a" * 32)
    page = blank_page

    page.route_web_socket("**", lambda _: None)  # it opens, and nothing ever comes
    page.goto(f"{serve('--source', tmp_path)}/agents")
    expect(page.locator("h1")).to_have_text("Agents")
    expect(page.locator(".skeleton").first).to_be_visible()
    expect(page.get_by_role("navigation", name="Pages").get_by_role("link")).to_have_count(6)


def test_compacted_records_are_shown_like_others(
    tmp_path: Path, serve: Any, open_page: Open, new_log: Any
) -> None:
    """Also one run of them, with its decisions."""
    decision = {"goals": ["data"], "scores": {"data": 1.5}, "runner_up": "other", "margin": 0.5}
    log = new_log(tmp_path)
    log.add_run(
        "a" * 32,
        workers=({"agent_name": "parser_agent", "ms": 20.0},),
        route={"decision": decision},
    )
    compact_records(tmp_path)
    assert not log.path.exists()
    page = open_page(f"{serve('--source', tmp_path)}/runs/{'a' * 32}")

    expect(page.locator(".waterfall")).to_contain_text("parser_agent")
    expect(page.get_by_role("region", name="Routing decisions")).to_contain_text("data1.50other")


def test_ctrl_c_waits_for_no_reading(tmp_path: Path, serving: Any, blank_page: Page) -> None:
    """However long the log is; what was read so far is deleted."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    source = tmp_path / "records"
    source.mkdir()

    with serving("--source", source, TMPDIR=str(scratch)) as site:
        os.mkfifo(source / "runs.jsonl")  # who opens it waits for ever
        blank_page.goto(site)
        until = time.monotonic() + 20
        while not list(scratch.iterdir()) and time.monotonic() < until:
            blank_page.wait_for_timeout(50)
        assert list(scratch.iterdir())

    assert list(scratch.iterdir()) == []


@pytest.mark.timeout(180)
def test_many_rows_open_in_bounded_time(
    tmp_path: Path, serve: Any, blank_page: Page, wait_until_filled: Callable[[Page], None]
) -> None:
    """A hundred megabytes: within 30 s for the first page, then each other one within 5 s."""
    spec = importlib.util.spec_from_file_location("_generated_log", GENERATOR)
    assert spec
    assert spec.loader
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    path = tmp_path / "runs.jsonl"
    generator.write_log(path, 250_000)
    with path.open("rb") as file:
        file.seek(-10_000, os.SEEK_END)
        last = json.loads(file.read().splitlines()[-1])

    site = serve("--source", tmp_path)
    page = blank_page
    page.set_default_timeout(30_000)
    page.goto(site)
    wait_until_filled(page)
    expect(page.locator(".foot")).to_contain_text("1 file")
    page.set_default_timeout(5_000)
    for other in ("/agents", "/calls", "/routing?arm=control", "/failures", "/runs?order=slowest"):
        page.goto(site + other)
        wait_until_filled(page)
        expect(page.locator(".panels tbody tr").first).to_be_attached()
    page.goto(f"{site}/runs/{last['run_id']}")
    expect(page.locator(".waterfall")).to_be_visible()
