"""Nothing recorded yet, nothing to read, no end of reading: each is designed."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from forms import forms
from playwright.sync_api import Page, expect

Open = Callable[..., Page]
GENERATOR = Path(__file__).parents[2] / "bench" / "_generated_log.py"
PATHS = ("/agents", "/runs", "/runs/abc", "/teams/data", "/")


@pytest.mark.parametrize("paths", forms([(PATHS,)], [PATHS[-1:]]))
def test_before_the_first_run_it_says_what_to_type(
    tmp_path: Path,
    paths: tuple[str, ...],
    serve: Any,
    open_page: Open,
    new_log: Any,
    wait_until_filled: Callable[[Page], None],
) -> None:
    """On every page; the first run then shows by itself, also in a folder that was not there."""
    site = serve(MINERVA_HOME=str(tmp_path / "home"))
    page = open_page(site)

    for path in paths:
        page.goto(site + path)
        wait_until_filled(page)
        expect(page.locator(".notice")).to_contain_text("home does not exist (yet).")
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


@pytest.mark.whole
def test_there_is_never_a_blank_page(site: str, blank_page: Page) -> None:
    """Before its figures come, a page has its title, navigation and the outline of its panels."""
    page = blank_page

    page.route_web_socket("**", lambda _: None)  # it opens, and nothing ever comes
    page.goto(f"{site}/agents")
    expect(page.locator("h1")).to_have_text("Agents")
    expect(page.locator(".skeleton").first).to_be_visible()
    expect(page.get_by_role("navigation", name="Pages").get_by_role("link")).to_have_count(6)


def test_ctrl_c_waits_for_no_reading(tmp_path: Path, serving: Any, chrome: Any) -> None:
    """However long the log is; what was read so far is deleted."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    source = tmp_path / "records"
    source.mkdir()

    with serving("--source", source, TMPDIR=str(scratch)) as site:
        os.mkfifo(source / "runs.jsonl")  # who opens it waits for ever
        chrome.tab.goto(site)
        while not list(scratch.glob("*/spans.duckdb.wal")):  # has a table, opens the file for it
            chrome.tab.wait_for_timeout(50)

    assert list(scratch.iterdir()) == []
