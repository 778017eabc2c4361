"""An answer is read by the type that its question declares, at every door."""

from datetime import date
from pathlib import Path
from typing import Any, Literal

import pytest
from changing import KIM, Desk
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import TypeAdapter

from minerva_platform import Team, ask_person
from minerva_platform.contract.run_object import Interrupt
from minerva_platform.errors import InvalidDecisionError
from minerva_platform.langgraph import as_graph
from minerva_platform.people.decision_json import read_decision
from minerva_platform.people.typed_answer import typed_answer
from minerva_platform.testing import EachOnceRouter, StubAgent

Size = Literal["small", "medium", "large"]
FORMS: list[tuple[Any, Any, Any]] = [
    (Size, "MEDIUM.", "medium"),
    (Size, "2", "medium"),
    (Size, 2, "medium"),
    (Size, "option 3", "large"),
    (Size, "the second one", "medium"),
    (Size, "the last", "large"),
    (Size, "두 번째 거로 해 주세요", "medium"),
    (Size, "'large'로요", "large"),
    (Size | None, "1번", "small"),
    (Literal["CHAR", "VARCHAR"], "varchar로", "VARCHAR"),
    (Literal[10, 20], "20", 20),
    (Literal[10, 20], "the second one", 20),
    (Literal["2", "1"], "1", "1"),
    (int, "1,500", 1500),
    (int, "30개요", 30),
    (float, "-0.5", -0.5),
    (bool, "네", True),
    (bool, "No, thanks.", False),
    (date, "2026년 3월 9일이요", "2026-03-09"),
    (date, "July 14th, 2026", "2026-07-14"),
    (Size, "not the first, the second", "medium"),
    (Size, "small... no wait, make it large", "large"),
    (Size, "1번 말고 2번이 좋겠습니다", "medium"),
    (Literal["full copy", "part copy"], "part면 됩니다", "part copy"),
    (int, "200 will do", 200),
    (int, "두 번만요", 2),
    (int, "3만 건", 30_000),
    (int, "twenty-five", 25),
    (int, "one thousand two hundred and one rows", 1_201),
    (int, "5 thousand", 5_000),
    (int, "1만 5천 원", 15_000),
    (int, "3천만 원이요", 30_000_000),
    (bool, "nope, leave those out", False),
    (bool, "yes... wait, no", False),
    (date, "by 2026-12-18 at the latest", "2026-12-18"),
    (str, "2", "2"),
    (Size | str, "2", "2"),
]
NONE: list[tuple[Any, Any]] = [
    (Size, "4"),
    (Size, "0"),
    (Size, "not small"),
    (Size, "small or large"),
    (Size, "2?"),
    (Size, True),
    (Literal[10, 20], "1"),
    (int, "3.7"),
    (int, "1,50"),
    (bool, "perhaps"),
    (date, "2026-02-30"),
    (date, "3/4/2026"),
    (Size, "small, if it fits"),
    (Size, "작은 거, 아니 모르겠어요 2번?"),
    (Size, "anything but large"),
    (int, "ninety... no wait, maybe 60"),
    (int, "5~10"),
    (int, "ten five"),
    (int, "20 5"),
    (int, "the dirty one"),
    (bool, "no problem"),
    (bool, "yes, but only the new ones"),
    (bool, "네 포함하지 마세요"),
    (date, "2026-12-09, actually no, the 10th"),
]


def schema_of(kind: Any) -> Any:
    """Return the schema of a declared answer."""
    return TypeAdapter(kind).json_schema()


@pytest.mark.parametrize(("kind", "given", "value"), FORMS)
def test_a_declared_type_takes_what_people_write(kind: Any, given: Any, value: Any) -> None:
    """A choice by value, number or place; numbers, dates, yes and no; a text stays a text."""
    read = typed_answer(given, schema_of(kind))

    assert (type(read), read) == (type(value), value)


