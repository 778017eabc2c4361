"""The runs that members in the background start: begun once, asked about, and cancelled.

A call becomes a run of its own in the queue. Its id follows from the run and the path of the call,
so a call that is made again after a crash finds the run that it started before.
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, select

from minerva_observability import current_span
from minerva_observability.records.record import started_ids
from minerva_platform.config.limits import RunLimits
from minerva_platform.contract.bounds import capped
from minerva_platform.contract.handoff import Handoffs
from minerva_platform.contract.result import Result, Role
from minerva_platform.contract.run_object import IS_OVER, Notice, Run
from minerva_platform.contract.task import Task
from minerva_platform.conversation.reply import Decides
from minerva_platform.errors import RunError
from minerva_platform.planning.situation import MAX_VIEWED
from minerva_platform.run_context.blocking import in_daemon_thread
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.ledger.decisions import decide, os_user
from minerva_platform.storage.ledger.events import latest_progress
from minerva_platform.storage.ledger.open_run import OpenRun
from minerva_platform.storage.ledger.questions import OpenQuestion, open_questions
from minerva_platform.storage.ledger.run_row import find_run
from minerva_platform.storage.ledger.run_start import NewRun
from minerva_platform.storage.ledger.schema import LOCAL, runs
from minerva_platform.storage.queue.background_runs import cancel_run, count_workers
from minerva_platform.storage.queue.finished_run_notices import mark_told
from minerva_platform.storage.queue.owned_runs import OwnedRun, runs_owned_by, start_owned
from minerva_platform.text.texts import read_texts

if TYPE_CHECKING:
    from minerva_platform.contract.agent import BaseAgent

TEXTS = read_texts("minerva_platform.durable.background", "own_runs")

MIN_ID: Final = 4
"""Characters of the beginning of an id that may stand for it."""
_MAX_REQUEST: Final = 200
"""Characters of a run's request that a status repeats."""


