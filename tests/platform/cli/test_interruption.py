"""Ctrl-C, whatever the workers are doing: the command ends and the records are whole."""

import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.usefixtures("with_trial")


@pytest.mark.parametrize("worker", ["hang", "block", "stubborn"])
def test_ctrl_c_ends_a_hanging_run(
    worker: str,
    start: Any,
    recorded: Callable[[], list[dict[str, Any]]],
    minerva_home: Path,
    tmp_path: Path,
) -> None:
    """A thread that blocks, an event loop that is blocked, a task that will not be cancelled."""
    run = start("ask", f"speak {worker}" if worker == "hang" else worker, "--team", "trial")
    while not (tmp_path / "at-work").exists():
        assert run.poll() is None
        time.sleep(0.01)
    while worker == "hang" and not has_spoken(minerva_home):
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    stdout, stderr = run.communicate()
    rows = {(row["path"], row["kind"]): row for row in recorded()}

    assert (run.returncode, stdout) == (130, b"")
    assert b"minerva: Interrupted while " in stderr  # who else was at work is named, too
    assert f"`trial/{worker}` w".encode() in stderr
    assert b" at work. What ran is recorded: " in stderr
    assert b"Traceback" not in stderr
    for kind, path in (("run", "trial"), ("agent", f"trial/{worker}"), ("node", f"trial/{worker}")):
        row = rows[path, kind]
        assert (row["status"], row["reason"]) == ("skipped", "cancelled")
    whole = rows["trial", "run"]
    assert (whole["action"], whole["error"]["type"]) == ("stopped", "CancelledError")
    if worker == "hang":
        assert rows["trial/speak", "agent"]["status"] == "ok"


def test_ctrl_c_ends_a_worker_that_holds_the_interpreter(
    start: Any, recorded: Callable[[], list[dict[str, Any]]], minerva_home: Path
) -> None:
    """In a process of its own nothing that it does keeps the command; the person hears who did."""
    run = start("ask", "speak hold", "--team", "trial")
    while not ((minerva_home / "held").exists() and has_spoken(minerva_home)):
        assert run.poll() is None
        time.sleep(0.02)
    run.send_signal(signal.SIGINT)
    stdout, stderr = run.communicate()
    rows = {(row["path"], row["kind"]): row for row in recorded()}

    assert (run.returncode, stdout) == (130, b"")
    assert b"minerva: Interrupted while `trial/hold` was at work." in stderr
    assert rows["trial/speak", "agent"]["status"] == "ok"
    for kind in ("agent", "node"):
        row = rows["trial/hold", kind]
        assert (row["status"], row["reason"]) == ("skipped", "cancelled")


def has_spoken(home: Path) -> bool:
    """Tell whether the worker beside the one that hangs is on record."""
    return '"kind":"agent"' in (home / "runs.jsonl").read_text(encoding="utf-8")
