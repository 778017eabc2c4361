"""One session with a server of tools: opened at its first use, shared by the calls of a run.

A session belongs to a task of its own, because the task groups of `mcp` must be left by the task
that has entered them. A server that is lost stays lost until the run ends: started anew, it would
not know what it was told before.
"""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from typing import Any, Final, TypeVar, cast

import anyio
from mcp.client.session import ClientSession
from mcp.shared.exceptions import McpError
from mcp.types import (
    CONNECTION_CLOSED,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    CancelledNotification,
    CancelledNotificationParams,
    ClientNotification,
    ClientRequest,
    Implementation,
    PaginatedRequestParams,
    Tool,
)
from pydantic import ValidationError

from minerva_observability.tracing import record_wait
from minerva_platform.config.mcp_spec import McpServerSpec
from minerva_platform.contract.bounds import MAX_SERVER_TOOLS, MAX_TEXT_BYTES, fitted
from minerva_platform.run_context.context import run_or_none
from minerva_platform.tools.http_link import http_link
from minerva_platform.tools.link import LINK_FAILED, Link
from minerva_platform.tools.stdio_link import ServerStartError, stdio_link

T = TypeVar("T")

_MIN_SECRET: Final = 4
"""Characters from which a secret is looked for in what a server says."""
_CLIENT: Final = Implementation(name="minerva", version="0.1.0")
_OVER: Final = "was let go of at the end of the run."


class ServerFailedError(Exception):
    """The server did not answer, or is lost for this run. The text ends a sentence about it."""


class CallFailedError(Exception):
    """A request came to nothing. The text ends a sentence about what was asked, as a tool."""


