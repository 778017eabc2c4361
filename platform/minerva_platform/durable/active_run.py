"""Run a team as the root: bind recorder, budget and store, and keep what comes of it.

Only the root has a checkpointer. Graphs below inherit it from LangGraph. Its `thread_id` is the
run's id, so a new turn of a conversation never touches what an earlier run waits for.
"""

import asyncio
import hashlib
import os
import socket
import time
from collections.abc import AsyncGenerator, Mapping, Set as AbstractSet
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, cast

from langgraph.errors import GraphBubbleUp

from minerva_observability import RunScope, record_span
from minerva_observability.records import SpanFields, Status
from minerva_observability.records.record import started_ids
from minerva_observability.tracing import record_earlier_wait
from minerva_platform.config.settings import bound_home, home_directory
from minerva_platform.contract.run_object import Interrupt, Run
from minerva_platform.contract.task import Task
from minerva_platform.conversation.follow_up import Understanding, kept_turn
from minerva_platform.durable.run_result import bring_files, stop_of, to_run, with_understanding
from minerva_platform.durable.save import (
    cut_off,
    given_decisions,
    keep,
    keep_cancelled,
    not_kept,
    record_pauses,
    to_kept,
    understood_again,
    untold_notices,
)
from minerva_platform.durable.uploaded_files import with_uploaded_files
from minerva_platform.errors import LeaseLostError, StateError
from minerva_platform.people.langgraph_questions import Answer, langgraph_id, to_interrupts
from minerva_platform.planning.request_words import person_words_in
from minerva_platform.run_context.blocking import in_daemon_thread
from minerva_platform.run_context.budget import DEFAULT_HOPS, Budget
from minerva_platform.run_context.context import OwnRuns, RunContext, current_run
from minerva_platform.run_context.failures.error_info import (
    cancelled_fields,
    error_to_reason_info,
    stop_fields,
)
from minerva_platform.run_context.usage import OpenCalls, Used
from minerva_platform.runtime.border.firewall import hide_request
from minerva_platform.runtime.border.input_binding import refuse_unusable
from minerva_platform.runtime.root_graph import RootGraph, Stop
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.tools.held import holding

if TYPE_CHECKING:
    from minerva_platform.contract.assembled_team import AssembledTeam
    from minerva_platform.durable.background.member_runs import KeptOwnRuns
    from minerva_platform.storage.checkpoints.run_checkpointer import RunCheckpointer
    from minerva_platform.storage.files.artifacts import ArtifactStore
    from minerva_platform.storage.ledger.effects import EffectJournal
    from minerva_platform.storage.ledger.host_effects import HostEffects
    from minerva_platform.storage.ledger.open_run import OpenRun
    from minerva_platform.storage.ledger.run_row import KeptRun
    from minerva_platform.storage.ledger.threads import Conversation


async def run_team(
    team: "AssembledTeam",
    task: Task,
    options: RunOptions | None = None,
    *,
    about_runs: Understanding | None = None,
) -> Run:
    """Run `team` on `task` until it ends or waits for a person. Failures are in the run object.

    Raises:
        BindingError: the task asks for nothing, or is no Unicode text.
        ContractError: the team or a member declares what cannot be; said before a run begins.
        ThreadBusyError: another run goes on in the thread until the time is up.
        LeaseLostError: this process stood still, and another run took the thread over.
        StateError: the run cannot be kept; said before anything is done.
    """
    refuse_unusable(team.name, task)
    _ = team.graph
    options = options or RunOptions()
    if not options.may_pause:  # nobody could answer later
        task = task.model_copy(update={"approvals": "never"})
    control_flow = (GraphBubbleUp,)
    scope = RunScope(recorder=options.recorder, control_flow=control_flow, clock=options.clock)
    scope.thread_id = options.thread_id or scope.run_id
    if about_runs is not None:
        return await ActiveRun(team, task, options, scope, None, about_runs=about_runs).done()
    async with _accepted(team, task, options, scope) as kept:
        return await ActiveRun(team, task, options, scope, kept).done()


