"""`minerva code docs`: coverage, what is missing, drafts, and writing them when told to."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from minerva_insilico.core.docstrings.coverage import CountRule, Ignorable, coverage, undocumented
from minerva_insilico.core.docstrings.docstyle import Style

if TYPE_CHECKING:
    from minerva_insilico.commands.docs_view import DocsAnswer
    from minerva_insilico.core.index.index import Index

# ruff: noqa: PLC0415  # what drafts and writes waits for the option that wants it

_SECONDS_A_FILE = 30.0
"""A person waits for a file longer than a run does; 12,000 functions take 10 s."""

FINDINGS = 3
"""The exit code of every command that judges what it found."""


def docs(  # noqa: PLR0913  # each is an option that people type
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A directory, or one source.")],
    *,
    style: Annotated[
        Style | None,
        typer.Option("--style", help="Of the drafts; else the one most docstrings here have."),
    ] = None,
    diff: Annotated[
        bool, typer.Option("--diff", help="Print drafts as a patch for `git apply`, only.")
    ] = False,
    apply: Annotated[
        bool, typer.Option("--apply", help="Write the drafts into the sources.")
    ] = False,
    public_only: Annotated[
        bool, typer.Option("--public-only", help="Leave out `_names` and what functions hold.")
    ] = False,
    ignored: Annotated[
        list[Ignorable] | None,
        typer.Option("--ignore", metavar="KIND", help=f"Leave out: {', '.join(Ignorable)}."),
    ] = None,
    fail_under: Annotated[
        float | None,
        typer.Option("--fail-under", min=0, max=100, help="End with 3 below this percentage."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many are listed.")] = 50,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
) -> None:
    """Tell how much is documented and what is not; draft docstrings, write them if told to."""
    from minerva_insilico.commands.docs_view import show, show_patch, to_json
    from minerva_insilico.commands.fresh import CodeError
    from minerva_platform.cli_kit import write_json

    if diff and apply:
        message = "--diff only shows and --apply writes; give one of them."
        raise CodeError(message)
    rule = CountRule(frozenset(ignored or ()), public_only=public_only)
    answer = _ask(path, rule, style, drafts=diff or apply)
    if apply:
        answer = _apply(path, rule, answer)
    if as_json:
        write_json(to_json(answer, limit=limit))
    elif diff:
        show_patch(answer)
    else:
        show(answer, limit=limit)
    if fail_under is not None and 100 * answer.counted.covered < fail_under * answer.counted.total:
        raise typer.Exit(FINDINGS)


def _ask(path: Path, rule: CountRule, style: Style | None, *, drafts: bool) -> "DocsAnswer":
    from minerva_insilico.commands.docs_view import DocsAnswer
    from minerva_insilico.commands.fresh import Tree, fresh_index, shown_progress
    from minerva_insilico.core.docstrings.drafting import draft_docstrings

    root, under = (path.parent, path.name) if path.is_file() else (path, "")
    with fresh_index(Tree(root)) as index:
        _check_parsed(index, path, under)
        counted = coverage(index, under=under, rule=rule)
        missing = undocumented(index, under=under, rule=rule, limit=counted.total)
        answer = DocsAnswer(index.root, counted, missing)
        if drafts:
            with shown_progress("drafted") as on_progress:
                answer.drafted = draft_docstrings(
                    index, missing.items,
                    style=style, seconds=_SECONDS_A_FILE, on_progress=on_progress,
                )  # fmt: skip
        return answer


def _apply(path: Path, rule: CountRule, answer: "DocsAnswer") -> "DocsAnswer":
    """Write the drafts and count again."""
    from minerva_insilico.core.docstrings.application import apply_rewrites

    applied = apply_rewrites(answer.root, answer.drafted.rewrites) if answer.drafted else None
    after = _ask(path, rule, None, drafts=False)
    after.drafted, after.applied, after.before = answer.drafted, applied, answer.counted
    return after


def _check_parsed(index: "Index", path: Path, under: str) -> None:
    from minerva_insilico.commands.fresh import CodeError

    if under and under not in index.modules.names:
        message = f"`{path}` is no source that could be parsed; give a directory or a *.py file."
        raise CodeError(message)
