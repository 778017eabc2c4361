"""A log written by hand, a dashboard as the process that people start, and a real browser."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

MINERVA = Path(sys.executable).with_name("minerva")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE_MS = 20_000
"""How long a page may take on a machine that is busy; nothing waits that long on a good day."""


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


@pytest.fixture(scope="module")
def new_log() -> Callable[[Path], Log]:
    """Return what makes a log in a folder."""
    return Log


@contextmanager
def _served(*arguments: str | Path, **variables: str) -> Generator[str]:
    """Run `minerva dashboard`; give its address."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("MINERVA_")
    }
    process = subprocess.Popen(
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
            assert process.wait(timeout=20) == 0
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


@pytest.fixture(scope="module")
def browser(program: Callable[[str], Path]) -> Iterator[Browser]:
    """One browser for the module, without a profile of anybody."""
    executable = program("chromium")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def wide(browser: Browser) -> Iterator[BrowserContext]:
    """What the module's pages have in common: a cache, and a screen of 1280 px."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context
    context.close()


@pytest.fixture
def open_page(browser: Browser, wide: BrowserContext) -> Iterator[Callable[..., Page]]:
    """Open an address, and wait until its figures are there.

    With options the page is in a context of its own, which remembers nothing.
    """
    with ExitStack() as stack:

        def open_(url: str, **options: Any) -> Page:
            context = wide
            if options:
                options.setdefault("viewport", {"width": 1280, "height": 900})
                context = browser.new_context(**options)
                stack.callback(context.close)
            context.set_default_timeout(PATIENCE_MS)
            page = context.new_page()
            stack.callback(page.close)
            page.goto(url)
            filled(page)
            return page

        yield open_


@pytest.fixture
def blank_page(browser: Browser) -> Iterator[Page]:
    """A page of a context of its own, which has seen nothing yet."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
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