@asynccontextmanager
async def _accepted(
    team: "AssembledTeam", task: Task, options: RunOptions, scope: RunScope
) -> AsyncGenerator["OpenRun | None"]:
    """Yield the run as the only writer of its thread; None if nothing is kept."""
    if options.engine is None:
        yield None
        return
    from minerva_platform.storage.ledger.lease import TERMS  # noqa: PLC0415  # SQLAlchemy is heavy
    from minerva_platform.storage.ledger.run_start import NewRun, accepted  # noqa: PLC0415  # the same

    thread_id = scope.thread_id or scope.run_id
    new = NewRun(
        *(scope.run_id, thread_id, team.name, task, options.limits),
        traceparent=scope.traceparent,
        versions=team.versions,
    )
    seconds = max(0.0, options.limits.seconds - options.seconds_waited)
    terms = options.terms or TERMS
    async with accepted(options.engine, new, seconds=seconds, terms=terms) as kept:
        kept.keep_checkpoints = options.keep_checkpoints
        yield kept


@dataclass(frozen=True)
class ActiveRun:
    """A run while this process works on it: from its request, or from where it is kept (`row`)."""

    team: "AssembledTeam"
    task: Task
    options: RunOptions
    scope: RunScope
    open_run: "OpenRun | None"
    """None if nothing is kept."""
    row: "KeptRun | None" = None
    about_runs: Understanding | None = None
    """The answer to a question about background runs, which was found before the run."""

    async def done(self) -> Run:
        """Go on until the run ends or waits for a person, and return the run object."""
        home = self.options.home or home_directory()
        context = self._context()
        with self.scope.bound(), context.bound(), bound_home(home):
            async with holding():
                return await self._record()

    @cached_property
    def _store(self) -> "ArtifactStore":
        return self.options.store()

    def _context(self) -> RunContext:
        options, used = self.options, self.row.used if self.row else Used()
        waited = options.seconds_waited + (self.open_run.wait_seconds if self.open_run else 0.0)
        hops = options.limits.hops or max(DEFAULT_HOPS, self.team.size)
        budget = Budget(
            options.limits,
            hops,
            seconds_waited=waited + used.ms / 1000,
            hops_used=used.hops,
            usage=used.usage,
        )
        return RunContext(
            budget,
            self._store,
            keeps_state=options.engine is not None,
            conversation=self._conversation,
            person_words=person_words_in(self.task),
            may_pause=options.may_pause,
            calls=OpenCalls(used.begun),
            effects=self._journal(),
            own_runs=self._own_runs(),
        )

    def _journal(self) -> "EffectJournal | HostEffects | None":
        if self.open_run is None:
            return self.options.host_effects
        from minerva_platform.storage.ledger.effects import EffectJournal  # noqa: PLC0415  # SQLAlchemy is heavy

        return EffectJournal(self.open_run)

    def _own_runs(self) -> "KeptOwnRuns | None":
        kept = self.open_run
        if kept is None or self._is_alone:
            return None
        from minerva_platform.durable.background.member_runs import KeptOwnRuns  # noqa: PLC0415  # SQLAlchemy is heavy

        place = (kept.engine, kept.lease.thread_id, kept.run_id)
        return KeptOwnRuns(*place, self.team.name, self.task, self.options.limits, kept)

    @cached_property
    def _is_alone(self) -> bool:
        """True if the thread began with this run, and no other can be in it."""
        is_own = self.scope.thread_id == self.scope.run_id and not self.task.started_by
        return is_own and self.row is None and not self.team.starts_runs

    @cached_property
    def _conversation(self) -> "Conversation | None":
        if self.options.engine is None or self._is_alone:
            return None
        from minerva_platform.storage.ledger.threads import Conversation, ConversationBefore  # noqa: PLC0415  # SQLAlchemy is heavy

        roots = self.row.roots if self.row else None
        if self.task.started_by:  # its thread holds this run alone
            return ConversationBefore(self.options.engine, self.task.started_by, roots=roots)
        thread_id = self.scope.thread_id or self.scope.run_id
        before = self.row.number if self.row else None
        return Conversation(self.options.engine, thread_id, before=before, roots=roots)

    async def _record(self) -> Run:
        team, kept = self.team, self.open_run
        span = record_span(
            kind="run",
            path=team.name,
            team=team.name,
            agent_name=team.record_name,
            request_sha256=hashlib.sha256(self.task.context.encode()).hexdigest(),
            versions=team.versions,
            host=socket.gethostname(),
            pid=os.getpid(),
        )
        if self.task.started_by:
            span.set(started_by=self.task.started_by)
            if not self.scope.resume_no:
                span.span_id = started_ids(self.scope.run_id).run
        with span:
            current_run().calls.begin(span)
            self._record_waits(span.started_ns / 1e9)
            try:
                async with kept.kept_alive() if kept else nullcontext():
                    run, stop = await self._whole()
            except asyncio.CancelledError:
                span.set(**cancelled_fields())
                raise
            except LeaseLostError as error:  # the run is another's, and has not failed
                span.set(status="skipped", reason="lease_lost")
                span.set_error(error)
                raise
            except GraphBubbleUp:  # only an inner run's: the graph around it waits for the person
                raise
            except Exception as error:
                info = error_to_reason_info("internal_error", error)
                span.set(**stop_fields("internal_error", info))
                raise
            span.set(status=cast("Status", run.status))
            span.set(**stop)
            members = dict.fromkeys(hop.path.split("/")[1].partition("#")[0] for hop in run.hops)
            if members:
                span.set(decision={"members": [*members]})
        return run

    def _record_waits(self, at: float) -> None:
        """Record how long no process had it, or it waited for others in its thread."""
        row, run = self.row, self.open_run
        since = None if row is None else row.created if row.is_new else row.idle_since
        if since is not None:
            record_earlier_wait("queue", path=self.team.name, began=since, until=at)
        elif run is not None and run.has_waited:
            since = at - run.wait_seconds
            record_earlier_wait("lease", path=self.team.name, began=since, until=at)

    async def _whole(self) -> tuple[Run, SpanFields]:
        """Return the run, and the fields of its record that say why it stopped."""
        hide_request(self.task)
        context, row = current_run(), self.row
        kept_words = row.understanding if row else None
        said = self.about_runs or await self._said_of_runs(context.own_runs)
        if said is None:
            said = await understood_again(self.team, self.task, kept_words, self._conversation)
        context.effect_log.suspects = frozenset(said.suspects)
        if said.instead is None and any(item.upload_key for item in said.task.attachments):
            said = await with_uploaded_files(self.team, said, self._store)
        if self.open_run is not None:
            self.open_run.used, self.open_run.understanding = context.used_so_far, to_kept(said)
        try:
            return await self._move(said)
        except asyncio.CancelledError:
            if self.open_run is not None and not self.open_run.goes_on:
                keep_cancelled(self.open_run, said, self.task, self.team.name)
            raise

    async def _said_of_runs(self, own_runs: OwnRuns | None) -> Understanding | None:
        """Return the answer to a question about background runs; None if it is a request.

        What cannot be read now cannot be kept either, which is said at the end.
        """
        if own_runs is None:
            return None
        from minerva_platform.durable.background.run_answers import answered_about_runs  # noqa: PLC0415  # SQLAlchemy is heavy

        with suppress(StateError):
            return await answered_about_runs(self.team, self.task, own_runs, self._conversation)
        return None

    async def _move(self, understanding: Understanding) -> tuple[Run, SpanFields]:
        """Run the graph, and again as long as there are decisions for what it asks."""
        if understanding.instead is not None:
            return await self._end(Stop(understanding.instead), understanding)
        thread = None if self.options.is_inner else self.scope.run_id
        graph = RootGraph(self.team, await self._checkpointer(), thread)
        budget = current_run().budget
        # supervisors end in time; this fence catches an answer that is composed too late
        grace = self.options.limits.grace_seconds
        if self.row is None:
            stop = await graph.begin(understanding.task, seconds=budget.seconds_left + grace)
        else:
            decided = await self._decisions()
            paths = {langgraph_id(each.id): each.path for each in self._asked_before}
            current_run().questions.paths.update(paths)
            seconds = budget.seconds_left + grace
            stop = await graph.go_on(decided, understanding.task, seconds=seconds)
        given: AbstractSet[str] = frozenset()
        while stop.asked:
            run, answers = await self._pause(stop, understanding)
            if answers.keys() <= given:  # an answer that changes nothing is not given twice
                return run, {}
            given = answers.keys()
            seconds = budget.seconds_left + grace
            stop = await graph.go_on(answers, understanding.task, seconds=seconds)
        return await self._end(stop, understanding)

    async def _checkpointer(self) -> "RunCheckpointer | None":
        """Return what keeps the run's state, with all that is kept of it; None if nothing is."""
        kept = self.open_run
        if kept is None:
            return None
        from minerva_platform.storage.checkpoints.run_checkpointer import RunCheckpointer  # noqa: PLC0415  # SQLAlchemy is heavy

        kept.checkpointer = RunCheckpointer(
            kept.engine,
            kept.run_id,
            kept.lease,
            keep_checkpoints=kept.keep_checkpoints,
            also=kept.note,
            terms=kept.terms,
        )
        if self.row is not None:
            await kept.checkpointer.aload()
            context = current_run()
            if context.effects is not None:
                context.effect_log.note(*await context.effects.aload())
        return kept.checkpointer

    async def _decisions(self) -> Mapping[str, Answer]:
        """Return what was decided, by LangGraph's ids of the questions; record what is new."""
        assert self.open_run is not None  # noqa: S101  # what has a row is kept
        return await given_decisions(
            self.team, self.open_run.engine, self.open_run.run_id, self._asked_before
        )

    async def _pause(
        self, stop: Stop, understanding: Understanding
    ) -> tuple[Run, Mapping[str, Answer]]:
        """Keep what is asked; return the run, and answers if there are some by now."""
        context, output = (
            current_run(),
            with_understanding(stop.output, self.task, understanding, is_over=False),
        )
        questions, root = context.questions, self.team.name
        asked = to_interrupts(stop.asked, questions, root=root, now=time.time())
        await bring_files(output)
        run = to_run(self.team, self.task, understanding, output, self.scope, asked)
        if self.open_run is None:
            return run, {}
        pause = partial(
            self.open_run.pause,
            run,
            kept_turn(run, self.task, understanding, output, root),
            used=context.used_so_far(),
            refused=dict(questions.refused),
        )
        try:
            run, answers = await in_daemon_thread(pause)
        except StateError as error:
            without = run.model_copy(update={"status": "failed", "interrupts": ()})
            language = understanding.task.language
            return cut_off(not_kept(error, without, self.team, language), language), {}
        record_pauses(self.team, run.interrupts, before=self._asked_before)
        if answers:  # decided while this part of the run was at work
            await self._decisions()
        return run, answers

    @property
    def _asked_before(self) -> tuple[Interrupt, ...]:
        """The questions with which the part of the run before this one has ended."""
        return self.row.run.interrupts if self.row and self.row.run else ()

    async def _end(self, stop: Stop, understanding: Understanding) -> tuple[Run, SpanFields]:
        output = with_understanding(stop.output, self.task, understanding, is_over=True)
        await bring_files(output)
        notices = () if self._is_alone else await untold_notices(self.open_run)
        run = to_run(self.team, self.task, understanding, output, self.scope, notices=notices)
        told = stop_of(output, self.team.name)
        if self.open_run is None:
            return run, told
        language = understanding.task.language
        if stop.is_cut_off:
            return cut_off(run, language), told
        turn = kept_turn(run, self.task, understanding, output, self.team.name)
        return await keep(self.open_run, run, turn, self.team, language), told
