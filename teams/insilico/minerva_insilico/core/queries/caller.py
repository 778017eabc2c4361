"""Who calls a function, and who imports a module.

A call is `exact` only if its binding proves it, followed through re-exports, annotations, values of
variables and attributes, and base classes. A binding that proves something else is no hit. The rest
share only the name, and are said to: `same_name`. A call of a class is one of its `__init__`.
"""

from collections.abc import Collection
from dataclasses import replace

from minerva_insilico.core.index.index import Hit, Index, Page, SymbolRef
from minerva_insilico.core.queries.binding import Resolver
from minerva_insilico.core.queries.symbol import named_exactly

_DEFAULT_LIMIT = 50

SAME_NAME_SCORE = 0.5
_DEEPER = 0.8
"""Scores only order hits: what is proved comes before what shares a name, the near before the
far. A proved call three calls away (.51) still comes before a namesake."""

_CALLS = (
    "SELECT f.path, c.line, c.name, c.binding, CASE WHEN s.qualname = '' THEN f.module"
    " WHEN f.module = '' THEN s.qualname ELSE f.module || '.' || s.qualname END"
    " FROM calls AS c JOIN files AS f ON f.id = c.file JOIN symbols AS s ON s.id = c.symbol"
)
_SUBCLASSES = (
    "SELECT DISTINCT s.name FROM bases AS b JOIN symbols AS s ON s.id = b.symbol WHERE b.name = ?"
)
_IMPORTS = (
    "SELECT f.path, i.line, f.module, i.target, i.binding FROM imports AS i"
    " JOIN files AS f ON f.id = i.file WHERE"
)


def find_callers(
    index: Index, query: str, *, limit: int = _DEFAULT_LIMIT, transitive: int = 0
) -> Page[Hit]:
    """Find the calls of `load`, `T.load` or `pkg.a.load`, exact ones first.

    With `transitive`, the callers of callers follow, that many steps deep. Only exact calls are
    followed: a name that is shared would lead everywhere.
    """
    resolver = Resolver(index)
    targets = {symbol.qualname for symbol in named_exactly(index, query)}
    found = _callers(index, resolver, query, targets)
    seen = set(targets)
    step = found
    for depth in range(1, transitive + 1):
        names = dict.fromkeys(hit.symbol for hit in step if hit.why == "exact")
        step = list[Hit]()
        for name in names:
            if name in seen or name in index.modules.names.values():
                continue
            seen.add(name)
            calls = _callers(index, resolver, name, {name}, depth=depth)
            step += [hit for hit in calls if hit.why == "exact"]
        found += step
    return _page(index, found, limit)


def find_callees(
    index: Index, query: str, *, limit: int = _DEFAULT_LIMIT, transitive: int = 0
) -> Page[Hit]:
    """Find what a function, a class or a module calls, in the order of its lines."""
    resolver = Resolver(index)
    step = named_exactly(index, query)
    found: list[Hit] = []
    seen: set[tuple[str, int]] = set()
    for depth in range(transitive + 1):
        calls: list[Hit] = []
        for symbol in step:
            if (symbol.path, symbol.line) not in seen:
                seen.add((symbol.path, symbol.line))
                calls += _callees(index, resolver, symbol, depth)
        found += calls
        exact = dict.fromkeys(hit.target for hit in calls if hit.why == "exact")
        step = tuple(symbol for name in exact for symbol in _definitions_of(index, name))
    return _page(index, found, limit)


def find_imports(index: Index, query: str, *, limit: int = _DEFAULT_LIMIT) -> Page[Hit]:
    """Find what a module imports: the modules of the tree by their names, others as written."""
    found: dict[tuple[str, int, str], None] = {}
    for path in index.modules.matching(query):
        rows = index.connection.execute(
            "SELECT i.line, i.target, i.binding FROM imports AS i JOIN files AS f ON f.id = i.file"
            " WHERE f.path = ? ORDER BY i.line",
            (path,),
        )
        for line, target, binding in rows.fetchall():
            found[path, line, _module_of_import(index, target, binding, path)] = None
    hits = tuple(
        Hit(path, line, module, index.snippet(path, line), 1.0, "import")
        for path, line, module in list(found)[:limit]
    )
    return Page(hits, len(found))


def _module_of_import(index: Index, target: str, binding: str, importer: str) -> str:
    """Return the module that an import names: of `from pkg import a`, `pkg.a` if that is one."""
    for name in (binding, target):
        located = index.modules.locate(name, importer) if name else None
        if located and (name == target or not located[1]):
            return index.modules.names[located[0]]
    return target


