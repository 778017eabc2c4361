"""Counts of rows, checksums and problems: small, however many rows there are."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from .contract import Counted, Problem

MAX_ROWS_NAMED = 20
"""Rows that a problem names; it counts the others."""

Row = tuple[str | None, ...]


@dataclass(slots=True)
class Count:
    """Counts rows and adds up their checksums.

    The checksum of a row is the SHA-256 of its cells as a JSON array. That of many rows is the sum
    modulo 2 to the power of 256: no database promises an order of rows.
    """

    rows: int = 0
    total: int = 0

    def add(self, row: Sequence[str | None]) -> None:
        """Count a row."""
        cells = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
        self.rows += 1
        self.total += int.from_bytes(hashlib.sha256(cells.encode()).digest())

    def all_of(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Count rows on their way."""
        for row in rows:
            self.add(row)
            yield row

    @property
    def counted(self) -> Counted:
        """What was counted so far."""
        return Counted(rows=self.rows, checksum=f"{self.total % (1 << 256):064x}")


@dataclass(slots=True)
class Problems:
    """Problems by rule: however many rows have one, it stays small."""

    found: dict[str, Problem] = field(default_factory=dict[str, Problem])

    def add(self, rule: str, what: str, row: int | None = None) -> None:
        """Note a problem, in a row or in all of them."""
        known = self.found.get(rule, Problem(rule=rule, what=what))
        rows = known.rows if row is None else (*known.rows, row)[:MAX_ROWS_NAMED]
        count = known.count + (row is not None)
        self.found[rule] = known.model_copy(update={"rows": rows, "count": count})

    def listed(self) -> tuple[Problem, ...]:
        """Return the problems in the order in which they were found."""
        return tuple(self.found.values())


def digest(*parts: object) -> str:
    """Return the SHA-256 of plain values."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
