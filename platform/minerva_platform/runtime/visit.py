"""One visit of a supervisor: what is planned, what came of it, and the next move."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import orjson
from langgraph.graph import END
from langgraph.types import Command, Send

from minerva_observability import current_span
from minerva_observability.records import SpanFields
from minerva_platform.answer.composer import put_together
from minerva_platform.calls.context import Meter, current_run
from minerva_platform.calls.error_info import reason_to_info, record_failure
from minerva_platform.calls.failure_text import failure_text
from minerva_platform.contract.dataflow import Flow
from minerva_platform.contract.values import (
    Bypass,
    ErrorInfo,
    Handoffs,
    Reason,
    Result,
    Task,
    Usage,
)
from minerva_platform.errors import HandoffMisfitError
from minerva_platform.planning.planner import Assignment, Wave, derive_waves
from minerva_platform.planning.root_cause import began_at, lost_at
from minerva_platform.planning.unserved import still_unserved
from minerva_platform.routing.protocol import Decision, ResultSummary, RoutingView
from minerva_platform.runtime.firewall import narrow
from minerva_platform.runtime.outcome import (
    Stop,
    conclude,
    shown_results,
    with_accounts,
    with_unserved,
)
from minerva_platform.runtime.state import MemberState, Progress, SupervisorState

if TYPE_CHECKING:
    from minerva_platform.contract.team import Team

UNCOUNTED_ROLES = frozenset({"preparation", "substitute"})
"""Calls that a router cannot cause by asking again, so they cannot be a loop."""

MAX_VIEWED = 500
"""Characters of a member's summary that a router is shown."""


