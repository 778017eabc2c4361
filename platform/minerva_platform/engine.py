"""The runtime behind `contract.engine`, which agents find by the name of this module.

Each method imports its part of the runtime at its first call: LangGraph takes a second to load.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from minerva_platform.config.limits import RunLimits
from minerva_platform.config.model_spec import ModelSpec
from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.engine import Engine, LanguageModel
from minerva_platform.contract.run_object import DecisionBatch, Run, RunEvent
from minerva_platform.contract.task import Task
from minerva_platform.contract.team import Team

if TYPE_CHECKING:
    from langgraph.graph import StateGraph
    from langgraph.graph.state import CompiledStateGraph


AnswerT = TypeVar("AnswerT", bound=BaseModel)


class RuntimeEngine:
    """Runs workers and teams on LangGraph."""

    def compiled_worker(
        self, agent: BaseAgent[Any, Any]
    ) -> "CompiledStateGraph[Any, Any, Any, Any]":
        """Return the worker's compiled graph. Each node is timed."""
        from minerva_platform.runtime.recorded_nodes import compile_recorded  # noqa: PLC0415

        return compile_recorded(agent)

    def one_step_graph(self, agent: BaseAgent[Any, Any]) -> "StateGraph[Any, Any, Any, Any]":
        """Return a graph of one node, which calls the worker's `work`."""
        from minerva_platform.runtime import recorded_nodes  # noqa: PLC0415

        return recorded_nodes.one_step_graph(agent)

    def assembled_team(self, team: Team | AssembledTeam) -> AssembledTeam:
        """Return a declared team as it runs by itself; made once, and anew once it has changed."""
        from minerva_platform.assembly.assemble import assembled_alone  # noqa: PLC0415

        return assembled_alone(team)

    def supervisor_graph(self, team: AssembledTeam) -> "StateGraph[Any, Any, Any, Any]":
        """Return the graph of the team's supervisor, not compiled."""
        from minerva_platform.runtime.supervisor import build_supervisor  # noqa: PLC0415

        return build_supervisor(team)

    def first_state(self, task: Task) -> dict[str, Any]:
        """Return the state in which the graph of a supervisor begins."""
        from minerva_platform.runtime import state  # noqa: PLC0415

        return state.first_state(task)

    async def run_worker(self, agent: BaseAgent[Any, Any], payload: BaseModel) -> BaseModel:
        """Run a worker alone and return its Output. A failure is raised."""
        from minerva_platform.runtime.member_call import run_standalone  # noqa: PLC0415

        return await run_standalone(agent, payload)

    async def run_team(
        self,
        team: Team | AssembledTeam,
        task: Task,
        *,
        thread: str | None = None,
        limits: RunLimits | None = None,
    ) -> Run:
        """Run a team as the root and return the run object. Failures are in it."""
        from minerva_platform.durable.incoming_request import ask_team  # noqa: PLC0415
        from minerva_platform.runtime import run_options as options  # noqa: PLC0415

        async with options.team_options(thread, limits) as surroundings:
            return await ask_team(self.assembled_team(team), task, surroundings)

    async def resume_team(
        self, team: Team | AssembledTeam, run_id: str, batch: DecisionBatch
    ) -> Run:
        """Move on a run of a team that was asked by itself, and return the run object."""
        from minerva_platform.durable.run_continuation import resume_team  # noqa: PLC0415
        from minerva_platform.runtime import run_options as options  # noqa: PLC0415

        async with options.resume_options() as surroundings:
            return await resume_team(self.assembled_team(team), run_id, batch, surroundings)

    async def stream_resumed_team(
        self, team: Team | AssembledTeam, run_id: str, batch: DecisionBatch
    ) -> AsyncGenerator[RunEvent]:
        """Yield each span of a run that goes on as it starts and finishes, then the run."""
        from minerva_platform.durable.run_continuation import stream_resumed_team  # noqa: PLC0415
        from minerva_platform.runtime import run_options as options  # noqa: PLC0415

        async with options.resume_options() as surroundings:
            stream = stream_resumed_team(self.assembled_team(team), run_id, batch, surroundings)
            async with aclosing(stream) as events:
                async for event in events:
                    yield event

    async def stream_team(
        self,
        team: Team | AssembledTeam,
        task: Task,
        *,
        thread: str | None = None,
        limits: RunLimits | None = None,
    ) -> AsyncGenerator[RunEvent]:
        """Yield each span of a run of `team` as it starts and finishes, then the run."""
        from minerva_platform.durable.incoming_request import stream_team  # noqa: PLC0415
        from minerva_platform.runtime import run_options as options  # noqa: PLC0415

        async with (
            options.team_options(thread, limits) as surroundings,
            aclosing(stream_team(self.assembled_team(team), task, surroundings)) as events,
        ):
            async for event in events:
                yield event

    def run_sync(self, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Call a coroutine function where no event loop runs, and return what it returns."""
        from minerva_platform.run_context import blocking  # noqa: PLC0415

        return blocking.run_sync(function, *arguments, **keywords)

    def model_of(self, spec: ModelSpec) -> LanguageModel:
        """Return the model that `spec` describes. No request is sent yet."""
        from minerva_platform.models.model import Model  # noqa: PLC0415

        return Model(spec)

    async def assist(
        self,
        model: LanguageModel | None,
        prompt: str,
        *,
        schema: type[AnswerT],
        instead: AnswerT,
        check: Callable[[AnswerT], AnswerT] | None,
        system: str,
    ) -> AnswerT:
        """Return the model's answer if `check` accepts it, else `instead`."""
        from minerva_platform.models import fallback  # noqa: PLC0415

        accepted = check or fallback.accept
        return await fallback.assist(
            model, prompt, schema=schema, instead=instead, check=accepted, system=system
        )


engine: Engine = RuntimeEngine()
