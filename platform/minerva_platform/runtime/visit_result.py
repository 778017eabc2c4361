"""The end of a visit: the members that speak in the answer, and the status."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from minerva_platform.answer.composer import composed_parts
from minerva_platform.contract.bounds import MAX_CITATIONS, bounded_shown, fair_share
from minerva_platform.contract.handoff import Handoffs
from minerva_platform.contract.result import (
    LIMIT_REASONS,
    REASON_ERRORS,
    ROUTER_REASONS,
    Bypass,
    ErrorInfo,
    Result,
    TeamOutput,
)
from minerva_platform.contract.task import Task
from minerva_platform.contract.values import Usage
from minerva_platform.planning.next_move import Stop
from minerva_platform.planning.request_words import unused_by_all
from minerva_platform.planning.root_cause import began_at
from minerva_platform.planning.situation import Situation, is_presented
from minerva_platform.routing.shapes.shape import names_after
from minerva_platform.routing.shapes.workflow import Workflow
from minerva_platform.run_context.context import Meter
from minerva_platform.run_context.failures.error_info import info_to_reason_info
from minerva_platform.runtime.attached_files import merged_files

if TYPE_CHECKING:
    from minerva_platform.contract.assembled_team import AssembledTeam

_SPEAKING: Final = frozenset({"goal", "audit", "substitute", "approval"})
_REJECTED: Final = REASON_ERRORS["rejected"]


def speakers_of(team: "AssembledTeam", results: Sequence[Result]) -> list[Result]:
    """Return the results whose summaries form the answer of `team`, in hop order.

    In a network a member is silent once one to which it passed control has done its work, in a
    workflow once one after it has an answer. Of the others, members that were asked for, that
    audited others or that asked a person speak, and a producer only if no other member does. A
    member is left out if a later one presents all that it gave, or if it says the same once more.
    """
    fine = [result for result in results if result.status == "ok"]
    answers = [result for result in fine if result.summary]
    if team.shape is not None:
        last = [
            result
            for at, result in enumerate(fine)
            if result.summary and not _goes_on(result, fine[at + 1 :], team)
        ]
        answers = last or answers[-1:]
    answers = [result for result in answers if result.role in _SPEAKING] or answers
    presents = {name: agent.presents for name, agent in team.by_name.items()}
    gives = {name: agent.flow.gives.keys() for name, agent in team.by_name.items()}
    return [
        result
        for at, result in enumerate(answers, start=1)
        if not is_presented(gives.get(result.agent, ()), answers[at:], presents)
        and all((one.agent, one.summary) != (result.agent, result.summary) for one in answers[at:])
    ]


def _goes_on(result: Result, later: Sequence[Result], team: "AssembledTeam") -> bool:
    """True if later results carry on from a member's.

    A substitute stands where the member stands for which it was called.
    """
    if not isinstance(team.shape, Workflow):
        return any(
            other.given_words == one.request
            and (other.agent == one.to or other.role == "substitute")
            for one in result.transfers
            for other in later
        )
    instead = {other: name for name, other in team.substitutes.items()}
    place = instead.get(result.agent) if result.role == "substitute" else result.agent
    after = names_after(team.shape.edges, (place or result.agent,))
    return any(other.agent in after for other in later if other.summary)


def exports_of(kinds: Iterable[str], here: Situation) -> Handoffs:
    """Return the hand-offs of `kinds` that may leave the team; a failed audit keeps its kind."""
    inside = f"{here.path}/"
    exports: Handoffs = {}
    for kind in kinds:
        records = [r for r in here.handoffs.get(kind, ()) if r["path"].startswith(inside)]
        if records and _passed_its_audit(kind, here):
            exports[kind] = records
    return exports


def _passed_its_audit(kind: str, here: Situation) -> bool:
    auditor = here.members.audits.get(kind)
    if auditor is None:
        return True
    last = {result.agent: result for result in here.results}
    if auditor in last and last[auditor].status == "ok":
        return True
    instead = last.get(here.members.substitutes.get(auditor, ""))
    return instead is not None and (instead.status, instead.role) == ("ok", "substitute")


def conclude(  # noqa: PLR0913  # each says one thing about the visit
    results: Sequence[Result],
    *,
    summary: str,
    handoffs: Handoffs,
    stop: Stop,
    speakers: Sequence[Result] = (),
    unserved: Sequence[str] = (),
    usage: Usage | None = None,
    bypassed: Sequence[Bypass] = (),
    lost: Mapping[str, str] | None = None,
    across_teams: bool = False,
) -> TeamOutput:
    """Return the output of a visit. `stop`, `usage` and `bypassed` are the supervisor's own.

    The visit failed if every call failed or only passed control on, or if something kept it from
    calling. Otherwise the
    output holds what there is. `speakers` make up its summary. Parts that are `unserved` degrade a
    visit that went well; the reason of a limit or a failure stays. `across_teams` says that the
    members are teams.
    """
    fine = any(
        result.status == "ok" and (result.summary or not result.transfers) for result in results
    )
    failed = not fine and bool(results or stop.reason)
    if stop.reason is None:
        stop = _inner_stop(results, has_failed=failed)
    fields = _together(results, across_teams=across_teams)
    fields["usage"] += usage or Usage()
    fields["bypassed"] = (*bypassed, *fields["bypassed"])
    return TeamOutput(
        status="failed" if failed else "ok",
        reason=stop.reason or ("partly_served" if unserved else None),
        summary=summary,
        error=stop.error,
        because_of=stop.because_of,
        lost=dict(lost or {}),
        handoffs=handoffs,
        unserved=tuple(unserved),
        unused=unused_by_all(results, across_teams=across_teams),
        answered_by=tuple(path for each in speakers for path in each.answered_by or (each.path,)),
        shown=bounded_shown(one for each in speakers for one in each.shown),
        **fields,
    )


def _together(results: Sequence[Result], *, across_teams: bool) -> dict[str, Any]:
    """Return what `results` add up to, as fields of what holds them."""
    citations = fair_share([result.citations for result in results], MAX_CITATIONS)
    files, more_files = merged_files(results, across_teams=across_teams)
    left_out = sum(len(result.citations) for result in results) - len(citations)
    return {
        "hops": tuple(hop for result in results for hop in result.hops),
        "bypassed": tuple(entry for result in results for entry in result.bypassed),
        "usage": sum((result.usage for result in results), Usage()),
        "citations": tuple(citations),
        "artifacts": tuple(artifact for result in results for artifact in result.artifacts),
        "files": files,
        "more_files": more_files,
        "cut": left_out + sum(result.cut for result in results),
    }


def with_members(result: Result, members: Sequence[Result]) -> Result:
    """Return a worker's result with what came of the members that its own code called.

    A limit of the run that kept it from a call is the reason why it stopped.
    """
    if not members:
        return result
    update = _together((result, *members), across_teams=False)
    update["artifacts"] = tuple(dict.fromkeys(update["artifacts"]))
    stopped = next((one for one in members if one.reason in LIMIT_REASONS), None)
    if stopped is not None and result.reason is None and result.error is None:
        update |= {"reason": stopped.reason, "error": stopped.error}
    return result.model_copy(update=update)


def paused_output(
    team: "AssembledTeam", task: Task, results: Sequence[Result], unserved: Sequence[str]
) -> TeamOutput:
    """Return the output of a visit so far, while some of its members wait for a person."""
    meter = Meter()
    with meter.bound():
        summary = composed_parts(team, task, speakers_of(team, results))
    bypassed = meter.to_bypasses(team.name, task.language)
    output = conclude(
        results,
        summary=summary,
        handoffs={},
        stop=Stop(),
        unserved=unserved,
        bypassed=bypassed,
        across_teams=team.leads_teams,
    )
    unstopped = {"status": "ok", "reason": None, "error": None, "because_of": None}
    return output.model_copy(update=unstopped)


def _inner_stop(results: Sequence[Result], *, has_failed: bool) -> Stop:
    """Return why members below stopped, if that explains how this visit ended."""
    causes = [
        result
        for result in results
        if result.reason in LIMIT_REASONS
        or (result.reason in ROUTER_REASONS and result.status == "ok")
    ]
    if has_failed:
        causes += [result for result in results if result.reason]
        causes += [result for result in results if result.error]
    if not causes:
        return Stop()
    first = causes[0]
    reason = first.reason or "all_failed"
    if reason in {"all_failed", "rejected"}:
        reason = "rejected" if _were_rejected(results) else "all_failed"
    error = first.error
    info = ErrorInfo.of(reason, "") if error is None else info_to_reason_info(reason, error)
    return Stop(reason, info, began_at(first))


def _were_rejected(results: Sequence[Result]) -> bool:
    """True if a person's rejection is all that went wrong, apart from what follows from it."""
    own = [item for item in results if f"{began_at(item)}/".startswith(f"{item.path}/")]
    return bool(own) and all(item.error and item.error.type == _REJECTED for item in own)
