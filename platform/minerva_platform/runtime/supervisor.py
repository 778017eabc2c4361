"""The one supervisor, for every level of the tree.

    START -> supervisor -> (Send) member … -> supervisor -> … -> END

`planning.next_move` decides what comes next. The supervisor carries it out and records it: it asks
the router, calls members and composes the answer. Every failure is data, a router's too.
"""

from collections.abc import Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from langgraph.errors import GraphInterrupt
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send

from minerva_observability import Span, current_span, record_span
from minerva_observability.records import ErrorRow, SpanFields
from minerva_platform.answer.composer import put_together
from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.result import Bypass, ErrorInfo, Result
from minerva_platform.contract.router import (
    Decision,
    Evidence,
    Router,
    RoutingView,
    RunQuestions,
    evidence_by_member,
)
from minerva_platform.contract.task import Task
from minerva_platform.contract.values import Usage
from minerva_platform.errors import (
    AgentTimeoutError,
    ConditionError,
    ContractError,
    NotAuditedError,
    RouterLimitError,
    RoutingError,
    RunError,
)
from minerva_platform.planning.decide import decide, with_words_of_takers
from minerva_platform.planning.next_move import (
    Ask,
    Call,
    Finish,
    NextCall,
    Skip,
    Stop,
    absent_in,
    follow,
    lost_in_plan,
    next_move,
    skip_given_up,
)
from minerva_platform.planning.progress import Progress
from minerva_platform.planning.request_words import parts_to_row, spans_to_error
from minerva_platform.planning.roster import in_own_run, roster_of
from minerva_platform.planning.situation import Roster, Situation
from minerva_platform.routing.router_choice import problem_of
from minerva_platform.run_context.blocking import in_daemon_thread
from minerva_platform.run_context.context import NO_RUN, Meter, current_run
from minerva_platform.run_context.deadline import within
from minerva_platform.run_context.failures.error_info import error_to_reason_info, info_to_row
from minerva_platform.run_context.failures.failure_text import to_bypass
from minerva_platform.run_context.pause import only_pauses
from minerva_platform.run_context.recorded_failures import record_failure, record_step_failure
from minerva_platform.runtime.border.input_binding import read_handoffs
from minerva_platform.runtime.member_call import MemberCall
from minerva_platform.runtime.modes import refuse_modes
from minerva_platform.runtime.recorded_nodes import has_one_step
from minerva_platform.runtime.state import MemberState, SupervisorState
from minerva_platform.runtime.visit_result import conclude, exports_of, speakers_of
from minerva_platform.text.texts import read_texts

if TYPE_CHECKING:
    from minerva_platform.contract.assembled_team import AssembledTeam

TEXTS = read_texts("minerva_platform.runtime", "supervisor")
SUPERVISOR = "supervisor"
"""The name of every supervisor's node. No member may have it."""


def build_supervisor(team: "AssembledTeam") -> "StateGraph[Any, Any, Any, Any]":
    """Return the graph of `team`: its supervisor and a node for each member.

    Raises:
        ContractError: a member's mode or the team's router cannot be.
    """
    if (problem := problem_of(team)) is not None:
        message = f"`{team.name}`: {problem}"
        raise ContractError(message)
    refuse_modes(team.agents, below=team.name)
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(SupervisorState)
    supervise = _Supervisor(team).supervise
    drawn = drawn_edges(team)
    builder.add_node(SUPERVISOR, supervise, destinations=drawn.get(START, (*team.by_name, END)))
    runnable: Any = builder.nodes[SUPERVISOR].runnable
    runnable.func = _refuse  # otherwise `team.graph.invoke` reports a missing function
    builder.add_edge(START, SUPERVISOR)
    for agent in team.by_name.values():
        call = _member_node(team, agent)
        if team.shape is None:
            builder.add_node(agent.name, call, input_schema=MemberState)
            builder.add_edge(agent.name, SUPERVISOR)
        else:
            after = drawn.get(agent.name, ())
            node = _returning(call)
            builder.add_node(agent.name, node, input_schema=MemberState, destinations=after)
    return builder


def drawn_edges(team: "AssembledTeam") -> dict[str, Any]:
    """Return the edges of a declared shape as a drawing shows them: source to target to label.

    Each call still returns to the supervisor, which alone says who is next.
    """
    drawn: dict[str, Any] = {}
    for edge in team.shape.edges if team.shape else ():
        drawn.setdefault(edge.source, {}).setdefault(edge.target, edge.label or None)
    return drawn


def _returning(call: Any) -> Any:
    """Return a node that goes back to the supervisor by itself, so that no edge is drawn there."""

    async def node(state: MemberState) -> Command[Any]:
        return Command(update=await call(state), goto=SUPERVISOR)

    return node


def _refuse(_: SupervisorState) -> None:
    """Refuse a direct call of a team's graph, and say how to ask the team.

    Raises:
        RunError: always.
    """
    raise RunError(NO_RUN)


