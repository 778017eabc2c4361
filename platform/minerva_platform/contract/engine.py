"""The seam through which an agent finds the runtime that runs it.

Authors import the contract, so it imports neither LangGraph nor asyncio, which take a second to
load. Each function here imports its part of the runtime at its first call. These are the only
imports of the project that lead from a lower layer to a higher one.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from minerva_platform.config.limits import RunLimits
from minerva_platform.config.model_spec import ModelSpec
from minerva_platform.contract.decision import DecisionBatch
from minerva_platform.contract.run_object import Run, RunEvent
from minerva_platform.contract.task import Task

if TYPE_CHECKING:
    from langgraph.graph import StateGraph
    from langgraph.graph.state import CompiledStateGraph

    from minerva_platform.contract.agent import BaseAgent
    from minerva_platform.contract.team import Team
    from minerva_platform.models.model import Model

AnswerT = TypeVar("AnswerT", bound=BaseModel)
T = TypeVar("T")


def compiled_worker(agent: "BaseAgent[Any, Any]") -> "CompiledStateGraph[Any, Any, Any, Any]":
    """Return the worker's compiled graph. Each node is timed."""
    from minerva_platform.runtime.recorded_nodes import compile_recorded  # noqa: PLC0415

    return compile_recorded(agent)


def one_step_graph(agent: "BaseAgent[Any, Any]") -> "StateGraph[Any, Any, Any, Any]":
    """Return a graph of one node, which calls the worker's `work`."""
    from minerva_platform.runtime import recorded_nodes  # noqa: PLC0415

    return recorded_nodes.one_step_graph(agent)


def supervisor_graph(team: "Team") -> "StateGraph[Any, Any, Any, Any]":
    """Return the graph of the team's supervisor, not compiled."""
    from minerva_platform.runtime.supervisor import build_supervisor  # noqa: PLC0415

    return build_supervisor(team)


def first_state(task: Task) -> dict[str, Any]:
    """Return the state in which the graph of a supervisor begins."""
    from minerva_platform.runtime import state  # noqa: PLC0415

    return state.first_state(task)


async def run_worker(agent: "BaseAgent[Any, Any]", given: BaseModel) -> BaseModel:
    """Run a worker alone and return its Output. A failure is raised."""
    from minerva_platform.runtime.standalone_worker import run_standalone  # noqa: PLC0415

    return await run_standalone(agent, given)


async def run_team(
    team: "Team", task: Task, *, thread: str | None = None, limits: RunLimits | None = None
) -> Run:
    """Run a team as the root and return the run object. Failures are in it."""
    from minerva_platform.durable import asking  # noqa: PLC0415
    from minerva_platform.runtime import options  # noqa: PLC0415

    async with options.team_options(thread, limits) as surroundings:
        return await asking.ask_team(team, task, surroundings)


async def resume_team(team: "Team", run_id: str, batch: DecisionBatch) -> Run:
    """Move on a run of a team that was asked by itself, and return the run object."""
    from minerva_platform.durable import advance  # noqa: PLC0415
    from minerva_platform.runtime import options  # noqa: PLC0415

    async with options.resume_options() as surroundings:
        return await advance.resume_team(team, run_id, batch, surroundings)


async def stream_resumed_team(
    team: "Team", run_id: str, batch: DecisionBatch
) -> AsyncGenerator[RunEvent]:
    """Yield each span of a run that goes on as it starts and finishes, then the run."""
    from minerva_platform.durable import advance  # noqa: PLC0415
    from minerva_platform.runtime import options  # noqa: PLC0415

    async with options.resume_options() as surroundings:
        stream = advance.stream_resumed_team(team, run_id, batch, surroundings)
        async with aclosing(stream) as events:
            async for event in events:
                yield event


async def stream_team(
    team: "Team", task: Task, *, thread: str | None = None, limits: RunLimits | None = None
) -> AsyncGenerator[RunEvent]:
    """Yield each span of a run of `team` as it starts and finishes, then the run."""
    from minerva_platform.durable import asking  # noqa: PLC0415
    from minerva_platform.runtime import options  # noqa: PLC0415

    async with (
        options.team_options(thread, limits) as surroundings,
        aclosing(asking.stream_team(team, task, surroundings)) as events,
    ):
        async for event in events:
            yield event


def run_sync(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Call a coroutine function where no event loop runs, and return what it returns."""
    from minerva_platform.calls import blocking  # noqa: PLC0415

    return blocking.run_sync(function, *arguments, **named)


def model_of(spec: ModelSpec) -> "Model":
    """Return the model that `spec` describes. No request is sent yet."""
    from minerva_platform.models.model import Model  # noqa: PLC0415

    return Model(spec)


async def assist(
    model: "Model | None",
    prompt: str,
    *,
    schema: type[AnswerT],
    instead: AnswerT,
    check: "Callable[[AnswerT], AnswerT] | None",
    system: str,
) -> AnswerT:
    """Return the model's answer if `check` accepts it, else `instead`."""
    from minerva_platform.models import fallback  # noqa: PLC0415

    accepted = check or fallback.accept
    return await fallback.assist(
        model, prompt, schema=schema, instead=instead, check=accepted, system=system
    )
