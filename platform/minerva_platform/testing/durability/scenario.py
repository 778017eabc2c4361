"""What is to be survived: a team, a request, and what a person decides on the way."""

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from minerva_platform.contract.run_object import Interrupt, Run
from minerva_platform.contract.team import Team
from minerva_platform.errors import ContractError

Decisions: TypeAlias = Mapping[str, Any] | str
"""A decision: its JSON, or `approve` or `reject` alone."""


def approve(question: Interrupt) -> Decisions:
    """Approve, whatever is asked."""
    del question
    return "approve"


def _what_a_person_sees(run: Run) -> object:
    hops = sorted({(hop.path, hop.status) for hop in run.hops})
    # its first paragraph tells the effects, which are compared by themselves, in no order
    answer = run.answer.partition("\n\n")[2] if run.effects else run.answer
    return {"status": run.status, "answer": answer, "hops": hops}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A run to be repeated, each time in processes of its own and a home of its own.

    The processes have their home as MINERVA_HOME and as the current folder. What a team does to
    the world for a test, a file of payments for example, belongs there.
    """

    team: Callable[[], Team]
    """A function or a class at the top of a module, because other processes must find it."""
    request: str
    attachments: Sequence[Path] = ()
    """Files and folders that come with the request."""
    decide: Callable[[Interrupt], Decisions] = approve
    """What a person decides about a question."""
    same: Callable[[Run], object] = _what_a_person_sees
    """What of a run must be equal however often it was killed. By default its status, its hops and
    its answer without the paragraph of effects, which may have another order. Give another function
    if a model words the answer."""
    storage_url: str | None = field(default=None, repr=False)
    """Of a Postgres database; None means SQLite in the home of each repetition."""

    def __post_init__(self) -> None:
        name = getattr(self.team, "__qualname__", "")
        if not name.isidentifier() or not hasattr(sys.modules[self.team.__module__], name):
            message = (
                f"The processes of `Scenario(team=…)` cannot find `{name}`: give a function or a"
                " class at the top of a module."
            )
            raise ContractError(message)

    def where(self) -> dict[str, Any]:
        """Return where another process finds the team."""
        return {
            "path": sys.path,
            "file": inspect.getsourcefile(self.team),
            "module": self.team.__module__,
            "name": self.team.__qualname__,
        }


@dataclass(frozen=True, slots=True)
class EffectSeen:
    """An effect as the ledger has it at the end of a run."""

    path: str
    name: str
    kind: str
    state: str
    """`begun`, `done`, `failed` or `unknown`."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a process that moved a run said at its end."""

    at: str
    """The last point that it came to: `the end of platform/pay/payer`."""
    points: int
    """The number of points that it came to."""
    was_killed: bool
    run_id: str = ""
    run: Run | None = None
    error: str = ""
    """The class of the error that ended it, if one did."""
    message: str = ""
    winner: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Whose decision counted, if this one came too late."""
    effects: tuple[EffectSeen, ...] = ()
    home: Path = Path()

    def its_run(self) -> Run:
        """Return the run.

        Raises:
            AssertionError: the process ended with an error, or was killed.
        """
        if self.run is None:
            what = f"{self.error}: {self.message}" if self.error else "its process was killed"
            message = f"The run did not end, at {self.at or 'its start'}: {what}"
            raise AssertionError(message)
        return self.run
