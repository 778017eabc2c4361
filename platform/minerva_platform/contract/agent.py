"""BaseAgent v2: the contract every worker and every team fulfils.

An agent has a name, a description and either one step (`work`) or a graph of its own
(`build_graph`), and can be used alone: `RetrievalAgent().run(AgentInput(request="환자 이름"))`.
"""

from collections.abc import Awaitable, Mapping, Sequence
from functools import cached_property
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    TypeVar,
    cast,
    final,
    get_args,
    get_origin,
)

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from minerva_platform.contract import engine
from minerva_platform.contract.attachment import AttachmentUse
from minerva_platform.contract.dataflow import Flow, worker_flow
from minerva_platform.contract.task import Turn
from minerva_platform.contract.values import Artifact, Citation, Frozen
from minerva_platform.errors import BindingError, OutputError
from minerva_platform.routing.protocol import MemberCard
from minerva_platform.text.language import Language
from minerva_platform.text.language_detection import language_of
from minerva_platform.text.validation_error import finding_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from langgraph.graph import StateGraph
    from langgraph.graph.state import CompiledStateGraph

    from minerva_platform.models.model import Model

InputMode = Literal["query", "context", "full"]
"""What words a member gets: its own part only, also the person's original words, or also the
conversation before them."""


Isolation = Literal["none", "process"]
"""Whether a worker shares this process, or has one that can be killed."""