class McpSession:
    """The session of one run with the server of `spec`. Its task begins at once."""

    def __init__(self, spec: McpServerSpec) -> None:
        loop = asyncio.get_running_loop()
        self.spec = spec
        self.tools: list[Tool] | None = None
        """The tools as they were listed last; None before the first list."""
        self._loss_reason: str | None = None
        self._secrets: tuple[str, ...] = ()
        self._link: Link | None = None
        self._ready: asyncio.Future[ClientSession | None] = loop.create_future()
        self._closing: asyncio.Future[None] = loop.create_future()
        self._loss: asyncio.Future[None] = loop.create_future()
        self._owner = loop.create_task(self._own())

    async def list_tools(self) -> list[Tool]:
        """Ask for the server's tools, at most one more than a model gets, and return them.

        Raises:
            ServerFailedError: there is no list. A server that gave none in time is lost.
        """
        try:
            self.tools = await self._within(self._all_pages())
        except CallFailedError as error:
            self._lose(str(error))
            raise ServerFailedError(str(error)) from error
        return self.tools

    async def _all_pages(self) -> list[Tool]:
        client = await self._client()
        found, cursor = list[Tool](), None
        for _ in range(MAX_SERVER_TOOLS):  # a server may answer with empty pages for ever
            page = await client.list_tools(params=PaginatedRequestParams(cursor=cursor))
            found += page.tools
            cursor = page.nextCursor
            if cursor is None or len(found) > MAX_SERVER_TOOLS:
                break
        return found[: MAX_SERVER_TOOLS + 1]

    async def call(self, tool: str, arguments: dict[str, Any]) -> CallToolResult:
        """Call a tool by the server's own name of it.

        Raises:
            ServerFailedError: the server is gone.
            CallFailedError: it gave no answer, not in time, or none that MCP allows.
        """
        client = await self._client()
        params = CallToolRequestParams(name=tool, arguments=arguments)
        request = ClientRequest(CallToolRequest(params=params))
        told: Any = client  # nothing public tells the id of the request, which is to be cancelled
        number: int = told._request_id  # noqa: SLF001  # see above
        return await self._within(
            client.send_request(request, CallToolResult), cancels=(client, number)
        )

    async def _within(
        self, work: Coroutine[Any, Any, T], *, cancels: tuple[ClientSession, int] | None = None
    ) -> T:
        """Return the result of a request, at most in the time of a call and of the run.

        Raises:
            ServerFailedError: the server is gone.
            CallFailedError: there is no answer.
        """
        run, limit = run_or_none(), self.spec.timeout_seconds
        seconds = min(limit, run.budget.seconds_left) if run else limit
        asked = asyncio.ensure_future(work)
        try:
            ends: set[asyncio.Future[Any]] = {asked, self._loss}
            await asyncio.wait(ends, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if asked.done():
                return asked.result()
        except McpError as error:
            raise self._failure_of(error) from error
        except (anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
            raise ServerFailedError(self._why) from error
        except ValidationError as error:
            message = "answered with what MCP does not allow."
            raise CallFailedError(message) from error
        finally:
            asked.cancel()
        if self._loss.done():
            raise ServerFailedError(self._why)
        if cancels is not None:
            await self._cancel(*cancels)
        message = f"gave no answer within {round(seconds, 2):g} s."
        raise CallFailedError(message)

    def _failure_of(self, error: McpError) -> Exception:
        """Return the failure of a request that was answered with an error."""
        said = self.clean(error.error.message)
        if error.error.code == CONNECTION_CLOSED:
            return ServerFailedError(self._why)
        if error.error.code == LINK_FAILED:
            return ServerFailedError(said)
        return CallFailedError(f"answered with an error: {fitted(said, MAX_TEXT_BYTES)}")

    async def _cancel(self, client: ClientSession, number: int) -> None:
        """Tell the server that nobody waits for an answer any more."""
        params = CancelledNotificationParams(requestId=number, reason="timeout")
        note = ClientNotification(CancelledNotification(params=params))
        try:
            async with asyncio.timeout(1.0):
                await client.send_notification(note)
        except (TimeoutError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            return

    async def _client(self) -> ClientSession:
        with nullcontext() if self._ready.done() else record_wait("server"):
            client = await asyncio.shield(self._ready)
        if client is None or self._loss_reason is not None or self._loss.done():
            raise ServerFailedError(self._why)
        return client

    def clean(self, text: str) -> str:
        """Return what the server says, without the secrets that it was given."""
        for secret in self._secrets:
            text = text.replace(secret, "[masked]")
        return text

    @property
    def _why(self) -> str:
        """Why the server is lost, as the end of a sentence."""
        if self._link is not None and self._link.end_reason.done():
            return self.clean(self._link.end_reason.result())
        return self.clean(self._loss_reason or "has ended the session.")

    def _lose(self, reason: str) -> None:
        self._loss_reason = self._loss_reason or reason
        if not self._closing.done():
            self._closing.set_result(None)

    async def aclose(self) -> None:
        """End the session; if cancelled, at once."""
        self._lose(_OVER)
        if not self._ready.done():
            self._owner.cancel()
        try:
            await asyncio.wait({self._owner})
        except asyncio.CancelledError:
            self._owner.cancel()
            await asyncio.wait({self._owner})
            raise

    async def _own(self) -> None:
        """Open the session, and close it when it shall be, or when the server is gone."""
        try:
            async with self._opened() as client:
                if client is not None:
                    self._ready.set_result(client)
                    assert self._link is not None  # noqa: S101  # it is open
                    ends: set[asyncio.Future[Any]] = {self._closing, self._link.end_reason}
                    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        except Exception as error:  # noqa: BLE001  # whatever it is, the server is lost by it
            self._loss_reason = self._loss_reason or _reason(error)
        finally:
            self._loss_reason = self._loss_reason or _OVER
            self._is_gone()
            if not self._ready.done():
                self._ready.set_result(None)

    def _is_gone(self) -> None:
        """Let requests that wait for an answer fail."""
        if not self._loss.done():
            self._loss.set_result(None)

    @asynccontextmanager
    async def _opened(self) -> AsyncGenerator[ClientSession | None]:
        """Yield the session once the server has answered; None if it does not."""
        missing = self.spec.missing_variables()
        if missing:
            self._loss_reason = (
                f"needs the environment variable `{missing[0]}`, which is not set; set it, or "
                "take it out of the file."
            )
            yield None
            return
        secrets = self.spec.secret_values()
        self._secrets = tuple(value for value in secrets.values() if len(value) >= _MIN_SECRET)
        async with AsyncExitStack() as stack:
            if self.spec.url is None:
                link = await stack.enter_async_context(stdio_link(self.spec.command, secrets))
            else:
                link = await stack.enter_async_context(http_link(self.spec.url, secrets))
            self._link = link
            link.end_reason.add_done_callback(lambda _: self._is_gone())
            client = ClientSession(link.read_stream, link.write_stream, client_info=_CLIENT)
            await stack.enter_async_context(client)
            yield client if await self._is_greeted(client) else None

    async def _is_greeted(self, client: ClientSession) -> bool:
        """Exchange the first messages; tell whether the server answered rightly."""
        try:
            await self._within(client.initialize())
        except (ServerFailedError, CallFailedError) as error:
            self._loss_reason = str(error)
        except RuntimeError as error:  # it speaks another version
            self._loss_reason = f"cannot be talked to: {self.clean(str(error))}."
        return self._loss_reason is None


def _reason(error: BaseException) -> str:
    """Return the end of a sentence about a server that was lost by `error`."""
    cause: BaseException = error
    while isinstance(cause, BaseExceptionGroup):
        cause = cast("BaseExceptionGroup[BaseException]", cause).exceptions[0]
    if isinstance(cause, ServerStartError):
        return str(cause)
    return f"was lost ({type(cause).__name__}: {fitted(str(cause), MAX_TEXT_BYTES)})."
