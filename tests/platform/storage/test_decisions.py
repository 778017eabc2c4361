"""A person's decision counts once, on SQLite and on a real Postgres alike."""

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import pytest
from langgraph.types import Interrupt as LangGraphInterrupt
from ledger import Store, rows
from sqlalchemy import insert, update

from minerva_platform import Interrupt, Task
from minerva_platform.contract.run_object import DecisionBatch
from minerva_platform.errors import (
    AlreadyDecidedError,
    DecisionError,
    ExpiredInterruptError,
    InvalidDecisionError,
    RunError,
    StaleDecisionError,
    UnknownInterruptError,
    UnknownRunError,
)
from minerva_platform.people.langgraph_questions import Questions, to_interrupts
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.ledger.decisions import EXPIRY, decide
from minerva_platform.storage.ledger.questions import (
    decisions_of,
    given_answers,
    keep_questions,
    open_questions,
)
from minerva_platform.storage.ledger.schema import LOCAL, decisions, runs, threads

T = TypeVar("T")

PAY = {"type": "tool_approval", "name": "pay", "args": {"to": "Kim", "amount": 10}}
SCHEMA = {
    "oneOf": [
        {"properties": {"type": {"const": "approve"}}},
        {"properties": {"type": {"const": "reject"}}},
        {
            "properties": {
                "type": {"const": "edit"},
                "edited_action": {"properties": {"args": {"$ref": "#/$defs/pay"}}},
            }
        },
    ],
    "$defs": {
        "pay": {
            "type": "object",
            "properties": {"to": {"type": "string"}, "amount": {"type": "number", "minimum": 0}},
            "required": ["to", "amount"],
        }
    },
}


def asked(
    *ids: str, value: Mapping[str, Any] = PAY, schema: Mapping[str, Any] = SCHEMA, at: float = 1.0
) -> tuple[Interrupt, ...]:
    """Return questions as a run pauses with them."""
    surfaced = [LangGraphInterrupt(value, each, response_schema=dict(schema)) for each in ids]
    paths = {each: f"platform/finance/{each}" for each in ids}
    return to_interrupts(surfaced, Questions(paths=paths), root="platform", now=at)


def waiting(engine: Engine, *questions: Interrupt, run_id: str = "r") -> None:
    """Keep a run that waits for `questions`."""

    def kept(connection: Any) -> None:
        thread = {"thread_id": f"t-{run_id}", "tenant": LOCAL, "root": "platform"}
        connection.execute(insert(threads).values(**thread))
        task = Task(request="pay Kim").model_dump_json()
        row = {"run_id": run_id, "task": task, "status": "needs_human", "fence": 1, "created": 1.0}
        connection.execute(insert(runs).values(**thread, **row))
        keep_questions(connection, run_id, questions)

    engine.write(kept)


def seen(engine: Engine, look: Callable[..., T], *about: str) -> T:
    """Return what `look` reads."""
    return engine.write(lambda connection: look(connection, *about))


def decided_by(engine: Engine) -> list[tuple[Any, ...]]:
    """Return what was decided: id, JSON, by whom."""
    found = rows(engine, decisions.c.interrupt_id, decisions.c.value, decisions.c.by)
    return [(each, json.loads(value), by) for each, value, by in found]


@pytest.mark.small(databases=1)
def test_a_question_is_open_until_the_first_decision(store: Store) -> None:
    """The second one gets the first, and changes nothing."""
    with store.opened() as engine:
        (question,) = asked("a")
        waiting(engine, question)
        (found,) = seen(engine, open_questions)
        assert (found.run_id, found.request, found.interrupt) == ("r", "pay Kim", question)

        (kept,) = decide(engine, "r", {"a": "approve"}, by="ann")
        with pytest.raises(AlreadyDecidedError, match="`approve` by ann came first") as raised:
            decide(engine, "r", {"a": {"type": "reject"}}, by="bob")

        assert raised.value.winner["type"] == "approve"
        assert raised.value.winner["at"] == kept.at
        assert decided_by(engine) == [("a", {"type": "approve"}, "ann")]
        assert seen(engine, open_questions) == ()


@pytest.mark.small(databases=1)
def test_a_batch_is_kept_whole_or_not_at_all(store: Store) -> None:
    """One decision that came too late keeps all of its batch out."""
    with store.opened() as engine:
        waiting(engine, *asked("a", "b", "c"))
        decide(engine, "r", {"b": "reject"}, by="ann")

        with pytest.raises(AlreadyDecidedError):
            decide(engine, "r", {"a": "approve", "b": "approve", "c": "approve"}, by="bob")

        assert [row[0] for row in decided_by(engine)] == ["b"]


