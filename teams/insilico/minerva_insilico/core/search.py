"""Find symbols by name, and any text."""

from dataclasses import dataclass

from minerva_insilico.core.index import SYMBOL_COLUMNS, Index, Page, SymbolRef, symbol_of

_LIMIT = 50


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
    name = query.rpartition(".")[2]
    pattern = "%" + _escaped(query if "." in query else name) + "%"
    full = f"CASE WHEN s.qualname = '' THEN f.module ELSE f.module || '.' || s.qualname END"
    where = "s.name LIKE ?" if "." not in query else f"{full} LIKE ?"
    source = f"FROM symbols AS s JOIN files AS f ON f.id = s.file WHERE {where} ESCAPE '\\'"
    count = index.connection.execute(f"SELECT count(*) {source}", (pattern,)).fetchone()[0]
    rows = index.connection.execute(
        f"SELECT {SYMBOL_COLUMNS} {source} ORDER BY"
        f" CASE WHEN {full} = ?2 THEN 0 WHEN s.name = ?3 AND {full} LIKE ?4 ESCAPE '\\' THEN 1"
        " WHEN lower(s.name) = lower(?3) THEN 2 ELSE 3 END,"
        " s.kind = 'module', length(s.name), f.path, s.line LIMIT ?5",
        (pattern, query, name, "%" + _escaped(query), limit),
    )
    return Page(tuple(symbol_of(row) for row in rows), count)


def named_exactly(index: Index, query: str) -> tuple[SymbolRef, ...]:
    """Return the symbols that `query` names: its last part exactly, the rest as a suffix."""
    name = query.rpartition(".")[2]
    rows = index.connection.execute(
        f"SELECT {SYMBOL_COLUMNS} FROM symbols AS s JOIN files AS f ON f.id = s.file"
        " WHERE s.name = ? COLLATE NOCASE AND s.name = ? ORDER BY f.path, s.line",
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


def largest(index: Index, *, by: str, limit: int) -> tuple[SymbolRef, ...]:
    """Return the functions with the most `lines` or the most `complexity`."""
    measure = {"lines": "s.end_line - s.line", "complexity": "s.complexity"}[by]
    rows = index.connection.execute(
        f"SELECT {SYMBOL_COLUMNS} FROM symbols AS s JOIN files AS f ON f.id = s.file"
        " WHERE s.kind IN ('function', 'method')"
        f" ORDER BY {measure} DESC, f.path, s.line LIMIT ?",
        (limit,),
    )
    return tuple(symbol_of(row) for row in rows)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
