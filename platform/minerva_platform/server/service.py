"""What a server does for its clients: begin runs, answer questions, follow runs, cancel them."""

import asyncio
import contextlib
import hashlib
import json
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from sqlalchemy import Connection

from minerva_observability.tracing import new_run_id
from minerva_platform.app import Platform
from minerva_platform.config.settings import ServerSettings
from minerva_platform.contract.attachment import Attachment
from minerva_platform.contract.run_object import IS_OVER, DecisionBatch, Interrupt
from minerva_platform.contract.task import Task, Turn
from minerva_platform.durable.events import EventWriter
from minerva_platform.durable.incoming_request import decided_by
from minerva_platform.durable.worker_process import WorkerProcess
from minerva_platform.errors import MinervaError, ThreadBusyError, UnknownThreadError
from minerva_platform.run_context.blocking import in_daemon_thread
from minerva_platform.runtime.border.input_binding import refuse_unusable
from minerva_platform.server.access import Access, Caller
from minerva_platform.server.problems import ProblemError, not_found
from minerva_platform.server.request_models import (
    MESSAGE_ID,
    NODE,
    Command,
    RunBody,
    resume_to_decisions,
    to_host_decision,
)
from minerva_platform.server.response_models import assistant_id_of, to_values, without_paths
from minerva_platform.server.roots import Roots
from minerva_platform.server.run_watcher import UNSEEN, Watcher
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.files.uploads import find_upload
from minerva_platform.storage.ledger.decisions import decide
from minerva_platform.storage.ledger.events import Progress, progress_of
from minerva_platform.storage.ledger.questions import open_questions
from minerva_platform.storage.ledger.run_row import KeptRun
from minerva_platform.storage.ledger.run_start import NewRun, enqueue
from minerva_platform.storage.ledger.threads import Conversation
from minerva_platform.storage.queue.background_runs import cancel_run
from minerva_platform.storage.server.sent_keys import SentBeforeError, SentKey
from minerva_platform.storage.server.tenant_rows import (
    RunSearch,
    Sight,
    ThreadRow,
    count_open,
    find_run_by_metadata,
    find_runs,
    find_thread,
    is_busy,
    own_id,
    runs_of_questions,
    said_in_turns,
    shown_id,
)

HEARTBEAT_S: Final = 5.0
"""Seconds without news after which a long answer shows that it lives, and looks at its token
again."""
_RETRY_S: Final = 2
"""Seconds after which a client may try again when too many runs are open."""


@dataclass(frozen=True, slots=True)
class RunHandle:
    """A run that a client has started, or whose question it has answered."""

    run_id: str
    thread_id: str
    after: int
    """The number of the last event before that."""


