"""What an edit changes in the arguments of a call: only what differs, with a little around it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice
from typing import Any, Final, Literal

from minerva_platform.cli.decide.question_text import TEXTS, Manner, Value, to_name, to_value
from minerva_platform.cli.decide.question_view import Line
from minerva_platform.text.language import Language

_AROUND: Final = 30
"""Characters that are shown before and after the place where two long texts differ."""
_MAX_COMPARED: Final = 20_000
"""Characters of texts whose lines are compared; longer ones are shown from where they differ."""
_MAX_LINES: Final = 30
"""Lines of one difference."""
_STYLES: Final[Mapping[str, str]] = {"-": "red", "+": "green", " ": "dim"}

Sign = Literal["-", "+", " "]


@dataclass(frozen=True, slots=True)
class Change:
    """An argument that an edit changes: its lines, each with `-`, `+` or a blank before it."""

    name: str
    lines: tuple[tuple[Sign, Value], ...]


def find_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Change, ...]:
    """Return the arguments that differ, in the order of the call; new ones come last."""
    names = dict.fromkeys((*before, *after))
    return tuple(
        Change(to_name(name), tuple(_lines(before, after, name)))
        for name in names
        if not _is_same(before, after, name)
    )


def _is_same(before: Mapping[str, Any], after: Mapping[str, Any], name: str) -> bool:
    if (name in before) != (name in after):
        return False
    return type(before[name]) is type(after[name]) and bool(before[name] == after[name])


def _lines(
    before: Mapping[str, Any], after: Mapping[str, Any], name: str
) -> Iterator[tuple[Sign, Value]]:
    old, new = before.get(name), after.get(name)
    if isinstance(old, str) and isinstance(new, str):
        if "\n" in f"{old}{new}" and len(old) + len(new) <= _MAX_COMPARED:
            lines = _compare_lines(old.splitlines(keepends=True), new.splitlines(keepends=True))
            few = list(islice(lines, _MAX_LINES + 1))
            if len(few) <= _MAX_LINES:
                yield from few
                return
        old, new = _around_the_difference(old, new)
    if name in before:
        yield "-", to_value(old, Manner())
    if name in after:
        yield "+", to_value(new, Manner())


def _compare_lines(old: list[str], new: list[str]) -> Iterator[tuple[Sign, Value]]:
    """Yield the lines that differ, with one line around them."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for group in matcher.get_grouped_opcodes(1):
        for tag, old_from, old_to, new_from, new_to in group:
            for line in old[old_from:old_to]:
                yield (" " if tag == "equal" else "-"), _line(line)
            for line in new[new_from:new_to] if tag != "equal" else ():
                yield "+", _line(line)


def _line(text: str) -> Value:
    return to_value(text, Manner(as_part=True))


def _around_the_difference(old: str, new: str) -> tuple[str, str]:
    """Return two texts without the beginning and the end that they share, less a little."""
    begin = max(_shared_length(old, new) - _AROUND, 0)
    left = min(len(old), len(new)) - begin
    end = max(min(_shared_length(old[::-1], new[::-1]), left) - _AROUND, 0)
    mark, stop = "…" if begin else "", "…" if end else ""
    return tuple(f"{mark}{text[begin : len(text) - end]}{stop}" for text in (old, new))  # type: ignore[return-value]


def _shared_length(one: str, other: str) -> int:
    """Return how many characters the beginnings have in common."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def change_lines(changes: tuple[Change, ...], language: Language) -> Iterator[Line]:
    """Yield the changes as lines for a person."""
    if not changes:
        yield Line(TEXTS("unchanged", language), "dim")
    for change in changes:
        for number, (sign, value) in enumerate(change.lines):
            yield Line(value.text, _STYLES[sign], ("" if number else change.name, sign))
    for note in _notes(changes, language):
        yield Line(note, "yellow")


def _notes(changes: tuple[Change, ...], language: Language) -> Iterator[str]:
    """Yield what must be known about the texts: that they are parts, cut or written out."""
    values = [value for change in changes for _, value in change.lines]
    if any(value.text.startswith("…") or value.text.endswith("…") for value in values):
        yield TEXTS("parts", language)
    for change in changes:
        for _, value in change.lines:
            if value.total is not None:
                told = {"name": change.name, "shown": value.shown, "total": value.total}
                yield TEXTS("cut.change", language, **told)
    if any(value.is_escaped for value in values):
        yield TEXTS("escaped", language)
