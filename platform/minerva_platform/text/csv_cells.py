"""CSV that a spreadsheet shows and does not run.

A cell that begins like a formula gets a `'` before it, as OWASP advises against CSV injection;
`csv_cell_back` takes it off again.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Final, TextIO

FORMULA_START: Final = re.compile(r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
"""The signs that a formula begins with, full-width ones included."""


def csv_cell(value: object) -> object:
    """Return `value` as a cell: None is empty, a text that would be run begins with `'`."""
    if value is None:
        return ""
    if isinstance(value, str) and FORMULA_START.match(value):
        return f"'{value}"
    return value


def csv_cell_back(cell: str) -> str:
    """Return the text of a cell, without surrounding space and without that `'`."""
    text = cell.strip()
    return text[1:] if text.startswith("'") and FORMULA_START.match(text[1:]) else text


def csv_text(
    header: Sequence[str], rows: Iterable[Sequence[object]], *, line_end: str = "\n"
) -> str:
    """Return a header and rows as CSV, a line each, no cell of which runs."""
    text = io.StringIO()
    write_csv(text, header, rows, line_end=line_end)
    return text.getvalue()


def write_csv(
    file: TextIO, header: Sequence[str], rows: Iterable[Sequence[object]], *, line_end: str = "\n"
) -> None:
    """Write a header and rows as they come, as `csv_text` does; none is held."""
    writer = csv.writer(file, lineterminator=line_end)
    writer.writerow(header)
    writer.writerows([csv_cell(value) for value in row] for row in rows)
