"""`minerva code`: ask a code base, whose index is made or refreshed for each question."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from minerva_insilico.commands.docs import docs
from minerva_insilico.commands.incomplete import says_what_is_missing
from minerva_insilico.commands.modules import (
    Json,
    NoIgnore,
    Root,
    complexity,
    imports,
    outline,
    summary,
)
from minerva_insilico.core.index.index import Index
from minerva_insilico.core.queries.search import SearchMode, SearchQuery, names_of

# ruff: noqa: PLC0415  # each command's imports wait for its call

app = typer.Typer(
    name="code",
    help="Ask a code base: definitions, callers, imports, what a renamed field breaks.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

Limit = Annotated[int, typer.Option("--limit", min=1, help="How many results are shown.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="`load`, `T.load` or `pkg.a.load`.")]
Transitive = Annotated[
    int, typer.Option("--transitive", min=0, max=10, help="Follow exact calls N steps further.")
]

app.command("docs")(says_what_is_missing(docs))
app.command("imports")(says_what_is_missing(imports))
app.command("outline")(says_what_is_missing(outline))
app.command("summary")(says_what_is_missing(summary))
app.command("complexity")(says_what_is_missing(complexity))


@app.command("index")
@says_what_is_missing
def _index(root: Root, *, no_ignore: NoIgnore = False, as_json: Json = False) -> None:
    """Bring the index up to date and tell what is in it."""
    from minerva_insilico.commands.code_view import show_indexed
    from minerva_insilico.commands.refreshed_index import Tree, refresh

    show_indexed(refresh(Tree(root, heeds_ignore=not no_ignore)), as_json=as_json)


@app.command("search")
@says_what_is_missing
def _search(  # noqa: PLR0913  # each is an option that people type
    root: Root,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A name, a text or a pattern.")],
    *,
    mode: Annotated[
        SearchMode, typer.Option("--mode", help="symbol: by name or words; pattern: `f($A, $$$)`.")
    ] = "symbol",
    is_pattern: Annotated[
        bool, typer.Option("--regex", help="With --mode text: a regular expression (RE2).")
    ] = False,
    language: Annotated[
        str, typer.Option("--language", help="With --mode pattern: of which language.")
    ] = "python",
    limit: Limit = 50,
    no_ignore: NoIgnore = False,
    as_json: Json = False,
) -> None:
    """Find a definition, a text, or code of a shape."""
    asked = SearchQuery(mode, query, limit=limit, is_pattern=is_pattern, language=language)
    _ask(root, asked, no_ignore=no_ignore, as_json=as_json)


@app.command("callers")
@says_what_is_missing
def _callers(
    root: Root,
    name: Name,
    *,
    transitive: Transitive = 0,
    callees: Annotated[
        bool, typer.Option("--callees", help="What it calls, instead of who calls it.")
    ] = False,
    limit: Limit = 50,
    no_ignore: NoIgnore = False,
    as_json: Json = False,
) -> None:
    """Find who calls a function: `exact` where the binding proves it, else `same_name`."""
    mode: SearchMode = "callees" if callees else "callers"
    query = SearchQuery(mode, name, limit=limit, transitive=transitive)
    _ask(root, query, no_ignore=no_ignore, as_json=as_json)


@app.command("uses")
@says_what_is_missing
def _uses(
    root: Root,
    names: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="`pat_nm`, `Patient.status`, `tb_p.nm`.")
    ],
    *,
    lists_left_out: Annotated[
        bool, typer.Option("--left-out", help="List the uses of the name that are another's, too.")
    ] = False,
    limit: Limit = 200,
    no_ignore: NoIgnore = False,
    as_json: Json = False,
) -> None:
    """Find the places to look at when a field or column is renamed: certain ones, possible ones."""
    from minerva_insilico.commands.code_view import show_uses
    from minerva_insilico.core.fields.elsewhere import find_elsewhere
    from minerva_insilico.core.fields.usage import judged_uses

    query = SearchQuery("field_uses", " ".join(names), limit=limit)
    with _asked(root, query, no_ignore=no_ignore) as (index, query_):
        if query_ is not None:
            fields_ = dict.fromkeys(names_of(query_.text))
            answers = [judged_uses(index, name) for name in fields_]
            fields = {name.rpartition(".")[2] for name in fields_}
            lines = [find_elsewhere(index, name, limit=limit) for name in sorted(fields)]
            show_uses(
                answers, lines, index.files, limit=limit, lists=lists_left_out, as_json=as_json
            )


def _ask(root: Path, query: SearchQuery, *, no_ignore: bool, as_json: bool) -> None:
    """Refresh the index and print the answer."""
    from minerva_insilico.commands.code_view import show_hits
    from minerva_insilico.core.queries.search import search

    with _asked(root, query, no_ignore=no_ignore) as (index, known):
        if known is not None:
            show_hits(search(index, known), known.mode, as_json=as_json)


@contextmanager
def _asked(
    root: Path, query: SearchQuery, *, no_ignore: bool
) -> Generator[tuple[Index, SearchQuery | None]]:
    """Refresh the index; give it with what is asked about known names, and refuse the others."""
    from minerva_insilico.commands.refreshed_index import CodeError, Tree, refreshed_index
    from minerva_insilico.core.queries.search import unknown_names, without

    with refreshed_index(Tree(root, heeds_ignore=not no_ignore)) as index:
        unknown = [*unknown_names(index, query)]
        yield index, without(query, {error.name for error in unknown})
    if unknown:
        raise CodeError(" ".join(map(str, unknown)))