class AgentInput(BaseModel):
    """The fields every worker may ask for; a worker's Input adds its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    request: str = ""
    context: str = ""
    conversation: tuple[Turn, ...] = ()
    language: Language = "en"

    @model_validator(mode="before")
    @classmethod
    def _fill_language(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        given = cast("Mapping[str, Any]", value)
        words = str(given.get("context") or given.get("request") or "")
        return {"language": language_of(words), **given}


class AgentOutput(Frozen):
    """The fields every worker may answer with; a worker's Output adds its own."""

    summary: str
    citations: tuple[Citation, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    files: tuple[AttachmentUse, ...] = ()
    """Every attached file that the worker was given, with what became of it."""
    unused: tuple[str, ...] = ()
    """Words of the request, quoted, that carry content and change nothing in the answer. A worker
    that sets it, if only to `()`, tells that it took all other words into account."""


REPORTS = ("files", "unused")
"""Fields of an Output that an Input may have, too; a state then holds the Input's, no report."""

InputT = TypeVar("InputT", bound=BaseModel)
OutputT = TypeVar("OutputT", bound=BaseModel)
AnswerT = TypeVar("AnswerT", bound=BaseModel)


class BaseAgent(Generic[InputT, OutputT]):
    """What a supervisor may choose: a worker, or a team of workers.

    Subclasses set the class attributes, name Input and Output as type parameters, and write
    `work` (one step) or `build_graph` (several). Each Input field becomes a key of such a graph's
    first state, and each Output field is read from its last, unless a converter says otherwise.
    """

    name: str
    """snake_case; unique among the members of a team."""
    description: str
    """What it does and when to choose it, in a sentence or two."""
    examples: Sequence[str] = ()
    """Requests that should reach it (ten or more): they train the embedded router."""
    declines: Sequence[str] = ()
    """Requests that sound like its own but are nobody's; they train the embedded router, too."""
    aspects: Sequence[str] = ()
    """Words that ask something of a thing and name none (`length`, 길이): a request of nothing else
    is about what was said before it in its conversation."""
    input_mode: InputMode = "query"
    """Whether it also gets the person's original words (`context`) and the turns before them
    (`conversation`)."""
    timeout: float | None = None
    """Seconds until a call of it is given up; None means until the run's deadline."""
    max_steps: int = 100
    """Steps of its graph until it is stopped as looping (LangGraph's own default is 10,007)."""
    presents: Sequence[str] = ()
    """Kinds that its summary shows in full: their producers' summaries leave the answer."""
    sensitive: Sequence[str] = ()
    """Fields of Input and Output whose values no record may hold."""
    isolation: ClassVar[Isolation] = "none"
    """Where it works: beside the others, or in a process that is killed when its time is up."""

    Input: type[InputT]
    """Read from `BaseAgent[Input, Output]`, unless the class sets it."""
    Output: type[OutputT]
    """Read from `BaseAgent[Input, Output]`, unless the class sets it."""
    _models: ClassVar[Any] = (InputT, OutputT)  # type: ignore[misc]  # as objects, not as types
    """Input and Output as the type parameters say them, or parameters that are still open."""

    model: "Model | None" = None
    """What helps with language; configuration sets it, and everything works without."""

    is_team: bool = False
    """Whether it is a supervisor with members of its own."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Read Input and Output from the type parameters, where the class does not set them."""
        super().__init_subclass__(**kwargs)
        for base in vars(cls).get("__orig_bases__", ()):
            generic: Any = get_origin(base)
            if isinstance(generic, type) and issubclass(generic, BaseAgent):
                cls._read_models(generic, get_args(base))

    @classmethod
    def _read_models(cls, generic: Any, arguments: tuple[Any, ...]) -> None:
        given = dict(zip(generic.__parameters__, arguments, strict=True))
        cls._models = tuple(given.get(model, model) for model in generic._models)  # noqa: SLF001  # of our own class
        for name, model in zip(("Input", "Output"), cls._models, strict=True):
            if isinstance(model, type) and name not in vars(cls):
                setattr(cls, name, model)

    @property
    def record_name(self) -> str:
        """The `agent_name` of its records; a team is called by its supervisor there."""
        return self.name

    @cached_property
    def card(self) -> MemberCard:
        """How it presents itself to the router above it."""
        return MemberCard(
            name=self.name,
            description=self.description,
            examples=tuple(self.examples),
            declines=tuple(self.declines),
            aspects=tuple(self.aspects),
        )

    def work(self, given: InputT) -> OutputT | Awaitable[OutputT]:
        """Do the whole work of a worker of one step; a subclass may make it `async def`.

        A plain `def` runs in an OS thread, so it may block.
        """
        raise NotImplementedError

    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return the agent's own graph, not compiled; by default a graph of one step, `work`.

        Raises:
            ContractError: the class writes neither of the two.
        """
        return engine.one_step_graph(self)

    @property
    def is_one_step(self) -> bool:
        """True if the agent writes `work`, and no graph of its own."""
        return type(self).build_graph is BaseAgent.build_graph

    @cached_property
    def graph(self) -> "CompiledStateGraph[Any, Any, Any, Any]":
        """The compiled graph, its nodes timed; built once."""
        return engine.compiled_worker(self)

    @cached_property
    def flow(self) -> Flow:
        """The hand-offs it needs, wants and gives."""
        return worker_flow(self.name, self.Input, self.Output)

    def input_to_state(self, payload: InputT) -> dict[str, Any]:
        """Return the graph's first state."""
        if self.is_one_step:
            return {"given": payload}
        return {name: getattr(payload, name) for name in type(payload).model_fields}

    def state_to_output(self, state: Mapping[str, Any]) -> OutputT:
        """Return the Output that the graph's last state holds.

        Raises:
            OutputError: a field is missing or has the wrong type.
        """
        if self.is_one_step:
            return cast("OutputT", state["returned"])
        return self.fields_to_output(state)

    def fields_to_output(self, state: Mapping[str, Any]) -> OutputT:
        """Return the Output that holds the fields of `state` with the names of its own.

        Raises:
            OutputError: a field is missing or has the wrong type.
        """
        fields = [n for n in self.Output.model_fields if n not in REPORTS or not self._is_given(n)]
        try:
            return self.Output.model_validate({key: state[key] for key in fields if key in state})
        except ValidationError as error:
            raise OutputError(self.name, _output_text(error)) from error

    def _is_given(self, name: str) -> bool:
        """True if the state's key of this name holds what came in."""
        return name in self.Input.model_fields

    def validate_input(self, payload: Mapping[str, Any]) -> InputT:
        """Return `payload` as this agent's Input.

        Raises:
            BindingError: names the first field that does not fit, and why.
        """
        try:
            return self.Input.model_validate(payload)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"]) or "(whole)"
            reason = f"does not fit: {first['msg']}."
            raise BindingError(self.name, field, reason) from error

    async def assist(
        self,
        prompt: str,
        *,
        schema: type[AnswerT],
        instead: AnswerT,
        check: "Callable[[AnswerT], AnswerT] | None" = None,
        system: str = "",
    ) -> AnswerT:
        """Let the agent's model help, if it has one (`minerva_platform.models.fallback`)."""
        return await engine.assist(
            self.model,
            prompt,
            schema=schema,
            instead=instead,
            check=check,
            system=system,
        )

    @final
    async def arun(self, given: InputT) -> OutputT:
        """Run a worker alone, without any supervisor, and return its Output.

        Raises:
            MinervaError: what failed.
            RunError: the agent is a team, which is asked by `aask`.
        """
        return cast("OutputT", await engine.run_worker(self, given))

    @final
    def run(self, given: InputT) -> OutputT:
        """Do what `arun` does, for callers without an event loop."""
        return cast("OutputT", engine.run_sync(self.arun, given))

    async def ainvoke(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Run the agent alone, without any supervisor, and return its Output as JSON."""
        return (await self.arun(self.validate_input(payload))).model_dump(mode="json")

    def invoke(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Do what `ainvoke` does, for callers without an event loop."""
        result: dict[str, Any] = engine.run_sync(self.ainvoke, payload)
        return result


def _output_text(error: ValidationError) -> str:
    """Return the findings, and of a field that is not there how it is set."""
    items = error.errors(include_url=False)
    return "; ".join(_unset(item) or f"{finding_text(item)}." for item in items)


def _unset(item: Any) -> str | None:
    if item["type"] != "missing" or len(item["loc"]) != 1:
        return None
    name = item["loc"][0]
    return f"`{name}`: nothing has set it; was `return {{'{name}': …}}` forgotten?"
