"""The two streams of messages between a client and a server, whatever carries them."""

import asyncio
from dataclasses import dataclass, field

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import ErrorData, JSONRPCError, JSONRPCMessage, JSONRPCResponse, RequestId

LINK_FAILED = -32_090
"""The code of an error that this side makes of a request which could not be sent or answered."""


@dataclass(slots=True)
class Link:
    """What a client of `mcp` reads and writes, with the other ends of both streams."""

    read_stream: MemoryObjectReceiveStream[SessionMessage | Exception]
    incoming: MemoryObjectSendStream[SessionMessage | Exception]
    write_stream: MemoryObjectSendStream[SessionMessage]
    outgoing: MemoryObjectReceiveStream[SessionMessage]
    end_reason: "asyncio.Future[str]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    """Why nothing comes any more, as the end of a sentence about the server."""
    version: str | None = None
    """The version of the protocol that the server has chosen."""

    def end(self, reason: str) -> None:
        """Say why nothing comes any more, and let pending requests fail."""
        if not self.end_reason.done():
            self.end_reason.set_result(reason)
        self.incoming.close()

    async def receive(self, data: bytes) -> JSONRPCMessage | None:
        """Hand on a message of the server, and return it; None if it is none."""
        try:
            message = JSONRPCMessage.model_validate_json(data)
        except ValueError:
            return None
        if isinstance(message.root, JSONRPCResponse) and "protocolVersion" in message.root.result:
            self.version = str(message.root.result["protocolVersion"])
        await self.incoming.send(SessionMessage(message))
        return message

    async def refuse(self, request: RequestId, reason: str) -> None:
        """Answer a request that failed on its way; `reason` ends a sentence about the server."""
        error = JSONRPCError(
            jsonrpc="2.0", id=request, error=ErrorData(code=LINK_FAILED, message=reason)
        )
        await self.incoming.send(SessionMessage(JSONRPCMessage(error)))

    def close(self) -> None:
        """Close all four ends."""
        for stream in (self.incoming, self.write_stream, self.read_stream, self.outgoing):
            stream.close()


def new_link() -> Link:
    """Return a link through which nothing has come yet."""
    incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    return Link(read, incoming, write, outgoing)


def to_json(message: SessionMessage) -> str:
    """Return a message as it is sent."""
    return message.message.model_dump_json(by_alias=True, exclude_none=True)
