"""Make agents of what people already have: a function, or a compiled LangGraph graph.

The first step of a migration: behaviour stays, only the interface becomes the same.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import NoneType
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, cast, get_origin, get_type_hints

from langgraph.graph import START, StateGraph
from pydantic import BaseModel

from minerva_platform.contract.agent import AgentInput, AgentOutput, BaseAgent, InputMode
from minerva_platform.contract.values import Turn
from minerva_platform.errors import ContractError, OutputError

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph


class _CallState(TypedDict):
    given: dict[str, Any]
    returned: NotRequired[dict[str, Any]]


class _CallableAgent(BaseAgent[BaseModel, BaseModel]):
    """A function behind the agent contract."""

    state_schema = _CallState

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        hints = get_type_hints(function)
        taken = [hints.get(name, str) for name in inspect.signature(function).parameters]
        self.takes_text = taken == [str]
        model = AgentInput if self.takes_text else _model(taken[0] if len(taken) == 1 else None)
        if model is None:
            message = (
                f"`{function.__name__}` must take one argument: the request as `str`, "
                "or its Input as a pydantic model."
            )
            raise ContractError(message)
        self.Input = model
        self.Output = _answer_model(function.__name__, hints.get("return", Any))

    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return a graph of one node that calls the function."""
        builder: StateGraph[Any, Any, Any, Any] = StateGraph(_CallState)
        call = self._acall if inspect.iscoroutinefunction(self.function) else self._call
        builder.add_node("call", call)
        builder.add_edge(START, "call")
        return builder

    def input_to_state(self, payload: BaseModel) -> dict[str, Any]:
        """Keep the Input as JSON: a checkpoint cannot know the model of an untyped channel."""
        return {"given": payload.model_dump(mode="json")}

    def state_to_output(self, state: Mapping[str, Any]) -> BaseModel:
        """Return the function's answer."""
        return super().state_to_output(state["returned"])

    def _argument(self, state: _CallState) -> Any:
        given = state["given"]
        return given["request"] if self.takes_text else self.Input.model_validate(given)

    def _call(self, state: _CallState) -> dict[str, Any]:
        return {"returned": self._fields(self.function(self._argument(state)))}

    async def _acall(self, state: _CallState) -> dict[str, Any]:
        return {"returned": self._fields(await self.function(self._argument(state)))}

    def _fields(self, returned: Any) -> dict[str, Any]:
        """Return the fields of the Output; a text is its summary."""
        if isinstance(returned, str):
            return {"summary": returned}
        if isinstance(returned, BaseModel):
            return returned.model_dump(mode="json")
        if isinstance(returned, Mapping):
            return dict(cast("Mapping[str, Any]", returned))
        reason = f"the function returned {type(returned).__name__}, not a text, a model or a dict."
        raise OutputError(self.name, reason)


class _GraphAgent(BaseAgent[BaseModel, BaseModel]):
    """A compiled graph behind the agent contract."""

    def __init__(
        self,
        compiled: "CompiledStateGraph[Any, Any, Any, Any]",
        *,
        to_state: Callable[[Any], dict[str, Any]] | None,
        to_output: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None,
    ) -> None:
        self.compiled = compiled
        self.state_schema = compiled.builder.state_schema
        self.to_state, self.to_output = to_state, to_output

    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return the graph as its author built it."""
        return self.compiled.builder

    @cached_property
    def graph(self) -> "CompiledStateGraph[Any, Any, Any, Any]":
        """The author's compiled graph, listened to."""
        from minerva_platform.calls.langchain_callbacks import GraphListener  # noqa: PLC0415  # only wrapped graphs need it

        return self.compiled.with_config(
            callbacks=[GraphListener(self.name)],
            recursion_limit=self.max_steps,
            metadata={"lc_agent_name": self.name},
        )

    def input_to_state(self, payload: BaseModel) -> dict[str, Any]:
        """Return the first state: by `to_state`, as a user message, or field by field."""
        if self.to_state is not None:
            return self.to_state(payload)
        if "messages" in self.compiled.channels:
            return {"messages": _messages(payload)}
        fields = super().input_to_state(payload)
        return {key: value for key, value in fields.items() if key in self.compiled.channels}

    def state_to_output(self, state: Mapping[str, Any]) -> BaseModel:
        """Return the Output: by `to_output`, from the last message, or field by field."""
        if self.to_output is not None:
            return super().state_to_output(self.to_output(state))
        if "summary" not in state and state.get("messages"):
            return super().state_to_output({**state, "summary": _text(state["messages"][-1])})
        return super().state_to_output(state)


