"""The next move of a supervisor, as a pure function: ask the router, call, skip or finish.

    next_move(progress, here, budget) -> Ask | Skip | Call | Finish
    follow(progress, decision, here) -> Progress

The functions know no graph, no clock and no run. All they need is passed, so the same input gives
the same move. A supervisor carries the moves out; `minerva explain` only shows them.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol

from minerva_platform.contract.result import Bypass, ErrorInfo, Reason, Result
from minerva_platform.contract.router import Decision, Round
from minerva_platform.contract.run_object import NOT_IMPORTED
from minerva_platform.contract.values import has_happened
from minerva_platform.errors import HandoffMisfitError
from minerva_platform.planning.planner import Assignment, AtEnd, Stage, derive_stages
from minerva_platform.planning.progress import Progress
from minerva_platform.planning.request_words import still_unserved
from minerva_platform.planning.root_cause import began_at
from minerva_platform.planning.situation import Situation, is_presented
from minerva_platform.run_context.failures.failure_text import to_bypass
from minerva_platform.text.markdown import code_span
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.planning", "next_move")

UNCOUNTED_ROLES: Final = frozenset({"preparation", "substitute", "approval"})
"""Roles of calls that a router cannot cause by asking again. They cannot form a loop."""


_NOBODY: Final[tuple[str, Reason]] = ("no_member", "no_route")
_INSTEAD: Final[tuple[str, Reason]] = ("no_member_instead", "router_failed")


class _Budget(Protocol):
    """What is left of a run's budget: the seconds and the calls, and which limit is reached."""

    @property
    def seconds(self) -> float: ...
    @property
    def hops(self) -> int: ...
    def limit_for(self, *, next_hops: int) -> Reason | None: ...
    def error_at(self, reason: Reason) -> ErrorInfo: ...


class Stop(NamedTuple):
    """Why a visit ended otherwise than by FINISH: reason, error, and the path of its cause.

    `given_up` are members that are never called for it, each with the path of the failure behind.
    """

    reason: Reason | None = None
    error: ErrorInfo | None = None
    because_of: str | None = None
    given_up: Mapping[str, str] = MappingProxyType({})


Cause = Callable[[Assignment, Sequence[Result]], Stop]
"""Says why a call is not made, from the skips before it."""


class NextCall(NamedTuple):
    """One call to make, with its path."""

    assignment: Assignment
    path: str


class Ask(NamedTuple):
    """Ask the router for the next goals."""

    progress: Progress


class Skip(NamedTuple):
    """Skip calls: for want of a hand-off or a hop, or because a declared order ends before them."""

    progress: Progress
    results: tuple[Result, ...]


class Call(NamedTuple):
    """Make calls side by side. `progress` counts them as made."""

    progress: Progress
    calls: tuple[NextCall, ...]


class Finish(NamedTuple):
    """End the visit with the results so far."""

    progress: Progress
    stop: Stop


Move = Ask | Skip | Call | Finish


def next_move(progress: Progress, here: Situation, budget: _Budget) -> Move:
    """Return the next move. It holds the progress that applies after it.

    The substitute of a failed member comes first, then the plan, then the router's next answer.
    `budget` is what is left of the whole run's.
    """
    if progress.running:
        latest = here.results[-len(progress.running) :]
        late = next((result for result in latest if result.status == "timeout"), None)
        if late and budget.seconds <= 0:
            return Finish(progress, _at_limit("deadline", here, budget, because_of=began_at(late)))
        progress = _reviewed(progress, here, latest)
        unmade = _unmade(progress, here, budget)
        if unmade is not None:
            return unmade
    if progress.given_up:
        return skip_given_up(progress, progress.given_up, here)
    if progress.stages:
        return _next_stage(progress, here, budget)
    if progress.plan_is_final:
        return Finish(progress, _stop_of_plan(progress, here))
    return _ask(progress, here, budget)


def _ask(progress: Progress, here: Situation, budget: _Budget) -> Ask | Finish:
    """Return the question to the router, unless a limit or its rounds are up."""
    if budget.seconds <= 0:
        return Finish(progress, _at_limit("deadline", here, budget))
    # without a model call left, the embedded router would lead from here, which knows no answers
    spent = budget.limit_for(next_hops=0) if here.traits.reads_results and here.results else None
    if spent is not None:
        return Finish(progress, _at_limit(spent, here, budget))
    # members that cannot start cost no hop, so a router could ask for them for ever
    most, asked = here.traits.max_rounds, progress.usage.routing_calls
    if most is None and asked > len(here.members.flows) + 1:
        return Finish(progress, _loop(here, "repeating"))
    if most is not None and asked >= most:
        return Finish(progress, _loop(here, "rounds", rounds=most))
    return Ask(progress)


