"""Docstring coverage by the rule of interrogate 1.7, whose options it knows by their names.

By default modules, classes and every function or method count: nested, private, magic and
`__init__` included. `@overload` stubs never count: their docstrings are nowhere shown. A docstring
that is empty or says nothing (`is_filler`) counts as missing, which interrogate does not
look for. Two options take more out than there: asynchronous functions in functions are nested
functions, too, and a nested class goes with all it holds.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from minerva_insilico.core.index.index import SELECT_SYMBOLS, Index, Page, SymbolRef, symbol_of
from minerva_platform.text import read_words

WORDS = read_words("minerva_insilico.core.docstrings", "filler")

_WORD = re.compile(r"[^\W\d_]+")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")
_SECTION = re.compile(r"(?:^|\n)(?=[ \t]*(?:@param|:\w|(?:Args|Parameters|Returns)\b:?[ \t]*\n))")
"""Before the first section of a docstring, also where no empty line is."""

_EXAMPLE = ">>>"
_ENDINGS = ("", "s", "es", "d", "ed", "ing", "er", "r")
_DEFAULT_LIMIT = 10_000


class Ignorable(StrEnum):
    """The exclusions of interrogate's `--ignore-…` options."""

    INIT_METHOD = "init-method"
    INIT_MODULE = "init-module"
    MAGIC = "magic"
    MODULE = "module"
    NESTED_CLASSES = "nested-classes"
    NESTED_FUNCTIONS = "nested-functions"
    PRIVATE = "private"
    PROPERTY_DECORATORS = "property-decorators"
    SEMIPRIVATE = "semiprivate"
    SETTERS = "setters"


@dataclass(frozen=True)
class CountRule:
    """The definitions that count. A definition inside one ignored by name is ignored, too."""

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
    filler: int = 0
    """How many of the others have one that says nothing."""

    @property
    def missing(self) -> int:
        """How many have none that says something."""
        return self.total - self.covered

    @property
    def percent(self) -> float | None:
        """The covered share in percent with one decimal. None if there is nothing to measure."""
        return round(100 * self.covered / self.total, 1) if self.total else None

    @property
    def share(self) -> str:
        """The covered share as it is shown, without its unit."""
        return "-" if self.percent is None else f"{self.percent:.1f}"


def coverage(
    index: Index, *, under: str = "", path: str = "", rule: CountRule = EVERYTHING
) -> Coverage:
    """Count the definitions in files whose path begins with `under`, or in one file."""
    return _count(_symbols(index, under, rule, path))


def coverage_by_file(
    index: Index, *, under: str = "", rule: CountRule = EVERYTHING
) -> dict[str, Coverage]:
    """Count each file, worst first."""
    found: dict[str, list[SymbolRef]] = {}
    for symbol in _symbols(index, under, rule):
        found.setdefault(symbol.path, []).append(symbol)
    counts = {path: _count(items) for path, items in found.items()}
    return dict(sorted(counts.items(), key=lambda item: (-item[1].missing, item[0])))


def find_missing(
    index: Index, *, under: str = "", rule: CountRule = EVERYTHING, limit: int = _DEFAULT_LIMIT
) -> Page[SymbolRef]:
    """Return the definitions without a docstring that says something, by path and line."""
    found = [symbol for symbol in _symbols(index, under, rule) if not is_covered(symbol)]
    return Page(tuple(found[:limit]), len(found))


def is_covered(symbol: SymbolRef) -> bool:
    """True if a definition has a docstring, and one that says more than its name."""
    return symbol.documented and not is_filler(
        symbol.docstring or "", name=symbol.qualname, signature=symbol.signature
    )


def _count(symbols: Iterable[SymbolRef]) -> Coverage:
    found = [(symbol.documented, is_covered(symbol)) for symbol in symbols]
    covered = sum(is_said for _, is_said in found)
    return Coverage(len(found), covered, filler=sum(there for there, _ in found) - covered)


