"""What is wrong with one team stops no other: as little as possible is left out, and it is told."""

import asyncio
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from minerva_platform import Handoff, Run, Task, Team
from minerva_platform.assembly.assemble import DeclaredTeam
from minerva_platform.assembly.platform_tree import build_platform
from minerva_platform.config.settings import Settings
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.run_object import Origin
from minerva_platform.durable.active_run import run_team
from minerva_platform.errors import CheckError
from minerva_platform.run_context.failures.foreign_code import run_team_code
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import EachOnceRouter, MemorySink, StubAgent


class Plan(Handoff):
    """As its producer writes it."""

    kind: ClassVar[str] = "maker.plan"
    number: int = 1


class LaterPlan(Plan):
    """The same fields, another meaning."""

    version: ClassVar[int] = 2


class PlanAsText(Handoff):
    """As a consumer wrongly reads it."""

    kind: ClassVar[str] = "maker.plan"
    number: str


class Table(Handoff):
    """What is made of a plan."""

    kind: ClassVar[str] = "reader.table"


class Sheet(Handoff):
    """What only its own team gives."""

    kind: ClassVar[str] = "sheet.sheet"


def team(name: str, *members: Any, **declared: Any) -> Team:
    """Return a team in which everybody is asked."""
    return Team(
        name=name, description="Tests.", members=members, router=EachOnceRouter(), **declared
    )


def maker() -> Team:
    """Return the team that the plan is named after."""
    return team("maker", StubAgent("draw", gives=[Plan()]), exports=(Plan,))


def platform(*teams: Team, folder: Path | None = None) -> AssembledTeam:
    """Return the platform over `teams`, in which everybody is asked."""
    declared = [DeclaredTeam(team, origin_of(team)) for team in teams]
    built = build_platform(Settings(folder), teams=declared)
    return replace(built, make_router=lambda _: EachOnceRouter())


def origin_of(team: Team) -> Origin | None:
    """Return the distribution of a team; one without members was given in code."""
    if not team.members:
        return None
    return Origin(distribution=f"minerva-{team.name}", version="1.5")


def shape(built: AssembledTeam) -> dict[str, list[str]]:
    """Return the members of each team that is there."""
    return {part.name: [agent.name for agent in part.agents] for part in built.inner_teams}


def ask(built: AssembledTeam, sink: MemorySink | None = None) -> Run:
    """Run the whole tree once."""
    options = RunOptions(recorder=sink) if sink else None
    return asyncio.run(run_team(built, Task(request="all of it"), options))


def test_a_wanted_hand_off_that_does_not_fit_is_dropped() -> None:
    """Its consumer works without it; both sides are named with distribution and version."""
    built = platform(maker(), team("reader", StubAgent("read", wants=[LaterPlan])))

    assert shape(built) == {"maker": ["draw"], "reader": ["read"]}
    (entry,) = built.left_out
    assert (entry.team, entry.distribution, entry.version) == ("reader", "minerva-reader", "1.5")
    assert entry.where is not None
    assert "test_left_out.py:" in entry.where
    assert entry.cause == (
        "it works without `maker.plan`: `read` of `reader` (minerva-reader 1.5) cannot read the "
        "`maker.plan` of `draw` of `maker` (minerva-maker 1.5): version 1 is given, version 2 is "
        "read."
    )


def test_a_plan_that_loses_a_hand_off_is_degraded_with_its_cause_on_record() -> None:
    """Both were asked, so the hand-off would have passed."""
    reader, sink = StubAgent("read", wants=[LaterPlan]), MemorySink()
    run = ask(platform(maker(), team("reader", reader)), sink)

    assert run.status == "ok_degraded"
    assert [entry.action for entry in run.bypassed] == ["left_out"]
    assert run.bypassed[0].path == "platform/reader"
    (row,) = [record for record in sink.records if record.action == "left_out"]
    assert (row.path, row.status) == ("platform/reader", "skipped")
    assert row.error is not None
    assert row.error["type"] == "HandoffMisfitError"
    assert "version 1 is given, version 2 is read" in row.error["message"]
    assert reader.calls[0].maker_plan is None


def test_a_run_that_would_have_had_no_hand_off_is_ok() -> None:
    """Its producer was not asked; what is left out is in the run object all the same."""
    built = platform(maker(), team("reader", StubAgent("read", wants=[LaterPlan])))
    options = Task(request="only the reader", members=("reader",))
    run = asyncio.run(run_team(built, options))

    assert (run.status, run.bypassed) == ("ok", ())
    assert [entry["team"] for entry in run.to_json_dict()["left_out"]] == ["reader"]


