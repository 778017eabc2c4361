"""The progress of a supervisor with a task: the rest of the plan, and the calls made."""

from collections.abc import Iterable

from pydantic import AliasChoices, Field

from minerva_platform.contract.result import Bypass, Result
from minerva_platform.contract.router import Round
from minerva_platform.contract.values import Frozen, Usage
from minerva_platform.planning.planner import Stage
from minerva_platform.planning.situation import Situation


class Progress(Frozen):
    """A value that a supervisor reads and writes once a step, as JSON in its graph's state.

    The next one is a copy with changes (`model_copy`).
    """

    stages: tuple[Stage, ...] = Field(default=(), validation_alias=AliasChoices("stages", "waves"))
    """The rest of the plan. Checkpoints of earlier versions call it `waves`."""
    running: Stage = ()
    """The calls whose results come next. Empty after the results were read."""
    plan_is_final: bool = False
    """True if the router is not asked again when the plan is done."""
    may_review: bool = False
    """True if the router is asked again when a member of a final plan fails."""
    bypassed: tuple[Bypass, ...] = ()
    unserved: tuple[str, ...] = ()
    usage: Usage = Usage()
    """The supervisor's own usage. Each result holds its member's."""
    hops: int = 0
    """Calls that count as a step of a loop."""
    calls: dict[str, int] = Field(
        default_factory=dict[str, int], validation_alias=AliasChoices("calls", "visits")
    )
    """How often each member was called or skipped. The next path follows from it. Checkpoints of
    earlier versions call it `visits`."""
    digests: dict[str, str] = Field(default_factory=dict[str, str])
    """What each call asked (`Situation.digest`), by the last part of its path: `data#2`."""
    rounds: tuple[Round, ...] = ()
    """The decisions so far, of a router that reads results."""
    answer: str = ""
    """The supervisor's own words at the end, if its router has given any."""
    given_up: dict[str, str] = Field(default_factory=dict[str, str], exclude=True)
    """Members that this step will skip, because their router never comes to them; each with the
    path of the failure behind it."""
    skips: tuple[Result, ...] = Field(default=(), exclude=True)
    """Calls of this step that could not start. The step writes them to the results."""

    def spending(self, usage: Usage) -> "Progress":
        """Return the progress with `usage` added to the supervisor's own."""
        return self.model_copy(update={"usage": self.usage + usage})

    def paths_to(
        self, members: Iterable[str], here: Situation
    ) -> tuple[tuple[str, ...], dict[str, int]]:
        """Return the path of the next call of each member, and `calls` with these calls counted."""
        calls, paths = dict(self.calls), list[str]()
        for member in members:
            calls[member] = count = calls.get(member, 0) + 1
            path = f"{here.path}/{member}"
            paths.append(path if count == 1 else f"{path}#{count}")
        return tuple(paths), calls
