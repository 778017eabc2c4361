"""What `minerva route add` is to add, and to which list: an example of a worker, or a decline."""

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.errors import RunError, SettingsError
from minerva_platform.routing.router_choice import learns_from_examples
from minerva_platform.text.command_hint import minerva_command

MAX_CHARACTERS: Final = 500
"""Characters of a request that a router is to learn: a sentence or two, no pasted text."""

Agent = BaseAgent[Any, Any]


@dataclass(frozen=True, slots=True)
class Addition:
    """A request that a team's router is to learn."""

    text: str
    team: AssembledTeam
    worker: Agent | None = None
    """The worker that it should reach. None if no member serves it."""

    @property
    def target(self) -> str:
        """The list: `data/retrieval_agent`, or `data (declined)`."""
        name = self.team.name
        return f"{name}/{self.worker.name}" if self.worker else f"{name} (declined)"

    @property
    def keys(self) -> tuple[str, ...]:
        """The list's keys in `configs/teams/<team>.yaml`."""
        return ("examples", self.worker.name) if self.worker else ("declines",)

    @property
    def is_there(self) -> bool:
        """True if the router learns it already."""
        known = self.worker.examples if self.worker else self.team.declines
        return _same(self.text) in map(_same, known)


def check_example(text: str) -> str:
    """Return the words of a request on one line.

    Raises:
        RunError: they are too long to be an example, or hold what cannot be seen.
    """
    words = " ".join(text.split())
    if len(words) > MAX_CHARACTERS:
        message = (
            f"The request has {len(words):,} characters; an example has at most {MAX_CHARACTERS}. "
            "Type the sentence that asks, without what was pasted below it."
        )
        raise RunError(message)
    if not words.isprintable():
        shown = next(char for char in words if not char.isprintable())
        message = f"The request holds a character that cannot be seen: {shown!a}. Leave it out."
        raise RunError(message)
    return words


def find_worker(platform: AssembledTeam, name: str) -> tuple[AssembledTeam, Agent]:
    """Return the worker that was typed, `retrieval_agent` or `data/retrieval_agent`, and its team.

    Raises:
        SettingsError: there is none, or there are several.
    """
    every = {
        f"{team.name}/{agent.name}": (team, agent)
        for team in platform.agents
        if isinstance(team, AssembledTeam)
        for agent in team.agents
    }
    found = [path for path in every if path == name or path.endswith(f"/{name}")]
    if len(found) == 1:
        return every[found[0]]
    if found:
        message = f"--to {name}: there are several; type one of {', '.join(found)}."
        raise SettingsError(message)
    names = [*every, *(path.rpartition("/")[2] for path in every)]
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(every)}."
    message = f"--to {name}: no such worker; {hint}"
    raise SettingsError(message)


def find_declining_team(
    platform: AssembledTeam, name: str | None, *, asked: frozenset[str]
) -> AssembledTeam:
    """Return the team whose list of declines grows: the one that was typed, else the one asked.

    Raises:
        SettingsError: no team is of that name, or not just one is asked.
    """
    teams = {agent.name: agent for agent in platform.agents if isinstance(agent, AssembledTeam)}
    if name is not None and name not in teams:
        message = f"--team {name}: there are {', '.join(teams)}."
        raise SettingsError(message)
    if name is not None:
        return teams[name]
    if len(asked) == 1:
        return teams[next(iter(asked))]
    why = f"{' and '.join(sorted(asked))} are asked" if asked else "no team is asked for it now"
    message = f"--decline: {why}. Name the team that should decline it: --team {next(iter(teams))}"
    raise SettingsError(message)


def check_addition(addition: Addition, platform: AssembledTeam) -> None:
    """Refuse what would change nothing, or would teach two members the same.

    Raises:
        SettingsError: names the worker that has the request as its example.
    """
    team = addition.team
    if not (learns_from_examples(platform) or learns_from_examples(team)):
        message = f"No router above `{addition.target}` learns from examples; see `router:`."
        raise SettingsError(message)
    for other in platform.agents:
        for agent in other.agents if isinstance(other, AssembledTeam) else ():
            if agent is not addition.worker and _same(addition.text) in map(_same, agent.examples):
                message = (
                    f"`{other.name}/{agent.name}` has this request as its example. Remove it there "
                    f"first; `{minerva_command()} explain` shows who is asked."
                )
                raise SettingsError(message)


def check_folder(folder: Path | None) -> Path:
    """Return the folder of configuration.

    Raises:
        SettingsError: there is none, so no later command would read what is written.
    """
    if folder is None:
        message = (
            "There is no folder of configuration here. Make one (`mkdir configs; "
            "touch configs/platform.yaml`), name one by --config DIR, or use --source."
        )
        raise SettingsError(message)
    return folder


def _same(text: str) -> str:
    return " ".join(text.casefold().split())