def test_a_needed_hand_off_takes_out_the_member_that_needs_it() -> None:
    """The other members of its team stay, and so does what they give."""
    reader = team(
        "reader",
        StubAgent("read", needs=[PlanAsText], gives=[Table()]),
        StubAgent("count", gives=[Sheet()]),
        exports=(Table, Sheet),
    )
    built = platform(maker(), reader)

    assert shape(built) == {"maker": ["draw"], "reader": ["count"]}
    assert sorted(built.flow.gives) == ["maker.plan", "sheet.sheet"]
    (entry,) = built.left_out
    assert entry.cause.startswith("it works without its member `read`: `read` of `reader`")
    assert ask(built).status == "ok"
    assert [agent.name for agent in reader.assembled.agents] == [
        "read",
        "count",
    ]  # itself as it was


def test_a_team_that_is_not_sound_without_its_member_goes_whole() -> None:
    """An auditor that is missing must not let unaudited hand-offs out."""
    reader = team(
        "reader",
        StubAgent("count", gives=[Sheet()]),
        StubAgent("audit", needs=[PlanAsText]),
        exports=(Sheet,),
        audits={"sheet.sheet": "audit"},
    )

    assert shape(platform(maker(), reader)) == {"maker": ["draw"]}


def test_what_follows_from_a_loss_is_lost_too() -> None:
    """Who needs what is no longer given goes as well, each with a cause of its own."""
    reader = team("reader", StubAgent("read", needs=[LaterPlan], gives=[Table()]), exports=(Table,))
    last = team("last", StubAgent("print", needs=[Table]))
    built = platform(maker(), reader, last)

    assert shape(built) == {"maker": ["draw"]}
    assert [
        (entry.team, "no member in the tree gives it" in entry.cause) for entry in built.left_out
    ] == [
        ("reader", False),
        ("last", True),
    ]


def test_of_two_that_give_a_kind_the_one_it_is_named_after_does() -> None:
    """The other one keeps it inside, whatever their order; consumers read what they always read."""
    copycat = team("copycat", StubAgent("trace", gives=[LaterPlan()]), exports=(LaterPlan,))
    reader = StubAgent("read", wants=[Plan])
    for order in ((copycat, maker()), (maker(), copycat)):
        built = platform(*order, team("reader", reader))

        assert [(entry.team, entry.cause.partition(":")[0]) for entry in built.left_out] == [
            ("copycat", "its `maker.plan` stays inside it")
        ]
        assert ask(built).status == "ok"
        assert reader.calls[-1].maker_plan is not None


def test_a_circle_is_broken_at_a_want_of_the_later_team() -> None:
    """The need stays."""
    first = team("first", StubAgent("a", needs=[Sheet], gives=[Plan()]), exports=(Plan,))
    second = team("second", StubAgent("b", wants=[Plan], gives=[Sheet()]), exports=(Sheet,))
    built = platform(first, second)

    assert shape(built) == {"first": ["a"], "second": ["b"]}
    (entry,) = built.left_out
    assert entry.team == "second"
    assert "first -> second -> first wait for each other's hand-offs in a circle" in entry.cause


def test_a_wrong_declaration_takes_its_team_out() -> None:
    """With the place of what is wrong, and how much more there is."""
    wrong = team("wrong", StubAgent("FINISH"), StubAgent("twice"), StubAgent("twice"))
    built = platform(maker(), wrong)

    assert shape(built) == {"maker": ["draw"]}
    assert built.left_out[0].cause == (
        "`platform/wrong` has 2 members called `twice`; names must differ. "
        "(and 1 more: minerva check)"
    )


class Grumpy(Team):
    """A team whose own code raises what nobody expects."""

    name = "grumpy"
    description = "Raises."
    members = (StubAgent("a"),)
    fault: type[BaseException]

    def build_members(self, settings: Any) -> Any:  # noqa: ARG002  # its team's signature
        """Raise."""
        raise self.fault


