"""What `make quick` leaves out: processes, servers and browsers, what is slow, and further cases.

A file that names one of the `STARTERS`, or whose `pytestmark` has a marker of `APART`, is not even
imported. Fixtures mark tests, too. Without a room, a test with many cases has its first one, and no
command is called and no code indexed. The loop begins no test after its CPU seconds are up.
"""

import os
import re
import resource
from pathlib import Path
from typing import Final

import pytest
from rooms import room_of, rooms

APART: Final = ("processes", "browser", "postgres", "model_server", "slow", "whole")
"""The markers of what is left out."""
MARKER_OF: Final = {
    "chrome": "browser",
    "site": "browser",
    "serve": "browser",
    "postgres_server": "postgres",
    "start": "processes",
    "program": "processes",
}
"""Fixtures that say what a test needs."""
STARTERS: Final = (
    *("subprocess", "copies", "multiprocessing", "processes", "kill_at_every_hop", "approve_race"),
    *("playing", "takers", r"running_\w+", "typed"),
    *(
        "httpx",
        "serving",
        "served",
        "playwright",
        "psycopg",
        "postgres_store",
        "scripted_openai_server",
        "ScriptedOpenAI",
    ),
)
"""What starts a process, a server or a browser, or speaks to one."""
DEAR: Final = frozenset(("invoke", "ran", "type_", "type_in", "open_index", "write"))
"""Fixtures that call a command or index code, a tenth of a second: only where a room is named."""
CPU_SECONDS: Final = 53.0
_APART_FILE: Final = re.compile(
    rf"^pytestmark = .*\bmark\.({'|'.join(APART)})\b|^[^\"#]*\b({'|'.join(STARTERS)})\b",
    re.MULTILINE,
)


def cpu_seconds() -> float:
    """Return what this process and the children that have ended used."""
    both = (resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


class Quick:
    """A plugin of pytest, for one room or for all."""

    def __init__(self, room: str) -> None:
        if room and room not in rooms():
            message = f"There is no room `{room}`. There are: {', '.join(rooms())}"
            raise pytest.UsageError(message)
        self.room = room
        self.late = 0

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Pass over files of other rooms, those that join all rooms, and those that are apart."""
        if collection_path.name == "integration":
            return True
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
        left: list[pytest.Item] = []
        seen: set[str] = set()
        for item in items:
            fixtures = set(getattr(item, "fixturenames", ()))
            for fixture in fixtures & MARKER_OF.keys():
                item.add_marker(MARKER_OF[fixture])
            if "postgres" in item.name:
                item.add_marker("postgres")
            function = item.nodeid.partition("[")[0]
            is_apart = any(item.get_closest_marker(name) for name in APART)
            is_more = not self.room and (function in seen or fixtures & DEAR)
            if is_apart or is_more:
                left.append(item)
            else:
                seen.add(function)
                kept.append(item)
        config.hook.pytest_deselected(items=left)
        items[:] = kept

    def pytest_runtest_setup(self) -> None:
        """Begin no test after the time is up."""
        if cpu_seconds() > CPU_SECONDS:
            self.late += 1
            pytest.skip("the CPU seconds of the quick loop are up")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what it cost."""
        late = f"; {self.late} tests came too late" if self.late else ""
        advice = "" if self.room else " `make quick ROOM=…` runs more of one room."
        terminalreporter.write_line(f"{cpu_seconds():.0f} CPU seconds{late}.{advice}")


def quick_from(config: pytest.Config) -> Quick | None:
    """Return the plugin if the loop is asked for."""
    return Quick(os.environ.get("ROOM", "")) if config.getoption("--quick") else None
