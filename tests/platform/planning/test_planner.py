"""Goals and contracts give the order of calls."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from minerva_platform import Handoff, Task, Team
from minerva_platform.contract.dataflow import Flow
from minerva_platform.planning.decide import with_words_of_takers
from minerva_platform.planning.planner import Assignment, derive_stages
from minerva_platform.planning.situation import Roster, Situation
from minerva_platform.routing import Decision, Goal
from minerva_platform.testing import StubAgent


class Plan(Handoff):
    """What the data team gives."""

    kind: ClassVar[str] = "data.rename_plan"


class Table(Handoff):
    """What a check looks at."""

    kind: ClassVar[str] = "data.table"


class CodeIndex(Handoff):
    """Made early, used later."""

    kind: ClassVar[str] = "insilico.code_index"


class CodeUses(Handoff):
    """What waits for the plan."""

    kind: ClassVar[str] = "insilico.code_uses"


def insilico() -> Team:
    """Return a team of which a part can work before the plan is there."""
    return Team(
        name="insilico",
        description="…",
        members=(
            StubAgent("ast_parser", gives=[CodeIndex()]),
            StubAgent("code_search", needs=[CodeIndex], wants=[Plan], gives=[CodeUses()]),
        ),
        exports=(CodeIndex, CodeUses),
    )


PLATFORM = {
    "data": StubAgent("data", gives=[Plan()]).flow,
    "insilico": insilico().flow,
    "governance": StubAgent("governance", wants=[Plan, CodeUses]).flow,
}


def stages_of(
    goals: Iterable[str],
    flows: Mapping[str, Flow],
    *,
    audits: Mapping[str, str] | None = None,
    wanted: Sequence[str] = (),
    available: Sequence[str] = (),
) -> tuple[tuple[Assignment, ...], ...]:
    """Derive stages for members that are each asked by their own name."""
    return derive_stages(
        [Goal(member=name, request=f"ask {name}") for name in goals],
        flows=flows,
        audits=audits or {},
        task=Task(request="all of it", wanted_kinds=tuple(wanted)),
        available=available,
    )


def names(stages: Iterable[Iterable[Assignment]]) -> list[list[str]]:
    """Return who is called in which stage; early calls say so."""
    return [
        [
            f"{item.member}(preparation)" if item.role == "preparation" else item.member
            for item in stage
        ]
        for stage in stages
    ]


def flows_of(*agents: StubAgent) -> dict[str, Flow]:
    """Return the agents' flows by name."""
    return {agent.name: agent.flow for agent in agents}


def test_a_team_that_waits_prepares_what_it_can() -> None:
    """The code is indexed beside the data team, its uses are looked up when the plan is there."""
    stages = stages_of(["data", "insilico", "governance"], PLATFORM)

    assert stages == (
        (
            Assignment(
                member="data",
                role="goal",
                request="ask data",
                wanted_kinds=("data.rename_plan",),
            ),
            Assignment(
                member="insilico",
                role="preparation",
                wanted_kinds=("insilico.code_index",),
            ),
        ),
        (
            Assignment(
                member="insilico",
                role="goal",
                request="ask insilico",
                wanted_kinds=("insilico.code_uses",),
            ),
        ),
        (Assignment(member="governance", role="goal", request="ask governance"),),
    )


def test_the_order_of_goals_does_not_matter() -> None:
    """Contracts order the calls, not the words of the request."""
    backwards = stages_of(["governance", "insilico", "data"], PLATFORM)

    assert [sorted(stage) for stage in names(backwards)] == [
        ["data", "insilico(preparation)"],
        ["insilico"],
        ["governance"],
    ]


def test_nothing_is_prepared_twice() -> None:
    """An index that is already there needs no early visit."""
    stages = stages_of(["data", "insilico"], PLATFORM, available=["insilico.code_index"])

    assert names(stages) == [["data"], ["insilico"]]


def test_nothing_is_prepared_that_lacks_something_else() -> None:
    """An early visit for it would only end in a member that is skipped."""
    inner = Team(
        name="inner",
        description="…",
        members=(
            StubAgent("ast_parser", needs=[Table], gives=[CodeIndex()]),
            StubAgent("code_search", needs=[CodeIndex], wants=[Plan], gives=[CodeUses()]),
        ),
        exports=(CodeIndex, CodeUses),
    )
    flows = {"data": PLATFORM["data"], "inner": inner.flow}

    assert names(stages_of(["data", "inner"], flows)) == [["data"], ["inner"]]
    assert names(stages_of(["data", "inner"], flows, available=["data.table"])) == [
        ["data", "inner(preparation)"],
        ["inner"],
    ]


def test_nothing_is_prepared_for_a_team_that_need_not_wait() -> None:
    """Without the data team there is no plan to wait for."""
    assert names(stages_of(["insilico", "governance"], PLATFORM)) == [["insilico"], ["governance"]]


def test_goals_that_do_not_depend_on_each_other_share_a_stage() -> None:
    """Independent work runs side by side."""
    flows = flows_of(StubAgent("a"), StubAgent("b"), StubAgent("c"))

    assert names(stages_of(["c", "a", "b"], flows)) == [["c", "a", "b"]]


def test_what_is_needed_is_produced_first_however_far_back() -> None:
    """Producers of producers are added, from the contracts alone."""
    flows = flows_of(
        StubAgent("uses", needs=[CodeIndex], gives=[CodeUses()]),
        StubAgent("index", needs=[Plan], gives=[CodeIndex()]),
        StubAgent("plan", gives=[Plan()]),
    )

    stages = stages_of(["uses"], flows)

    assert names(stages) == [["plan"], ["index"], ["uses"]]
    assert [item.role for stage in stages for item in stage] == ["producer", "producer", "goal"]
    assert [item.request for stage in stages for item in stage] == ["", "", "ask uses"]
    assert [item.wanted_kinds for stage in stages for item in stage] == [
        ("data.rename_plan",),
        ("insilico.code_index",),
        (),
    ]


