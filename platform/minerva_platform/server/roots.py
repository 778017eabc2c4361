"""What can be asked by name: the platform, and each installed team alone."""

from dataclasses import dataclass, field

from minerva_platform.app import Platform
from minerva_platform.assembly.platform_tree import PLATFORM_NAME
from minerva_platform.contract.assembled_team import AssembledTeam


@dataclass(slots=True)
class Roots:
    """The roots of runs, each made once, when it is first asked for.

    `alone` holds those that were given in code.
    """

    app: Platform
    alone: dict[str, AssembledTeam] = field(default_factory=dict[str, AssembledTeam])

    @property
    def names(self) -> tuple[str, ...]:
        """The platform, or the team that is served alone, and then each of its teams."""
        team = self.app.team
        members = (part.name for part in team.inner_teams)
        below = members if team.name == PLATFORM_NAME else ()
        return tuple(dict.fromkeys((team.name, *below, *self.alone)))

    def describe(self, root: str) -> AssembledTeam:
        """Return the team of one of `names` as it is described, without making it a root."""
        team = self.app.team
        if root == team.name:
            return team
        return self.alone.get(root) or next(part for part in team.teams if part.name == root)

    def team_of(self, root: str) -> AssembledTeam:
        """Return the root of a run.

        Raises:
            SettingsError: no team of this name is installed.
            ContractError: it cannot be used.
        """
        if root == self.app.team.name:
            return self.app.team
        if root not in self.alone:
            self.alone[root] = Platform(settings=self.app.settings, only_team=root).team
        return self.alone[root]
