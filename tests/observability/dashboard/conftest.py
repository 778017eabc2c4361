"""A log written by hand, dashboards as the processes that people start, pages of one browser."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import copies
import pytest
from chromium import FLAGS
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from minerva_observability.compaction import compact_records

MINERVA = Path(sys.executable).with_name("minerva")
PATIENCE_MS = 300_000
"""How long a page may take on a busy machine before the test says what it waited for; what hangs
is ended by pytest's own limit."""
WIDE = ViewportSize(width=1280, height=900)
RUNS = 60
DEGRADED, WAITING = "b2" * 16, "c3" * 16
"""The runs of the session's log that went unlike the other 60."""


class Log:
    """Appends whole runs to a `runs.jsonl`: of a platform, one team, and its workers."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "runs.jsonl"
        self.at = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=30)
        self._spans = 0

    def add_run(  # a run has that many sides
        self,
        run_id: str,
        *,
        ms: float = 100,
        team: str = "data",
        workers: tuple[dict[str, Any], ...] = (),
        routes: int = 1,
        route: dict[str, Any] | None = None,
        **run: Any,
    ) -> None:
        """Write one run that begins a minute after the one before."""
        self.at += timedelta(minutes=1)
        root, visit = self._span(), self._span()
        asked = {"path": "platform", "team": "platform", "agent_name": "platform_supervisor"}
        asked |= {"node": "supervisor", "router": "embedded", **(route or {})}
        rows = [self._row("route", root, ms=2.0, **asked) for _ in range(routes)]
        for worker in workers:
            rows += self._worker(worker, visit, team)
        rows.append(
            self._row(
                "agent",
                root,
                span=visit,
                ms=ms - 10,
                path=f"platform/{team}",
                team=team,
                agent_name=f"{team}_team_supervisor",
            )
        )
        whole = {"team": "platform", "agent_name": "platform_supervisor", "status": "ok"}
        rows.append(self._row("run", None, span=root, ms=ms, path="platform", **whole | run))
        self.write(rows, run_id=run_id, thread_id=run.get("thread_id", f"thread-{run_id[:4]}"))

    def write(self, rows: list[dict[str, Any]], **fields: Any) -> None:
        """Append `rows`, each with `fields`."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lines = "".join(json.dumps({**row, **fields}) + "\n" for row in rows)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(lines)

    def _worker(self, worker: dict[str, Any], visit: str, team: str) -> list[dict[str, Any]]:
        call = self._span()
        name = worker["agent_name"]
        place: dict[str, Any] = {
            "path": f"platform/{team}/{name}",
            "team": team,
            "agent_name": name,
        }
        nodes = worker.get("nodes", {"work": worker["ms"] / 2})
        rows = [
            self._row("node", call, node=node, ms=took, **place) for node, took in nodes.items()
        ]
        fields: dict[str, Any] = {key: worker[key] for key in worker if key != "nodes"}
        return [*rows, self._row("agent", visit, span=call, **(place | fields))]

    def _row(
        self, kind: str, parent: str | None, *, ms: float, span: str | None = None, **fields: Any
    ) -> dict[str, Any]:
        row = {
            "schema": 1,
            "timestamp": _timestamp(self.at + timedelta(milliseconds=ms)),
            "started_at": _timestamp(self.at),
            "ms": ms,
            "self_ms": ms / 2,
            "span_id": span or self._span(),
            "parent_id": parent,
            "kind": kind,
            "status": "ok",
            **fields,
        }
        return {name: value for name, value in row.items() if value is not None}

    def _span(self) -> str:
        self._spans += 1
        return f"{self._spans:016x}"


def _timestamp(time: datetime) -> str:
    return f"{time:%Y-%m-%dT%H:%M:%S}.{time.microsecond // 1000:03d}Z"


@pytest.fixture(scope="session")
def new_log() -> Callable[[Path], Log]:
    """Return what makes a log in a folder."""
    return Log


