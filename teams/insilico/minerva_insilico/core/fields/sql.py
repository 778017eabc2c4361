"""Column and table names inside string literals that are SQL.

Legacy code builds statements from pieces, so a literal is SQL if it opens as a
statement or, in capitals, as a piece of one. A statement sqlglot cannot parse
still yields its identifiers: a column that is missed would break later.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

HOLE = "minerva_hole"
"""Stands for the parts of a statement which Python fills in at run time."""

_MAX_PARSED_CHARACTERS = 100_000
"""Characters of a parsed statement. A longer one, such as a dump, is scanned word by word."""
_MAX_LINE_CHARACTERS = 2_000
_STATEMENT_NEEDS = {
    "SELECT": re.compile(r"\bFROM\b", re.IGNORECASE),
    "WITH": re.compile(r"\bAS\s*\(", re.IGNORECASE),
    "INSERT": re.compile(r"\bINTO\b", re.IGNORECASE),
    "REPLACE": re.compile(r"\bINTO\b", re.IGNORECASE),
    "MERGE": re.compile(r"\bINTO\b", re.IGNORECASE),
    "UPDATE": re.compile(r"\bSET\b", re.IGNORECASE),
    "DELETE": re.compile(r"\bFROM\b", re.IGNORECASE),
    "CREATE": re.compile(r"\b(?:TABLE|VIEW|INDEX)\b", re.IGNORECASE),
    "ALTER": re.compile(r"\bTABLE\b", re.IGNORECASE),
    "COMMENT": re.compile(r"\bON\s+COLUMN\b", re.IGNORECASE),
}
_PIECES = frozenset(
    "SELECT FROM WHERE AND OR SET JOIN LEFT RIGHT INNER OUTER FULL CROSS ON ORDER GROUP HAVING"
    " VALUES UNION USING".split()
)
_KEYWORDS = _PIECES | frozenset(
    "ALL ANY AS ASC BETWEEN BY CASE CAST CREATE CROSS DELETE DESC DISTINCT ELSE END EXISTS FALSE"
    " FETCH FIRST FOR IN INDEX INSERT INTO IS LIKE LIMIT MERGE NEXT NOT NULL OFFSET ONLY OVER"
    " PARTITION REPLACE ROW ROWS TABLE THEN TOP TRUE UPDATE VIEW WHEN WITH".split()
)
_FIRST_WORD = re.compile(r"[\s(]*([A-Za-z]+)")
_LOOKS_WRITTEN = re.compile(r"[=<>?]|%s|%\(|:\w|\bvalues\s*\(|\bwhere\b", re.IGNORECASE)
_FILLED = re.compile(r"%\((\w+)\)s|%s|\{[^{}]*\}|\(\+\)|%%")
_FROM_IN_CALL = re.compile(
    r"\b((?:EXTRACT|OVERLAY|SUBSTRING|TRIM)\s*\([^()]{0,80}?)\bFROM\b", re.IGNORECASE
)
_NAMED_RESULT = re.compile(r"\bAS[ \t]+\w+", re.IGNORECASE)
_COMMENT = re.compile(r"('[^']*')|--[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_QUOTED = re.compile(r"'[^']*'")
_WORD = re.compile(r"(?<![:\w@%])[^\W\d]\w*")
_ALIAS = re.compile(
    r"\b(?:FROM|JOIN|UPDATE|INTO)\s+([\w.\"`\[\]]+)(?:\s+(?:AS\s+)?([^\W\d]\w*))?", re.IGNORECASE
)
_TABLE = re.compile(r"\b(?:FROM|JOIN|UPDATE|INTO|TABLE)\s+([\w.\"`\[\]]+)", re.IGNORECASE)


@dataclass(frozen=True)
class Statement:
    """The names in one literal, as written."""

    columns: tuple[str, ...]
    tables: tuple[str, ...]
    aliases: tuple[tuple[str, str], ...] = ()
    """(short name, table), in lower case. A query's name stands for the tables that it reads."""
    outputs: tuple[tuple[str, str, str], ...] = ()
    """(name of an inner query, column it gives, tables of that column), the names in lower case."""
    is_open: bool = False
    """True if a table is filled in at run time."""

    def tables_of(self, alias: str, column: str) -> str | None:
        """Return the tables of `alias.column`, both in lower case."""
        return self._tables_by_output.get((alias, column)) or self._tables_by_alias.get(alias)

    @cached_property
    def _tables_by_alias(self) -> dict[str, str]:
        return dict(self.aliases)

    @cached_property
    def _tables_by_output(self) -> dict[tuple[str, str], str]:
        return {(query, column): tables for query, column, tables in self.outputs}


