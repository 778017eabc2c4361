"""`minerva code`: ask a code base, whose index is made or refreshed for each question."""

from pathlib import Path
from typing import Annotated

import typer

from minerva_insilico.command.docs import docs
from minerva_insilico.command.modules import complexity, imports, outline, summary

# ruff: noqa: PLC0415  # each command's imports wait for its call

app = typer.Typer(
    name="code",
    help="Ask a code base: definitions, callers, imports, what a renamed field breaks.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Root = Annotated[Path, typer.Argument(metavar="PATH", help="The directory with the sources.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Limit = Annotated[int, typer.Option("--limit", min=1, help="How many results are shown.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="`load`, `T.load` or `pkg.a.load`.")]

app.command("docs")(docs)
app.command("imports")(imports)
app.command("outline")(outline)
app.command("summary")(summary)
app.command("complexity")(complexity)


@app.command("index")
def _index(root: Root, *, as_json: AsJson = False) -> None:
    """Bring the index up to date and tell what is in it."""
    from minerva_insilico.command.code_view import show_indexed
    from minerva_insilico.command.fresh import refresh

    show_indexed(refresh(root), as_json=as_json)


@app.command("search")
def _search(
    root: Root,
    query: Annotated[str, typer.Argument(metavar="QUERY")],
    *,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """Find a definition by its name."""
    from minerva_insilico.command.code_view import show_page
    from minerva_insilico.command.fresh import fresh_index
    from minerva_insilico.core.search import find_symbol

    with fresh_index(root) as index:
        show_page(find_symbol(index, query, limit=limit), as_json=as_json)


@app.command("callers")
def _callers(root: Root, name: Name, *, limit: Limit = 50, as_json: AsJson = False) -> None:
    """Find who calls a function."""
    from minerva_insilico.command.code_view import show_page
    from minerva_insilico.command.fresh import fresh_index
    from minerva_insilico.core.caller import find_callers

    with fresh_index(root) as index:
        show_page(find_callers(index, name, limit=limit), as_json=as_json)


@app.command("uses")
def _uses(
    root: Root,
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Fields or columns.")],
    *,
    limit: Limit = 200,
    as_json: AsJson = False,
) -> None:
    """Find the places to look at when a field or column is renamed."""
    from minerva_insilico.command.code_view import show_page
    from minerva_insilico.command.fresh import fresh_index
    from minerva_insilico.core.usage import field_uses

    with fresh_index(root) as index:
        show_page(field_uses(index, names, limit=limit), as_json=as_json)
