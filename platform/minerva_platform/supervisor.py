"""The one supervisor, for every level of the tree.

    START -> supervisor -> (Send) member … -> supervisor -> … -> END

It asks the router for goals, derives the itinerary from the contracts and visits its waves.
A member's failure is data: the declared substitute is tried, or the visit goes on without.
"""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson
from langgraph.errors import GraphBubbleUp
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send

from minerva_observability import current_span, record_span
from minerva_platform.agent import BaseAgent
from minerva_platform.contract import Bypass, ErrorInfo, Handoffs, Hop, Reason, Result, Task, Usage
from minerva_platform.errors import AgentTimeoutError, MinervaError
from minerva_platform.firewall import convert_in, convert_out, narrow
from minerva_platform.itinerary import Assignment, Wave, derive_waves
from minerva_platform.nodes import hide_sensitive, within
from minerva_platform.routing.errors import RoutingError
from minerva_platform.routing.protocol import (
    Decision,
    ResultSummary,
    RoutingView,
    check_decision,
)
from minerva_platform.run_context import current_run
from minerva_platform.visit import (
    MemberState,
    SupervisorState,
    conclude,
    shown_results,
    waves_to_state,
)

if TYPE_CHECKING:
    from minerva_platform.team import Team

SUPERVISOR = "supervisor"
"""The name of every supervisor's node; no member may have it."""


def build_supervisor(team: "Team") -> "StateGraph[Any, Any, Any, Any]":
    """Return the graph of `team`: its supervisor and a node for each member."""
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(SupervisorState)
    supervise = _Supervisor(team).supervise
    builder.add_node(SUPERVISOR, supervise, destinations=(*team.by_name, END))
    builder.add_edge(START, SUPERVISOR)
    for agent in team.by_name.values():
        builder.add_node(agent.name, _member_node(team, agent), input_schema=MemberState)
        builder.add_edge(agent.name, SUPERVISOR)
    return builder


class _Supervisor:
    """Chooses, never works."""

    def __init__(self, team: "Team") -> None:
        self.team = team
        self.flows = {name: agent.flow for name, agent in team.by_name.items()}
        self.cards = tuple(agent.card for agent in team.by_name.values())

    async def supervise(self, state: SupervisorState) -> Command[Any]:
        """Go on with the itinerary, or ask the router, or end the visit."""
        visit = _Visit(self, state)
        visit.absorb()
        while True:
            if not visit.waves and (visit.plan_is_final or not await visit.plan()):
                return visit.end()
            wave = visit.runnable(visit.waves.pop(0))
            if wave:
                return visit.send(wave) if visit.affords(wave) else visit.end()

    async def decide(self, view: RoutingView, path: str) -> Decision:
        """Ask the router and record what it answered, and what that cost."""
        with record_span(
            kind="route",
            path=path,
            team=self.team.name,
            agent_name=self.team.record_name,
            node=SUPERVISOR,
        ) as span:
            decision = check_decision(await self.team.router.decide(view), self.team.by_name)
            span.set(
                router=decision.router or type(self.team.router).__name__,
                decision=decision.model_dump(
                    mode="json", include={"goals", "finish", "scores", "runner_up", "margin"}
                )
                | {"goals": [goal.member for goal in decision.goals]},
            )
        return decision


@dataclass(slots=True)
class _Ending:
    reason: Reason | None = None
    error: ErrorInfo | None = None


