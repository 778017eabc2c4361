"""Ctrl-C, whatever the workers are doing: the command ends and the records are whole."""

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.usefixtures("with_trial")

MOST_SECONDS = 4.0
"""From Ctrl-C to the end; the grace is one second, the rest is for a loaded machine."""


@pytest.mark.parametrize("worker", ["hang", "block", "stubborn"])
def test_ctrl_c_ends_a_hanging_run(
    worker: str, start: Any, recorded: Callable[[], list[dict[str, Any]]], minerva_home: Path
) -> None:
    """A thread that blocks, an event loop that is blocked, a task that will not be cancelled."""
    run = start("ask", f"speak {worker}" if worker == "hang" else worker, "--team", "trial")
    wait_until_at_work(run, minerva_home)
    run.send_signal(signal.SIGINT)
    pressed = time.monotonic()
    stdout, stderr = run.communicate(timeout=30)
    rows = {(row["path"], row["kind"]): row for row in recorded()}

    assert time.monotonic() - pressed < MOST_SECONDS
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
    while not (minerva_home / "held").exists() and run.poll() is None:
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


def wait_until_at_work(run: "subprocess.Popen[bytes]", home: Path) -> None:
    """Return when the first worker must have been called: its supervisor's row is written."""
    runs, end = home / "runs.jsonl", time.monotonic() + 30
    while time.monotonic() < end and run.poll() is None:
        if runs.exists() and '"kind":"route"' in runs.read_text(encoding="utf-8"):
            time.sleep(0.3)  # the call follows the route within milliseconds
            return
        time.sleep(0.02)
    pytest.fail(f"the run did not begin, it ended with {run.returncode}")
