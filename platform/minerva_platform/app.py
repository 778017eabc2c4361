"""The composition root: settings, installed teams, recorder and storage become one Platform.

Every run of the command line or a server starts here. The layers below do not know where their
surroundings come from.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractContextManager, aclosing, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from minerva_observability import NO_RECORDER, FanOut, Recorder, build_recorder
from minerva_platform.calls.blocking import run_sync
from minerva_platform.calls.notices import notice
from minerva_platform.calls.team_code import TeamCodeError, run_team_code
from minerva_platform.config.limits import RunLimits
from minerva_platform.config.model_spec import model_spec
from minerva_platform.config.settings import (
    ASKS_MODEL,
    ModellessRouterError,
    RouterName,
    Rule,
    Settings,
    find_settings,
    home_directory,
    router_choice,
)
from minerva_platform.contract.askable import Askable
from minerva_platform.contract.decision import DecisionBatch
from minerva_platform.contract.run_object import Run, RunEvent
from minerva_platform.contract.task import Task
from minerva_platform.contract.team import Team
from minerva_platform.errors import CheckError, MinervaError, RunError, UnknownRunError
from minerva_platform.installed.registry import Found, UnusableTeamError, find_team, find_teams
from minerva_platform.installed.selection import error_to_left_out, select_teams
from minerva_platform.models.factory import check_key
from minerva_platform.models.model import Model
from minerva_platform.validation.team_declarations import find_problems

if TYPE_CHECKING:
    from minerva_platform.durable.worker_process import WorkerProcess
    from minerva_platform.runtime.options import RunOptions
    from minerva_platform.storage.artifacts import ArtifactPlace
    from minerva_platform.storage.engine.engine import Engine

PLATFORM_NAME = "platform"


def build_platform(
    settings: Settings | None = None,
    *,
    teams: Sequence[str | Team] | None = None,
    router: RouterName | None = None,
) -> Team:
    """Return the platform: a supervisor over the installed teams, or over `teams`, configured.

    Teams and members that could never run right are left out. `left_out` of the result names each
    with its cause.

    Raises:
        SettingsError: platform.yaml is wrong, or names a team that is not there.
        CheckError: every team is left out.
    """
    settings = settings or find_settings()
    if teams is None:
        found = find_teams(settings.platform.teams, settings=settings)
        return _select(found, settings, router)
    names = [team for team in teams if isinstance(team, str)]
    installed = find_teams(names, settings=settings) if names else Found(())
    given = tuple(team for team in teams if isinstance(team, Team))
    return _select(Found((*installed.teams, *given), installed.left_out), settings, router)


def _select(found: Found, settings: Settings, router: RouterName | None) -> Team:
    refuse_unusable_model(settings, router)
    bare = assemble((), settings, router=router)

    def configure(team: Team) -> None:
        team.configure(settings.team(team.name, team.Settings))
        equip(team, settings, router=router)

    chosen = select_teams(bare, found.teams, configure)
    missing = (*found.left_out, *chosen.left_out)
    if missing and not chosen.teams:
        raise CheckError([entry.text for entry in missing], way_round(settings))
    platform = assemble(chosen.teams, settings, router=router)
    platform.left_out, platform.lost = missing, chosen.lost
    platform.rules = _rules_for(platform)
    if settings.platform.rules and not platform.rules:  # every rule was for a team that is left out
        platform.router_name = platform.router_options = None
    equip(platform, settings, router=router)
    return platform


def assemble(
    teams: Sequence[Team], settings: Settings, *, router: RouterName | None = None
) -> Team:
    """Return the platform over `teams`, unchecked."""
    platform = Team(
        name=PLATFORM_NAME,
        description="Routes a request to the teams that serve it.",
        members=tuple(teams),
        exports=tuple(
            {handoff.kind: handoff for team in teams for handoff in team.exported}.values()
        ),
    )
    platform.router_name, platform.router_options = router_choice(
        router or settings.platform.router
    )
    platform.rules = settings.platform.rules
    platform.finish_mode = settings.platform.finish
    return platform


def _rules_for(platform: Team) -> tuple[Rule, ...]:
    """Return the platform's rules without goals of teams that are left out."""
    gone = {entry.team for entry in platform.left_out} - platform.by_name.keys()
    kept: list[Rule] = []
    for rule in platform.rules:
        goals = tuple(name for name in rule.goals if name not in gone)
        if goals:
            kept.append(rule.model_copy(update={"goals": goals}))
    return tuple(kept)


