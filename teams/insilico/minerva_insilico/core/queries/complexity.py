"""How complex functions and files are, by the rule and the letters of radon 6.0.1."""

from collections.abc import Iterator
from dataclasses import dataclass

from minerva_insilico.core.index.index import SELECT_SYMBOLS, Index, Page, SymbolRef, symbol_of
from minerva_insilico.core.queries.symbol import named_exactly

_DEFAULT_SHOWN = 50
_RANKS = ((5, "A"), (10, "B"), (20, "C"), (30, "D"), (40, "E"))
_FUNCTIONS = frozenset({"function", "method"})


@dataclass(frozen=True)
class FileComplexity:
    """The functions of one file."""

    path: str
    functions: int
    highest: int
    total: int

    @property
    def mean(self) -> float:
        """The mean of its functions, with one decimal."""
        return round(self.total / self.functions, 1)


def rank(complexity: int) -> str:
    """Return radon's letter: A (1 to 5, simple) … F (more than 40, error-prone)."""
    return next((letter for most, letter in _RANKS if complexity <= most), "F")


def complex_functions(
    index: Index, *, of: str = "", path: str = "", at_least: int = 1, limit: int = _DEFAULT_SHOWN
) -> Page[SymbolRef]:
    """Return the functions and methods, the most complex first.

    `of` is a path, the beginning of one, or a symbol: then what is inside it counts. `path`
    is one whole file.
    """
    functions = _functions(index, of, path)
    found = [symbol for symbol in functions if symbol.complexity >= at_least]
    found.sort(key=lambda item: (-item.complexity, item.path, item.line))
    return Page(tuple(found[:limit]), len(found))


def complexity_by_file(
    index: Index, *, of: str = "", limit: int = _DEFAULT_SHOWN
) -> Page[FileComplexity]:
    """Return the files with functions, that with the most complex function first."""
    points: dict[str, list[int]] = {}
    for symbol in _functions(index, of):
        points.setdefault(symbol.path, []).append(symbol.complexity)
    files = [FileComplexity(path, len(all_), max(all_), sum(all_)) for path, all_ in points.items()]
    files.sort(key=lambda item: (-item.highest, -item.total, item.path))
    return Page(tuple(files[:limit]), len(files))


def _functions(index: Index, of: str, path: str = "") -> Iterator[SymbolRef]:
    around = () if not of or "/" in of or of.endswith(".py") else named_exactly(index, of)
    where, values = (" WHERE f.path = ?", (path,)) if path else ("", ())
    rows = index.connection.execute(
        SELECT_SYMBOLS + where + " ORDER BY f.path, s.line, s.id", values
    )
    for symbol in map(symbol_of, rows):
        if symbol.kind in _FUNCTIONS and _is_of(symbol, of, around):
            yield symbol


def _is_of(symbol: SymbolRef, of: str, around: tuple[SymbolRef, ...]) -> bool:
    if around:
        return any(
            symbol.path == item.path and item.line <= symbol.line <= item.end_line
            for item in around
        )
    return symbol.path == of or symbol.path.startswith(of)
