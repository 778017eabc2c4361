"""What a request refers to of the names that earlier answers showed.

Names are values with a kind, so they are compared, not read. Only names that are at hand count: a
request that names nothing of them stands as it is.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from minerva_platform.contract.values import Shown
from minerva_platform.conversation.mentions import kind_names, one_place, ordinal_in, things_of
from minerva_platform.text.words import read_words

ENGLISH = read_words("minerva_platform.conversation", "english")
KOREAN = read_words("minerva_platform.conversation", "korean")

MIN_NAME_CHARACTERS: Final = 3
"""The shortest part of a name that may stand for it."""

_NAME: Final = re.compile(r"[A-Za-z0-9가-힣][\w.\-/]*\w")
_PARTS: Final = re.compile(r"[./:\\#-]")


@dataclass(frozen=True, slots=True)
class NamedThings:
    """The names that a request refers to."""

    shown: tuple[Shown, ...]
    is_written: bool
    """True if the request writes the names. Otherwise it counts to them, or points at them."""

    @property
    def names(self) -> str:
        """The names in their order, as a list in words."""
        return ", ".join(name for one in self.shown for name in one.names)


def recall(text: str, shown: Sequence[Shown]) -> NamedThings | None:
    """Return the shown names that `text` writes, counts to or calls both; None if there is none."""
    written = _names_in(text, shown)
    if written:
        return NamedThings(written, is_written=True)
    if not shown:
        return None
    group = tuple(one for one in shown if _says(one.kind, text, "groups"))
    if group:
        return NamedThings(group, is_written=True)
    number = ordinal_in(text)
    first = _of_kind(text, shown, more_than=number or 0)
    kind, names = first.kind, first.names
    if number is not None and number < len(names):
        return NamedThings((Shown(kind=kind, names=(names[number],)),), is_written=False)
    if _both().search(text) and len(names) > 1:
        return NamedThings((Shown(kind=kind, names=names[-2:]),), is_written=False)
    return None


def list_things(request: str, aspects: Collection[str]) -> tuple[Shown, ...]:
    """Return the things that a request lists, as if an answer had shown them."""
    things = things_of(request, aspects)
    is_list = len(things) > 1 and one_place(request, things) is not None
    return (Shown(kind="thing", names=tuple(one.text for one in things)),) if is_list else ()


def pointed_at(text: str, shown: Sequence[Shown]) -> NamedThings | None:
    """Return what "that column" points at: names of this kind, else of the answer's first one."""
    return NamedThings((_of_kind(text, shown),), is_written=False) if shown else None


def _of_kind(text: str, shown: Sequence[Shown], *, more_than: int = 0) -> Shown:
    """Return the names of the kind that `text` says (the rule, 그 컬럼), else of the first kind.

    Kinds of too few names to count to `more_than`, and groups, are the last choice.
    """
    kinds = [one for one in shown if one.kind not in kind_names("groups")] or [*shown]
    kinds = [one for one in kinds if len(one.names) > more_than] or kinds
    return next((one for one in kinds if _says(one.kind, text, "kinds")), kinds[0])


def of_said_kind(text: str, names: Sequence[Shown]) -> tuple[Shown, ...]:
    """Return those of `names` of whose kind `text` speaks (그 규칙)."""
    return tuple(one for one in names if _says(one.kind, text, "kinds"))


def _says(kind: str, text: str, of: str) -> bool:
    """True if `text` holds what the names of `kind` are called, among the words of table `of`."""
    called = kind_names(of).get(kind)
    return called is not None and re.search(called, text, re.IGNORECASE) is not None


def _names_in(text: str, shown: Sequence[Shown]) -> tuple[Shown, ...]:
    said = {word.casefold() for word in _NAME.findall(text)}
    said |= {stem for word in said for stem in _stems(word)}
    found = ((one.kind, tuple(name for name in one.names if _is_said(name, said))) for one in shown)
    return tuple(Shown(kind=kind, names=names) for kind, names in found if names)


def _stems(word: str) -> list[str]:
    """Return `word` without what Korean adds to a name (`TB_DOCTOR만`)."""
    mixed = re.match(r"([^가-힣]+)[가-힣]+$", word)
    ends = [word.removesuffix(particle) for particle in KOREAN["mentions.particles"]]
    return [mixed.group(1)] if mixed else [end for end in ends if end != word]


def _is_said(name: str, words: set[str]) -> bool:
    """True if `words` hold the name, a part of it (`TB_DOCTOR` of `TB_DOCTOR.ID`) or its end."""
    folded = name.casefold()
    if folded in words:
        return True
    ends = (word for word in words if len(word) >= MIN_NAME_CHARACTERS)
    parts = {part for part in _PARTS.split(folded) if len(part) >= MIN_NAME_CHARACTERS}
    return any(word in parts or folded.endswith(f"/{word}") for word in ends)


@cache
def _both() -> re.Pattern[str]:
    english, korean = ENGLISH.patterns("mentions.both"), KOREAN.patterns("mentions.both")
    return re.compile(rf"\b(?:{english})\b|(?<![가-힣])(?:{korean})", re.IGNORECASE)
