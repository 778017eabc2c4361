"""Processes that move the runs of a scenario, each move in one that may be killed."""

import json
import os
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from minerva_platform.contract.run_object import Run
from minerva_platform.testing.durability.scenario import EffectSeen, Outcome, Scenario

_SERVER = "minerva_platform.testing.durability.server"


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One move of a run: its start if there is no `run_id`, else what is decided about it."""

    home: Path
    storage_url: str | None = None
    """Instead of the scenario's."""
    run_id: str = ""
    batch_id: str | None = None
    decisions: Mapping[str, Any] = field(default_factory=dict[str, Any])
    by: str = "tester"
    kill_at: int | str | None = None
    """The number of the point, or its name."""
    after_kill: bool = False
    """True if the process that moved the run before was killed."""


class Processes:
    """Moves runs of one scenario, in children of one process that has imported everything."""

    def __init__(self, scenario: Scenario, folder: Path) -> None:
        self.scenario, self.folder = scenario, folder
        self.numbers = count(1)
        told, answered = os.pipe(), os.pipe()
        self.server = subprocess.Popen(  # noqa: S603  # our own module, by this interpreter
            [sys.executable, "-m", _SERVER],
            stdin=told[0],
            stdout=answered[1],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        os.close(told[0])
        os.close(answered[1])
        self.tell = os.fdopen(told[1], "w", encoding="utf-8")
        self.answers = os.fdopen(answered[0], encoding="utf-8")
        self._write(scenario.where())

    def new_home(self, name: str) -> Path:
        """Return a new folder for a repetition."""
        home = self.folder / f"{next(self.numbers):03}-{name}"
        home.mkdir(parents=True)
        return home

    def do(self, move: Move) -> Outcome:
        """Make one move."""
        return self.do_at_once([move])[0]

    def do_at_once(self, moves: Sequence[Move]) -> list[Outcome]:
        """Make all moves, beginning at the same moment."""
        folders = [Path(mkdtemp(prefix="move-", dir=move.home)) for move in moves]
        self._write([self._job(*each) for each in zip(moves, folders, strict=True)])
        line = self.answers.readline()
        if not line:
            message = "The process that repeats the scenario has ended; its error is above."
            raise AssertionError(message)
        ended = json.loads(line)
        return [_outcome(*each) for each in zip(moves, folders, ended, strict=True)]

    def close(self) -> None:
        """End the process, and with it the last child."""
        self.tell.close()
        self.server.wait()
        self.answers.close()

    def _job(self, move: Move, folder: Path) -> dict[str, Any]:
        return {
            **asdict(move),
            "home": str(move.home),
            "folder": str(folder),
            "request": self.scenario.request,
            "attachments": [str(path.absolute()) for path in self.scenario.attachments],
            "storage_url": move.storage_url or self.scenario.storage_url,
        }

    def _write(self, value: Any) -> None:
        self.tell.write(json.dumps(value) + "\n")
        self.tell.flush()


@contextmanager
def processes(scenario: Scenario, folder: Path) -> Generator[Processes]:
    """Give what moves runs of the scenario, in homes below `folder`."""
    found = Processes(scenario, folder)
    try:
        yield found
    finally:
        found.close()


def _outcome(move: Move, folder: Path, code: int) -> Outcome:
    points = _text(folder / "points").splitlines()
    run_id = move.run_id or _text(folder / "run")
    reached = Outcome(points[-1] if points else "", len(points), code < 0, run_id, home=move.home)
    if code < 0:
        return reached
    if code > 0:
        message = f"A process of the scenario ended with {code}; its error is above."
        raise AssertionError(message)
    answer = json.loads((folder / "answer.json").read_text(encoding="utf-8"))
    run = Run.model_validate(answer["run"]) if "run" in answer else None
    return replace(
        reached,
        run_id=run.run_id if run else run_id,
        run=run,
        error=answer.get("error", ""),
        message=answer.get("message", ""),
        winner=answer.get("winner", {}),
        effects=tuple(EffectSeen(*each) for each in answer.get("effects", ())),
    )


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.exists() else ""
