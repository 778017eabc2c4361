"""`minerva standardise`: schemas, lists of columns and typed names, with files to go on with."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from minerva_platform import MinervaError
from minerva_platform.config import find_settings

if TYPE_CHECKING:
    from minerva_data.commands.standardise_api import Standardised
    from minerva_data.core.standardising.options import Emitted, Wishes

# ruff: noqa: PLC0415  # the command's imports wait for its call

_HELP = """Give columns and names their standard name, domain and type, with the row it rests on.

WHAT is a file or text, in any number. Files: DDL (.sql, .ddl); an ODCS contract or dbt's
schema.yml (.yml); columns in a table (.csv, .tsv, .txt, .xlsx). Text is a name or a sentence
("환자 입원 일자"), - reads one from each line of standard input.

A table whose headers name columns (컬럼명, column_name, 컬럼한글명, or two of such headers as
항목명 and 데이터타입) lists them, one in a row; --map names other headers. Rows of one cell are
a list of names. Of any other table the first row names the columns and the rest is not read;
--data says that it is so. Encodings are UTF-8, UTF-16 and cp949; --encoding names another.

Without --out the table is shown; with --out all of it goes into files, of which none is applied.
Exit codes: 0 done, whatever is unresolved; 2 nothing can be read or written, or several dialects
or encodings fit; 5 done, but a table, column or comment was not read; 130 interrupted, the folder
is as it was.
"""


class _WrongOptionError(MinervaError):
    """An option, or what comes in, cannot be used; says what can."""


_INCOMPLETE = 5
"""The exit code of a standardisation to which a table, a column or a comment is missing."""

app = typer.Typer(name="standardise", add_completion=False, rich_markup_mode=None)


_What = Annotated[list[str], typer.Argument(metavar="WHAT...", show_default=False)]
_Dialect = Annotated[
    str | None,
    typer.Option("--dialect", metavar="D", help="The database's; else found by its marks."),
]
_Encoding = Annotated[
    str | None,
    typer.Option("--encoding", metavar="E", help="Of the files, such as cp932; else as found."),
]
_Glossaries = Annotated[
    list[str] | None,
    typer.Option(
        "--glossary",
        metavar="NAME",
        help="Who answers, the first before the others; repeatable. NAME@EDITION for one.",
    ),
]
_Priority = Annotated[
    str | None,
    typer.Option("--priority", metavar="A,B", help="Subject areas in the order of the rows."),
]
_Style = Annotated[
    Literal["UPPER_SNAKE", "lower_snake", "camel"] | None,
    typer.Option("--style", help="How physical names are written."),
]
_MaxLength = Annotated[
    int | None,
    typer.Option("--max-length", min=1, help="Longer names are reported (N2), never cut."),
]
_Emit = Annotated[
    str | None,
    typer.Option(
        "--emit",
        metavar="KINDS",
        help="Of csv,xlsx,ddl,odcs,dbt,report; else all that there is something to write of.",
    ),
]
_Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Write the files there.")]
_Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace files of DIR that others wrote or changed.")
]
_Map = Annotated[
    list[str] | None,
    typer.Option("--map", metavar="HEADER=FIELD", help="A header that is not known here."),
]
_Data = Annotated[
    bool, typer.Option("--data", help="A CSV holds data: its first row names the columns.")
]
_Language = Annotated[Literal["ko", "en"], typer.Option("--language", help="Of the report.")]
_Limit = Annotated[int, typer.Option("--limit", min=0, help="Rows of a list that are shown.")]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object with every row.")]


@app.command("standardise", help=_HELP, no_args_is_help=True)
def _standardise(  # noqa: PLR0913  # each is an option that people type
    what: _What,
    *,
    dialect: _Dialect = None,
    encoding: _Encoding = None,
    glossaries: _Glossaries = None,
    priority: _Priority = None,
    style: _Style = None,
    max_length: _MaxLength = None,
    emit: _Emit = None,
    out: _Out = None,
    overwrite: _Overwrite = False,
    header_pairs: _Map = None,
    data: _Data = False,
    language: _Language = "en",
    limit: _Limit = 20,
    as_json: _Json = False,
) -> None:
    from minerva_data.commands.standardise_view import show, show_json
    from minerva_data.core.importing.headers import read_map
    from minerva_data.core.standardising import options
    from minerva_data.core.standardising.column_list import FIELDS
    from minerva_data.settings import DataSettings
    from minerva_reading import FileFault

    settings = find_settings().team("data", DataSettings)
    try:
        wishes = options.Wishes(
            dialect=options.read_dialect(dialect) if dialect else None,
            encoding=options.read_encoding(encoding) if encoding else None,
            priority=_parts(priority) or settings.domain_priority,
            style=style or settings.physical_style,
            max_length=max_length or settings.max_length,
            emit=_kinds(emit),
            header_map=read_map(header_pairs or (), fields=FIELDS),
            is_data=data,
            language=language,
        )
    except (options.StandardiseFault, FileFault) as error:
        raise _WrongOptionError(str(error)) from error
    answering = glossaries or settings.glossaries
    with _run_job(what, wishes, answering, out, is_overwriting=overwrite) as done:
        if as_json:
            show_json(done)
        else:
            show(done, limit)
        losses = done.tally.losses
    if losses:
        raise typer.Exit(_INCOMPLETE)


def _run_job(
    what: Sequence[str],
    wishes: "Wishes",
    glossaries: Sequence[str] | None,
    out: Path | None,
    *,
    is_overwriting: bool,
) -> "Standardised":
    """Standardise what was typed, with a line that says how far it is."""
    from minerva_data.commands.standardise_api import standardise
    from minerva_data.commands.standardise_view import ProgressLine

    with ProgressLine() as line:
        return standardise(
            *(_lines(wishes.encoding) if one == "-" else one for one in what),
            out=out,
            glossaries=glossaries,
            wishes=wishes,
            is_overwriting=is_overwriting,
            on_progress=line.show,
        )


def _kinds(emit: str | None) -> "tuple[Emitted, ...] | None":
    from minerva_data.core.standardising.options import EMITTED

    if emit is None:
        return None
    unknown = [part for part in _parts(emit) if part not in EMITTED]
    found: tuple[Emitted, ...] = tuple(kind for kind in EMITTED if kind in _parts(emit))
    if unknown or not found:
        message = f"--emit {emit}: name some of {','.join(EMITTED)}."
        raise _WrongOptionError(message)
    return found


def _parts(text: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(p.strip() for p in (text or "").split(",") if p.strip()))


def _lines(encoding: str | None) -> Iterator[str]:
    """Yield the lines of standard input as they come.

    Raises:
        _WrongOptionError: a line is neither UTF-8 nor surely cp949, or not in the encoding given.
    """
    from minerva_reading import other_encodings

    for number, line in enumerate(sys.stdin.buffer, start=1):
        for name in (encoding,) if encoding else ("utf-8-sig", "cp949"):
            try:
                text = line.decode(name)
            except UnicodeDecodeError:
                continue
            if name != "cp949" or encoding or not other_encodings(line):
                yield text
                break
        else:
            names = encoding or "UTF-8 or surely cp949"
            message = (
                f"Line {number:,} of standard input is not in {names}: {line[:40]!r}. "
                "Name its encoding: --encoding cp932"
            )
            raise _WrongOptionError(message)
