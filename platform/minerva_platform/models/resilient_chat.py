"""Chat models that end in time and give whole answers or none.

LangChain's client has no deadline for a whole call. It takes a cut stream for an answer, and makes
valid tool calls from cut arguments. Every model call here goes through this guard: the routers,
`Model`, and agents built with `create_agent(model.chat, …)`.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NoReturn, cast

from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables.config import ensure_config
from langchain_openai import AzureChatOpenAI, ChatOpenAI

from minerva_observability import Span, current_span, record_span
from minerva_platform.config.model_spec import ModelSpec
from minerva_platform.errors import (
    ModelError,
    ModelIncompleteError,
    ModelOutputError,
    ModelRequestError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from minerva_platform.models.circuit_breaker import Breaker, breaker_of
from minerva_platform.models.provider_errors import (
    error_to_model_error,
    is_worth_retrying,
    retry_after_s,
)
from minerva_platform.run_context.blocking import run_sync
from minerva_platform.run_context.context import count_model_call, run_or_none
from minerva_platform.run_context.langchain_callbacks import GraphListener, heard_call, note_spent

RETRIES = 2
"""Further tries of a call that found the server busy, broken or gone."""
MAX_WAIT_S = 10.0
"""Seconds up to which a provider's Retry-After is honoured. Beyond it the call fails at once."""
FIRST_WAIT_S = 0.25
"""Seconds before the second try if the provider names none. Before the third it is twice that."""
_WHOLE = frozenset({"stop", "tool_calls", "function_call"})


