"""Import a file into one edition of a glossary: wholly, or not at all.

The rows of a CSV file or a workbook are streamed, and all of it is one transaction. Whatever ends
it before its end, a bad line, a full disk or a killed process, leaves the store as it was.
"""

import hashlib
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from minerva_data.core.glossary.entry import Place, Reading
from minerva_data.core.glossary.glossary import SEED_NAME
from minerva_data.core.importing.calibrating import measure
from minerva_data.core.importing.contract_entries import read_contract, read_ddl
from minerva_data.core.importing.headers import Layout, find_layout, missing_headers, read_map
from minerva_data.core.importing.learning import domain_drafts, unknown_domains, word_drafts
from minerva_data.core.importing.report import ImportReport
from minerva_data.core.importing.table_row import row_to_reading
from minerva_data.core.store.store import FILE, GlossaryStore
from minerva_data.core.store.writer import EditionWriter, Source, WriteResult
from minerva_reading import DELIMITERS, FileFault, Table, find_encoding, open_tables

HEADER_ROWS = 20
"""Rows at the top of a table among which its headers are looked for."""
PROGRESS_ROWS = 20_000
"""Rows between two calls of `on_progress`."""

_MONTH = re.compile(r"(?<!\d)(20\d\d)[-_.]?(0[1-9]|1[0-2])(?:[-_.]?(0[1-9]|[12]\d|3[01]))?(?!\d)")
_YEAR = re.compile(r"(?<!\d)(20\d\d)(?!\d)")
_NAME = re.compile(r"[\w][\w.-]{0,63}")
_FIRST_EDITION = "1"


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a file is to be imported; what is left open follows from the file's name."""

    name: str | None = None
    kind: Literal["org", "public"] = "org"
    edition: str | None = None
    header_pairs: Sequence[str] = ()
    is_dry_run: bool = False


