"""Which module of a tree imports which, in cycles, chains and layers.

The graph is made of the index, so nothing of the tree has to be on Python's
path, a file that does not parse costs only its own imports, and no package of
the same name that this process has imported can take the tree's place. It is
the graph of grimp 3.19 for what both can read; tests compare them.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from minerva_insilico.core.facts.facts import Guard
from minerva_insilico.core.facts.module import Modules
from minerva_insilico.core.index.index import Index

_ABOVE_ROOT = ".."


@dataclass(frozen=True)
class ImportPlace:
    """A line that imports a module."""

    path: str
    line: int
    guard: Guard

    @property
    def is_at_start(self) -> bool:
        """True if the import runs when the module is loaded."""
        return self.guard in {"", "fallback"}


@dataclass(frozen=True)
class Cycle:
    """Modules each of which imports, perhaps through others, all the others."""

    modules: tuple[str, ...]
    """All of them, by name."""
    chain: tuple[str, ...]
    """A shortest cycle. It ends where it begins."""
    at_start: bool
    """True if loading alone goes around: without lazy imports and those for type checkers."""


@dataclass(frozen=True)
class ImportGraph:
    """The modules of a tree and the imports between them."""

    modules: frozenset[str]
    imports: Mapping[str, Mapping[str, tuple[ImportPlace, ...]]] = field(repr=False)
    """{importer: {imported: places}}, both sorted by name."""

    def imported_by(self, module: str) -> tuple[str, ...]:
        """Return what a module imports itself."""
        return tuple(self.imports.get(module, ()))

    def places(self, importer: str, target: str) -> tuple[ImportPlace, ...]:
        """Return the lines where one module imports another."""
        return self.imports.get(importer, {}).get(target, ())

    def matching(self, name: str) -> tuple[str, ...]:
        """Return the modules that `name` names: fully, else by their last parts."""
        if name in self.modules:
            return (name,)
        return tuple(sorted(item for item in self.modules if item.endswith(f".{name}")))

    def importers(self, module: str) -> tuple[tuple[str, ...], ...]:
        """Return who imports a module: first directly, then through one other, and so on."""
        backward: dict[str, list[str]] = {}
        for importer, targets in self.imports.items():
            for imported in targets:
                backward.setdefault(imported, []).append(importer)
        layers: list[tuple[str, ...]] = []
        seen = {module}
        layer = [module]
        while layer:
            layer = sorted({one for item in layer for one in backward.get(item, ())} - seen)
            seen.update(layer)
            layers += [tuple(layer)] if layer else []
        return tuple(layers)

    def chain(self, start: str, end: str) -> tuple[str, ...]:
        """Return a shortest chain of imports from one module to another, or nothing."""
        return _shortest(self.imports, start, end, self.modules)

    def cycles(self) -> tuple[Cycle, ...]:
        """Return every knot of modules that import each other, the largest first."""
        whole = {name: list(targets) for name, targets in self.imports.items()}
        early = {
            name: [to for to, places in targets.items() if any(p.is_at_start for p in places)]
            for name, targets in self.imports.items()
        }
        tied = _knots(early)
        found: list[Cycle] = []
        for knot in _knots(whole):
            loading = max((one for one in tied if one[0] in knot), key=len, default=None)
            chain = _around(loading, early) if loading else _around(knot, whole)
            found.append(Cycle(tuple(knot), chain, at_start=loading is not None))
        return tuple(sorted(found, key=lambda cycle: (-len(cycle.modules), cycle.modules)))


def _around(knot: list[str], imports: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Return a shortest cycle through the first module of a knot."""
    inside, first = frozenset(knot), knot[0]
    ways = (_shortest(imports, after, first, inside) for after in imports[first] if after in inside)
    return (first, *min(ways, key=lambda way: (len(way), way)))


def _shortest(
    imports: Mapping[str, Iterable[str]], start: str, end: str, inside: frozenset[str]
) -> tuple[str, ...]:
    """Return a shortest way from `start` to `end` through modules `inside`, or nothing."""
    before: dict[str, str] = {start: ""}
    layer = [start]
    while layer and end not in before:
        following: list[str] = []
        for module in layer:
            for imported in imports.get(module, ()):
                if imported in inside and imported not in before:
                    before[imported] = module
                    following.append(imported)
        layer = following
    way = [end] if end in before else []
    while way and before[way[-1]]:
        way.append(before[way[-1]])
    return tuple(reversed(way))


def build_graph(index: Index) -> ImportGraph:
    """Return the imports between the modules of an index.

    `from a import b` imports the module `a.b` if there is one, else `a`.
    """
    modules = index.modules
    found: dict[str, dict[str, list[ImportPlace]]] = {}
    for path, line, target, name, guard in index.connection.execute(
        "SELECT f.path, i.line, i.target, i.name, i.guard FROM imports AS i"
        " JOIN files AS f ON f.id = i.file ORDER BY f.path, i.line"
    ):
        imported = locate_import(modules, path, target, name)
        importer = modules.names[path]
        if imported is not None and imported != importer:
            place = ImportPlace(path, line, guard)
            found.setdefault(importer, {}).setdefault(imported, []).append(place)
    return ImportGraph(
        frozenset(modules.names.values()),
        {
            importer: {to: tuple(places) for to, places in sorted(targets.items())}
            for importer, targets in sorted(found.items())
        },
    )


def locate_import(modules: Modules, path: str, target: str, name: str) -> str | None:
    """Return the module of the tree that one imported name comes from, or None."""
    if target.startswith(_ABOVE_ROOT):
        return None
    candidates = (target,) if name in {"", "*"} else (_joined(target, name), target)
    for candidate in candidates:
        located = modules.locate(candidate, path)
        if located is not None and not located[1]:
            return modules.names[located[0]]
    return None


def _joined(target: str, name: str) -> str:
    return f"{target}{name}" if target.endswith(".") else f"{target}.{name}"


def _knots(imports: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Return the strongly connected components of two and more modules (Tarjan, no recursion)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    knots: list[list[str]] = []

    def enter(name: str) -> tuple[str, Iterator[str]]:
        order[name] = low[name] = len(order)
        stack.append(name)
        on_stack.add(name)
        return name, iter(imports.get(name, ()))

    for root in imports:
        open_ = [enter(root)] if root not in order else []
        while open_:
            name, targets = open_[-1]
            target = next(targets, None)
            if target is None:
                open_.pop()
                if open_:
                    low[open_[-1][0]] = min(low[open_[-1][0]], low[name])
                if low[name] == order[name]:
                    knot = stack[stack.index(name) :]
                    del stack[-len(knot) :]
                    on_stack.difference_update(knot)
                    knots += [sorted(knot)] if len(knot) > 1 else []
            elif target not in order:
                open_.append(enter(target))
            elif target in on_stack:
                low[name] = min(low[name], order[target])
    return knots
