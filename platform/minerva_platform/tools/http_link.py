"""A server behind an address: each message is a POST, whose answer is JSON or a stream of events.

A request that fails on its way is answered by this side with a sentence, so it fails at once and
alone. If the server itself is gone, the link ends. What a server says unasked is not listened to:
its tools are listed anew before each call of a model.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, Final

import anyio
import httpx
from mcp.client.streamable_http import MCP_PROTOCOL_VERSION, MCP_SESSION_ID
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCRequest, JSONRPCResponse, RequestId

from minerva_platform.contract.bounds import MAX_SERVER_MESSAGE_BYTES
from minerva_platform.tools.link import Link, new_link, to_json

CONNECT_S: Final = 10.0
"""Seconds in which a connection must be there."""
GOODBYE_S: Final = 1.0
"""Seconds that the server has to take note that its session is over."""
_ACCEPTED, _NOT_FOUND, _ERRORS = 202, 404, 400
_KEY_REFUSED: Final = frozenset({401, 403})
_EVENTS: Final = "text/event-stream"


class RequestFailedError(Exception):
    """A request failed on its way. The text ends a sentence about the server."""


class ServerGoneError(RequestFailedError):
    """The server is not there, or knows the session no more."""


@asynccontextmanager
async def http_link(url: str, headers: Mapping[str, str]) -> AsyncGenerator[Link]:
    """Yield a link to the server at `url`; each request carries `headers`."""
    link = new_link()
    timeout = httpx.Timeout(None, connect=CONNECT_S)
    try:
        async with httpx.AsyncClient(headers=dict(headers), timeout=timeout) as client:
            posts = _Posts(client, url, link)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(posts.send_all, tasks)
                yield link
                tasks.cancel_scope.cancel()
            await posts.say_goodbye()
    finally:
        link.close()


class _Posts:
    """Sends the messages of a session, and reads what answers them."""

    def __init__(self, client: httpx.AsyncClient, url: str, link: Link) -> None:
        self.client, self.url, self.link = client, url, link
        self.session_id: str | None = None

    async def send_all(self, tasks: Any) -> None:
        """Send each message; requests side by side, the others in turn."""
        with suppress(anyio.ClosedResourceError):  # the session is closed
            async for message in self.link.outgoing:
                root = message.message.root
                if isinstance(root, JSONRPCRequest):
                    tasks.start_soon(partial(self._request, message, root.id))
                else:
                    with suppress(RequestFailedError):
                        await self._post(message, None)

    async def _request(self, message: SessionMessage, request: RequestId) -> None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # it is closed
            try:
                await self._post(message, request)
            except RequestFailedError as error:
                await self.link.refuse(request, str(error))
                if isinstance(error, ServerGoneError):
                    self.link.end(str(error))

    async def _post(self, message: SessionMessage, request: RequestId | None) -> None:
        """Send a message. The answer to a request is handed on.

        Raises:
            RequestFailedError: the server did not take it, or did not answer it.
        """
        try:
            async with self.client.stream(
                "POST", self.url, content=to_json(message), headers=self._headers()
            ) as response:
                self._check(response)
                if request is not None:
                    self.session_id = response.headers.get(MCP_SESSION_ID, self.session_id)
                    await self._read_answer(response)
        except httpx.ConnectError as error:
            reason = "cannot be reached; start it, or mend its `url`."
            raise ServerGoneError(reason) from error
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            reason = f"broke off the connection ({type(error).__name__})."
            raise ServerGoneError(reason) from error

    def _headers(self) -> dict[str, str]:
        own = {"Accept": f"application/json, {_EVENTS}", "Content-Type": "application/json"}
        if self.session_id is not None:
            own[MCP_SESSION_ID] = self.session_id
        if self.link.version is not None:
            own[MCP_PROTOCOL_VERSION] = self.link.version
        return own

    def _check(self, response: httpx.Response) -> None:
        """Accept the answer's status.

        Raises:
            RequestFailedError: the server refuses the request.
        """
        status = response.status_code
        if status == _NOT_FOUND and self.session_id is not None:
            reason = "has forgotten the session (HTTP 404)."
            raise ServerGoneError(reason)
        if status in _KEY_REFUSED:
            reason = f"refuses the access (HTTP {status}); look at the variables in its `headers`."
            raise RequestFailedError(reason)
        if response.is_redirect:
            reason = f"redirects (HTTP {status}), which is not followed; name the other `url`."
            raise RequestFailedError(reason)
        if status >= _ERRORS:
            reason = f"answered with HTTP {status}."
            raise RequestFailedError(reason)

    async def _read_answer(self, response: httpx.Response) -> None:
        """Hand on what answers a request.

        Raises:
            RequestFailedError: it is too large, or no message.
            ServerGoneError: it ends before the answer.
        """
        kind = response.headers.get("content-type", "").lower()
        if kind.startswith(_EVENTS):
            async for data in _events(response):
                message = await self.link.receive(data)
                if message and isinstance(message.root, JSONRPCResponse | JSONRPCError):
                    return
            reason = "broke off the connection before it answered."
            raise ServerGoneError(reason)
        body = b"".join([chunk async for chunk in _bounded_body(response)])
        if await self.link.receive(body) is None:
            reason = "answered with what is no message of MCP."
            raise RequestFailedError(reason)

    async def say_goodbye(self) -> None:
        """Tell the server that the session is over, if there is one."""
        if self.session_id is None or self.link.end_reason.done():
            return
        with suppress(httpx.HTTPError), anyio.move_on_after(GOODBYE_S):
            await self.client.delete(self.url, headers=self._headers())


async def _bounded_body(response: httpx.Response) -> AsyncIterator[bytes]:
    """Yield the body.

    Raises:
        RequestFailedError: it is too large.
    """
    size = 0
    async for chunk in response.aiter_bytes():
        size += len(chunk)
        if size > MAX_SERVER_MESSAGE_BYTES:
            reason = f"answered with more than {MAX_SERVER_MESSAGE_BYTES:,} bytes."
            raise RequestFailedError(reason)
        yield chunk


async def _events(response: httpx.Response) -> AsyncIterator[bytes]:
    """Yield the data of each event of a stream."""
    data, rest = list[bytes](), list[bytes]()
    async for chunk in _bounded_body(response):
        *lines, last = chunk.split(b"\n")
        if lines:
            lines[0] = b"".join((*rest, lines[0]))
            rest = []
        rest.append(last)
        for line in (each.removesuffix(b"\r") for each in lines):
            if line.startswith(b"data:"):
                data.append(line[5:].removeprefix(b" "))
            elif not line and data:
                yield b"\n".join(data)
                data = []
