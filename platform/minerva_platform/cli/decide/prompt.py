"""Ask a person at the terminal, and take the decision by keys or words of either language."""

import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, Final

from rich.console import Console

from minerva_platform.cli.decide.edit_diff import change_lines, find_changes
from minerva_platform.cli.decide.question_text import DECISIONS, Asking, to_name
from minerva_platform.cli.decide.question_view import Line, draw_lines, question_lines
from minerva_platform.cli.decide.schema_values import (
    WORDS,
    allowed_values,
    checked_value,
    is_object,
    property_names,
    property_schema,
    required_names,
)
from minerva_platform.cli.decide.typed_decision import (
    TypedDecision,
    edit_arguments,
    parse_answer,
    read_sets,
)
from minerva_platform.cli.io.stream import is_terminal
from minerva_platform.cli.views.progress import say
from minerva_platform.contract.run_object import DecisionType
from minerva_platform.errors import InvalidDecisionError, RunError
from minerva_platform.people.answer_schema import kinds_of
from minerva_platform.people.decision_json import read_decision
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.cli.decide", "prompt")

_KEYS: Final[Mapping[DecisionType, str]] = {
    "approve": "1/a",
    "edit": "2/e",
    "reject": "3/r",
    "respond": "4/s",
}
_EFFECT_WORDS: Final[Mapping[DecisionType, str]] = {
    "approve": "again",
    "reject": "failed",
    "respond": "happened",
}
"""Names of the lists of words that decide about an effect that may have happened."""
_REJECT: Final = "/reject"
"""Typed instead of an answer, with a reason after it."""


class Terminal:
    """The person's terminal: what is asked goes to standard error, what is typed comes back."""

    def __init__(self) -> None:
        self.console = Console(stderr=True, highlight=False)
        with suppress(ImportError):  # some Pythons are built without it
            import_module("readline")  # gives `input` arrow keys

    def draw(self, lines: Iterable[Line]) -> None:
        """Print lines."""
        self.console.print(draw_lines(lines))

    def say(self, text: str) -> None:
        """Print one line."""
        say(f"  {text}" if text else "")

    def read_line(self, prompt: str) -> str:
        """Return a typed line; empty at the end of the input.

        Raises:
            KeyboardInterrupt: the person pressed Ctrl-C.
        """
        if not is_terminal(sys.stdout):  # `input` would write there
            sys.stderr.write(prompt)
            sys.stderr.flush()
            prompt = ""
        try:
            return input(prompt).strip()
        except EOFError:
            say("")
            return ""


def ask_at_terminal(
    asking: Asking, language: Language, terminal: Terminal
) -> dict[str, Any] | None:
    """Show a question, and return the decision; None if the person leaves it open.

    Raises:
        KeyboardInterrupt: the person pressed Ctrl-C.
    """
    terminal.draw(question_lines(asking, language))
    dialogue = _Dialogue(asking, language, terminal)
    while True:
        decision = dialogue.next_decision()
        if decision is None:
            return None
        try:
            return read_decision(asking.run_id, asking.question, decision())
        except InvalidDecisionError as error:
            terminal.say(error.reason)
        except RunError as error:
            terminal.say(dialogue.words_of(error))
        except _AgainError:
            continue


class _AgainError(Exception):
    """The person took back what was typed, or has to type it again."""


class _RejectedError(Exception):
    """The person rejected the question while filling in its answer; its text is the reason."""


def _rejection(why: str) -> dict[str, Any]:
    return {"type": "reject", "message": why} if why else {"type": "reject"}


def _pairs(text: str, names: Sequence[str]) -> Sequence[str]:
    """Return several `name=value`, quoted as in a shell; else what was typed, as one."""
    try:
        words = shlex.split(text)
    except ValueError:  # a quote that nothing closes belongs to the text
        return (text,)
    return (
        words if all(word.partition("=")[0] in names and "=" in word for word in words) else (text,)
    )


