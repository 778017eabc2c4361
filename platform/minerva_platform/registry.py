"""Find the teams that are installed, by their entry points."""

from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points

from minerva_platform.errors import ContractError, SettingsError
from minerva_platform.team import Team

GROUP = "minerva.teams"
"""The entry point group: `[project.entry-points."minerva.teams"]` in a team's pyproject."""


def load_teams(names: Sequence[str] | None = None) -> tuple[Team, ...]:
    """Return the installed teams, all in name order, or those of `names` in that order.

    Raises:
        SettingsError: a name that no installed distribution offers.
        ContractError: an entry point that is no Team, or cannot be imported.
    """
    found = {point.name: point for point in sorted(entry_points(group=GROUP), key=_name)}
    wanted = list(found) if names is None else list(names)
    missing = [name for name in wanted if name not in found]
    if missing:
        message = (
            f"No team `{missing[0]}` is installed; there are: {', '.join(found) or 'none'}. "
            "Install it (`uv pip install -e teams/NAME`) or name another."
        )
        raise SettingsError(message)
    return tuple(_load(found[name]) for name in wanted)


def _name(point: EntryPoint) -> str:
    return point.name


def _load(point: EntryPoint) -> Team:
    try:
        loaded = point.load()
    except Exception as error:
        message = f"The team `{point.name}` ({point.value}) cannot be imported: {error}"
        raise ContractError(message) from error
    team = loaded() if isinstance(loaded, type) else loaded
    if not isinstance(team, Team):
        message = f"The entry point `{point.name}` ({point.value}) is not a Team."
        raise ContractError(message)
    return team