@pytest.mark.small(databases=1)
def test_a_repeated_batch_gets_what_was_kept(store: Store) -> None:
    """A client that heard no answer may ask again; another batch may not take its id."""
    with store.opened() as engine:
        waiting(engine, *asked("a", "b", "c"))
        first = decide(engine, "r", {"a": "approve", "b": "reject"}, by="ann", batch_id="one")

        again = decide(engine, "r", {"a": "approve", "b": "reject"}, by="ann", batch_id="one")
        assert again == first
        with pytest.raises(AlreadyDecidedError):
            decide(engine, "r", {"a": "approve", "c": "approve"}, by="ann", batch_id="one")


WRONG: list[tuple[Any, type[DecisionError], str]] = [
    ({"z": "approve"}, UnknownInterruptError, "no such question. It waits for: a, b"),
    (
        {"a": {"type": "respond", "message": "x"}},
        InvalidDecisionError,
        "Allowed: `approve`, `edit`",
    ),
    ({"a": {"type": "perhaps"}}, InvalidDecisionError, "`perhaps` may not be decided"),
    ({"a": {"type": "approve", "amount": 3}}, InvalidDecisionError, "has no field `amount`"),
    ({"a": 7}, InvalidDecisionError, "is a JSON object"),
    ({"a": {"type": "edit"}}, InvalidDecisionError, 'needs {"edited_action"'),
    (
        {"a": {"type": "edit", "edited_action": {"name": "burn", "args": {}}}},
        InvalidDecisionError,
        "may not call `burn` instead of `pay`",
    ),
    (
        {"a": {"type": "edit", "edited_action": {"name": "pay", "args": {"to": "Kim"}}}},
        InvalidDecisionError,
        "'amount' is a required property",
    ),
    (
        {
            "a": {
                "type": "edit",
                "edited_action": {"name": "pay", "args": {"to": "K", "amount": 1, "amout": 2}},
            }
        },
        InvalidDecisionError,
        "'amout' was unexpected",
    ),
    (
        {
            "a": {
                "type": "edit",
                "edited_action": {"name": "pay", "args": {"to": "K", "amount": -1}},
            }
        },
        InvalidDecisionError,
        "at `amount` cannot be taken",
    ),
]


@pytest.mark.small(10)
@pytest.mark.parametrize(("wrong", "error", "words"), WRONG)
def test_a_wrong_decision_names_what_is_wrong_and_keeps_nothing(
    store: Store, wrong: dict[str, Any], error: type[DecisionError], words: str
) -> None:
    """Also of a batch whose other decision is right: all is validated before anything is kept."""
    with store.opened() as engine:
        waiting(engine, *asked("a", "b"))

        with pytest.raises(error) as raised:
            decide(engine, "r", {"b": "approve", **wrong}, by="ann")

        assert words in str(raised.value)
        assert raised.value.run_id == "r"
        assert decided_by(engine) == []


@pytest.mark.small(databases=1)
def test_a_decision_about_what_was_not_shown_is_stale(store: Store) -> None:
    """The question changed after the person had looked; the digest tells."""
    with store.opened() as engine:
        (question,) = asked("a")
        waiting(engine, question)
        changed = asked("a", value={**PAY, "args": {"to": "Kim", "amount": 10_000}})
        engine.write(lambda connection: keep_questions(connection, "r", changed))

        seen = {"a": question.shown_sha256}
        with pytest.raises(StaleDecisionError, match="minerva waiting show r a"):
            decide(engine, "r", {"a": "approve"}, by="ann", shown=seen)
        assert decided_by(engine) == []

        decide(engine, "r", {"a": "approve"}, by="ann", shown={"a": changed[0].shown_sha256})
        assert len(decided_by(engine)) == 1


@pytest.mark.small(databases=1)
def test_a_question_whose_time_is_over_is_rejected(store: Store) -> None:
    """By whoever touches the run first; the late decision has an error of its own."""
    question = asked("a")[0].model_copy(update={"expires_at": 100.0})
    with store.opened() as engine:
        waiting(engine, question, *asked("b"))
        for _ in range(2):
            with pytest.raises(ExpiredInterruptError, match="the time to decide was over"):
                decide(engine, "r", {"a": "approve", "b": "approve"}, by="ann", now=lambda: 100.0)

        ((each, decision, by),) = decided_by(engine)
        assert (each, decision["type"], by) == ("a", "reject", EXPIRY)
        assert [item.interrupt.id for item in seen(engine, open_questions)] == ["b"]


def test_a_run_that_has_ended_takes_no_decision(store: Store) -> None:
    """What it still asked is no open question any more."""
    with store.opened() as engine:
        waiting(engine, *asked("a"))
        engine.write(lambda connection: connection.execute(update(runs).values(status="cancelled")))

        with pytest.raises(ExpiredInterruptError, match="its run has ended"):
            decide(engine, "r", {"a": "approve"}, by="ann")
        assert seen(engine, open_questions) == ()


