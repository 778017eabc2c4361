"""Server-sent events: what happens in a run, in the modes of LangGraph's protocol.

Each part has the id `SEQ.N`: the number of its event, and its place among that event's parts. A
client that comes back with the last id it saw gets the next part, from whichever server.
"""

from collections.abc import AsyncGenerator, Collection
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import orjson

from minerva_platform.contract.run_object import IS_OVER, Event
from minerva_platform.errors import MinervaError
from minerva_platform.server.access import Caller
from minerva_platform.server.problems import ProblemError, not_found, to_problem
from minerva_platform.server.request_models import StreamMode
from minerva_platform.server.response_models import without_paths
from minerva_platform.server.run_watcher import UNSEEN
from minerva_platform.server.service import RunHandle, Service, is_at_rest
from minerva_platform.storage.ledger.events import Progress, read_events

HEARTBEAT: Final = b": alive\n\n"


@dataclass(frozen=True, slots=True)
class Part:
    """One server-sent event."""

    event: str
    data: Any


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last part that a client has: of event `seq`, the part `part`."""

    seq: int
    part: int

    @classmethod
    def of(cls, last_event_id: str | None) -> "Cursor | None":
        """Return the cursor that `Last-Event-ID` names; None without one.

        Raises:
            ProblemError: it is no id of ours.
        """
        if last_event_id in {None, "", "-1"}:
            return None
        seq, _, part = str(last_event_id).partition(".")
        if not (seq.isascii() and seq.isdigit() and (part.isascii() and part.isdigit())):
            detail = f"Last-Event-ID: {last_event_id!r} is none that a stream here has given."
            raise ProblemError(422, "invalid_request", detail)
        return cls(min(int(seq), _MAX_SEQ), min(int(part), _LAST))


@dataclass(frozen=True, slots=True)
class Stream:
    """A client's view of a run."""

    service: Service
    handle: RunHandle
    caller: Caller
    secret: str | None
    modes: Collection[StreamMode]
    has_subgraphs: bool
    cursor: Cursor | None = None
    """What the client has; None: nothing."""

    async def chunks(self) -> AsyncGenerator[bytes]:
        """Yield server-sent events until the run is over, or waits for a person."""
        cursor = self.cursor or Cursor(self.handle.after, _LAST)
        if self.cursor is None:
            first = {"run_id": self.handle.run_id, "attempt": 1}
            yield _chunk(f"{cursor.seq}.{_LAST}", Part("metadata", first))
        seen = UNSEEN
        while True:
            for event in await self._read_events(cursor):
                for number, part in enumerate(await self._parts(event)):
                    if (event.seq, number) > (cursor.seq, cursor.part):
                        yield _chunk(f"{event.seq}.{number}", part)
                cursor = Cursor(event.seq, _LAST)
            is_told = seen.seq <= cursor.seq and is_at_rest(seen.status)
            if is_told and seen.status in IS_OVER:
                break
            before, seen = seen, await self._next(UNSEEN if is_told else seen)
            if is_told and seen == before:
                break  # nobody has decided since
            if seen in {before, UNSEEN}:
                yield HEARTBEAT
        yield _chunk(f"{cursor.seq}.{_LAST}", Part("end", None))

    async def _next(self, seen: Progress) -> Progress:
        """Wait for something new; end the stream of a token that was revoked."""
        service, run_id = self.service, self.handle.run_id
        now = await service.watcher.wait_for(run_id, seen, seconds=service.heartbeat_s)
        await service.access.caller_of(self.secret)
        if now is None:
            raise not_found(run_id, what="run")  # it was erased
        return now

    async def _read_events(self, cursor: Cursor) -> list[Event]:
        after = cursor.seq if cursor.part == _LAST else max(0, cursor.seq - 1)
        look = partial(read_events, run_id=self.handle.run_id, after=after)
        return await self.service.engine.aread(look, empty=list[Event]())

    async def _parts(self, event: Event) -> list[Part]:
        """Return what an event is in the modes that the client wants."""
        parts: list[Part] = []
        if "custom" in self.modes:
            told = without_paths(event.model_dump(mode="json"), self.service.app.home)
            parts.append(Part("custom", told))
        if event.type in {"call_finished", "call_failed"} and "updates" in self.modes:
            parts.extend(self._update(event))
        if event.type == "text":
            parts.extend(self._text(event))
        if event.type in {"run_paused", "run_ended"}:
            parts.extend(await self._rest(event))
        return parts

    def _update(self, event: Event) -> list[Part]:
        """Return the end of a call, below the names of the teams around it."""
        _root, *above, name = event.path.split("/")
        if above and not self.has_subgraphs:
            return []
        mode = "|".join(["updates", *(f"{team}:{event.seq}" for team in above)])
        told = {**event.data, "path": event.path}
        return [Part(mode, {name.partition("#")[0]: told})]

    def _text(self, event: Event) -> list[Part]:
        message = {
            "type": "ai",
            "content": event.data["text"],
            "id": self.handle.run_id,
            "name": event.path,
        }
        parts: list[Part] = []
        if "messages-tuple" in self.modes:
            parts.append(Part("messages", [message, {"langgraph_node": event.path}]))
        if "messages" in self.modes:
            parts.append(Part("messages/complete", [message]))
        return parts

    async def _rest(self, event: Event) -> list[Part]:
        row = await self.service.run(self.handle.run_id, self.caller)
        found = await self.service.resting(row, self.caller)
        if found is None:  # a pause that is over; what comes then is told later
            return []
        values, questions = found
        parts: list[Part] = []
        if questions and "updates" in self.modes:
            asked = [{"id": each.id, "value": each.value} for each in questions]
            parts.append(Part("updates", {"__interrupt__": asked}))
        if "values" in self.modes:
            parts.append(Part("values", values))
        if event.data.get("status") == "failed":
            message = values["answer"] or f"The run has failed: {event.data.get('reason')}"
            error = event.data.get("reason") or "failed"
            parts.append(Part("error", {"error": error, "message": message}))
        return parts


_MAX_SEQ: Final = 2**31 - 1
"""What the database takes."""
_LAST: Final = 1_000_000
"""The place of a part after all of its event's."""


async def with_problems(chunks: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """Yield what `chunks` yields; an error on the way becomes an event, for its status is sent."""
    try:
        async for chunk in chunks:
            yield chunk
    except (ProblemError, MinervaError) as error:
        problem = to_problem(error)
        yield _chunk("", Part("error", {"error": problem.name, "message": problem.detail}))


def _chunk(event_id: str, part: Part) -> bytes:
    data = orjson.dumps(part.data)
    head = f"id: {event_id}\n" if event_id else ""
    return f"{head}event: {part.event}\n".encode() + b"data: " + data + b"\n\n"
