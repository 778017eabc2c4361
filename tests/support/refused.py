"""What commands say in a home to which the system refuses something, and what has happened."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import copies

PROGRAM = Path(__file__).with_name("refusing_home.py")
SENTENCES = {
    "full": "room",
    "full_disk": "is full, or your quota of it. Make room there",
    "no_locks": "Its file system has no locks. Set MINERVA_HOME to a folder on a local disk.",
    "read_only": "Make it writable, or set MINERVA_HOME to a folder of yours.",
}
"""What each command says to do."""
READING = {"runs", "waiting", "backup"}
"""Commands that work where nothing can be written."""


@dataclass(frozen=True, slots=True)
class Told:
    """How a command ended, and what it said."""

    code: int
    stdout: str
    stderr: str


def begun(invoke: Any) -> str:
    """Keep a run that waits for a person, and a queued one; return the id of the first."""
    asked = invoke("ask", "pay", "--team", "trial", "--json")
    assert invoke("ask", "note it", "--team", "trial", "--background").exit_code == 0
    return str(json.loads(asked.stdout)["run_id"])


def commands_about(run_id: str, folder: Path) -> dict[str, list[str]]:
    """Return what is typed."""
    return {
        "ask": ["ask", "pay", "--team", "trial"],
        "approve": ["approve", run_id],
        "runs": ["runs"],
        "waiting": ["waiting"],
        "worker": ["worker", "--until-empty"],
        "serve": ["serve", "--port", "0"],
        "doctor": ["doctor", "--language", "en"],
        "prune": ["prune", "--run", run_id, "--yes"],
        "forget": ["forget", "last", "--yes"],
        "backup": ["backup", str(folder / "store.tar")],
    }


def typed(
    mode: str, commands: dict[str, list[str]], folder: Path, *, before: Sequence[str] = ()
) -> dict[str, Told]:
    """Type the commands in a process of its own; `before` is what starts it."""
    words = [*before, sys.executable, str(PROGRAM), mode, json.dumps([*commands.values()])]
    run = subprocess.run if before else copies.run
    done = run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout.splitlines()[-1])
    return {name: Told(*answer) for name, answer in zip(commands, answers, strict=True)}


def check(told: dict[str, Told], refuses: str) -> None:
    """Check that each command has said in a sentence what is wrong, where, and what to do."""
    for name, answer in told.items():
        if refuses == "read_only" and name in READING:
            assert answer.code == 0, (name, answer)
            continue
        said = answer.stdout if name == "doctor" else answer.stderr
        assert answer.code in {1, 2}, (name, answer)
        assert SENTENCES[refuses] in said, (name, answer)
        assert "home" in said or ".minerva" in said, (name, answer)
        assert "Traceback" not in answer.stderr
        assert "damaged" not in said, (name, answer)