def way_round(settings: Settings) -> str:
    """Return the sentence that says how to go on without an unusable team."""
    return (
        "Mend it (see `minerva check`), or go on without it: --team NAME, "
        f"or `teams: [NAME, …]` in {_platform_file(settings)}."
    )


def refuse_unusable_model(settings: Settings, router: RouterName | None) -> None:
    """Refuse a platform model or router that cannot be made, before any team is looked at.

    Raises:
        SettingsError: the model's name is wrong, its key is missing, or the router needs a model
            and there is none.
    """
    spec = model_spec(settings.platform.model)
    said, _ = router_choice(settings.platform.router)
    if spec:
        check_key(spec)
    elif router in ASKS_MODEL:
        raise ModellessRouterError(router)
    elif router is None and said in ASKS_MODEL:
        raise ModellessRouterError(said, _platform_file(settings))


def _platform_file(settings: Settings) -> Path:
    return (settings.folder or Path("configs")) / "platform.yaml"


def equip(team: Team, settings: Settings, *, router: RouterName | None = None) -> None:
    """Give the tree of `team` its model and its routers. `router` overrides all settings.

    Raises:
        SettingsError: a model's name is wrong, or its key is missing.
    """
    spec = model_spec(settings.platform.model)
    said = settings.platform.router
    team.inherit(
        model=Model(spec) if spec else None,
        router=None if said == "rules" else said,  # rules belong to one supervisor
    )
    if router is not None:
        team.route_by(router)
    for model in team.models:
        check_key(model.spec)


