"""What a person sees of a question: texts that are harmless, and notes of what they leave out.

All of a question is foreign. A model wrote the arguments, and they may try to look like something
else. Everything goes through `harmless`, and what is cut is said to be cut.
"""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from minerva_platform.cli.decide.schema_values import (
    allowed_values,
    is_object,
    property_names,
    property_schema,
    required_names,
)
from minerva_platform.cli.io.command import option_words
from minerva_platform.cli.io.escape import harmless, harmless_json, has_hidden
from minerva_platform.contract.run_object import DecisionType, Interrupt
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import LANGUAGES, Language
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.cli.decide", "question")
_EFFECT = read_texts("minerva_platform.durable", "effect")

MAX_VALUE_CHARACTERS: Final = 600
"""Characters of one value, or of the question's words, that are shown unasked."""
MAX_LINES: Final = 12
"""Lines of one value, or of the question's words, that are shown unasked."""
MAX_ARGUMENTS: Final = 40
"""Arguments that are shown unasked."""
_MAX_NAME_CHARACTERS: Final = 60
_MAX_EXAMPLE_CHARACTERS: Final = 30
"""Characters of a value that is repeated in a command."""
DECISIONS: Final[tuple[DecisionType, ...]] = ("approve", "edit", "reject", "respond")


@dataclass(frozen=True, slots=True)
class CommandOptions:
    """Options of a command that the next commands about the same run need, too."""

    config: Path | None = None
    language: str | None = None
    router: str | None = None
    out: Path | None = None

    def words(self, *, is_decision: bool) -> list[str]:
        """Return them as they are typed; only decisions let a run go on, and take all."""
        words = option_words({"--config": self.config, "--language": self.language})
        if is_decision:
            words += option_words({"--router": self.router, "--out": self.out})
        return words


@dataclass(frozen=True, slots=True)
class Asking:
    """A question, the run that asks it, and the options that commands about it need."""

    run_id: str
    question: Interrupt
    is_alone: bool = True
    """True if the run asks nothing else, so that commands need no id."""
    options: CommandOptions = field(default_factory=CommandOptions)

    def _command(self, *words: str, more: Sequence[str]) -> str:
        name = [] if self.is_alone else [self.question.id]
        return f"{minerva_command()} {shlex.join([*words, self.run_id, *name, *more])}"

    @property
    def commands(self) -> dict[DecisionType, str]:
        """The commands that decide, by what they decide."""
        question, options = self.question, self.options.words(is_decision=True)
        more: dict[DecisionType, list[str]] = {
            "edit": _example(question),
            "respond": _answer_options(question),
        }
        return {
            kind: self._command(kind, more=[*more.get(kind, ()), *options])
            for kind in DECISIONS
            if kind in question.allowed
        }

    @property
    def next_command(self) -> str:
        """The command that a person is likeliest to type: it approves, or else it answers."""
        commands = self.commands
        either = commands.get("approve") or commands.get("respond")
        return either or next(iter(commands.values()), self.show_command)

    @property
    def show_command(self) -> str:
        """The command that shows all of the question."""
        return self._command("waiting", "show", more=self.options.words(is_decision=False))


def _example(question: Interrupt) -> list[str]:
    for name, value in question.arguments.items():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if len(shown) <= _MAX_EXAMPLE_CHARACTERS and not has_hidden(f"{name}{shown}"):
            return ["--set", f"{name}={shown}"]
    return ["--args", "FILE"]


def _answer_options(question: Interrupt) -> list[str]:
    schema = question.answer_schema
    if question.kind == "tool" or not is_object(schema):
        return ["-m", "TEXT"]
    names = property_names(schema)
    if not names or any(map(has_hidden, names)):
        return ["--args", "FILE"]
    return [word for name in names for word in ("--set", f"{name}=VALUE")]


def _fields(schema: Any, language: Language) -> Iterator[str]:
    """Yield what an answer may be, or each of its fields."""
    if not is_object(schema) and (told := allowed_values(schema)):
        yield told
    needed = required_names(schema)
    for name in property_names(schema)[:MAX_ARGUMENTS]:
        optional = "" if name in needed else TEXTS("optional", language)
        told = ", ".join(filter(None, (allowed_values(property_schema(schema, name)), optional)))
        yield f"{to_name(name)} ({told})" if told else to_name(name)


@dataclass(frozen=True, slots=True)
class QuestionText:
    """A question as texts that are harmless: what a person sees of it."""

    title: str
    words: tuple[str, ...]
    """The lines of the question in words."""
    arguments: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    """What must be known about the texts: refused before, cut, written out."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a question is shown."""

    whole: bool = False
    """True: all of it. False: the beginning of what is long."""
    breaks: str = ""
    """What follows a line break that is written out: `\\n` where lines cannot be mistaken."""
    as_part: bool = False
    """True for a part of a text, which is not in quotes however it looks."""

    @property
    def limit(self) -> int | None:
        """Characters of one value."""
        return None if self.whole else MAX_VALUE_CHARACTERS


