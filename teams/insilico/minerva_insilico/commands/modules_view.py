"""The output of `minerva code imports|outline|summary|complexity`."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

from minerva_insilico.commands.incomplete import page_to_json, write_answer
from minerva_insilico.commands.refreshed_index import CodeError
from minerva_insilico.core.docstrings.coverage import coverage_by_file
from minerva_insilico.core.facts.errors import UnknownNameError
from minerva_insilico.core.imports.graph import ImportGraph, ImportPlace
from minerva_insilico.core.imports.requirement import Distribution, Requirements
from minerva_insilico.core.index.index import Index, Page, SymbolRef
from minerva_insilico.core.queries.complexity import FileComplexity, complexity_by_file, rank
from minerva_insilico.core.queries.nearest import nearest
from minerva_insilico.core.queries.summary import ModuleSummary
from minerva_platform.cli_kit import printable, write_text

NO_MANIFEST = (
    "No pyproject.toml, Pipfile, setup.cfg, setup.py or requirements file declares anything."
)
_GUARDS = {"lazy": " (lazy)", "fallback": " (if installed)", "type_checking": " (types only)"}
_MAX_SIMILAR = 5


def find_module(graph: ImportGraph, name: str) -> str:
    """Return the module that a person means by `name`.

    Raises:
        CodeError: there is none, or several; it says which.
    """
    found = graph.matching(name.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    if len(found) == 1:
        return found[0]
    if found:
        message = (
            f"`{name}` is several modules: {', '.join(found[:_MAX_SIMILAR])}. Give one of them."
        )
        raise CodeError(message)
    raise CodeError(str(UnknownNameError("module", name, nearest(name, graph.modules))))


def show_graph(graph: ImportGraph, *, cycles_only: bool, limit: int, as_json: bool) -> None:
    """Print the size of the graph, and its cycles."""
    cycles = graph.cycles()
    edges = sum(map(len, graph.imports.values()))
    if as_json:
        write_answer(
            {
                "modules": len(graph.modules),
                "imports": edges,
                "cycles": page_to_json(len(cycles), [asdict(item) for item in cycles[:limit]]),
            }
        )
        return
    lines = [] if cycles_only else [f"{len(graph.modules):,} modules, {edges:,} imports"]
    lines.append(f"cycles: {len(cycles):,}")
    for cycle in cycles[:limit]:
        when = "" if cycle.at_start else " (not while loading: lazy, or for types only)"
        lines.append(f"{len(cycle.modules):,} modules: {' → '.join(cycle.chain)}{when}")
        for importer, imported in pairwise(cycle.chain):
            lines.append(f"  {_place(graph.places(importer, imported)[0])}: imports {imported}")
    _print([*lines, *_cut_note(limit, len(cycles))])


def show_layers(graph: ImportGraph, module: str, *, limit: int, as_json: bool) -> None:
    """Print who imports a module: directly, then through others, step by step."""
    found = graph.importers(module)
    if as_json:
        write_answer({"module": module, "layers": [list(layer) for layer in found]})
        return
    lines = (
        f"step {number}: {', '.join(layer[:limit])}{_more(len(layer), limit)}"
        for number, layer in enumerate(found, start=1)
    )
    _print(lines if found else [f"Nobody imports {module}."])


def show_chain(graph: ImportGraph, module: str, to: str, *, as_json: bool) -> None:
    """Print a shortest way of imports from one module to another."""
    chain = graph.chain(module, to)
    steps = list(pairwise(chain))
    if as_json:
        write_answer({"from": module, "to": to, "chain": _edges(graph, steps)})
    elif chain:
        _print(f"{_place(graph.places(*step)[0])}: {step[0]} → {step[1]}" for step in steps)
    else:
        _print([f"{module} does not import {to}, not through others either."])


def show_requirements(requirements: Requirements, *, as_json: bool) -> None:
    """Print what is missing, unused and unread."""
    if as_json:
        write_answer(
            {
                "manifests": list(requirements.manifests),
                "declared": [asdict(item) for item in requirements.declarations],
                "met": [asdict(item) for item in requirements.in_both],
                "missing": [asdict(item) for item in requirements.missing],
                "optional": [asdict(item) for item in requirements.optional],
                "unused": [asdict(item) for item in requirements.unused],
                "problems": [
                    {"path": item.path, "line": item.line, "text": item.text("en")}
                    for item in requirements.problems
                ],
                "unread": list(requirements.unread),
            }
        )
        return
    if not requirements.manifests:
        _print([NO_MANIFEST])
    lines = [f"declared and imported: {_describe(item)}" for item in requirements.in_both]
    lines += [f"missing: {_describe(item)}" for item in requirements.missing]
    lines += [
        f"missing, but the code can do without: {_describe(item)}" for item in requirements.optional
    ]
    lines += [f"unused: {i.name} ({i.group}) {i.path}:{i.line}" for i in requirements.unused]
    lines += [f"not read: {i.path}:{i.line}: {i.text('en')}" for i in requirements.problems]
    lines += [f"not read: {path}" for path in requirements.unread]
    counts = f"{len(requirements.declarations):,} declared in {len(requirements.manifests):,} files"
    _print([f"{counts}, {len(requirements.distributions):,} imported", *lines])


def show_outline(symbols: Sequence[SymbolRef], *, as_json: bool) -> None:
    """Print symbols with their lines, indented as they stand in each other."""
    if as_json:
        write_answer({"total": len(symbols), "symbols": [asdict(item) for item in symbols]})
        return
    depth = min((item.qualname.count(".") for item in symbols), default=0)
    _print(
        f"{item.line:>5}-{item.end_line:<5} {rank(item.complexity)} "
        f"{'  ' * (item.qualname.count('.') - depth)}{item.kind}"
        f" {item.qualname.rpartition('.')[2]}{item.signature}"
        for item in symbols
    )


def show_summaries(summaries: Sequence[ModuleSummary], *, as_json: bool) -> None:
    """Print modules, each part on a line."""
    if as_json:
        found = [
            {**asdict(item), "documented_percent": item.documented.percent} for item in summaries
        ]
        write_answer({"modules": found})
        return
    for item in summaries:
        heads = ", ".join(f"{f.qualname}:{f.line} {f.complexity}" for f in item.complex)
        _print(
            [
                f"{item.module} ({item.path})" + (f": {item.first_line}" * bool(item.first_line)),
                f"  lines: {item.lines:,}",
                f"  documented: {item.documented.share} % of {item.documented.total:,}",
                f"  exports: {', '.join(item.exports) or '-'}",
                f"  imports: {', '.join((*item.imports, *item.foreign)) or '-'}",
                f"  imported by: {', '.join(item.imported_by) or '-'}",
                f"  most complex: {heads or '-'}",
            ]
        )


def show_table(index: Index, *, limit: int, as_json: bool) -> None:
    """Print every module on a line, the largest first."""
    covered = coverage_by_file(index)
    total = len(index.modules.names)
    complex_ = {item.path: item for item in complexity_by_file(index, limit=total or 1).items}
    sizes = dict(index.connection.execute("SELECT path, lines FROM files WHERE is_parsed = 1"))
    paths = sorted(index.modules.names, key=lambda path: (-sizes[path], path))
    rows = [
        {
            "module": index.modules.names[path],
            "path": path,
            "lines": sizes[path],
            "documented_percent": covered[path].percent,
            "highest_complexity": complex_[path].highest if path in complex_ else 0,
        }
        for path in paths[:limit]
    ]
    if as_json:
        write_answer(
            {"total": total, "shown": len(rows), "truncated": total > limit, "modules": rows}
        )
        return
    lines = [
        f"{row['lines']:>7,} lines {row['documented_percent']:>5.1f} % documented"
        f" {row['highest_complexity']:>4} complex  {row['module']}"
        for row in rows
    ]
    _print([*lines, *_cut_note(limit, total)] if total else ["Nothing was found."])


_NO_FUNCTION = "Nothing was found: no such function in what was parsed."


def show_functions(page: Page[SymbolRef], *, as_json: bool) -> None:
    """Print functions with their complexity and its letter."""
    if as_json:
        rows = [{**asdict(item), "rank": rank(item.complexity)} for item in page.items]
        write_answer(page_to_json(page.total, rows))
        return
    lines = (f"{i.complexity:>4} {rank(i.complexity)} {i.place} {i.qualname}" for i in page.items)
    _print([*lines, *_cut_note(page.shown, page.total)] if page.total else [_NO_FUNCTION])


def show_files(page: Page[FileComplexity], *, as_json: bool) -> None:
    """Print files with the complexity of their functions."""
    if as_json:
        rows = [{**asdict(item), "mean": item.mean} for item in page.items]
        write_answer(page_to_json(page.total, rows))
        return
    lines = (
        f"{item.highest:>4} highest {item.mean:>5.1f} mean {item.functions:>4} functions"
        f"  {item.path}"
        for item in page.items
    )
    _print([*lines, *_cut_note(page.shown, page.total)] if page.total else [_NO_FUNCTION])


def _edges(graph: ImportGraph, pairs: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    return [
        {
            "importer": importer,
            "imported": imported,
            "places": [asdict(place) for place in graph.places(importer, imported)],
        }
        for importer, imported in pairs
    ]


def _place(place: ImportPlace) -> str:
    return f"{place.path}:{place.line}{_GUARDS.get(place.guard, '')}"


def _describe(item: Distribution) -> str:
    first = item.places[0]
    return f"{item.name} (import {', '.join(item.modules)}) {first.path}:{first.line}"


def _more(total: int, shown: int) -> str:
    return f" and {total - shown:,} more" if total > shown else ""


def _cut_note(shown: int, total: int) -> list[str]:
    return [f"Shown: {shown:,} of {total:,}."] if shown < total else []


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        write_text(printable(line))
