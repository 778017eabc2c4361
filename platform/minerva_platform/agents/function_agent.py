"""Make a worker of a function: `@agent(examples=[…])`."""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import NoneType
from typing import Any, Protocol, TypeVar, cast, get_origin, get_type_hints, overload

from pydantic import BaseModel

from minerva_platform.contract.agent import AgentInput, AgentOutput, BaseAgent
from minerva_platform.errors import ContractError, OutputError

InT = TypeVar("InT", bound=BaseModel)
OutT = TypeVar("OutT", bound=BaseModel)


class _AgentMaker(Protocol):
    """Makes a worker of a function; Input and Output are those of the function."""

    @overload
    def __call__(
        self, function: Callable[[str], str | Awaitable[str]], /
    ) -> BaseAgent[AgentInput, AgentOutput]: ...
    @overload
    def __call__(
        self, function: Callable[[str], OutT | Awaitable[OutT]], /
    ) -> BaseAgent[AgentInput, OutT]: ...
    @overload
    def __call__(
        self, function: Callable[[InT], str | Awaitable[str]], /
    ) -> BaseAgent[InT, AgentOutput]: ...
    @overload
    def __call__(
        self, function: Callable[[InT], OutT | Awaitable[OutT]], /
    ) -> BaseAgent[InT, OutT]: ...
    @overload
    def __call__(self, function: Callable[[Any], Any], /) -> BaseAgent[Any, Any]: ...


def agent(
    *,
    examples: Sequence[str] = (),
    name: str | None = None,
    description: str | None = None,
    background: bool = False,
) -> _AgentMaker:
    """Return a decorator that makes a worker of a function, sync or async.

    The function takes the request as `str` or its Input as a pydantic model, and returns the
    summary as `str`, its Output as a pydantic model, or a dict that fits it. A plain `def` runs in
    an OS thread. Name and description default to the function's own. With `background`, a call of
    it starts a run of its own.

    Raises:
        ContractError: the function takes or returns something else.
    """

    def make(function: Callable[..., Any]) -> BaseAgent[Any, Any]:
        made = _FunctionAgent(function)
        made.name = name or function.__name__
        made.description = description or inspect.getdoc(function) or ""
        # a single text stays a text, so that `minerva check` reports it
        made.examples = examples if isinstance(examples, str) else tuple(examples)
        made.background = background
        return made

    return cast("_AgentMaker", make)


class _FunctionAgent(BaseAgent[BaseModel, BaseModel]):
    """A function behind the agent contract."""

    work: Callable[[Any], Any]  # pyright: ignore[reportIncompatibleMethodOverride]  # as sync or async as the function

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
        self.work = self._await if inspect.iscoroutinefunction(function) else self._call

    def _call(self, payload: Any) -> BaseModel:
        return self._to_output(self.function(self._argument(payload)))

    async def _await(self, payload: Any) -> BaseModel:
        return self._to_output(await self.function(self._argument(payload)))

    def _argument(self, payload: Any) -> Any:
        return payload.request if self.takes_text else payload

    def _to_output(self, value: Any) -> BaseModel:
        """Return the Output. A text becomes its summary."""
        if isinstance(value, self.Output):
            return value
        if isinstance(value, str):
            return self.fields_to_output({"summary": value})
        if isinstance(value, BaseModel):
            return self.fields_to_output(value.model_dump())
        if isinstance(value, Mapping):
            return self.fields_to_output(cast("Mapping[str, Any]", value))
        reason = f"the function returned {type(value).__name__}, not a text, a model or a dict."
        raise OutputError(self.name, reason)


_NO_ANSWERS = (int, float, complex, bytes, list, tuple, set, frozenset, NoneType)
"""Types that are neither a summary, nor a model, nor a dict."""


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


def _model(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return None
