"""Runs of LangGraph's protocol: started, waited for, streamed, joined and cancelled."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

import orjson
from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from starlette.responses import StreamingResponse

from minerva_platform.contract.run_object import IS_OVER
from minerva_platform.errors import MinervaError
from minerva_platform.server.access import Caller, ItsThread, Reader, Runner, secret_in
from minerva_platform.server.event_stream import Cursor, Stream, with_problems
from minerva_platform.server.problems import ProblemError, to_problem
from minerva_platform.server.request_models import RunBody, StreamMode
from minerva_platform.server.response_models import OWN_STATUSES, RunAnswer, SdkStatus, to_run
from minerva_platform.server.routes.assistants import ItsService
from minerva_platform.server.service import RunHandle, Service
from minerva_platform.storage.server.tenant_rows import RunSearch, shown_id

router = APIRouter(tags=["runs"])
ItsRun = Annotated[str, Path(max_length=200)]
_STREAM: Final[dict[int | str, dict[str, Any]]] = {200: {"content": {"text/event-stream": {}}}}
_EVENTS: Final = "text/event-stream"


@dataclass(frozen=True, slots=True)
class _RunRequest:
    """A request for a run, or an answer to one: what, by whom, and under which key."""

    service: Service
    body: RunBody
    caller: Caller
    secret: str | None
    """The token, which a long stream looks at again and again."""
    key: str | None

    async def begin(self, thread_id: str | None) -> RunHandle:
        """Start a run, or answer what one asks; what was sent before has begun already."""
        return await self.service.begin(self.body, thread_id, self.caller, self.key)

    async def answer(self, thread_id: str | None, response: Response) -> RunAnswer:
        """Begin, and return the run."""
        handle = await self.begin(thread_id)
        response.headers["Content-Location"] = _address(handle)
        return to_run(await self.service.run(handle.run_id, self.caller))

    async def wait(self, thread_id: str | None) -> StreamingResponse:
        """Begin, and return the values when the run rests."""
        handle, cancels = await self.begin(thread_id), self.body.on_disconnect == "cancel"
        return _waiting(self.service, handle, self.caller, cancels=cancels)

    async def stream(self, thread_id: str | None) -> StreamingResponse:
        """Begin, and stream what happens until the run rests."""
        handle, body = await self.begin(thread_id), self.body
        modes, has_subgraphs = body.modes, body.stream_subgraphs
        stream = Stream(self.service, handle, self.caller, self.secret, modes, has_subgraphs)
        return _streaming(stream, cancels=body.on_disconnect == "cancel")


def _run_request(
    body: RunBody,
    service: ItsService,
    request: Request,
    caller: Runner,
    key: Annotated[
        str | None, Header(alias="Idempotency-Key", pattern=r'^"?[!#-~]{1,200}"?$')
    ] = None,
) -> _RunRequest:
    """Return a request; draft-ietf-httpapi-idempotency-key-header writes its key in quotes."""
    secret = secret_in(request.headers)
    return _RunRequest(service, body, caller, secret, key and key.strip('"'))


Asked = Annotated[_RunRequest, Depends(_run_request)]
LastEventId = Annotated[str | None, Header(alias="Last-Event-ID", max_length=40)]


@router.post("/threads/{thread_id}/runs")
async def create_run(thread_id: ItsThread, asked: Asked, response: Response) -> RunAnswer:
    """Start a run in the background, or answer what one asks."""
    return await asked.answer(thread_id, response)


@router.post("/runs")
async def create_run_alone(asked: Asked, response: Response) -> RunAnswer:
    """Start a run in a thread of its own."""
    return await asked.answer(None, response)


@router.post("/threads/{thread_id}/runs/wait", response_model=dict[str, Any])
async def wait_for_run(thread_id: ItsThread, asked: Asked) -> StreamingResponse:
    """Start a run, or answer what one asks, and return the values when it rests.

    `__interrupt__` holds the questions with which it waits, `__error__` why it has failed.
    """
    return await asked.wait(thread_id)


@router.post("/runs/wait", response_model=dict[str, Any])
async def wait_for_run_alone(asked: Asked) -> StreamingResponse:
    """Start a run in a thread of its own, and return the values when it rests."""
    return await asked.wait(None)


@router.post(
    "/threads/{thread_id}/runs/stream", response_class=StreamingResponse, responses=_STREAM
)
async def stream_run(thread_id: ItsThread, asked: Asked) -> StreamingResponse:
    """Start a run, or answer what one asks, and stream what happens until it rests."""
    return await asked.stream(thread_id)


@router.post("/runs/stream", response_class=StreamingResponse, responses=_STREAM)
async def stream_run_alone(asked: Asked) -> StreamingResponse:
    """Start a run in a thread of its own, and stream what happens until it rests."""
    return await asked.stream(None)


@router.get("/threads/{thread_id}/runs")
async def list_runs(
    thread_id: ItsThread,
    service: ItsService,
    caller: Reader,
    limit: Annotated[int, Query(ge=1, le=1000)] = 10,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    status: Annotated[SdkStatus | None, Query()] = None,
) -> list[RunAnswer]:
    """Return the runs of a thread, the latest first."""
    await service.thread(thread_id, caller)
    statuses = OWN_STATUSES[status] if status is not None else ()
    wanted = RunSearch(thread_id, statuses=statuses, limit=limit, offset=offset)
    rows = await service.runs(wanted, caller)
    answers = [to_run(row) for row in rows]
    return [each for each in answers if status in {None, each.status}]


@router.get("/threads/{thread_id}/runs/{run_id}")
async def get_run(
    thread_id: ItsThread, run_id: ItsRun, service: ItsService, caller: Reader
) -> RunAnswer:
    """Return a run."""
    return to_run(await service.run(run_id, caller, thread_id))


@router.get("/threads/{thread_id}/runs/{run_id}/join", response_model=dict[str, Any])
async def join_run(
    thread_id: ItsThread, run_id: ItsRun, service: ItsService, caller: Reader
) -> StreamingResponse:
    """Return the values of a run when it rests."""
    (await service.run(run_id, caller, thread_id)).check_owner()
    return _waiting(service, RunHandle(run_id, thread_id, 0), caller, cancels=False)


@router.get(
    "/threads/{thread_id}/runs/{run_id}/stream",
    response_class=StreamingResponse,
    responses=_STREAM,
)
async def join_stream(  # noqa: PLR0913  # each is a part of the address or a header
    thread_id: ItsThread,
    run_id: ItsRun,
    service: ItsService,
    request: Request,
    caller: Reader,
    *,
    stream_mode: Annotated[list[StreamMode] | None, Query()] = None,
    stream_subgraphs: Annotated[bool, Query()] = True,
    cancel_on_disconnect: Annotated[bool, Query()] = False,
    last_event_id: LastEventId = None,
) -> StreamingResponse:
    """Stream what happened in a run from its beginning, or after `Last-Event-ID`."""
    if cancel_on_disconnect:
        caller.need("run")
    (await service.run(run_id, caller, thread_id)).check_owner()
    modes = frozenset[StreamMode](stream_mode or ("values", "updates", "custom"))
    handle, cursor = RunHandle(run_id, thread_id, 0), Cursor.of(last_event_id)
    secret = secret_in(request.headers)
    stream = Stream(service, handle, caller, secret, modes, stream_subgraphs, cursor)
    return _streaming(stream, cancels=cancel_on_disconnect)


@router.post("/threads/{thread_id}/runs/{run_id}/cancel", status_code=202)
async def cancel_run(
    thread_id: ItsThread,
    run_id: ItsRun,
    service: ItsService,
    caller: Runner,
    *,
    wait: Annotated[bool, Query()] = False,
    action: Annotated[Literal["interrupt"], Query()] = "interrupt",
    even_decided: Annotated[bool, Query()] = False,
) -> dict[str, str]:
    """Cancel a run, wherever it is at work: nothing more of it is done or written.

    A run that goes on with an approval is cancelled only with `even_decided`.
    """
    del wait, action  # it takes effect before this answers; nothing is rolled back
    row = await service.run(run_id, caller, thread_id)
    await service.cancel(row, caller, even_decided=even_decided)
    return {"run_id": run_id, "status": "cancelled"}


def _address(handle: RunHandle) -> str:
    return f"/threads/{shown_id(handle.thread_id)}/runs/{handle.run_id}"


def _streaming(stream: Stream, *, cancels: bool) -> StreamingResponse:
    address = _address(stream.handle)
    chunks = with_problems(stream.chunks())
    if cancels:
        chunks = _cancelling(chunks, stream.service, stream.handle, stream.caller)
    headers = {
        "Content-Location": address,
        "Location": f"{address}/stream",
        "X-Accel-Buffering": "no",  # a proxy holds events back otherwise
    }
    return StreamingResponse(chunks, media_type=_EVENTS, headers=headers)


def _waiting(
    service: Service, handle: RunHandle, caller: Caller, *, cancels: bool
) -> StreamingResponse:
    """Return a response that begins now, with blanks, and holds the values when the run rests."""
    address = _address(handle)
    chunks = _values(service, handle, caller)
    if cancels:
        chunks = _cancelling(chunks, service, handle, caller)
    headers = {"Content-Location": address, "Location": f"{address}/join"}
    return StreamingResponse(chunks, media_type="application/json", headers=headers)


async def _values(service: Service, handle: RunHandle, caller: Caller) -> AsyncGenerator[bytes]:
    try:
        while (values := await service.at_rest(handle, caller)) is None:
            yield b"\n"
        yield orjson.dumps(values)
    except (ProblemError, MinervaError) as error:  # the status is sent
        problem = to_problem(error)
        yield orjson.dumps({"__error__": {"error": problem.name, "message": problem.detail}})


async def _cancelling(
    chunks: AsyncGenerator[bytes], service: Service, handle: RunHandle, caller: Caller
) -> AsyncGenerator[bytes]:
    """Yield `chunks`; if the client goes away before their end, cancel the run.

    Once the server is about to end, a closed connection says nothing about its client.
    """
    is_whole = False
    try:
        async for chunk in chunks:
            yield chunk
        is_whole = True
    finally:
        if not (is_whole or service.is_draining):
            service.later(_cancel(service, handle, caller))


async def _cancel(service: Service, handle: RunHandle, caller: Caller) -> None:
    row = await service.run(handle.run_id, caller)
    if row.status not in IS_OVER:
        await service.cancel(row, caller, even_decided=True)
