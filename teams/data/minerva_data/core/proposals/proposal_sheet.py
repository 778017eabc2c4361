"""Proposals as CSV, as a person edits them: whole rows, own columns kept, faults named by row.

What cannot be told for sure is no guess: a cell without a column, or a column, id or name that
is there twice, refuses the file.
"""

import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NoReturn, get_args

from minerva_data.core.importing.table_row import is_yes
from minerva_data.core.language.text import cleaned
from minerva_data.core.proposals.proposal import (
    Proposal,
    ProposalError,
    ProposalKind,
    ProposalStatus,
    proposal_id,
)
from minerva_platform.text import csv_cell, csv_cell_back, csv_text
from minerva_reading import read_records

FILE = "proposals.csv"
"""Its name, in MINERVA's home and as an artifact."""

HEADER = (
    *("id", "status", "kind", "name", "english", "abbreviation", "class_word", "domain"),
    *("description", "from", "model", "request", "proposed_at", "decided_at", "decided_by"),
    "reason",
)
"""Its columns; `from` holds the places, apart by ` ; `."""

_NEEDED = ("name", "abbreviation")
_AS_IT_IS = ("description", "model", "request", "proposed_at", "decided_at", "decided_by", "reason")
_DELIMITERS = ",;\t|"
_BETWEEN = " ; "
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f\ud800-\udfff]")


def proposals_csv(proposals: Iterable[Proposal]) -> str:
    """Return proposals as the file holds them; a cell that a spreadsheet would run has a `'`."""
    listed = list(proposals)
    further = list(dict.fromkeys(name for one in listed for name, _ in one.further))
    header, *rows = (
        [_CONTROL.sub(" ", cell) for cell in row]
        for row in ([*HEADER, *further], *(_cells(one, further) for one in listed))
    )
    return csv_text([str(csv_cell(name)) for name in header], rows)


def csv_to_proposals(text: str) -> Iterator[Proposal]:
    """Yield the proposals of `text`, in their order; a text that is blank holds none.

    Raises:
        ProposalError: a row cannot be read; names it.
        FileFault: a line is no CSV.
    """
    rows = _rows(text)
    header = next(rows, None)
    if header is None:
        return
    columns = _columns(*header)
    seen: dict[str, int] = {}
    for row, cells in rows:
        one = _proposal(_cells_by_column(row, columns, cells), row=row)
        before = seen.setdefault(one.id, row)
        if before != row:
            _refuse(row, f"`{one.name}` stands in row {before} already. Keep one of them.")
        yield one


def _cells(one: Proposal, further: Sequence[str]) -> list[str]:
    own = dict(one.further)
    return [
        *(one.id, one.status, one.kind, one.name, one.english, one.abbreviation),
        *("Y" if one.is_class else "N", one.domain or "", one.description),
        *(_BETWEEN.join(one.places), one.model, one.request, one.proposed_at),
        *(one.decided_at, one.decided_by, one.reason),
        *(own.get(name, "") for name in further),
    ]


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield what is not blank, with the row it begins on, as an editor counts."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(_DELIMITERS, key=first.count)
    for row, cells in read_records(io.StringIO(text), delimiter, name=FILE):
        if any(cell.strip() for cell in cells):
            yield row, [csv_cell_back(cell) for cell in cells]


def _columns(row: int, cells: Sequence[str]) -> list[str]:
    """Return the columns' names: ours as we spell them, a person's own as that person does."""
    said = [cleaned(cell) for cell in cells]
    columns = [name.casefold() if name.casefold() in HEADER else name for name in said]
    missing = [name for name in _NEEDED if name not in columns]
    if missing:
        shown = ", ".join(HEADER)
        _refuse(row, f"there is no column `{missing[0]}`. The columns are {shown}.")
    twice = [name for name, count in Counter(columns).items() if name and count > 1]
    if twice:
        _refuse(row, f"there are two columns `{twice[0]}`. Give each a name of its own.")
    return columns


def _cells_by_column(row: int, columns: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    """Return a row's cells by column; none may be lost when the file is written again."""
    pairs = list(zip_longest(columns, cells, fillvalue=""))
    astray = [cell for name, cell in pairs if cell and not name]
    if astray:
        said = f"`{astray[0][:40]}` stands under no column's name."
        _refuse(row, f"{said} Put a text with a comma in it into quotation marks.")
    return {name: cell for name, cell in pairs if name}


def _proposal(cells: Mapping[str, str], *, row: int) -> Proposal:
    name = cleaned(cells["name"])
    if not name:
        _refuse(row, "it has no name.")
    kind: Any = _one_of(cells, "kind", get_args(ProposalKind), row=row)
    return Proposal(
        id=proposal_id(kind, name),
        status=_one_of(cells, "status", get_args(ProposalStatus), row=row),
        kind=kind,
        name=name,
        abbreviation=cleaned(cells["abbreviation"]).upper(),
        english=cleaned(cells.get("english", "")),
        is_class=is_yes(dict(cells), "class_word"),
        domain=cells.get("domain") or None,
        places=tuple(part for part in cells.get("from", "").split(_BETWEEN) if part),
        **{column: cells.get(column, "") for column in _AS_IT_IS},
        row=row,
        further=tuple((name, text) for name, text in cells.items() if name not in HEADER),
    )


def _one_of(cells: Mapping[str, str], name: str, choices: Sequence[str], *, row: int) -> Any:
    """Return what a cell says; empty is the first that is allowed."""
    said = cells.get(name, "").casefold() or choices[0]
    if said not in choices:
        _refuse(row, f"`{said[:40]}` is no {name}; there are {', '.join(choices)}.")
    return said


def _refuse(row: int, why: str) -> NoReturn:
    message = f"row {row}: {why}"
    raise ProposalError(message)
