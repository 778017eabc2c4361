"""The end of a visit: the members that speak in the answer, and the status."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from minerva_platform.answer.composer import composed_parts
from minerva_platform.answer.messages import Account
from minerva_platform.answer.repetition import repeats_unasked
from minerva_platform.contract.bounds import MAX_CITATIONS, bounded_shown, fair_share
from minerva_platform.contract.handoff import Handoffs
from minerva_platform.contract.result import REASON_ERRORS, Bypass, Reason, Result, TeamOutput
from minerva_platform.contract.task import Task
from minerva_platform.contract.values import Usage
from minerva_platform.conversation.follow_up import Understood
from minerva_platform.planning.next_move import Stop
from minerva_platform.planning.root_cause import began_at
from minerva_platform.planning.situation import Situation
from minerva_platform.planning.unused_words import quoted, unused_by_all
from minerva_platform.routing.shapes.shape import names_after
from minerva_platform.routing.shapes.workflow import Workflow
from minerva_platform.run_context.context import Meter
from minerva_platform.run_context.failures.error_info import reason_to_info
from minerva_platform.run_context.failures.failure_text import failure_text
from minerva_platform.runtime.attached_files import merged_files, named_files

if TYPE_CHECKING:
    from minerva_platform.contract.assembled_team import AssembledTeam

LIMIT_REASONS: Final[frozenset[Reason]] = frozenset(
    {"budget_model_calls", "budget_tokens", "deadline", "loop_limit"}
)
"""Limits that cut a visit short. They hold for every level above it, too."""

_UNDECIDED: Final[frozenset[Reason]] = frozenset({"bad_decision", "router_failed"})
"""Reasons of a visit whose router failed. If members had answered, nothing else tells of it."""


_SPEAKING: Final = frozenset({"goal", "audit", "substitute", "approval"})
_REJECTED: Final = REASON_ERRORS["rejected"]


def shown_of(team: "AssembledTeam", results: Sequence[Result]) -> list[Result]:
    """Return the results whose summaries form the answer of `team`, in hop order.

    In a network a member is silent once one to which it passed control has done its work, in a
    workflow once one after it has an answer. The others speak by `shown_results`.
    """
    if team.shape is not None:
        fine = [result for result in results if result.status == "ok"]
        spoken = [
            result
            for at, result in enumerate(fine)
            if result.summary and not _goes_on(result, fine[at + 1 :], team)
        ]
        results = spoken or [result for result in fine if result.summary][-1:]
    return shown_results(
        results,
        {name: agent.presents for name, agent in team.by_name.items()},
        {name: tuple(agent.flow.gives) for name, agent in team.by_name.items()},
    )


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


def shown_results(
    results: Sequence[Result],
    presents: Mapping[str, Sequence[str]],
    gives: Mapping[str, Sequence[str]],
) -> list[Result]:
    """Return the results whose summaries form the answer, in hop order.

    Members that were asked for, that audited others or that asked a person speak. A producer speaks
    only if no other member does. A member is left out if a later one presents all that it gave.
    """
    fine = [result for result in results if result.status == "ok" and result.summary]
    spoken = [result for result in fine if result.role in _SPEAKING]
    spoken = spoken or fine
    kept: list[Result] = []
    for index, result in enumerate(spoken):
        later = {kind for other in spoken[index + 1 :] for kind in presents.get(other.agent, ())}
        given = set(gives.get(result.agent, ()))
        if not (given and given <= later):
            kept.append(result)
    return kept


def exported(kinds: Iterable[str], here: Situation) -> Handoffs:
    """Return the hand-offs of `kinds` that may leave the team; a failed audit keeps its kind."""
    made_here = f"{here.path}/"
    found: Handoffs = {}
    for kind in kinds:
        made = [r for r in here.handoffs.get(kind, ()) if r["path"].startswith(made_here)]
        if made and _passed_its_audit(kind, here):
            found[kind] = made
    return found


def _passed_its_audit(kind: str, here: Situation) -> bool:
    auditor = here.members.audits.get(kind)
    if auditor is None:
        return True
    last = {result.agent: result for result in here.results}
    if auditor in last and last[auditor].status == "ok":
        return True
    instead = last.get(here.members.substitutes.get(auditor, ""))
    return instead is not None and (instead.status, instead.role) == ("ok", "substitute")


def conclude(
    results: Sequence[Result],
    *,
    summary: str,
    handoffs: Handoffs,
    stop: Stop,
    usage: Usage | None = None,
    bypassed: Sequence[Bypass] = (),
    lost: Mapping[str, str] | None = None,
) -> TeamOutput:
    """Return the output of a visit. `stop`, `usage` and `bypassed` are the supervisor's own.

    The visit failed if every call failed, or if something kept it from calling. Otherwise the
    output holds what there is.
    """
    fine = any(result.status == "ok" and not _only_passes(result) for result in results)
    failed = not fine and bool(results or stop.reason)
    if stop.reason is None:
        stop = _inner_stop(results, failed=failed)
    citations = fair_share([result.citations for result in results], MAX_CITATIONS)
    left_out = sum(len(result.citations) for result in results) - len(citations)
    spent = sum((result.usage for result in results), usage or Usage())
    return TeamOutput(
        status="failed" if failed else "ok",
        reason=stop.reason,
        summary=summary,
        error=stop.error,
        because_of=stop.because_of,
        lost=dict(lost or {}),
        citations=tuple(citations),
        artifacts=tuple(artifact for result in results for artifact in result.artifacts),
        handoffs=handoffs,
        hops=tuple(hop for result in results for hop in result.hops),
        bypassed=(*bypassed, *(entry for result in results for entry in result.bypassed)),
        usage=spent,
        cut=left_out + sum(result.cut for result in results),
    )


def _only_passes(result: Result) -> bool:
    """True if a member passed control on and says nothing itself."""
    return bool(result.transfers) and not result.summary


def with_speakers(output: TeamOutput, spoken: Sequence[Result]) -> TeamOutput:
    """Return `output` with who answered and what was shown. `spoken` make up its summary."""
    paths = tuple(path for item in spoken for path in item.answered_by or (item.path,))
    shown = bounded_shown(one for item in spoken for one in item.shown)
    return output.model_copy(update={"answered_by": paths, "shown": shown})


def with_unserved(output: TeamOutput, unserved: Sequence[str]) -> TeamOutput:
    """Return `output` with the parts of the request that no member serves.

    They degrade a visit that went well. The reason of a limit or a failure stays.
    """
    if not unserved:
        return output
    reason = output.reason or "partly_served"
    return output.model_copy(update={"unserved": tuple(unserved), "reason": reason})


def with_accounts(
    output: TeamOutput, results: Sequence[Result], *, across_teams: bool
) -> TeamOutput:
    """Return `output` with the account of the files and words that its members were given.

    `across_teams` says that the members are teams.
    """
    files, more_files = merged_files(results, across_teams=across_teams)
    unused = unused_by_all(results, across_teams=across_teams)
    update = {"files": files, "more_files": more_files, "unused": unused}
    return output.model_copy(update=update)


def with_members(result: Result, members: Sequence[Result]) -> Result:
    """Return a worker's result with what came of the members that its own code called.

    A limit of the run that kept it from a call is the reason why it stopped.
    """
    if not members:
        return result
    every = (result, *members)
    citations = fair_share([one.citations for one in every], MAX_CITATIONS)
    files, more_files = merged_files(every, across_teams=False)
    left_out = sum(len(one.citations) for one in every) - len(citations)
    update: dict[str, object] = {
        "hops": tuple(hop for one in every for hop in one.hops),
        "bypassed": tuple(entry for one in every for entry in one.bypassed),
        "usage": sum((one.usage for one in every), Usage()),
        "citations": tuple(citations),
        "artifacts": tuple(dict.fromkeys(item for one in every for item in one.artifacts)),
        "files": files,
        "more_files": more_files,
        "cut": left_out + sum(one.cut for one in every),
    }
    stopped = next((one for one in members if one.reason in LIMIT_REASONS), None)
    if stopped is not None and result.reason is None and result.error is None:
        update |= {"reason": stopped.reason, "error": stopped.error}
    return result.model_copy(update=update)


def paused_output(
    team: "AssembledTeam", task: Task, results: Sequence[Result], unserved: Sequence[str]
) -> TeamOutput:
    """Return the output of a visit so far, while some of its members wait for a person."""
    spoken = shown_of(team, results)
    meter = Meter()
    with meter.bound():
        summary = composed_parts(team, task, spoken)
    broken = meter.to_bypasses(team.name, task.language)
    output = conclude(results, summary=summary, handoffs={}, stop=Stop(), bypassed=broken)
    output = with_accounts(output, results, across_teams=team.leads_teams)
    unstopped = {"status": "ok", "reason": None, "error": None, "because_of": None}
    update = {**unstopped, "unserved": tuple(unserved)}
    return output.model_copy(update=update)


def _inner_stop(results: Sequence[Result], *, failed: bool) -> Stop:
    """Return why members below stopped, if that explains how this visit ended."""
    told = [
        result
        for result in results
        if result.reason in LIMIT_REASONS or (result.reason in _UNDECIDED and result.status == "ok")
    ]
    if failed:
        told += [result for result in results if result.reason]
        told += [result for result in results if result.error]
    if not told:
        return Stop()
    first = told[0]
    reason = first.reason or "all_failed"
    if reason in {"all_failed", "rejected"}:
        reason = "rejected" if _were_rejected(results) else "all_failed"
    said = first.error.short_text if first.error else ""
    where = first.error.where if first.error else None
    korean = failure_text(first.error, "ko") if first.error else ""
    info = reason_to_info(reason, said, korean=korean, where=where)
    return Stop(reason, info, began_at(first))


def _were_rejected(results: Sequence[Result]) -> bool:
    """True if a person's rejection is all that went wrong, apart from what follows from it."""
    own = [item for item in results if f"{began_at(item)}/".startswith(f"{item.path}/")]
    return bool(own) and all(item.error and item.error.type == _REJECTED for item in own)


def account(task: Task, said: Understood, output: TeamOutput, *, is_over: bool) -> Account:
    """Return the account of `task`, as it was understood in `said`.

    A file from an earlier turn is named only if a member was given it. While the run waits for a
    person (`is_over` is false), a file may still be used.
    """
    if said.instead is not None:
        return Account()
    came = is_over and bool(task.attachments)
    files, more = named_files(output, said.task.attachments, said.task.language, is_over=came)
    answered = output.unused if output.status == "ok" else None
    unused = quoted(answered or (), task.request, unserved=output.unserved)
    repeats = repeats_unasked(task.request, output, said.latest)
    return Account(files, more, unused, repeats)
