"""Cut a request generously, wherever a further wish could begin.

A cut decides nothing: `merging` joins the pieces again by what members say about them. So no verb
has to be known. Nothing is cut within quotes, brackets, code, file names, identifiers and numbers.
Pieces are slices: joined, they are the request again, character by character.
"""

import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from typing import Final, NamedTuple

from minerva_platform.text.grammar import ENGLISH, KOREAN

READ: Final = 4_000
"""Characters read for pieces. Later characters belong to the last piece."""

MAX_PIECES: Final = 12
"""Pieces of one request. What is longer is a document, and its last piece holds the rest."""

_WHOLE = re.compile(
    r"""
    ```.*?```                               # a block of code
    | `[^`\n]*`                             # inline code
    | "[^"\n]*" | “[^”\n]*” | ‘[^’\n]*’ | 「[^」\n]*」
    | (?<!\w) '[^'\n]*' (?!\w)              # a quote, no apostrophe
    | \([^()\n]*\) | \[[^\[\]\n]*\] | \{[^{}\n]*\}
    | (?<!\w) \w++ (?: [./\\:@-]++ \w++ )+  # a path, an address, an identifier, a number
    """,
    re.DOTALL | re.VERBOSE,
)


_MARKS = " \t\n.,，;:!。！…·-+&*"
_NUMBERING = re.compile(r"^\s*(?:\(?\d{1,2}[.)]|[-*+•])\s+")


class Piece(NamedTuple):
    """A slice of a request."""

    text: str
    is_bound: bool
    """True if only a list of nouns or the steps of one wish are cut before it."""
    is_listed: bool = False
    """True if it or the piece before it is a mere name."""


def cut(text: str, names: Iterable[str] = ()) -> list[Piece]:
    """Return consecutive pieces of `text`; one piece if nothing could be divided.

    Nothing is cut within one of `names`, which a member knows (`재고 수량` ends no clause).

    At most `READ` characters are looked at and at most `MAX_PIECES` pieces given, so the work is
    bounded for a `text` of any length.
    """
    wholes = "|".join((_WHOLE.pattern, *map(re.escape, names)))
    masked = re.sub(wholes, lambda span: "x" * len(span.group()), text[:READ], flags=_WHOLE.flags)
    cuts, bound = [0], [False]
    for border in _border().finditer(masked):
        end = border.end()
        says_something = words_of_clause(masked[cuts[-1] : end]) and re.search(r"\w", masked[end:])
        if says_something and len(cuts) < MAX_PIECES:
            cuts.append(end)
            bound.append(border["bound"] is not None)
    slices = (text[start:end] for start, end in pairwise([*cuts, len(text)]))
    return [Piece(*pair) for pair in zip(slices, bound, strict=True)]


def words_of_clause(clause: str) -> str:
    """Return the words of `clause` without those that join it to its neighbours."""
    text = _NUMBERING.sub("", clause).strip(_MARKS)
    joining = ENGLISH.set_of("joining") | KOREAN.set_of("joining")
    while (joint := re.match(r"[^\s,，]+", text)) and joint.group().lower() in joining:
        text = text[joint.end() :].lstrip(_MARKS)
    return " ".join(text.split())


@cache
def _border() -> re.Pattern[str]:
    """Return what finds the spaces at which a request may be cut."""
    joining = rf"(?i:{ENGLISH.any_of('joining')})|{KOREAN.any_of('joining')}"
    after = "|".join(rf"(?<=[가-힣]\s{word})" for word in KOREAN["after"])
    return re.compile(
        rf"""
        (?<=[,，;；.!?。！？]) \s+ | \s*\n\s*
        | \s+ (?=(?:{joining})[\s,])
        | (?: (?<=[가-힣](?:고|며|줘|요|봐|까)) | {after} ) \s+ (?!{KOREAN.any_of("auxiliary")})
        | (?P<bound> (?: (?<=[가-힣][서와과랑]) | (?<=[+/→]) | (?<=[-=]>) ) \s+ )
        """,
        re.VERBOSE,
    )