class _Visit:
    """One step of a visit: the state read, what changes in it, and the next move."""

    def __init__(self, supervisor: _Supervisor, state: SupervisorState) -> None:
        self.supervisor, self.team = supervisor, supervisor.team
        self.task = Task.model_validate(state["task"])
        self.handoffs: Handoffs = state.get("handoffs", {})
        self.results = [Result.model_validate(item) for item in state.get("results", ())]
        self.waves: list[Wave] = [
            tuple(Assignment.model_validate(item) for item in wave)
            for wave in state.get("waves", ())
        ]
        self.running = [Assignment.model_validate(item) for item in state.get("running", ())]
        self.plan_is_final = state.get("plan_is_final", False)
        self.hops = state.get("hops", 0)
        self.routing_calls = state.get("routing_calls", 0)
        self.visits = dict(state.get("visits", {}))
        self.digests: dict[str, str] = state.get("digests", {})
        self.skipped: list[Result] = []
        self.ending = _Ending()
        span = current_span()
        self.path = span.path if span else self.team.name

    def absorb(self) -> None:
        """Look at the wave that just ran: a failed member's substitute comes next."""
        last = self.results[len(self.results) - len(self.running) :] if self.running else []
        failed = {result.agent for result in last if result.status != "ok"}
        instead = [
            assignment.model_copy(
                update={"member": self.team.substitutes[assignment.member], "role": "substitute"}
            )
            for assignment in self.running
            if assignment.member in failed and assignment.member in self.team.substitutes
        ]
        if instead:
            self.waves.insert(0, tuple(instead))

    async def plan(self) -> bool:
        """Fill the waves from the router's goals; False ends the visit."""
        goals = Decision(finish=True)
        if self.task.request:
            try:
                goals = await self._ask()
            except GraphBubbleUp:
                raise
            except RoutingError as error:
                self.ending = _Ending("bad_decision", _info(error))
                return False
            except Exception as error:  # noqa: BLE001  # a router's failure is data too
                self.ending = _Ending("router_failed", _info(error))
                return False
        elif self.routing_calls or self.results:
            return False
        self.plan_is_final = goals.finish
        if not goals.goals and self.task.request and not goals.finish:
            self._no_route()
            return False
        self.waves = list(
            derive_waves(
                goals.goals,
                flows=self.supervisor.flows,
                checks=self.team.checks,
                task=self.task,
                available=self.handoffs,
            )
        )
        return bool(self.waves)

    async def _ask(self) -> Decision:
        self.routing_calls += 1
        view = RoutingView(
            request=self.task.request,
            context=self.task.context,
            language=self.task.language,
            members=self.supervisor.cards,
            results=tuple(
                ResultSummary(member=item.agent, status=item.status, summary=item.summary[:500])
                for item in self.results
            ),
            handoffs=tuple(self.handoffs),
            in_scope="/" in self.path,
        )
        return await self.supervisor.decide(view, self.path)

    def _no_route(self) -> None:
        if self.results:  # the router has nothing more to add: that is a FINISH
            return
        names = ", ".join(self.team.by_name)
        message = f"No member of `{self.path}` serves this request; it has {names}."
        self.ending = _Ending("no_route", ErrorInfo(type="NoRouteError", message=message))

    def runnable(self, wave: Wave) -> list[Assignment]:
        """Return the calls whose needs are there; the others become skipped results."""
        ready: list[Assignment] = []
        for assignment in wave:
            missing = [
                kind
                for kind in self.supervisor.flows[assignment.member].needs
                if kind not in self.handoffs and kind not in self.task.handoffs
            ]
            if missing:
                self._skip(assignment, missing)
            else:
                ready.append(assignment)
        return ready

    def _skip(self, assignment: Assignment, missing: Sequence[str]) -> None:
        path = self._next_path(assignment.member)
        cause = f"it needs {', '.join(missing)}, which no member gave"
        with record_span(
            kind="agent",
            path=path,
            team=self.team.name,
            agent_name=assignment.member,
            status="skipped",
            action="bypassed",
            error={"type": "MissingHandoff", "message": cause},
        ):
            pass
        self.skipped.append(
            Result(
                agent=assignment.member,
                path=path,
                status="skipped",
                role=assignment.role,
                error=ErrorInfo(type="MissingHandoff", message=cause),
                bypassed=(Bypass(path=path, cause=cause, action="skipped"),),
            )
        )

    def affords(self, wave: Sequence[Assignment]) -> bool:
        """Tell whether the budgets allow this wave; if not, the ending says why."""
        asked = sum(assignment.role != "preparation" for assignment in wave)
        reason = current_run().budget.exhausted(next_hops=len(wave))
        if reason is None and self.hops + asked > len(self.team.by_name) + 1:
            reason = "loop_limit"
        if reason is None and all(
            self.digests.get(item.member) == self._digest(item) for item in wave
        ):
            reason = "loop_limit"
        if reason is not None:
            self.ending.reason = reason
            self.waves = []
        self.hops += asked
        return reason is None

    def send(self, wave: Sequence[Assignment]) -> Command[Any]:
        """Fan the wave out."""
        current_run().budget.hops_used += len(wave)
        digests = {assignment.member: self._digest(assignment) for assignment in wave}
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
        update: SupervisorState = {
            "results": [result.model_dump(mode="json") for result in self.skipped],
            "waves": waves_to_state(self.waves),
            "running": [assignment.model_dump(mode="json") for assignment in wave],
            "plan_is_final": self.plan_is_final,
            "hops": self.hops,
            "routing_calls": self.routing_calls,
            "visits": self.visits,
            "digests": digests,
        }
        return Command(goto=sends, update=update)

    def end(self) -> Command[Any]:
        """Conclude the visit with what is there."""
        results = [*self.results, *self.skipped]
        outcome = conclude(
            results,
            summary=self.team.finish(self.task, self._shown(results)),
            handoffs=self._exported(results),
            reason=self.ending.reason,
            error=self.ending.error,
            routing_calls=self.routing_calls,
        )
        return Command(goto=END, update={"outcome": outcome.model_dump(mode="json")})

    def _shown(self, results: Sequence[Result]) -> list[Result]:
        members = self.team.by_name
        return shown_results(
            results,
            {name: agent.presents for name, agent in members.items()},
            {name: tuple(agent.flow.gives) for name, agent in members.items()},
        )

    def _exported(self, results: Sequence[Result]) -> Handoffs:
        """Return what may leave the team: a checked kind only after its check went well."""
        fine = {result.agent for result in results if result.status == "ok"}
        held = {kind for kind, checker in self.team.checks.items() if checker not in fine}
        made_here = f"{self.path}/"
        return {
            kind: made
            for kind in self.team.export_kinds
            if kind not in held
            and (
                made := [r for r in self.handoffs.get(kind, ()) if r["path"].startswith(made_here)]
            )
        }

    def _task_for(self, assignment: Assignment) -> Task:
        takes = self.supervisor.flows[assignment.member].takes
        return Task(
            request=assignment.request,
            context=self.task.context,
            language=self.task.language,
            attachments=self.task.attachments,
            handoffs=narrow(self.handoffs, takes),
            wanted_kinds=assignment.wanted_kinds,
        )

    def _digest(self, assignment: Assignment) -> str:
        """Return what tells two calls of a member apart: words, wishes and hand-offs."""
        takes = self.supervisor.flows[assignment.member].takes
        content = [
            assignment.request,
            assignment.wanted_kinds,
            {kind: self.handoffs[kind] for kind in sorted(takes & self.handoffs.keys())},
        ]
        return hashlib.sha256(orjson.dumps(content)).hexdigest()

    def _next_path(self, member: str) -> str:
        count = self.visits[member] = self.visits.get(member, 0) + 1
        return f"{self.path}/{member}" if count == 1 else f"{self.path}/{member}#{count}"


