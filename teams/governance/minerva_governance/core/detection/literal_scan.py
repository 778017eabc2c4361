"""Personal data that somebody typed into code: a resident number in a text or in an `INSERT`.

Only literals are looked at, so a date in an expression or a number in a comment's address is none.
What is found leaves masked, with its line.
"""

import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from minerva_governance.core.detection.column_tally import MaskedHit
from minerva_governance.core.detection.detector import find
from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.detection.inventory import PiiColumn
from minerva_governance.core.detection.mask import mask, mask_text
from minerva_governance.core.reading.source_files import Source
from minerva_governance.core.values.value_check import CERTAIN
from minerva_governance.core.values.writing import normalised
from minerva_platform.text import read_words
from minerva_reading import UnreadableError, read_text

COLUMN = "(literal)"
"""The name of the column that stands for what is typed into a file."""

_MAX_BYTES = 8 * 1024 * 1024
_MAX_SHOWN = 3
_QUOTED = re.compile(
    r"""
      '(?:[^'\\]|\\.|'')*'       # SQL doubles the quote, other languages escape it
    | "(?:[^"\\]|\\.)*"
    | `(?:[^`\\]|\\.)*`
    """,
    re.VERBOSE,
)
_WORDS = read_words("minerva_governance.core.detection", "literals")
_ROLE = _WORDS.pattern("roles")
_WEAK: frozenset[str] = frozenset(_WORDS["not_of_a_person"])


class LiteralHit(NamedTuple):
    """Personal data in a literal."""

    source: str
    line: int
    entity: Entity
    shown: str
    """Masked."""
    certain: bool


def scan_literals(sources: Sequence[Source]) -> list[LiteralHit]:
    """Return what is typed into the code among `sources`; unreadable files are left.

    That a file cannot be read is told by who reads it for its own sake.
    """
    found: list[LiteralHit] = []
    for source in sources:
        if source.kind != "code":
            continue
        try:
            text = read_text(source.path, max_bytes=_MAX_BYTES).text
        except UnreadableError:
            continue
        is_python = source.path.suffix.casefold() in {".py", ".pyi", ".pyw"}
        literals = _of_python(text) if is_python else _of_lines(text)
        for line, literal in literals:
            found.extend(_hits(source.name, line, literal))
    return list(dict.fromkeys(found))


def literal_columns(hits: Sequence[LiteralHit]) -> list[PiiColumn]:
    """Return what was typed as one column a file and kind."""
    grouped: dict[tuple[str, Entity], list[LiteralHit]] = {}
    for hit in hits:
        grouped.setdefault((hit.source, hit.entity), []).append(hit)
    return [
        PiiColumn(
            table=mask_text(source),
            column=COLUMN,
            entity=entity,
            by="value",
            suspected=not any(hit.certain for hit in of_kind),
            hits=len(of_kind),
            sampled=len(of_kind),
            rate=1.0,
            evidence=tuple(
                MaskedHit(row=hit.line, shown=hit.shown, score=CERTAIN)
                for hit in of_kind[:_MAX_SHOWN]
            ),
            source=source,
            line=of_kind[0].line,
        )
        for (source, entity), of_kind in grouped.items()
    ]


def _hits(source: str, line: int, literal: str) -> Iterator[LiteralHit]:
    text = normalised(literal)
    for match in find(literal):
        value = text[match.start : match.end]
        if match.entity == "EMAIL" and _ROLE.match(value.partition("@")[0]):
            continue  # an address of an office, not of a person
        at = line + text.count("\n", 0, match.start)
        certain = match.score == CERTAIN and match.entity not in _WEAK
        yield LiteralHit(source, at, match.entity, mask(match.entity, value), certain)


def _of_python(text: str) -> Iterator[tuple[int, str]]:
    """Yield (line, literal) of Python; what cannot be split into words is read by lines."""
    literals: list[tuple[int, str]] = []
    try:
        literals += [
            (token.start[0], token.string)
            for token in tokenize.generate_tokens(io.StringIO(text).readline)
            if token.type == tokenize.STRING or token.type in _PARTS
        ]
    except (tokenize.TokenError, SyntaxError):
        yield from _of_lines(text)
        return
    yield from literals


_PARTS = frozenset(
    kind for name in ("FSTRING_MIDDLE",) if isinstance(kind := getattr(tokenize, name, None), int)
)
"""The texts of an f-string are tokens of their own since Python 3.12."""


def _of_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        for match in _QUOTED.finditer(line):
            yield number, match.group()