def follow(progress: Progress, decision: Decision, here: Situation) -> Progress:
    """Return the progress with the plan for `decision`. A plan without calls is over.

    `bypassed` holds the hand-offs that the plan loses, the work of absent teams, and why another
    router answered.
    """
    stages: tuple[Stage, ...] = ()
    if decision.goals or decision.finish:
        stages = _stages(decision, here, is_final=decision.finish)
    if decision.goals and not stages:  # only people are to be asked, who are asked at the end
        stages = _stages(decision, here, is_final=True)
    fallback: tuple[Bypass, ...] = ()
    if decision.fallback:
        kind, _, text = decision.fallback.partition(": ")
        info = ErrorInfo(type=kind, message=text, is_sentence=True)
        # one that leads by what it reads has answers so far, and would perhaps have wanted more
        is_whole = bool(decision.goals or (here.results and not here.traits.reads_results))
        entry = to_bypass(here.path, info, here.task.language, "substituted", is_whole=is_whole)
        fallback = (entry,)
    known = tuple(dict.fromkeys((*progress.bypassed, *fallback, *absent_in(decision, here))))
    update: dict[str, object] = {
        "stages": stages,
        "plan_is_final": decision.finish or _only_asks(stages),
        "may_review": decision.review,
        "unserved": still_unserved(progress.unserved, decision, here.task.request),
        "bypassed": known,
        "answer": "" if decision.goals else decision.answer,
        "given_up": decision.given_up,
    }
    if here.traits.reads_results:
        calls = sum(item.role == "goal" for stage in stages for item in stage)
        update["rounds"] = (*progress.rounds, Round(note=decision.note, calls=calls))
    followed = progress.model_copy(update=update)
    lost = [entry for entry in lost_in_plan(followed, here) if entry not in known]
    return followed.model_copy(update={"bypassed": (*known, *lost)}) if lost else followed


def _stages(decision: Decision, here: Situation, *, is_final: bool) -> tuple[Stage, ...]:
    called = tuple(result.agent for result in here.results if result.role != "approval")
    return derive_stages(
        decision.goals,
        flows=here.members.flows,
        audits=here.members.audits,
        task=here.task,
        available=here.handoffs,
        at_end=AtEnd(here.members.approvals, called, is_final),
        traits=here.traits,
    )


def absent_in(decision: Decision, here: Situation) -> dict[Bypass, ErrorInfo]:
    """Return the work that nobody does, because its team was left out at the start."""
    found: dict[Bypass, ErrorInfo] = {}
    for goal in decision.absent:
        cause = here.members.absent[goal.member]
        fault = cause.partition(". ")[0].rstrip(".")  # what to do about it is for the operator
        key = "not_imported" if fault.startswith(NOT_IMPORTED) else "absent"
        quote = code_span(fault.removeprefix(NOT_IMPORTED).replace("`", "'"))
        english, korean = (TEXTS(key, one, name=goal.member, cause=quote) for one in ("en", "ko"))
        error = ErrorInfo(
            type="AbsentTeamError", message=cause, is_sentence=True, korean=korean, english=english
        )
        path, language = f"{here.path}/{goal.member}", here.task.language
        found[to_bypass(path, error, language, "left_out", part=goal.request)] = error
    return found


def lost_in_plan(progress: Progress, here: Situation) -> dict[Bypass, ErrorInfo]:
    """Return the hand-offs that the plan cannot pass on, because they do not fit."""
    planned = {item.member for stage in progress.stages for item in stage}
    found: dict[Bypass, ErrorInfo] = {}
    for lost in here.members.lost:
        if lost.taker not in planned or not (lost.giver in planned or lost.kind in here.handoffs):
            continue
        kind = HandoffMisfitError.__name__
        error = ErrorInfo(type=kind, message=lost.cause, is_sentence=True)
        path = f"{here.path}/{lost.taker}"
        found[to_bypass(path, error, here.task.language, "left_out")] = error
    return found


def _only_asks(stages: Sequence[Stage]) -> bool:
    """True if a plan calls nobody, or only those who ask a person at the end."""
    return all(item.role == "approval" for stage in stages for item in stage)


