"""The state of a supervisor's graph, and the state that it sends to its members.

It holds small JSON only. A checkpoint must not grow with the payloads, and typed objects in graph
channels return from a checkpoint as dicts.
"""

import operator
from typing import Annotated, Any, Final, Required, TypedDict

from minerva_platform.contract.handoff import Handoffs
from minerva_platform.contract.result import Role
from minerva_platform.contract.task import Task

MEMBER_RESULTS: Final = "member_results"
"""The channel of an agent's state in which `Members` keeps what came of its calls."""


def add_handoffs(earlier: Handoffs, later: Handoffs) -> Handoffs:
    """Return both sets of hand-offs, merged by kind: earlier ones before later ones."""
    merged = dict(earlier)
    for kind, records in later.items():
        merged[kind] = [*merged.get(kind, ()), *records]
    return merged


class SupervisorState(TypedDict, total=False):
    """The private state of a supervisor. Members never see it."""

    task: Required[dict[str, Any]]
    handoffs: Annotated[Handoffs, add_handoffs]
    results: Annotated[list[dict[str, Any]], operator.add]
    progress: dict[str, Any]
    """A `Progress`. It is one channel, because each channel that a step writes costs a row."""
    outcome: dict[str, Any]


class MemberState(TypedDict):
    """The state that a supervisor sends to one call of a member."""

    task: dict[str, Any]
    path: str
    role: Role


def first_state(task: Task) -> dict[str, Any]:
    """Return the state in which a visit begins. It resets what an earlier turn left."""
    from langgraph.types import Overwrite  # noqa: PLC0415  # langgraph is heavy

    return {
        "task": task.model_dump(mode="json", exclude={"handoffs"}),
        "handoffs": Overwrite(task.handoffs),
        "results": Overwrite([]),
        "progress": {},
        "outcome": {},
    }
