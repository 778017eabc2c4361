"""The composition root: settings, installed teams, recorder and storage become one Platform.

Every run of the command line or a server starts here. The layers below do not know where their
surroundings come from.
"""

from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from minerva_observability import NO_RECORDER, FanOut, Recorder, Sink, build_recorder
from minerva_platform.assembly.platform_tree import build_alone, build_platform, way_round
from minerva_platform.config.limits import RunLimits
from minerva_platform.config.router_spec import RouterName
from minerva_platform.config.settings import Settings, find_settings, home_directory
from minerva_platform.contract.askable import Askable, in_sync
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.run_object import Run
from minerva_platform.contract.task import Task
from minerva_platform.contract.team import Team
from minerva_platform.errors import CheckError, RunError
from minerva_platform.run_context.user_messages import notice
from minerva_platform.validation.team_declarations import find_problems

if TYPE_CHECKING:
    from minerva_platform.durable.worker_process import WorkerProcess
    from minerva_platform.runtime.run_options import RunOptions
    from minerva_platform.storage.files.artifacts import ArtifactPlace
    from minerva_platform.storage.ledger.ledger import Ledger


class Platform(Askable):
    """The installed teams (or one alone) with settings, storage and a recorder.

    Records are written as they come. Use `with`, or call `close`, to release the recorder's files.
    Without a recorder, the spans go to the provider of OpenTelemetry that the program has, if any.
    """

    def __init__(  # each says one thing about what surrounds the runs
        self,
        *,
        settings: Settings | None = None,
        only_team: str | None = None,
        teams: Sequence[str | Team] | None = None,
        router: RouterName | None = None,
        recorder: Recorder | None = None,
        home: Path | None = None,
    ) -> None:
        self.settings = settings or find_settings()
        if only_team is not None:
            self.team = build_alone(only_team, self.settings, router)
        else:
            self.team = build_platform(self.settings, teams=teams, router=router)
        problems = find_problems(self.team, alone=only_team is not None)
        if problems:
            raise CheckError(problems, "" if only_team else way_round(self.settings))
        self.team.prepare()
        self.recorder = _recorder_of_host() if recorder is None else recorder
        self.home = home or home_directory()

    @classmethod
    def from_config(
        cls, config: str | Path | None = None, *, only_team: str | None = None
    ) -> "Platform":
        """Return the platform as configured, with its records in `runs.jsonl` of the home.

        `config` is the folder with `platform.yaml`. Without it, the folder is `MINERVA_CONFIG`,
        else `./configs`, else the defaults apply. `only_team` names one installed team to use
        alone.

        Raises:
            SettingsError: a configuration file is wrong, or names what is not installed.
            CheckError: no team can be used.
        """
        settings = find_settings(Path(config) if config is not None else None)
        home = home_directory()
        platform = cls(settings=settings, only_team=only_team, home=home)
        platform.recorder = platform.build_recorder()
        for entry in platform.team.left_out:
            notice(f"left out: {entry.text}")
        return platform

    def build_recorder(self, *sinks: Sink) -> FanOut:
        """Return a recorder as configured: `runs.jsonl` of the home, OpenTelemetry, and `sinks`."""
        segment_bytes = self.settings.platform.segment_bytes
        versions = self.team.versions
        return build_recorder(self.home, *sinks, segment_bytes=segment_bytes, versions=versions)

    @property
    def limits(self) -> RunLimits:
        """The limits of a run, as configured."""
        return self.settings.platform.limits.to_limits()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Write the records that a recorder still holds, and release its files."""
        if isinstance(self.recorder, FanOut):
            self.recorder.close()

    @property
    def _root(self) -> AssembledTeam:
        return self.team

    async def asubmit(
        self,
        request: str | Task,
        *,
        attachments: Sequence[str | Path] = (),
        thread: str | None = None,
        limits: RunLimits | None = None,
    ) -> Run:
        """Keep a request for a worker process (`minerva worker`), and return the run: `queued`.

        Raises:
            BindingError: the request is empty, or a path is not there.
            RunError: state is not kept, or the words answer a question that waits in the thread.
        """
        from minerva_platform.durable.incoming_request import submit_team  # noqa: PLC0415  # langgraph is heavy

        async with self._options(thread, limits) as options:
            return await submit_team(self.team, self._task(request, attachments), options)

    submit = in_sync(asubmit)

    def find(self, run_id: str) -> Run:
        """Return a run as it is kept: over, waiting for a person, or its status alone.

        Raises:
            UnknownRunError: there is no such run.
            StateError: the database cannot be read.
        """
        with self.opened_ledger() as ledger:
            return ledger.to_run(ledger.find(run_id))

    def cancel(self, run_id: str, *, even_decided: bool = False) -> Run:
        """Cancel a run that waits, or that is at work in any process, and return it.

        Nothing more of it is done or written. An effect that has begun comes to its end. A run
        that goes on with what a person has approved is cancelled only with `even_decided`.

        Raises:
            UnknownRunError: there is no such run.
            AlreadyDecidedError: an approval came first; nothing is cancelled.
            RunError: it is over.
            StateError: the database cannot be written.
        """
        from minerva_platform.storage.queue.background_runs import cancel_run  # noqa: PLC0415  # SQLAlchemy is heavy

        with self.opened_ledger() as ledger:
            cancel_run(ledger.engine, run_id, even_decided=even_decided)
            return ledger.to_run(ledger.find(run_id))

    @property
    def artifacts(self) -> "ArtifactPlace":
        """Where artifacts lie, as configured.

        Raises:
            SettingsError: it is a folder that is not there or cannot be written.
        """
        from minerva_platform.storage.files.artifacts import find_artifacts  # noqa: PLC0415  # asyncio is heavy

        return find_artifacts(self.home, self.settings.platform.storage.files)

    @contextmanager
    def opened_ledger(self) -> Generator["Ledger"]:
        """Give the runs that are kept; nothing is opened before its first use.

        Raises:
            SettingsError: the configuration names no database or no folder.
        """
        from minerva_platform.storage.engine.location import find_place  # noqa: PLC0415  # the same
        from minerva_platform.storage.engine.opening import opened_engine  # noqa: PLC0415  # the same
        from minerva_platform.storage.ledger.ledger import Ledger  # noqa: PLC0415  # SQLAlchemy is heavy

        place = find_place(self.home, self.settings.platform.storage.url)
        with opened_engine(place) as engine:
            yield Ledger(engine, self.artifacts)

    @asynccontextmanager
    async def worker_process(
        self, team_of: Callable[[str], AssembledTeam] | None = None, *, at_once: int = 4
    ) -> AsyncGenerator["WorkerProcess"]:
        """Give what works off the queue in this process; `team_of` knows the roots of runs.

        Raises:
            RunError: state is not kept.
            StateError: the database cannot be used.
        """
        from minerva_platform.durable.worker_process import WorkerProcess  # noqa: PLC0415  # the same
        from minerva_platform.storage.maintenance.retention import retention_rule  # noqa: PLC0415  # the same
        from minerva_platform.storage.queue.background_runs import Caps  # noqa: PLC0415  # SQLAlchemy is heavy

        queue = self.settings.platform.queue
        async with self._options(None, None) as options:
            if options.engine is None:
                message = "A queue needs state: set `keep_state: true` in platform.yaml."
                raise RunError(message)
            caps = Caps(queue.at_once, queue.at_once_of)
            retention = retention_rule(self.settings.platform.retention)
            process = WorkerProcess(
                team_of or self._own_team, options, at_once, caps, retention=retention
            )
            await process.check_store()
            yield process

    def _own_team(self, root: str) -> AssembledTeam:
        if root != self.team.name:
            message = f"The run was asked of `{root}`, and here `{self.team.name}` is."
            raise RunError(message)
        return self.team

    @asynccontextmanager
    async def _options(
        self,
        thread: str | None,
        limits: RunLimits | None,
        *,
        goes_on: bool = False,  # noqa: ARG002  # a platform keeps all of its runs, or none
    ) -> AsyncGenerator["RunOptions"]:
        from minerva_platform.runtime.run_options import RunOptions, with_state  # noqa: PLC0415  # langgraph is heavy

        options = RunOptions(
            recorder=self.recorder,
            limits=limits or self.limits,
            home=self.home,
            artifacts=self.artifacts,
            keep_checkpoints=self.settings.platform.keep_checkpoints,
        )
        if self.settings.platform.keep_state:
            from minerva_platform.storage.ledger.lease import LeaseTerms  # noqa: PLC0415  # SQLAlchemy is heavy

            url = self.settings.platform.storage.url
            terms = LeaseTerms.of(self.settings.platform.queue.lease_seconds)
            async with with_state(options, thread, storage_url=url) as kept:
                yield replace(kept, terms=terms)
            return
        if thread is not None:
            message = "A thread needs state: set `keep_state: true` in platform.yaml."
            raise RunError(message)
        yield options


def _recorder_of_host() -> Recorder:
    """Return what gives spans to the provider of the program around, if it has one."""
    recorder = build_recorder(None)
    return recorder if recorder.sinks else NO_RECORDER
