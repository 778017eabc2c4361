"""`minerva tail`: each span as it ends, for people and for pipes, until Ctrl-C."""

import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Generator
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path
from typing import Any

import copies
import pytest

MINERVA = Path(sys.executable).with_name("minerva")
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
WITHOUT_DUCKDB = """
import sys
sys.modules["duckdb"] = None
from minerva_platform.cli import main
main()
"""

INTERRUPTED_IN_A_LOCK = """
import signal, threading
release = threading.Condition._release_save
def release_and_interrupt(self):
    release(self)
    signal.raise_signal(signal.SIGINT)
threading.Condition._release_save = release_and_interrupt
from minerva_platform.cli import main
main()
"""


def line(name: str, **fields: Any) -> str:
    """Return the line of a worker's call, with its newline."""
    row = {"schema": 1, "run_id": "r", "span_id": name, "path": f"t/{name}", "kind": "agent"}
    row |= {"status": "ok", "ms": 5, "team": "t", "agent_name": name}
    row |= {"timestamp": "2026-01-31T09:00:00.000Z"}
    return f"{json.dumps({**row, **fields})}\n"


def append(path: Path, text: str) -> None:
    """Add to a file, which is made if need be."""
    path.parent.mkdir(exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


class Tail:
    """A running command, whose output is read as it comes."""

    def __init__(self, process: "subprocess.Popen[bytes]", out: int) -> None:
        self.process, self._out, self.text = process, out, ""

    def until(self, pattern: str) -> str:
        """Return all output, once `pattern` is in it."""
        while not re.search(pattern, self.text):
            chunk = os.read(self._out, 65_536)
            assert chunk, f"it ended after {self.text!r}"
            self.text += chunk.decode()
        return self.text

    def interrupted(self) -> int:
        """Press Ctrl-C and return how it ended."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait()


@contextmanager
def tailed(*options: str, command: tuple[str | Path, ...] = (MINERVA,)) -> Generator[Tail]:
    """Start `minerva tail`, whose output goes into a pipe."""
    with copies.Popen(
        [*command, "tail", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        try:
            yield Tail(process, process.stdout.fileno())
        finally:
            process.kill()


@contextmanager
def on_a_terminal(*options: str) -> Generator[Tail]:
    """Start it on a terminal of 100 columns."""
    near, far = pty.openpty()
    ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color"}
    environment.pop("COLUMNS", None)
    with copies.Popen(
        [MINERVA, "tail", *options], stdin=far, stdout=far, stderr=far, env=environment
    ) as process:
        os.close(far)
        try:
            yield Tail(process, near)
        finally:
            process.kill()
            os.close(near)


@pytest.fixture
def runs(minerva_home: Path) -> Path:
    """The first file of this test's home."""
    return minerva_home / "runs.jsonl"


def names(text: str) -> list[str]:
    """Return the span ids of JSON lines."""
    return [json.loads(each)["span_id"] for each in text.splitlines()]


def test_a_pipe_gets_json_lines_as_they_are_written(runs: Path) -> None:
    """The last ten, then each new one at once, on into the next file; Ctrl-C ends with 130."""
    append(runs, "".join(line(f"old-{number}") for number in range(15)))
    with tailed() as tail:
        assert names(tail.until("old-14.*\n")) == [f"old-{number}" for number in range(5, 15)]
        append(runs, line("new")[:20])
        append(runs.with_name("runs.2.jsonl"), line("next"))
        tail.until("next.*\n")
        append(runs, line("new")[20:])
        assert names(tail.until("t/new.*\n"))[10:] == ["next", "new"]
        assert tail.interrupted() == 130
        assert tail.process.stderr is not None
        assert tail.process.stderr.read() == b""


def test_nothing_needs_to_be_there_yet(runs: Path) -> None:
    """It says that it waits; DuckDB is not needed."""
    with tailed(command=(sys.executable, "-c", WITHOUT_DUCKDB)) as tail:
        assert tail.process.stderr is not None
        assert b"Nothing to show in" in tail.process.stderr.readline()
        append(runs, line("first"))
        assert names(tail.until("first.*\n")) == ["first"]
        assert tail.interrupted() == 130


def test_ctrl_c_at_any_moment_is_no_error(runs: Path) -> None:
    """Python's locks raise an error of their own if they are interrupted as they begin to wait."""
    with tailed(command=(sys.executable, "-c", INTERRUPTED_IN_A_LOCK)) as tail:
        assert tail.process.stderr is not None
        assert b"Nothing to show in" in tail.process.stderr.readline()
        append(runs, line("first"))
        tail.until("first.*\n")
        assert tail.interrupted() == 130
        assert tail.process.stderr.read() == b""


@pytest.mark.small(2)
@pytest.mark.parametrize(
    ("options", "shown"),
    [
        (["--failures"], ["broken", "retried"]),
        (["--team", "u"], ["other"]),
        (["--agent", "fine"], ["fine"]),
        (["--source", "elsewhere"], ["away"]),
    ],
)
def test_it_can_be_narrowed(
    runs: Path, tmp_path: Path, options: list[str], shown: list[str]
) -> None:
    """By what failed, team, agent and source."""
    error = {"type": "OSError", "message": "reset"}
    append(runs, line("fine") + line("broken", status="failed", action="bypassed", error=error))
    append(runs, line("retried", status="failed", action="retried") + line("other", team="u"))
    append(tmp_path / "elsewhere" / "runs.jsonl", line("away"))
    options = [str(tmp_path / word) if word == "elsewhere" else word for word in options]
    with tailed(*options) as tail:
        assert names(tail.until(f"t/{shown[-1]}.*\n")) == shown


def test_a_bad_line_is_told_once(runs: Path) -> None:
    """By file and line; the rows around it come."""
    append(runs, line("before"))
    with tailed() as tail:
        tail.until("before.*\n")
        append(runs, "no record \x1b[2J\n" + line("after"))
        assert names(tail.until("after.*\n")) == ["before", "after"]
        append(runs, line("later"))
        tail.until("later.*\n")
        assert tail.interrupted() == 130
        assert tail.process.stderr is not None
        told = tail.process.stderr.read().decode()
        assert told == f"{runs}:2 holds no record (not_json): no record \\x1b[2J\n"


def test_a_person_sees_a_line_for_each_span(runs: Path) -> None:
    """Time, run, mark, path, what it was, how long, what went wrong; nothing moves the cursor."""
    with on_a_terminal() as tail:
        tail.until("waiting. Ctrl-C ends it")
        error = {"type": "OSError", "message": "reset\x1b[2J\nby\u202epeer"}
        more: dict[str, Any] = {"kind": "node", "node": "fetch", "attempt": 2, "ms": 1234.5}
        append(runs, line("w", status="failed", action="retried", error=error, **more))
        append(runs, line("[/red]\x1b[2J"))
        append(runs, line("x" * 300) + line("last"))
        plain = ESCAPE.sub("", tail.until(r"t/last.*ms"))
        lines = plain.splitlines()[1:]

        assert re.fullmatch(
            r"\d\d:\d\d:\d\d r ✗ t/w  node fetch attempt 2  1\.2 s"
            r"  retried: OSError: reset\\x1b\[2J by\\u202epeer",
            lines[0].rstrip(),
        )
        assert " ✓ t/[/red]\\x1b[2J  agent  5.0 ms" in lines[1]
        assert len(lines) == 4
        assert all(len(each) <= 100 for each in lines)
        assert "\x1b[2J" not in tail.text
        assert tail.interrupted() == 130
