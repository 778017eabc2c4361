"""Who calls a function, and who imports a module.

A call is `exact` only if the import binding in its own file, followed through
re-exports, proves it. A binding that proves something else is no hit. The rest
share only the name, and are said to: `same_name`.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from minerva_insilico.core.index import Index, Page
from minerva_insilico.core.search import named_exactly

_LIMIT = 50
_HOPS = 8
"""Re-exports followed from package to package before giving up."""

_IMPORTS = (
    "SELECT f.path, i.line, f.module, i.target, i.binding FROM imports AS i"
    " JOIN files AS f ON f.id = i.file WHERE"
)


@dataclass(frozen=True)
class CallHit:
    """A call of the function asked for, or of one that has its name."""

    path: str
    line: int
    symbol: str
    """The qualified name of the caller; its module where the call is at the top level."""
    target: str
    """What the binding proves, else the bare name."""
    resolution: Literal["exact", "same_name"]
    snippet: str


@dataclass(frozen=True)
class ImportHit:
    """An import of the module asked for."""

    module: str
    path: str
    line: int
    snippet: str


def find_callers(index: Index, query: str, *, limit: int = _LIMIT) -> Page[CallHit]:
    """Find the calls of `load`, `T.load` or `pkg.a.load`; exact ones first."""
    targets = {symbol.qualname for symbol in named_exactly(index, query)}
    rows = index.connection.execute(
        "SELECT f.path, c.line, f.module, s.qualname, c.binding FROM calls AS c"
        " JOIN files AS f ON f.id = c.file JOIN symbols AS s ON s.id = c.symbol"
        " WHERE c.name = ? ORDER BY f.path, c.line",
        (query.rpartition(".")[2],),
    )
    found: list[tuple[str, int, str, str, bool]] = []
    for path, line, module, qualname, binding in rows.fetchall():
        proven = resolve(index, binding, path) if binding else None
        is_exact = proven in targets if targets else _is_named(proven, query)
        if is_exact or proven is None:
            caller = f"{module}.{qualname}" if qualname else module
            found.append((path, line, caller, proven or query, is_exact))
    found.sort(key=lambda hit: (not hit[4], hit[0], hit[1]))
    hits = tuple(
        CallHit(
            path, line, caller, target, "exact" if exact else "same_name",
            index.snippet(path, line),
        )
        for path, line, caller, target, exact in found[:limit]
    )  # fmt: skip
    return Page(hits, len(found))


def find_importers(index: Index, query: str, *, limit: int = _LIMIT) -> Page[ImportHit]:
    """Find the imports of a module named `a`, `pkg.a` or `pkg/a.py`, of names in it too."""
    modules = index.modules
    wanted = set(modules.matching(query))
    last = query.removesuffix(".py").replace("/", ".").rpartition(".")[2]
    tails = {last, *(modules.names[path].rpartition(".")[2] for path in wanted)}
    found: dict[tuple[str, int], str] = {}
    for path, line, module, target, binding in _imports(index, tails):
        if _is_import_of(index, (target, binding), path, wanted, query):
            found.setdefault((path, line), module)
    hits = tuple(
        ImportHit(module, path, line, index.snippet(path, line))
        for (path, line), module in sorted(found.items())[:limit]
    )
    return Page(hits, len(found))


def resolve(index: Index, binding: str, importer: str) -> str | None:
    """Return the qualified name that a binding proves, or None.

    A name outside the tree comes back as it was written; one inside that no
    definition or re-export explains proves nothing.
    """
    for _ in range(_HOPS):
        located = index.modules.locate(binding, importer)
        if located is None:
            return None if binding.startswith(".") else binding
        path, rest = located
        module = index.modules.names[path]
        if not rest:
            return module
        if _is_defined(index, path, rest):
            return f"{module}.{rest}" if module else rest
        first, _, more = rest.partition(".")
        again = _reexport(index, path, first)
        if again is None:
            return None
        binding, importer = f"{again}.{more}" if more else again, path
    return None


def _imports(index: Index, tails: Collection[str]) -> list[tuple[str, int, str, str, str]]:
    """Return the imports whose target or name ends as one of `tails`, or is the root."""
    found: list[tuple[str, int, str, str, str]] = []
    for tail in ("", *tails):
        found += index.connection.execute(_IMPORTS + " i.tail = ?", (tail,))
        if tail:
            found += index.connection.execute(_IMPORTS + " i.name = ?", (tail,))
    return found


def _is_import_of(
    index: Index, names: tuple[str, str], importer: str, wanted: set[str], query: str
) -> bool:
    if not wanted:  # a module outside the tree: its name as written
        return any(name == query or name.startswith(f"{query}.") for name in names)
    for name in filter(None, names):
        located = index.modules.locate(name, importer)
        if located and located[0] in wanted and (name == names[0] or not located[1]):
            return True
    return False


def _is_defined(index: Index, path: str, qualname: str) -> bool:
    return (
        index.connection.execute(
            "SELECT 1 FROM symbols AS s JOIN files AS f ON f.id = s.file"
            " WHERE f.path = ? AND s.qualname = ?",
            (path, qualname),
        ).fetchone()
        is not None
    )


def _reexport(index: Index, path: str, name: str) -> str | None:
    """Return what an import in `path` binds `name` to, if all of them agree."""
    rows = index.connection.execute(
        "SELECT DISTINCT i.binding FROM imports AS i JOIN files AS f ON f.id = i.file"
        " WHERE f.path = ? AND i.bound = ?",
        (path, name),
    ).fetchall()
    return rows[0][0] or None if len(rows) == 1 else None


def _is_named(proven: str | None, query: str) -> bool:
    return proven is not None and (proven == query or proven.endswith(f".{query}"))
