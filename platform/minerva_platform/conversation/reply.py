"""What a message in a thread means while a question to a person is open there.

Only a whole message of a closed list is a decision, and never an edit. Anything unclear asks back,
because a wrong guess would do what nobody wanted. A clear new request is a run of its own, and the
question stays open.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from minerva_platform.contract.result import TeamOutput
from minerva_platform.contract.run_object import Interrupt
from minerva_platform.contract.task import Task
from minerva_platform.conversation.pointing_words import find_reference
from minerva_platform.conversation.routing_probe import plainly_served_by
from minerva_platform.people.typed_answer import (
    answer_in,
    begins_as_answer,
    choices_of,
    typed_answer,
    words_of_reply,
)
from minerva_platform.routing.clauses.wishes import asks_for_work
from minerva_platform.text.language import Language
from minerva_platform.text.markdown import code_span
from minerva_platform.text.texts import read_texts

if TYPE_CHECKING:
    from minerva_platform.contract.assembled_team import AssembledTeam
    from minerva_platform.storage.ledger.questions import OpenQuestion

TEXTS = read_texts("minerva_platform.conversation", "reply")

MIN_REQUEST_WORDS: Final = 2
"""Words of a new request. A single one may be a value."""
MAX_CHANGE_WORDS: Final = 5
"""Words of a message that may only ask to change an argument."""

MAX_TOLD_CHARACTERS: Final = 120
"""Characters of a question that are told beside its commands."""
MAX_CHOICES: Final = 20
"""Values of a question that are told beside its commands."""
NAMED_CHARACTERS: Final = 8
"""Characters of an id in a command, which takes the beginning of one."""

_NUMBER: Final = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Decides:
    """The message decides the one open question."""

    run_id: str
    interrupt_id: str
    decision: dict[str, Any]
    shown: str
    """The digest of the question."""


@dataclass(frozen=True, slots=True)
class AsksBack:
    """The message may be an answer, and is not clear.

    `which`: several questions are open. `more`: it says more than yes or no. `form`: the question
    takes no yes or no, as one about an effect that may have happened. `elsewhere`: a message does
    not answer it.
    """

    why: Literal["which", "unclear", "more", "form", "elsewhere"]

    def to_text(self, questions: "Sequence[Open]", language: Language) -> str:
        """Return what is said to the person: why, and what to type for each question."""
        if questions[0].rests:
            return TEXTS("rests", language)
        shown = "\n".join(line for item in questions for line in _lines(item, language))
        beside = TEXTS("beside", language)
        return f"{TEXTS(self.why, language)}\n\n{shown}\n\n{beside}"


@dataclass(frozen=True, slots=True)
class Open:
    """A question that is open in the thread, and its run."""

    run_id: str
    interrupt: Interrupt
    rests: bool = False
    """True if it is not to be answered here: see `OpenQuestion`."""


Reply: TypeAlias = Decides | AsksBack | None
"""None: it is a new request."""
Served: TypeAlias = Callable[[str], Collection[str] | None]
"""Says which members plainly serve a request; None if nothing can tell without a model."""


def read_reply(text: str, questions: Sequence[Open], is_served: Served) -> Reply:
    """Return what `text` means while `questions` are open. They are never none."""
    said = answer_in(text)
    if said is not None and len(questions) > 1:
        return AsksBack("which")
    if len(questions) == 1:
        (question,) = questions
        choice = _choice_in(text, question.interrupt)
        if choice is not None and asks_for_work(text) and is_served(text):
            choice = None  # a request may hold a value: "check the 3 tables"
        decision = choice or _decision(said, question.interrupt)
        if decision is not None:
            asked = question.interrupt
            return Decides(question.run_id, asked.id, decision, asked.shown_sha256)
    if said is not None:
        return AsksBack("form")
    takes_yes = len(questions) > 1 or _decision("yes", questions[0].interrupt) is not None
    if begins_as_answer(text):
        return AsksBack("more" if takes_yes else "form")
    if _is_new_request(text, questions, is_served):
        return None
    return AsksBack("unclear" if takes_yes else "form")


def reply_of(team: "AssembledTeam", task: Task, waiting: "Sequence[OpenQuestion]") -> Reply:
    """Return what a request in a thread means while questions are `waiting` there.

    A task that a program addresses to members is a request, and so is one with files, unless its
    words are an answer.
    """
    questions = _candidates(waiting)
    if task.members or not questions:
        return None
    if task.attachments:
        return AsksBack("more") if begins_as_answer(task.request) else None
    return read_reply(task.request, questions, partial(plainly_served_by, team))


def back_output(
    team: "AssembledTeam",
    task: Task,
    waiting: "Sequence[OpenQuestion]",
    *,
    why: Literal["unclear", "elsewhere"] = "unclear",
) -> TeamOutput | None:
    """Return the question back to a person whose words may be an answer; None for a request.

    `why` is said of a clear answer that does not count: just asked and unseen, or not given here.
    """
    reply = reply_of(team, task, waiting)
    if reply is None:
        return None
    back = reply if isinstance(reply, AsksBack) else AsksBack(why)
    summary = back.to_text(_candidates(waiting), task.language)
    return TeamOutput(reason="asked_back", summary=summary)


def _candidates(waiting: "Sequence[OpenQuestion]") -> list[Open]:
    """Return the questions that words may answer; those that rest only if there are no others."""
    going = [item for item in waiting if not item.rests]
    return [Open(item.run_id, item.interrupt, item.rests) for item in going or waiting]


def _decision(word: Literal["yes", "no"] | None, question: Interrupt) -> dict[str, Any] | None:
    """Return the decision that a yes or a no is about `question`; None if it takes neither.

    To a question what became of an effect, a yes may mean that it happened, or to do it again.
    """
    if word is None or question.kind == "effect":
        return None
    kind: Literal["approve", "reject"] = "approve" if word == "yes" else "reject"
    return {"type": kind} if kind in question.allowed else None


def _choice_in(text: str, question: Interrupt) -> dict[str, Any] | None:
    """Return the answer to a worker's own question that is of the type it declares."""
    if question.kind != "question" or "respond" not in question.allowed:
        return None
    value = typed_answer(text, question.answer_schema)
    is_one = value is not text or value in choices_of(question.answer_schema)
    return {"type": "respond", "value": value} if is_one else None