class Visit:
    """The state as it was read, what changes in it, and the next move."""

    def __init__(self, team: "Team", flows: Mapping[str, Flow], state: SupervisorState) -> None:
        self.team, self.flows = team, flows
        self.task = Task.model_validate(state["task"])
        self.handoffs: Handoffs = state.get("handoffs", {})
        self.results = [Result.model_validate(item) for item in state.get("results", ())]
        progress = state.get("progress", Progress())
        self.waves: list[Wave] = [
            tuple(Assignment.model_validate(item) for item in wave)
            for wave in progress.get("waves", ())
        ]
        self.running = [Assignment.model_validate(item) for item in progress.get("running", ())]
        self.plan_is_final = progress.get("plan_is_final", False)
        self.may_review = progress.get("may_review", False)
        self.bypassed = [Bypass.model_validate(item) for item in progress.get("bypassed", ())]
        self.unserved = tuple(progress.get("unserved", ()))
        self.usage = Usage.model_validate(progress.get("usage", {}))
        self.hops = progress.get("hops", 0)
        self.visits = dict(progress.get("visits", {}))
        self.digests = dict(progress.get("digests", {}))
        self.skipped: list[Result] = []
        self.is_over = False
        self.stopped = Stop()
        span = current_span()
        self.path = span.path if span else team.name

    def stop(self, reason: Reason | None = None, error: ErrorInfo | None = None) -> None:
        """End the visit with what is there, for a reason that arose here."""
        self.is_over = True
        self.stopped = Stop(reason, error)

    def stop_at_limit(self, reason: Reason, *, because_of: str | None = None) -> None:
        """End the visit because the run has reached a limit, by what lies at `because_of`.

        Without one it follows from the run itself, whose row is at the root.
        """
        self.is_over = True
        root = self.path.partition("/")[0]
        because_of = because_of or (root if root != self.path else None)
        budget = current_run().budget
        error = reason_to_info(reason, budget.told(reason), korean=budget.told_in_korean(reason))
        self.stopped = Stop(reason, error, because_of)

    def _stop_repeating(self) -> None:
        message = f"The supervisor of `{self.path}` asks for the same calls again and again."
        korean = f"`{self.path}`의 라우터가 같은 호출을 되풀이해 요구합니다."
        self.stop("loop_limit", reason_to_info("loop_limit", message, korean=korean))

    def absorb(self) -> None:
        """Look at the wave that just ran: a failed member's substitute comes next."""
        last = self.results[len(self.results) - len(self.running) :] if self.running else []
        failed = {result.agent for result in last if result.status != "ok"}
        late = [result for result in last if result.status == "timeout"]
        if late and self._deadline_is_past():
            self.stop_at_limit("deadline", because_of=began_at(late[0]))
        instead = tuple(
            assignment.model_copy(
                update={"member": self.team.substitutes[assignment.member], "role": "substitute"}
            )
            for assignment in self.running
            if assignment.member in failed and assignment.member in self.team.substitutes
        )
        instead = tuple(item for item in instead if not self._repeats(item))
        if instead:
            self.waves.insert(0, instead)
        elif failed and self.may_review:  # what is left of the plan is done, then it is asked again
            self.plan_is_final = False

    def may_ask(self) -> bool:
        """Tell whether the router may be asked (again); if not, the visit is over.

        A router that keeps asking for members which cannot start would otherwise be asked
        for ever: no hop is spent on them.
        """
        if self._deadline_is_past():
            self.stop_at_limit("deadline")
        elif self.usage.routing_calls > len(self.team.by_name) + 1:
            self._stop_repeating()
        return not self.is_over

    def view(self) -> RoutingView:
        """Return all that the router may know."""
        return RoutingView(
            request=self.task.request,
            context=self.task.context,
            language=self.task.language,
            members=tuple(agent.card for agent in self.team.by_name.values()),
            results=tuple(
                ResultSummary(
                    member=item.agent, status=item.status, summary=item.summary[:MAX_VIEWED]
                )
                for item in self.results
            ),
            handoffs=tuple(self.handoffs),
            in_scope="/" in self.path,
        )

    def follow(self, decision: Decision) -> None:
        """Derive the waves of what the router answered; no waves end the visit."""
        self.plan_is_final, self.may_review = decision.finish, decision.review
        self.unserved = still_unserved(self.unserved, decision, self.task.request)
        if decision.fallback:
            kind, _, text = decision.fallback.partition(": ")
            info = ErrorInfo(type=kind, message=text, is_sentence=True)
            cause = failure_text(info, self.task.language)
            self.bypassed.append(Bypass(path=self.path, cause=cause, action="substituted"))
        if not decision.goals and not decision.finish:
            self._end_without_goals()
            return
        self.waves = list(
            derive_waves(
                decision.goals,
                flows=self.flows,
                checks=self.team.checks,
                task=self.task,
                available=self.handoffs,
            )
        )
        self._tell_lost()
        if not self.waves:
            self._end_without_goals()

    def _tell_lost(self) -> None:
        """Record the hand-offs of this plan that do not fit."""
        planned = {assignment.member for wave in self.waves for assignment in wave}
        for lost in self.team.lost:
            is_there = lost.giver in planned or lost.kind in self.handoffs
            error = ErrorInfo(
                type=HandoffMisfitError.__name__, message=lost.cause, is_sentence=True
            )
            cause = failure_text(error, self.task.language)
            entry = Bypass(path=f"{self.path}/{lost.taker}", cause=cause, action="left_out")
            if lost.taker not in planned or not is_there or entry in self.bypassed:
                continue
            self.bypassed.append(entry)
            record_failure(
                error,
                "left_out",
                kind="agent",
                path=entry.path,
                team=lost.taker,
                agent_name=self.team.by_name[lost.taker].record_name,
            )

    def _end_without_goals(self) -> None:
        """End the visit: all is done, or no member serves the request."""
        if self.results or self.skipped or not self.task.request:
            self.stop()
            return
        names = ", ".join(self.team.by_name)
        message = f"No member of `{self.path}` serves this request; it has {names}."
        korean = f"이 요청을 맡을 구성원이 `{self.path}`에 없습니다. 있는 구성원: `{names}`."
        self.stop("no_route", reason_to_info("no_route", message, korean=korean))

    def next_wave(self) -> list[Assignment]:
        """Return the calls to make now; none if they cannot start, or a limit ends the visit."""
        wave = [item for item in self.waves.pop(0) if not self._was_substituted(item)]
        fresh = [item for item in wave if not self._repeats(item)]
        if wave and not fresh and not self.waves:  # the plan only repeats what was done
            if self.may_review:
                self.stop()
            else:
                self._stop_repeating()
        ready = [item for item in fresh if self._can_start(item)]
        return ready if ready and self._may_run(ready) else []

    def _can_start(self, assignment: Assignment) -> bool:
        """Tell whether what it needs is there; if not, it becomes a skipped result.

        A team can always start: only those of its members that need what is missing cannot.
        """
        is_team = self.team.by_name[assignment.member].is_team
        needs = () if is_team else self.flows[assignment.member].needs
        missing = [kind for kind in needs if kind not in self.handoffs]
        if missing:
            self._skip(assignment, missing)
        return not missing

    def _skip(self, assignment: Assignment, missing: Sequence[str]) -> None:
        agent = self.team.by_name[assignment.member]
        path = self._next_path(agent.name)
        kinds = ", ".join(missing)
        message = f"it needs {kinds}, which no member gave"
        korean = f"필요한 `{kinds}` 자료를 준 구성원이 없습니다"
        because_of = next(iter(self._lost(missing).values()), None)
        names: SpanFields = {"team": self.team.name, "agent_name": agent.name}
        if because_of is not None:
            names["because_of"] = because_of
        error = ErrorInfo(
            type="MissingHandoffError", message=message, is_sentence=True, korean=korean
        )
        record_failure(error, "skipped", kind="agent", path=path, **names)
        cause = failure_text(error, self.task.language)
        entry = Bypass(path=path, cause=cause, action="skipped", because_of=because_of)
        self.skipped.append(
            Result(
                agent=agent.name,
                path=path,
                status="skipped",
                role=assignment.role,
                error=error,
                because_of=because_of,
                bypassed=(entry,),
            )
        )

    def _lost(self, kinds: Iterable[str]) -> dict[str, str]:
        """Return those of `kinds` that a member failed to give, each with where that began."""
        results = (*self.results, *self.skipped)
        checks = self.team.checks
        found = {
            kind: lost_at(kind, results, flows=self.flows, checker=checks.get(kind))
            or self.task.lost.get(kind)
            for kind in kinds
        }
        return {kind: path for kind, path in found.items() if path is not None}

    def _may_run(self, wave: Sequence[Assignment]) -> bool:
        """True if the budgets allow `wave`; otherwise the visit is over."""
        reason = current_run().budget.exhausted(next_hops=len(wave))
        if reason is not None:
            self.stop_at_limit(reason)
        elif self.hops + _counted(wave) > len(self.team.by_name) + 1:
            self._stop_repeating()
        return not self.is_over

    def send(self, wave: Sequence[Assignment]) -> Command[Any]:
        """Fan the wave out."""
        current_run().budget.hops_used += len(wave)
        sends = [
            Send(
                assignment.member,
                MemberState(
                    assignment=assignment.model_dump(mode="json"),
                    task=self._task_for(assignment).model_dump(mode="json"),
                    path=self._next_path(assignment.member),
                ),
            )
            for assignment in wave
        ]
        progress: Progress = {
            "waves": [[item.model_dump(mode="json") for item in later] for later in self.waves],
            "running": [assignment.model_dump(mode="json") for assignment in wave],
            "plan_is_final": self.plan_is_final,
            "may_review": self.may_review,
            "bypassed": [entry.model_dump(mode="json") for entry in self.bypassed],
            "unserved": list(self.unserved),
            "usage": self.usage.model_dump(mode="json"),
            "hops": self.hops + _counted(wave),
            "visits": self.visits,
            "digests": {**self.digests, **{item.member: self._digest(item) for item in wave}},
        }
        skipped = [result.model_dump(mode="json") for result in self.skipped]
        update = {"progress": progress} | ({"results": skipped} if skipped else {})
        return Command(goto=sends, update=update)

    async def end(self) -> Command[Any]:
        """Conclude the visit with what is there."""
        meter = Meter()
        with meter.bound():
            summary = await put_together(self.team, self.task, self._shown())
        self.usage += meter.usage
        self.bypassed += meter.to_bypasses(self.path, self.task.language)
        exported = self._exported()
        outcome = conclude(
            [*self.results, *self.skipped],
            summary=summary,
            handoffs=exported,
            stop=self.stopped,
            usage=self.usage,
            bypassed=self.bypassed,
            lost=self._lost(kind for kind in self.team.export_kinds if kind not in exported),
        )
        outcome = with_accounts(outcome, self.results, across_teams=self.team.leads_teams)
        outcome = with_unserved(outcome, self.unserved)
        return Command(goto=END, update={"outcome": outcome.model_dump(mode="json")})

    def _shown(self) -> list[Result]:
        members = self.team.by_name
        return shown_results(
            self.results,
            {name: agent.presents for name, agent in members.items()},
            {name: tuple(flow.gives) for name, flow in self.flows.items()},
        )

    def _exported(self) -> Handoffs:
        """Return what may leave the team: a checked kind only after its check went well."""
        made_here = f"{self.path}/"
        exported: Handoffs = {}
        for kind in self.team.export_kinds:
            made = [r for r in self.handoffs.get(kind, ()) if r["path"].startswith(made_here)]
            if made and self._passed_its_check(kind):
                exported[kind] = made
        return exported

    def _passed_its_check(self, kind: str) -> bool:
        checker = self.team.checks.get(kind)
        if checker is None:
            return True
        last = {result.agent: result for result in self.results}
        if checker in last and last[checker].status == "ok":
            return True
        instead = last.get(self.team.substitutes.get(checker, ""))
        return instead is not None and (instead.status, instead.role) == ("ok", "substitute")

    def _task_for(self, assignment: Assignment) -> Task:
        flow = self.flows[assignment.member]
        crossing = flow.takes | flow.gives.keys()  # what it gives: it may have failed to before
        return Task(
            request=assignment.request,
            context=self.task.context,
            language=self.task.language,
            attachments=self.task.attachments,
            handoffs=narrow(self.handoffs, flow.takes),
            wanted_kinds=assignment.wanted_kinds,
            lost=self._lost(sorted(crossing - self.handoffs.keys())),
        )

    def _was_substituted(self, assignment: Assignment) -> bool:
        """Tell whether this very call was made already, instead of a member that failed."""
        last = {result.agent: result.role for result in self.results}
        return last.get(assignment.member) == "substitute" and self._repeats(assignment)

    def _repeats(self, assignment: Assignment) -> bool:
        return self.digests.get(assignment.member) == self._digest(assignment)

    def _digest(self, assignment: Assignment) -> str:
        """Return what tells two calls of a member apart: words, wishes and hand-offs."""
        takes = self.flows[assignment.member].takes
        content = [
            assignment.request,
            assignment.wanted_kinds,
            {kind: self.handoffs[kind] for kind in sorted(takes & self.handoffs.keys())},
        ]
        return hashlib.sha256(orjson.dumps(content)).hexdigest()

    def _next_path(self, member: str) -> str:
        count = self.visits[member] = self.visits.get(member, 0) + 1
        return f"{self.path}/{member}" if count == 1 else f"{self.path}/{member}#{count}"

    def _deadline_is_past(self) -> bool:
        return current_run().budget.seconds_left <= 0


def _counted(wave: Sequence[Assignment]) -> int:
    return sum(assignment.role not in UNCOUNTED_ROLES for assignment in wave)
