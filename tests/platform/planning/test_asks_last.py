"""A team's question about what it gave comes last: it keeps no other member waiting."""

from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from minerva_platform import (
    AgentInput,
    AgentOutput,
    BaseAgent,
    Handoff,
    Platform,
    RejectedError,
    Run,
    Task,
    Team,
    ask_approval,
)
from minerva_platform.conversation.preview import foresee
from minerva_platform.testing import FINISH, EachOnceRouter, ScriptedRouter, StubAgent
from minerva_platform.validation.team_declarations import find_problems


class Plan(Handoff):
    """What a person decides about."""

    kind: ClassVar[str] = "design.plan"

    name: str = "PT_NO"


class Report(Handoff):
    """What another team makes of the plan."""

    kind: ClassVar[str] = "audit.report"


class ClerkInput(AgentInput):
    """The plan to ask about."""

    plan: Plan


class Clerk(BaseAgent[ClerkInput, AgentOutput]):
    """Asks whether the plan may be carried out."""

    name = "clerk"
    description = "Asks a person."

    def work(self, given: ClerkInput) -> AgentOutput:
        """Ask, and say what was decided."""
        try:
            done = ask_approval(
                "Carry the plan out?",
                tool="carry_out",
                arguments={"name": given.plan.name},
                check=lambda edited: "" if edited["name"].isupper() else "Write it in capitals.",
            )
        except RejectedError as error:
            return AgentOutput(summary=f"rejected: {error.message}")
        return AgentOutput(summary=f"carried out: {done['name']}")


def design() -> Team:
    """Return a team that asks about its plan."""
    return Team(
        name="design",
        description="Plans.",
        members=(StubAgent("planner", gives=[Plan()]), Clerk()),
        exports=(Plan,),
        approvals={Plan.kind: "clerk"},
        router=EachOnceRouter(),
    )


def audit() -> Team:
    """Return a team that needs the plan."""
    reader = StubAgent("reader", needs=[Plan], gives=[Report()])
    return Team(name="audit", description="Audits.", members=(reader,), exports=(Report,),
                router=EachOnceRouter())  # fmt: skip


@pytest.fixture
def platform(tmp_path: Path) -> Platform:
    """Both teams, with a state of their own."""
    platform = Platform(teams=[design(), audit()], home=tmp_path)
    platform.team = replace(platform.team, make_router=lambda _: EachOnceRouter())
    return platform


def ask(platform: Platform) -> Run:
    """Return a run that waits."""
    run = platform.ask("plan and audit")
    assert run.status == "needs_human"
    return run


def decide(platform: Platform, run: Run, decision: Any) -> Run:
    """Return the run after a decision about its one question."""
    return platform.resume(run.run_id, {run.interrupts[0].id: decision})


def edit(name: str) -> dict[str, Any]:
    """Return an edit of the plan's name."""
    return {"type": "edit", "edited_action": {"name": "carry_out", "args": {"name": name}}}


@pytest.mark.slow
def test_all_others_have_ended_when_the_person_is_asked(platform: Platform) -> None:
    """The second visit of the team is the question alone."""
    run = ask(platform)

    assert [hop.path for hop in run.hops] == ["platform/design/planner", "platform/audit/reader"]
    assert run.interrupts[0].path == "platform/design#2/clerk"


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        ({"type": "approve"}, "carried out: PT_NO"),
        (edit("PAT_NO"), "carried out: PAT_NO"),
        ({"type": "reject", "message": "later"}, "rejected: later"),
    ],
)
def test_each_decision_reaches_the_worker(
    platform: Platform, decision: dict[str, Any], said: str
) -> None:
    """Approved as it is, with other arguments, or not at all."""
    run = decide(platform, ask(platform), decision)

    assert run.status == "ok"
    assert said in run.answer


def test_an_edit_that_the_worker_refuses_is_asked_again(platform: Platform) -> None:
    """The question gives the reason, and waits."""
    again = decide(platform, ask(platform), edit("small"))

    assert again.status == "needs_human"
    assert again.interrupts[0].refused == "Write it in capitals."


def test_nobody_is_asked_without_state(tmp_path: Path) -> None:
    """A run that nobody could resume leaves the question out."""
    planning = design()
    planning.router = ScriptedRouter(["planner", FINISH])
    team = Team(name="root", description="All.", members=(planning, audit()),
                router=EachOnceRouter())  # fmt: skip

    run = team.ask("plan and audit")

    assert run.status == "ok"
    assert [hop.agent_name for hop in run.hops] == ["planner", "reader"]
    assert not list(tmp_path.iterdir())


async def test_the_preview_shows_the_question_last(platform: Platform) -> None:
    """`minerva explain` says who will ask."""
    plan = await foresee(platform.team, Task(request="plan and audit"))

    assert [call.role for stage in plan.stages for call in stage][-1] == "approval"


def test_an_approval_by_a_stranger_is_a_problem_of_the_declaration() -> None:
    """`minerva check` names the member that is none."""
    team = design()
    team.approvals = {Plan.kind: "nobody"}

    assert any(
        "names `nobody`, which is no member" in problem for problem in find_problems(team.assembled)
    )