def _callers(
    index: Index, resolver: Resolver, query: str, targets: set[str], *, depth: int = 0
) -> list[Hit]:
    found: list[Hit] = []
    owner, _, last = query.rpartition(".")
    names = _names_of(index, last)
    is_maker = last == "__init__" and bool(targets)
    if is_maker:  # a call of the class, or of a class below it, runs it
        names = (last, "cls", *_classes_below(index, owner.rpartition(".")[2]))
    marks = ", ".join("?" * len(names))
    rows = index.connection.execute(
        f"{_CALLS} WHERE c.name IN ({marks}) ORDER BY f.path, c.line",
        names,
    )
    for path, line, name, binding, caller in rows.fetchall():
        proven = resolver.resolve(binding, path) if binding else None
        if is_maker and proven is not None:
            proven = resolver.maker_of(proven) or proven
        is_exact = proven in targets if targets else _is_named(proven, query)
        if is_exact or (proven is None and name == names[0]):
            found.append(_hit((path, line, caller, proven or query), depth, is_exact=is_exact))
    found.sort(key=lambda hit: (hit.why, hit.path, hit.line))
    return found


def _callees(index: Index, resolver: Resolver, symbol: SymbolRef, depth: int) -> list[Hit]:
    rows = index.connection.execute(
        f"{_CALLS} WHERE c.file = (SELECT id FROM files WHERE path = ?)"  # noqa: S608 - ours
        " AND c.line BETWEEN ? AND ? ORDER BY c.line, c.rowid",
        (symbol.path, symbol.line, symbol.end_line),
    )
    found: list[Hit] = []
    for path, line, called, binding, caller in rows.fetchall():
        proven = resolver.resolve(binding, path) if binding else None
        call = (path, line, caller, proven or called)
        found.append(_hit(call, depth, is_exact=bool(proven)))
    return found


def _hit(call: tuple[str, int, str, str], depth: int, *, is_exact: bool) -> Hit:
    """Return a call, its line still to be read: its place, its caller, and what it calls."""
    path, line, caller, target = call
    score, why = (1.0, "exact") if is_exact else (SAME_NAME_SCORE, "same_name")
    return Hit(path, line, caller, "", score * _DEEPER**depth, why, target, depth)


def _definitions_of(index: Index, qualname: str) -> tuple[SymbolRef, ...]:
    """Return the definition of a name that a binding proved."""
    return tuple(one for one in named_exactly(index, qualname) if one.qualname == qualname)


def _classes_below(index: Index, name: str) -> list[str]:
    """Return the names of a class and of the classes below it, and those that imports give them."""
    found = dict.fromkeys([name])
    pending = [name]
    while pending:
        rows = index.connection.execute(_SUBCLASSES, (pending.pop(),)).fetchall()
        pending += [row[0] for row in rows if row[0] not in found]
        found |= dict.fromkeys(pending)
    return [one for below in found for one in _names_of(index, below)]


def _names_of(index: Index, name: str) -> tuple[str, ...]:
    """Return a name and the names which imports give it (`import load as fetch`)."""
    rows = index.connection.execute(
        "SELECT DISTINCT bound FROM imports WHERE name = ? AND bound <> ? LIMIT 100", (name, name)
    )
    return name, *(row[0] for row in rows)


def _page(index: Index, hits: list[Hit], limit: int) -> Page[Hit]:
    shown = (replace(hit, snippet=index.snippet(hit.path, hit.line)) for hit in hits[:limit])
    return Page(tuple(shown), len(hits))


def find_importers(index: Index, query: str, *, limit: int = _DEFAULT_LIMIT) -> Page[Hit]:
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
        Hit(path, line, module, index.snippet(path, line), 1.0, "import")
        for (path, line), module in sorted(found.items())[:limit]
    )
    return Page(hits, len(found))


def _imports(index: Index, tails: Collection[str]) -> list[tuple[str, int, str, str, str]]:
    """Return the imports whose target or name ends as one of `tails`, or is the root."""
    found: list[tuple[str, int, str, str, str]] = []
    for tail in ("", *tails):
        found += index.connection.execute(_IMPORTS + " i.tail = ?", (tail,))
        if tail:
            found += index.connection.execute(_IMPORTS + " i.name = ?", (tail,))
    return found


def _is_import_of(
    index: Index, names: tuple[str, str], importer: str, paths: set[str], query: str
) -> bool:
    if not paths:  # a module outside the tree: its name as written
        return any(name == query or name.startswith(f"{query}.") for name in names)
    for name in filter(None, names):
        located = index.modules.locate(name, importer)
        if located and located[0] in paths and (name == names[0] or not located[1]):
            return True
    return False


def _is_named(proven: str | None, query: str) -> bool:
    return proven is not None and (proven == query or proven.endswith(f".{query}"))
