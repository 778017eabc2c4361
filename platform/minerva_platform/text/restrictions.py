"""The parts of a request that restrict, shape or send an answer: when, who, where, to whom.

An answer from files and rules cannot take most of them into account. A worker names the kinds that
it cannot honour, removes their words from what it reads, and reports them (`AgentOutput.unused`).
In doubt a part is no restriction. The words lie in `words/restrictions.toml`.
"""

import re
from collections.abc import Collection, Iterable
from functools import cache
from typing import Final, Literal, NamedTuple, get_args

from minerva_platform.text.words import read_words

WORDS = read_words("minerva_platform.text", "restrictions")

Kind = Literal[
    "age",
    "column",
    "delivery",
    "emphasis",
    "exception",
    "form",
    "history",
    "only",
    "order",
    "person",
    "place",
    "time",
    "unit",
]
RESTRICTION_KINDS: Final[frozenset[Kind]] = frozenset(get_args(Kind))

MAX_READ: Final = 4_000
"""Characters of a request that are read. A longer request holds pasted text."""

_PART: Final = re.compile(r"<(\w+)>")
_HANGUL: Final = re.compile("[가-힣]")


class Restriction(NamedTuple):
    """A part of a request: its position and its words."""

    start: int
    end: int
    words: str


def restrictions_in(
    request: str, kinds: Collection[Kind] = RESTRICTION_KINDS
) -> tuple[Restriction, ...]:
    """Return the restrictions of `kinds` in `request`, in its order.

    Of overlapping ones the longest is kept; of two equally long ones, the first.
    """
    text = request[:MAX_READ]
    patterns = (pattern for kind in sorted(kinds) for pattern in _patterns(kind))
    hits = (hit for pattern in patterns for hit in pattern.finditer(text))
    found = [_trim(text, *hit.span()) for hit in hits]
    kept: list[Restriction] = []
    for one in sorted(found, key=lambda one: (one.start - one.end, one.start)):
        if one.words and all(one.end <= other.start or other.end <= one.start for other in kept):
            kept.append(one)
    return tuple(sorted(kept))


def without_restrictions(
    request: str, restrictions: Iterable[Restriction], *, gap: str = " "
) -> str:
    """Return `request` with `gap` in the place of each of `restrictions`; its length stays."""
    for one in restrictions:
        filling = gap.center(one.end - one.start)
        request = f"{request[: one.start]}{filling}{request[one.end :]}"
    return request


def _trim(text: str, start: int, end: int) -> Restriction:
    words = text[start:end]
    start += len(words) - len(words.lstrip())
    return Restriction(start, start + len(words.strip()), " ".join(words.split()))


@cache
def _patterns(kind: Kind) -> tuple["re.Pattern[str]", ...]:
    def whole(pattern: str) -> str:
        while (filled := _PART.sub(_part, pattern)) != pattern:
            pattern = filled
        return pattern

    return tuple(_compile(whole(one)) for one in WORDS[f"patterns.{kind}"])


def _compile(pattern: str) -> "re.Pattern[str]":
    """Return `pattern` compiled. To ignore the case of [가-힣] Python looks at 11,172 letters."""
    return re.compile(pattern, 0 if _HANGUL.search(pattern) else re.IGNORECASE)


def _part(match: "re.Match[str]") -> str:
    return f"(?:{WORDS.patterns(f'parts.{match[1]}')})"
