"""The composition root: settings, installed teams, recorder and store become one app.

Everything that runs from the command line or a server starts here; nothing below knows where
its surroundings come from.
"""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from minerva_observability import NO_RECORDER, Recorder
from minerva_platform.calls.foreign_code import ForeignCodeError, run_foreign
from minerva_platform.config.model_spec import model_spec
from minerva_platform.config.settings import (
    ASKS_MODEL,
    ModellessRouterError,
    RouterName,
    Rule,
    Settings,
    find_settings,
    home_directory,
)
from minerva_platform.contract.team import Team
from minerva_platform.contract.values import Attachment, Run, Task
from minerva_platform.errors import BindingError, CheckError, MinervaError, RunError
from minerva_platform.installed.registry import Found, UnusableTeamError, find_teams
from minerva_platform.installed.selection import error_to_left_out, select_teams
from minerva_platform.models.factory import check_key
from minerva_platform.models.model import Model
from minerva_platform.storage.database import STATE
from minerva_platform.storage.threads import Conversations, only_writer
from minerva_platform.validation.tree import find_problems

if TYPE_CHECKING:
    from minerva_platform.runtime.run import RunEvent, RunOptions

PLATFORM_NAME = "platform"
COMMAND = "minerva"


def build_platform(
    settings: Settings | None = None,
    *,
    teams: Sequence[Team] | None = None,
    router: RouterName | None = None,
) -> Team:
    """Return the platform: a supervisor over the installed (or given) teams, configured.

    What could never run right of them is left out; its `left_out` says what and why.

    Raises:
        SettingsError: platform.yaml is wrong, or names a team that is not installed.
        CheckError: every team is left out.
    """
    settings = settings or find_settings()
    found = find_teams(settings.platform.teams) if teams is None else Found(tuple(teams))
    return _select(found, settings, router)


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
    if settings.platform.rules and not platform.rules:  # all were for teams that are left out
        platform.router_name = None
    equip(platform, settings, router=router)
    return platform


def assemble(
    teams: Sequence[Team], settings: Settings, *, router: RouterName | None = None
) -> Team:
    """Return the platform over `teams` as they are, sound or not."""
    platform = Team(
        name=PLATFORM_NAME,
        description="Routes a request to the teams that serve it.",
        members=tuple(teams),
        exports=tuple(
            {handoff.kind: handoff for team in teams for handoff in team.exported}.values()
        ),
    )
    platform.router_name = router or settings.platform.router
    platform.rules = settings.platform.rules
    platform.finish_mode = settings.platform.finish
    return platform


def _rules_for(platform: Team) -> tuple[Rule, ...]:
    """Return the platform's rules without the goals that are left out."""
    gone = {entry.team for entry in platform.left_out} - platform.by_name.keys()
    kept: list[Rule] = []
    for rule in platform.rules:
        goals = tuple(name for name in rule.goals if name not in gone)
        if goals:
            kept.append(rule.model_copy(update={"goals": goals}))
    return tuple(kept)


def way_round(settings: Settings) -> str:
    """Return how to go on without a team that cannot be used."""
    return (
        "Mend it (see `minerva check`), or go on without it: --team NAME, "
        f"or `teams: [NAME, …]` in {_platform_file(settings)}."
    )


def refuse_unusable_model(settings: Settings, router: RouterName | None) -> None:
    """See to it that the platform's own model and router can be made, before any team's.

    Raises:
        SettingsError: the model is named wrongly, its key is missing, or there is none and the
            router needs one.
    """
    spec, said = model_spec(settings.platform.model), settings.platform.router
    if spec:
        check_key(spec)
    elif router in ASKS_MODEL:
        raise ModellessRouterError(router)
    elif router is None and said in ASKS_MODEL:
        raise ModellessRouterError(said, _platform_file(settings))


def _platform_file(settings: Settings) -> Path:
    return (settings.folder or Path("configs")) / "platform.yaml"


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
        if only_team is not None:
            self.team = _only(only_team, self.settings, router)
        elif teams is None:
            self.team = build_platform(self.settings, router=router)
        else:
            self.team = _select(find_teams(teams), self.settings, router)
        problems = find_problems(self.team, alone=only_team is not None)
        if problems:
            raise CheckError(problems, "" if only_team else way_round(self.settings))
        self.team.prepare()
        self.recorder = recorder
        self.home = home or home_directory()

    async def stream(
        self, task: Task, *, thread_id: str | None = None
    ) -> AsyncIterator["RunEvent"]:
        """Run `task`; yield spans as they start and finish, and the run at the end."""
        from minerva_platform.runtime.run import stream_team  # noqa: PLC0415  # langgraph is heavy

        async with AsyncExitStack() as stack:
            options = await self._options(stack, thread_id)
            async for event in stream_team(self.team, task, options):
                yield event

    async def ask(self, task: Task, *, thread_id: str | None = None) -> Run:
        """Run `task` to its end, as the next turn of a thread or as the first of a new one.

        Raises:
            RunError: another run in the thread does not end, or state is not kept.
        """
        from minerva_platform.runtime.run import run_team  # noqa: PLC0415  # langgraph is heavy

        async with AsyncExitStack() as stack:
            return await run_team(self.team, task, await self._options(stack, thread_id))

    async def _options(self, stack: AsyncExitStack, thread_id: str | None) -> "RunOptions":
        from minerva_platform.runtime.run import RunOptions  # noqa: PLC0415  # langgraph is heavy

        limits = self.settings.platform.limits.to_limits()
        options = RunOptions(recorder=self.recorder, limits=limits, home=self.home)
        if not self.settings.platform.keep_state:
            if thread_id is not None:
                message = "A thread needs state: set `keep_state: true` in platform.yaml."
                raise RunError(message)
            return options
        from minerva_platform.storage.checkpoints import open_saver  # noqa: PLC0415  # sqlite saver is heavy

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


def _only(name: str, settings: Settings, router: RouterName | None) -> Team:
    """Return one installed team, configured as the root of its own tree.

    Raises:
        ContractError: it cannot be used.
    """
    found = find_teams([name])
    if not found.teams:
        raise UnusableTeamError(found.left_out[0])
    (team,) = found.teams
    team.left_out = found.left_out  # of the same name, by another distribution

    def configure() -> None:
        team.configure(settings.team(name, team.Settings))
        equip(team, settings, router=router)

    try:
        run_foreign(configure)
    except ForeignCodeError as raised:
        if isinstance(raised.error, MinervaError):
            raise raised.error from None
        raise UnusableTeamError(error_to_left_out(team, raised.error)) from raised
    if router in ASKS_MODEL and any(part.model is None for part in team.teams):
        raise ModellessRouterError(router)
    return team


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
