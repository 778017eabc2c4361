"""Reviews of the bundled hospital, typed here or in processes of their own."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import copies

HOSPITAL = Path(__file__).parents[2] / "configs" / "examples" / "hospital"
SENTENCES = {
    "ko": (
        "이 병원 스키마의 컬럼을 표준화하고, 이름이 바뀌면 깨지는 코드를 찾고, "
        "개인정보 처리방침을 어기는 곳을 보고해줘."
    ),
    "en": (
        "Standardise this hospital's schema, find the code that breaks, and report what violates "
        "the privacy policy."
    ),
}
FILES = frozenset(
    {"report.md", "report.html", "findings.json", "findings.sarif", "register.csv", "mapping.csv",
     "contract.odcs.yaml"}
)  # fmt: skip
"""What is there before anybody has decided about the migration."""
PATIENCE_S = 60.0


def minerva(home: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """Return what a command came to, in a process without a terminal."""
    return copies.run(
        _command(words), check=False, capture_output=True, text=True, env=_environment(home),
        stdin=subprocess.DEVNULL,
    )  # fmt: skip


def typed(home: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """Return what a command came to, called in this process: a fifth of the work of `minerva`."""
    from typer.testing import CliRunner  # noqa: PLC0415  # who starts processes needs none of it

    from minerva_platform.cli.main import app  # noqa: PLC0415  # see above

    said = [str(word) for word in words]
    with mock.patch.dict(os.environ, _environment(home)):
        done = CliRunner().invoke(app, said, prog_name="minerva")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(said, done.exit_code, done.stdout, done.stderr)


def kill_when(home: Path, words: Sequence[object], node: str, *, after: int = 1) -> None:
    """Start a command and kill it once `node` stands `after` times in the records."""
    records = home / "runs.jsonl"
    process = copies.Popen(
        _command(words), env=_environment(home), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    deadline = time.monotonic() + PATIENCE_S
    while process.poll() is None and time.monotonic() < deadline:
        said = records.read_text(encoding="utf-8", errors="replace") if records.exists() else ""
        if said.count(f'"node":"{node}"') + said.count(f'"node": "{node}"') >= after:
            process.send_signal(signal.SIGKILL)
            break
        time.sleep(0.002)
    process.wait(PATIENCE_S)


def last_run(home: Path) -> str:
    """Return the id of the newest run that is kept, ended or not."""
    import sqlite3  # noqa: PLC0415  # the tests of killed runs alone need it

    with sqlite3.connect(home / "state.db") as database:
        row = database.execute("SELECT run_id FROM runs ORDER BY rowid DESC").fetchone()
    return str(row[0])


def findings(folder: Path) -> dict[str, Any]:
    """Return a review's findings.json."""
    content: dict[str, Any] = json.loads((folder / "findings.json").read_text(encoding="utf-8"))
    return content


def _command(words: Sequence[object]) -> list[str]:
    return [str(Path(sys.executable).parent / "minerva"), *map(str, words)]


def _environment(home: Path) -> dict[str, str]:
    return {**os.environ, "MINERVA_HOME": str(home), "NO_COLOR": "1"}
