"""Each sheet of an Excel workbook as a table of rows.

A cell with a formula has the value that was last computed; one without any is counted.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from minerva_governance.core.reading.source_files import Source
from minerva_governance.core.tables.data_file import column_names
from minerva_governance.core.tables.data_table import ByRows, Omissions, Row
from minerva_governance.core.tables.sqlite_file import cell_text
from minerva_reading import Sheet, open_sheets


@dataclass(frozen=True)
class SheetTable(ByRows):
    """One sheet with rows."""

    source: Source
    sheet: Sheet
    columns: tuple[str, ...]
    unnamed_columns: frozenset[str]
    has_header: bool

    @property
    def name(self) -> str:
        """The file's name and the sheet's: `clinic.xlsx.patients`."""
        return f"{self.source.name}.{self.sheet.title}"

    def rows(self, omissions: Omissions) -> Iterator[Row]:
        """Give all rows, numbered as they stand below the header."""
        known = len(self.columns)
        header_row = self.sheet.first[0] if self.has_header else 0
        omissions.uncomputed_formulas += self.sheet.count_uncomputed()
        omissions.noted_sheets += self.sheet.count_noted_parts()
        omissions.outside_cells += self.sheet.count_texts_outside()
        for number, values in self.sheet.rows():
            if number <= header_row:
                continue
            cells = [cell_text(value, omissions) for value in values]
            omissions.wide_rows += any(cells[known:])
            more = (f"column {at + 1}" for at in range(known, len(cells)))
            named = list(zip((*self.columns, *more), cells, strict=False))
            yield Row(number - header_row, named)


def open_workbook(source: Source) -> list[SheetTable]:
    """Return the sheets that hold rows, in the order of the workbook.

    Raises:
        UnreadableError: no workbook, damaged, a bomb, or without any row.
    """
    tables: list[SheetTable] = []
    for sheet in open_sheets(source.path):
        names = column_names([cell_text(value, Omissions()) for value in sheet.first[1]])
        tables.append(SheetTable(source, sheet, *names))
    return tables
