"""What is refused before anything reads it: by its host, its token, its size and its depth."""

import asyncio
import contextlib
import json
import logging
import re
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

import orjson
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from minerva_observability.http_access import host_name, is_same_origin
from minerva_observability.tracing.trace_context import called_by
from minerva_platform.errors import MinervaError
from minerva_platform.server.access import Access, secret_in
from minerva_platform.server.problems import ProblemError, to_problem
from minerva_platform.server.rate_limit import Rate, address_of

REQUESTS: Final = "minerva.requests"
"""The name of the log of requests."""
_LOG = logging.getLogger(REQUESTS)
MAX_BODY_BYTES: Final = 4 * 1024 * 1024
"""Of JSON; a request's words and its decisions take less."""
MAX_DEPTH: Final = 64
"""Levels of JSON; deeper ones serve only to exhaust parsers."""
BODY_S: Final = 30.0
"""Seconds in which a body of JSON has to arrive."""
MIN_BYTES_PER_S: Final = 16 * 1024
"""What a larger body has to bring beyond these seconds."""
DRAINED_BYTES: Final = 16 * 1024 * 1024
DRAINED_S: Final = 0.5
"""How much of a body that is too large is still taken, and for how many seconds."""
_OPEN: Final = frozenset({"/ok", "/health", "/info", "/ready", "/openapi.json"})
"""The addresses that need no token. Their bodies are not read."""

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_BRACKET: Final = re.compile(rb"[\[\]{}]")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a border lets pass."""

    hosts: Collection[str]
    """The names that requests may be for; empty: any, because a token is needed."""
    requests_per_second: float
    max_upload_bytes: int
    origins: Collection[str] = ()
    """The other sites whose pages may send requests."""


class OtherSites(CORSMiddleware):
    """Lets browsers give the pages of some other sites what the server answers, its errors too.

    The requests of all others go to the border as they are.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a preflight, or pass a request on."""
        is_http = scope["type"] == "http"
        if is_http and self.is_allowed_origin(Headers(scope=scope).get("origin", "")):
            await super().__call__(scope, receive, send)
        else:
            await self.app(scope, receive, send)


class Border:
    """ASGI middleware that refuses a request, or passes it on with its whole body."""

    def __init__(self, app: ASGIApp, *, limits: Limits, access: Access) -> None:
        self.app, self.limits, self.access = app, limits, access
        self.rate = Rate(limits.requests_per_second)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, statuses = time.monotonic(), list[int]()

        async def send_noted(message: Message) -> None:
            statuses.extend([message["status"]] if "status" in message else [])
            await send(message)

        try:
            await self._answer(scope, receive, send_noted)
        finally:
            _log_request(scope, statuses, time.monotonic() - began)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            headers = Headers(scope=scope)
            self._check(scope, headers)
            is_open = scope["path"] in _OPEN
            await self._let_in(scope, None if is_open else headers)
            body = b"" if is_open else await self._body(scope, headers, receive)
        except (ProblemError, MinervaError) as error:
            await to_problem(error).to_response()(scope, receive, send)
            return
        with called_by(headers.get("traceparent")):
            await self.app(scope, _with_body(body, receive), _with_headers(send))

    def _check(self, scope: Scope, headers: Headers) -> None:
        host = headers.get("host", "")
        if self.limits.hosts and host_name(host) not in self.limits.hosts:
            raise ProblemError(421, "unknown_host", "The server is not known by this name.")
        origin = headers.get("origin")
        if not is_same_origin(origin, host) and origin not in self.limits.origins:
            raise ProblemError(403, "other_site", "The request comes from another site.")
        if headers.get("content-encoding", "identity").lower() != "identity":
            detail = "Send the body as it is, without Content-Encoding."
            raise ProblemError(415, "encoded_body", detail)
        query = unquote(scope.get("query_string", b"").decode("latin-1"))
        if _CONTROL.search(scope["path"]) or _CONTROL.search(query):
            raise ProblemError(422, "invalid_request", "The address has a control character.")

    async def _let_in(self, scope: Scope, headers: Headers | None) -> None:
        """Look at the token, if one is needed, and count the request."""
        who = address = address_of(scope)
        if headers is not None and self.access.needs_token:
            caller = await self.access.caller_of(secret_in(headers), address)
            who = f"token {caller.name}"
            scope["caller"] = f"{caller.name} of {caller.tenant}"
        detail = f"More than {self.limits.requests_per_second:g} requests a second."
        self.rate.check(who, "too_many_requests", detail)

    async def _body(self, scope: Scope, headers: Headers, receive: Receive) -> bytes:
        is_upload = scope["method"] == "POST" and scope["path"] == "/files"
        most = self.limits.max_upload_bytes if is_upload else MAX_BODY_BYTES
        declared = headers.get("content-length", "")
        if declared.isdigit() and int(declared) > most:
            await _drain(receive)
            raise _too_large(most)
        body = await _read_body(receive, most)
        if not is_upload:
            _check_json(body)
        return body


def _log_request(scope: Scope, statuses: Sequence[int], seconds: float) -> None:
    """Log who asked what, and how long it took: by the token's name, without the query.

    The path is as it was sent, so no line break in it begins a line. What needs no token is in no
    line.
    """
    if scope["path"] not in _OPEN:
        who, status = scope.get("caller", "nobody"), statuses[0] if statuses else "no answer"
        path = scope["raw_path"].decode("ascii", "backslashreplace")
        parts = (scope["method"], path, status, seconds * 1000, who)
        _LOG.info("%s %s: %s in %.1f ms, asked by %s", *parts)


def _check_json(body: bytes) -> None:
    """Refuse a body that is nested too deeply, or that is no JSON.

    Python's own parser takes what is none: NaN, and halves of characters (lone surrogates), which
    no answer could repeat. If a name comes twice in an object, each parser takes what it likes.

    Raises:
        ProblemError: 422; or 400, a name comes twice.
    """
    if depth_of(body, MAX_DEPTH) > MAX_DEPTH:
        detail = f"The JSON has more than {MAX_DEPTH} levels."
        raise ProblemError(422, "too_deep", detail)
    try:
        orjson.loads(body or b"null")
    except orjson.JSONDecodeError as error:
        detail = f"The body is no JSON in UTF-8: {error}"
        raise ProblemError(422, "invalid_request", detail) from None
    json.loads(body or b"null", object_pairs_hook=_named_once, parse_int=float)


def _named_once(pairs: list[tuple[str, Any]]) -> None:
    """Refuse an object that has a name twice."""
    names: set[str] = set()
    for name, _ in pairs:
        if name in names:
            detail = f"The JSON has `{name[:80]}` twice in one object. Send it once."
            raise ProblemError(400, "duplicate_key", detail)
        names.add(name)


async def _read_body(receive: Receive, most: int) -> bytes:
    """Return the whole body.

    Raises:
        ProblemError: it is too large, or comes too slowly.
    """
    chunks: list[bytes] = []
    size, began = 0, time.monotonic()
    while True:
        allowed = BODY_S + size / MIN_BYTES_PER_S - (time.monotonic() - began)
        try:
            message = await asyncio.wait_for(receive(), max(0.0, allowed))
        except TimeoutError:
            raise ProblemError(408, "slow_body", "The body did not arrive in time.") from None
        if message["type"] != "http.request":  # half a request does nothing
            raise ProblemError(400, "cut_body", "The connection ended before the body did.")
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > most:
            await _drain(receive)
            raise _too_large(most)
        chunks.append(chunk)
        if not message.get("more_body", False):
            return b"".join(chunks)


async def _drain(receive: Receive) -> None:
    """Throw away what still comes, for a while: a client that is cut off reads no answer."""
    size = 0
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(DRAINED_S):
            while size < DRAINED_BYTES:
                message = await receive()
                size += len(message.get("body", b""))
                if message["type"] != "http.request" or not message.get("more_body", False):
                    return


def _too_large(most: int) -> ProblemError:
    detail = f"The body is larger than {most:,} bytes."
    return ProblemError(413, "body_too_large", detail, headers={"Connection": "close"})


def depth_of(body: bytes, most: int) -> int:
    """Return how deep JSON is nested, without parsing it; it stops counting beyond `most`."""
    if body.count(b"[") + body.count(b"{") <= most:
        return 0
    depth = 0
    for bracket in _BRACKET.finditer(_STRING.sub(b"", body)):
        depth += 1 if bracket[0] in b"[{" else -1
        if depth > most:
            break
    return depth


def _with_body(body: bytes, receive: Receive) -> Receive:
    is_given = False

    async def receive_with_body() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_with_body


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [
                *message.get("headers", []),
                (b"x-content-type-options", b"nosniff"),
                (b"cache-control", b"no-store"),
                (b"cross-origin-resource-policy", b"same-origin"),
            ]
        await send(message)

    return send_with_headers
