"""Read what a CREATE TABLE says: the table's name and its columns, in any of the dialects."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from minerva_reading.ddl.column_definition import Column, Fault, read_definition, text_after
from minerva_reading.ddl.sql_word import Word, close_of, has, outer, parts_of, skip, words_of
from minerva_reading.identifier import PLACEHOLDERS, Identifier

Path = tuple[Identifier, ...]
"""The name of a table, with what stands before it, outermost first."""

_NO_COLUMNS = "it names no columns that can be read"


@dataclass(slots=True)
class TableDefinition:
    """A table as a statement defines it.

    `like` are the tables whose columns it takes over, before its own; `is_part` a partition, whose
    columns are those of the partitioned table.
    """

    path: Path
    columns: list[Column] = field(default_factory=list[Column])
    faults: list[Fault] = field(default_factory=list[Fault])
    comment: str = ""
    like: list[Path] = field(default_factory=list[Path])
    is_part: bool = False


def read_table(text: str, dialect: str) -> TableDefinition | None:
    """Return the table that a CREATE TABLE statement defines, None if it names no table.

    Raises:
        SqlglotError: a quotation mark or a bracket in it is not closed.
    """
    words = words_of(text, dialect)
    start = next((place for place, word in enumerate(words) if word.upper == "TABLE"), len(words))
    place = skip(words, start + 1, ("IF", "NOT", "EXISTS"))
    path, place = read_path(words, place, text, dialect)
    if not path:
        return None
    table = TableDefinition(path)
    if has(words, place, "PARTITION", "OF"):
        table.is_part = True
        return table
    for offset, word in outer(words[place:]):
        at = place + offset
        if word.upper == "(" and words[at - 1].upper != "BY":
            _read_body(words, at, text, dialect, table)
            return table
        if word.upper in {"LIKE", "CLONE"}:
            table.like.append(read_path(words, at + 1, text, dialect)[0])
            return table
        if word.upper in {"AS", "SELECT"}:
            query = at + 1 if word.upper == "AS" else at
            _read_query(words[query:], text, dialect, table)
            return table
    table.faults.append(Fault(_NO_COLUMNS, words[0].line))
    return table


def read_path(words: Sequence[Word], place: int, text: str, dialect: str) -> tuple[Path, int]:
    """Return the name of a table that begins at `place`, and the place after it."""
    parts: list[Identifier] = []
    while place < len(words):
        end = _part_end(words, place)
        if end == place:
            break
        if end == place + 1 and words[place].is_word:
            name = words[place].identifier()
            is_path = dialect == "bigquery" and name.is_quoted  # `project.dataset.table`
            names = name.text.split(".") if is_path else [name.text]
            parts += [Identifier(part, name.is_quoted) for part in names]
        else:
            parts.append(Identifier(text[words[place].start : words[end - 1].end]))
        place = end
        if not has(words, place, "."):
            break
        while has(words, place, "."):  # SQL*Plus ends the name of a variable with one more
            place += 1
    return tuple(parts), place


def _part_end(words: Sequence[Word], place: int) -> int:
    """Return the place after one part of a name: a word, or what a template fills in."""
    if not (words[place].is_word or words[place].upper[:1] in PLACEHOLDERS):
        return place
    depth, end = 0, place
    while end < len(words):
        mark = words[end].upper
        depth += {"{": 1, "}": -1}.get(mark, 0)
        end += 1
        if end == len(words) or depth:
            continue
        is_joined = words[end].start == words[end - 1].end and words[end].upper not in {
            ".",
            "(",
            ",",
        }
        if not is_joined or words[end - 1].start == words[end].start:
            break
    return end


def _read_body(
    words: Sequence[Word], opening: int, text: str, dialect: str, table: TableDefinition
) -> None:
    closing = close_of(words, opening)
    if closing is None:
        message = "the bracket that its columns begin with is not closed"
        raise SqlglotError(message)
    if words[opening + 1].upper == "SELECT":
        _read_query(words[opening + 1 : closing], text, dialect, table)
        return
    read_definitions(parts_of(words[opening + 1 : closing]), text, dialect, table)
    rest = words[closing + 1 :]
    table.comment = text_after(rest, "COMMENT") or ""
    for place, word in outer(rest):
        if has(rest, place, "INHERITS", "("):
            for part in parts_of(rest[place + 2 : close_of(rest, place + 1)]):
                table.like.append(read_path(part, 0, text, dialect)[0])
        if has(rest, place, "PARTITIONED", "BY", "("):
            inner = rest[place + 3 : close_of(rest, place + 2)]
            typed = [part for part in parts_of(inner) if len(part) > 1 and part[1].is_type]
            read_definitions(typed, text, dialect, table)
        if word.upper == "SELECT" and dialect == "mysql":  # it adds the columns of its query
            _read_query(rest[place:], text, dialect, table)
        if word.upper in {"CREATE", "SELECT"}:  # what follows CREATE has no `;` before it
            break
    if not (table.columns or table.faults or table.like):
        table.faults.append(Fault(_NO_COLUMNS, words[0].line))


def read_definitions(
    parts: Sequence[Sequence[Word]], text: str, dialect: str, table: TableDefinition
) -> None:
    """Add what stands between the commas of a table's brackets to `table`."""
    for part in parts:
        if part[0].upper == "LIKE" and len(part) > 1 and not part[1].is_type:
            table.like.append(read_path(part, 1, text, dialect)[0])
            continue
        column, fault = read_definition(part, text, dialect)
        table.columns += [column] if column else []
        table.faults += [fault] if fault else []


def _read_query(words: Sequence[Word], text: str, dialect: str, table: TableDefinition) -> None:
    """Add the columns that a query names; their types are those that it casts to."""
    if not words:
        table.faults.append(Fault(_NO_COLUMNS, 1))
        return
    tree = _parse(text[words[0].start : words[-1].end], dialect)
    if tree is None and dialect == "mysql":  # `"` holds names in its mode ANSI_QUOTES
        names = (f"`{one.text}`" if one.is_double else text[one.start : one.end] for one in words)
        tree = _parse(" ".join(names), dialect)
    selects = tree.selects if isinstance(tree, exp.Query) else []
    line = words[0].line
    for select in selects:
        name = select.args.get("alias") or (select.this if isinstance(select, exp.Column) else None)
        if not isinstance(name, exp.Identifier):
            said = select.sql(dialect)
            table.faults.append(Fault(f"its query does not name the columns of `{said}`", line))
            continue
        cast = select.unalias()
        kind = cast.to.sql(dialect) if isinstance(cast, exp.Cast) else None
        at = line + int(name.meta.get("line", 1)) - 1
        found = Identifier(name.name, bool(name.args.get("quoted")))
        table.columns.append(Column(found, kind, None, at))
    if not selects:
        table.faults.append(Fault("its columns are those of a query that is not understood", line))


def _parse(query: str, dialect: str) -> exp.Expr | None:
    try:
        return sqlglot.parse_one(query, read=dialect)
    except SqlglotError:
        return None