def agent_from_callable(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    description: str | None = None,
    examples: Sequence[str] = (),
) -> BaseAgent[Any, Any]:
    """Return an agent that calls `function`, sync or async.

    It takes the request as `str` or an Input model, and returns a `str` (the summary), an
    Output model, or a dict that fits it. Name and description default to the function's own.

    Raises:
        ContractError: the function takes something else.
    """
    agent = _CallableAgent(function)
    agent.name = name or function.__name__
    agent.description = description or inspect.getdoc(function) or ""
    agent.examples = _several(examples)
    return agent


def agent_from_graph(  # noqa: PLR0913  # each says one thing about the agent
    graph: "CompiledStateGraph[Any, Any, Any, Any]",
    *,
    name: str,
    description: str,
    examples: Sequence[str] = (),
    input_mode: InputMode = "query",
    input_model: type[BaseModel] = AgentInput,
    output_model: type[BaseModel] = AgentOutput,
    to_state: Callable[[Any], dict[str, Any]] | None = None,
    to_output: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None,
) -> BaseAgent[Any, Any]:
    """Return an agent that runs a compiled graph, the results of `create_agent` included.

    A graph with a `messages` channel gets the request as a user message (after the conversation,
    with `input_mode="full"`) and answers with its last message; any other exchanges the fields of
    the same name. `to_state` (Input -> first state) and `to_output` (last state -> fields of the
    Output) say otherwise.
    """
    agent = _GraphAgent(graph, to_state=to_state, to_output=to_output)
    agent.name, agent.description, agent.examples = name, description, _several(examples)
    agent.input_mode, agent.Input, agent.Output = input_mode, input_model, output_model
    return agent


_NO_ANSWERS = (int, float, complex, bytes, list, tuple, set, frozenset, NoneType)
"""What no summary, model or dict is."""


def _several(examples: Sequence[str]) -> Sequence[str]:
    """Return them as a tuple; one text stays what it is, so that `minerva check` can say so."""
    return examples if isinstance(examples, str) else tuple(examples)


def _answer_model(name: str, annotation: Any) -> type[BaseModel]:
    """Return the Output of a function with this return annotation.

    Raises:
        ContractError: it is a class whose objects could never be an answer.
    """
    made = get_origin(annotation) or annotation
    if isinstance(made, type) and issubclass(made, _NO_ANSWERS):
        message = (
            f"`{name}` returns `{made.__name__}`; let it return the summary as `str`, "
            "its Output as a pydantic model, or a dict that fits it."
        )
        raise ContractError(message)
    return _model(annotation) or AgentOutput


def _messages(payload: BaseModel) -> list[dict[str, str]]:
    """Return the turns before the request, if it got any, and the request, as messages."""
    turns: tuple[Turn, ...] = getattr(payload, "conversation", ())
    said = [(role, text) for t in turns for role, text in (("user", t.request), ("ai", t.answer))]
    said.append(("user", getattr(payload, "request", "")))
    return [{"role": role, "content": text} for role, text in said]


def _model(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return None


def _text(message: Any) -> str:
    text = getattr(message, "text", None)
    return str(text() if callable(text) and not isinstance(text, str) else text or "")