class _DryRunError(Exception):
    """Ends a dry run, so that its transaction is rolled back."""


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A file whose format is known: its rows, and what of it is not read."""

    format: str
    rows: Iterator[Reading]
    notes: tuple[str, ...] = field(default=())


def open_glossary(path: Path, header_map: Mapping[str, str]) -> OpenFile:
    """Return the rows of a file; `header_map` are the fields of headers that are not known here.

    Raises:
        FileFault: its format is not known, or it holds no glossary.
    """
    found = _READERS.get(path.suffix.casefold())
    if found is None:
        message = (
            f"{path.name}: files of this kind are not read. Give .csv, .tsv, .xlsx, .sql (with "
            "comments), or .yml (dbt, ODCS); save an .xls as .xlsx."
        )
        raise FileFault(message)
    return found(path, header_map)


def _csv(path: Path, header_map: Mapping[str, str]) -> OpenFile:
    encoding = find_encoding(path)
    layout, rows = read_csv(path, header_map, encoding=encoding)
    _check_named(header_map, {path.name: layout})
    kind = "OpenMetadata CSV" if layout.kind == "openmetadata" else "CSV"
    return OpenFile(f"{kind}, {encoding}", rows, _unread_notes({"": layout}))


def _xlsx(path: Path, header_map: Mapping[str, str]) -> OpenFile:
    layouts, others, rows = read_xlsx(path, header_map)
    _check_named(header_map, layouts)
    skipped = tuple(f"sheet `{name}` holds no table of a glossary" for name in others)
    tables = ", ".join(f"{name}: {layout.kind}s" for name, layout in layouts.items())
    return OpenFile(f"XLSX ({tables})", rows, (*skipped, *_unread_notes(layouts)))


def _sql(path: Path, _: Mapping[str, str]) -> OpenFile:
    return OpenFile("DDL", read_ddl(path))


def _yaml(path: Path, _: Mapping[str, str]) -> OpenFile:
    kind, rows = read_contract(path)
    return OpenFile(kind, rows)


def _check_named(header_map: Mapping[str, str], layouts: Mapping[str, Layout]) -> None:
    """Refuse a `--map` that names no header: it would be silently without effect."""
    used = {field for layout in layouts.values() for field in layout.columns}
    missing = [f"{header}={name}" for header, name in header_map.items() if name not in used]
    if missing:
        message = f"--map {missing[0]}: no table has this header, or has such a field."
        raise FileFault(message)


def _unread_notes(layouts: Mapping[str, Layout]) -> tuple[str, ...]:
    return tuple(
        f"{f'sheet `{name}`: ' if name else ''}columns not used: {', '.join(layout.unread_headers)}"
        for name, layout in layouts.items()
        if layout.unread_headers
    )


_READERS: dict[str, Callable[[Path, Mapping[str, str]], OpenFile]] = {
    ".csv": _csv,
    ".tsv": _csv,
    ".txt": _csv,
    ".xlsx": _xlsx,
    ".xlsm": _xlsx,
    ".sql": _sql,
    ".ddl": _sql,
    ".yml": _yaml,
    ".yaml": _yaml,
}


def import_file(
    store: GlossaryStore,
    path: Path,
    request: Wanted,
    *,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    on_progress: Callable[[int], None] = lambda _: None,
) -> ImportReport:
    """Import `path` into `store` and return what became of each row.

    Raises:
        FileFault: nothing of the file can be imported.
        StoreError: the store cannot be written.
    """
    if request.is_dry_run and not store.path.exists():
        with TemporaryDirectory() as folder, GlossaryStore(Path(folder) / FILE) as empty:
            _ = empty.connection  # which makes its file
            return import_file(empty, path, request, now=now, on_progress=on_progress)
    started = time.monotonic()
    source = _source(store, path, request, now())
    file = open_glossary(path, read_map(request.header_pairs))
    report = ImportReport(source.glossary, source.edition, path.name, file.format)
    report.is_dry_run = request.is_dry_run
    try:
        with store.writing() as connection:
            writer = EditionWriter(connection, source)
            _write(writer, file, report, on_progress)
            learn(writer, report)
            _keep(report)
    except _DryRunError:
        report.notes.append("A dry run: nothing was written.")
    report.seconds = time.monotonic() - started
    return report


def _keep(report: ImportReport) -> None:
    if report.is_dry_run:
        raise _DryRunError


def _source(store: GlossaryStore, path: Path, request: Wanted, now: datetime) -> Source:
    date = _MONTH.search(path.stem) or _YEAR.search(path.stem)
    name = request.name or _stem(path, date)
    if not is_glossary_name(name):
        message = f"`{name}` cannot be a glossary's name. Give one of letters and digits: --as NAME"
        raise FileFault(message)
    digest = file_digest(path)
    edition = request.edition or ("-".join(filter(None, date.groups())) if date else None)
    known = (one.edition for one in store.editions() if one.glossary == name and one.is_newest)
    return Source(
        glossary=name,
        kind=request.kind,
        edition=edition or next(known, _FIRST_EDITION),
        file=path.name,
        sha256=digest,
        imported_at=now.isoformat(timespec="seconds"),
    )


def file_digest(path: Path) -> str:
    """Return the sha256 of a file.

    Raises:
        FileFault: it cannot be read, or is empty.
    """
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256")
            size = file.tell()
    except OSError as error:
        message = f"{path} cannot be read ({error.strerror}). Name a file that you may read."
        raise FileFault(message) from error
    if not size:
        message = f"{path.name} is empty. Save the glossary into it again, then import it."
        raise FileFault(message)
    return digest.hexdigest()


def is_glossary_name(name: str) -> bool:
    """True if a glossary of one's own may be called so."""
    return _NAME.fullmatch(name) is not None and name != SEED_NAME


def _stem(path: Path, date: re.Match[str] | None) -> str:
    stem = path.stem.replace(date.group(), "") if date else path.stem
    return re.sub(r"[^\w.-]+", "-", stem).strip("-_.").casefold()


def _write(
    writer: EditionWriter, file: OpenFile, report: ImportReport, on_progress: Callable[[int], None]
) -> None:
    report.notes += file.notes
    writer.remove_learned()
    for reading in file.rows:
        report.read += 1
        if reading.reason:
            report.reject(reading.place, reading.reason)
        else:
            _count(reading, [writer.write(draft) for draft in reading.drafts], report)
        if report.read % PROGRESS_ROWS == 0:
            on_progress(report.read)
    if not report.kept and not report.repeated:
        why = "; ".join(f"{place}: {reason}" for place, reason in report.shown[:3])
        message = (
            f"{report.file}: none of its {report.read} rows can be kept, so nothing was imported. "
            f"{why or 'The table is empty.'}"
        )
        raise FileFault(message)
    report.removed = writer.remove_stale()


