"""What `make quick` leaves out: what starts a process or a server, what is slow, more cases.

A file whose `pytestmark` has a marker of `APART` is not even imported. Fixtures mark tests, too.
Whatever else starts a process, or listens, is left out the moment it does so. Without a room, a
test with many cases has its first one, and no command is called. The loop ends when its CPU
seconds are up.
"""

import os
import re
import resource
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest
from rooms import room_of, rooms

APART: Final = ("processes", "browser", "postgres", "model_server", "slow", "whole")
MARKER_OF: Final = {
    "chrome": "browser",
    "site": "browser",
    "postgres_server": "postgres",
    "start": "processes",
    "program": "processes",
    "served": "processes",
}
"""Fixtures that say what a test needs."""
COMMANDS: Final = frozenset(("invoke", "type_", "type_in"))
"""Fixtures that call a command, which costs a tenth of a second: only where a room is named."""
CPU_SECONDS: Final = 50.0
_APART_FILE: Final = re.compile(rf"^pytestmark = .*\bmark\.({'|'.join(APART)})\b", re.MULTILINE)
_STARTS: Final = frozenset(
    ("subprocess.Popen", "os.fork", "os.posix_spawn", "socket.bind", "os.system")
)


def cpu_seconds() -> float:
    """Return what this process has used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Quick:
    """A plugin of pytest, for one room or for all."""

    def __init__(self, room: str) -> None:
        if room and room not in rooms():
            message = f"There is no room `{room}`. There are: {', '.join(rooms())}"
            raise pytest.UsageError(message)
        self.room, self.started = room, ""
        self.is_at_work = False
        self.apart = self.late = 0
        sys.addaudithook(self._hear)

    def _hear(self, event: str, _: Any) -> None:
        if self.is_at_work and event in _STARTS:
            self.started = event
            pytest.skip(event)

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Pass over files of other rooms, and those that say that they are apart."""
        if collection_path.suffix != ".py" or not collection_path.name.startswith("test_"):
            return None
        if self.room and room_of(collection_path) != self.room:
            return True
        return True if _APART_FILE.search(collection_path.read_text(encoding="utf-8")) else None

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Mark tests by their fixtures; leave out those with a marker, and further cases."""
        kept: list[pytest.Item] = []
        seen: set[str] = set()
        for item in items:
            for fixture in getattr(item, "fixturenames", ()):
                if fixture in MARKER_OF:
                    item.add_marker(MARKER_OF[fixture])
            if "postgres" in item.name:
                item.add_marker("postgres")
            function = item.nodeid.partition("[")[0]
            is_apart = any(item.get_closest_marker(name) for name in APART)
            is_more = function in seen or not COMMANDS.isdisjoint(getattr(item, "fixturenames", ()))
            if not is_apart and (self.room or not is_more):
                seen.add(function)
                kept.append(item)
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Generator[None, object, object]:
        """Let a test work, and hear what it starts."""
        self.started, self.is_at_work = "", True
        try:
            return (yield)
        finally:
            self.is_at_work = False

    def pytest_runtest_setup(self) -> None:
        """Begin no test after the time is up."""
        if cpu_seconds() > CPU_SECONDS:
            self.late += 1
            pytest.skip("late")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Whatever a test made of it: what started something is left out."""
        report = yield
        if self.started and report.when != "teardown":
            report.outcome, report.longrepr = "skipped", (item.nodeid, 0, self.started)
            self.apart += 1
        return report

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what it cost."""
        terminalreporter.stats.pop("skipped", None)
        late = f"; {self.late} came too late: name a ROOM" if self.late else ""
        terminalreporter.write_line(
            f"{cpu_seconds():.0f} CPU seconds. Left out at once: {self.apart} tests that start a"
            f" process or a server{late}. `make test` runs all."
        )


def quick_from(config: pytest.Config) -> Quick | None:
    """Return the plugin if the loop is asked for."""
    is_asked: bool = config.getoption("--quick")
    return Quick(os.environ.get("ROOM", "")) if is_asked else None