def test_what_is_there_needs_no_producer() -> None:
    """A hand-off of an earlier stage is used again."""
    flows = flows_of(StubAgent("plan", gives=[Plan()]), StubAgent("uses", needs=[Plan]))

    assert names(stages_of(["uses"], flows, available=["data.rename_plan"])) == [["uses"]]


def test_what_is_only_wanted_adds_nobody_but_orders() -> None:
    """A wish is no order for work that nobody asked for."""
    flows = flows_of(StubAgent("uses", wants=[Plan]), StubAgent("plan", gives=[Plan()]))

    assert names(stages_of(["uses"], flows)) == [["uses"]]
    assert names(stages_of(["uses", "plan"], flows)) == [["plan"], ["uses"]]


def test_kinds_that_the_parent_wants_are_produced() -> None:
    """Even if the words of this team's part did not ask for them."""
    flows = flows_of(StubAgent("plan", gives=[Plan()]), StubAgent("other"))

    stages = stages_of(["other"], flows, wanted=["data.rename_plan"])

    assert names(stages) == [["other", "plan"]]
    assert stages[0][1] == Assignment(
        member="plan", role="producer", wanted_kinds=("data.rename_plan",)
    )
    assert names(stages_of(["other"], flows, wanted=["nobody.gives_it"])) == [["other"]]


def test_a_member_that_was_asked_for_is_the_producer() -> None:
    """Of two that could give a kind, the goal gives it; no third call is made."""
    flows = flows_of(
        StubAgent("first", gives=[Plan()]),
        StubAgent("second", gives=[Plan()]),
        StubAgent("uses", needs=[Plan]),
    )

    assert names(stages_of(["uses", "second"], flows)) == [["second"], ["uses"]]
    assert names(stages_of(["uses"], flows)) == [["first"], ["uses"]]


def test_a_check_closes_the_visit() -> None:
    """Whoever made the table, the auditor sees it before it leaves."""
    flows = flows_of(
        StubAgent("auditor", wants=[Table]),
        StubAgent("maker", gives=[Table()]),
        StubAgent("other"),
    )
    audits = {"data.table": "auditor"}

    stages = stages_of(["maker"], flows, audits=audits)

    assert names(stages) == [["maker"], ["auditor"]]
    assert stages[1][0].role == "audit"
    assert names(stages_of(["other"], flows, audits=audits)) == [["other"]]
    both = stages_of(["auditor", "maker"], flows, audits=audits)
    assert names(both) == [["maker"], ["auditor"]]
    assert both[1][0].role == "goal"


def test_a_check_that_declares_no_input_of_the_kind_still_comes_last() -> None:
    """The team's `audits` alone order it."""
    flows = flows_of(StubAgent("auditor"), StubAgent("maker", gives=[Table()]))

    assert names(stages_of(["maker"], flows, audits={"data.table": "auditor"})) == [
        ["maker"],
        ["auditor"],
    ]


def test_what_a_check_needs_is_produced() -> None:
    """A check's own producers are added like anybody's."""
    flows = flows_of(
        StubAgent("auditor", needs=[CodeIndex]),
        StubAgent("maker", gives=[Table()]),
        StubAgent("indexer", gives=[CodeIndex()]),
    )

    stages = stages_of(["maker"], flows, audits={"data.table": "auditor"})

    assert names(stages) == [["maker", "indexer"], ["auditor"]]


def test_a_circle_ends_although_it_is_a_build_error() -> None:
    """A tree that nobody checked must not hang the supervisor."""
    flows = flows_of(
        StubAgent("a", needs=[Plan], gives=[Table()]),
        StubAgent("b", needs=[Table], gives=[Plan()]),
    )

    assert sorted(name for stage in names(stages_of(["a", "b"], flows)) for name in stage) == [
        "a",
        "b",
    ]


def test_a_goal_without_words_means_the_whole_request() -> None:
    """A model may name a member and say nothing of its part."""
    flows = flows_of(StubAgent("a"))

    stages = derive_stages(
        [Goal(member="a", request="")],
        flows=flows,
        audits={},
        task=Task(request="everything"),
        available=(),
    )

    assert stages[0][0].request == "everything"


def test_a_maker_gets_the_words_of_those_that_need_what_it_makes() -> None:
    """A name that stands in a sorter's clause is looked up; a mere form and a team are not."""
    flows = flows_of(
        StubAgent("finder", gives=[Table()]),
        StubAgent("sorter", needs=[Table], gives=[CodeIndex()]),
        StubAgent("checker", needs=[CodeIndex]),
    )
    goals = [
        Goal(member="finder", request="diagnosis code,"),
        Goal(member="sorter", request="sort it as a table"),
        Goal(member="checker", request="check the patient name"),
    ]

    decision, members = Decision(goals=tuple(goals)), Roster(flows=flows, audits={}, substitutes={})
    here = Situation(path="t", members=members, task=Task(request="all of it"), handoffs={})

    words = [(g.member, g.request) for g in with_words_of_takers(decision, here).goals]

    assert sorted(set(words) - {(goal.member, goal.request) for goal in goals}) == [
        ("finder", "check the patient name"),
        ("sorter", "check the patient name"),
    ]
    here = replace(here, members=replace(members, teams=frozenset(flows)))
    assert with_words_of_takers(decision, here) == decision