def _count(reading: Reading, results: list[WriteResult], report: ImportReport) -> None:
    outcomes = {put.outcome for put in results}
    for draft, put in zip(reading.drafts, results, strict=True):
        if put.outcome in {"added", "updated", "unchanged"}:
            report.kinds[draft.kind] += 1
            if draft.is_retired:
                report.retired_names.append(draft.name)
    if outcomes & {"added", "updated", "unchanged"}:
        name = next(n for n in ("added", "updated", "unchanged") if n in outcomes)
        setattr(report, name, getattr(report, name) + 1)
    elif "repeated" in outcomes:
        report.repeated += 1
    else:
        draft, result = reading.drafts[0], results[0]
        reason = f"`{draft.name}` contradicts row {result.row}: {result.difference(draft)}"
        report.reject(reading.place, reason, kind="it contradicts an earlier row")


def learn(writer: EditionWriter, report: ImportReport) -> None:
    """Learn domains and words of what was written, and measure how sure its names are."""
    connection, edition = writer.connection, writer.edition_id
    for draft in list(domain_drafts(connection, edition)):
        report.learned_domains += writer.write(draft).outcome == "added"
    for draft in list(word_drafts(connection, edition)):
        report.learned_words += writer.write(draft).outcome == "added"
    unknown = unknown_domains(connection, edition)
    if unknown:
        names = ", ".join(name for name, _ in unknown.most_common(3))
        report.notes.append(
            f"{unknown.total()} terms have a domain that nobody declares ({names}): they have none."
        )
    writer.write_calibration(measure(connection, edition))


def read_csv(
    path: Path, header_map: Mapping[str, str], *, encoding: str
) -> tuple[Layout, Iterator[Reading]]:
    """Return what the file holds, and its rows as they are read.

    Raises:
        FileFault: no headers are found; later, a line is no CSV.
    """
    first: Sequence[str] = ()
    for delimiter in DELIMITERS:
        (table,) = open_tables(path, delimiter=delimiter, encoding=encoding)
        for number, (_, cells) in enumerate(table.rows):
            layout = find_layout(cells, header_map)
            if layout is not None:
                (table,) = open_tables(path, delimiter=delimiter, encoding=encoding)
                return layout, _rows(table, layout, header_map)
            first = cells if not number and len(cells) > len(first) else first
            if number >= HEADER_ROWS:
                break
    raise missing_headers(path.name, first)


def _rows(table: Table, layout: Layout, header_map: Mapping[str, str]) -> Iterator[Reading]:
    is_below = False
    for line, cells in table.rows:
        if not is_below:
            is_below = find_layout(cells, header_map) == layout
        elif any(cell.strip() for cell in cells):
            yield row_to_reading(cells, layout, Place(line))


_SAMPLE = 50
"""Rows below the headers that show whether a sheet holds entries."""


def read_xlsx(
    path: Path, header_map: Mapping[str, str]
) -> tuple[dict[str, Layout], tuple[str, ...], Iterator[Reading]]:
    """Return the layouts by sheet, the sheets that hold no table, and the rows of the others.

    Raises:
        FileFault: it is no workbook, is unsafe to open, or no sheet holds a table.
    """
    layouts: dict[str, Layout] = {}
    doubtful: dict[str, Layout] = {}
    others: list[str] = []
    first: list[str] = []
    for table in open_tables(path):
        rows = list(islice(table.rows, HEADER_ROWS + _SAMPLE))
        layout = next(filter(None, (find_layout(cells, header_map) for _, cells in rows)), None)
        if layout is None:
            others.append(table.name)
            first = first or next((cells for _, cells in rows if any(cells)), first)
        elif _has_entries(rows, layout, header_map):
            layouts[table.name] = layout
        else:
            doubtful[table.name] = layout
    if not (layouts or doubtful):
        where = f"{path.name} ({', '.join(others) or 'no sheets'})"
        raise missing_headers(where, first)
    if layouts:
        others += doubtful
    layouts = layouts or doubtful
    return layouts, tuple(others), _sheet_rows(path, layouts, header_map)


def _has_entries(
    rows: list[tuple[int, list[str]]], layout: Layout, header_map: Mapping[str, str]
) -> bool:
    """True if rows below the headers are entries: a sheet that explains headers has none."""
    top = next(i for i, (_, cells) in enumerate(rows) if find_layout(cells, header_map) == layout)
    return any(row_to_reading(cells, layout, Place(n)).drafts for n, cells in rows[top + 1 :])


def _sheet_rows(
    path: Path, layouts: dict[str, Layout], header_map: Mapping[str, str]
) -> Iterator[Reading]:
    for table in open_tables(path):
        layout = layouts.get(table.name)
        is_below = False
        for number, cells in table.rows if layout else ():
            if not is_below:
                is_below = find_layout(cells, header_map) == layout
            elif layout and any(cell.strip() for cell in cells):
                yield row_to_reading(cells, layout, Place(number, table.name))