class _Dialogue:
    """What is asked and typed about one question."""

    def __init__(self, asking: Asking, language: Language, terminal: Terminal) -> None:
        self.asking, self.question = asking, asking.question
        self.language: Language = language
        self.terminal = terminal

    def next_decision(self) -> Callable[[], dict[str, Any]] | None:
        """Return what makes the decision; None if the person leaves the question open."""
        typed = self.terminal.read_line(f"  {self._choices} › ")
        if not typed:
            return None
        if typed.casefold() in WORDS.set_of("whole"):
            return self._whole
        if self._takes_answers:
            return lambda: self._to_answer(typed)
        for kind in DECISIONS:
            if kind in self.question.allowed and typed.casefold() in self._words_for(kind):
                return {
                    "approve": lambda: {"type": "approve"},
                    "edit": self._edit,
                    "reject": self._reject,
                    "respond": self._respond,
                }[kind]
        return self._not_understood

    def _words_for(self, kind: DecisionType) -> frozenset[str]:
        """Return the words that decide so; a yes or no says not whether an effect happened."""
        if self.question.kind == "effect":
            return WORDS.set_of(_EFFECT_WORDS.get(kind, kind))
        return WORDS.set_of(kind)

    def words_of(self, error: RunError) -> str:
        """Return what an error says, in the person's language if it knows it."""
        return error.korean if self.language == "ko" and error.korean else str(error)

    @property
    def _takes_answers(self) -> bool:
        """True if what is typed is the answer itself, because nothing is to be approved."""
        return "approve" not in self.question.allowed and "respond" in self.question.allowed

    @property
    def _choices(self) -> str:
        if self._takes_answers:
            key = "answer_or_reject" if "reject" in self.question.allowed else "answer"
            return TEXTS(key, self.language, kinds=self._hint())
        names = f"choices.{self.question.kind}"
        shown = [
            f"[{_KEYS[kind]}] {TEXTS(f'{names}.{kind}', self.language)}"
            for kind in DECISIONS
            if kind in self.question.allowed
        ]
        return f"{'  '.join(shown)}  [Enter] {TEXTS('later', self.language)}"

    def _hint(self) -> str:
        """Return what may be answered, if it is not just any text."""
        schema = self.question.answer_schema
        if names := property_names(schema):
            return f" ({' '.join(f'{to_name(name)}=…' for name in names)})"
        if kinds_of(schema) == frozenset({"boolean"}):
            return f" ({TEXTS('yes_or_no', self.language)})"
        told = allowed_values(schema)
        return told and f" ({told})"

    def _whole(self) -> dict[str, Any]:
        self.terminal.draw(question_lines(self.asking, self.language, whole=True))
        raise _AgainError

    def _not_understood(self) -> dict[str, Any]:
        about = ".effect" if self.question.kind == "effect" else ".other"
        self.terminal.say(TEXTS(f"not_understood{about}", self.language))
        raise _AgainError

    def _reject(self) -> dict[str, Any]:
        why = self.terminal.read_line(f"  {TEXTS('why', self.language)} › ")
        return _rejection(why)

    def _respond(self) -> dict[str, Any]:
        typed = self.terminal.read_line(f"  {TEXTS('what_instead', self.language)} › ")
        if not typed:
            raise _AgainError
        if self.question.kind == "tool":
            return {"type": "respond", "message": typed}
        return {"type": "respond", "value": parse_answer(typed, self.question)}

    def _to_answer(self, text: str) -> dict[str, Any]:
        first, _, why = text.partition(" ")
        if first == _REJECT and "reject" in self.question.allowed:
            return _rejection(why)
        schema = self.question.answer_schema
        if is_object(schema) and not text.startswith("{"):
            try:
                return {"type": "respond", "value": self._filled_in(text)}
            except _RejectedError as rejected:
                return _rejection(str(rejected))
        return {"type": "respond", "value": parse_answer(text, self.question)}

    def _filled_in(self, first: str) -> dict[str, Any]:
        """Return an answer of several fields: typed as `name=value`, or asked one by one."""
        schema = self.question.answer_schema
        names = property_names(schema)
        given = read_sets(_pairs(first, names), schema, {})
        left = [name for name in names if name not in given]
        if left:
            self.terminal.say(TEXTS("fields", self.language))
        for name in left:
            is_needed = name in required_names(schema)
            if typed := self._typed_field(name, property_schema(schema, name), is_needed=is_needed):
                given[name] = typed[0]
        return given

    def _typed_field(self, name: str, schema: Any, *, is_needed: bool) -> tuple[Any] | None:
        """Return the value of one field, checked; None if an optional field was left out."""
        told = allowed_values(schema)
        prompt = f"  {to_name(name)}{told and f' ({told})'} › "
        asked_again = False
        while True:
            typed = self.terminal.read_line(prompt)
            first, _, why = typed.partition(" ")
            if first == _REJECT and "reject" in self.question.allowed:
                raise _RejectedError(why)
            if typed in WORDS.set_of("whole"):
                self.terminal.draw(question_lines(self.asking, self.language, whole=True))
            elif typed:
                try:
                    return (checked_value(name, typed, schema),)
                except RunError as error:
                    self.terminal.say(self.words_of(error))
            elif not is_needed:
                return None
            elif asked_again:
                raise _AgainError
            else:
                self.terminal.say(TEXTS("needed", self.language, name=to_name(name)))
                asked_again = True

    def _edit(self) -> dict[str, Any]:
        self.terminal.say(TEXTS("how_to_edit", self.language))
        sets: list[str] = []
        while typed := self.terminal.read_line(f"  {TEXTS('change', self.language)} › "):
            try:
                read_sets((typed,), self.question.answer_schema, self.question.arguments)
            except RunError as error:
                self.terminal.say(self.words_of(error))
            else:
                sets.append(typed)
        if not sets:
            raise _AgainError
        args = edit_arguments(TypedDecision("edit", tuple(sets)), self.question)
        decision = {"type": "edit", "edited_action": {"name": self.question.tool, "args": args}}
        read_decision(self.asking.run_id, self.question, decision)  # refused before it is confirmed
        self.terminal.draw(change_lines(find_changes(self.question.arguments, args), self.language))
        sure = self.terminal.read_line(f"  {TEXTS('sure', self.language)} › ")
        if sure.casefold() not in WORDS.set_of("yes"):
            raise _AgainError
        return decision
