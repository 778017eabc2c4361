"""Rows of data files, whatever their format: what a reader gives, and what it left out.

A reader stops at its budget of bytes and counts what is left, so that neither memory nor time
grows without end.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Final, NamedTuple, Protocol

from minerva_governance.core.reading.problem import TEXTS
from minerva_governance.core.reading.source import Source
from minerva_platform.text import Language

MIB: Final = 1024 * 1024
KIB: Final = 1024
DEFAULT_MAX_BYTES: Final = 128 * MIB
"""Bytes of all data files of a review that are looked at; beyond them rows are counted only.

About a million rows of ten columns, and 25 s of CPU at the 5 MiB/s that were measured.
"""
MIN_FILE_BYTES: Final = 64 * KIB
"""Bytes of each file that are looked at even if others used the budget up."""
MAX_CELL_CHARACTERS: Final = 131_072
"""A row with a longer cell is not looked at (csv's own limit)."""
MAX_COLUMNS: Final = 2_000


class Row(NamedTuple):
    """One row: its number (the first data row is 1), and its cells with their columns' names."""

    number: int
    cells: list[tuple[str, str]]


@dataclass
class Skipped:
    """What reading a table left out, and what of it could not be split for certain."""

    more_rows: int = 0
    """Rows beyond the budget."""
    long_rows: int = 0
    broken_rows: int = 0
    """Rows whose cells may stand in other columns than their own."""
    undecodable: int = 0
    """Lines with bytes that are no text of the file's encoding."""
    wide_rows: int = 0
    binary_cells: int = 0
    uncomputed: int = 0
    """Formulas of a workbook that was saved without their results."""
    wide_columns: int = 0
    """Columns beyond `MAX_COLUMNS`."""

    def told(self, language: Language) -> tuple[str, ...]:
        """Return one sentence for each thing that was left out."""
        counts = ((field.name, getattr(self, field.name)) for field in fields(self))
        return tuple(
            TEXTS(f"skipped.{name}", language, count=count) for name, count in counts if count
        )


class DataTable(Protocol):
    """A table of rows: a delimited file, a file of JSON lines, a table of a database."""

    @property
    def source(self) -> Source:
        """The file."""
        ...

    @property
    def name(self) -> str:
        """What findings call it: `rows.csv`, `clinic.db.patient`."""
        ...

    @property
    def columns(self) -> Sequence[str]:
        """The columns that are known before the rows are read."""
        ...

    @property
    def unnamed(self) -> frozenset[str]:
        """Columns that the file gives no name."""
        ...

    @property
    def max_bytes(self) -> int:
        """The budget of `rows`."""
        ...

    @property
    def has_header(self) -> bool:
        """False if its first row is data already, so that its columns have no names."""
        ...

    def rows(self, skipped: Skipped) -> Iterator[Row]:
        """Give the rows within the budget, and note in `skipped` what was left out.

        Raises:
            UnreadableError: the file stops being what it was when it was opened.
        """
        ...
