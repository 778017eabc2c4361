"""Write rows as an XLSX workbook in which no cell is a formula, whatever a comment says."""

import re
from collections.abc import Iterable, Sequence
from typing import IO

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.cell import Cell
from openpyxl.worksheet.worksheet import Worksheet

from minerva_data.core.schema.export import FINDINGS_HEADER, MAPPING_HEADER

MAX_CELL = 32_767
"""Characters that Excel allows in a cell; the rest of a longer text is cut."""

MAX_ROWS = 1_048_576
"""Rows that Excel shows of a sheet; a longer table goes on in the next sheet."""

_READ_OTHERWISE = re.compile(r"[=+\-@\t\r\n#＝＋－＠]")
"""How a text begins that a spreadsheet, or openpyxl, could take for a formula or an error."""

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What XML cannot hold."""


def write_workbook(
    rows: Iterable[Sequence[object]], findings: Iterable[Sequence[object]], file: IO[bytes]
) -> None:
    """Write two sheets, `mapping` and `findings`, the cells as they come; none is held."""
    workbook = Workbook(write_only=True)
    _add(workbook, "mapping", MAPPING_HEADER, rows)
    _add(workbook, "findings", FINDINGS_HEADER, findings)
    workbook.save(file)


def _add(
    workbook: Workbook, title: str, header: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    number, left = 1, iter(rows)
    following = next(left, None)
    while following is not None or number == 1:
        sheet = workbook.create_sheet(title if number == 1 else f"{title} {number}")
        sheet.freeze_panes = "A2"
        sheet.append(header)
        for _ in range(MAX_ROWS - 1):
            if following is None:
                break
            sheet.append([_cell(sheet, value) for value in following])
            following = next(left, None)
        number += 1


def _cell(sheet: Worksheet, value: object) -> Cell | str | float | None:
    """Return a number as it is, all else as a text."""
    if value is None or isinstance(value, int | float):
        return value
    text = _CONTROL.sub("", str(value))[:MAX_CELL]
    if not _READ_OTHERWISE.match(text):
        return text or None
    cell = WriteOnlyCell(sheet, value=None)
    cell.value = text
    cell.data_type = "s"  # a text, though it may begin with `=`
    cell.quotePrefix = True  # and it stays one when somebody edits the cell
    return cell
