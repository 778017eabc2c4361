"""Read the definition of a column: its name, its type and its comment.

What else a definition says, a default, a constraint, storage, is the database's business: an
unknown word there costs nothing. A comma that is missing is found, since a type follows it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from sqlglot import TokenType, exp
from sqlglot.errors import SqlglotError

from minerva_reading.ddl.sql_word import SQL, Word, close_of, has, outer
from minerva_reading.identifier import Identifier, unseen

_MAX_TYPES = 4_096
_NO_TYPE = frozenset(SQL["no_types"])
_LATER_WORDS = frozenset("VARYING PRECISION LARGE OBJECT RAW".split())
_NATIONAL = frozenset("CHARACTER CHAR VARCHAR".split())
_INTERVAL = frozenset("YEAR MONTH DAY HOUR MINUTE SECOND TO".split())
_NUMBER_WORDS = frozenset("UNSIGNED SIGNED ZEROFILL".split())
_AFTER_UNIQUE = frozenset("( KEY INDEX CLUSTERED NONCLUSTERED NULLS".split())
_MAX_SHOWN_CHARACTERS = 60
_FIELDS = re.compile(r"\bSTRUCT\s*<", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Column:
    """A column as a statement defines it; `line` is the statement's, from 1."""

    name: Identifier
    data_type: str | None
    comment: str | None
    line: int
    default: str | None = None
    """The text that it holds where none is given."""
    own_type: str = ""
    """The type as it is written."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What of a definition is not understood; `line` is the statement's, from 1."""

    error: str
    line: int
    is_loss: bool = True
    """False if neither a table nor a column or a comment is lost by it."""


def read_definition(
    words: Sequence[Word], text: str, dialect: str
) -> tuple[Column | None, Fault | None]:
    """Return the column that `words` of the statement `text` define, and what is wrong with them.

    A constraint of the table is no column.
    """
    first = words[0]
    if is_constraint(words, dialect):
        return None, None
    if not first.is_word:
        return None, Fault(f"`{_excerpt(words, text)}` begins with no name of a column", first.line)
    character = unseen(first.text)
    if character:
        return None, Fault(unseen_error(first.text, character), first.line)
    end = _type_end(words)
    if end is None:
        return None, Fault(f"`{_excerpt(words, text)}` is no definition of a column", first.line)
    source = _type_source(words[:end], text)
    data_type = _type_text(source, dialect) if source else None
    rest = words[end:]
    default = text_after(rest, "DEFAULT")
    column = Column(first.identifier(), data_type, _comment(rest), first.line, default, source)
    fault = _missing_comma(rest, text)
    if fault is None and _FIELDS.search(source):
        fault = Fault(f"the fields in {first.text} are no columns, and not read", first.line, False)  # noqa: FBT003
    return column, fault


def _type_source(words: Sequence[Word], text: str) -> str:
    """Return the type after a name as it is written; SQL Server's may stand in brackets."""
    _, *kind = words
    if not kind:
        return ""
    first, *size = kind
    is_bare = first.kind is TokenType.IDENTIFIER and (not size or size[0].upper == "(")
    head = first.text if is_bare else text[first.start : first.end]
    return head + text[first.end : kind[-1].end]


def unseen_error(name: str, character: str) -> str:
    """Return why a name with a character that cannot be seen is refused, and what to do."""
    shown = "".join(char if char.isprintable() else "␤" for char in name)[:_MAX_SHOWN_CHARACTERS]
    return (
        f'the name "{shown}" holds {character}: close its quotation mark, or write it without, '
        "and read the file again"
    )


def is_constraint(words: Sequence[Word], dialect: str) -> bool:
    """True if words between two commas constrain the table and define no column."""
    first, second = words[0].upper, words[1] if len(words) > 1 else None
    after = second.upper if second else ""
    if first in {"KEY", "INDEX"}:
        return dialect == "mysql" or (dialect == "tsql" and first == "INDEX")
    if first in {"FULLTEXT", "SPATIAL"}:
        return after in {"KEY", "INDEX"} or (dialect == "mysql" and has(words, 2, "("))
    wanted = {
        "PRIMARY": {"KEY"},
        "FOREIGN": {"KEY"},
        "UNIQUE": _AFTER_UNIQUE,
        "CHECK": {"("},
        "EXCLUDE": {"(", "USING"},
        "PERIOD": {"FOR"},
        "SUPPLEMENTAL": {"LOG"},
    }
    if first == "CONSTRAINT":
        return second is not None and not second.is_type
    return after in wanted.get(first, ())


