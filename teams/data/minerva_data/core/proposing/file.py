"""`proposals.csv` in MINERVA's home: the one place where proposals lie, whoever writes them.

A person may edit it in an editor or a spreadsheet, and add rows: a row needs a name and an
abbreviation. It is read as a whole or not at all, and written by replacing it, so that a
mistake in a row never costs another one.
"""

import csv
import fcntl
import io
import os
import re
import tempfile
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

from minerva_data.core.importing.encoding import find_encoding
from minerva_data.core.importing.reading import ImportFault
from minerva_data.core.proposing.proposal import (
    Proposal,
    ProposalError,
    ProposalKind,
    ProposalStatus,
    proposal_id,
)
from minerva_data.core.text import cleaned

FILE = "proposals.csv"
"""Its name in MINERVA's home."""

HEADER = (
    *("id", "status", "kind", "name", "english", "abbreviation", "class_word", "domain"),
    *("description", "from", "model", "request", "proposed_at", "decided_at", "decided_by"),
    "reason",
)
"""Its columns; `from` holds the places, apart by ` ; `."""

MOST_BYTES = 8 * 1024 * 1024
"""A larger file is no file of proposals that somebody reviews."""

_NEEDED = ("name", "abbreviation")
_BETWEEN = " ; "
_FORMULA = re.compile(r"[=+\-@\t\r]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_YES = frozenset({"y", "yes", "true", "1", "o", "예"})


class ProposalFile:
    """The proposals in one folder; a file that is not there holds none."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE

    def read(self) -> tuple[Proposal, ...]:
        """Return all proposals, in their order.

        Raises:
            ProposalError: a row cannot be read; names it.
        """
        if not self.path.exists():
            return ()
        try:
            if self.path.stat().st_size > MOST_BYTES:
                message = f"{self.path} is larger than {MOST_BYTES >> 20} MiB. Take rows out of it."
                raise ProposalError(message)
            if not self.path.stat().st_size:
                return ()
            encoding = find_encoding(self.path).encoding
            text = self.path.read_text(encoding=encoding)
        except (OSError, ImportFault) as error:
            message = f"{self.path} cannot be read: {error}"
            raise ProposalError(message) from error
        try:
            return tuple(_proposals(text))
        except (ProposalError, csv.Error) as error:
            message = f"{self.path}, {error}"
            raise ProposalError(message) from error

    @contextmanager
    def writing(self) -> Generator[list[Proposal]]:
        """Give the proposals to change, while nobody else does; kept when the block ends well.

        Raises:
            ProposalError: the file cannot be read or written; it stays as it was.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            lock = os.open(f"{self.path}.lock", os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise _unwritable(self.path, error) from error
        try:
            _lock(lock, self.path)
            before = self.read()
            proposals = list(before)
            yield proposals
            if tuple(proposals) != before:
                self._write(proposals)
        finally:
            os.close(lock)

    def _write(self, proposals: Iterable[Proposal]) -> None:
        content = proposals_csv(proposals)
        try:
            handle, temporary = tempfile.mkstemp(dir=self.path.parent, prefix=".proposals-")
        except OSError as error:
            raise _unwritable(self.path, error) from error
        try:
            with os.fdopen(handle, "w", encoding="utf-8-sig", newline="") as file:
                file.write(content)
            Path(temporary).replace(self.path)
        except OSError as error:
            raise _unwritable(self.path, error) from error
        finally:
            Path(temporary).unlink(missing_ok=True)


def proposals_csv(proposals: Iterable[Proposal]) -> str:
    """Return proposals as the file holds them; a cell that a spreadsheet would run has a `'`."""
    listed = list(proposals)
    further = dict.fromkeys(name for one in listed for name, _ in one.further)
    rows = [[*_cells(one), *_further(one, further)] for one in listed]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*HEADER, *further])
    writer.writerows([[_cell(value) for value in row] for row in rows])
    return text.getvalue()


def _cells(one: Proposal) -> list[str]:
    return [
        *(one.id, one.status, one.kind, one.name, one.english, one.abbreviation),
        *("Y" if one.is_class else "N", one.domain or "", one.description),
        *(_BETWEEN.join(one.places), one.model, one.request, one.proposed_at),
        *(one.decided_at, one.decided_by, one.reason),
    ]


def _further(one: Proposal, names: Iterable[str]) -> list[str]:
    values = dict(one.further)
    return [values.get(name, "") for name in names]


def _cell(text: str) -> str:
    text = _CONTROL.sub(" ", text)
    return f"'{text}" if _FORMULA.match(text) else text


def _proposals(text: str) -> Generator[Proposal]:
    first = text.split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text), delimiter=max(",;\t", key=first.count))
    header = [cleaned(name).casefold() for name in next(reader, ())]
    missing = [name for name in _NEEDED if name not in header]
    if missing:
        message = f"row 1: there is no column `{missing[0]}`. The columns are {', '.join(HEADER)}."
        raise ProposalError(message)
    ids: dict[str, int] = {}
    for cells in reader:
        if not any(cell.strip() for cell in cells):
            continue
        one = _proposal(dict(zip(header, map(_value, cells), strict=False)), row=reader.line_num)
        before = ids.setdefault(one.id, one.row)
        if before != one.row:
            message = (
                f"row {one.row}: `{one.name}` stands in row {before} already. Keep one of them."
            )
            raise ProposalError(message)
        yield one


def _value(cell: str) -> str:
    text = cell.strip()
    return text[1:] if text.startswith("'") and _FORMULA.match(text[1:]) else text


def _proposal(cells: Mapping[str, str], *, row: int) -> Proposal:
    name = cleaned(cells.get("name", ""))
    if not name:
        message = f"row {row}: it has no name."
        raise ProposalError(message)
    kind: Any = _one_of(cells, "kind", get_args(ProposalKind), row=row)
    return Proposal(
        id=cells.get("id") or proposal_id(kind, name),
        status=_one_of(cells, "status", get_args(ProposalStatus), row=row),
        kind=kind,
        name=name,
        abbreviation=cleaned(cells.get("abbreviation", "")).upper(),
        english=cleaned(cells.get("english", "")),
        is_class=cells.get("class_word", "").casefold() in _YES,
        domain=cells.get("domain") or None,
        description=cells.get("description", ""),
        places=tuple(part for part in cells.get("from", "").split(_BETWEEN) if part),
        **{name: cells.get(name, "") for name in ("model", "request", *HEADER[12:])},
        row=row,
        further=tuple((name, text) for name, text in cells.items() if name not in HEADER),
    )


def _one_of(cells: Mapping[str, str], name: str, allowed: Sequence[str], *, row: int) -> Any:
    """Return what a cell says; empty is the first that is allowed."""
    said = cells.get(name, "").casefold() or allowed[0]
    if said not in allowed:
        message = f"row {row}: `{said[:40]}` is no {name}; there are {', '.join(allowed)}."
        raise ProposalError(message)
    return said


def _lock(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except OSError as error:  # a network folder may know no locks
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> ProposalError:
    return ProposalError(f"{path} cannot be written ({error.strerror}); it stays as it was.")
