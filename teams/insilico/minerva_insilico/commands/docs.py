"""`minerva code docs`: coverage, and what is missing."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from minerva_insilico.commands.modules import FINDINGS, Json
from minerva_insilico.core.docstrings.coverage import CountRule, Ignorable, coverage, find_missing

if TYPE_CHECKING:
    from minerva_insilico.commands.docs_view import DocsAnswer

# ruff: noqa: PLC0415  # what prints and indexes waits for the command that wants it

_FILES = (
    "SELECT count(*), coalesce(sum(is_parsed), 0) FROM files"
    " WHERE language = 'python' AND ?1 IN ('', path)"
)


def docs(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A directory, or one source.")],
    *,
    public_only: Annotated[
        bool, typer.Option("--public-only", help="Leave out `_names` and what functions hold.")
    ] = False,
    ignorables: Annotated[
        list[Ignorable] | None,
        typer.Option("--ignore", metavar="KIND", help=f"Leave out: {', '.join(Ignorable)}."),
    ] = None,
    fail_under: Annotated[
        float | None,
        typer.Option("--fail-under", min=0, max=100, help="End with 3 below this percentage."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many are listed.")] = 50,
    as_json: Json = False,
) -> None:
    """Show how much is documented and what is not; a docstring that says nothing is none."""
    from minerva_insilico.commands.docs_view import show, to_json
    from minerva_insilico.commands.incomplete import write_answer

    rule = CountRule(frozenset(ignorables or ()), public_only=public_only)
    answer = _ask(path, rule)
    if as_json:
        write_answer(to_json(answer, limit=limit))
    else:
        show(answer, limit=limit)
    counts = answer.coverage
    if fail_under is not None and 100 * counts.covered < fail_under * counts.total:
        raise typer.Exit(FINDINGS)


def _ask(path: Path, rule: CountRule) -> "DocsAnswer":
    from minerva_insilico.commands.docs_view import DocsAnswer
    from minerva_insilico.commands.refreshed_index import Tree, check_parsed, refreshed_index

    root, under = (path.parent, path.name) if path.is_file() else (path, "")
    with refreshed_index(Tree(root)) as index:
        if under:
            check_parsed(index, path)
        counted = coverage(index, under=under, rule=rule)
        missing = find_missing(index, under=under, rule=rule, limit=counted.total)
        files, parsed = index.connection.execute(_FILES, (under,)).fetchone()
        return DocsAnswer(counted, missing, files=files, parsed_files=parsed)
