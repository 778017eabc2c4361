"""The answer names the words of the request that changed nothing in it."""

from pathlib import Path
from typing import Any

import pytest

from minerva_observability import MemorySink
from minerva_platform import Run, Task, Team
from minerva_platform.contract.bounds import MAX_UNUSED
from minerva_platform.durable.active_run import run_team
from minerva_platform.routing import Decision, Goal
from minerva_platform.runtime.border.firewall import convert_out
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.files.artifacts import ArtifactStore
from minerva_platform.testing import EachOnceRouter, ScriptedRouter, StubAgent

ASKED = "find the name of ward in module billing, only columns added last year"


def teller(name: str, *unused: str) -> StubAgent:
    """Return a worker that tells the words it did not take into account."""
    return StubAgent(name, behave=lambda _: {"summary": f"{name} answered", "unused": unused})


def team_of(name: str, *members: Any, router: Any = None) -> Team:
    """Return a team that asks each of its members."""
    return Team(name=name, description="…", members=members, router=router or EachOnceRouter())


async def ask(*members: Any, request: str = ASKED, router: Any = None) -> Run:
    """Run a team of `members`."""
    return await run_team(team_of("root", *members, router=router).assembled, Task(request=request))


@pytest.mark.parametrize(
    ("request_", "told", "line"),
    [
        (ASKED, "in module billing", "Not taken into account: in module billing"),
        ("응급 병동용 환자번호 표준명 알려줘", "응급 병동용", "반영하지 않은 말: 응급 병동용"),
    ],
)
async def test_unused_words_end_the_answer(request_: str, told: str, line: str) -> None:
    """In the person's language; the run object holds them, and the run is fine."""
    run = await ask(teller("a", told), request=request_)

    assert run.answer == f"a answered\n\n{line}"
    assert (run.status, run.unused) == ("ok", (told,))
    assert run.to_json_dict()["unused"] == [told]


@pytest.mark.parametrize(
    ("told", "unused"),
    [
        (("IN  module\nBilling",), ("in module billing",)),
        (("in module billing", "module billing"), ("in module billing",)),
        (("in the billing module",), ()),
        ((ASKED,), ()),
        (("",), ()),
    ],
)
async def test_only_quotes_count(told: tuple[str, ...], unused: tuple[str, ...]) -> None:
    """As the person typed them, each once; never the whole request."""
    assert (await ask(teller("a", *told))).unused == unused


@pytest.mark.parametrize(
    ("other", "unused"),
    [
        (teller("b"), ()),
        (teller("b", "only columns added last year"), ()),
        (teller("b", "in module billing"), ("in module billing",)),
        (teller("b", "billing"), ("billing",)),
        (StubAgent("b"), ("in module billing",)),
    ],
)
async def test_words_that_another_worker_took_are_used(
    other: StubAgent, unused: tuple[str, ...]
) -> None:
    """Inside a team, a worker that tells no words has no say."""
    run = await ask(teller("a", "in module billing"), other)

    assert "only columns added last year" not in run.unused
    assert run.unused == unused


async def test_another_teams_silence_may_be_use() -> None:
    """A false alarm is a fault, too."""
    told = team_of("told", teller("a", "in module billing"))

    assert (await ask(told, team_of("silent", StubAgent("b")))).unused == ()
    assert (await ask(told)).unused == ("in module billing",)


async def test_words_that_only_one_was_given_count() -> None:
    """The other had no part in them."""
    goals = (
        Goal(member="told", request="find the name of ward in module billing"),
        Goal(member="silent", request="only columns added last year"),
    )
    router = ScriptedRouter(Decision(goals=goals, finish=True))
    told = team_of("told", teller("a", "in module billing"))

    run = await ask(told, team_of("silent", StubAgent("b")), router=router)

    assert run.unused == ("in module billing",)


async def test_what_is_not_done_is_said_once() -> None:
    """A part that no member serves is named first, not again at the end."""
    goals = (Goal(member="a", request=ASKED),)
    router = ScriptedRouter(
        Decision(goals=goals, finish=True, unserved=("only columns added last year",))
    )

    run = await ask(teller("a", "added last year", "in module billing"), router=router)

    assert run.unserved == ("only columns added last year",)
    assert run.unused == ("in module billing",)


async def test_a_failed_run_took_nothing_into_account() -> None:
    """Its answer says that there is none."""

    def fail(_: Any) -> Any:
        message = "no."
        raise ValueError(message)

    run = await ask(StubAgent("a", behave=fail))

    assert (run.status, run.unused) == ("failed", ())


async def test_unused_words_and_files_are_on_no_record(tmp_path: Path) -> None:
    """They are a person's."""
    (tmp_path / "kim-minsu.csv").touch()
    sink = MemorySink()
    team = team_of("root", teller("a", "in module billing"))
    task = Task.model_validate({"request": ASKED, "attachments": [tmp_path / "kim-minsu.csv"]})

    await run_team(team.assembled, task, RunOptions(recorder=sink))

    written = repr(sink.records)
    assert "billing" not in written
    assert "minsu" not in written


def test_unused_words_are_bounded(tmp_path: Path) -> None:
    """A worker that quotes all there is fills no state."""
    state = {"output": {"summary": "s", "unused": ["x" * 9000] * (MAX_UNUSED + 3)}}

    result, _ = convert_out(
        StubAgent("a"), state, path="t/a", role="goal", store=ArtifactStore(tmp_path)
    )

    assert len(result.unused or ()) == MAX_UNUSED
    assert result.cut == MAX_UNUSED + 3
