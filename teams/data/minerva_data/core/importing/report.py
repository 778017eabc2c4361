"""What an import did: every row is counted once, and a rejected one says why."""

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from minerva_data.core.glossary.entry import Place

_NAMED = re.compile(r"`[^`]*`")

SHOWN = 20
"""Rejected rows that a report shows; all of them are counted."""


@dataclass(slots=True)
class ImportReport:
    """Rows by what became of them; `read` is their sum. Lists hold the first `SHOWN` rows."""

    glossary: str
    edition: str
    file: str
    format: str = ""
    read: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    repeated: int = 0
    rejected: int = 0
    removed: int = 0
    """Entries of an earlier import of this file that it does not hold any more."""
    kinds: Counter[str] = field(default_factory=Counter[str])
    """Entries kept, by kind."""
    learned_words: int = 0
    learned_domains: int = 0
    retired_names: list[str] = field(default_factory=list[str])
    """Names of retired terms, in the file's order."""
    reasons: Counter[str] = field(default_factory=Counter[str])
    """Rejected rows by reason, without the names in it."""
    shown: list[tuple[Place, str]] = field(default_factory=list[tuple[Place, str]])
    notes: list[str] = field(default_factory=list[str])
    is_dry_run: bool = False
    seconds: float = 0.0

    @property
    def kept(self) -> int:
        """Rows whose entries are in the store now."""
        return self.added + self.updated + self.unchanged

    def reject(self, place: Place, reason: str, *, kind: str = "") -> None:
        """Count a row that gave no entry."""
        self.rejected += 1
        self.reasons[kind or _NAMED.sub("…", reason)] += 1
        if len(self.shown) < SHOWN:
            self.shown.append((place, reason))

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        counts = {name: getattr(self, name) for name in _COUNTS}
        return {
            "glossary": self.glossary,
            "edition": self.edition,
            "file": self.file,
            "format": self.format,
            "dry_run": self.is_dry_run,
            **counts,
            "kinds": dict(self.kinds),
            "learned": {"words": self.learned_words, "domains": self.learned_domains},
            "retired": {"total": len(self.retired_names), "names": self.retired_names},
            "rejections": {
                "total": self.rejected,
                "shown": len(self.shown),
                "truncated": self.rejected > len(self.shown),
                "by_reason": dict(self.reasons),
                "rows": [
                    {"sheet": place.sheet, "row": place.row, "reason": reason}
                    for place, reason in self.shown
                ],
            },
            "notes": self.notes,
            "seconds": round(self.seconds, 2),
        }


_COUNTS = (
    "read",
    "kept",
    "added",
    "updated",
    "unchanged",
    "repeated",
    "rejected",
    "removed",
)
