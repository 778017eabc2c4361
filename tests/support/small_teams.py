"""Count how often small made-up teams divide a request among two workers, and only then."""

from collections import Counter
from pathlib import Path
from typing import TypedDict

import yaml

from minerva_platform.routing import MemberCard
from minerva_platform.routing.examples_router import EmbeddedRouter


class Asked(TypedDict):
    """A request for one or two workers of a team."""

    text: str
    team: str
    workers: list[str]


class SmallTeams(TypedDict):
    """Examples by team and worker, and requests."""

    teams: dict[str, dict[str, list[str]]]
    requests: list[Asked]


def tally_workers(file: Path) -> Counter[str]:
    """Return counts by the number of workers: `two`, `two: workers`, `two: team`, `two: told`.

    `team` counts requests that reach the right team alone, `told` those of which a part is said
    not to be done, `workers` those whose exact workers are called. The same for `one`.
    """
    data: SmallTeams = yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    every = {
        team: [text for texts in workers.values() for text in texts]
        for team, workers in data["teams"].items()
    }
    root = _router(every, subjects=True)
    routers = {team: _router(workers) for team, workers in data["teams"].items()}
    counts: Counter[str] = Counter()
    for asked in data["requests"]:
        number = "two" if len(asked["workers"]) > 1 else "one"
        above = root.choose(asked["text"])
        below = routers[asked["team"]].choose(asked["text"], may_refuse=False)
        counts[number] += 1
        counts[f"{number}: team"] += {goal.member for goal in above.goals} == {asked["team"]}
        counts[f"{number}: told"] += bool(above.unserved)
        counts[f"{number}: workers"] += {g.member for g in below.goals} == set(asked["workers"])
    return counts


def _router(examples: dict[str, list[str]], *, subjects: bool = False) -> EmbeddedRouter:
    cards = [
        MemberCard(name=name, description=name, examples=tuple(texts))
        for name, texts in examples.items()
    ]
    return EmbeddedRouter(cards, subjects=subjects)