def _reviewed(progress: Progress, here: Situation, latest: Sequence[Result]) -> Progress:
    """Return the progress after the `latest` results. A failed member's substitute comes next.

    What a failed member has done to the world nobody else does again, so it gets no substitute.
    """
    failed = [
        item
        for item, result in zip(progress.running, latest, strict=True)
        if result.status != "ok" and not has_happened(result.effects)
    ]
    substitutes = here.members.substitutes
    instead = tuple(
        item.model_copy(update={"member": substitutes[item.member], "role": "substitute"})
        for item in failed
        if item.member in substitutes
    )
    instead = tuple(item for item in instead if not _repeats(item, progress, here))
    update: dict[str, object] = {"running": ()}
    if instead:
        update["stages"] = (instead, *progress.stages)
    elif failed and progress.may_review:  # what is left of the plan is done, then it is asked again
        update["plan_is_final"] = False
    return progress.model_copy(update=update)


def _next_stage(progress: Progress, here: Situation, budget: _Budget) -> Move:
    """Return the move for the first stage of the plan."""
    stage, *later = progress.stages
    planned = fresh = tuple(item for item in stage if here.has_to_approve(item))
    if not here.traits.keeps_goals_apart:
        planned = tuple(item for item in planned if not _is_done(item, progress, here))
        fresh = tuple(item for item in planned if not _repeats(item, progress, here))
    if not fresh:
        rest = _after_stage(progress)
        if planned and not later:  # the plan only repeats earlier calls
            return Finish(rest, Stop() if progress.may_review else _loop(here, "repeating"))
        return next_move(rest, here, budget)
    ready = tuple(item for item in fresh if not here.acted_at(item) and not here.missing_for(item))
    if len(ready) < len(fresh):
        blocked = [item for item in fresh if item not in ready]
        stages = (ready, *later) if ready else tuple(later)
        return _skip(blocked, progress, here, _cause_here(here), stages=stages)
    reason = budget.limit_for(next_hops=len(ready))
    if reason == "loop_limit" and budget.hops > 0 and here.traits.keeps_goals_apart:
        ready, beyond = ready[: budget.hops], ready[budget.hops :]  # these are skipped afterwards
        progress = progress.model_copy(update={"stages": (ready, beyond, *later)})
        reason = budget.limit_for(next_hops=len(ready))
    if reason is not None:
        return Finish(_after_stage(progress), _at_limit(reason, here, budget))
    hops = progress.hops + _count(ready)
    if here.traits.max_rounds is None and hops > len(here.members.flows) + 1:
        return Finish(_after_stage(progress), _loop(here, "repeating"))
    return _call(ready, progress, here)


def _after_stage(progress: Progress) -> Progress:
    """Return the progress without the first stage of its plan."""
    return progress.model_copy(update={"stages": progress.stages[1:]})


def _call(stage: Stage, progress: Progress, here: Situation) -> Call:
    """Return the calls of `stage`, which is what can be called of the plan's first stage."""
    paths, counted = progress.paths_to((item.member for item in stage), here)
    update = {
        "stages": progress.stages[1:],
        "calls": counted,
        "running": stage,
        "hops": progress.hops + _count(stage),
        "digests": {
            **progress.digests,
            **{
                path.rpartition("/")[2]: here.digest(item)
                for item, path in zip(stage, paths, strict=True)
            },
        },
    }
    calls = tuple(NextCall(item, path) for item, path in zip(stage, paths, strict=True))
    return Call(progress.model_copy(update=update), calls)


def _unmade(progress: Progress, here: Situation, budget: _Budget) -> Skip | None:
    """Return the skip of a plan's other calls if the calls just made have used up the hops.

    None if there are no such calls, or if the router has its goals joined: then the visit is over.
    """
    if budget.limit_for(next_hops=1) != "loop_limit" or not here.traits.keeps_goals_apart:
        return None
    planned = [item for stage in progress.stages for item in stage]
    blocked = [item for item in planned if item.role not in UNCOUNTED_ROLES]
    if not blocked:
        return None
    kept = (tuple(item for item in stage if item not in blocked) for stage in progress.stages)
    stop = _at_limit("loop_limit", here, budget)
    stages = tuple(stage for stage in kept if stage)

    def why(_: Assignment, __: Sequence[Result]) -> Stop:
        return stop

    return _skip(blocked, progress, here, why, stages=stages)


def _cause_here(here: Situation) -> Cause:
    """Return what tells of calls that want a hand-off, or that were made and changed the world."""

    def why(item: Assignment, skips: Sequence[Result]) -> Stop:
        if acted := here.acted_at(item):
            return _why("EffectDoneError", "acted", acted)
        missing = here.missing_for(item)
        because_of = next(iter(here.lost_of(missing, skips=skips).values()), None)
        return _why("MissingHandoffError", "no_handoff", because_of, kinds=", ".join(missing))

    return why


