"""BaseAgent v2: the contract every worker and every team fulfils.

An agent has a name, a description, its own state and its own graph, and can be used alone:
`RetrievalAgent().invoke({"request": "환자 이름"})`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar, cast

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from minerva_platform.contract import Artifact, AttachmentUse, Citation, Frozen, Turn
from minerva_platform.errors import BindingError, OutputError
from minerva_platform.flow import Flow, worker_flow
from minerva_platform.language import Language, language_of
from minerva_platform.routing.protocol import MemberCard

if TYPE_CHECKING:
    from collections.abc import Callable

    from langgraph.graph import StateGraph
    from langgraph.graph.state import CompiledStateGraph

    from minerva_platform.models.model import Model

InputMode = Literal["query", "context", "full"]
"""What words a member gets: its own part only, also the person's original words, or also the
conversation before them."""


Isolation = Literal["thread", "process"]
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


class BaseAgent(ABC, Generic[InputT, OutputT]):
    """What a supervisor may choose: a worker, or a team of workers.

    Subclasses set the class attributes and write `build_graph`. By default each Input field
    becomes a key of the graph's first state, and each Output field is read from its last.
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
    isolation: ClassVar[Isolation] = "thread"
    """Where it works: beside the others, or in a process that is killed when its time is up."""

    Input: type[InputT]
    Output: type[OutputT]
    state_schema: type[Any]

    model: "Model | None" = None
    """What helps with language; configuration sets it, and everything works without."""

    is_team: bool = False
    """Whether it is a supervisor with members of its own."""

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

    @abstractmethod
    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return the agent's own graph, not compiled."""

    @cached_property
    def graph(self) -> "CompiledStateGraph[Any, Any, Any, Any]":
        """The compiled graph, its nodes timed; built once."""
        from minerva_platform.nodes import compile_recorded  # noqa: PLC0415  # langgraph is heavy

        return compile_recorded(self)

    @cached_property
    def flow(self) -> Flow:
        """The hand-offs it needs, wants and gives."""
        return worker_flow(self.name, self.Input, self.Output)

    def input_to_state(self, payload: InputT) -> dict[str, Any]:
        """Return the graph's first state."""
        return {name: getattr(payload, name) for name in type(payload).model_fields}

    def state_to_output(self, state: Mapping[str, Any]) -> OutputT:
        """Return the Output that the graph's last state holds.

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
        """Let the agent's model help, if it has one (`minerva_platform.assist`)."""
        from minerva_platform.assist import accept, assist  # noqa: PLC0415  # only where a model is

        return await assist(
            self.model,
            prompt,
            schema=schema,
            instead=instead,
            check=check or accept,
            system=system,
        )

    async def ainvoke(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Run the agent alone, without any supervisor, and return its Output as JSON."""
        from minerva_platform.nodes import run_alone  # noqa: PLC0415  # langgraph is heavy

        return await run_alone(self, payload)

    def invoke(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Do what `ainvoke` does, for callers without an event loop."""
        from minerva_platform.threads import run_sync  # noqa: PLC0415  # asyncio is not free

        return run_sync(self.ainvoke, payload)


def validation_text(error: ValidationError) -> str:
    """Return pydantic's findings in one line, without the values (they may be personal)."""
    return "; ".join(_finding(item) for item in error.errors(include_url=False)) + "."


def _finding(item: Any) -> str:
    place = ".".join(str(part) for part in item["loc"]) or "(whole)"
    got = f", got {type(item['input']).__name__}" if item["type"].endswith("_type") else ""
    return f"`{place}`: {item['msg']}{got}"


def _output_text(error: ValidationError) -> str:
    """Return the findings, and of a field that is not there how it is set."""
    items = error.errors(include_url=False)
    return "; ".join(_unset(item) or f"{_finding(item)}." for item in items)


def _unset(item: Any) -> str | None:
    if item["type"] != "missing" or len(item["loc"]) != 1:
        return None
    name = item["loc"][0]
    return f"`{name}`: nothing has set it; was `return {{'{name}': …}}` forgotten?"
