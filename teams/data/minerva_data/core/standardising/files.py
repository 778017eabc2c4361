"""Write the tables of a standardisation, each row of it, as they are asked for."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.cell import Cell
from openpyxl.worksheet.worksheet import Worksheet

from minerva_data.core.schema.export import (
    FINDINGS_HEADER,
    MAPPING_HEADER,
    finding_values,
    row_values,
)
from minerva_data.core.standardising.job import Job
from minerva_data.core.standardising.options import EMITTED, Emitted
from minerva_platform.text import write_csv

MAPPING, WORKBOOK, AUDIT, UNREAD = "mapping.csv", "mapping.xlsx", "audit.csv", "unread.csv"


def kinds_to_write(emit: Sequence[Emitted] | None) -> tuple[Emitted, ...]:
    """Return what is to be written, in one order; None wants everything."""
    return tuple(kind for kind in EMITTED if emit is None or kind in emit)


def write_tables(job: Job, folder: Path, emit: Sequence[Emitted]) -> None:
    """Write the mapping and the audit's findings."""
    if "csv" in emit:
        with (
            (folder / MAPPING).open("w", encoding="utf-8-sig", newline="") as mapping,
            (folder / AUDIT).open("w", encoding="utf-8-sig", newline="") as audit,
        ):
            rows = job.rows_in_order(f"rows in {MAPPING}")
            write_csv(mapping, MAPPING_HEADER, map(row_values, rows))
            write_csv(audit, FINDINGS_HEADER, map(finding_values, job.spool.findings()))
        if job.tally.problems:
            with (folder / UNREAD).open("w", encoding="utf-8-sig", newline="") as unread:
                wrong = job.spool.problems()
                cells = ((one.file, one.line, one.error, one.statement) for one in wrong)
                write_csv(unread, ("file", "line", "error", "statement"), cells)
    if "xlsx" in emit:
        values = map(row_values, job.rows_in_order(f"rows in {WORKBOOK}"))
        with (folder / WORKBOOK).open("wb") as file:
            write_workbook(values, map(finding_values, job.spool.findings()), file)


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