def _is_new_request(text: str, questions: Sequence[Open], is_served: Served) -> bool:
    """True if `text` stands alone, is plainly served, and changes nothing that waits.

    An amount or a name for the worker that waits may be meant as its new value.
    """
    words = words_of_reply(text)
    if find_reference(text, ()).kind is not None or len(words) < MIN_REQUEST_WORDS:
        return False
    if len(words) <= MAX_CHANGE_WORDS and any(_names_field(words, each) for each in questions):
        return False
    members = is_served(text)
    if members is None:
        return asks_for_work(text) and not any(_names_value(text, each) for each in questions)
    same = [each for each in questions if _member(each.interrupt) in members]
    if not same:
        return bool(members)
    return asks_for_work(text) and not any(_names_value(text, each) for each in same)


def _member(question: Interrupt) -> str:
    """Return the member of the root that waits: `finance` of `platform/finance/payment_agent`."""
    return question.path.split("/")[1].partition("#")[0] if "/" in question.path else ""


def _names_value(text: str, question: Open) -> bool:
    """True if `text` holds a number, or a text that is an argument."""
    if _NUMBER.search(text):
        return True
    said = text.casefold()
    values = (each for each in question.interrupt.arguments.values() if isinstance(each, str))
    return any(value.strip() and value.strip().casefold() in said for value in values)


def _names_field(words: Sequence[str], question: Open) -> bool:
    """True if `words` hold the name of an argument ("change the amount")."""
    return not question.interrupt.arguments.keys().isdisjoint(words)


def _lines(item: Open, language: Language) -> Iterator[str]:
    """Yield a question in a line, and below it what to type about it."""
    question = item.interrupt
    words = "" if question.kind == "effect" else question.text[:MAX_TOLD_CHARACTERS]
    about = " ".join(words.split()) or question.tool
    yield f"- {code_span(question.path)}: {code_span(about)}" if about else f"- {question.path}"
    for number, choice in enumerate(choices_of(question.answer_schema)[:MAX_CHOICES], start=1):
        yield f"  {number}. {code_span(str(choice))}"
    named = f"{item.run_id[:NAMED_CHARACTERS]} {question.id[:NAMED_CHARACTERS]}"
    yield f"  - {code_span(f'minerva waiting show {named}')}"
    for kind in question.allowed:
        more = {"edit": " --set …", "respond": " -m …"}.get(kind, "")
        does = f" ({TEXTS(f'effect.{kind}', language)})" if question.kind == "effect" else ""
        yield f"  - {code_span(f'minerva {kind} {named}{more}')}{does}"
