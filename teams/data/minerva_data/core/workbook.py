"""Write rows as an XLSX workbook in which no cell is a formula, whatever a comment says."""

import io
from collections.abc import Iterable, Sequence

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE, Cell

from minerva_data.core.export import FINDINGS_HEADER, MAPPING_HEADER, finding_values, row_values
from minerva_data.core.record import Finding, Row

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
"""Of what `mapping_xlsx` returns."""

MAX_CELL = 32_767
"""Characters that Excel allows in a cell; the rest of a longer text is cut."""


def mapping_xlsx(rows: Iterable[Row], findings: Iterable[Finding] = ()) -> bytes:
    """Return a workbook of two sheets, `mapping` and `findings`, every row of both."""
    workbook = Workbook(write_only=True)
    _add(workbook, "mapping", MAPPING_HEADER, map(row_values, rows))
    _add(workbook, "findings", FINDINGS_HEADER, map(finding_values, findings))
    content = io.BytesIO()
    workbook.save(content)
    return content.getvalue()


def _add(
    workbook: Workbook, title: str, header: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    sheet = workbook.create_sheet(title)
    sheet.freeze_panes = "A2"
    for values in (header, *rows):
        cells: list[Cell] = []
        for value in values:
            cell = WriteOnlyCell(sheet, value=None)
            if isinstance(value, int | float):
                cell.value = value
            elif value is not None and value != "":
                cell.value = ILLEGAL_CHARACTERS_RE.sub("", str(value))[:MAX_CELL]
                cell.data_type = "s"  # a text, though it may begin with `=`
                cell.quotePrefix = True  # and it stays one when somebody edits the cell
            cells.append(cell)
        sheet.append(cells)
