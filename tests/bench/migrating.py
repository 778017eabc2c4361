"""What does each step of platform/MIGRATING.md win, and what does it cost?

    python tests/bench/run.py migrating

The first table runs the page's steps on the page's six requests: the workers that an audit calls,
the rows that a record of it has, and the median CPU milliseconds of a request.

The second counts right choices for requests of strangers: those that belong to one worker of the
data team, file by file and in all, and those that belong to nobody and are refused. It compares the
page's if/else, routers that learn from the page's examples or from some of the data team's (the
mean of five draws), and those with a model beside them that is always right where it is asked. The
words of the if/else and the page's examples were committed before they were counted, and were not
changed since. Of the blind and the kept file only totals are printed; the headers of the files say
who wrote them. Attached files are not looked at.
"""

import asyncio
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from random import Random
from statistics import mean, median
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from minerva_data import AuditorAgent, PostProcessorAgent, RetrievalAgent
from minerva_observability import MemorySink
from minerva_platform import Decision, Platform, Team
from minerva_platform.contract.router import Goal
from minerva_platform.evaluation.cases import Case, read_cases
from minerva_platform.routing import MemberCard, RoutingView
from minerva_platform.routing.cascade import CascadeRouter
from minerva_platform.routing.examples_router import EmbeddedRouter

HERE: Final = Path(__file__).parent
STEPS: Final = HERE.parent / "examples" / "migrating"
FILES: Final = ("requests_strangers", "requests_strangers_kept", "requests_blind")
WORKERS: Final = {
    "retrieval_agent": "names_agent",
    "post_processor_agent": "columns_agent",
    "auditor_agent": "audit_agent",
}
"""The data team's workers, as the requests name them, and the page's workers of the same work."""
ROUNDS: Final = 20
DRAWN: Final = (10, 20, 40, 80)
DRAWS: Final = 5


class Labelled(NamedTuple):
    """A request, and the page's worker that it belongs to; None if it is nobody's."""

    text: str
    worker: str | None

    def fits(self, decision: Decision) -> bool:
        """True if `decision` names this worker and no other."""
        return {goal.member for goal in decision.goals} == ({self.worker} - {None})


def read_labelled(file: Path) -> tuple[list[Labelled], list[Labelled]]:
    """Return the requests of one worker of the data team, and those of nobody."""
    cases = read_cases(file)
    served = [Labelled(case.text, worker) for case in cases if (worker := _worker_of(case))]
    return served, [Labelled(case.text, None) for case in cases if not case.teams]


def _worker_of(case: Case) -> str | None:
    names = {name.rpartition("/")[2] for name in case.workers}
    return WORKERS.get(names.pop()) if set(case.teams) == {"data"} and len(names) == 1 else None


class RightModel:
    """Stands where a model would, and is always right."""

    def __init__(self, labelled: Sequence[Labelled]) -> None:
        self.workers = {item.text: item.worker for item in labelled}
        self.calls = 0

    async def decide(self, view: RoutingView) -> Decision:
        """Return the right worker, or none."""
        self.calls += 1
        worker = self.workers[view.request]
        goals = (Goal(member=worker, request=view.request),) if worker else ()
        return Decision(goals=goals, finish=True, router="right")


Cards = tuple[MemberCard, ...]


def page_cards() -> Cards:
    """Return the page's workers as a router sees them."""
    return tuple(agent.card for agent in import_module("step_3").team.agents)


def data_cards() -> Cards:
    """Return the same workers with the examples of the data team's."""
    agents = (RetrievalAgent, PostProcessorAgent, AuditorAgent)
    cards = (agent().card for agent in agents)
    return tuple(
        MemberCard(name=WORKERS[card.name], description="", examples=card.examples)
        for card in cards
    )


def drawn(cards: Cards, number: int, seed: int) -> Cards:
    """Return `cards` with so many of their examples."""
    random = Random(seed)  # noqa: S311  # a seeded draw, no secret
    return tuple(
        card.model_copy(update={"examples": tuple(random.sample(card.examples, number))})
        for card in cards
    )


Group = Sequence[Labelled]


def right_by_words(items: Group) -> int:
    """Count the requests that the if/else of step 0 gives to their worker; it refuses none."""
    wanted: Callable[[str], str] = import_module("step_0").wanted
    return sum(f"{wanted(item.text)}_agent" == item.worker for item in items)


def right_by_examples(items: Group, router: EmbeddedRouter) -> int:
    """Count the right choices of a router."""
    return sum(item.fits(router.choose(item.text)) for item in items)