@pytest.mark.small(databases=1)
def test_an_answer_may_be_of_the_type_that_was_asked_for(store: Store) -> None:
    """A pydantic model is kept as its JSON, also inside another value."""
    question = Interrupt(id="a", value=None, allowed=("respond",))
    with store.opened() as engine:
        waiting(engine, question)
        answer = {"forms": [Task(request="boxes")]}
        decide(engine, "r", {"a": {"type": "respond", "value": answer}}, by="ann")

        ((_, kept, _),) = decided_by(engine)
        assert kept["value"]["forms"][0]["request"] == "boxes"


def test_decisions_name_their_questions() -> None:
    """A decision alone says not what it is about; each letter of it is no id."""
    with pytest.raises(RunError, match=r"`decisions` is a mapping .*, not str"):
        DecisionBatch("approve")  # type: ignore[arg-type]  # the point of the test


def test_an_unknown_run_is_named(store: Store) -> None:
    """Also in a database that holds nothing yet."""
    with store.opened() as engine, pytest.raises(UnknownRunError, match="no run `r`"):
        decide(engine, "r", {"a": "approve"}, by="ann")


def answers(engine: Any) -> dict[str, Any]:
    """Return what the code that waits gets."""
    return {each: answer.value for each, answer in seen(engine, given_answers, "r").items()}


@pytest.mark.small(databases=1)
def test_a_refused_answer_is_spent_and_asked_anew(store: Store) -> None:
    """Under a new id with the reason; LangGraph, which kept no answer, gets only the new one."""
    with store.opened() as engine:
        questions = asked("a")
        waiting(engine, *questions)
        edit = {"name": "pay", "args": {"to": "Kim", "amount": 5}}
        decide(engine, "r", {"a": {"type": "edit", "edited_action": edit}}, by="ann")
        values = answers(engine)
        assert values == {"a": {"type": "edit", "edited_action": edit}}

        def kept(connection: Any) -> None:
            keep_questions(
                connection, "r", questions, refused={"a": "`amount`: it is no round sum"}
            )

        engine.write(kept)
        engine.write(kept)  # a crash repeats it; nothing more is asked
        (again,) = seen(engine, open_questions)
        assert (again.interrupt.id, again.interrupt.refused) == (
            "a.2",
            "`amount`: it is no round sum",
        )
        assert answers(engine) == {}

        decide(engine, "r", {"a.2": "approve"}, by="ann")
        values = answers(engine)
        assert values == {"a": {"type": "approve"}}
        assert set(seen(engine, decisions_of, "r")) == {
            "a",
            "a.2",
        }


ODD: list[tuple[Any, str]] = [
    ({"type": "minerva.question", "text": "x", "expires_in": "soon"}, "x"),
    ({"type": "minerva.question", "text": "x", "allowed": ["burn"]}, "x"),
    ({"action_requests": [3], "review_configs": []}, ""),
    ({"type": "tool_approval", "name": "pay", "args": 3}, ""),
    ("Delete it?", "Delete it?"),
    ({"question": "Delete it?", "table": "t"}, "Delete it?"),
    ([1, 2], "[1, 2]"),
    (None, "null"),
]


@pytest.mark.parametrize(("value", "text"), ODD)
def test_whatever_a_worker_asks_is_a_question(value: Any, text: str) -> None:
    """What only looks like another form is a plain question; nothing of it is lost."""
    (question,) = to_interrupts(
        [LangGraphInterrupt(value, "a")], Questions(), root="platform", now=1.0
    )

    assert (question.kind, question.text, question.path) == ("question", text, "platform")
    assert (question.value, question.allowed) == (value, ("respond",))
    assert len(question.shown_sha256) == 64


BROKEN = ({"type": "no such"}, {"$ref": "https://example.org/x.json"}, {"pattern": "("})


@pytest.mark.small(databases=1)
@pytest.mark.parametrize("schema", BROKEN)
def test_a_schema_that_cannot_be_used_is_named(store: Store, schema: dict[str, Any]) -> None:
    """Nothing is fetched for it, and no answer passes unchecked."""
    with store.opened() as engine:
        waiting(engine, *asked("a", value={"question": "Where to?"}, schema=schema))

        with pytest.raises(InvalidDecisionError, match="the schema that the worker gave"):
            decide(engine, "r", {"a": {"type": "respond", "value": "x"}}, by="ann")


def test_hostile_words_are_kept_as_they_are(store: Store) -> None:
    """NUL, half a surrogate pair, a screen's commands: the row holds them on both databases."""
    hostile = {**PAY, "args": {"to": "K\x00im\x1b[2J\u202e\n", "amount": 1}}
    with store.opened() as engine:
        waiting(engine, *asked("a", value=hostile))
        (found,) = seen(engine, open_questions)
        assert found.interrupt.arguments == hostile["args"]
        message = {"type": "reject", "message": "n\x00o\u202e"}
        decide(engine, "r", {"a": message}, by="an\x1bn")
        assert decided_by(engine) == [("a", message, "an\x1bn")]