def _type_end(words: Sequence[Word]) -> int | None:
    """Return the place after the type; 1 if there is none, None if something else stands there."""
    if len(words) == 1 or words[1].upper in _NO_TYPE:
        return 1
    if not words[1].is_word or words[1].kind is TokenType.NUMBER:
        return None
    place = 2
    while has(words, place, ".") and place + 1 < len(words):
        place += 2
    first = words[1].upper
    while place < len(words) and (
        words[place].upper in _LATER_WORDS
        or (first == "NATIONAL" and words[place].upper in _NATIONAL)
        or (first == "INTERVAL" and words[place].upper in _INTERVAL)
    ):
        place = _after_size(words, place + 1) if first == "INTERVAL" else place + 1
    place = _after_angles(words, _after_size(words, place))
    for zone in ("WITH", "WITHOUT"):
        for local in (("LOCAL",), ()):
            zoned = (zone, *local, "TIME", "ZONE")
            place += len(zoned) if has(words, place, *zoned) else 0
    while place < len(words) and words[place].upper in {*_NUMBER_WORDS, "ARRAY", "["}:
        is_open = words[place].upper == "["
        place += 1
        while is_open and place < len(words) and words[place - 1].upper != "]":
            place += 1
    return place


def _after_size(words: Sequence[Word], place: int) -> int:
    if not has(words, place, "("):
        return place
    closing = close_of(words, place)
    return place if closing is None else closing + 1


def _after_angles(words: Sequence[Word], place: int) -> int:
    """Return the place after `<…>`, in which `>>` closes two."""
    depth, start = 0, place
    while place < len(words):
        mark = words[place].upper
        if mark == "<":
            depth += 1
        elif mark and not mark.strip(">"):
            depth -= len(mark)
        elif place == start:
            return place
        place += 1
        if depth <= 0:
            return place
    return start


@lru_cache(_MAX_TYPES)
def _type_text(source: str, dialect: str) -> str:
    """Return a type in one spelling, as it is written if it is one of the schema's own."""
    try:
        return exp.DataType.build(source, dialect=dialect).sql(dialect)
    except (SqlglotError, ValueError):
        return " ".join(source.split())


def _comment(rest: Sequence[Word]) -> str | None:
    """Return what `COMMENT '…'` or `OPTIONS (description = '…')` says."""
    options = next((place for place, word in outer(rest) if word.upper == "OPTIONS"), len(rest))
    for inner in range(options, len(rest) - 2):
        if has(rest, inner, "DESCRIPTION", "=") and rest[inner + 2].is_text:
            return rest[inner + 2].text
    return text_after(rest, "COMMENT")


def text_after(words: Sequence[Word], keyword: str) -> str | None:
    """Return the text that follows `keyword` outside of brackets, or `keyword =`."""
    for place, word in outer(words):
        after = place + (2 if has(words, place + 1, "=") else 1)
        if word.upper == keyword and after < len(words) and words[after].is_text:
            return words[after].text
    return None


def _missing_comma(rest: Sequence[Word], text: str) -> Fault | None:
    """Return the definition that stands in another one: a free word with a type after it."""
    for (place, word), (_, after) in pairwise(outer(rest)):
        is_name = word.is_free and word.upper not in {"AT", "ENABLE", "DISABLE", "SUB_TYPE"}
        before = rest[place - 1].upper if place else ""
        if is_name and after.is_type and before not in {"AS", "COLLATE", "CONSTRAINT", "."}:
            shown = _excerpt(rest[place:], text)
            return Fault(f"a comma is missing before `{shown}`, which is not read", word.line)
    return None


def _excerpt(words: Sequence[Word], text: str) -> str:
    return " ".join(text[words[0].start : words[-1].end].split())[:_MAX_SHOWN_CHARACTERS]
