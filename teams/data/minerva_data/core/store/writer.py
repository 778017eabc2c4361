"""Put an import's entries into one edition of a glossary, each once.

An entry is the same by its kind and name, so that a second import of a file adds nothing. Two
rows of one file that say different things about one name are a contradiction: the first stands.
"""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from minerva_data.core.glossary.calibration import Cell
from minerva_data.core.glossary.entry import OTHERS, Draft
from minerva_data.core.store.search import index, unindex

Outcome = Literal["added", "updated", "unchanged", "repeated", "contradiction"]
"""`repeated`: an earlier row of this file says the same."""


@dataclass(frozen=True, slots=True)
class Source:
    """What is imported: into which glossary and edition, from which file."""

    glossary: str
    kind: Literal["org", "public"]
    edition: str
    file: str
    sha256: str
    imported_at: str


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What became of an entry. `row` is the earlier one that it repeats or contradicts."""

    outcome: Outcome
    row: int = 0
    before: str = "{}"

    def difference(self, draft: Draft) -> str:
        """Return the first field that differs: what the earlier entry says, and what this one."""
        before = json.loads(self.before)
        for name, value in draft.body.items():
            if before.get(name) != value:
                return f"{name} {before.get(name) or 'empty'} there, {value or 'empty'} here"
        return "it is spelled otherwise there"


class EditionWriter:
    """Writes into one edition, within a transaction of the store."""

    def __init__(self, connection: sqlite3.Connection, source: Source) -> None:
        self.connection = connection
        self._file = source.file
        glossary_id = self._id(
            "INSERT INTO glossary (name, kind) VALUES (?, ?)"
            " ON CONFLICT DO UPDATE SET kind = excluded.kind RETURNING id",
            source.glossary,
            source.kind,
        )
        self.edition_id = self._id(
            "INSERT INTO edition (glossary_id, edition) VALUES (?, ?)"
            " ON CONFLICT DO UPDATE SET edition = excluded.edition RETURNING id",
            glossary_id,
            source.edition,
        )
        self.import_id = self._id(
            "INSERT INTO import (edition_id, file, sha256, imported_at) VALUES (?, ?, ?, ?)"
            " RETURNING id",
            self.edition_id,
            source.file,
            source.sha256,
            source.imported_at,
        )

    def write(self, draft: Draft) -> WriteResult:
        """Write an entry, unless this import wrote another one of its name."""
        body = json.dumps(draft.body, ensure_ascii=False, sort_keys=True)
        known = self.connection.execute(
            "SELECT id, import_id, row, body, name, is_retired FROM entry"
            " WHERE edition_id = ? AND kind = ? AND key = ? AND variant = ?",
            (self.edition_id, draft.kind, draft.key, draft.variant),
        ).fetchone()
        if known is None:
            self._insert(draft, body)
            return WriteResult("added")
        entry_id, import_id, row, before, name, is_retired = known
        said = {field: value for field, value in json.loads(before).items() if field != OTHERS}
        is_same = said == json.loads(body) and name == draft.name
        is_same = is_same and bool(is_retired) == draft.is_retired
        if import_id == self.import_id:
            if draft.kind == "word":
                self._add_meaning(entry_id, json.loads(before), draft.body["abbreviation"])
            return WriteResult("repeated" if is_same else "contradiction", row, before)
        self.connection.execute(
            "UPDATE entry SET import_id = ?, name = ?, sheet = ?, row = ?, is_retired = ?,"
            " support = ?, body = ? WHERE id = ?",
            (
                self.import_id,
                draft.name,
                draft.place.sheet,
                draft.place.row,
                draft.is_retired,
                draft.support,
                body,
                entry_id,
            ),
        )
        if not is_same:
            unindex(self.connection, entry_id)
            index(self.connection, entry_id, draft)
        return WriteResult("unchanged" if is_same else "updated", row)

    def _add_meaning(self, entry_id: int, body: dict[str, Any], abbreviation: str) -> None:
        """Keep that a word has another abbreviation, too: then it decides on no name."""
        others = body.get(OTHERS, [])
        if abbreviation not in {body["abbreviation"], *others}:
            text = json.dumps({**body, OTHERS: [*others, abbreviation]}, ensure_ascii=False)
            self.connection.execute("UPDATE entry SET body = ? WHERE id = ?", (text, entry_id))

    def remove_stale(self) -> int:
        """Remove what earlier imports of this very file said and this one does not."""
        removed = self.connection.execute(
            "DELETE FROM entry WHERE import_id IN"
            " (SELECT id FROM import WHERE edition_id = ? AND file = ? AND id <> ?)",
            (self.edition_id, self._file, self.import_id),
        ).rowcount
        self.connection.execute(
            "DELETE FROM import WHERE edition_id = ? AND id <> ?"
            " AND NOT EXISTS (SELECT 1 FROM entry WHERE import_id = import.id)",
            (self.edition_id, self.import_id),
        )
        return removed

    def remove_learned(self) -> None:
        """Remove what was learned of the edition's terms, to learn it anew."""
        self.connection.execute(
            "DELETE FROM entry WHERE edition_id = ? AND support IS NOT NULL", (self.edition_id,)
        )

    def write_calibration(self, counts: Mapping[Cell, tuple[int, int]]) -> None:
        """Keep what was measured of the edition in place of what was measured before."""
        self.connection.execute("DELETE FROM calibration WHERE edition_id = ?", (self.edition_id,))
        rows = ((self.edition_id, json.dumps(cell), *pair) for cell, pair in counts.items())
        self.connection.executemany("INSERT INTO calibration VALUES (?, ?, ?, ?)", rows)

    def _insert(self, draft: Draft, body: str) -> None:
        entry_id = self._id(
            "INSERT INTO entry (edition_id, import_id, kind, key, variant, name, sheet, row,"
            " is_retired, support, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            self.edition_id,
            self.import_id,
            draft.kind,
            draft.key,
            draft.variant,
            draft.name,
            draft.place.sheet,
            draft.place.row,
            draft.is_retired,
            draft.support,
            body,
        )
        index(self.connection, entry_id, draft)

    def _id(self, statement: str, *values: object) -> int:
        (found,) = self.connection.execute(statement, values).fetchone()
        return int(found)