def _why(kind: str, key: str, because_of: str | None, **fields: str) -> Stop:
    """Return why a call is not made, as the text `key` says it."""
    message, korean = (TEXTS(key, one, path=because_of, **fields) for one in ("en", "ko"))
    error = ErrorInfo(type=kind, message=message, is_sentence=True, korean=korean)
    return Stop(error=error, because_of=because_of)


def skip_given_up(progress: Progress, given_up: Mapping[str, str], here: Situation) -> Skip:
    """Return the skip of members to which a declared order never comes, after a failure."""

    def why(item: Assignment, _: Sequence[Result]) -> Stop:
        failed = given_up[item.member]
        return _why("NotReachedError", "given_up", failed)._replace(because_of=failed or None)

    words = here.task.request
    never = [Assignment(member=member, role="goal", request=words) for member in given_up]
    return _skip(never, progress, here, why, given_up={})


def _skip(
    items: Sequence[Assignment], progress: Progress, here: Situation, why: Cause, **update: object
) -> Skip:
    """Return the skip of calls that are not made, with what else changes of the progress."""
    paths, counted = progress.paths_to((item.member for item in items), here)
    skips = progress.skips
    for item, path in zip(items, paths, strict=True):
        reason, error, because_of, _ = why(item, skips)
        language = here.task.language
        words = "" if item.member in here.members.silent else item.request
        cause = error or ErrorInfo(type="skipped", message="")
        entry = to_bypass(path, cause, language, "skipped", because_of=because_of, part=words)
        result = Result(
            agent=item.member,
            path=path,
            status="skipped",
            reason=reason,
            role=item.role,
            given_words=item.request,
            error=error,
            because_of=because_of,
            bypassed=(entry,),
        )
        skips = (*skips, result)
    changes = {"skips": skips, "calls": counted, **update}
    return Skip(progress.model_copy(update=changes), skips[len(progress.skips) :])


def _stop_of_plan(progress: Progress, here: Situation) -> Stop:
    """Return why a plan without calls ends: all is done, or no member serves the request.

    What stands in for a failed model knows examples alone, so then the model is the reason.
    """
    if here.results or progress.skips or progress.answer or not here.task.request:
        return Stop()
    absent = [entry.path for entry in progress.bypassed if entry.action == "left_out"]
    instead = not absent and any(entry.action == "substituted" for entry in progress.bypassed)
    key, reason = _INSTEAD if instead else _NOBODY
    names = ", ".join(here.members.flows)
    message, korean = (TEXTS(key, one, path=here.path, names=names) for one in ("en", "ko"))
    because_of = absent[0] if absent else None
    return Stop(reason, ErrorInfo.of(reason, message, korean=korean), because_of)


def _at_limit(
    reason: Reason, here: Situation, budget: _Budget, *, because_of: str | None = None
) -> Stop:
    """Return the stop for a limit of the run. It follows from the path `because_of`.

    Without `because_of` it follows from the run itself, whose record is at the root.
    """
    root = here.path.partition("/")[0]
    because_of = because_of or (root if root != here.path else None)
    error = budget.error_at(reason)
    return Stop(reason, error, because_of)


def _loop(here: Situation, key: str, **fields: int) -> Stop:
    message, korean = (TEXTS(key, one, path=here.path, **fields) for one in ("en", "ko"))
    return Stop("loop_limit", ErrorInfo.of("loop_limit", message, korean=korean))


def _is_done(item: Assignment, progress: Progress, here: Situation) -> bool:
    """True if the member stood in for a failed one, or ran by itself and another call adds nothing.

    It adds nothing to an audit, or to what another answer shows, of what is there already.
    """
    at = max((at for at, one in enumerate(here.results) if one.agent == item.member), default=None)
    if at is None:
        return False
    last, later, flows = here.results[at], here.results[at + 1 :], here.members.flows
    if last.role == "substitute":
        return _repeats(item, progress, here)
    if (last.role, item.role) == ("producer", "goal"):
        answers = [one for one in later if one.summary and one.role in {"goal", "audit"}]
        is_there = is_presented(flows[item.member].gives, answers, here.members.presents)
    else:
        is_there = (last.role, item.role) in {("audit", "goal"), ("goal", "audit")}
    takes = flows[item.member].takes
    has_new = any(not takes.isdisjoint(flows[one.agent].gives) for one in later)
    return is_there and last.status == "ok" and not has_new


def _repeats(item: Assignment, progress: Progress, here: Situation) -> bool:
    """True if the member's latest call was the same. Of early calls any counts."""
    made = [
        digest for call, digest in progress.digests.items() if call.partition("#")[0] == item.member
    ]
    return here.digest(item) in (made if item.role == "preparation" else made[-1:])


def _count(stage: Stage) -> int:
    return sum(item.role not in UNCOUNTED_ROLES for item in stage)
