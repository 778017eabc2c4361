"""How many errors does the model mend if the examples route what they are sure of?

    python tests/bench/cascade.py

An oracle stands where the model would. It answers every routing call rightly: with the expected
teams, and with the expected workers where a request names them. Each request is planned by the
installed teams, so the calls of all levels count: `cascade` is compared with `plan`, which asks the
model at every hop.

The teams' own files (`examples/eval.yaml`) come first, then both request files together, then
the strangers', of whose kept half only totals are printed. Each row of a curve multiplies the
margin from which on the examples are trusted; 1 is what `cascade` does. The ceiling is the exact
set if the fifth of the requests with the smallest margins were right: the errors among the
confident four fifths are left.
"""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple, cast

from minerva_platform import Model
from minerva_platform.assembly.platform_tree import build_platform
from minerva_platform.config.limits import RunLimits
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.router import Router
from minerva_platform.evaluation.cases import Case, read_cases, team_file
from minerva_platform.evaluation.figures import Verdict, tally
from minerva_platform.evaluation.outcome import Outcome, foreseen, ran
from minerva_platform.routing import Decision
from minerva_platform.routing.cascade import CascadeRouter
from minerva_platform.routing.examples_router import EmbeddedRouter
from minerva_platform.routing.model_router import ModelRouter, PlanDirection

HERE: Final = Path(__file__).parent
STRETCHES: Final = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0, inf)
REQUESTS: Final = ("requests", "requests_blind")
MAX_SHARE: Final = 0.2
MIN_EXACT: Final = 0.95
HEAD: Final = "  margin  calls  share  platform  teams   exact  workers"


Become = Callable[[AssembledTeam, Case], Awaitable[Outcome]]
"""What tells the outcome of a case."""


class Oracle:
    """Stands where a model would, and knows what is expected of the case that is asked about."""

    def __init__(
        self, teams: dict[str, AssembledTeam], embedded: dict[str, EmbeddedRouter]
    ) -> None:
        self.teams, self.embedded = teams, embedded
        self.case: Case
        self.calls: list[str] = []

    async def ask(self, prompt: str, *, schema: Any, name: str, **_: Any) -> Any:
        """Return the right plan. If no worker is expected, those that the examples say."""
        owner = name.removesuffix("_plan")
        self.calls.append(owner)
        if self.teams[owner].leads_teams:
            return _plan(schema, sorted(self.case.teams))
        request = prompt.partition("\n\nMembers:\n")[0].removeprefix("Request: ")
        names = {worker.removeprefix(f"{owner}/") for worker in self.case.workers}
        workers = sorted(names.intersection(self.teams[owner].by_name))
        if not workers:
            chosen = self.embedded[owner].choose(request, may_refuse=False)
            workers = [goal.member for goal in chosen.goals]
        return _plan(schema, workers)


def _plan(schema: Any, members: Sequence[str]) -> Any:
    return schema(goals=[{"member": member, "request": ""} for member in members])


class Stretched(CascadeRouter):
    """Trusts the examples from another margin on."""

    def __init__(self, embedded: EmbeddedRouter, in_doubt: Router, stretch: float) -> None:
        super().__init__(embedded, in_doubt)
        self.stretch = stretch

    def is_sure(self, decision: Decision) -> bool:
        """True if the margin is as large as the stretched one."""
        if decision.margin is None:
            return super().is_sure(decision)
        return decision.margin >= self.stretch * self.embedded_router.thresholds.sure


class Point(NamedTuple):
    """What becomes of some requests."""

    above: int
    """Calls of the model by the platform's router."""
    below: int
    """Calls of the model by the teams' routers."""
    exact: float
    """The share of requests whose teams are exactly the expected ones."""
    workers: float

    @property
    def calls(self) -> int:
        """Calls of the model at all levels."""
        return self.above + self.below


def exchange(team: AssembledTeam, router: Router) -> None:
    """Let a team that is assembled go on with another router."""
    vars(team)["router"] = router


