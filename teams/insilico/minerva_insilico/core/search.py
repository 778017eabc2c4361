"""Find symbols by name, and any text."""

from dataclasses import dataclass
from typing import Literal

from minerva_insilico.core.index import SELECT_SYMBOLS, Index, Page, SymbolRef, symbol_of

_LIMIT = 50
_COUNT = "SELECT count(*) FROM symbols AS s JOIN files AS f ON f.id = s.file"
_NAME_HAS_PART = " WHERE s.name LIKE :part ESCAPE '\\'"
_FULL_HAS_PART = " WHERE f.module || '.' || s.qualname LIKE :part ESCAPE '\\'"
_BEST_FIRST = (
    " ORDER BY CASE WHEN rtrim(f.module || '.' || s.qualname, '.') = :query THEN 0"
    " WHEN s.name = :name AND f.module || '.' || s.qualname LIKE :end ESCAPE '\\' THEN 1"
    " WHEN lower(s.name) = lower(:name) THEN 2 ELSE 3 END,"
    " s.kind = 'module', length(s.name), f.path, s.line LIMIT :limit"
)


@dataclass(frozen=True)
class TextHit:
    """A line that holds a text."""

    path: str
    line: int
    snippet: str


def find_symbol(index: Index, query: str, *, limit: int = _LIMIT) -> Page[SymbolRef]:
    """Find definitions by name: `load`, `T.load` or `pkg.a.load`.

    The name itself comes first, then the name in another case, then names that
    contain it.
    """
    values = {
        "query": query,
        "name": query.rpartition(".")[2],
        "end": "%" + _escaped(query),
        "part": "%" + _escaped(query) + "%",
        "limit": limit,
    }
    where = _FULL_HAS_PART if "." in query else _NAME_HAS_PART
    total = index.connection.execute(_COUNT + where, values).fetchone()[0]
    rows = index.connection.execute(SELECT_SYMBOLS + where + _BEST_FIRST, values)
    return Page(tuple(symbol_of(row) for row in rows), total)


def named_exactly(index: Index, query: str) -> tuple[SymbolRef, ...]:
    """Return the symbols that `query` names: its last part exactly, the rest as a suffix."""
    name = query.rpartition(".")[2]
    rows = index.connection.execute(
        SELECT_SYMBOLS + " WHERE s.name = ? COLLATE NOCASE AND s.name = ? ORDER BY f.path, s.line",
        (name, name),
    )
    found = (symbol_of(row) for row in rows)
    return tuple(
        symbol
        for symbol in found
        if symbol.qualname == query or symbol.qualname.endswith(f".{query}")
    )


def find_text(index: Index, text: str, *, limit: int = _LIMIT) -> Page[TextHit]:
    """Find a text, in any case, in the sources as they were indexed. No pattern syntax."""
    wanted = text.casefold()
    hits: list[TextHit] = []
    total = 0
    paths = index.connection.execute("SELECT path FROM files WHERE source NOTNULL ORDER BY path")
    for (path,) in paths.fetchall() if wanted else ():
        for number, line in enumerate(index.lines(path), start=1):
            if wanted in line.casefold():
                total += 1
                if len(hits) < limit:
                    hits.append(TextHit(path, number, index.snippet(path, number)))
    return Page(tuple(hits), total)


def largest(
    index: Index, *, by: Literal["lines", "complexity"], limit: int
) -> tuple[SymbolRef, ...]:
    """Return the functions with the most lines or the highest complexity."""
    rows = index.connection.execute(
        SELECT_SYMBOLS + " WHERE s.kind IN ('function', 'method') ORDER BY"
        " CASE ? WHEN 'lines' THEN s.end_line - s.line ELSE s.complexity END DESC,"
        " f.path, s.line LIMIT ?",
        (by, limit),
    )
    return tuple(symbol_of(row) for row in rows)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
