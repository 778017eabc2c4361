"""BaseAgent v2: the contract that every worker and every team fulfils.

An agent has a name, a description, and either one step (`work`) or a graph of its own
(`build_graph`). It can be used alone: `RetrievalAgent().run(AgentInput(request="환자 이름"))`.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Generic,
    Literal,
    TypedDict,
    TypeVar,
    cast,
    final,
    get_args,
    get_origin,
)

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator

from minerva_platform.contract.attachment import Attachment, AttachmentUse
from minerva_platform.contract.dataflow import Flow, worker_flow
from minerva_platform.contract.engine import LanguageModel, engine
from minerva_platform.contract.router import Evidence, MemberCard, OutputMode
from minerva_platform.contract.task import Turn
from minerva_platform.contract.transfer import Transfer, in_tuple
from minerva_platform.contract.values import Artifact, Citation, Frozen, Shown
from minerva_platform.errors import BindingError, OutputError
from minerva_platform.text.language import Language
from minerva_platform.text.language_detection import language_of
from minerva_platform.text.validation_error import finding_text

if TYPE_CHECKING:
    from langgraph.graph import StateGraph
    from langgraph.graph.state import CompiledStateGraph

    from minerva_platform.config.settings import TeamSettings

InputMode = Literal["query", "context", "full"]
"""The words that a member gets: its own part of the request only, also the person's original words,
or also the conversation before them."""


Isolation = Literal["none", "process"]
"""Where a worker runs: in this process, or in one of its own, which can be killed."""


class AgentInput(BaseModel):
    """The fields that every worker may ask for. A worker's Input adds its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    request: str = ""
    context: str = ""
    conversation: tuple[Turn, ...] = ()
    meant: tuple[Shown, ...] = ()
    """Names that answers of earlier turns showed and that this request refers to."""
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
    """The fields that every worker may answer with. A worker's Output adds its own."""

    summary: str
    citations: tuple[Citation, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    files: tuple[AttachmentUse, ...] = ()
    """Every attached file that the worker was given, and what it did with the file."""
    unused: tuple[str, ...] = ()
    """Quoted words of the request that carry content and change nothing in the answer. A worker
    that sets this field, even to `()`, took all other words into account."""
    shown: tuple[Shown, ...] = ()
    """What the answer names, so that the next turn can refer to it ("the second one")."""
    transfers: Annotated[tuple[Transfer, ...], BeforeValidator(in_tuple)] = ()
    """To whom control passes. Only a member of a `Network` may pass it."""


class WorkerState(TypedDict):
    """What a worker's graph may hand on of what every worker is given and answers with.

    The state of a worker adds its own keys.
    """

    request: str
    context: str
    meant: tuple[Shown, ...]
    language: Language
    summary: str
    citations: tuple[Citation, ...]
    artifacts: tuple[Artifact, ...]
    files: tuple[AttachmentUse, ...]
    unused: tuple[str, ...]
    shown: tuple[Shown, ...]


REPORTS = ("files", "unused", "shown")
"""Output fields that an Input may have, too. A state then holds the Input's value, which is no
report."""

InputT = TypeVar("InputT", bound=BaseModel)
OutputT = TypeVar("OutputT", bound=BaseModel)
AnswerT = TypeVar("AnswerT", bound=BaseModel)


class BaseAgent(Generic[InputT, OutputT]):
    """A worker or a team, which a supervisor may choose.

    Subclasses set the class attributes, name Input and Output as type parameters, and write `work`
    (one step) or `build_graph` (several steps). Each Input field becomes a key of that graph's
    first state. Each Output field is read from its last state. `input_to_state` and
    `state_to_output` may be overridden to convert otherwise.
    """

    name: str
    """snake_case; unique among the members of a team."""
    description: str
    """What the agent does and when to choose it, in a sentence or two."""
    examples: Sequence[str] = ()
    """Ten or more requests that should reach the agent. They train the embedded router."""
    declines: Sequence[str] = ()
    """Requests that sound like the agent's own but that no member serves. They train the embedded
    router, too."""
    aspects: Sequence[str] = ()
    """Words that ask for a property and name no thing (`length`, 길이). A request that holds only
    such words is about an earlier turn of its thread."""
    input_mode: InputMode = "query"
    """The words that the agent gets beside its own part: none, the person's original words
    (`context`), or also the turns before them (`conversation`)."""
    output_mode: OutputMode = "summary"
    """What a router that reads answers sees of its Output: the summary, also its own fields as
    JSON, without those in `sensitive`, or also its graph's `messages`."""
    timeout: float | None = None
    """Seconds after which a call of the agent is given up. None means at the run's deadline."""
    max_steps: int = 100
    """Steps after which its graph is stopped as a loop (LangGraph's own default is 10,007)."""
    presents: Sequence[str] = ()
    """Kinds that its summary shows in full. The summaries of their producers leave the answer."""
    sensitive: Sequence[str] = ()
    """Input and Output fields whose values no record may hold."""
    isolation: ClassVar[Isolation] = "none"
    """Where the agent runs: in this process, or in one that is killed when its time is up."""
    background: bool = False
    """True if a call of it starts a run of its own, which its thread owns, and comes back at once.
    If nothing of the run is kept, it is called like any other member."""

    Input: type[InputT]
    """Read from `BaseAgent[Input, Output]`, unless the class sets it."""
    Output: type[OutputT]
    """Read from `BaseAgent[Input, Output]`, unless the class sets it."""
    _models: ClassVar[Any] = (InputT, OutputT)  # type: ignore[misc]  # as objects, not as types
    """Input and Output from the type parameters. A parameter may still be open."""

    model: LanguageModel | None = None
    """The model that helps with language. Configuration sets it; every agent works without one."""

    is_team: bool = False
    """True for a team."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Read Input and Output from the type parameters if the class does not set them."""
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
        """The `agent_name` of its records. For a team it is the supervisor's name."""
        return self.name

    @cached_property
    def card(self) -> MemberCard:
        """The agent as the router above it sees it."""
        return MemberCard(
            name=self.name,
            description=self.description,
            examples=tuple(self.examples),
            declines=tuple(self.declines),
            aspects=tuple(self.aspects),
            background=self.background,
            starts_runs=self.starts_runs,
        )

    def evidence(self, request: str, attachments: Sequence[Attachment]) -> Evidence:  # noqa: ARG002  # for those that override it
        """Return what speaks for the agent beside the sense of the words: here, nothing.

        A supervisor asks it before it routes a request. It must be quick, work offline, and read a
        bounded amount. An exception counts as nothing.
        """
        return Evidence()

    def take_settings(self, settings: "TeamSettings", *, team: str, members: Sequence[str]) -> None:
        """Take what the file of its team says, as a worker of the team of these members.

        Here it takes nothing: what every worker has is set from outside.
        """

    def declaration_problems(self) -> Iterator[str]:
        """Yield what is wrong with its declaration beyond what is checked of every agent.

        `minerva check` shows each sentence behind the agent's path.
        """
        yield from ()

    def work(self, payload: InputT, /) -> OutputT | Awaitable[OutputT]:
        """Do the whole work of a worker of one step; a subclass may make it `async def`.

        A plain `def` runs in an OS thread, so it may block.
        """
        raise NotImplementedError

    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return the agent's own graph, not compiled. The default is a graph of one step, `work`.

        Raises:
            ContractError: the class defines neither `work` nor `build_graph`.
        """
        return engine().one_step_graph(self)

    @property
    def is_one_step(self) -> bool:
        """True if the agent defines `work` and no graph of its own."""
        return type(self).build_graph is BaseAgent.build_graph

    @cached_property
    def graph(self) -> "CompiledStateGraph[Any, Any, Any, Any]":
        """The compiled graph. Each node is timed. The graph is built once."""
        return engine().compile_recorded(self)

    @cached_property
    def flow(self) -> Flow:
        """The hand-offs that the agent needs, wants and gives."""
        return worker_flow(self.name, self.Input, self.Output)

    @property
    def planned_flow(self) -> Flow:
        """The flow that its team plans with: a member in the background gives nothing in time."""
        return self.flow.in_background() if self.background else self.flow

    @property
    def starts_runs(self) -> bool:
        """True if it, or a member below it, works in the background."""
        return self.background

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
        """Return an Output filled with the keys of `state` that bear its fields' names.

        Raises:
            OutputError: a field is missing or has the wrong type.
        """
        inputs = self.Input.model_fields  # the state's keys of these names hold Input values
        fields = [n for n in self.Output.model_fields if n not in REPORTS or n not in inputs]
        try:
            return self.Output.model_validate({key: state[key] for key in fields if key in state})
        except ValidationError as error:
            raise OutputError(self.name, _output_text(error)) from error

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
        check: Callable[[AnswerT], AnswerT] | None = None,
        system: str = "",
        is_whole: bool = True,
    ) -> AnswerT:
        """Return the model's answer if `check` accepts it, else `instead` (`models.fallback`).

        `is_whole` is false if `instead` lacks something that was asked for.
        """
        return await engine().assist(
            self.model,
            prompt,
            schema=schema,
            instead=instead,
            check=check,
            system=system,
            is_whole=is_whole,
        )

    @final
    async def arun(self, payload: InputT) -> OutputT:
        """Run a worker alone, without a supervisor, and return its Output.

        Raises:
            MinervaError: the worker failed.
            RunError: the agent is a team. Use `aask` for a team.
        """
        return cast("OutputT", await engine().run_standalone(self, payload))

    @final
    def run(self, payload: InputT) -> OutputT:
        """Do what `arun` does, for callers without an event loop."""
        return cast("OutputT", engine().run_sync(self.arun, payload))

    async def ainvoke(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Run the agent alone, without a supervisor, and return its Output as JSON."""
        return (await self.arun(self.validate_input(payload))).model_dump(mode="json")

    def invoke(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Do what `ainvoke` does, for callers without an event loop."""
        result: dict[str, Any] = engine().run_sync(self.ainvoke, payload)
        return result


def _output_text(error: ValidationError) -> str:
    """Return pydantic's findings. For a missing field, say how to set it."""
    items = error.errors(include_url=False)
    return "; ".join(_unset(item) or f"{finding_text(item)}." for item in items)


def _unset(item: Any) -> str | None:
    if item["type"] != "missing" or len(item["loc"]) != 1:
        return None
    name = item["loc"][0]
    return f"`{name}`: nothing has set it; was `return {{'{name}': …}}` forgotten?"
