"""An answer that repeats the last one says so, and what nobody serves repeats none."""

from pathlib import Path
from typing import Any

import pytest

from minerva_platform import Run, Task, Team
from minerva_platform.durable.active_run import run_team
from minerva_platform.routing import Decision, Goal, RoutingView
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.testing import StubAgent

SAME_EN = (
    "This is the same answer as the last one. If you mean something else, name it and ask in one "
    "whole sentence."
)
SAME_KO = (
    "앞선 답과 같은 답입니다. 다른 것을 물으셨다면, 무엇인지 이름을 넣어 한 문장으로 물어봐 주세요."
)


class HalfRouter:
    """Gives all to the one member but `pay` and 결제, which nobody serves."""

    def choose(self, request: str) -> Decision:
        """Return what is asked of the member, and what is nobody's."""
        lines = request.splitlines()
        parts = [part.strip() for line in lines for part in line.split(" and ")]
        nobodys = tuple(part for part in parts if "pay" in part or "결제" in part)
        served = " ".join(part for part in parts if part not in nobodys)
        goals = (Goal(member="a", request=served),) if served else ()
        return Decision(goals=goals, finish=True, unserved=nobodys)

    def is_sure(self, _: Decision) -> bool:
        """Words leave no doubt."""
        return True

    async def decide(self, view: RoutingView) -> Decision:
        """Choose once."""
        return Decision(finish=True) if view.results else self.choose(view.request)


def office(*summaries: str) -> tuple[Team, StubAgent]:
    """Return a team of one worker that answers `summaries` in turn, the last one for ever."""
    left = list(summaries)

    def behave(_: Any) -> Any:
        return {"summary": left.pop(0) if len(left) > 1 else left[0]}

    worker = StubAgent("a", behave=behave)
    worker.aspects = ("total", "합계")
    return Team(name="office", description="…", members=[worker], router=HalfRouter()), worker


async def say(team: Team, home: Path, *requests: str) -> list[Run]:
    """Say `requests` in one thread."""
    with opened_engine(home / "state.db") as engine:
        options = RunOptions(home=home, engine=engine, thread_id="t")
        return [await run_team(team.assembled, Task(request=words), options) for words in requests]


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("check the invoices", "and its total?", SAME_EN),
        ("check the invoices", "verify the contract", SAME_EN),
        ("청구서를 확인해줘", "합계는?", SAME_KO),
    ],
)
async def test_the_same_answer_says_so(
    minerva_home: Path, first: str, second: str, said: str
) -> None:
    """At its beginning, in the person's language; the first answer has nothing to repeat."""
    team, _ = office("12 invoices")

    runs = await say(team, minerva_home, first, second)

    assert [run.answer for run in runs] == ["12 invoices", f"{said}\n\n12 invoices"]
    assert [run.reason for run in runs] == [None, "asked_back"]


@pytest.mark.small(2)
@pytest.mark.parametrize(
    "second", ["Check  the invoices", "check them again", "show the same once more", "다시 보여줘"]
)
async def test_who_asks_for_the_same_is_not_told(minerva_home: Path, second: str) -> None:
    """It is what was asked for."""
    team, _ = office("12 invoices")

    runs = await say(team, minerva_home, "check the invoices", second)

    assert runs[1].answer == "12 invoices"


async def test_only_the_turn_before_counts(minerva_home: Path) -> None:
    """Another answer came between; and one that already said so is still the same answer."""
    team, _ = office("one", "two", "one", "one", "one")

    runs = await say(team, minerva_home, *(f"check invoice {n}" for n in range(5)))

    assert [run.answer.startswith(SAME_EN) for run in runs] == [False, False, False, True, True]


@pytest.mark.parametrize(
    ("second", "told"),
    [("and pay them", "pay them"), ("pay it", "pay it"), ("그리고 그거 결제해줘", "그거 결제해줘")],
)
async def test_a_follow_up_that_nobody_serves_repeats_nothing(
    minerva_home: Path, second: str, told: str
) -> None:
    """It says what is not done, nobody works, and the next one refers to what was served."""
    team, worker = office("12 invoices", "300")

    runs = await say(team, minerva_home, "check the invoices", second, "and its total?")

    assert (runs[1].status, runs[1].reason, runs[1].unserved) == ("failed", "no_route", (told,))
    assert runs[1].answer.splitlines()[0].endswith(f": {told}")
    assert "12 invoices" not in runs[1].answer
    assert runs[1].hops == ()
    assert [call.request for call in worker.calls] == [
        "check the invoices",
        "check the invoices\nits total?",
    ]


async def test_a_part_that_is_served_is_answered(minerva_home: Path) -> None:
    """Only a follow-up of nothing else is nobody's."""
    team, _ = office("12 invoices", "300")

    runs = await say(team, minerva_home, "check the invoices", "show its total and pay it")

    assert (runs[1].status, runs[1].unserved) == ("ok_degraded", ("pay it",))
    assert runs[1].answer == "Not done: pay it\n\n300"


@pytest.mark.parametrize("between", ["thank you!", "and pay them"])
async def test_what_nobody_answered_does_not_count(minerva_home: Path, between: str) -> None:
    """The last answer is that of the last turn in which somebody worked."""
    team, _ = office("12 invoices")

    runs = await say(team, minerva_home, "check the invoices", between, "and its total?")

    assert runs[2].answer == f"{SAME_EN}\n\n12 invoices"