@dataclass(slots=True)
class Service:
    """What the routes use. Everything is asked for a caller, and of the caller's tenant."""

    app: Platform
    engine: Engine
    process: WorkerProcess
    access: Access
    roots: Roots
    watcher: Watcher
    began: float = field(default_factory=time.time)
    wake_workers: Callable[[], None] = lambda: None
    """Lets whoever does the runs look at the queue."""
    heartbeat_s: float = HEARTBEAT_S
    is_draining: bool = False
    _later: "set[asyncio.Task[None]]" = field(default_factory=set["asyncio.Task[None]"])

    @property
    def settings(self) -> ServerSettings:
        """What clients may do."""
        return self.app.settings.platform.server

    def root_of(self, assistant: str, caller: Caller) -> str:
        """Return the platform or a team, given by its name or its id.

        Raises:
            ProblemError: 404, there is none; 403, the token may not ask it.
        """
        for name in self.roots.names:
            if assistant in {name, assistant_id_of(name)}:
                if not caller.may_ask(name):
                    detail = f"The token may not ask `{name}`."
                    raise ProblemError(403, "missing_scope", detail)
                return name
        raise not_found(assistant, what="assistant")

    async def own_id(self, thread_id: str, caller: Caller) -> str:
        """Return the id under which the caller's tenant keeps a thread, or would."""
        look = partial(own_id, thread_id=thread_id, tenant=caller.tenant)
        return await self.engine.aread(look, empty=thread_id)

    async def thread(self, thread_id: str, caller: Caller) -> ThreadRow:
        """Return a thread.

        Raises:
            ProblemError: 404.
        """
        look = partial(find_thread, thread_id=thread_id, sight=caller.sight)
        row = await self.engine.aread(look, empty=None)
        if row is None:
            raise not_found(thread_id, what="thread")
        return row

    async def run(self, run_id: str, caller: Caller, thread_id: str | None = None) -> KeptRun:
        """Return a run.

        Raises:
            ProblemError: 404.
        """
        if not run_id.isprintable():  # Postgres takes no NUL
            raise not_found(run_id, what="run")
        found = await self.runs(RunSearch(thread_id, run_id), caller)
        if not found:
            raise not_found(run_id, what="run")
        return found[0]

    async def runs(self, search: RunSearch, caller: Caller) -> list[KeptRun]:
        """Return runs, the latest first."""
        look = partial(find_runs, sight=caller.sight, search=search, place=self.engine.place)
        return await self.engine.aread(look, empty=list[KeptRun]())

    async def begin(
        self, body: RunBody, thread_id: str | None, caller: Caller, key: str | None = None
    ) -> RunHandle:
        """Start a run, or answer what one asks, and wake the processes that do the work.

        What was sent before with the same `key` gives the run of then.

        Raises:
            ProblemError: the body asks for what may not be.
            MinervaError: the run cannot be kept, or the decision cannot be taken.
        """
        root = self.root_of(body.assistant_id, caller)
        if self.is_draining:
            detail = "This server is about to end. Ask again; another one answers."
            raise ProblemError(503, "draining", detail, headers={"Retry-After": "1"})
        body_told = body.model_dump(mode="json", exclude_unset=True)
        told = {"thread_id": thread_id, "body": body_told}
        sent = SentKey(caller.sight, thread_id, key, _digest(told))
        try:
            await self.engine.aread(sent.look_back, empty=None)
            return await self._begin(body, root, sent, caller)
        except SentBeforeError as error:
            if not error.is_same:
                detail = "This Idempotency-Key came with another request before. Take a new key."
                raise ProblemError(422, "key_reused", detail) from None
            row = await self.run(error.run_id, caller)
            row.check_owner()
            return RunHandle(error.run_id, row.thread_id, 0)
        except UnknownThreadError:  # another tenant was faster with this id
            own = await self.own_id(shown_id(thread_id or ""), caller)
            if own == thread_id:
                raise
            return await self.begin(body, own, caller, key)

    async def _begin(self, body: RunBody, root: str, key: SentKey, caller: Caller) -> RunHandle:
        thread_id = key.thread_id
        if body.command is not None:
            if thread_id is None:
                raise ProblemError(422, "invalid_request", "An answer needs its thread.")
            await self.thread(thread_id, caller)
            return await self._answer(body.command, thread_id, caller, key)
        is_new = thread_id is None or not await self._has_thread(body, thread_id, caller)
        if not is_new and (again := await self._repeat_call(body, key, caller)) is not None:
            return again
        task = await self._task(body, caller)
        refuse_unusable(root, task)
        thread_id = thread_id or new_run_id()
        team = await in_daemon_thread(self.roots.team_of, root)
        decided = partial(decided_by, team, task, self.engine, tenant=caller.tenant)
        said = None if is_new else await decided(thread_id)
        if said is not None:
            shown = {said.interrupt_id: said.shown}
            batch = DecisionBatch({said.interrupt_id: said.decision}, None, key.batch_id, shown)
            return await self.decide(said.run_id, batch, caller)
        await self.engine.aread(key.look_back, empty=None)
        new = NewRun(
            run_id=new_run_id(),
            thread_id=thread_id,
            root=root,
            task=task,
            limits=body.config.to_limits(self.app.limits),
            tenant=caller.tenant,
            requester=caller.name,
            metadata=body.kept_metadata,
            roots=caller.roots,
        )
        is_reject = body.multitask_strategy == "reject"
        refuses = partial(self._refuse, new=new, key=key, is_reject=is_reject)
        await in_daemon_thread(partial(enqueue, self.engine, new, refuses=refuses))
        self._wake()
        return RunHandle(new.run_id, thread_id, 0)

    async def decide(self, run_id: str, batch: DecisionBatch, caller: Caller) -> RunHandle:
        """Keep decisions about what a run asks, and let a worker process go on with it.

        Raises:
            ProblemError: 404; or 403, the caller may not decide this.
            DecisionError: none of the decisions is kept.
        """
        caller.need("approve")
        row = await self.run(run_id, caller)
        four_eyes = self.app.settings.platform.approvals.four_eyes
        if four_eyes and row.requester == caller.name:
            detail = f"`{caller.name}` asked for this; somebody else decides (approvals.four_eyes)."
            raise ProblemError(403, "four_eyes", detail)
        look = partial(progress_of, run_ids=[run_id])
        known = await self.engine.aread(look, empty=dict[str, Progress]())
        work = partial(decide, self.engine, run_id, batch.decisions, by=caller.name)
        await in_daemon_thread(
            partial(work, batch_id=batch.batch_id, shown=batch.shown, wakes=True)
        )
        self._wake()
        return RunHandle(run_id, row.thread_id, max(0, known.get(run_id, UNSEEN).seq))

    async def cancel(self, row: KeptRun, caller: Caller, *, even_decided: bool) -> None:
        """Cancel a run, wherever it is at work.

        Raises:
            AlreadyDecidedError: it goes on with an approval, and not `even_decided`.
            RunError: it is over.
        """
        cancel = partial(cancel_run, self.engine, row.run_id, even_decided=even_decided)
        await in_daemon_thread(partial(cancel, by=caller.name))
        self._wake()

    async def at_rest(self, handle: RunHandle, caller: Caller) -> dict[str, Any] | None:
        """Return the values of a run that is over or waits for a person.

        `__error__` says why it has failed. None: it is not at rest within a heartbeat; ask again.

        Raises:
            ProblemError: 404, there is no such run any more.
        """
        until = time.monotonic() + self.heartbeat_s
        seen: Progress | None = UNSEEN
        while seen is not None and not is_at_rest(seen.status):
            left = until - time.monotonic()
            if left <= 0:
                return None
            seen = await self.watcher.wait_for(handle.run_id, seen, seconds=left)
        row = await self.run(handle.run_id, caller)
        found = await self.resting(row, caller)
        if found is None:
            return None
        values, _ = found
        if row.status == "failed":
            reason = row.reason or "failed"
            message = values["answer"] or f"The run has failed: {reason}"
            values["__error__"] = {"error": reason, "message": message}
        return values

    async def resting(
        self, row: KeptRun, caller: Caller
    ) -> tuple[dict[str, Any], tuple[Interrupt, ...]] | None:
        """Return the values and the questions of a run at rest; None if it goes on meanwhile."""
        if not is_at_rest(row.status):
            return None
        found = await self.values(row, caller)
        if row.status not in IS_OVER:  # somebody may have decided since
            now = await self.run(row.run_id, caller)
            if (now.status, now.resumes) != (row.status, row.resumes):
                return None
        return found

    async def values(
        self, row: KeptRun, caller: Caller
    ) -> tuple[dict[str, Any], tuple[Interrupt, ...]]:
        """Return the values of a state, and the questions that wait in it and do not rest."""
        conversation = Conversation(
            self.engine, row.thread_id, before=row.number, roots=caller.roots
        )

        def look(connection: Connection) -> tuple[tuple[Interrupt, ...], dict[int, str]]:
            waiting = open_questions(connection, row.run_id)
            ids = said_in_turns(connection, row.thread_id, MESSAGE_ID)
            return tuple(each.interrupt for each in waiting if not each.rests), ids

        nothing: tuple[tuple[Interrupt, ...], dict[int, str]] = (), {}
        questions, ids = await self.engine.aread(look, empty=nothing)
        earlier: Mapping[int, Turn] = await in_daemon_thread(conversation.turns_by_number)
        values = to_values(row, earlier, questions, ids)
        return without_paths(values, self.app.home), questions

    def later(self, work: Coroutine[Any, Any, None]) -> None:
        """Do `work` after the request that it came with has ended."""
        task = asyncio.create_task(work)
        self._later.add(task)
        task.add_done_callback(self._later.discard)

    def _wake(self) -> None:
        self.wake_workers()
        self.watcher.poke()

    async def _task(self, body: RunBody, caller: Caller) -> Task:
        """Return what is asked, with the caller's own files.

        Raises:
            ProblemError: 422, a file was not uploaded.
        """
        assert body.input is not None  # noqa: S101  # the body asks or answers
        files: list[Attachment] = []
        for each in body.input.attachments:
            look = partial(find_upload, sight=caller.sight, sha256=each.sha256, name=each.name)
            found = await self.engine.aread(look, empty=None)
            if found is None:
                detail = f"The file {each.sha256[:12]}… is not there. Upload it first: POST /files"
                raise ProblemError(422, "unknown_file", detail)
            files.append(Attachment(path=found.path_in(self.app.home)))
        return Task(request=body.input.words, attachments=tuple(files))

    async def _has_thread(self, body: RunBody, thread_id: str, caller: Caller) -> bool:
        """True if the caller's tenant has this thread; another's is as if it were not there.

        Whoever is given its id may ask in it, and sees what is of their own teams.

        Raises:
            ProblemError: 404, there is none, and none may be made.
        """
        look = partial(find_thread, thread_id=thread_id, sight=Sight(caller.tenant))
        if await self.engine.aread(look, empty=None) is not None:
            return True
        if body.if_not_exists == "reject":
            raise not_found(thread_id, what="thread")
        return False

    async def _answer(
        self, command: Command, thread_id: str, caller: Caller, key: SentKey
    ) -> RunHandle:
        def look(connection: Connection) -> tuple[list[str], dict[str, str]]:
            waiting = open_questions(connection, thread_id=thread_id, tenant=caller.tenant)
            seen = [each.interrupt.id for each in waiting if caller.may_ask(each.root)]
            return seen, runs_of_questions(connection, thread_id, caller.sight)

        nothing: tuple[list[str], dict[str, str]] = [], {}
        waiting, asked = await self.engine.aread(look, empty=nothing)
        await self.engine.aread(key.look_back, empty=None)
        try:
            given = resume_to_decisions(command.resume, tuple(waiting))
        except ValueError as error:
            raise ProblemError(422, "invalid_decision", str(error)) from error
        found = {asked[each] for each in given if each in asked}
        if not found:
            raise not_found(", ".join(given), what="question")
        if len(found) > 1:
            detail = "These questions are of several runs; answer each run by itself."
            raise ProblemError(422, "invalid_decision", detail)
        return await self.decide(found.pop(), DecisionBatch(given, batch_id=key.batch_id), caller)

    async def _repeat_call(self, body: RunBody, key: SentKey, caller: Caller) -> RunHandle | None:
        """Go on with the run of a node that a graph around it calls again; None if there is none.

        LangGraph resumes a node by calling it again with the same input: the run is not begun
        twice. `RemoteGraph` sends the answers that were given by ids, and no bare value.

        Raises:
            ProblemError: the run waits, and no answer to it came.
            DecisionError: an answer cannot be taken.
        """
        node, thread_id = body.node_call, key.thread_id
        if node is None or thread_id is None:
            return None
        look = partial(
            find_run_by_metadata, thread_id=thread_id, key=NODE, value=node, sight=caller.sight
        )
        run_id = await self.engine.aread(look, empty=None)
        if run_id is None:
            return None
        look_up = partial(runs_of_questions, thread_id=thread_id, sight=caller.sight)
        questions = await self.engine.aread(look_up, empty=dict[str, str]())
        try:
            answers = {
                each: to_host_decision(value)
                for each, value in body.config.configurable.answers.items()
                if questions.get(each) == run_id
            }
        except ValueError as error:
            raise ProblemError(422, "invalid_decision", str(error)) from error
        row = await self.run(run_id, caller)
        row.check_owner()
        if answers:  # the same answers may come again, other ones are refused
            batch = DecisionBatch(answers, batch_id=f"{node} {_digest(answers)}")
            handle = await self.decide(run_id, batch, caller)
            return handle if row.status not in IS_OVER else replace(handle, after=0)
        if row.status == "needs_human":
            detail = (
                "`RemoteGraph` sends no bare value, so no answer has come. Name the question: "
                'Command(resume={interrupt.id: {"type": "approve"}}), or answer the thread here '
                "with `command.resume`."
            )
            raise ProblemError(422, "invalid_decision", detail)
        return RunHandle(run_id, thread_id, 0)

    def _refuse(
        self, connection: Connection, new: NewRun, key: SentKey, *, is_reject: bool
    ) -> None:
        """Refuse a run that would be one too many.

        Raises:
            SentBeforeError: the run was begun before.
            ProblemError: the tenant has too many open runs.
            ThreadBusyError: the client wants no queue, and a run goes on in the thread.
        """
        key.keep(connection, self.engine, new.run_id)
        if is_reject and is_busy(connection, new.thread_id):
            raise ThreadBusyError(shown_id(new.thread_id), _RETRY_S)
        most = self.settings.max_open_runs
        if count_open(connection, new.tenant) >= most:
            detail = f"{most:,} runs wait or are at work already."
            after = {"Retry-After": str(_RETRY_S)}
            raise ProblemError(429, "too_many_runs", detail, headers=after)


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def is_at_rest(status: str) -> bool:
    """True if no process goes on with a run of this status by itself."""
    return status in IS_OVER or status == "needs_human"


@asynccontextmanager
async def opened_service(
    app: Platform, roots: Roots, *, at_once: int, needs_token: bool
) -> AsyncGenerator[Service]:
    """Give the service while this process works off the queue, up to `at_once` runs at once.

    With 0 other processes do the runs; `wake_workers` has to reach them.

    Raises:
        RunError: state is not kept.
    """
    async with app.worker_process(roots.team_of, at_once=at_once) as process:
        engine = process.engine
        watcher = Watcher(engine)
        process.writer = EventWriter(engine, watcher.poke)
        service = Service(app, engine, process, Access(engine, needs_token), roots, watcher)
        working: asyncio.Task[None] | None = None
        if at_once:
            service.wake_workers, working = process.wake, asyncio.create_task(process.work())
        try:
            yield service
        finally:
            process.drain()
            if working is not None:
                with contextlib.suppress(MinervaError):
                    await working
            await watcher.close()
