"""Answer a question about the structure of a code base, with the evidence."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from minerva_insilico.answers.imports import (
    answer_chain,
    answer_cycles,
    answer_imports,
    answer_requirements,
)
from minerva_insilico.answers.modules import answer_complexity, answer_outline, answer_summary
from minerva_insilico.core.imports.graph import ImportGraph, ImportPlace, build_graph
from minerva_insilico.core.imports.requirement import compare_requirements
from minerva_insilico.core.index.index import Index, Page, SymbolRef
from minerva_insilico.core.queries.complexity import complex_functions
from minerva_insilico.core.queries.structure_question import StructureQuestion, StructureTopic
from minerva_insilico.core.queries.summary import outline_of, summarise
from minerva_platform import Artifact, Citation
from minerva_platform.text import Language, csv_text

_MAX_CITED = 20
_MAX_MODULES = 10
"""Modules summarised or outlined in one answer."""


@dataclass(frozen=True)
class StructureAnswer:
    """An answer as Markdown, its sources and its whole lists."""

    text: str
    citations: tuple[Citation, ...] = ()
    artifacts: tuple[Artifact, ...] = ()


def answer_structure(
    index: Index, question: StructureQuestion, language: Language
) -> StructureAnswer:
    """Answer the question about the structure."""
    return _ANSWERS[question.topic](index, question, language)


def _cycles(index: Index, _question: StructureQuestion, language: Language) -> StructureAnswer:
    graph = build_graph(index)
    steps = [step for cycle in graph.cycles() for step in pairwise(cycle.chain)]
    places = [graph.places(*step)[0] for step in steps]
    return StructureAnswer(
        answer_cycles(graph, language), _cite_places(index, places), (_imports_csv(graph),)
    )


def _imports(index: Index, question: StructureQuestion, language: Language) -> StructureAnswer:
    graph = build_graph(index)
    modules = [index.modules.names[path] for path in question.paths[:_MAX_MODULES]]
    places = [
        place
        for importer, targets in graph.imports.items()
        for imported, found in targets.items()
        if importer in modules or imported in modules
        for place in found
    ]
    text = answer_imports(graph, modules, language)
    return StructureAnswer(text, _cite_places(index, places), (_imports_csv(graph),))


def _chain(index: Index, question: StructureQuestion, language: Language) -> StructureAnswer:
    graph = build_graph(index)
    start, end = (index.modules.names[path] for path in question.paths)
    chain = graph.chain(start, end)
    places = [graph.places(*step)[0] for step in pairwise(chain)]
    return StructureAnswer(answer_chain(graph, start, end, language), _cite_places(index, places))


def _requirements(
    index: Index, _question: StructureQuestion, language: Language
) -> StructureAnswer:
    compared = compare_requirements(index)
    places = [item.places[0] for item in compared.missing]
    return StructureAnswer(answer_requirements(compared, language), _cite_places(index, places))


def _complexity(index: Index, question: StructureQuestion, language: Language) -> StructureAnswer:
    found: dict[tuple[str, int], SymbolRef] = {}
    for of in (*question.paths, *question.names) or ("",):
        page = complex_functions(index, of=of, limit=10_000)
        found |= {(item.path, item.line): item for item in page.items}
    ranked = sorted(found.values(), key=lambda item: (-item.complexity, item.path, item.line))
    citations = tuple(
        Citation(source=item.path, line=item.line, quote=item.qualname)
        for item in ranked[:_MAX_CITED]
    )
    page = Page(tuple(ranked), len(ranked))
    return StructureAnswer(answer_complexity(page, language), citations)


def _summary(index: Index, question: StructureQuestion, language: Language) -> StructureAnswer:
    items = [item for path in question.paths[:_MAX_MODULES] for item in summarise(index, path)]
    citations = tuple(Citation(source=item.path, line=1, quote=item.first_line) for item in items)
    text = "\n\n".join(answer_summary(item, language) for item in items)
    return StructureAnswer(text, citations)


def _outline(index: Index, question: StructureQuestion, language: Language) -> StructureAnswer:
    outlines = [(path, outline_of(index, path)) for path in question.paths[:_MAX_MODULES]]
    citations = tuple(
        Citation(source=path, line=symbol.line, quote=symbol.qualname)
        for path, symbols in outlines
        for symbol in symbols[:_MAX_CITED]
    )
    return StructureAnswer(answer_outline(outlines, language), citations[:_MAX_CITED])


_ANSWERS: dict[StructureTopic, Callable[[Index, StructureQuestion, Language], StructureAnswer]] = {
    "chain": _chain,
    "complexity": _complexity,
    "cycles": _cycles,
    "imports": _imports,
    "outline": _outline,
    "requirements": _requirements,
    "summary": _summary,
}


def _cite_places(index: Index, places: list[ImportPlace]) -> tuple[Citation, ...]:
    return tuple(
        Citation(source=place.path, line=place.line, quote=index.snippet(place.path, place.line))
        for place in places[:_MAX_CITED]
    )


def _imports_csv(graph: ImportGraph) -> Artifact:
    rows = (
        (importer, imported, place.path, place.line, place.guard)
        for importer, targets in graph.imports.items()
        for imported, places in targets.items()
        for place in places
    )
    content = csv_text(("importer", "imported", "path", "line", "guard"), rows)
    return Artifact(name="imports.csv", media_type="text/csv", content=content)