class Platform(Askable):
    """The installed teams (or one alone) with settings, storage and a recorder.

    Records are written as they come. Use `with`, or call `close`, to release the recorder's files.
    """

    def __init__(  # each says one thing about what surrounds the runs
        self,
        *,
        settings: Settings | None = None,
        only_team: str | None = None,
        teams: Sequence[str | Team] | None = None,
        router: RouterName | None = None,
        recorder: Recorder = NO_RECORDER,
        home: Path | None = None,
    ) -> None:
        self.settings = settings or find_settings()
        if only_team is not None:
            self.team = _only(only_team, self.settings, router)
        else:
            self.team = build_platform(self.settings, teams=teams, router=router)
        problems = find_problems(self.team, alone=only_team is not None)
        if problems:
            raise CheckError(problems, "" if only_team else way_round(self.settings))
        self.team.prepare()
        self.recorder = recorder
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
        segment_bytes = settings.platform.segment_bytes
        recorder = build_recorder(home, segment_bytes=segment_bytes)
        platform = cls(settings=settings, only_team=only_team, recorder=recorder, home=home)
        for entry in platform.team.left_out:
            notice(f"left out: {entry.text}")
        return platform

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
    def _asked_name(self) -> str:
        return self.team.name

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
        from minerva_platform.durable.asking import submit_team  # noqa: PLC0415  # langgraph is heavy

        async with self._options(thread, limits) as options:
            return await submit_team(self.team, self._task(request, attachments), options)

    def submit(
        self,
        request: str | Task,
        *,
        attachments: Sequence[str | Path] = (),
        thread: str | None = None,
        limits: RunLimits | None = None,
    ) -> Run:
        """Do what `asubmit` does, for callers without an event loop."""
        return run_sync(
            self.asubmit, request, attachments=attachments, thread=thread, limits=limits
        )

    def find(self, run_id: str) -> Run:
        """Return a run as it is kept: over, waiting for a person, or its status alone.

        Raises:
            UnknownRunError: there is no such run.
            StateError: the database cannot be read.
        """
        from minerva_platform.storage.kept_run import find_run  # noqa: PLC0415  # SQLAlchemy is heavy

        with self._engine() as engine:
            kept = engine.read(partial(find_run, run_id=run_id, place=engine.place), empty=None)
            if kept is None:
                raise UnknownRunError(run_id)
            return self.artifacts.store(engine).with_artifacts(kept.to_run())

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
        from minerva_platform.storage.queue.background_runs import cancel_run  # noqa: PLC0415  # the same

        with self._engine() as engine:
            cancel_run(engine, run_id, even_decided=even_decided)
        return self.find(run_id)

    @property
    def artifacts(self) -> "ArtifactPlace":
        """Where artifacts lie, as configured.

        Raises:
            SettingsError: it is a folder that is not there or cannot be written.
        """
        from minerva_platform.storage.artifacts import find_artifacts  # noqa: PLC0415  # asyncio is heavy

        return find_artifacts(self.home, self.settings.platform.storage.files)

    def _engine(self) -> AbstractContextManager["Engine"]:
        from minerva_platform.storage.engine.opening import opened_engine  # noqa: PLC0415  # the same
        from minerva_platform.storage.engine.place import find_place  # noqa: PLC0415  # the same

        return opened_engine(find_place(self.home, self.settings.platform.storage.url))

    @asynccontextmanager
    async def worker_process(
        self, team_of: Callable[[str], Team] | None = None, *, at_once: int = 4
    ) -> AsyncGenerator["WorkerProcess"]:
        """Give what works off the queue in this process; `team_of` knows the roots of runs.

        Raises:
            RunError: state is not kept.
        """
        from minerva_platform.durable.worker_process import WorkerProcess  # noqa: PLC0415  # the same
        from minerva_platform.storage.queue.background_runs import Caps  # noqa: PLC0415  # SQLAlchemy is heavy

        queue = self.settings.platform.queue
        async with self._options(None, None) as options:
            if options.engine is None:
                message = "A queue needs state: set `keep_state: true` in platform.yaml."
                raise RunError(message)
            caps = Caps(queue.at_once, queue.at_once_of)
            yield WorkerProcess(team_of or self._own_team, options, at_once, caps)

    def _own_team(self, root: str) -> Team:
        if root != self.team.name:
            message = f"The run was asked of `{root}`, and here `{self.team.name}` is."
            raise RunError(message)
        return self.team

    async def _answer(self, task: Task, thread: str | None, limits: RunLimits | None) -> Run:
        from minerva_platform.durable.asking import ask_team  # noqa: PLC0415  # langgraph is heavy

        async with self._options(thread, limits) as options:
            return await ask_team(self.team, task, options)

    async def _events(
        self, task: Task, thread: str | None, limits: RunLimits | None
    ) -> AsyncGenerator[RunEvent]:
        from minerva_platform.durable.asking import stream_team  # noqa: PLC0415  # langgraph is heavy

        async with (
            self._options(thread, limits) as options,
            aclosing(stream_team(self.team, task, options)) as events,
        ):
            async for event in events:
                yield event

    async def _resumed(self, run_id: str, batch: DecisionBatch) -> Run:
        from minerva_platform.durable.advance import resume_team  # noqa: PLC0415  # langgraph is heavy

        async with self._options(None, None) as options:
            return await resume_team(self.team, run_id, batch, options)

    async def _resumed_events(self, run_id: str, batch: DecisionBatch) -> AsyncGenerator[RunEvent]:
        from minerva_platform.durable.advance import stream_resumed_team  # noqa: PLC0415  # langgraph is heavy

        async with self._options(None, None) as options:
            stream = stream_resumed_team(self.team, run_id, batch, options)
            async with aclosing(stream) as events:
                async for event in events:
                    yield event

    @asynccontextmanager
    async def _options(
        self, thread: str | None, limits: RunLimits | None
    ) -> AsyncGenerator["RunOptions"]:
        from minerva_platform.runtime.options import RunOptions, with_state  # noqa: PLC0415  # langgraph is heavy

        options = RunOptions(
            recorder=self.recorder,
            limits=limits or self.limits,
            home=self.home,
            artifacts=self.artifacts,
            keep_checkpoints=self.settings.platform.keep_checkpoints,
        )
        if self.settings.platform.keep_state:
            from minerva_platform.storage.lease import LeaseTerms  # noqa: PLC0415  # SQLAlchemy is heavy

            url = self.settings.platform.storage.url
            terms = LeaseTerms.of(self.settings.platform.queue.lease_seconds)
            async with with_state(options, thread, storage_url=url) as kept:
                yield replace(kept, terms=terms)
            return
        if thread is not None:
            message = "A thread needs state: set `keep_state: true` in platform.yaml."
            raise RunError(message)
        yield options


def _only(name: str, settings: Settings, router: RouterName | None) -> Team:
    """Return one team, configured as the root of its own tree.

    Raises:
        ContractError: the team cannot be used.
    """
    found = find_team(name, settings)
    if not found.teams:
        raise UnusableTeamError(found.left_out[0])
    (team,) = found.teams
    team.left_out = found.left_out  # a team of the same name from another distribution

    def configure() -> None:
        team.configure(settings.team(name, team.Settings))
        equip(team, settings, router=router)

    try:
        run_team_code(configure)
    except TeamCodeError as raised:
        if isinstance(raised.error, MinervaError):
            raise raised.error from None
        raise UnusableTeamError(error_to_left_out(team, raised.error)) from raised
    if router in ASKS_MODEL and any(part.model is None for part in team.teams):
        raise ModellessRouterError(router)
    return team
