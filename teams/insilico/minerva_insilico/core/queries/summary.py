"""Summarise one module: its definitions, imports, size, and the modules that depend on it."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from minerva_insilico.core.docstrings.coverage import Coverage, coverage
from minerva_insilico.core.imports.graph import ImportGraph, build_graph, locate_import
from minerva_insilico.core.index.index import SELECT_SYMBOLS, Index, SymbolRef, symbol_of
from minerva_insilico.core.queries.complexity import complex_functions

_MAX_COMPLEX = 3
_ALL = re.compile(r"^__all__\s*(?::[^=\n]*)?\+?=\s*[\[(]([^\])]*)[\])]", re.MULTILINE)
_QUOTED = re.compile(r"""["']([^\W\d]\w*)["']""")


@dataclass(frozen=True)
class ModuleSummary:
    """One module of a tree."""

    module: str
    path: str
    lines: int
    documented: Coverage
    first_line: str
    """The first line of its docstring."""
    exports: tuple[str, ...]
    """`__all__` if there is one, else its public classes, functions and attributes."""
    imports: tuple[str, ...]
    """Modules of the tree that it imports."""
    imported_by: tuple[str, ...]
    """Modules of the tree that import it."""
    foreign: tuple[str, ...]
    """Packages outside the tree and outside Python's library that it imports."""
    complex: tuple[SymbolRef, ...]
    """Its most complex functions."""


def summarise(index: Index, name: str) -> tuple[ModuleSummary, ...]:
    """Summarise the modules that `name` names: `pkg.a`, `a` or `pkg/a.py`."""
    graph = build_graph(index)
    return tuple(_summarise(index, graph, path) for path in index.modules.matching(name))


def outline_of(index: Index, path: str) -> tuple[SymbolRef, ...]:
    """Return the classes, functions and methods of a file, by line."""
    rows = index.connection.execute(
        SELECT_SYMBOLS + " WHERE f.path = ? AND s.kind <> 'module' ORDER BY s.line, s.id", (path,)
    )
    return tuple(symbol_of(row) for row in rows)


def _summarise(index: Index, graph: ImportGraph, path: str) -> ModuleSummary:
    module = index.modules.names[path]
    importers = graph.importers(module)
    text = index.lines(path)
    return ModuleSummary(
        module=module,
        path=path,
        lines=len(text) - (text[-1:] == [""]),
        documented=coverage(index, path=path),
        first_line=_first_line(index, path),
        exports=tuple(_exports(index, path, "\n".join(text))),
        imports=graph.imported_by(module),
        imported_by=importers[0] if importers else (),
        foreign=tuple(sorted(set(_foreign(index, path)))),
        complex=complex_functions(index, path=path, limit=_MAX_COMPLEX).items,
    )


def _first_line(index: Index, path: str) -> str:
    row = index.connection.execute(
        "SELECT s.docstring FROM symbols AS s JOIN files AS f ON f.id = s.file"
        " WHERE f.path = ? AND s.kind = 'module'",
        (path,),
    ).fetchone()
    text = (row[0] or "").strip() if row else ""
    return text.partition("\n")[0]


def _exports(index: Index, path: str, text: str) -> Iterator[str]:
    declared = [name for match in _ALL.finditer(text) for name in _QUOTED.findall(match[1])]
    if declared:
        yield from dict.fromkeys(declared)
        return
    rows = index.connection.execute(
        "SELECT name FROM (SELECT file, qualname, name, line, kind FROM symbols UNION ALL"
        " SELECT file, qualname, name, line, kind FROM outline) AS s"
        " JOIN files AS f ON f.id = s.file WHERE f.path = ? AND s.kind <> 'module'"
        " AND instr(s.qualname, '.') = 0 ORDER BY s.line",
        (path,),
    )
    yield from dict.fromkeys(name for (name,) in rows if not name.startswith("_"))


def _foreign(index: Index, path: str) -> Iterator[str]:
    rows = index.connection.execute(
        "SELECT i.target, i.name FROM imports AS i JOIN files AS f ON f.id = i.file"
        " WHERE f.path = ? AND i.target NOT LIKE '.%'",
        (path,),
    )
    for target, name in rows.fetchall():
        first = target.partition(".")[0]
        is_ours = locate_import(index.modules, path, target, name) is not None
        if first and first not in sys.stdlib_module_names and not is_ours:
            yield first