class GuardedChat:
    """The shared part of both providers' chat models, mixed in before LangChain's class."""

    spec: ModelSpec

    @property
    def breaker(self) -> Breaker:
        """The breaker, shared by all callers of the same model at the same server."""
        server = self.spec.base_url or self.spec.provider
        return breaker_of(server, self.spec.model)

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> Any:
        """Tell a listener who it is by the name that the configuration has for it."""
        inner = cast("Any", super())
        names = {"ls_provider": self.spec.provider, "ls_model_name": self.spec.model}
        return {**inner._get_ls_params(stop=stop, **kwargs), **names}  # noqa: SLF001  # the seam

    def _get_request_payload(
        self, input_: Any, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Hand the messages to openai's client as they are to be sent.

        As an argument of its `create` it would walk every message through a union of types, which
        costs 0.25 ms of CPU each and finds nothing that LangChain has not made right.
        """
        inner = cast("Any", super())
        payload: dict[str, Any] = inner._get_request_payload(input_, stop=stop, **kwargs)  # noqa: SLF001  # the seam
        further: dict[str, Any] = payload.get("extra_body") or {}
        body = {**further, "messages": payload["messages"]}
        return {**payload, "messages": [], "extra_body": body}

    async def _agenerate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        """Return one answer within the call's time, all tries included."""
        call = _Call(self, run_manager)
        inner = cast("Any", super())
        while True:
            call.begin()
            try:
                async with asyncio.timeout(call.seconds_left):
                    with call.asking():
                        result = await inner._agenerate(messages, stop, run_manager, **kwargs)  # noqa: SLF001  # the seam
                if result.generations:  # a cut answer costs as much
                    call.note_usage(cast("AIMessage", result.generations[0].message))
                _check_whole(result, call)
            except BaseException as error:  # noqa: BLE001  # `fail` raises what is no failure
                wait = call.fail(error)
            else:
                call.complete()
                return cast("ChatResult", result)
            await asyncio.sleep(wait)

    async def _astream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        """Stream an answer. One that stops before its end raises, so that no caller uses it."""
        call = _Call(self, run_manager)
        async for chunk in self._pieces(call, messages, stop, run_manager, **kwargs):
            yield chunk

    async def _pieces(
        self, call: "_Call", messages: Any, stop: Any, run_manager: Any, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        """Yield the pieces. A failed try is repeated only if no piece was yielded yet."""
        inner = cast("Any", super())
        while True:
            stream = inner._astream(messages, stop, run_manager, **kwargs)  # noqa: SLF001  # the seam
            pieces = _Pieces(call)
            call.begin()
            try:
                async for chunk in _until_deadline(stream, call):
                    pieces.add(chunk)
                    yield chunk
                pieces.check()
            except BaseException as error:  # noqa: BLE001  # `fail` raises what is no failure
                wait = call.fail(error, may_retry=not pieces.any)
            else:
                call.complete()
                return
            await asyncio.sleep(wait)

    def _generate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        """Do what `_agenerate` does, for code without an event loop."""
        return run_sync(self._agenerate, messages, stop, run_manager, **kwargs)

    def _stream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        """Hand on the pieces of a whole answer, for code without an event loop."""

        async def collect() -> list[ChatGenerationChunk]:
            pieces = self._pieces(_Call(self, run_manager), messages, stop, None, **kwargs)
            return [chunk async for chunk in pieces]

        yield from run_sync(collect)


class GuardedChatOpenAI(GuardedChat, ChatOpenAI):
    """OpenAI, and every server with its chat completions."""

    spec: ModelSpec


class GuardedAzureChatOpenAI(GuardedChat, AzureChatOpenAI):
    """A deployment on Azure."""

    spec: ModelSpec


class _Call:
    """One call: its deadline, its tries, and how each is recorded and charged."""

    def __init__(self, model: GuardedChat, run_manager: Any) -> None:
        self.spec, self.breaker = model.spec, model.breaker
        self.outer, run = current_span(), run_or_none()
        self.path = self.outer.path if self.outer else "this process"
        self.budget = run.budget if run else None
        self.is_listened_to = _is_listened_to(run_manager)
        left = self.budget.seconds_left if self.budget else self.spec.timeout
        self.deadline = time.monotonic() + min(self.spec.timeout, left)
        self.tries = 0
        self.span: Span | None = None
        self.usage: tuple[int, int] | None = None
        """Tokens of the prompt and the completion; None if the provider reports none."""

    @property
    def seconds_left(self) -> float:
        """Seconds until the call's deadline."""
        return max(0.0, self.deadline - time.monotonic())

    def begin(self) -> None:
        """Begin a try.

        Raises:
            ModelUnavailableError: the model rests, or the run may ask no more.
        """
        spent = self.budget.spent_on_models if self.budget else None
        if spent:
            self.stop(ModelUnavailableError, spent)
        if not self.breaker.admits():
            rest = self.breaker.seconds_of_rest
            reason = f"it failed too often in a row and rests for {rest:.0f} s more."
            self.stop(ModelUnavailableError, reason)
        self.tries += 1
        self.usage = None
        if not self.is_listened_to:
            span = record_span(
                kind="model", path=self.path, model=self.spec.record_name, attempt=self.tries
            )
            span.set_as(self.outer, "team", "agent_name", "router")
            self.span = span.begin(parent=self.outer)

    def asking(self) -> AbstractContextManager[None]:
        """Make the span of the call the current one: the model's server is told its id."""
        span = heard_call.get() if self.is_listened_to else self.span
        return nullcontext() if span is None else span.entered()

    def complete(self) -> None:
        """End a try that brought a whole answer."""
        self.breaker.note_success()
        self._end(None)

    def note_usage(self, message: AIMessage) -> None:
        """Take note of the tokens of `message`, and leave the cost where a listener finds it."""
        usage = message.usage_metadata
        if not usage:
            return
        self.usage = usage["input_tokens"], usage["output_tokens"]
        cost = self.spec.cost(*self.usage)
        if cost is not None:
            message.response_metadata["cost"] = cost

    def fail(self, error: BaseException, *, may_retry: bool = True) -> float:
        """End a try that failed; return how many seconds to wait before the next.

        Raises:
            ModelError: there is no next try. An exception that is no failure of the model is raised
                as it is.
        """
        if not isinstance(error, Exception):  # cancelled
            self._end(error)
            raise error
        typed = error_to_model_error(error, model=self.spec.name, path=self.path)
        if isinstance(typed, ModelTimeoutError | ModelUnavailableError | ModelIncompleteError):
            self.breaker.note_failure()
        wait = retry_after_s(error, otherwise=FIRST_WAIT_S * 2 ** (self.tries - 1))
        fits = wait <= min(MAX_WAIT_S, self.seconds_left)
        again = may_retry and is_worth_retrying(error) and self.tries <= RETRIES and fits
        if again and self.is_listened_to:  # the listener counts one call, this was another
            count_model_call()
        if again and self.span is not None:
            self.span.set(action="retried")
        self._end(typed)
        if not again:
            raise typed from (None if isinstance(error, ModelError) else error)
        return wait

    def stop(self, kind: type[ModelError], reason: str) -> NoReturn:
        """Raise `kind`, with the model and who asked it."""
        raise kind(self.spec.name, self.path, reason)

    def _end(self, error: BaseException | None) -> None:
        """Charge this try and close its row; a listener does both by itself.

        What was refused costs nothing. What was cut costs the tokens that were reported.
        """
        usage = self.usage
        if usage is None and isinstance(error, ModelRequestError | ModelUnavailableError):
            usage = 0, 0
        cost = None if usage is None else self.spec.cost(*usage)
        if isinstance(error, ModelError):
            error.bill = self.usage, cost
        if self.span is not None:
            note_spent(self.span, self.usage, cost, calls=1)
            self.span.end(error)


def _is_listened_to(run_manager: Any) -> bool:
    """True if a listener of the graph around records this call.

    LangChain passes no manager to a stream that it collects into a whole answer. The graph's own
    callbacks are then in the ambient configuration.
    """
    managers: tuple[Any, ...] = (run_manager, ensure_config().get("callbacks"))
    return any(
        isinstance(handler, GraphListener)
        for manager in managers
        for handler in getattr(manager, "handlers", ())
    )


class _Pieces:
    """The state of a stream: how it ended, and the tools' arguments as they were sent."""

    def __init__(self, call: _Call) -> None:
        self.call = call
        self.any = False
        self.finish: str | None = None
        self.arguments: dict[int, str] = {}

    def add(self, chunk: ChatGenerationChunk) -> None:
        """Read a piece that is passed on."""
        message = chunk.message
        finish = (chunk.generation_info or {}).get("finish_reason")
        self.finish = finish or self.finish
        if isinstance(message, AIMessageChunk):
            for part in message.tool_call_chunks:
                index = part.get("index") or 0
                self.arguments[index] = self.arguments.get(index, "") + (part.get("args") or "")
            if message.usage_metadata:
                self.call.note_usage(message)
            self.any = self.any or bool(message.content or message.tool_call_chunks)

    def check(self) -> None:
        """Raise unless the whole answer was there."""
        if self.finish not in _WHOLE:
            _stop_incomplete(self.call, self.finish)
        for text in self.arguments.values():
            _check_arguments(text, self.call)


async def _until_deadline(
    stream: AsyncGenerator[ChatGenerationChunk], call: _Call
) -> AsyncIterator[ChatGenerationChunk]:
    """Yield from `stream` until the call's deadline, even if pieces still arrive."""
    try:
        while True:
            try:
                async with asyncio.timeout(call.seconds_left):
                    with call.asking():
                        chunk = await anext(stream)
            except StopAsyncIteration:
                return
            yield chunk
    finally:
        await stream.aclose()


def _check_whole(result: ChatResult, call: _Call) -> None:
    """Raise unless `result` is an answer that was finished."""
    if not result.generations:
        call.stop(ModelOutputError, "its answer holds no choices.")
    generation = result.generations[0]
    finish = (generation.generation_info or {}).get("finish_reason")
    if finish not in _WHOLE:
        _stop_incomplete(call, finish)
    message = generation.message
    if isinstance(message, AIMessage) and message.invalid_tool_calls:
        names = ", ".join(str(item.get("name")) for item in message.invalid_tool_calls)
        call.stop(ModelOutputError, f"the arguments of {names} are not JSON.")


def _check_arguments(text: str, call: _Call) -> None:
    try:
        arguments = json.loads(text or "{}")
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        call.stop(ModelOutputError, "the arguments of a tool are not a JSON object.")


def _stop_incomplete(call: _Call, finish: str | None) -> NoReturn:
    reason = f"its answer was cut ({finish or 'it ended without a finish_reason'})."
    call.stop(ModelIncompleteError, reason)
