"""Threads of LangGraph's protocol: conversations, their states and their history."""

import time
from functools import partial
from typing import Annotated, Any, cast

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.responses import Response

from minerva_observability.tracing import new_run_id
from minerva_platform.contract.run_object import Interrupt
from minerva_platform.run_context.blocking import in_daemon_thread
from minerva_platform.server.access import Admin, Caller, ItsThread, Reader, Runner
from minerva_platform.server.problems import ProblemError, not_found
from minerva_platform.server.request_models import (
    HistoryBody,
    NewThread,
    StateBody,
    ThreadChange,
    ThreadSearchBody,
)
from minerva_platform.server.response_models import (
    StateAnswer,
    ThreadAnswer,
    time_text,
    to_state,
    to_thread,
)
from minerva_platform.server.routes.assistants import ItsService
from minerva_platform.server.service import Service
from minerva_platform.storage.ledger.run_row import KeptRun
from minerva_platform.storage.maintenance.forget import ForgetPlan, forget, plan_forget
from minerva_platform.storage.server.tenant_rows import (
    RunSearch,
    ThreadRow,
    ThreadSearch,
    add_metadata,
    add_thread,
    count_threads,
    has_others_runs,
    search_threads,
)

router = APIRouter(tags=["threads"])


@router.post("/threads")
async def create_thread(body: NewThread, service: ItsService, caller: Runner) -> ThreadAnswer:
    """Make a thread before its first run."""
    now = time.time()
    thread_id = body.thread_id or new_run_id()
    root = service.app.team.name if caller.roots is None else min(caller.roots)
    row = ThreadRow(thread_id, root, now, now, "idle", body.metadata)
    add = partial(add_thread, engine=service.engine, row=row, tenant=caller.tenant)
    made = await service.engine.awrite(add)
    if made is None and body.if_exists == "raise":
        detail = f"The id `{body.thread_id}` is taken. Take another, or `if_exists: do_nothing`."
        raise ProblemError(409, "thread_exists", detail)
    own = await service.own_id(thread_id, caller)
    return await _answer(service, made or await service.thread(own, caller), caller)


@router.post("/threads/search")
async def find_threads(
    body: ThreadSearchBody, service: ItsService, caller: Reader
) -> list[ThreadAnswer]:
    """Return threads, the latest first unless said otherwise."""
    look = partial(search_threads, search=_search(body), sight=caller.sight)
    rows = await service.engine.aread(look, empty=list[ThreadRow]())
    return [await _answer(service, row, caller) for row in rows]


@router.post("/threads/count")
async def count(body: ThreadSearchBody, service: ItsService, caller: Reader) -> int:
    """Return how many threads fit."""
    look = partial(count_threads, search=_search(body), sight=caller.sight)
    return await service.engine.aread(look, empty=0)


@router.get("/threads/{thread_id}")
async def get_thread(thread_id: ItsThread, service: ItsService, caller: Reader) -> ThreadAnswer:
    """Return a thread with the values of its latest run."""
    return await _answer(service, await service.thread(thread_id, caller), caller)


@router.patch("/threads/{thread_id}")
async def change_thread(
    thread_id: ItsThread, body: ThreadChange, service: ItsService, caller: Runner
) -> ThreadAnswer:
    """Add to what is said about a thread."""
    work = partial(add_metadata, thread_id=thread_id, sight=caller.sight, more=body.metadata)
    row = await service.engine.awrite(work)
    if row is None:
        raise not_found(thread_id, what="thread")
    return await _answer(service, row, caller)


@router.delete("/threads/{thread_id}", status_code=204)
async def erase_thread(thread_id: ItsThread, service: ItsService, caller: Admin) -> Response:
    """Erase a thread with all that was said and done in it, as `minerva forget` does.

    A thread that holds what the caller does not see is not erased.
    """
    await service.thread(thread_id, caller)
    await in_daemon_thread(_erase, service, thread_id, caller)
    return Response(status_code=204)


@router.get("/threads/{thread_id}/state")
async def get_state(
    thread_id: ItsThread,
    service: ItsService,
    caller: Reader,
    *,
    subgraphs: Annotated[bool, Query()] = False,
) -> StateAnswer:
    """Return the state after the latest run. Members keep their inner state to themselves."""
    del subgraphs
    return await _state(service, thread_id, caller, None)


@router.get("/threads/{thread_id}/state/{checkpoint_id}")
async def get_state_at(
    thread_id: ItsThread, checkpoint_id: str, service: ItsService, caller: Reader
) -> StateAnswer:
    """Return the state after one of the thread's runs."""
    return await _state(service, thread_id, caller, checkpoint_id)