def see(asking: Asking, language: Language, manner: Manner) -> QuestionText:
    """Return what is shown of a question."""
    question = asking.question
    told = _words_of(question, language)
    names = list(question.arguments)[: None if manner.whole else MAX_ARGUMENTS]
    values = {name: to_value(question.arguments[name], manner) for name in names}
    words = told if manner.limit is None else beginning(told, manner.limit)
    hidden = (question.path, question.tool or "", words.replace("\n", ""), *names)
    return QuestionText(
        title=TEXTS(
            f"asks.{question.kind}",
            language,
            path=harmless(question.path),
            tool=to_name(question.tool or "-"),
        ),
        words=tuple(harmless(line) for line in words.splitlines()),
        arguments=tuple((to_name(name), value.text) for name, value in values.items()),
        notes=tuple(
            _notes(
                asking,
                language,
                values=values,
                words=(words, told),
                is_escaped=any(map(has_hidden, hidden))
                or any(v.is_escaped for v in values.values()),
            )
        ),
    )


def _words_of(question: Interrupt, language: Language) -> str:
    """Return the question in words, without the call that LangChain repeats in it.

    What the platform itself asks is in the reader's language, not in that of the request.
    """
    text = question.text.strip()
    if question.kind == "effect":
        ours = {each: _EFFECT("unknown", each, name=question.tool) for each in LANGUAGES}
        return ours[language] if text in ours.values() else text
    if question.kind == "tool":
        text = text.removesuffix(f"Tool: {question.tool}\nArgs: {question.arguments}").strip()
    return text


def _notes(
    asking: Asking,
    language: Language,
    *,
    values: Mapping[str, "Value"],
    words: tuple[str, str],
    is_escaped: bool,
) -> Iterator[str]:
    question, command = asking.question, asking.show_command
    if fields := tuple(_fields(question.answer_schema, language)):
        yield TEXTS("takes", language, fields=", ".join(fields))
    if question.refused:
        yield TEXTS("refused", language, reason=harmless(question.refused))
    yield from _stale(question, language)
    shown, total = map(len, words)
    if shown < total:
        yield TEXTS("cut.words", language, shown=shown, total=total, command=command)
    for name, value in values.items():
        if value.total is not None:
            told = {"name": to_name(name), "shown": value.shown, "total": value.total}
            yield TEXTS("cut.value", language, **told, command=command)
    more = len(question.arguments) - len(values)
    if more:
        yield TEXTS("cut.arguments", language, count=more, command=command)
    if question.expires_at is not None:
        moment = datetime.fromtimestamp(question.expires_at).astimezone()
        yield TEXTS("expires", language, when=f"{moment:%Y-%m-%d %H:%M}")
    if is_escaped:
        yield TEXTS("escaped", language)


def _stale(question: Interrupt, language: Language) -> Iterator[str]:
    """Yield what was asked when somebody decided before, and each argument that differs now."""
    if question.earlier is None:
        return
    nothing, manner = TEXTS("nothing", language), Manner()
    before, now = question.earlier["arguments"], question.arguments
    asked = ": ".join(filter(None, (question.earlier["tool"], question.earlier["text"])))
    words = harmless(beginning(asked, MAX_VALUE_CHARACTERS)) or nothing
    yield TEXTS("stale", language, before=words)
    for name in dict.fromkeys((*before, *now)):
        old, new = (
            to_value(each[name], manner).text if name in each else nothing for each in (before, now)
        )
        if old != new:
            yield TEXTS("differs", language, name=to_name(name), before=old, now=new)


@dataclass(frozen=True, slots=True)
class Value:
    """A value as text: `shown` of its `total` characters, which is None if all are shown."""

    text: str
    shown: int
    total: int | None
    is_escaped: bool


def to_value(value: Any, manner: Manner) -> Value:
    """Return `value` as a person may see it."""
    limit, breaks = manner.limit, manner.breaks
    if not isinstance(value, str):
        text = harmless_json(value, indent=2 if breaks and value not in ({}, []) else None)
        total = len(text) if limit is not None and len(text) > limit else None
        return Value(
            text if total is None else f"{text[:limit]}…", limit or 0, total, is_escaped=False
        )
    part = value if limit is None else beginning(value, limit)
    total = None if len(part) == len(value) else len(value)
    text = harmless(part, breaks=breaks)
    if not manner.as_part and _looks_otherwise(part):
        text = f'"{text}"'
    return Value(text if total is None else f"{text}…", len(part), total, has_hidden(part))


def beginning(text: str, limit: int) -> str:
    """Return the first `limit` characters of `text`, and no more lines than fit on a screen."""
    part = text[:limit]
    lines = part.split("\n", MAX_LINES)
    return part if len(lines) <= MAX_LINES else "\n".join(lines[:MAX_LINES])


def _looks_otherwise(text: str) -> bool:
    """True if a text would look like a number, like nothing, or shorter than it is."""
    if text != text.strip() or not text or text[0] in '"{[':
        return True
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def to_name(name: str) -> str:
    """Return the name of an argument or a tool as a person may see it."""
    shown = harmless(name)
    return shown if len(shown) <= _MAX_NAME_CHARACTERS else f"{shown[:_MAX_NAME_CHARACTERS]}…"


def question_line(asking: Asking, language: Language) -> str:
    """Return a question in one line for a log, with all that a terminal shows of it."""
    seen = see(asking, language, Manner())
    arguments = ", ".join(f"{name}={value}" for name, value in seen.arguments)
    notes = " ".join(f"[{note}]" for note in seen.notes)
    told = " ".join(filter(None, (*seen.words, arguments and f"({arguments})", notes)))
    return f"{seen.title}: {told}".rstrip(": ")
