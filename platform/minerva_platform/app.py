"""The composition root: settings, installed teams, recorder and store become one app.

Everything that runs from the command line or a server starts here; nothing below knows where
its surroundings come from.
"""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from minerva_observability import NO_RECORDER, Recorder
from minerva_platform.checks import find_problems
from minerva_platform.contract import Attachment, Run, Task
from minerva_platform.conversation import Conversations, only_writer
from minerva_platform.database import STATE
from minerva_platform.errors import BindingError, CheckError, ContractError, RunError
from minerva_platform.models.build import check_key
from minerva_platform.models.model import Model
from minerva_platform.models.spec import model_spec
from minerva_platform.registry import load_teams
from minerva_platform.settings import RouterName, Settings, find_settings, home_directory
from minerva_platform.team import Team

if TYPE_CHECKING:
    from minerva_platform.run import RunEvent, RunOptions

PLATFORM_NAME = "platform"
COMMAND = "minerva"


def build_platform(
    settings: Settings | None = None,
    *,
    teams: Sequence[Team] | None = None,
    router: RouterName | None = None,
) -> Team:
    """Return the platform: a supervisor over the installed (or given) teams, configured."""
    settings = settings or find_settings()
    loaded = _installed(settings) if teams is None else tuple(teams)
    for team in loaded:
        team.configure(settings.team(team.name, team.Settings))
    platform = Team(
        name=PLATFORM_NAME,
        description="Routes a request to the teams that serve it.",
        members=loaded,
        exports=tuple(
            {handoff.kind: handoff for team in loaded for handoff in team.exported}.values()
        ),
    )
    platform.router_name, platform.rules = settings.platform.router, settings.platform.rules
    platform.finish_mode = settings.platform.finish
    with suppress(ContractError):  # of members that cannot be made, which `find_problems` tells
        equip(platform, settings, router=router)
    return platform


def _installed(settings: Settings) -> tuple[Team, ...]:
    try:
        return load_teams(settings.platform.teams)
    except ContractError as error:
        message = f"{error}\n{_way_round(settings)}"
        raise ContractError(message) from error


def _way_round(settings: Settings) -> str:
    """Return how to go on without a team that cannot be used."""
    file = (settings.folder or Path("configs")) / "platform.yaml"
    return (
        "Mend it (`minerva check` tells), or go on without it: --team NAME, "
        f"or `teams: [NAME, …]` in {file}."
    )


def equip(team: Team, settings: Settings, *, router: RouterName | None = None) -> None:
    """Give the tree of `team` its model and its routers; `router` goes before all settings.

    Raises:
        SettingsError: a model is named wrongly, or its key is missing.
    """
    spec = model_spec(settings.platform.model)
    said = settings.platform.router
    team.inherit(
        model=Model(spec) if spec else None,
        router=None if said == "rules" else said,  # rules are a supervisor's own
    )
    if router is not None:
        team.route_by(router)
    for model in team.models:
        check_key(model.spec)


class App:
    """The platform (of the teams named, or one team alone) with what surrounds its runs."""

    def __init__(
        self,
        *,
        settings: Settings | None = None,
        only_team: str | None = None,
        teams: Sequence[str] | None = None,
        router: RouterName | None = None,
        recorder: Recorder = NO_RECORDER,
        home: Path | None = None,
    ) -> None:
        self.settings = settings or find_settings()
        if only_team is None:
            loaded = None if teams is None else load_teams(teams)
            self.team = build_platform(self.settings, teams=loaded, router=router)
        else:
            (self.team,) = load_teams([only_team])
            self.team.configure(self.settings.team(only_team, self.team.Settings))
            equip(self.team, self.settings, router=router)
        problems = find_problems(self.team, alone=only_team is not None)
        if problems:
            around = _way_round(self.settings) if only_team is None else ""
            raise CheckError(problems, around)
        self.team.prepare()
        self.recorder = recorder
        self.home = home or home_directory()

    async def stream(
        self, task: Task, *, thread_id: str | None = None
    ) -> AsyncIterator["RunEvent"]:
        """Run `task`; yield spans as they start and finish, and the run at the end."""
        from minerva_platform.run import stream_team  # noqa: PLC0415  # langgraph is heavy

        async with AsyncExitStack() as stack:
            options = await self._options(stack, thread_id)
            async for event in stream_team(self.team, task, options):
                yield event

    async def ask(self, task: Task, *, thread_id: str | None = None) -> Run:
        """Run `task` to its end, as the next turn of a thread or as the first of a new one.

        Raises:
            RunError: another run in the thread does not end, or state is not kept.
        """
        from minerva_platform.run import run_team  # noqa: PLC0415  # langgraph is heavy

        async with AsyncExitStack() as stack:
            return await run_team(self.team, task, await self._options(stack, thread_id))

    async def _options(self, stack: AsyncExitStack, thread_id: str | None) -> "RunOptions":
        from minerva_platform.run import RunOptions  # noqa: PLC0415  # langgraph is heavy

        limits = self.settings.platform.limits.to_limits()
        options = RunOptions(recorder=self.recorder, limits=limits, home=self.home)
        if not self.settings.platform.keep_state:
            if thread_id is not None:
                message = "A thread needs state: set `keep_state: true` in platform.yaml."
                raise RunError(message)
            return options
        from minerva_platform.persistence import open_saver  # noqa: PLC0415  # sqlite saver is heavy

        started = time.monotonic()
        if thread_id is not None:
            writer = only_writer(self.home, thread_id, seconds=limits.seconds)
            await stack.enter_async_context(writer)
        left = max(0.0, limits.seconds - (time.monotonic() - started))
        opening = open_saver(self.home / STATE, seconds=left)
        saver = await stack.enter_async_context(opening)
        return replace(
            options,
            saver=saver,
            thread_id=thread_id,
            conversations=Conversations(saver.database),
            waited=round(time.monotonic() - started, 1),
        )


def build_task(request: str, paths: Sequence[Path] = ()) -> Task:
    """Return the task of a person's request with its attachments.

    Raises:
        BindingError: the request is empty, or a path is not there.
    """
    if not request.strip():
        reason = 'is empty. Type what you want: minerva ask "…".'
        raise BindingError(COMMAND, "request", reason)
    for path in paths:
        if not path.exists():
            raise BindingError(COMMAND, "-i", f"names {path}, which is not there.")
    return Task(
        request=request,
        context=request,
        attachments=tuple(Attachment(path=path.resolve()) for path in paths),
    )
