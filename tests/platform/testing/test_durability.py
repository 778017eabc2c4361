"""What the assertions for authors refuse; chaos/test_payments_page.py shows that they hold."""

from pathlib import Path

import pytest

from minerva_platform import Team, effect
from minerva_platform.errors import ContractError
from minerva_platform.testing import (
    EachOnceRouter,
    Scenario,
    StubAgent,
    approve_race,
    kill_at_every_hop,
    kill_point,
)

PART = "ask a for its part number 3"
"""What the router knows a stub's examples by."""


def plain_team() -> Team:
    """Return a team that does nothing twice."""
    return Team(name="plain", description="…", members=[StubAgent("a")], router=EachOnceRouter())


def forgetful_team() -> Team:
    """Return a team whose worker answers otherwise when it is called again."""

    def answer(_: object) -> dict[str, str]:
        trace = Path("called")
        trace.write_text(trace.read_text() + "again " if trace.exists() else "once ")
        kill_point("after it was called")
        return {"summary": trace.read_text()}

    members = [StubAgent("a", behave=answer)]
    return Team(name="forgetful", description="…", members=members, router=EachOnceRouter())


@pytest.mark.whole
def test_a_run_that_ends_otherwise_after_a_kill_is_told(tmp_path: Path) -> None:
    """With the point, and what came out of it."""
    with pytest.raises(AssertionError, match="ended otherwise than") as raised:
        kill_at_every_hop(Scenario(team=forgetful_team, request=PART), tmp_path)

    told = str(raised.value)
    assert "at after it was called: {'status': 'ok', 'answer': 'once again '" in told
    assert "at the start of platform:" not in told


@effect("keyed")
def pay(invoice: int) -> int:
    """Pay."""
    return invoice


@effect("keyed")
def settle(invoice: int) -> int:
    """Pay inside another effect, which begins first and ends last."""
    return pay(invoice)


def settling_team() -> Team:
    """Return a team whose worker is killed after two effects, one inside the other."""

    def work(_: object) -> dict[str, str]:
        invoice = settle(3)
        kill_point("after it was settled")
        return {"summary": f"settled {invoice}"}

    members = [StubAgent("a", behave=work)]
    return Team(name="settling", description="…", members=members, router=EachOnceRouter())


@pytest.mark.whole
def test_effects_are_the_same_in_whatever_order_they_are_told(tmp_path: Path) -> None:
    """A process that goes on with a run reads them as they ended; side by side they race."""
    survived = kill_at_every_hop(Scenario(team=settling_team, request=PART), tmp_path)

    assert "after it was settled" in [each.at for each in survived]
    for each in survived:
        assert {(did.name, did.outcome) for did in each.run.effects} == {
            ("pay", "done"),
            ("settle", "done"),
        }


def test_a_race_needs_a_question(tmp_path: Path) -> None:
    """Whose name is said if the run asks nothing, or somebody else asks."""
    with pytest.raises(AssertionError, match="open; nobody asks"):
        approve_race(Scenario(team=plain_team, request=PART), ["approve"], tmp_path)


@pytest.mark.parametrize("team", [lambda: plain_team(), plain_team().finish])  # noqa: PLW0108
def test_a_team_that_other_processes_cannot_find_is_refused(team: object) -> None:
    """Before anything is started."""
    with pytest.raises(ContractError, match="a function or a class at the top of a module"):
        Scenario(team=team, request="go")  # type: ignore[arg-type]  # what a newcomer tries
