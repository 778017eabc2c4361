"""The tools of servers as one worker has them in one call: listed, called, or gone without.

A server that cannot be used costs the worker its tools and nothing else. The run then says so, once
for each cause.
"""

import asyncio
import json
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from mcp.types import (
    AudioContent,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from minerva_platform.config.mcp_spec import McpServerSpec
from minerva_platform.errors import McpServerError, McpToolError
from minerva_platform.run_context.langchain_callbacks import inside_step
from minerva_platform.run_context.recorded_failures import note_without
from minerva_platform.tools.held import held_open
from minerva_platform.tools.offer import Offer, OfferedTool, ToolListing, to_offer
from minerva_platform.tools.session import CallFailedError, McpSession, ServerFailedError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The servers of one worker."""

    agent: str
    team: str
    """The worker's team, whose file names the servers; empty if no file does."""
    servers: Mapping[str, McpServerSpec]
    own: Collection[str]
    """The names of the worker's own tools."""
    blocklist: Collection[str]
    """Names that no tool may have."""

    async def offer(self, *, anew: bool) -> Offer:
        """Return the tools that the servers offer now, or with `anew=False` offered last."""
        lists = await asyncio.gather(*(self._list_tools(name, anew=anew) for name in self.servers))
        listings = {
            name: its for name, its in zip(self.servers, lists, strict=True) if its is not None
        }
        offer = to_offer(listings, own=self.own, blocklist=self.blocklist)
        for server, reason in offer.left_out:
            self._note(server, reason)
        return replace(offer, is_whole=len(listings) == len(self.servers))

    async def _list_tools(self, server: str, *, anew: bool) -> ToolListing | None:
        """Return what a server lists; None if it is lost, which is noted."""

        async def ask(session: McpSession) -> ToolListing:
            known = session.tools
            tools = await session.list_tools() if anew or known is None else known
            return ToolListing(session.spec.prefix, tools)

        try:
            return await self._use(server, ask)
        except ServerFailedError as error:
            self._note(server, str(error))
            return None

    def _note(self, server: str, reason: str) -> None:
        note_without(McpServerError(self.agent, server, self.team, reason), node=server)

    async def call(self, tool: OfferedTool, arguments: dict[str, Any]) -> str:
        """Call a tool and return its answer as text.

        Raises:
            McpToolError: the tool or its server failed. The text says which, and why.
        """

        async def ask(session: McpSession) -> str:
            result = await session.call(tool.own_name, arguments)
            text = session.clean(answer_text(result))
            if result.isError:
                raise McpToolError(tool.name, tool.server, f"failed: {text or 'it says nothing.'}")
            return text

        try:
            return await self._use(tool.server, ask)
        except ServerFailedError as error:
            reason = f"failed, because the server {error}"
            raise McpToolError(tool.name, tool.server, reason) from error
        except CallFailedError as error:
            raise McpToolError(tool.name, tool.server, str(error)) from error

    async def _use(self, server: str, work: Callable[[McpSession], Coroutine[Any, Any, T]]) -> T:
        spec = self.servers[server]
        key = ("mcp", self.team, server, spec.model_dump_json())
        with inside_step():
            return await held_open().use(key, lambda: McpSession(spec), work)


def answer_text(result: CallToolResult) -> str:
    """Return the answer as text. Structured content counts if there is no other."""
    parts = list(_parts(result))
    if not parts and result.structuredContent is not None:
        return json.dumps(result.structuredContent, ensure_ascii=False)
    return "\n".join(parts)


def _parts(result: CallToolResult) -> Iterator[str]:
    for part in result.content:
        match part:
            case TextContent(text=text):
                yield text
            case EmbeddedResource(resource=TextResourceContents(text=text)):
                yield text
            case ImageContent(mimeType=kind, data=data) | AudioContent(mimeType=kind, data=data):
                yield f"({kind}, {len(data) * 3 // 4:,} bytes, not shown)"
            case ResourceLink(uri=uri):
                yield f"(a resource: {uri})"
            case EmbeddedResource(resource=resource):
                yield f"(a resource: {resource.uri}, not shown)"
