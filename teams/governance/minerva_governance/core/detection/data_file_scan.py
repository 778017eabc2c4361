"""Scan many data files; one that cannot be read is said and does not stop the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.detection.table_scan import DataScan, scan_data
from minerva_governance.core.policy.policy import TargetKind
from minerva_governance.core.reading.source_files import FileUse, Source
from minerva_governance.core.review.unreviewed import Unreviewed
from minerva_governance.core.tables.columnar_file import is_duckdb, open_columnar_tables
from minerva_governance.core.tables.data_file import open_data_file
from minerva_governance.core.tables.data_table import DataTable
from minerva_governance.core.tables.json_file import open_json_file
from minerva_governance.core.tables.sqlite_file import open_sqlite_tables
from minerva_governance.core.tables.workbook_file import open_workbook
from minerva_platform.text import Language
from minerva_reading import UnreadableError

_JSON = frozenset({".json", ".jsonl", ".ndjson"})
_SQLITE = frozenset({".db", ".sqlite", ".sqlite3"})
_WORKBOOK = frozenset({".xlsx", ".xlsm"})
DATA_KINDS: frozenset[TargetKind] = frozenset({"column", "dataset"})
"""The kinds of rule that rows can break."""


@dataclass(frozen=True)
class ScanResult:
    """The tables that were looked at, what became of each file, and what was not looked at."""

    scans: tuple[DataScan, ...]
    uses: tuple[FileUse, ...]
    unreviewed_parts: tuple[Unreviewed, ...]


def scan_files(
    sources: Sequence[Source],
    *,
    promises: Mapping[str, Entity],
    language: Language,
) -> ScanResult:
    """Look at every row of every table of every file."""
    scans: list[DataScan] = []
    uses: list[FileUse] = []
    unreviewed_parts: list[Unreviewed] = []
    for source in sources:
        name = mask_text(source.name)
        try:
            tables = open_tables(source)
            found = [scan_data(each, promises=promises, language=language) for each in tables]
        except UnreadableError as error:
            reason = error.describe(language)
            uses.append(source.use("unreadable", reason))
            unreviewed_parts.append(Unreviewed(name=name, kinds=DATA_KINDS, reason=reason))
            continue
        scans += found
        uses.append(source.use("used"))
        unreviewed_parts += [
            Unreviewed(name=scan.table, kinds=DATA_KINDS, reason=gap)
            for scan in found
            for gap in scan.gaps
        ]
    return ScanResult(tuple(scans), tuple(uses), tuple(unreviewed_parts))


def open_tables(source: Source) -> Sequence[DataTable]:
    """Return the tables of a data file.

    Raises:
        UnreadableError: it is not what its name says, or cannot be opened.
    """
    ending = source.path.suffix.casefold()
    if ending in _JSON:
        return [open_json_file(source)]
    if ending in _WORKBOOK:
        return open_workbook(source)
    if ending == ".parquet":
        return open_columnar_tables(source, is_database=False)
    if ending == ".duckdb" or (ending in _SQLITE and is_duckdb(source)):
        return open_columnar_tables(source, is_database=True)
    if ending in _SQLITE:
        return open_sqlite_tables(source)
    return [open_data_file(source)]


def open_again(scan: DataScan) -> DataTable:
    """Return the table that `scan` looked at, to be read once more.

    Raises:
        UnreadableError: the file changed since then.
    """
    tables = open_tables(Source.of(Path(scan.path), scan.source))
    return next((each for each in tables if each.name == scan.table), tables[0])