def right_with_model(items: Group, router: EmbeddedRouter) -> tuple[int, int]:
    """Count the same with a right model that is asked in doubt, and how often it is asked."""
    model = RightModel(items)
    cascade = CascadeRouter(router, model)

    async def count() -> int:
        views = [RoutingView(request=item.text, members=page_cards()) for item in items]
        decisions = [await cascade.decide(view) for view in views]
        return sum(item.fits(decision) for item, decision in zip(items, decisions, strict=True))

    return asyncio.run(count()), model.calls


def groups() -> dict[str, Group]:
    """Return the requests of one worker by file and in all, and those of nobody."""
    halves = {name: read_labelled(HERE / f"{name}.yaml") for name in FILES}
    by_file = {name.removeprefix("requests_"): served for name, (served, _) in halves.items()}
    served = [item for several, _ in halves.values() for item in several]
    return {
        **by_file,
        "served": served,
        "nobody's": [i for _, them in halves.values() for i in them],
    }


def accuracy_lines() -> Iterator[str]:
    """Yield how many choices are right, row by row."""
    asked, data = groups(), data_cards()
    page, every = EmbeddedRouter(page_cards()), EmbeddedRouter(data)
    number = sum(len(card.examples) for card in data)
    yield _row("right of", (f"{name} {len(items)}" for name, items in asked.items()))
    yield _row("the if/else of step 0", map(right_by_words, asked.values()))
    yield _row("20 examples each, the page's", _counts(asked, [page]))
    for each in DRAWN:
        draws = [EmbeddedRouter(drawn(data, each, seed)) for seed in range(DRAWS)]
        yield _row(f"{each} examples each, the data team's", _counts(asked, draws))
    yield _row(f"all {number} of the data team's", _counts(asked, [every]))
    for label, router in (("20 each, the page's", page), (f"all {number}", every)):
        helped = [right_with_model(items, router) for items in asked.values()]
        yield _row(f"{label}, and a right model", (right for right, _ in helped))
        yield _row("    calls of the model", (calls for _, calls in helped))


def _counts(asked: dict[str, Group], routers: Sequence[EmbeddedRouter]) -> Iterator[str]:
    for items in asked.values():
        yield f"{mean(right_by_examples(items, router) for router in routers):g}"


def _row(label: str, cells: Iterable[object]) -> str:
    return f"{label:<42}" + "".join(f"{cell!s:>19}" for cell in cells)


def step_lines(home: Path) -> Iterator[str]:
    """Yield what each step calls for an audit, and the CPU that a request costs."""
    asked: tuple[str, ...] = import_module("asked").ASKED
    yield f"{'step':<6}{'hops of an audit':<58}{'rows':>6}{'ms CPU':>8}"
    for step, (ask, hops) in enumerate(_steps(home)):
        paths, rows = hops(asked[4])
        cost = median(_cpu_ms(ask, request) for _ in range(ROUNDS) for request in asked)
        yield f"{step:<6}{paths:<58}{rows:>6}{cost:>8.1f}"


Hops = Callable[[str], tuple[str, int]]


def _steps(home: Path) -> Iterator[tuple[Callable[[str], object], Hops]]:
    for step in (0, 1):
        yield import_module(f"step_{step}").ask, lambda _: ("-", 0)
    for step in (2, 3, 4):
        team = import_module(f"step_{step}").team
        yield team.ask, _recorded((team,), home)
    recorded = import_module("step_5").platform
    yield recorded.ask, _recorded((import_module("step_4").Standard(),), home)
    teams = (import_module("naming").Naming(), import_module("review").Review())
    yield Platform(teams=teams, home=home).ask, _recorded(teams, home)


def _recorded(teams: tuple[Team, ...], home: Path) -> Hops:
    """Return what tells the hops of a request, and how many rows a record of it has."""

    def hops(request: str) -> tuple[str, int]:
        sink = MemorySink()
        run = Platform(teams=teams, recorder=sink, home=home).ask(request)
        return " ".join(hop.agent_name for hop in run.hops), len(sink.records)

    return hops


def _cpu_ms(ask: Callable[[str], object], request: str) -> float:
    began = time.process_time_ns()
    ask(request)
    return (time.process_time_ns() - began) / 1e6


def main() -> int:
    """Print both tables; exit 0 (a benchmark reports, it does not judge)."""
    sys.path.append(str(STEPS))
    with TemporaryDirectory() as home:
        for line in step_lines(Path(home)):
            print(line, flush=True)
    print()
    for line in accuracy_lines():
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
