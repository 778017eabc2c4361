"""One visit of a supervisor: its state, and how a visit is concluded.

The state holds small JSON only: what a checkpoint keeps must not grow with the payloads, and
typed objects in graph channels come back from a checkpoint as dicts.
"""

import operator
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict

from minerva_platform.contract import (
    ErrorInfo,
    HandoffRecord,
    Handoffs,
    Reason,
    Result,
    Task,
    TeamOutput,
    Usage,
)
from minerva_platform.itinerary import Wave


def add_handoffs(held: Handoffs, given: Handoffs) -> Handoffs:
    """Reduce a channel of hand-offs: per kind, later ones after earlier ones."""
    merged = dict(held)
    for kind, records in given.items():
        merged[kind] = [*merged.get(kind, ()), *records]
    return merged


class SupervisorState(TypedDict, total=False):
    """The private state of a supervisor. No member ever sees it."""

    task: dict[str, Any]
    handoffs: Annotated[Handoffs, add_handoffs]
    results: Annotated[list[dict[str, Any]], operator.add]
    waves: list[list[dict[str, Any]]]
    running: list[dict[str, Any]]
    plan_is_final: bool
    hops: int
    routing_calls: int
    visits: dict[str, int]
    digests: dict[str, str]
    outcome: dict[str, Any]


class MemberState(TypedDict):
    """What a supervisor sends to one call of a member."""

    assignment: dict[str, Any]
    task: dict[str, Any]
    path: str


def shown_results(
    results: Sequence[Result],
    presents: Mapping[str, Sequence[str]],
    gives: Mapping[str, Sequence[str]],
) -> list[Result]:
    """Return the results whose summaries make the answer, in hop order.

    Members that were asked for (or closed the visit) speak; a producer speaks only if nobody
    else does. A member is left out when a later one presents all that it gave.
    """
    fine = [result for result in results if result.status == "ok" and result.summary]
    spoken = [result for result in fine if result.role in {"goal", "check", "substitute"}]
    spoken = spoken or fine
    kept: list[Result] = []
    for index, result in enumerate(spoken):
        later = {kind for other in spoken[index + 1 :] for kind in presents.get(other.agent, ())}
        given = set(gives.get(result.agent, ()))
        if not (given and given <= later):
            kept.append(result)
    return kept


def conclude(
    results: Sequence[Result],
    *,
    summary: str,
    handoffs: Handoffs,
    reason: Reason | None,
    error: ErrorInfo | None = None,
    routing_calls: int = 0,
) -> TeamOutput:
    """Put the end of a visit together: failed if nothing went well, else what there is."""
    fine = any(result.status == "ok" for result in results)
    inner = next((result.reason for result in results if result.reason), None)
    failed = error is not None or (bool(results) and not fine)
    if failed and error is None:
        error = next((result.error for result in results if result.error), None)
    usage = Usage(routing_calls=routing_calls)
    for result in results:
        usage += result.usage
    return TeamOutput(
        status="failed" if failed and not fine else "ok",
        reason=reason or inner or ("all_failed" if failed else None),
        summary=summary,
        error=error,
        citations=tuple(citation for result in results for citation in result.citations),
        artifacts=tuple(artifact for result in results for artifact in result.artifacts),
        handoffs=handoffs,
        hops=tuple(hop for result in results for hop in result.hops),
        bypassed=tuple(entry for result in results for entry in result.bypassed),
        usage=usage,
    )


def waves_to_state(waves: Sequence[Wave]) -> list[list[dict[str, Any]]]:
    """Return waves as JSON for the state."""
    return [[assignment.model_dump(mode="json") for assignment in wave] for wave in waves]


__all__ = [
    "HandoffRecord",
    "MemberState",
    "SupervisorState",
    "Task",
    "add_handoffs",
    "conclude",
    "shown_results",
    "waves_to_state",
]
