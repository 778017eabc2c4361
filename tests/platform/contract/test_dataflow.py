"""Needs, wants and gives: one algebra for workers and teams."""

from typing import Annotated, ClassVar

import pytest
from pydantic import Field

from minerva_platform import AgentInput, AgentOutput, ContractError, Handoff, Team
from minerva_platform.contract.dataflow import Flow, handoff_of, worker_flow
from minerva_platform.testing import StubAgent


class Plan(Handoff):
    """Made outside of the team."""

    kind: ClassVar[str] = "flow.plan"


class Index(Handoff):
    """Made and used inside."""

    kind: ClassVar[str] = "flow.index"


class Uses(Handoff):
    """What the team is for."""

    kind: ClassVar[str] = "flow.uses"


class Everything(AgentInput):
    """Each way to ask for a hand-off."""

    needed: Plan
    nullable_but_needed: Index | None
    wanted: Annotated[Uses | None, Field(description="late")] = None
    many: tuple[Plan, ...] = ()
    several: list[Index]
    words: str = ""


class Gives(AgentOutput):
    """A field for each way to give one."""

    plan: Plan
    perhaps: Index | None = None
    uses: tuple[Uses, ...] = ()


def kinds(flow: Flow) -> tuple[set[str], set[str], set[str]]:
    """Return the kinds needed, wanted and given."""
    return set(flow.needs), set(flow.wants), set(flow.gives)


def test_a_workers_flow_is_read_off_its_models() -> None:
    """Required fields are needs, fields with a default wants, Output fields gives."""
    flow = worker_flow("a", Everything, Gives)

    assert kinds(flow) == (
        {"flow.plan", "flow.index"},
        {"flow.uses", "flow.plan"},
        {"flow.plan", "flow.index", "flow.uses"},
    )
    assert flow.takes == {"flow.plan", "flow.index", "flow.uses"}


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("needed", (Plan, False)),
        ("nullable_but_needed", (Index, False)),
        ("wanted", (Uses, False)),
        ("many", (Plan, True)),
        ("several", (Index, True)),
        ("words", (None, False)),
    ],
)
def test_a_field_carries_one_handoff_or_several(
    field: str, expected: tuple[type[Handoff] | None, bool]
) -> None:
    """The annotation alone tells what binds there."""
    assert handoff_of(Everything.model_fields[field]) == expected


def test_a_handoff_without_a_kind_is_refused() -> None:
    """It could not be bound to anything."""

    class Nameless(Handoff):
        text: str

    class Given(AgentInput):
        it: Nameless

    with pytest.raises(ContractError, match=r"`Nameless` has no `kind`"):
        worker_flow("a", Given, AgentOutput)


def test_a_teams_flow_follows_from_its_members() -> None:
    """What members give each other is no need of the team; what it exports may come in early."""
    team = Team(
        name="code",
        description="…",
        members=(
            StubAgent("parser", gives=[Index()]),
            StubAgent("search", needs=[Index], wants=[Plan], gives=[Uses()]),
        ),
        exports=(Index, Uses),
    )

    assert kinds(team.flow) == (set(), {"flow.plan", "flow.index"}, {"flow.index", "flow.uses"})
    assert team.flow.waits == {
        "flow.index": frozenset(),
        "flow.uses": frozenset({"flow.plan"}),
    }


def test_what_is_not_exported_stays_inside() -> None:
    """A kind that only members exchange does not show outside at all."""
    team = Team(
        name="code",
        description="…",
        members=(StubAgent("parser", gives=[Index()]), StubAgent("search", needs=[Index])),
    )

    assert kinds(team.flow) == (set(), set(), set())


def test_a_need_that_only_its_own_agent_gives_is_a_need_of_the_team() -> None:
    """Nobody can start by reading what it will write itself."""
    rewriter = StubAgent("rewriter", needs=[Plan], gives=[Plan()])
    team = Team(name="t", description="…", members=(rewriter,), exports=(Plan,))

    assert set(team.flow.needs) == {"flow.plan"}


def test_the_algebra_holds_at_every_level() -> None:
    """A team of a team needs what its worker needs."""
    inner = Team(name="inner", description="…", members=(StubAgent("a", needs=[Plan]),))
    outer = Team(name="outer", description="…", members=(inner,))

    assert set(outer.flow.needs) == {"flow.plan"}
    assert [port.agent for port in outer.flow.needs["flow.plan"]] == ["a"]
