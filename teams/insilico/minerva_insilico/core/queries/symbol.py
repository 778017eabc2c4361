"""Find definitions, by their name and by the words it is made of."""

from collections.abc import Iterator
from typing import Literal

from minerva_insilico.core.facts.identifier_words import split_identifier
from minerva_insilico.core.index.index import SELECT_SYMBOLS, Index, Page, SymbolRef, symbol_of

_DEFAULT_LIMIT = 50
_MAX_WORDS = 12

_SELECT_OUTLINE = (
    "SELECT CASE WHEN f.module = '' THEN o.qualname ELSE f.module || '.' || o.qualname END,"
    " o.kind, f.path, o.line, o.end_line, o.signature, '', NULL, 0, 0"
    " FROM outline AS o JOIN files AS f ON f.id = o.file"
)
_MATCH = "SELECT rowid FROM symbol_words WHERE symbol_words MATCH ?"
# A word of the name itself counts more than one of its docstring's first sentence, and that more
# than one of the module and class around, which all names in a file share.
_BY_RANK = " ORDER BY bm25(symbol_words, 10.0, 2.0, 3.0), rowid LIMIT ?"


def find_symbol(index: Index, query: str, *, limit: int = _DEFAULT_LIMIT) -> Page[SymbolRef]:
    """Find definitions: `load`, `T.load`, `pkg.a.load`, `parse date` for `parseDate`.

    The name itself comes first, then the name in another case, then names with all of the words,
    those of them first whose own name they are; then, if there is none, names with some of them.
    """
    named = sorted(_find_named(index, query), key=lambda symbol: _rank(symbol, query))
    found = {(symbol.path, symbol.line, symbol.qualname): symbol for symbol in named}
    expression, total = _expression(index, query)
    if not expression:
        return Page(tuple(found.values())[:limit], len(found))
    rows = index.connection.execute(_MATCH + _BY_RANK, (expression, limit + len(found)))
    for (number,) in rows.fetchall() if len(found) < limit else ():
        symbol = _symbol_by_number(index, number)
        found.setdefault((symbol.path, symbol.line, symbol.qualname), symbol)
    # A name is made of its words, so what has the name is among what has the words.
    return Page(tuple(found.values())[:limit], max(total, len(found)))


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


def _find_named(index: Index, query: str) -> Iterator[SymbolRef]:
    """Yield what bears the last name of `query`, in any case, and ends as `query` does."""
    name = query.rpartition(".")[2]
    folded = query.lower()
    for select, alias in ((SELECT_SYMBOLS, "s"), (_SELECT_OUTLINE, "o")):
        rows = index.connection.execute(
            f"{select} WHERE {alias}.name = ? COLLATE NOCASE ORDER BY f.path, {alias}.line", (name,)
        )
        for row in rows:
            symbol = symbol_of(row)
            qualname = symbol.qualname.lower()
            if qualname == folded or qualname.endswith(f".{folded}"):
                yield symbol


def _rank(symbol: SymbolRef, query: str) -> tuple[object, ...]:
    is_named = symbol.qualname == query or symbol.qualname.endswith(f".{query}")
    return (
        symbol.qualname != query,
        not is_named,
        symbol.kind in {"attribute", "module"},
        symbol.path,
        symbol.line,
    )


def _expression(index: Index, query: str) -> tuple[str, int]:
    """Return the full-text query for the words of `query`, and how many symbols have them."""
    words = split_identifier(query).split()[:_MAX_WORDS]
    if not words:
        return "", 0
    quoted = [f'"{word}"*' for word in words]
    for columns, joint in (("name around summary", " AND "), ("name", " OR ")):
        expression = f"{{{columns}}} : ({joint.join(quoted)})"
        count = "SELECT count(*) FROM symbol_words WHERE symbol_words MATCH ?"
        total = int(index.connection.execute(count, (expression,)).fetchone()[0])
        if total:
            return expression, total
    return "", 0


def _symbol_by_number(index: Index, number: int) -> SymbolRef:
    if number > 0:
        query, value = f"{SELECT_SYMBOLS} WHERE s.id = ?", number
    else:
        query, value = f"{_SELECT_OUTLINE} WHERE o.id = ?", -number
    return symbol_of(index.connection.execute(query, (value,)).fetchone())
