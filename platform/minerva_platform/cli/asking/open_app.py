"""Make the app of a command, and report the teams that are left out."""

from collections.abc import Sequence

from minerva_platform.app import Platform
from minerva_platform.cli.views.progress import say
from minerva_platform.config.settings import RouterName, Settings
from minerva_platform.contract.run_object import LeftOut


def open_app(
    settings: Settings,
    *,
    only_team: str | None = None,
    teams: Sequence[str] | None = None,
    router: RouterName | None = None,
) -> Platform:
    """Return the app. Print each team that is left out once, on a line of its own."""
    app = Platform(settings=settings, only_team=only_team, teams=teams, router=router)
    say_left_out(app.team.left_out)
    return app


def say_left_out(entries: Sequence[LeftOut]) -> None:
    """Print the teams and parts that are left out."""
    for entry in entries:
        say(f"left out: {entry.text}")
