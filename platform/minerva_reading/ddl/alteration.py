"""Read what an ALTER TABLE does to the columns of its table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from minerva_reading.ddl.column_definition import (
    Column,
    Fault,
    is_constraint,
    read_definition,
    text_after,
)
from minerva_reading.ddl.sql_word import SQL, Word, close_of, has, parts_of, skip, words_of
from minerva_reading.ddl.table_definition import Path, read_path
from minerva_reading.identifier import Identifier

_VERBS = frozenset("ADD DROP RENAME CHANGE MODIFY ALTER".split())
_OTHERS = frozenset(SQL["alterations_without_columns"])
_NO_COLUMN = frozenset(SQL["no_columns"])


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one column, or of the table's own name."""

    does: Literal["add", "drop", "rename", "retype", "rename_table"]
    name: Identifier
    column: Column | None = None
    new: Identifier | None = None
    line: int = 1


@dataclass(frozen=True, slots=True)
class Alteration:
    """The changes of a table's columns, and what of the statement is not understood."""

    path: Path
    changes: tuple[Change, ...]
    faults: tuple[Fault, ...]


def read_alteration(text: str, dialect: str) -> Alteration | None:
    """Return what an ALTER TABLE statement does to columns, None if it names no table.

    Raises:
        SqlglotError: a quotation mark in it is not closed.
    """
    words = words_of(text, dialect)
    start = next((place for place, word in enumerate(words) if word.upper == "TABLE"), len(words))
    place = skip(words, start + 1, ("IF", "EXISTS"), ("ONLY",))
    path, place = read_path(words, place, text, dialect)
    if not path:
        return None
    found = list(_actions(parts_of(words[place:]), text, dialect))
    changes = tuple(one for one in found if isinstance(one, Change))
    return Alteration(path, changes, tuple(one for one in found if isinstance(one, Fault)))


def _actions(parts: Sequence[Sequence[Word]], text: str, dialect: str) -> Iterator[Change | Fault]:
    """Yield what each action does; one without a verb goes on with the verb before it."""
    verb, is_column = "", True
    for part in parts:
        words = part
        if words[0].upper in _VERBS:
            verb, words = words[0].upper, words[1:]
            is_column = not (words and words[0].upper in _NO_COLUMN)
        elif has(words, 0, "COMMENT", "ON"):  # Cubrid's: COMMENT ON COLUMN a = 'x', b = 'y'
            verb, is_column, words = "COMMENT", True, words[2:]
        elif words[0].upper in _OTHERS:
            verb = ""
            continue
        elif not verb:
            yield Fault(f"`{words[0].text}` is no action that is known", words[0].line)
            return
        elif words[0].upper == "COLUMN":  # DROP CONSTRAINT a, COLUMN b
            is_column = True
        if words and is_column:
            yield from _READERS[verb](words, text, dialect)


def _inner(words: Sequence[Word]) -> list[Sequence[Word]]:
    """Return what an action is about: what stands between the commas of its brackets, or all."""
    if has(words, 0, "("):
        return parts_of(words[1 : close_of(words, 0)])
    return [words] if words else []


def _read_add(words: Sequence[Word], text: str, dialect: str) -> Iterator[Change | Fault]:
    place = skip(words, 0, ("COLUMN",), ("COLUMNS",), ("IF", "NOT", "EXISTS"))
    for part in _inner(words[place:]):
        column, fault = read_definition(part, text, dialect)
        if column:
            yield Change("add", column.name, column, line=column.line)
        if fault:
            yield fault


def _read_drop(words: Sequence[Word], text: str, dialect: str) -> Iterator[Change | Fault]:
    del text, dialect
    place = skip(words, 0, ("COLUMN",), ("COLUMNS",), ("IF", "EXISTS"))
    for part in _inner(words[place:]):
        if part[0].is_word:
            yield Change("drop", part[0].identifier(), line=part[0].line)


def _read_rename(words: Sequence[Word], text: str, dialect: str) -> Iterator[Change | Fault]:
    place = skip(words, 0, ("COLUMN",), ("IF", "EXISTS"))
    if words[0].upper in {"TO", "AS"}:
        path, _ = read_path(words, 1, text, dialect)
        if path:
            yield Change("rename_table", path[-1], line=words[0].line)
    elif len(words) > place + 2 and words[place + 1].upper == "TO":
        old, new = words[place].identifier(), words[place + 2].identifier()
        yield Change("rename", old, new=new, line=words[place].line)
    else:
        yield Fault("it renames something that is not understood", words[0].line)


def _read_change(words: Sequence[Word], text: str, dialect: str) -> Iterator[Change | Fault]:
    """Yield a column's other name and type: `CHANGE old new VARCHAR(20)`."""
    place = skip(words, 0, ("COLUMN",))
    if len(words) < place + 2:
        yield Fault("it changes something that is not understood", words[0].line)
        return
    column, fault = read_definition(words[place + 1 :], text, dialect)
    if column:
        old = words[place].identifier()
        yield Change("rename", old, column, column.name, words[place].line)
    if fault:
        yield fault


def _read_retype(words: Sequence[Word], text: str, dialect: str) -> Iterator[Change | Fault]:
    """Yield a column's other type: `MODIFY (a VARCHAR2(20))`, `ALTER COLUMN a TYPE text`."""
    place = skip(words, 0, ("COLUMN",))
    for part in _inner(words[place:]):
        note = text_after(part[1:], "COMMENT")
        if note is not None and part[1].upper == "COMMENT":
            remark = Column(part[0].identifier(), None, note, part[0].line)
            yield Change("retype", remark.name, remark, line=remark.line)
            continue
        after = skip(part, 1, ("SET", "DATA"), ("TYPE",))
        if len(part) == after or part[after].upper in {*_OTHERS, "ADD", "DROP", "RESTART"}:
            continue
        if is_constraint(part, dialect):
            continue
        column, _ = read_definition([part[0], *part[after:]], text, dialect)
        if column and column.data_type:
            yield Change("retype", column.name, column, line=column.line)


def _read_comment(words: Sequence[Word], text: str, dialect: str) -> Iterator[Change | Fault]:
    del text, dialect
    place = skip(words, 0, ("COLUMN",))
    if has(words, place + 1, "=") and len(words) > place + 2 and words[place + 2].is_text:
        name, line = words[place].identifier(), words[place].line
        yield Change("retype", name, Column(name, None, words[place + 2].text, line), line=line)
    else:
        yield Fault("the comments on columns are not understood", words[0].line)


_READERS = {
    "COMMENT": _read_comment,
    "ADD": _read_add,
    "DROP": _read_drop,
    "RENAME": _read_rename,
    "CHANGE": _read_change,
    "MODIFY": _read_retype,
    "ALTER": _read_retype,
}
