"""`minerva code imports|outline|summary|complexity`: what depends on what, what is where."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from minerva_insilico.core.index.index import Index

# ruff: noqa: PLC0415  # each command's imports wait for its call

FINDINGS = 3
"""The exit code of every command that judges what it found."""

Root = Annotated[Path, typer.Argument(metavar="PATH", help="The directory with the sources.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
NoIgnore = Annotated[
    bool, typer.Option("--no-ignore", help="Take what .gitignore files leave out, too.")
]
_Limit = Annotated[int, typer.Option("--limit", min=1, help="How many are shown.")]


_Module = Annotated[str | None, typer.Argument(metavar="[MODULE]", help="`pkg.a` or `pkg/a.py`.")]
_OfModule = Annotated[
    bool, typer.Option("--of", help="What it imports, instead of who imports it.")
]
_To = Annotated[
    str | None, typer.Option("--to", metavar="OTHER", help="A shortest chain of imports to OTHER.")
]
_Layers = Annotated[
    bool, typer.Option("--layers", help="Who imports it through others, layer by layer.")
]
_Cycles = Annotated[bool, typer.Option("--cycles", help="Modules that import each other.")]
_Requirements = Annotated[
    bool, typer.Option("--requirements", help="Declared requirements against imports.")
]
_Check = Annotated[
    bool, typer.Option("--check", help="End with 3 on a cycle or a missing requirement.")
]


def imports(  # noqa: PLR0913  # each is an option that people type
    root: Root,
    module: _Module = None,
    *,
    of_module: _OfModule = False,
    to: _To = None,
    layers: _Layers = False,
    cycles: _Cycles = False,
    requirements: _Requirements = False,
    check: _Check = False,
    limit: _Limit = 50,
    no_ignore: NoIgnore = False,
    as_json: Json = False,
) -> None:
    """Show who imports a module, or what it imports; cycles, chains, requirements."""
    from minerva_insilico.commands import modules_view as view
    from minerva_insilico.commands.refreshed_index import CodeError, Tree, refreshed_index
    from minerva_insilico.core.imports.graph import build_graph
    from minerva_insilico.core.imports.requirement import compare_requirements

    if (to is not None or layers or of_module) and module is None:
        message = "--of, --to and --layers are about a MODULE: minerva code imports PATH MODULE …"
        raise CodeError(message)
    has_findings = False
    with refreshed_index(Tree(root, heeds_ignore=not no_ignore)) as index:
        if requirements:
            compared = compare_requirements(index)
            view.show_requirements(compared, as_json=as_json)
            has_findings = bool(compared.missing)
        elif module is None or cycles:
            graph = build_graph(index)
            view.show_graph(graph, cycles_only=cycles, limit=limit, as_json=as_json)
            has_findings = bool(graph.cycles())
        elif to is not None:
            graph = build_graph(index)
            ends = view.find_module(graph, module), view.find_module(graph, to)
            view.show_chain(graph, *ends, as_json=as_json)
        elif layers:
            graph = build_graph(index)
            view.show_layers(graph, view.find_module(graph, module), limit=limit, as_json=as_json)
        else:
            _show_imports(index, module, of_module=of_module, limit=limit, as_json=as_json)
    if check and has_findings:
        raise typer.Exit(FINDINGS)


def _show_imports(
    index: "Index", module: str, *, of_module: bool, limit: int, as_json: bool
) -> None:
    from minerva_insilico.commands.code_view import show_hits
    from minerva_insilico.core.queries.search import SearchQuery, search

    query = SearchQuery("imports" if of_module else "importers", module, limit=limit)
    show_hits(search(index, query), query.mode, as_json=as_json)


def outline(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A source.")],
    *,
    as_json: Json = False,
) -> None:
    """Show the classes and functions of a source, with lines and complexity."""
    from minerva_insilico.commands.modules_view import show_outline
    from minerva_insilico.commands.refreshed_index import (
        CodeError,
        Tree,
        check_parsed,
        refreshed_index,
    )
    from minerva_insilico.core.queries.summary import outline_of

    if path.is_dir():
        message = f"`{path}` is no file; give one source, such as PATH/pkg/a.py."
        raise CodeError(message)
    with refreshed_index(Tree(path.parent)) as index:
        check_parsed(index, path)
        show_outline(outline_of(index, path.name), as_json=as_json)


def summary(
    root: Root,
    module: _Module = None,
    *,
    limit: _Limit = 50,
    as_json: Json = False,
) -> None:
    """Summarise a module: exports, dependencies, lines, complexity, documented share."""
    from minerva_insilico.commands.modules_view import show_summaries, show_table
    from minerva_insilico.commands.refreshed_index import Tree, refreshed_index
    from minerva_insilico.core.queries.nearest import unknown
    from minerva_insilico.core.queries.summary import summarise

    with refreshed_index(Tree(root)) as index:
        if module is None:
            show_table(index, limit=limit, as_json=as_json)
            return
        found = summarise(index, module)
        if not found:
            raise unknown(index, "module", module)
        show_summaries(found, as_json=as_json)


def complexity(
    root: Root,
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="A file, a folder or a symbol.")
    ] = "",
    *,
    by_file: Annotated[bool, typer.Option("--by-file", help="Files instead of functions.")] = False,
    at_least: Annotated[int, typer.Option("--at-least", min=1, help="Leave out less.")] = 1,
    limit: _Limit = 50,
    as_json: Json = False,
) -> None:
    """Show the most complex functions, or files, by radon's rule."""
    from minerva_insilico.commands.modules_view import show_files, show_functions
    from minerva_insilico.commands.refreshed_index import Tree, refreshed_index
    from minerva_insilico.core.queries.complexity import complex_functions, complexity_by_file
    from minerva_insilico.core.queries.nearest import check_place

    with refreshed_index(Tree(root)) as index:
        check_place(index, name)
        if by_file:
            show_files(complexity_by_file(index, of=name, limit=limit), as_json=as_json)
        else:
            page = complex_functions(index, of=name, at_least=at_least, limit=limit)
            show_functions(page, as_json=as_json)