@router.post("/threads/{thread_id}/state/checkpoint")
async def get_state_of(
    thread_id: ItsThread, body: StateBody, service: ItsService, caller: Reader
) -> StateAnswer:
    """Return the state after the latest run, or after that of a checkpoint."""
    checkpoint = (body.checkpoint or {}).get("checkpoint_id")
    at = None if checkpoint is None else str(checkpoint)
    return await _state(service, thread_id, caller, at)


@router.post("/threads/{thread_id}/state", include_in_schema=False)
async def change_state(thread_id: ItsThread, service: ItsService, caller: Runner) -> None:
    """Refuse to write a state past the firewall."""
    await service.thread(thread_id, caller)
    detail = "A thread's state comes from its runs. Ask, or answer a question by `command.resume`."
    raise ProblemError(403, "state_is_read_only", detail)


@router.get("/threads/{thread_id}/history")
async def get_history(
    thread_id: ItsThread,
    service: ItsService,
    caller: Reader,
    limit: Annotated[int, Query(ge=1, le=1000)] = 10,
    before: Annotated[str | None, Query(max_length=200)] = None,
) -> list[StateAnswer]:
    """Return the states of a thread, the latest first: one for each run."""
    return await _history(service, thread_id, caller, limit, before)


@router.post("/threads/{thread_id}/history")
async def find_history(
    thread_id: ItsThread, body: HistoryBody, service: ItsService, caller: Reader
) -> list[StateAnswer]:
    """Return the states of a thread, the latest first: one for each run."""
    before = _checkpoint_id(body.before)
    states = await _history(service, thread_id, caller, body.limit, before)
    wanted = body.metadata or {}
    return [
        state
        for state in states
        if all(state.metadata.get(name) == value for name, value in wanted.items())
    ]


def _checkpoint_id(before: str | dict[str, Any] | None) -> str | None:
    """Return the run that a client names by its checkpoint, in either of the usual forms."""
    if before is None or isinstance(before, str):
        return before
    inner = before.get("configurable")
    holder = cast("dict[str, Any]", inner) if isinstance(inner, dict) else before
    found = holder.get("checkpoint_id")
    return str(found) if found is not None and str(found).isprintable() else None


def _search(body: ThreadSearchBody) -> ThreadSearch:
    return ThreadSearch(
        metadata=body.metadata or {},
        status=body.status,
        ids=body.ids or (),
        limit=body.limit,
        offset=body.offset,
        by=body.sort_by or "updated_at",
        is_ascending=body.sort_order == "asc",
    )


async def _answer(service: Service, row: ThreadRow, caller: Caller) -> ThreadAnswer:
    latest = await service.runs(RunSearch(row.thread_id, limit=1), caller)
    values: dict[str, Any] = {}
    questions: tuple[Interrupt, ...] = ()
    if latest:
        values, questions = await service.values(latest[0], caller)
    return to_thread(row, values, questions)


async def _state(
    service: Service, thread_id: str, caller: Caller, checkpoint: str | None
) -> StateAnswer:
    row = await service.thread(thread_id, caller)
    if checkpoint is not None:
        found = await service.run(checkpoint, caller, thread_id)
        return (await _states(service, [found], caller))[0]
    states = await _history(service, thread_id, caller, 1, None)
    return states[0] if states else _empty_state(row)


def _empty_state(row: ThreadRow) -> StateAnswer:
    return StateAnswer.model_validate(
        {
            "values": {},
            "next": [],
            "tasks": [],
            "checkpoint": {"thread_id": row.thread_id, "checkpoint_id": ""},
            "metadata": dict(row.metadata),
            "created_at": time_text(row.created),
            "parent_checkpoint": None,
            "interrupts": [],
        }
    )


async def _history(
    service: Service, thread_id: str, caller: Caller, limit: int, before: str | None
) -> list[StateAnswer]:
    await service.thread(thread_id, caller)
    rows = await service.runs(RunSearch(thread_id, limit=limit, before=before), caller)
    return await _states(service, rows, caller)


async def _states(service: Service, rows: list[KeptRun], caller: Caller) -> list[StateAnswer]:
    states: list[StateAnswer] = []
    for row in rows:
        values, questions = await service.values(row, caller)
        before = RunSearch(row.thread_id, limit=1, before=row.run_id)
        earlier = await service.runs(before, caller)
        parent = earlier[0].run_id if earlier else None
        states.append(to_state(row, values, questions, parent))
    return states


def _erase(service: Service, thread_id: str, caller: Caller) -> None:
    engine, artifacts = service.engine, service.app.artifacts

    def plan(connection: Connection) -> ForgetPlan | None:
        if has_others_runs(connection, thread_id, caller.sight):
            detail = "Other teams have asked in this thread, too. It takes a token for all teams."
            raise ProblemError(403, "missing_scope", detail)
        return plan_forget(connection, engine, artifacts, thread_id)

    planned = engine.read(plan, empty=None)
    if planned is not None:
        forget(engine, planned)