@pytest.mark.parametrize(
    "error", [ValueError, SystemExit, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError]
)
def test_whatever_a_team_raises_while_it_is_configured_is_its_own_fault(
    error: type[BaseException],
) -> None:
    """What looks like Ctrl-C is none where nobody pressed it."""
    built = platform(maker(), type("Grumpier", (Grumpy,), {"fault": error})())

    assert shape(built) == {"maker": ["draw"]}
    (entry,) = built.left_out
    assert entry.cause.startswith(f"cannot be made ready: {error.__name__}")
    assert entry.where is not None
    assert entry.where.endswith(", in build_members")


def test_a_persons_ctrl_c_is_no_teams_fault() -> None:
    """It ends the command, as everywhere."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job of a shell ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            run_team_code(lambda: signal.raise_signal(signal.SIGINT))
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_declaration_that_cannot_be_read_takes_its_team_out() -> None:
    """A property may raise whatever it likes."""

    class Raising(Team):
        name = "raising"
        members = (StubAgent("a"),)

        @property
        def description(self) -> str:  # type: ignore[override]  # the fault that is tried
            raise LookupError

    assert shape(platform(maker(), Raising())) == {"maker": ["draw"]}


def test_not_even_a_name_is_taken_for_granted() -> None:
    """A team that has none is told by its class."""

    class Nameless(Team):
        description = "…"

    built = platform(maker(), Nameless())

    assert [entry.team for entry in built.left_out] == ["Nameless"]


def test_no_secret_stands_in_a_cause() -> None:
    """It is printed, and lies in every run object."""

    class Talkative(Team):
        name = "talkative"
        members = (StubAgent("a"),)

        def build_members(self, settings: Any) -> Any:  # noqa: ARG002  # its team's signature
            message = "password=hunter2hunter2 " * 500
            raise ValueError(message)

    (entry,) = platform(maker(), Talkative()).left_out

    assert "hunter2" not in entry.cause
    assert len(entry.cause) < 2_100


def test_wrong_settings_take_their_team_out(tmp_path: Path) -> None:
    """File and line are the place to mend."""
    (tmp_path / "teams").mkdir()
    (tmp_path / "teams" / "reader.yaml").write_text("timeouts: {}\nsubstitute: {}\n")
    (tmp_path / "platform.yaml").write_text("")
    built = platform(maker(), team("reader", StubAgent("read")), folder=tmp_path)

    assert shape(built) == {"maker": ["draw"]}
    assert built.left_out[0].where == f"{tmp_path}/teams/reader.yaml:2"
    assert built.left_out[0].cause == "unknown key `substitute`; did you mean `substitutes`?"


def test_a_router_without_its_model_takes_its_team_out(tmp_path: Path) -> None:
    """The team's own settings ask for it."""
    (tmp_path / "teams").mkdir()
    (tmp_path / "teams" / "reader.yaml").write_text("router: plan\n")
    (tmp_path / "platform.yaml").write_text("")
    reader = Team(name="reader", description="…", members=(StubAgent("read"),))
    built = platform(maker(), reader, folder=tmp_path)

    assert shape(built) == {"maker": ["draw"]}
    assert "`reader` routes by `plan`, which needs a model" in built.left_out[0].cause


def test_a_rule_for_a_team_that_is_left_out_stops_nobody(tmp_path: Path) -> None:
    """Its other goals stay."""
    (tmp_path / "platform.yaml").write_text(
        "router: rules\nrules: [{when: draw, goals: [maker, empty]}, {when: x, goals: [empty]}]\n"
    )
    built = build_platform(Settings(tmp_path), teams=[maker(), team("empty")])

    assert [rule.goals for rule in built.rules] == [("maker",)]
    assert built.router is not None


def test_of_two_teams_of_one_name_the_first_stays() -> None:
    """The other one is told which."""
    twin = team("maker", StubAgent("other"))
    built = platform(maker(), twin)

    assert shape(built) == {"maker": ["draw"]}
    assert built.left_out[0].cause == (
        "its name is that of another team (minerva-maker 1.5), which comes first; rename one."
    )


def test_a_platform_whose_teams_are_all_broken_cannot_be_built() -> None:
    """Every cause is told."""
    with pytest.raises(CheckError) as caught:
        platform(team("one"), team("two", StubAgent("FINISH")))

    assert [problem.partition(" (")[0] for problem in caught.value.problems] == ["`one`", "`two`"]


def test_a_team_given_in_code_says_so() -> None:
    """It has no distribution."""
    stranger = Team(name="stranger", description="…")
    built = platform(maker(), stranger)

    assert (
        built.left_out[0].text == "`stranger` (given in code): `platform/stranger` has no members."
    )