def _member_node(team: "AssembledTeam", agent: BaseAgent[Any, Any]) -> Any:
    """Return the node that calls `agent`. Its closure holds the agent's graph.

    LangGraph finds sub-graphs in closures. So `minerva graph` and state inspection see the whole
    tree.
    """
    graph = agent.graph
    member_call = MemberCall(team, agent)
    durability = "exit" if has_one_step(graph) else None

    async def call(state: MemberState) -> dict[str, Any]:
        kept = durability if current_run().keeps_state else None
        return await member_call(partial(graph.ainvoke, durability=kept), state)

    return call


class _Supervisor:
    """The supervisor's node. It chooses members and does no work itself."""

    def __init__(self, team: "AssembledTeam") -> None:
        self.team = team

    @cached_property
    def members(self) -> Roster:
        """The members as planning knows them. A team is complete when its first run begins."""
        return roster_of(self.team)

    async def supervise(self, state: SupervisorState) -> Command[Any]:
        """Carry out moves until members are called or the visit is over."""
        budget = current_run().budget  # a graph that is called by hand is refused
        here = self._situation(state)
        progress = Progress.model_validate(state.get("progress", {}))
        while True:
            match next_move(progress, here, budget.remainder):
                case Ask(progress):
                    answer, spent = await self._ask_router(progress, here)
                    progress = progress.spending(spent)
                    if isinstance(answer, Stop):
                        if answer.given_up:
                            move = skip_given_up(progress, answer.given_up, here)
                            self._record_skipped(move.results)
                            progress = move.progress
                        return await self._finish(progress, here, answer)
                    progress = self._follow(progress, answer, here)
                case Skip(progress, results):
                    self._record_skipped(results)
                case Call(progress, calls):
                    return _fan_out(calls, progress, here)
                case Finish(progress, stop):
                    return await self._finish(progress, here, stop)

    def _situation(self, state: SupervisorState) -> Situation:
        span, task = current_span(), Task.model_validate(state["task"])
        return Situation(
            path=span.path if span else self.team.name,
            members=in_own_run(self.members, task, self.team) if task.started_by else self.members,
            task=task,
            handoffs=state.get("handoffs", {}),
            results=tuple(Result.model_validate(item) for item in state.get("results", ())),
            traits=self.team.router_traits,
        )

    async def _ask_router(
        self, progress: Progress, here: Situation
    ) -> tuple[Decision | Stop, Usage]:
        """Return the router's decision and its usage. The router's failure is data, too."""
        if not (here.task.request or here.traits.names_every_call):
            return Decision(finish=True), Usage()  # only hand-offs are wanted: nothing to choose
        meter = Meter()
        answer: Decision | Stop
        try:
            with meter.bound():
                answer = await self._decision(progress, here)
        except GraphInterrupt:
            raise
        except AgentTimeoutError as error:
            answer = Stop("deadline", error_to_reason_info("deadline", error))
        except RouterLimitError as error:
            answer = Stop("loop_limit", error_to_reason_info("loop_limit", error))
        except ConditionError as error:
            info = error_to_reason_info("bad_decision", error)
            answer = Stop("bad_decision", info, given_up=error.given_up)
        except RoutingError as error:
            answer = Stop("bad_decision", error_to_reason_info("bad_decision", error))
        except Exception as error:  # noqa: BLE001  # see above
            answer = Stop("router_failed", error_to_reason_info("router_failed", error))
        current_run().budget.usage += Usage(routing_calls=1)
        return answer, meter.usage + Usage(routing_calls=1)

    async def _decision(self, progress: Progress, here: Situation) -> Decision:
        """Return the router's decision, due by the run's deadline, and record it."""
        router, path = self.team.router, here.path
        person_words = here.accountable(current_run().person_words)

        async def ask(view: RoutingView) -> Decision:
            seconds = current_run().budget.seconds_left
            return await within(_asked_alone(router, view, path), seconds=seconds, path=path)

        with record_span(
            kind="route",
            path=path,
            team=self.team.name,
            agent_name=self.team.record_name,
            node=SUPERVISOR,
            router=type(router).__name__,
        ) as span:
            evidence = await self._evidence(here)
            contents = await read_handoffs(here)
            view = here.view(
                evidence, rounds=progress.rounds, skips=progress.skips, contents=contents
            )
            decision = await decide(
                view.model_copy(update={"runs": self._run_questions()}),
                ask,
                router=router,
                named_members=here.task.members,
                person_words=person_words,
                acting=here.members.acting,
            )
            kept = decision.model_dump(
                mode="json", include={"finish", "scores", "runner_up", "margin"}
            )
            if decision.evidence:
                kept["evidence"] = sorted(decision.evidence)
            kept["goals"] = [goal.member for goal in decision.goals]
            if decision.note:  # its words stay out of records, as those of a request do
                kept["note"] = {"request": decision.note, "characters": len(decision.note)}
            if decision.unserved:
                kept["unserved"] = parts_to_row(decision.unserved, person_words)
                self._tell_left_out(span, spans_to_error(kept["unserved"]), decision)
            name = decision.router or type(router).__name__
            span.set(router=name, decision=kept)
            if decision.fallback:
                kind, _, text = decision.fallback.partition(": ")
                error = ErrorRow(type=kind, message=text)
                span.set(action="substituted", substitute=name, error=error)
        return decision

    def _run_questions(self) -> RunQuestions | None:
        """Return what knows the thread's background runs, if members can start some."""
        own_runs = current_run().own_runs
        return own_runs.questions if own_runs is not None and self.team.starts_runs else None

    async def _evidence(self, here: Situation) -> dict[str, Evidence]:
        """Return what speaks for each member; to find it out may take reading of files."""
        if here.task.members:
            return {}
        asked = in_daemon_thread(
            evidence_by_member, self.team.agents, here.task.request, here.task.attachments
        )
        return await within(asked, seconds=current_run().budget.seconds_left, path=here.path)

    def _tell_left_out(self, span: Span, error: ErrorInfo, decision: Decision) -> None:
        """Record an unserved part. Beside a fallback it gets its own record."""
        if not decision.fallback:
            span.set(action="left_out", error=info_to_row(error))
            return
        record_step_failure(error, "left_out", team=self.team, node=SUPERVISOR)

    def _follow(self, progress: Progress, decision: Decision, here: Situation) -> Progress:
        """Return the progress with the decision's plan, and record what it loses."""
        followed = follow(progress, with_words_of_takers(decision, here), here)
        goes_on = bool(followed.stages or here.results)
        lacks = {**absent_in(decision, here), **lost_in_plan(followed, here)}
        for entry, error in lacks.items():
            if entry in progress.bypassed:
                continue
            taker = entry.path.rpartition("/")[2]
            record_failure(
                error,
                "left_out" if goes_on else "stopped",
                kind="agent",
                path=entry.path,
                team=taker,
                agent_name=getattr(self.team.by_name.get(taker), "record_name", taker),
            )
        return followed

    def _record_skipped(self, results: Sequence[Result]) -> None:
        for result in results:
            assert result.error is not None  # noqa: S101  # for the type checker: each has its cause
            names: SpanFields = {"team": self.team.name, "agent_name": result.agent}
            if result.because_of is not None:
                names["because_of"] = result.because_of
            record_failure(result.error, "skipped", kind="agent", path=result.path, **names)

    async def _finish(self, progress: Progress, here: Situation, stop: Stop) -> Command[Any]:
        """Conclude the visit with the results so far."""
        team, meter, speakers = self.team, Meter(), speakers_of(self.team, here.results)
        with meter.bound():
            summary = await put_together(team, here.task, speakers, own_words=progress.answer)
        exports = exports_of(team.export_kinds, here)
        inside = [kind for kind in team.export_kinds if kind not in exports]
        without = meter.to_bypasses(here.path, here.task.language)
        outcome = conclude(
            [*here.results, *progress.skips],
            summary=summary,
            handoffs=exports,
            stop=stop,
            speakers=speakers,
            unserved=progress.unserved,
            usage=progress.usage + meter.usage,
            bypassed=(*progress.bypassed, *without, *self._kept_back(inside, here)),
            lost=here.lost_of(inside, skips=progress.skips),
            across_teams=team.leads_teams,
        )
        return Command(goto=END, update={"outcome": outcome.model_dump(mode="json")})

    def _kept_back(self, inside: Sequence[str], here: Situation) -> list[Bypass]:
        """Return the exports that stay inside because a declared order went round their audit."""
        found: list[Bypass] = []
        called = {result.agent for result in here.results}
        for kind in inside if here.traits.names_every_call else ():
            auditor = here.members.audits.get(kind, "")
            gave = any(here.giver_of(record) for record in here.handoffs.get(kind, ()))
            if not gave or not auditor or auditor in called:
                continue
            error = ErrorInfo(
                type=NotAuditedError.__name__,
                message=TEXTS("not_audited", "en", kind=kind, auditor=auditor),
                is_sentence=True,
                korean=TEXTS("not_audited", "ko", kind=kind, auditor=auditor),
            )
            record_step_failure(error, "left_out", team=self.team, node=SUPERVISOR)
            found.append(to_bypass(here.path, error, here.task.language, "left_out"))
        return found


def _fan_out(calls: Sequence[NextCall], progress: Progress, here: Situation) -> Command[Any]:
    """Send each member its task, and keep the progress."""
    current_run().budget.hops_used += len(calls)
    sends = [
        Send(
            call.assignment.member,
            MemberState(
                task=here.task_for(call.assignment, skips=progress.skips).model_dump(mode="json"),
                path=call.path,
                role=call.assignment.role,
            ),
        )
        for call in calls
    ]
    update: dict[str, Any] = {"progress": progress.model_dump(mode="json")}
    if progress.skips:
        update["results"] = [result.model_dump(mode="json") for result in progress.skips]
    return Command(goto=sends, update=update)


async def _asked_alone(router: Router, view: RoutingView, path: str) -> Decision:
    """Return the decision of `router`, which runs in an asyncio task of its own."""
    with only_pauses(path):
        return await router.decide(view)
