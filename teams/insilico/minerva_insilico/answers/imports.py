"""Write who imports whom, in the language of the request."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from minerva_insilico.answers.lists import cut_note, titled_list, with_note
from minerva_insilico.answers.modules import names_text
from minerva_insilico.core.imports.graph import Cycle, ImportGraph, ImportPlace
from minerva_insilico.core.imports.requirement import Distribution, Requirements
from minerva_platform.text import Language, code_span, markdown_table, read_texts

REQUIREMENT_TEXTS = read_texts("minerva_insilico.answers", "requirements")
TEXTS = read_texts("minerva_insilico.answers", "imports")
_MAX_SHOWN = 20


def answer_cycles(graph: ImportGraph, language: Language) -> str:
    """Write the cycles of a tree, each with the lines that close it."""
    cycles = graph.cycles()
    modules, edges = len(graph.modules), sum(map(len, graph.imports.values()))
    if not cycles:
        return TEXTS("cycles.none", language, modules=modules, edges=edges)
    title = TEXTS("cycles.title", language, cycles=len(cycles), modules=modules, edges=edges)
    parts = [title, *(_cycle(graph, cycle, language) for cycle in cycles[:_MAX_SHOWN])]
    note = cut_note(language, shown=_MAX_SHOWN, total=len(cycles))
    return "\n\n".join(filter(None, [*parts, note]))


def _cycle(graph: ImportGraph, cycle: Cycle, language: Language) -> str:
    way = " → ".join(map(code_span, cycle.chain))
    head = TEXTS("cycles.one", language, modules=len(cycle.modules), way=way)
    late = "" if cycle.at_start else TEXTS("cycles.late", language)
    return "\n".join([head + late, "", *_steps(graph, cycle.chain, language)])


def _steps(graph: ImportGraph, chain: Sequence[str], language: Language) -> list[str]:
    return [
        f"- {place_of(graph.places(importer, imported)[0], language)}"
        f" {code_span(importer)} → {code_span(imported)}"
        for importer, imported in pairwise(chain)
    ]


def answer_chain(graph: ImportGraph, start: str, end: str, language: Language) -> str:
    """Write the shortest chains of imports between two modules, both ways."""
    parts: list[str] = []
    for first, last in ((start, end), (end, start)):
        chain = graph.chain(first, last)
        names = {"first": code_span(first), "last": code_span(last)}
        if chain:
            title = f"{names['first']} → {names['last']}:"
            parts.append("\n".join([title, "", *_steps(graph, chain, language)]))
        else:
            parts.append(TEXTS("no_chain", language, **names))
    return "\n\n".join(parts)


def answer_imports(graph: ImportGraph, modules: Sequence[str], language: Language) -> str:
    """Write the imports and importers of some modules, or else the most imported modules."""
    if not modules:
        return _most_imported(graph, language)
    parts = (part for name in modules[:_MAX_SHOWN] for part in _both_sides(graph, name, language))
    return "\n\n".join(parts)


def _both_sides(graph: ImportGraph, module: str, language: Language) -> Iterator[str]:
    layers = graph.importers(module)
    importers = [(name, graph.places(name, module)[0]) for name in (layers[0] if layers else ())]
    yield f"**{code_span(module)}**"
    yield _edges(TEXTS("importers", language), importers, language)
    if len(layers) > 1:
        yield "\n".join(
            f"- {TEXTS('step', language)} {number}: {names_text(layer, language)}"
            for number, layer in enumerate(layers[1:], start=2)
        )
    imported = [(name, graph.places(module, name)[0]) for name in graph.imported_by(module)]
    yield _edges(TEXTS("imported", language), imported, language)


def _most_imported(graph: ImportGraph, language: Language) -> str:
    counts = Counter(name for targets in graph.imports.values() for name in targets)
    names = sorted(graph.modules, key=lambda name: (-counts[name], name))
    rows = (
        (code_span(name), f"{counts[name]:,}", f"{len(graph.imported_by(name)):,}")
        for name in names[:_MAX_SHOWN]
    )
    table = markdown_table(TEXTS.row("most_imported", language), rows)
    shown = min(_MAX_SHOWN, len(names))
    body = with_note([table], shown, len(names), language, "imports.csv")
    return f"{body}\n\n{answer_cycles(graph, language)}"


def _edges(title: str, edges: Sequence[tuple[str, ImportPlace]], language: Language) -> str:
    lines = (f"- {place_of(at, language)} {code_span(name)}" for name, at in edges[:_MAX_SHOWN])
    return titled_list(title, lines, len(edges), language)


def place_of(place: ImportPlace, language: Language) -> str:
    """Return where an import stands, and what it depends on: a call, what is installed."""
    at = code_span(f"{place.path}:{place.line}")
    return f"{at} {TEXTS(f'guards.{place.guard}', language)}" if place.guard else at


def answer_requirements(requirements: Requirements, language: Language) -> str:
    """Write missing and unused requirements, with file and line."""
    unread = [f"- {code_span(path)}" for path in requirements.unread]
    if not requirements.manifests:
        nothing = REQUIREMENT_TEXTS("no_manifest", language)
        return "\n\n".join([nothing, *_section("unread_files", unread, language)])
    problems = [
        f"- {code_span(f'{item.path}:{item.line}')}: {item.text(language)}"
        for item in requirements.problems
    ]
    unused = [
        f"- {code_span(item.name)} ({item.group}) {code_span(f'{item.path}:{item.line}')}"
        for item in requirements.unused
    ]
    opening = REQUIREMENT_TEXTS(
        "opening",
        language,
        declared=len(requirements.declarations),
        files=", ".join(map(code_span, requirements.manifests)),
        imported=len(requirements.distributions),
    )
    sections = (
        *_section("met", _distribution_lines(requirements.in_both, language), language),
        *_section("missing", _distribution_lines(requirements.missing, language), language),
        *_section("optional", _distribution_lines(requirements.optional, language), language),
        *_section("unused", unused, language),
        *_section("unread", [*problems, *unread], language),
    )
    return "\n\n".join([opening, *sections])


def _distribution_lines(items: Sequence[Distribution], language: Language) -> list[str]:
    return [
        f"- {code_span(item.name)} ({', '.join(map(code_span, item.modules))})"
        f" {place_of(item.places[0], language)}"
        for item in items
    ]


def _section(title: str, lines: Sequence[str], language: Language) -> Iterator[str]:
    """Yield a list under its title, if there is anything in it."""
    if lines:
        head = REQUIREMENT_TEXTS(f"titles.{title}", language)
        yield titled_list(head, lines[:_MAX_SHOWN], len(lines), language)