@pytest.mark.parametrize(("kind", "given"), NONE)
def test_what_says_no_value_is_refused(kind: Any, given: Any) -> None:
    """It stays as it is, so nothing is guessed; the refusal lists the choices."""
    question = Interrupt(id="q", value={"allowed": []}, answer_schema=schema_of(kind))

    assert typed_answer(given, schema_of(kind)) is given
    with pytest.raises(InvalidDecisionError) as refused:
        read_decision("r", question, {"type": "respond", "value": given})
    assert ("['small', 'medium', 'large']" in str(refused.value)) == (kind is Size)


@pytest.mark.parametrize(
    ("given", "day"),
    [
        ("내일까지요", "2026-12-01"),
        ("on Friday", "2026-12-04"),
        ("다음 주 금요일", "2026-12-11"),
        ("next Monday", "2026-12-07"),
        ("next Friday", "next Friday"),
        ("two weeks from today", "2026-12-14"),
        ("10일 뒤로요", "2026-12-10"),
        ("회의 10일 뒤", "회의 10일 뒤"),
        ("12월 15일로 잡아주세요", "2026-12-15"),
        ("November 2nd", "2026-11-02"),
    ],
)
def test_a_day_is_counted_from_that_of_the_answer(given: str, day: str) -> None:
    """Without a year it is the nearest one; what may mean two days, is read as none."""
    assert typed_answer(given, schema_of(date), today=date(2026, 11, 30)) == day


SIZE: Any = Size


def shop() -> Team:
    """Return a team whose worker asks for a size."""

    def work(given: Any) -> dict[str, str]:
        if given.request != "order":
            return {"summary": "nothing else"}
        return {"summary": f"ordered {ask_person('Which size?', answer=SIZE)}"}

    worker = StubAgent("clerk", behave=work)
    return Team(name="shop", description="…", members=[worker], router=EachOnceRouter())


@pytest.mark.parametrize(
    "given",
    [
        "2",
        {"type": "respond", "value": "the second one"},
        {"type": "respond", "message": "medium"},
        {"decisions": [{"type": "respond", "message": "2번"}]},
    ],
)
@pytest.mark.usefixtures("minerva_home")
def test_so_it_is_in_python(given: Any) -> None:
    """As a bare text, as a decision, and in LangChain's form."""
    run = shop().ask("order", thread="t")
    (question,) = run.interrupts

    assert shop().resume(run.run_id, {question.id: given}).answer == "ordered medium"


@pytest.mark.usefixtures("minerva_home")
def test_so_it_is_in_a_conversation() -> None:
    """What is no choice asks back, and lists them."""
    waiting = shop().ask("order", thread="t")
    back = shop().ask("the fourth one", thread="t")
    run = shop().ask("두 번째요", thread="t")

    assert "  2. `medium`" in back.answer
    assert (run.run_id, run.answer) == (waiting.run_id, "ordered medium")


@pytest.mark.parametrize("given", ["large", "3", {"decisions": [{"type": "respond", "value": 3}]}])
def test_so_it_is_in_a_host_s_graph(given: Any) -> None:
    """The program around the team resumes with the bare answer, or in LangChain's form."""
    graph: Any = as_graph(shop(), checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    graph.invoke({"request": "order"}, config)

    assert graph.invoke(Command(resume=given), config)["answer"] == "ordered large"


@pytest.mark.parametrize("key", ["args", "arguments"])
def test_a_host_reads_and_edits_the_requested_action(tmp_path: Path, key: str) -> None:
    """As LangChain's guide does: `value["action_requests"]`, a copy, its arguments changed."""
    desk = Desk(tmp_path)
    desk.asks(KIM)
    worker = StubAgent("payer", behave=desk.work)
    team = Team(name="office", description="…", members=[worker], router=EachOnceRouter())
    graph: Any = as_graph(team, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    (asked,) = graph.invoke({"request": "pay"}, config)["__interrupt__"]
    action = asked.value["action_requests"][0].copy()
    action[key]["amount"] = 7
    decision = {"decisions": [{"type": "edit", "edited_action": action}]}
    graph.invoke(Command(resume={asked.id: decision}), config)

    assert action["description"] == KIM["text"]
    assert desk.done == [["pay", {"to": "Kim", "amount": 7}]]