def read_statement(text: str) -> Statement | None:
    """Return the names used by `text`, or None if it is not SQL."""
    word = _opening(text)
    needed = _STATEMENT_NEEDS.get(word.upper())
    if needed and needed.search(text):
        parsed = _parse(text) if len(text) <= _MAX_PARSED_CHARACTERS else None
        if parsed:
            return parsed
        if word.isupper() or _LOOKS_WRITTEN.search(text):
            return _scan(text)
        return None
    return _scan(text) if word in _PIECES else None


def read_piece(text: str) -> Statement:
    """Return the names used by a text that is known to be SQL, or a part of it."""
    return _scan(text)


def without_comments(text: str) -> str:
    """Return SQL with its comments blanked and its lines kept."""
    if "--" not in text and "/*" not in text:
        return text
    return _COMMENT.sub(lambda match: match[1] or "\n" * match[0].count("\n"), text)


def lines_of(text: str) -> list[str]:
    """Return the lines of SQL without comments and without names of results (`AS total`)."""
    return _NAMED_RESULT.sub("", without_comments(text)).split("\n")


def tables_on_line(line: str, column: str, statement: Statement) -> str:
    """Return the tables a column belongs to on a line, if a short name stands before each."""
    if not statement.aliases or len(line) > _MAX_LINE_CHARACTERS:
        return ""
    found: list[str] = []
    for match in re.finditer(rf"(?:(\w+)\.)?\b{re.escape(column)}\b", line, re.IGNORECASE):
        alias = (match.group(1) or "").lower()
        table = statement.tables_of(alias, column.lower())
        if table is None or table == HOLE:
            return ""
        found += table.split()
    return " ".join(dict.fromkeys(found))


def words_of(line: str) -> Iterator[str]:
    """Yield the identifiers of a line, bind names (`:name`) left out."""
    return (match.group() for match in _WORD.finditer(line))


def _opening(text: str) -> str:
    """Return the first word after leading comments.

    A loop, because a regular expression over repeated comments can take
    exponential time on a hostile literal.
    """
    start = 0
    while True:
        start += len(text[start : start + 4096]) - len(text[start : start + 4096].lstrip())
        if text.startswith("--", start):
            end = text.find("\n", start)
        elif text.startswith("/*", start):
            end = text.find("*/", start) + 1
        else:
            break
        if end <= start:
            return ""
        start = end + 1
    match = _FIRST_WORD.match(text, start)
    return match.group(1) if match else ""


def _fill(match: re.Match[str]) -> str:
    found = match.group()
    if match.group(1):
        return f":{match.group(1)}"
    return {"%s": "?", "(+)": "", "%%": "%"}.get(found, HOLE)


def trees_of(text: str) -> list[Any] | None:
    """Return the parsed statements of `text`, holes filled, or None if sqlglot cannot parse it."""
    from sqlglot import ErrorLevel, exp, parse  # noqa: PLC0415 - 0.3 s, only if there is SQL
    from sqlglot.errors import SqlglotError  # noqa: PLC0415

    filled = _FILLED.sub(_fill, text)
    for dialect in ("mysql",) if "`" in filled else (None, "oracle"):
        try:
            trees = parse(filled, dialect=dialect, error_level=ErrorLevel.IMMEDIATE)
        except (SqlglotError, RecursionError):
            continue
        found: list[Any] = [tree for tree in trees if tree is not None]
        if found and not any(isinstance(tree, exp.Command) for tree in found):
            return found
    return None


