"""Make the app that a command works with, and say what it works without."""

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
    """Return the app; say each team that is left out once, in a line of its own."""
    app = Platform(settings=settings, only_team=only_team, teams=teams, router=router)
    say_left_out(app.team.left_out)
    return app


def say_left_out(entries: Sequence[LeftOut]) -> None:
    """Say what the platform works without."""
    for entry in entries:
        say(f"left out: {entry.text}")