class Bench:
    """The installed teams, whose routers are exchanged for each measurement."""

    def __init__(self) -> None:
        self.platform = build_platform(router="embedded")
        self.platform.prepare()
        self.teams = {team.name: team for team in self.platform.teams}
        self.embedded = {
            name: cast("EmbeddedRouter", team.router) for name, team in self.teams.items()
        }
        self.oracle = Oracle(self.teams, self.embedded)

    def measure(self, cases: Sequence[Case], stretch: float, become: Become = foreseen) -> Point:
        """Return what becomes of `cases`: with `plan` if `stretch` is infinite, else `cascade`."""
        for name, team in self.teams.items():
            embedded = self.embedded[name]
            plan = ModelRouter(
                cast("Model", self.oracle), PlanDirection(), owner=name, otherwise=embedded
            )
            exchange(team, plan if stretch == inf else Stretched(embedded, plan, stretch))
        self.oracle.calls.clear()
        figures = tally(self._verdicts(cases, become))
        above = self.oracle.calls.count(self.platform.name)
        return Point(
            above,
            len(self.oracle.calls) - above,
            figures.exact.value or 0.0,
            figures.workers.value or 0.0,
        )

    def without(self, cases: Sequence[Case]) -> tuple[float, float]:
        """Return the exact set without a model, and if the doubtful fifth were right."""
        for name, team in self.teams.items():
            exchange(team, self.embedded[name])
        ordered = sorted(self._verdicts(cases, foreseen), key=self._margin)
        wrong = [not verdict.is_exact for verdict in ordered]
        confident = wrong[int(MAX_SHARE * len(ordered)) :]
        return 1 - sum(wrong) / len(ordered), 1 - sum(confident) / len(ordered)

    def _margin(self, verdict: Verdict) -> float:
        """Return the margin of the platform's decision; none if a part is left out."""
        if verdict.outcome.unserved:
            return 0.0
        margins = (routed.margin for routed in verdict.outcome.decisions)
        return next((margin for margin in margins if margin is not None), inf)

    def _verdicts(self, cases: Sequence[Case], become: Become) -> list[Verdict]:
        return [asyncio.run(self._verdict(case, become)) for case in cases]

    async def _verdict(self, case: Case, become: Become) -> Verdict:
        self.oracle.case = case
        return Verdict(case, await become(self.platform, case))

    def report(self, cases: Sequence[Case]) -> Iterator[str]:
        """Yield a line for each margin, and what `cascade` does beside its ceiling."""
        points = {stretch: self.measure(cases, stretch) for stretch in STRETCHES}
        plan, ours = points[inf], points[1.0]
        yield HEAD
        for stretch, point in points.items():
            yield _line("plan" if stretch == inf else f"x {stretch:g}", point, plan)
        bare, ceiling = self.without(cases)
        yield f"cascade: {_share(ours, plan)}, target {MAX_SHARE}; exact set {ours.exact:.3f},"
        yield f"target {MIN_EXACT}, ceiling {ceiling:.3f}, without a model {bare:.3f}"
        run = partial(ran, limits=RunLimits())
        plan, ours = self.measure(cases, inf, run), self.measure(cases, 1.0, run)
        yield f"run for real: {_share(ours, plan)}; exact set {ours.exact:.3f}"


def _share(point: Point, plan: Point) -> str:
    return f"{point.calls} of {plan.calls:,} calls ({point.calls / plan.calls:.3f})"


def _line(label: str, point: Point, plan: Point) -> str:
    share = point.calls / plan.calls
    return (
        f"{label:>8}{point.calls:>7}{share:>7.3f}{point.above:>10}{point.below:>7}"
        f"{point.exact:>8.3f}{point.workers:>9.3f}"
    )


def main() -> int:
    """Print the curves."""
    with TemporaryDirectory() as home:
        os.environ["MINERVA_HOME"] = home
        bench = Bench()
        teams = [team for team in bench.teams.values() if not team.leads_teams]
        own = [case for team in teams if (file := team_file(team)) for case in read_cases(file)]
        both = [case for name in REQUESTS for case in read_cases(HERE / f"{name}.yaml")]
        for title, cases in (
            ("the teams' own files", own),
            ("requests and requests_blind", both),
            ("requests_strangers", read_cases(HERE / "requests_strangers.yaml")),
            ("requests_strangers_kept", read_cases(HERE / "requests_strangers_kept.yaml")),
        ):
            print(f"{title}: {len(cases)} requests")
            for line in bench.report(cases):
                print(line, flush=True)
            print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
