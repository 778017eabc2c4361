"""The one supervisor, for every level of the tree.

    START -> supervisor -> (Send) member … -> supervisor -> … -> END

It asks the router for goals, derives the itinerary from the contracts and visits its waves.
A member's failure is data: the declared substitute is tried, or the visit goes on without.
"""

from functools import partial
from typing import TYPE_CHECKING, Any

from langgraph.errors import GraphInterrupt
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command

from minerva_observability import Span, record_span
from minerva_platform.calls.context import NO_RUN, Meter, current_run
from minerva_platform.calls.deadline import within
from minerva_platform.calls.error_info import error_to_reason_info, info_to_row, record_step_failure
from minerva_platform.calls.pause import only_pauses
from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.values import ErrorInfo, Usage
from minerva_platform.errors import AgentTimeoutError, RunError
from minerva_platform.planning.unserved import (
    address_to,
    parts_to_row,
    spans_to_error,
    told_unserved,
)
from minerva_platform.routing.errors import RoutingError
from minerva_platform.routing.protocol import (
    Decision,
    Router,
    RoutingView,
    check_decision,
)
from minerva_platform.runtime.member_call import MemberCall
from minerva_platform.runtime.recorded_nodes import has_one_step
from minerva_platform.runtime.state import MemberState, SupervisorState
from minerva_platform.runtime.visit import Visit

if TYPE_CHECKING:
    from minerva_platform.contract.team import Team

SUPERVISOR = "supervisor"
"""The name of every supervisor's node; no member may have it."""


def build_supervisor(team: "Team") -> "StateGraph[Any, Any, Any, Any]":
    """Return the graph of `team`: its supervisor and a node for each member."""
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(SupervisorState)
    supervise = _Supervisor(team).supervise
    builder.add_node(SUPERVISOR, supervise, destinations=(*team.by_name, END))
    runnable: Any = builder.nodes[SUPERVISOR].runnable
    runnable.func = _refuse  # else `team.graph.invoke` says that a function is missing
    builder.add_edge(START, SUPERVISOR)
    for agent in team.by_name.values():
        builder.add_node(agent.name, _member_node(team, agent), input_schema=MemberState)
        builder.add_edge(agent.name, SUPERVISOR)
    return builder


def _refuse(_: SupervisorState) -> None:
    """Say how a team is asked, where its graph is called by hand.

    Raises:
        RunError: always.
    """
    raise RunError(NO_RUN)


def _member_node(team: "Team", agent: BaseAgent[Any, Any]) -> Any:
    """Return the node that calls `agent`; it holds the graph in its closure.

    LangGraph finds sub-graphs by walking closures, so `minerva graph` and state inspection
    see the whole tree.
    """
    graph = agent.graph
    member_call = MemberCall(team, agent)
    durability = "exit" if has_one_step(graph) else None

    async def call(state: MemberState) -> dict[str, Any]:
        kept = durability if current_run().keeps_state else None
        return await member_call(partial(graph.ainvoke, durability=kept), state)

    return call


class _Supervisor:
    """Chooses, never works."""

    def __init__(self, team: "Team") -> None:
        self.team = team
        self.flows = {name: agent.flow for name, agent in team.by_name.items()}

    async def supervise(self, state: SupervisorState) -> Command[Any]:
        """Go on with the itinerary, or ask the router, or end the visit."""
        current_run()  # a graph that is called by hand is told so
        visit = Visit(self.team, self.flows, state)
        visit.absorb()
        while not visit.is_over:
            if visit.waves:
                wave = visit.next_wave()
                if wave:
                    return visit.send(wave)
            elif visit.plan_is_final:
                break
            elif visit.may_ask():
                await self._plan(visit)
        return await visit.end()

    async def _plan(self, visit: Visit) -> None:
        """Let the visit follow the router; a router's failure is data, too."""
        if not visit.task.request:  # only hand-offs are wanted: nothing to choose
            visit.follow(Decision(finish=True))
            return
        meter = Meter()
        try:
            with meter.bound():
                decision = await self._decide(visit.view(), visit.path, visit.task.members)
            visit.follow(decision)
        except GraphInterrupt:
            raise
        except AgentTimeoutError as error:
            visit.stop("deadline", error_to_reason_info("deadline", error))
        except RoutingError as error:
            visit.stop("bad_decision", error_to_reason_info("bad_decision", error))
        except Exception as error:  # noqa: BLE001  # see above
            visit.stop("router_failed", error_to_reason_info("router_failed", error))
        finally:
            visit.usage += meter.usage + Usage(routing_calls=1)

    async def _decide(self, view: RoutingView, path: str, addressed: tuple[str, ...]) -> Decision:
        """Ask the router, by the run's deadline, and record what it answered.

        Nobody is asked while a task that names its members begins.
        """
        with record_span(
            kind="route",
            path=path,
            team=self.team.name,
            agent_name=self.team.record_name,
            node=SUPERVISOR,
        ) as span:
            router, typed = self.team.router, current_run().typed
            if addressed and not view.results:
                answer = address_to(addressed, view, router, typed)
            else:
                seconds = current_run().budget.seconds_left
                answer = await within(_asked(router, view, path), seconds=seconds, path=path)
            decision = told_unserved(check_decision(answer, self.team.by_name), view, typed)
            kept = decision.model_dump(
                mode="json", include={"finish", "scores", "runner_up", "margin"}
            )
            kept["goals"] = [goal.member for goal in decision.goals]
            if decision.unserved:
                kept["unserved"] = parts_to_row(decision.unserved, typed)
                self._tell_left_out(span, spans_to_error(kept["unserved"]), decision)
            span.set(router=decision.router or type(router).__name__, decision=kept)
            if decision.fallback:
                kind, _, text = decision.fallback.partition(": ")
                span.set(action="substituted", error={"type": kind, "message": text})
        return decision

    def _tell_left_out(self, span: Span, error: ErrorInfo, decision: Decision) -> None:
        """Record an unserved part; beside a fallback, in a row of its own."""
        if not decision.fallback:
            span.set(action="left_out", error=info_to_row(error))
            return
        record_step_failure(error, "left_out", team=self.team, node=SUPERVISOR)


async def _asked(router: Router, view: RoutingView, path: str) -> Decision:
    """Return what `router` decides; all it does is in a task of its own."""
    with only_pauses(path):
        return await router.decide(view)