def _parse(text: str) -> Statement | None:
    found = trees_of(text)
    if found is None:
        return None
    from sqlglot import exp  # noqa: PLC0415

    nodes = list(chain.from_iterable(tree.walk() for tree in found))
    columns = [node for node in nodes if isinstance(node, exp.Identifier)]
    tables = [node for node in nodes if isinstance(node, exp.Table)]
    queries = dict(queries_of(nodes))
    return Statement(
        columns=_unique(str(node.this) for node in columns if _is_column(node)),
        tables=_unique(str(node.name) for node in tables),
        aliases=tuple(short_names(tables, queries)),
        outputs=tuple(outputs_of(tables, queries)),
        is_open=any(str(node.name) == HOLE for node in tables),
    )


def _is_column(identifier: object) -> bool:
    """True if an identifier of a parsed statement names a column."""
    from sqlglot import exp  # noqa: PLC0415

    if not isinstance(identifier, exp.Identifier):
        return False
    parent = identifier.parent
    if isinstance(parent, exp.Table | exp.TableAlias | exp.CTE):
        return False
    if isinstance(parent, exp.Alias):
        return identifier.arg_key != "alias"
    if isinstance(parent, exp.Column):
        return identifier.arg_key == "this"
    return True


def _scan(text: str) -> Statement:
    plain = _QUOTED.sub(" ", _FILLED.sub(_fill, without_comments(text)))
    plain = _FROM_IN_CALL.sub(r"\1 ", plain)
    tables = _unique(name.strip('"`[]') for name in _TABLE.findall(plain))
    lowered = {part.lower() for table in tables for part in table.split(".")}
    names = (
        match.group()
        for match in _WORD.finditer(plain)
        if match.group().upper() not in _KEYWORDS and match.group().lower() not in lowered
    )
    aliases = _aliases(plain)
    is_open = any(table == HOLE for _, table in aliases)
    return Statement(columns=_unique(names), tables=tables, aliases=aliases, is_open=is_open)


def _aliases(plain: str) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    for table, alias in _ALIAS.findall(plain):
        name = table.strip('"`[]').rpartition(".")[2]
        found.append((name.lower(), name))
        if alias and alias.upper() not in _KEYWORDS:
            found.append((alias.lower(), name))
    return tuple(found)


def _unique(names: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name and name != HOLE))


def queries_of(nodes: Iterable[object]) -> Iterator[tuple[str, Any]]:
    """Yield (name, query) for `WITH name AS (query)` and `(query) name`."""
    from sqlglot import exp  # noqa: PLC0415

    for node in nodes:
        if isinstance(node, exp.CTE | exp.Subquery) and isinstance(node.this, exp.Select):
            yield str(node.alias_or_name).lower(), node.this


def short_names(tables: Iterable[Any], queries: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (short name, the tables it stands for)."""
    read = {
        name: " ".join(dict.fromkeys(_tables_in(query).values())) for name, query in queries.items()
    }
    for table in tables:
        name = str(table.name)
        yield str(table.alias_or_name).lower(), read.get(name.lower()) or name
    yield from read.items()


def outputs_of(tables: Iterable[Any], queries: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield what each inner query gives, under each name that the query has.

    `WITH late AS (SELECT s.seen FROM shipment s) SELECT late.seen FROM late` reads `shipment.seen`.
    """
    names: dict[str, set[str]] = {name: {name} for name in queries}
    for table in tables:
        if str(table.name).lower() in names:
            names[str(table.name).lower()].add(str(table.alias_or_name).lower())
    for name, query in queries.items():
        given = dict(_output_columns(name, query))
        for short in sorted(names[name]):
            yield from ((short, column, found) for column, found in given.items())


def _output_columns(name: str, query: Any) -> Iterator[tuple[str, str]]:
    """Yield (column, its possible tables). A computed column is of the query itself."""
    from sqlglot import exp  # noqa: PLC0415

    inner = _tables_in(query)
    every = " ".join(dict.fromkeys(inner.values()))
    for given in query.expressions:
        if given.alias_or_name and not given.is_star:
            is_column = isinstance(given, exp.Column)
            found = inner.get(str(given.table).lower(), every) if is_column else name
            yield str(given.alias_or_name).lower(), found


def _tables_in(query: Any) -> dict[str, str]:
    """Return {short name: table} of a query."""
    from sqlglot import exp  # noqa: PLC0415

    found = query.find_all(exp.Table)
    return {str(table.alias_or_name).lower(): str(table.name) for table in found}
