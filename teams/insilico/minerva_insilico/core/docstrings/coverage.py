"""Docstring coverage by the rule of interrogate 1.7, whose options it knows by their names.

By default modules, classes and every function or method count: nested, private,
magic, `__init__` and overloads included. An empty docstring counts as missing.
Two options take more out than there: asynchronous functions in functions are
nested functions, too, and a nested class goes with all it holds.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from minerva_insilico.core.index.index import SELECT_SYMBOLS, Index, Page, SymbolRef, symbol_of

_LIMIT = 10_000


class Ignorable(StrEnum):
    """What interrogate leaves out when it is called with `--ignore-…`."""

    INIT_METHOD = "init-method"
    INIT_MODULE = "init-module"
    MAGIC = "magic"
    MODULE = "module"
    NESTED_CLASSES = "nested-classes"
    NESTED_FUNCTIONS = "nested-functions"
    OVERLOADED_FUNCTIONS = "overloaded-functions"
    PRIVATE = "private"
    PROPERTY_DECORATORS = "property-decorators"
    SEMIPRIVATE = "semiprivate"
    SETTERS = "setters"


@dataclass(frozen=True)
class CountRule:
    """What counts. What stands inside something ignored for its name is ignored, too."""

    ignored: frozenset[Ignorable] = frozenset()
    public_only: bool = False
    """Leave out names that begin with `_` (magic methods and `__init__` excepted), modules
    and packages named so, and everything inside a function."""


EVERYTHING = CountRule()


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


def coverage(
    index: Index, *, under: str = "", path: str = "", rule: CountRule = EVERYTHING
) -> Coverage:
    """Count the definitions in files whose path begins with `under`, or in one file."""
    found = [symbol.documented for symbol in _counted(index, under, rule, path)]
    return Coverage(total=len(found), covered=sum(found))


def coverage_by_file(
    index: Index, *, under: str = "", rule: CountRule = EVERYTHING
) -> dict[str, Coverage]:
    """Count each file, worst first."""
    found: dict[str, list[bool]] = {}
    for symbol in _counted(index, under, rule):
        found.setdefault(symbol.path, []).append(symbol.documented)
    counts = {path: Coverage(len(items), sum(items)) for path, items in found.items()}
    return dict(sorted(counts.items(), key=lambda item: (-item[1].missing, item[0])))


def undocumented(
    index: Index, *, under: str = "", rule: CountRule = EVERYTHING, limit: int = _LIMIT
) -> Page[SymbolRef]:
    """Return the definitions without a docstring, by path and line."""
    found = [symbol for symbol in _counted(index, under, rule) if not symbol.documented]
    return Page(tuple(found[:limit]), len(found))


def _counted(index: Index, under: str, rule: CountRule, path: str = "") -> Iterator[SymbolRef]:
    where = "f.path = ?" if path else "substr(f.path, 1, length(?1)) = ?1"
    rows = index.connection.execute(
        f"{SELECT_SYMBOLS} WHERE {where} ORDER BY f.path, s.line, s.id", (path or under,)
    )
    around: list[tuple[SymbolRef, bool]] = []
    for symbol in map(symbol_of, rows):
        while around and not _holds(around[-1][0], symbol):
            around.pop()
        parent, is_inside_ignored = around[-1] if around else (None, False)
        is_ignored = (
            is_inside_ignored or _is_ignored(symbol, rule) or _is_hidden(symbol, parent, rule)
        )
        around.append((symbol, is_ignored))
        if not is_ignored and not _is_left_out(symbol, parent, rule):
            yield symbol


def _holds(outer: SymbolRef, inner: SymbolRef) -> bool:
    is_same_file = outer.path == inner.path and inner.kind != "module"
    return is_same_file and (outer.kind == "module" or outer.end_line >= inner.line)


def _is_ignored(symbol: SymbolRef, rule: CountRule) -> bool:
    """Return whether a symbol and what it holds are ignored for its name or decorators."""
    ignored, is_module = rule.ignored, symbol.kind == "module"
    if is_module:
        is_init = symbol.path.rpartition("/")[2] == "__init__.py"
        return ("init-module" in ignored and is_init) or (
            rule.public_only and _is_private_path(symbol.path)
        )
    name = symbol.qualname.rpartition(".")[2]
    is_magic = name.startswith("__") and name.endswith("__")
    is_private = name.startswith("__") and not name.endswith("__")
    is_semiprivate = name.startswith("_") and not name.startswith("__") and name[-2:] != "__"
    if (rule.public_only or "private" in ignored) and is_private:
        return True
    if (rule.public_only or "semiprivate" in ignored) and is_semiprivate:
        return True
    if symbol.kind == "class":
        return False
    return (
        ("init-method" in ignored and name == "__init__")
        or ("magic" in ignored and is_magic and name != "__init__")
        or _is_ignored_for_decorator(symbol.decorators, ignored)
    )


def _is_ignored_for_decorator(decorators: tuple[str, ...], ignored: frozenset[Ignorable]) -> bool:
    setters = any(item.endswith(".setter") for item in decorators)
    properties = setters or any(
        item == "property" or item.endswith(".deleter") for item in decorators
    )
    overloads = any(item in {"overload", "typing.overload"} for item in decorators)
    return (
        ("setters" in ignored and setters)
        or ("property-decorators" in ignored and properties)
        or ("overloaded-functions" in ignored and overloads)
    )


def _is_left_out(symbol: SymbolRef, parent: SymbolRef | None, rule: CountRule) -> bool:
    """Return whether a symbol alone is left out for where it stands."""
    if symbol.kind == "module":
        return "module" in rule.ignored
    is_in_function = parent is not None and parent.kind in {"function", "method"}
    return "nested-functions" in rule.ignored and is_in_function and symbol.kind != "class"


def _is_hidden(symbol: SymbolRef, parent: SymbolRef | None, rule: CountRule) -> bool:
    """Return whether a symbol and what it holds are ignored for where they stand."""
    if parent is None or parent.kind == "module":
        return False
    is_in_function = parent.kind in {"function", "method"}
    return (rule.public_only and is_in_function) or (
        "nested-classes" in rule.ignored and symbol.kind == "class"
    )


def _is_private_path(path: str) -> bool:
    parts = path.removesuffix(".py").split("/")
    return any(part.startswith("_") and not part.endswith("__") for part in parts)