def own_run_id(run_id: str, path: str) -> str:
    """Return the id of the run that the call at `path` starts: 32 hexadecimal digits."""
    return hashlib.sha256(f"{run_id} {path}".encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class KeptOwnRuns:
    """The background runs of a thread, for the run `run_id` of `root` in it, with `task`."""

    engine: Engine
    thread_id: str
    run_id: str
    root: str
    task: Task
    limits: RunLimits
    starter: OpenRun | None
    """The run's right to write; None while another run is at work in the thread."""

    async def start(
        self, agent: "BaseAgent[Any, Any]", task: Task, *, path: str, role: Role
    ) -> tuple[Result, Handoffs]:
        """Start a run that does `task`, once for each `path`; the result names it.

        It gives no hand-offs: the work is not done yet.

        Raises:
            LeaseLostError: another process goes on with this run.
            StateError: the run cannot be kept.
        """
        assert self.starter is not None  # noqa: S101  # whoever only answers calls no member
        run_id = own_run_id(self.run_id, path)
        own = Task(
            request=task.request or task.context,
            context=task.context,
            language=task.language,
            attachments=task.attachments,
            handoffs=task.handoffs,
            members=("/".join(part.partition("#")[0] for part in path.split("/")[1:]),),
            meant=task.meant,
            fields=task.fields,
            started_by=self.task.started_by or self.run_id,
        )
        if (span := current_span()) is not None:
            span.set(background=run_id)
            span.span_id = started_ids(run_id).start
        new = NewRun(run_id, run_id, self.root, own, self.limits)
        work = partial(start_owned, engine=self.engine, new=new, path=path, starter=self.starter)
        workers = await self.engine.awrite(work)
        names = {"member": agent.name, "run": run_id, "short": run_id[:8]}
        summary = TEXTS("started", task.language, **names)
        if not workers:
            summary += f"\n\n{TEXTS('no_worker', task.language)}"
        output = {"run_id": run_id}
        result = Result(
            agent=agent.name, path=path, status="ok", role=role, summary=summary, output=output
        )
        return result, {}

    @property
    def questions(self) -> "KeptOwnRuns | None":
        """Answers what a router asks about them; None in such a run itself."""
        return None if self.task.started_by else self

    async def find_runs(self) -> tuple[OwnedRun, ...]:
        """Return the runs of the thread, in the order of their start."""
        work = partial(runs_owned_by, thread_id=self.thread_id, asker=self.run_id)
        return await self.engine.aread(work, empty=tuple[OwnedRun, ...]())

    async def hold_thread(self) -> bool:
        """True if one of them, no tenant's, is at work in the thread: it alone writes there."""
        its = (runs.c.thread_id == self.thread_id, runs.c.tenant == LOCAL)
        at_work = select(runs.c.run_id).where(*its, runs.c.background, runs.c.status == "running")
        work = partial(Connection.scalar, statement=at_work)
        return await self.engine.aread(work, empty=None) is not None

    async def end(self, run_id: str) -> Run | None:
        """Return what is kept of a run; None if nothing is."""
        work = partial(find_run, run_id=run_id, place=self.engine.place)
        kept = await self.engine.aread(work, empty=None)
        return kept.to_run() if kept is not None else None

    async def open_questions(self, run_ids: Collection[str]) -> tuple[OpenQuestion, ...]:
        """Return what these runs ask a person."""
        work = partial(open_questions, tenant=None)
        questions = await self.engine.aread(work, empty=tuple[OpenQuestion, ...]())
        return tuple(each for each in questions if each.run_id in run_ids)

    async def requester(self) -> str | None:
        """Return the token that asks; None is the person at this machine, who alone decides here.

        Whoever asks by a server may only ask, or have to leave it to somebody else: there a scope
        and four eyes are looked at where the question itself is answered.
        """
        whose = select(runs.c.requester).where(runs.c.run_id == self.run_id)
        work = partial(Connection.scalar, statement=whose)
        return await self.engine.aread(work, empty=None)

    async def decide(self, answer: Decides) -> None:
        """Keep the answer of the person at this machine, which a worker process goes on with.

        Raises:
            DecisionError: another answer came first, or the time is over.
        """
        decisions = {answer.interrupt_id: answer.decision}
        shown = {answer.interrupt_id: answer.shown}
        choose = partial(decide, self.engine, answer.run_id, decisions, shown=shown, wakes=True)
        await in_daemon_thread(partial(choose, by=os_user()))

    async def progress(self, run_id: str) -> Mapping[str, Any] | None:
        """Return how far a run has said it is: `done`, `of` and `text`; None if it has not."""
        work = partial(latest_progress, run_id=run_id)
        event = await self.engine.aread(work, empty=None)
        return event.data if event is not None else None

    async def stop_run(self, run_id: str) -> bool:
        """Cancel a run; False if it was over."""
        try:
            cancel = partial(cancel_run, self.engine, run_id, even_decided=True)
            await in_daemon_thread(partial(cancel, by=await self.requester()))
        except RunError:
            return False
        return True

    async def has_workers(self) -> bool:
        """True if a process is alive that works on such runs."""
        work = partial(count_workers, engine=self.engine)
        return await self.engine.aread(work, empty=0) > 0

    async def mark_told(self, runs: Sequence[OwnedRun]) -> None:
        """Keep that these ended runs were told of, so that no later turn does it again."""
        if untold := [run for run in runs if not run.is_told]:
            notices = [Notice(run_id=run.run_id, status="ok", request="") for run in untold]
            await self.engine.awrite(partial(mark_told, notices=notices))

    async def status(self, run_id: str) -> str:
        """Return how a run goes; without an id, how each of the thread's runs goes."""
        runs = await self.find_runs()
        if not run_id.strip():
            return _json({"runs": [_row(run) for run in runs]})
        run = _find_run(runs, run_id)
        return _unknown(run_id) if run is None else _json(_row(run))

    async def result(self, run_id: str) -> str:
        """Return what came of a run, at most as much as is read of a member's answer."""
        run = _find_run(await self.find_runs(), run_id)
        if run is None:
            return _unknown(run_id)
        if run.status not in {*IS_OVER, "needs_human"}:
            return _json({**_row(run), "note": "It is not over."})
        end = await self.end(run.run_id)
        return _json({**_row(run), "answer": capped(end.answer if end else "", MAX_VIEWED)})

    async def cancel(self, run_id: str) -> str:
        """Cancel a run, and return how it went before."""
        run = _find_run(await self.find_runs(), run_id)
        if run is None:
            return _unknown(run_id)
        if await self.stop_run(run.run_id):
            return _json({**_row(run), "status": "cancelled", "before": run.status})
        now = _find_run(await self.find_runs(), run.run_id) or run
        return _json({**_row(now), "note": "It was over."})


def _find_run(runs: Sequence[OwnedRun], run_id: str) -> OwnedRun | None:
    """Return the one run whose id is `run_id`, or begins so."""
    name = run_id.strip().casefold()
    matches = [run for run in runs if len(name) >= MIN_ID and run.run_id.startswith(name)]
    return matches[0] if len(matches) == 1 else None


def _row(run: OwnedRun) -> dict[str, Any]:
    row: dict[str, Any] = {"run_id": run.run_id, "member": run.member, "status": run.status}
    if run.reason:
        row["reason"] = run.reason
    return {**row, "request": capped(run.request, _MAX_REQUEST)}


def _unknown(run_id: str) -> str:
    return _json({"error": f"This conversation has started no run {run_id[:40]!r}."})


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
