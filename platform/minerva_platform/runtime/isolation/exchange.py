"""The messages between a call and its child. Anything but an answer becomes a typed failure.

The child's spans are recorded in the run of its parent: under its ids, masked as all others. Their
times are the child's own, counted from the moment the call reached it, and added to the time at
which this process sent the call. So the two clocks need not agree. A span lies early by the call's
transit time, a fraction of a millisecond.
"""

import asyncio
import json
import os
import time
from collections.abc import Mapping
from typing import Any, NoReturn, cast

from pydantic import Field, ValidationError

from minerva_observability import Span, current_span, record_span
from minerva_observability.records import Kind, SpanFields
from minerva_platform.contract.result import ErrorInfo
from minerva_platform.contract.values import Frozen
from minerva_platform.errors import IsolatedProcessError, ReportedError
from minerva_platform.runtime.isolation.conditions import Address
from minerva_platform.runtime.isolation.fork_server import SERVER, Child, import_path
from minerva_platform.runtime.isolation.framing import (
    ChannelClosedError,
    Frame,
    FrameError,
    Tag,
    areceive,
    pack,
)


class Exchange:
    """One call of the worker at `path`, which may be stopped at any moment."""

    def __init__(self, path: str) -> None:
        self.path = path

    async def start(self, address: Address) -> Child:
        """Return a new child in which the worker is made.

        Raises:
            ReportedError: the worker cannot be made there.
            IsolatedProcessError: the process ended, or said something else.
        """
        child = SERVER.fork()
        child.environment = dict(os.environ)
        surroundings = {
            **address._asdict(),
            "environment": child.environment,
            "sys_path": import_path(),
        }
        try:
            await self._send(child, pack(Tag.START, _to_json(surroundings)))
            tag, body = await self._next(child)
            if tag is not Tag.READY or not body.isdigit():
                self._fail(tag, body)
        except BaseException:
            child.kill()
            child.close()
            raise
        child.pid = int(body)
        return child

    async def answer(self, child: Child, call: bytes) -> bytes:
        """Return the Output that `child` sends; its spans are recorded as they come.

        Raises:
            ReportedError: the worker failed.
            IsolatedProcessError: the process ended, or said what does not belong there.
        """
        spans = SpanRelay()
        try:
            await self._send(child, self._news(child) + call)
            return await self._last_frame(child, spans)
        except BaseException as error:
            spans.close(error)
            raise
        finally:
            if not child.is_reusable:
                child.kill()
                child.close()

    def _news(self, child: Child) -> bytes:
        """Return a frame with the environment, if it is another than the child has."""
        environment = dict(os.environ)
        if environment == child.environment:
            return b""
        child.environment = environment
        return pack(Tag.ENVIRONMENT, _to_json(environment))

    async def _last_frame(self, child: Child, spans: "SpanRelay") -> bytes:
        while True:
            tag, body = await self._next(child)
            if tag in {Tag.SPAN_BEGAN, Tag.SPAN_ENDED}:
                try:
                    spans.take(tag, body)
                except ValidationError as error:
                    raise self._process_error(_UNEXPECTED) from error
                continue
            if tag is Tag.WORN:
                child.is_worn = True
                continue
            child.is_busy = tag not in {Tag.OUTPUT, Tag.FAILED}
            if tag is not Tag.OUTPUT:
                self._fail(tag, body)
            return body

    def _fail(self, tag: Tag, body: bytes) -> NoReturn:
        try:
            info = ErrorInfo.model_validate_json(body) if tag is Tag.FAILED else None
        except ValidationError as error:
            raise self._process_error(_UNEXPECTED) from error
        raise ReportedError(info) if info else self._process_error(_UNEXPECTED)

    async def _send(self, child: Child, frames: bytes) -> None:
        try:
            await asyncio.get_running_loop().sock_sendall(child.channel, frames)
        except OSError as error:
            raise self._process_error(await child.ending()) from error

    async def _next(self, child: Child) -> Frame:
        try:
            return await areceive(child.channel)
        except ChannelClosedError as error:
            raise self._process_error(await child.ending()) from error
        except FrameError as error:
            what = f"sent {error}"
            raise self._process_error(what) from error

    def _process_error(self, what: str) -> IsolatedProcessError:
        return IsolatedProcessError(self.path, what)


def _to_json(message: Mapping[str, Any]) -> bytes:
    """Return JSON with escapes: orjson refuses a variable whose bytes are no Unicode."""
    return json.dumps(message).encode()


_UNEXPECTED = "sent a message that does not belong there"


_FIELDS = frozenset(SpanFields.__annotations__)


class _Began(Frozen):
    id: str
    parent: str | None
    kind: Kind
    path: str
    started_ns: int
    began_ns: int = Field(ge=0)
    fields: dict[str, Any]


class _End(Frozen):
    id: str
    ended_ns: int = Field(ge=0)
    fields: dict[str, Any]


class SpanRelay:
    """The spans of one call; those of a child that is gone are closed by `close`."""

    def __init__(self) -> None:
        self._above = current_span()
        self._zero_ns = time.perf_counter_ns()
        self._open: dict[str, Span] = {}

    def take(self, tag: Tag, body: bytes) -> None:
        """Begin or end a span as the child reports it.

        Raises:
            ValidationError: that is no span.
        """
        if tag is Tag.SPAN_BEGAN:
            self._begin(body)
        else:
            self._end(body)

    def close(self, error: BaseException) -> None:
        """End the open spans as failed by `error`."""
        while self._open:
            _, span = self._open.popitem()
            span.end(error)

    def _begin(self, body: bytes) -> None:
        told = _Began.model_validate_json(body)
        span = record_span(kind=told.kind, path=told.path, **_span_fields(told.fields))
        parent = self._open.get(told.parent or "", self._above)
        self._open[told.id] = span.begin(
            parent=parent, started_ns=told.started_ns, began_ns=self._zero_ns + told.began_ns
        )

    def _end(self, body: bytes) -> None:
        told = _End.model_validate_json(body)
        span = self._open.pop(told.id, None)
        if span is not None:
            span.set(**_span_fields(told.fields))
            span.end(ended_ns=self._zero_ns + told.ended_ns)


def _span_fields(fields: dict[str, Any]) -> SpanFields:
    return cast("SpanFields", {name: fields[name] for name in fields if name in _FIELDS})
