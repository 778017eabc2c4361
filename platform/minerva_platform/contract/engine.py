"""The runtime as agents see it: what runs them, and the model that helps them.

Authors import the contract, so it imports neither LangGraph nor asyncio, which take a second to
load, nor anything of the layers above. `engine()` finds the runtime by its name at the first call,
as the API of OpenTelemetry finds its SDK.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeAlias, TypeVar, cast

from pydantic import BaseModel

from minerva_platform.config.limits import RunLimits
from minerva_platform.config.model_spec import ModelSpec
from minerva_platform.contract.run_object import ResumeRequest, Run, RunEvent
from minerva_platform.contract.task import Task

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage
    from langgraph.graph import StateGraph
    from langgraph.graph.state import CompiledStateGraph

AnswerT = TypeVar("AnswerT", bound=BaseModel)

Surroundings: TypeAlias = AbstractAsyncContextManager[Any]
"""What opens the surroundings of a run (`runtime.run_options`)."""


class LanguageModel(Protocol):
    """A model as agents and routers use it. Every failure is a `ModelError`."""

    @property
    def spec(self) -> ModelSpec:
        """Which model it is, and how it is asked."""
        ...

    @property
    def chat(self) -> "BaseChatModel":
        """The guarded chat model, for `create_agent` and for nodes of one's own."""
        ...

    async def text(self, prompt: str, *, system: str = "") -> str:
        """Return the model's answer as text."""
        ...

    async def ask(
        self, prompt: str, *, schema: type[AnswerT], system: str = "", name: str = ""
    ) -> AnswerT:
        """Return the model's answer as `schema`, validated strictly."""
        ...

    async def call_tools(
        self, messages: "Sequence[BaseMessage]", tools: Sequence[dict[str, Any]]
    ) -> "AIMessage":
        """Return the answer to a conversation: calls of `tools`, or text."""
        ...

    def refuse(self, reason: str) -> NoReturn:
        """Raise for an unusable answer, after a caller's own check of it."""
        ...


class Engine(Protocol):
    """What runs agents. They are `Any` here, because their classes are made of this contract."""

    def compile_recorded(self, agent: Any, /) -> "CompiledStateGraph[Any, Any, Any, Any]":
        """Return the worker's compiled graph. Each node is timed."""
        ...

    def one_step_graph(self, agent: Any, /) -> "StateGraph[Any, Any, Any, Any]":
        """Return a graph of one node, which calls the worker's `work`."""
        ...

    def assembled_team(self, team: Any, /) -> Any:
        """Return a declared team as it runs by itself, without a configuration."""
        ...

    def build_supervisor(self, team: Any, /) -> "StateGraph[Any, Any, Any, Any]":
        """Return the graph of the team's supervisor, not compiled."""
        ...

    def first_state(self, task: Task, /) -> dict[str, Any]:
        """Return the state in which the graph of a supervisor begins."""
        ...

    async def run_standalone(self, agent: Any, payload: BaseModel, /) -> BaseModel:
        """Run a worker alone and return its Output. A failure is raised."""
        ...

    def team_options(
        self,
        thread: str | None = None,
        limits: RunLimits | None = None,
        *,
        keeps_state: bool = False,
    ) -> Surroundings:
        """Return what surrounds a run of a team without a platform."""
        ...

    async def run_team(
        self, team: Any, request: Task | ResumeRequest, around: Surroundings | None = None, /
    ) -> Run:
        """Run a team as the root, or let its run go on; failures are in the run object."""
        ...

    def stream_team(
        self, team: Any, request: Task | ResumeRequest, around: Surroundings | None = None, /
    ) -> AsyncGenerator[RunEvent]:
        """Yield each span of what `run_team` does as it starts and finishes, then the run."""
        ...

    def run_sync(self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Any:
        """Call a coroutine function where no event loop runs, and return what it returns."""
        ...

    async def assist(
        self,
        model: LanguageModel | None,
        prompt: str,
        /,
        *,
        schema: type[AnswerT],
        instead: AnswerT,
        check: Callable[[AnswerT], AnswerT] | None,
        system: str,
        is_whole: bool,
    ) -> AnswerT:
        """Return the model's answer if `check` accepts it, else `instead`."""
        ...


@cache
def engine() -> Engine:
    """Return what runs agents in this process."""
    return cast("Engine", import_module("minerva_platform.engine"))