@contextmanager
def _served(*arguments: str | Path, **variables: str) -> Generator[str]:
    """Run `minerva dashboard`; give its address."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("MINERVA_")
    }
    process = copies.Popen(
        [MINERVA, "dashboard", "--port", "0", *arguments],
        env=environment | variables,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.search(r"http://\S+", line)
        assert found, line + process.stderr.read()
        yield found[0].rstrip("/")
    finally:
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait() == 0
        finally:
            process.kill()
            process.stderr.close()


@pytest.fixture(scope="session")
def serving() -> Callable[..., AbstractContextManager[str]]:
    """Return what runs a dashboard as long as a block lasts, and ends it by Ctrl-C."""
    return _served


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """Start dashboards that end with the module; each gives its address."""
    scratch = str(tmp_path_factory.mktemp("scratch"))
    with ExitStack() as stack:

        def start(*arguments: str | Path, **variables: str) -> str:
            return stack.enter_context(_served(*arguments, **{"TMPDIR": scratch, **variables}))

        yield start


@pytest.fixture(scope="session")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """62 runs of two teams, whose figures can be added up by hand; nobody adds to them.

    The one that went wrong is compacted, as older runs are; the others are lines.
    """
    folder = tmp_path_factory.mktemp("records")
    log = Log(folder)
    _add_a_degraded_run(log)
    compact_records(folder)
    assert not log.path.exists()
    for number in range(RUNS):
        log.add_run(
            f"{number:032x}",
            ms=100 + number,
            workers=(
                {"agent_name": "quick_agent", "ms": 10.0},
                {"agent_name": "quick_agent", "ms": 30.0},
            ),
            route={"arm": "control" if number % 2 else "challenger"},
        )
    log.add_run(WAITING, status="needs_human", reason="approval")
    with log.path.open("a") as file:
        file.write("Traceback (most recent call last):\n")
    return folder


def _add_a_degraded_run(log: Log) -> None:
    decision = {
        "goals": ["governance"],
        "scores": {"governance": 1.5, "data": 0.25},
        "runner_up": "data",
        "margin": 1.25,
    }
    log.add_run(
        DEGRADED,
        ms=5_000,
        team="governance",
        status="ok_degraded",
        routes=3,
        route={"decision": decision},
        workers=(
            {
                "agent_name": "slow_agent",
                "ms": 4_000.0,
                "status": "failed",
                "action": "bypassed",
                "error": {"type": "ConnectionError", "message": "the index did not answer"},
                "nodes": {"scan": 3_000.0, "report": 20.0},
            },
            {
                "agent_name": "reader_agent",
                "ms": 0.0,
                "status": "skipped",
                "action": "skipped",
                "error": {"type": "MissingHandoffError", "message": "it needs an index"},
                "because_of": "platform/governance/slow_agent",
                "nodes": {},
            },
        ),
    )


@pytest.fixture(scope="session")
def site(records: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The dashboard of the session's records."""
    scratch = str(tmp_path_factory.mktemp("scratch"))
    with _served("--source", records, TMPDIR=scratch) as address:
        yield address


@dataclass(frozen=True)
class Chrome:
    """The browser, and in it a page that is never closed: a new one costs three times as much."""

    browser: Browser
    wide: BrowserContext
    tab: Page


@contextmanager
def _launched(executable: Path) -> Generator[Chrome]:
    """Run a browser without a profile of anybody."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        wide = browser.new_context(viewport=WIDE, reduced_motion="reduce")  # a frame costs CPU
        wide.set_default_timeout(PATIENCE_MS)
        yield Chrome(browser, wide, wide.new_page())
        browser.close()


_CHROME = pytest.StashKey[Chrome]()


@pytest.fixture
def chrome(request: pytest.FixtureRequest, program: Callable[[str], Path]) -> Chrome:
    """One browser for this folder.

    It ends with the folder's last test, not with the session: while Playwright is there, no test
    can have an event loop of its own.
    """
    folder = next(node for node in request.node.iter_parents() if isinstance(node, pytest.Dir))
    if _CHROME not in folder.stash:
        stack = ExitStack()
        folder.stash[_CHROME] = stack.enter_context(_launched(program("chromium")))
        folder.addfinalizer(stack.close)
    return folder.stash[_CHROME]


@pytest.fixture
def open_page(chrome: Chrome) -> Iterator[Callable[..., Page]]:
    """Open an address, and wait until its figures are there.

    The second page of a test is beside the first. The size of the screen and the system's colours
    can be chosen for the first; what it remembers is forgotten with the test.
    """
    free = [chrome.tab]
    with ExitStack() as stack:

        def new_page(**options: Any) -> Page:
            if not free:
                page = chrome.wide.new_page()
                stack.callback(page.close)
                return page
            page = free.pop()
            page.set_viewport_size(options.get("viewport", WIDE))
            page.emulate_media(color_scheme=options.get("color_scheme", "light"))
            return page

        def open_(url: str, **options: Any) -> Page:
            page = new_page(**options)
            page.goto(url)
            filled(page)
            return page

        yield open_
    chrome.tab.evaluate("window.localStorage.clear()")


@pytest.fixture
def blank_page(chrome: Chrome) -> Iterator[Page]:
    """A page of a context of its own, which has seen nothing yet; its clock is in Seoul."""
    context = chrome.browser.new_context(
        viewport=WIDE, timezone_id="Asia/Seoul", reduced_motion="reduce"
    )
    context.set_default_timeout(PATIENCE_MS)
    yield context.new_page()
    context.close()


def filled(page: Page) -> None:
    """Wait until no panel of `page` is a skeleton any more."""
    page.wait_for_function(
        "document.querySelector('.foot span') && !document.querySelector('.panels .skeleton')"
        " || document.querySelector('.notice')"
    )


@pytest.fixture(scope="session")
def wait_until_filled() -> Callable[[Page], None]:
    """Return what waits until all figures of a page are there."""
    return filled
