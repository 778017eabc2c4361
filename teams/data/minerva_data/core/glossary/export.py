"""Write an edition of a glossary as tables that a spreadsheet opens and an import reads again.

A cell that a spreadsheet would run as a formula begins with `'`, which the import takes off.
What was learned is left out: it would come back as declared.
"""

import csv
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import openpyxl

from minerva_data.core.glossary.entry import Draft, Kind
from minerva_platform.text import csv_cell

HEADERS: dict[Kind, tuple[str, ...]] = {
    "term": (
        *("term", "physical_name", "domain", "subject_area", "synonyms"),
        *("retired", "replaced_by", "description"),
    ),
    "word": (
        *("word", "abbreviation", "english", "class_word", "domain_class", "subject_area"),
        *("synonyms", "forbidden", "description"),
    ),
    "domain": ("domain", "domain_class", "data_type", "length", "scale", "description"),
    "alias": ("alias", "kind", "target"),
    "subject_area": ("subject_area", "english"),
}
"""The tables and their columns, in the import's own spelling."""

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_MAX_CELL_CHARACTERS = 32_767
"""Letters that a spreadsheet's cell holds."""


def write_csv(drafts: Iterable[Draft], folder: Path) -> tuple[Path, ...]:
    """Write a file for each table into `folder`; return them."""
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for kind, rows in _tables(drafts):
        path = folder / f"{kind}s.csv"
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([HEADERS[kind], *rows])
        written.append(path)
    return tuple(written)


def write_xlsx(drafts: Iterable[Draft], path: Path) -> tuple[Path, ...]:
    """Write a workbook with a sheet for each table; return its path alone."""
    book: Any = openpyxl.Workbook(write_only=True)
    for kind, rows in _tables(drafts):
        sheet = book.create_sheet(f"{kind}s")
        for row in (HEADERS[kind], *rows):
            sheet.append([cell[:_MAX_CELL_CHARACTERS] for cell in row])
    if not book.worksheets:
        book.create_sheet("terms").append(list(HEADERS["term"]))
    path.parent.mkdir(parents=True, exist_ok=True)
    book.save(path)
    return (path,)


def _tables(drafts: Iterable[Draft]) -> Iterator[tuple[Kind, list[list[str]]]]:
    """Yield the tables that have rows; each cell safe to open."""
    declared = [draft for draft in drafts if draft.support is None]
    for kind in HEADERS:
        rows = [_row(draft) for draft in declared if draft.kind == kind]
        if rows:
            yield kind, [[_cell(value) for value in row] for row in rows]


def _row(draft: Draft) -> list[object]:
    """Return what a draft says below each heading of its table."""
    said = {**draft.body, "retired": "Y" if draft.is_retired else ""}
    if draft.kind == "word":
        said |= {"class_word": "Y" if said["is_class"] else "N", "synonyms": said["synonym"]}
    elif draft.kind == "alias":
        said["target"] = "+".join(said["target"])
    values: Iterator[Any] = (said[name] for name in HEADERS[draft.kind][1:])
    return [
        draft.name,
        *(";".join(cast("list[str]", v)) if isinstance(v, list) else v for v in values),
    ]


def _cell(value: object) -> str:
    return "" if value is None else str(csv_cell(_CONTROL.sub("", str(value))))