def _symbols(index: Index, under: str, rule: CountRule, path: str = "") -> Iterator[SymbolRef]:
    where = "f.path = ?" if path else "substr(f.path, 1, length(?1)) = ?1"
    rows = index.connection.execute(
        f"{SELECT_SYMBOLS} WHERE {where} AND f.path NOT LIKE '%.pyi' ORDER BY f.path, s.line, s.id",
        (path or under,),
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
        if not is_ignored and not _is_overload(symbol) and not _is_left_out(symbol, parent, rule):
            yield symbol


def _holds(outer: SymbolRef, inner: SymbolRef) -> bool:
    is_same_file = outer.path == inner.path and inner.kind != "module"
    return is_same_file and (outer.kind == "module" or outer.end_line >= inner.line)


def _is_ignored(symbol: SymbolRef, rule: CountRule) -> bool:
    """True if a symbol and its contents are ignored for its name or decorators."""
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


def _is_overload(symbol: SymbolRef) -> bool:
    return any(item.rpartition(".")[2] == "overload" for item in symbol.decorators)


def _is_ignored_for_decorator(decorators: tuple[str, ...], options: frozenset[Ignorable]) -> bool:
    setters = any(item.endswith(".setter") for item in decorators)
    properties = setters or any(
        item == "property" or item.endswith(".deleter") for item in decorators
    )
    return ("setters" in options and setters) or ("property-decorators" in options and properties)


def _is_left_out(symbol: SymbolRef, parent: SymbolRef | None, rule: CountRule) -> bool:
    """True if a symbol alone is left out for its position."""
    if symbol.kind == "module":
        return "module" in rule.ignored
    is_in_function = parent is not None and parent.kind in {"function", "method"}
    return "nested-functions" in rule.ignored and is_in_function and symbol.kind != "class"


def _is_hidden(symbol: SymbolRef, parent: SymbolRef | None, rule: CountRule) -> bool:
    """True if a symbol and its contents are ignored for their position."""
    if parent is None or parent.kind == "module":
        return False
    is_in_function = parent.kind in {"function", "method"}
    return (rule.public_only and is_in_function) or (
        "nested-classes" in rule.ignored and symbol.kind == "class"
    )


def _is_private_path(path: str) -> bool:
    parts = path.removesuffix(".py").split("/")
    return any(part.startswith("_") and not part.endswith("__") for part in parts)


def is_filler(docstring: str, *, name: str, signature: str = "") -> bool:
    """True if a docstring says nothing: every word is filler or from the definition's name.

    The summary may repeat the name and the class around it (`shop.till.Till.total`), what follows
    it the signature, too. An example always says something, and a docstring without words nothing.
    """
    if _EXAMPLE in docstring:
        return False
    around, _, own = name.rpartition(".")
    named = {*_parts(own), *_parts(around.rpartition(".")[2])}
    summary, _, rest = _SECTION.sub("\n\n", docstring.strip() + "\n", count=1).partition("\n\n")
    return _repeats(summary, named) and _repeats(rest, named | _parts(signature))


def _repeats(text: str, parts: set[str]) -> bool:
    return all(
        word in _filler_words() or any(_is_form_of(word, part) for part in parts)
        for word in map(str.lower, _split(text))
    )


def _split(text: str) -> list[str]:
    return [part for word in _WORD.findall(text) for part in _PARTS.findall(word)]


def _parts(text: str) -> set[str]:
    return {part.lower() for part in _split(text)}


def _is_form_of(word: str, part: str) -> bool:
    """True if a word is another's plural or a form of the same verb: `loads`, `loading`."""
    stem = part[:-1] if part.endswith(("e", "y")) and len(part) > 2 else part  # noqa: PLR2004
    return any(word in {part + ending, stem + ending} for ending in _ENDINGS)


@cache
def _filler_words() -> frozenset[str]:
    return frozenset(WORDS["filler"])
