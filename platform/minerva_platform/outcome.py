"""How a visit is concluded: which members speak in the answer, and how it all ended."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from minerva_platform.contract import (
    Bypass,
    ErrorInfo,
    Handoffs,
    Reason,
    Result,
    Task,
    TeamOutput,
    Usage,
)

if TYPE_CHECKING:
    from minerva_platform.team import Team

LIMIT_REASONS: Final[frozenset[Reason]] = frozenset(
    {"budget_model_calls", "budget_tokens", "deadline", "loop_limit"}
)
"""Reasons of a visit that was cut short; they hold for everything above it, too."""


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
    usage: Usage | None = None,
    bypassed: Sequence[Bypass] = (),
) -> TeamOutput:
    """Put the end of a visit together; `usage` and `bypassed` are the supervisor's own.

    It failed if nothing went well although something was tried, or something kept it from
    trying; else there is what there is.
    """
    fine = any(result.status == "ok" for result in results)
    failed = not fine and bool(results or error or reason)
    if error is None and failed:
        error = next((result.error for result in results if result.error), None)
    spent = sum((result.usage for result in results), usage or Usage())
    return TeamOutput(
        status="failed" if failed else "ok",
        reason=reason or _inner_reason(results, failed=failed),
        summary=summary,
        error=error,
        citations=tuple(citation for result in results for citation in result.citations),
        artifacts=tuple(artifact for result in results for artifact in result.artifacts),
        handoffs=handoffs,
        hops=tuple(hop for result in results for hop in result.hops),
        bypassed=(*bypassed, *(entry for result in results for entry in result.bypassed)),
        usage=spent,
    )


def with_unserved(output: TeamOutput, unserved: Sequence[str]) -> TeamOutput:
    """Return `output` with the parts of the request that nobody serves.

    They degrade a visit that went well; a limit's or a failure's reason stays.
    """
    if not unserved:
        return output
    reason = output.reason or "partly_served"
    return output.model_copy(update={"unserved": tuple(unserved), "reason": reason})


def paused_output(
    team: "Team", task: Task, results: Sequence[Result], unserved: Sequence[str]
) -> TeamOutput:
    """Return what a visit has so far, while some of its members wait for a person."""
    fine = [result for result in results if result.status == "ok" and result.summary]
    output = conclude(results, summary=team.finish(task, fine), handoffs={}, reason=None)
    update = {"status": "ok", "reason": None, "error": None, "unserved": tuple(unserved)}
    return output.model_copy(update=update)


def _inner_reason(results: Sequence[Result], *, failed: bool) -> Reason | None:
    """Return why members below stopped, as far as it tells how this visit ended."""
    inner: list[Reason] = [result.reason for result in results if result.reason]
    for reason in inner:
        if failed or reason in LIMIT_REASONS:
            return reason
    return "all_failed" if failed else None
