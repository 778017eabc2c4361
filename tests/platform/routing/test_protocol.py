"""The answers a supervisor accepts from a router."""

import pytest
from hypothesis import given, strategies as st
from pydantic import ValidationError

from minerva_platform.errors import MinervaError
from minerva_platform.routing import Decision, Goal, UnknownMemberError, check_decision

MEMBERS = ("data", "insilico", "governance")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("billing", id="of another team"),
        pytest.param("Data", id="another case"),
        pytest.param(" data", id="a space"),
        pytest.param("dаta", id="a Cyrillic letter"),
        pytest.param("data\u200b", id="an invisible character"),
        pytest.param("FINISH", id="the word FINISH"),
        pytest.param('{"member": "data"}', id="routing JSON"),
        pytest.param("", id="nothing"),
        pytest.param("d" * 10_000_000, id="10 MB"),
    ],
)
def test_a_router_cannot_leave_its_team(name: str) -> None:
    """Only an exact name is a member; the error says whom there is, in few words."""
    decision = Decision(goals=(Goal(member=name, request="…"),))

    with pytest.raises(UnknownMemberError, match="choose among: data, insilico, governance") as bad:
        check_decision(decision, MEMBERS)

    assert isinstance(bad.value, MinervaError)
    assert bad.value.member == name
    assert len(str(bad.value)) < 1_000


def test_a_look_alike_is_spelt_out_in_the_error() -> None:
    """A person who reads the error sees why a name that looks right is not."""
    with pytest.raises(UnknownMemberError, match=r"'d\\u0430ta'"):
        check_decision(Decision(goals=(Goal(member="dаta", request=""),)), MEMBERS)


def test_a_member_named_twice_is_asked_once_with_both_wishes() -> None:
    """Nothing of what was asked gets lost when goals of one member are merged."""
    decision = Decision(
        goals=(
            Goal(member="data", request="find the name"),
            Goal(member="insilico", request="index"),
            Goal(member="data", request="sort it"),
            Goal(member="data", request="sort it"),
        )
    )

    assert check_decision(decision, MEMBERS).goals == (
        Goal(member="data", request="find the name sort it"),
        Goal(member="insilico", request="index"),
    )


def test_a_good_decision_passes_unchanged() -> None:
    """The check costs nothing where there is nothing to mend."""
    decision = Decision(goals=(Goal(member="data", request="x"),), finish=True, router="mine")

    assert check_decision(decision, MEMBERS) is decision


def test_a_decision_cannot_be_changed_after_it_was_checked() -> None:
    """What was checked is what is carried out."""
    decision = Decision(finish=True)

    with pytest.raises(ValidationError):
        decision.finish = False  # type: ignore[misc]


@pytest.mark.slow
@given(st.lists(st.sampled_from(MEMBERS)), st.data())
def test_every_member_is_named_once_in_order_of_first_mention(
    names: list[str], data: st.DataObject
) -> None:
    """However often a router repeats itself, the plan holds each member once."""
    goals = tuple(Goal(member=name, request=data.draw(st.text(max_size=5))) for name in names)

    checked = check_decision(Decision(goals=goals), MEMBERS)

    assert [goal.member for goal in checked.goals] == list(dict.fromkeys(names))
