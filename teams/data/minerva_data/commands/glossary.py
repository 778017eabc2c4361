"""`minerva glossary`: import glossaries, and see what is in them."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import typer

from minerva_data.commands.proposals import app as proposals
from minerva_platform import MinervaError
from minerva_platform.cli_kit import say, write_json
from minerva_platform.config import home_directory

# ruff: noqa: PLC0415  # each command's imports wait for its call

app = typer.Typer(
    name="glossary",
    help="Import glossaries and see what is in them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

app.add_typer(proposals)

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
_Name = Annotated[str, typer.Argument(metavar="NAME", help="A glossary, or NAME@EDITION.")]


class GlossaryError(MinervaError):
    """A glossary cannot be imported, found or written; says what to do."""


@contextmanager
def _told() -> Generator[None]:
    """Say what goes wrong in the core as every command does."""
    from minerva_data.core.store.schema import StoreError
    from minerva_reading import FileFault

    try:
        yield
    except (FileFault, StoreError) as error:
        raise GlossaryError(str(error)) from error
    except OSError as error:
        message = f"{error.filename or 'A file'} cannot be written: {error.strerror}."
        raise GlossaryError(message) from error


@app.command("import")
def _import(  # each is an option that people type
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV, XLSX, SQL or YAML.")],
    *,
    name: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="Its name; else from the file's.")
    ] = None,
    kind: Annotated[
        Literal["org", "public"], typer.Option("--kind", help="An organisation's goes first.")
    ] = "org",
    edition: Annotated[
        str | None,
        typer.Option("--edition", metavar="E", help="Else from the file's name, such as 2025-11."),
    ] = None,
    header_pairs: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="HEADER=FIELD", help="A header that is not known here."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Report what would be done; write nothing.")
    ] = False,
    as_json: _Json = False,
) -> None:
    """Import a file into an edition of a glossary, wholly or not at all."""
    from minerva_data.commands.glossary_view import show_report
    from minerva_data.core.importing.importer import Wanted, import_file
    from minerva_data.core.store.store import FILE, GlossaryStore

    wanted = Wanted(name, kind, edition, tuple(header_pairs or ()), dry_run)
    with _told(), GlossaryStore(home_directory() / FILE) as store:
        report = import_file(store, file, wanted, on_progress=lambda rows: say(f"{rows:,} rows …"))
    if as_json:
        write_json(report.to_json())
    else:
        show_report(report)


@app.command("list")
def _list(*, as_json: _Json = False) -> None:
    """Show the glossaries and editions, and in which order they answer."""
    from minerva_data.commands.glossary_view import edition_to_json, show_editions
    from minerva_data.core.store.store import FILE, GlossaryStore
    from minerva_data.settings import configured_glossaries

    names = configured_glossaries()
    with _told(), GlossaryStore(home_directory() / FILE) as store:
        editions, chosen = store.editions(), store.choose_editions(names)
    if as_json:
        order = [f"{one.glossary}@{one.edition}" if one else "minerva-seed" for one in chosen]
        write_json({"editions": [edition_to_json(one) for one in editions], "order": order})
    else:
        show_editions(editions, chosen)


@app.command("search")
def _search(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A name, or a part of one.")],
    *,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200)] = 20,
    as_json: _Json = False,
) -> None:
    """Show the entries most like TEXT; they propose, they decide nothing."""
    from minerva_data.commands.glossary_view import hit_to_json, show_hits
    from minerva_data.core.store.store import FILE, GlossaryStore
    from minerva_data.settings import configured_glossaries

    names = configured_glossaries()
    with _told(), GlossaryStore(home_directory() / FILE) as store:
        hits = store.search(text, names=names, limit=limit)
    if as_json:
        write_json({"query": text, "shown": len(hits), "hits": [hit_to_json(hit) for hit in hits]})
    else:
        show_hits(text, hits)


@app.command("export")
def _export(
    name: _Name,
    *,
    format_: Annotated[
        Literal["csv", "xlsx"], typer.Option("--format", help="A folder of CSV, or a workbook.")
    ] = "csv",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="PATH", help="Else named after the glossary.")
    ] = None,
) -> None:
    """Write an edition's declared entries as tables that can be imported again."""
    from minerva_data.core.glossary.export import write_csv, write_xlsx
    from minerva_data.core.store.store import FILE, GlossaryStore

    with _told(), GlossaryStore(home_directory() / FILE) as store:
        (edition,) = store.choose_editions([name])
        if edition is None:
            message = "The bundled glossary is no import: its tables lie in minerva_data/seed."
            raise GlossaryError(message)
        stem = f"{edition.glossary}-{edition.edition}"
        drafts = (row.draft for row in store.rows(edition))
        if format_ == "csv":
            written = write_csv(drafts, out or Path(stem))
        else:
            written = write_xlsx(drafts, out or Path(f"{stem}.xlsx"))
    for path in written:
        say(f"written: {path}")


@app.command("remove")
def _remove(name: _Name) -> None:
    """Remove a glossary with all its editions, or one edition of it."""
    from minerva_data.core.store.store import FILE, GlossaryStore

    with _told(), GlossaryStore(home_directory() / FILE) as store:
        gone = store.remove(name)
    for edition in gone:
        entries = sum(edition.entries.values())
        say(f"removed: {edition.glossary} {edition.edition}, {entries:,} entries")