def _member_node(team: "Team", agent: BaseAgent[Any, Any]) -> Any:
    """Return the node that calls `agent`; it holds the graph in its closure.

    LangGraph finds sub-graphs by walking closures, so `minerva graph` and state inspection
    see the whole tree.
    """
    graph = agent.graph
    caller = _Caller(team, agent)

    async def call(state: MemberState) -> dict[str, Any]:
        return await caller.call(graph.ainvoke, state)

    return call


class _Caller:
    """Calls one member through the firewall and turns whatever happens into a Result."""

    def __init__(self, team: "Team", agent: BaseAgent[Any, Any]) -> None:
        self.team, self.agent = team, agent
        self.name = agent.record_name
        self.action: Any = "substituted" if agent.name in team.substitutes else "bypassed"

    async def call(self, run_graph: Any, state: MemberState) -> dict[str, Any]:
        """Run the member; only control flow of LangGraph passes through."""
        assignment = Assignment.model_validate(state["assignment"])
        task = Task.model_validate(state["task"])
        path = state["path"]
        started_ns = time.time_ns()
        handoffs: Handoffs = {}
        with record_span(
            kind="agent",
            path=path,
            team=self.agent.name if self.agent.is_team else self.team.name,
            agent_name=self.name,
        ) as span:
            try:
                result, handoffs = await self._through_the_firewall(
                    run_graph, assignment, task, path
                )
            except GraphBubbleUp:
                raise
            except Exception as error:  # noqa: BLE001  # a worker's failure is data
                span.set_error(error)
                result = self._failed(assignment, path, error)
            span.set(status=result.status)
            if result.status != "ok":
                span.set(action=self.action)
            if result.reason:
                span.set(reason=result.reason)
        if not self.agent.is_team:
            hop = Hop(
                path=path,
                agent_name=self.name,
                team=self.team.name,
                status=result.status,
                ms=span.ms,
                started_ns=started_ns,
            )
            result = result.model_copy(update={"hops": (hop,)})
        return {"results": [result.model_dump(mode="json")], "handoffs": handoffs}

    async def _through_the_firewall(
        self, run_graph: Any, assignment: Assignment, task: Task, path: str
    ) -> tuple[Result, Handoffs]:
        run = current_run()
        entering = convert_in(self.agent, task, run.store)
        hide_sensitive(self.agent, entering)
        limit = min(self.agent.timeout or run.budget.seconds_left, run.budget.seconds_left)
        if self.agent.is_team:
            final = await within(run_graph(entering), seconds=limit, path=path)
        else:
            async with run.budget.workers:
                final = await within(run_graph(entering), seconds=limit, path=path)
        result, handoffs = convert_out(
            self.agent, final, path=path, role=assignment.role, store=run.store
        )
        if result.status != "ok":
            result = self._bypassed(result)
        return result, handoffs

    def _failed(self, assignment: Assignment, path: str, error: Exception) -> Result:
        result = Result(
            agent=self.agent.name,
            path=path,
            status="timeout" if isinstance(error, AgentTimeoutError) else "failed",
            role=assignment.role,
            error=_info(error),
            usage=Usage(),
        )
        return self._bypassed(result)

    def _bypassed(self, result: Result) -> Result:
        cause = f"{result.error.type}: {result.error.message}" if result.error else result.status
        entry = Bypass(path=result.path, cause=cause, action=self.action)
        return result.model_copy(update={"bypassed": (*result.bypassed, entry)})


def _info(error: Exception) -> ErrorInfo:
    text = str(error) if isinstance(error, MinervaError) else str(error)[:2000]
    return ErrorInfo(type=type(error).__name__, message=text)
