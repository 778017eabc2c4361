"""Are fewer calls bought with wrong routes? `plan` against `step` with a model that errs.

An oracle knows the teams of each of our own requests (requests.yaml) and gives the right answer
with probability p, else a wrong one of the same form: a plan with one team too few, too many or
another; a step to a wrong team, or FINISH too early. The exact set of teams that are asked is
what counts, over every request that somebody serves, in three draws.

    python tests/bench/oracle.py
"""

import asyncio
import random
import sys
from pathlib import Path
from typing import Any, cast

import yaml

from minerva_platform import Model
from minerva_platform.contract.router import ResultSummary
from minerva_platform.routing import MemberCard, RoutingView
from minerva_platform.routing.model_router import (
    FINISH,
    Direction,
    ModelRouter,
    PlanDirection,
    StepDirection,
)

TEAMS = ("data", "insilico", "governance")
CARDS = tuple(MemberCard(name=name, description=name) for name in TEAMS)
REQUESTS = Path(__file__).with_name("requests.yaml")
DRAWS = 3


class Oracle:
    """Stands where a model would; `right` are the teams of the request that is asked about."""

    def __init__(self, p: float, seed: int) -> None:
        self.p, self.random = p, random.Random(seed)  # noqa: S311  # a benchmark's dice
        self.right: list[str] = []
        self.calls = 0

    async def ask(self, prompt: str, *, schema: Any, **_: Any) -> Any:
        """Answer rightly with probability p."""
        self.calls += 1
        is_right = self.random.random() < self.p
        if schema.__name__ == "Plan":
            names = self.right if is_right else self._wrong_plan()
            return schema(goals=[{"member": name, "request": "x"} for name in names])
        done = {name for name in TEAMS if f"- {name}: ok" in prompt}
        due = next((name for name in self.right if name not in done), FINISH)
        others = [name for name in (*TEAMS, FINISH) if name != due and name not in done]
        return schema(
            next=due if is_right or not others else self.random.choice(others), request="x"
        )

    def _wrong_plan(self) -> list[str]:
        more = [name for name in TEAMS if name not in self.right]
        ways = [[*self.right, self.random.choice(more)]] if more else []
        ways += [self.right[1:]] if len(self.right) > 1 else []
        ways += [[*self.right[1:], self.random.choice(more)]] if more else []
        return self.random.choice(ways)


async def asked_teams(router: ModelRouter) -> set[str]:
    """Return whom a supervisor asks that follows `router` as a visit does."""
    asked: list[str] = []
    while len(asked) <= len(TEAMS):
        results = tuple(ResultSummary(member=name, status="ok") for name in asked)
        decision = await router.decide(RoutingView(request="x", members=CARDS, results=results))
        fresh = [goal.member for goal in decision.goals if goal.member not in asked]
        asked += fresh
        if decision.finish or not fresh:
            break
    return set(asked)


async def measure(direction: Direction, p: float) -> tuple[float, float]:
    """Return the share of exact sets, and calls per request."""
    entries = yaml.safe_load(REQUESTS.read_text(encoding="utf-8"))
    served = [entry["teams"] for entry in entries if entry["teams"]]
    exact = calls = 0
    for seed in range(DRAWS):
        oracle = Oracle(p, seed)
        router = ModelRouter(cast("Model", oracle), direction, owner="platform")
        for teams in served:
            oracle.right = sorted(teams, key=TEAMS.index)
            exact += await asked_teams(router) == set(teams)
        calls += oracle.calls
    return exact / (len(served) * DRAWS), calls / (len(served) * DRAWS)


async def compare() -> None:
    """Print the curves."""
    print("right with p       plan     calls            step     calls   (exact set of teams)")
    for tenths in range(14, 21):
        p = tenths / 20
        rows = [await measure(direction, p) for direction in (PlanDirection(), StepDirection())]
        print(
            f"{p:<16.2f}" + "        ".join(f"{exact:>8.3f} {calls:>8.2f}" for exact, calls in rows)
        )


def main() -> int:
    """Print the table; exit 0 (a benchmark reports, it does not judge)."""
    asyncio.run(compare())
    return 0


if __name__ == "__main__":
    sys.exit(main())
