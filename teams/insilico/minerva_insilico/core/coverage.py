"""Docstring coverage by the default rule of interrogate.

Modules, classes and every function or method count: nested, private, magic,
`__init__` and overloads included. An empty docstring counts as missing.
"""

from dataclasses import dataclass

from minerva_insilico.core.index import SELECT_SYMBOLS, Index, Page, SymbolRef, symbol_of

_LIMIT = 10_000


@dataclass(frozen=True)
class Coverage:
    """How many definitions have a docstring."""

    total: int
    covered: int

    @property
    def missing(self) -> int:
        """How many have none."""
        return self.total - self.covered

    @property
    def percent(self) -> float:
        """The covered share with one decimal; 100 for a tree without definitions."""
        return round(100 * self.covered / self.total, 1) if self.total else 100.0


def coverage(index: Index, *, under: str = "") -> Coverage:
    """Count the definitions in files whose path begins with `under`."""
    row = index.connection.execute(
        "SELECT count(*), coalesce(sum(s.documented), 0) FROM symbols AS s"
        " JOIN files AS f ON f.id = s.file WHERE substr(f.path, 1, ?) = ?",
        (len(under), under),
    ).fetchone()
    return Coverage(total=row[0], covered=row[1])


def coverage_by_file(index: Index, *, under: str = "") -> dict[str, Coverage]:
    """Count each file, worst first."""
    rows = index.connection.execute(
        "SELECT f.path, count(*), sum(s.documented) FROM symbols AS s"
        " JOIN files AS f ON f.id = s.file WHERE substr(f.path, 1, ?) = ? GROUP BY f.path"
        " ORDER BY count(*) - sum(s.documented) DESC, f.path",
        (len(under), under),
    )
    return {path: Coverage(total, covered) for path, total, covered in rows}


def undocumented(index: Index, *, under: str = "", limit: int = _LIMIT) -> Page[SymbolRef]:
    """Return the definitions without a docstring, by path and line."""
    rows = index.connection.execute(
        SELECT_SYMBOLS
        + " WHERE s.documented = 0 AND substr(f.path, 1, ?) = ? ORDER BY f.path, s.line, s.id",
        (len(under), under),
    ).fetchall()
    return Page(tuple(symbol_of(row) for row in rows[:limit]), len(rows))
