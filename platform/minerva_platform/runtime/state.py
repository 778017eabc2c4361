"""The state of a supervisor's graph, and what it sends to its members.

It holds small JSON only: what a checkpoint keeps must not grow with the payloads, and typed
objects in graph channels come back from a checkpoint as dicts.
"""

import operator
from typing import Annotated, Any, Required, TypedDict

from minerva_platform.contract.handoff import Handoffs
from minerva_platform.contract.result import Role
from minerva_platform.contract.task import Task


def add_handoffs(held: Handoffs, given: Handoffs) -> Handoffs:
    """Reduce a channel of hand-offs: per kind, later ones after earlier ones."""
    merged = dict(held)
    for kind, records in given.items():
        merged[kind] = [*merged.get(kind, ()), *records]
    return merged


class SupervisorState(TypedDict, total=False):
    """The private state of a supervisor. No member ever sees it."""

    task: Required[dict[str, Any]]
    handoffs: Annotated[Handoffs, add_handoffs]
    results: Annotated[list[dict[str, Any]], operator.add]
    progress: dict[str, Any]
    """A `Progress`. One channel, because each channel a step writes is a row more."""
    outcome: dict[str, Any]


class MemberState(TypedDict):
    """What a supervisor sends to one call of a member."""

    task: dict[str, Any]
    path: str
    role: Role


def first_state(task: Task) -> dict[str, Any]:
    """Return the state in which a visit begins, whatever an earlier turn of the thread left."""
    from langgraph.types import Overwrite  # noqa: PLC0415  # langgraph is heavy

    return {
        "task": task.model_dump(mode="json", exclude={"handoffs"}),
        "handoffs": Overwrite(task.handoffs),
        "results": Overwrite([]),
        "progress": {},
        "outcome": {},
    }
