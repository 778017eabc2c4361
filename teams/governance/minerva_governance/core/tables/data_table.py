"""Rows of data files, whatever their format: what a reader gives, and what it left out.

Files are read to their end, row by row, so memory does not grow with them.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields
from typing import Final, NamedTuple, Protocol

from minerva_governance.core.reading.problem import TEXTS
from minerva_governance.core.reading.source_files import Source
from minerva_governance.core.tables.relation import Relation
from minerva_platform.text import Language

MIB: Final = 1024 * 1024
KIB: Final = 1024
MAX_CELL_CHARACTERS: Final = 131_072
"""A row with a longer cell is not looked at (csv's own limit)."""
MAX_COLUMNS: Final = 2_000


class Row(NamedTuple):
    """One row: its number (the first data row is 1), and its cells with their columns' names."""

    number: int
    cells: list[tuple[str, str]]


@dataclass
class Omissions:
    """What reading a table left out, and what of it could not be split for certain."""

    long_rows: int = 0
    broken_rows: int = 0
    """Rows whose cells may stand in other columns than their own."""
    undecodable: int = 0
    """Rows with bytes that are no text of the file's encoding."""
    wide_rows: int = 0
    binary_cells: int = 0
    uncomputed_formulas: int = 0
    """Formulas of a workbook that was saved without their results."""
    noted_sheets: int = 0
    """Parts of a workbook with comments on cells, which are not read."""
    outside_cells: int = 0
    """Parts of a workbook with texts that stand in no cell."""
    metadata: int = 0
    """Entries of a Parquet file that a person made, and no writer of such files."""
    wide_columns: int = 0
    """Columns beyond `MAX_COLUMNS`."""

    first_undecodable: int = 0
    """The number of the first row of `undecodable`; 0 if the format does not number them."""

    def describe(self, language: Language) -> tuple[str, ...]:
        """Return one sentence for each thing that was left out."""
        sentences: list[str] = []
        for field in fields(self):
            count = getattr(self, field.name)
            if count and field.name != "first_undecodable":
                sentences.append(TEXTS(f"skipped.{field.name}", language, count=count))
        if self.first_undecodable:
            sentences.append(
                TEXTS("skipped.first_undecodable", language, row=self.first_undecodable)
            )
        return tuple(sentences)


class ByRows:
    """A table of a format that DuckDB does not read by itself."""

    def relation(self) -> AbstractContextManager[Relation | None]:
        """Return nothing that a query can be asked of."""
        return nullcontext()

    @property
    def types(self) -> tuple[tuple[str, str], ...]:
        """Return nothing: the format declares no types, or does not hold its values to them."""
        return ()


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
    def types(self) -> Sequence[tuple[str, str]]:
        """The name and the type of each column whose format holds all values to its type."""
        ...

    @property
    def unnamed_columns(self) -> frozenset[str]:
        """Columns that the file gives no name."""
        ...

    @property
    def has_header(self) -> bool:
        """False if its first row is data already, so that its columns have no names."""
        ...

    def relation(self) -> AbstractContextManager[Relation | None]:
        """Open the table for queries; None if DuckDB does not read this format by itself.

        A query raises one of `REFUSED` if the file is not all that its format allows: then `rows`
        reads it.
        """
        ...

    def rows(self, omissions: Omissions) -> Iterator[Row]:
        """Give all rows, and note in `omissions` what was left out.

        Raises:
            UnreadableError: the file stops being what it was when it was opened.
        """
        ...
