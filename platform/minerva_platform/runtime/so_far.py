"""What a run has done so far, while some of its members wait for a person."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from minerva_platform.calls.context import current_run
from minerva_platform.contract.handoff import Handoffs
from minerva_platform.contract.result import Result, TeamOutput
from minerva_platform.contract.task import Task
from minerva_platform.planning.situation import Roster, Situation
from minerva_platform.runtime.outcome import exported, paused_output, with_members
from minerva_platform.runtime.state import MEMBER_RESULTS, add_handoffs

if TYPE_CHECKING:
    from langgraph.types import Interrupt, PregelTask

    from minerva_platform.contract.team import Team


def output_so_far(
    team: "Team",
    task: Task,
    values: Mapping[str, Any],
    tasks: "Sequence[PregelTask]",
    path: str | None = None,
) -> TeamOutput:
    """Return the output of a visit so far, from the state of its graph and its open `tasks`.

    A team that waits itself is one of the results, with what its own members have done.
    """
    here = path or team.name
    results = [Result.model_validate(item) for item in values.get("results", ())]
    handoffs: Handoffs = values.get("handoffs", {})
    there = {result.path for result in results}
    for call in tasks:
        made: Any = call.result or {}
        ended = [Result.model_validate(item) for item in made.get("results", ())]
        if ended and there.isdisjoint(result.path for result in ended):
            results += ended  # beside those that wait, and no part of the state yet
            handoffs = add_handoffs(handoffs, made.get("handoffs", {}))
        elif not ended:
            results += _of_waiting(team, call, f"{here}/{call.name}")
    unserved = values.get("progress", {}).get("unserved", ())
    output = paused_output(team, task, results, unserved)
    situation = Situation(
        path=here,
        members=Roster.of(team),
        task=task,
        handoffs=handoffs,
        results=tuple(results),
    )
    return output.model_copy(update={"handoffs": exported(team.export_kinds, situation)})


def in_order_of_calls(
    asked: "Sequence[Interrupt[Any]]", tasks: "Sequence[PregelTask]"
) -> "tuple[Interrupt[Any], ...]":
    """Return questions in the order of the calls that ask, which their open `tasks` tell.

    LangGraph gives them in the order in which they were asked, which is another one each time.
    """
    places: dict[str, int] = {}
    for number, leaf in enumerate(_leaves(tasks)):
        for question in leaf.interrupts:
            places.setdefault(question.id, number)
    paths = current_run().questions.paths

    def place(question: "Interrupt[Any]") -> tuple[int, list[tuple[str, int]]]:
        return places.get(question.id, len(places)), _by_number(paths.get(question.id, ""))

    return tuple(sorted(asked, key=place))


def _leaves(tasks: "Sequence[PregelTask]") -> "Iterator[PregelTask]":
    """Yield the tasks, each after those of its own graph."""
    for task in tasks:
        inner: Any = task.state
        yield from _leaves(getattr(inner, "tasks", ()))
        yield task


def _by_number(path: str) -> list[tuple[str, int]]:
    """Return what sorts a path such that `pay#2` comes before `pay#10`."""
    parts = (part.partition("#") for part in path.split("/"))
    return [(name, int(number or 1)) for name, _, number in parts]


def _of_waiting(team: "Team", call: "PregelTask", path: str) -> list[Result]:
    """Return what the members of a waiting team, or worker, have done, as a result of its own."""
    member: Any = team.by_name.get(call.name)
    inner: Any = call.state
    if member is None or not hasattr(inner, "tasks"):
        return []
    if not member.is_team:
        kept = inner.values.get(MEMBER_RESULTS) or ()
        called = [Result.model_validate(item["result"]) for item in kept]
        own = Result(agent=member.name, path=path, status="ok")
        return [with_members(own, called)] if called else []
    task = Task.model_validate(inner.values["task"])
    output = output_so_far(member, task, inner.values, inner.tasks, path)
    if not output.hops:
        return []
    told = {name: getattr(output, name) for name in _TOLD}
    return [Result(agent=member.name, path=path, status="ok", **told)]


_TOLD = ("summary", "citations", "artifacts", "usage", "hops", "bypassed", "cut")
