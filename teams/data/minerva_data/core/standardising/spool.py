"""Keep columns, rows and findings on disk while a standardisation goes on.

Columns come in any order and are wanted table by table; rows are made table by table and wanted
by priority; findings are wanted by severity. Held in memory, a hundred thousand of each would
take 500 MB.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from minerva_data.core.audit.rule import by_severity
from minerva_data.core.schema.record import Finding, Item, Row, Unparsed
from minerva_data.core.standardising.options import StandardiseFault

_TABLES = """
CREATE TABLE taken (place INTEGER, key TEXT, PRIMARY KEY (place, key)) WITHOUT ROWID;
CREATE TABLE item (id INTEGER PRIMARY KEY, place INTEGER NOT NULL, body TEXT NOT NULL);
CREATE TABLE problem (id INTEGER PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE row (id INTEGER PRIMARY KEY, area INTEGER, name TEXT, body TEXT, is_open INTEGER);
CREATE TABLE finding (id INTEGER PRIMARY KEY, severity INTEGER, rule TEXT, place TEXT, body TEXT);
"""
_ALONE = 0
"""The place of what belongs to no table."""

_CACHE_KIB = 8_192


class Spool:
    """One file that lives as long as a standardisation and its result."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        # The file ends with this process, so nothing in it has to survive a crash.
        for setting in ("journal_mode = OFF", "synchronous = OFF", f"cache_size = -{_CACHE_KIB}"):
            self._connection.execute(f"PRAGMA {setting}")
        self._connection.executescript(_TABLES)
        self._connection.execute("BEGIN")
        self._places: dict[str, tuple[int, str]] = {}
        self._report_keys: set[tuple[str, str]] = set()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def add_item(self, item: Item, source: str) -> tuple[bool, Unparsed | None]:
        """Keep a column; tell whether it was kept, and what there is to report if not.

        A table that another source has is reported once, a column that is there twice each time.
        """
        place = _ALONE
        if item.table is not None:
            key = item.table_key
            place, owner = self._places.setdefault(key, (len(self._places) + 1, source))
            if owner != source:
                return False, self._other_s(item, source, owner)
            if not self._is_new(place, item.column_key):
                error = f"column {item.name} of {item.full_table} is there twice; the first is used"
                return False, _problem(item, source, error)
        self._do("INSERT INTO item (place, body) VALUES (?, ?)", place, _json(item))
        return True, None

    def _other_s(self, item: Item, source: str, owner: str) -> Unparsed | None:
        table = item.table_key
        if (table, source) in self._report_keys:
            return None
        self._report_keys.add((table, source))
        return _problem(
            item, source, f"table {item.full_table} is in {owner} too; that one is used"
        )

    def _is_new(self, place: int, key: str) -> bool:
        return self._do("INSERT OR IGNORE INTO taken VALUES (?, ?)", place, key).rowcount > 0

    def items(self) -> Iterator[Item]:
        """Yield the columns table by table, as they first came; what is in no table comes last."""
        bodies = self._do("SELECT body FROM item ORDER BY place = 0, place, id")
        return (Item.model_validate_json(body) for (body,) in bodies)

    def add_problem(self, problem: Unparsed) -> None:
        """Keep what could not be read."""
        self._do("INSERT INTO problem (body) VALUES (?)", _json(problem))

    def problems(self, *, limit: int | None = None) -> Iterator[Unparsed]:
        """Yield what could not be read, in order."""
        bodies = self._do("SELECT body FROM problem ORDER BY id LIMIT ?", _most(limit))
        return (Unparsed.model_validate_json(body) for (body,) in bodies)

    def add_row(self, row: Row, rank: tuple[int, str]) -> None:
        """Keep a row under its place in the order."""
        self._do(
            "INSERT INTO row (area, name, body, is_open) VALUES (?, ?, ?, ?)",
            *rank,
            _json(row),
            row.physical_name is None,
        )

    def rows(self, *, limit: int | None = None, has_name: bool | None = None) -> Iterator[Row]:
        """Yield the rows in the order of the priority; all, or those with or without a name."""
        where = "" if has_name is None else f"WHERE is_open = {int(not has_name)} "
        bodies = self._do(
            f"SELECT body FROM row {where}ORDER BY area, name, id LIMIT ?",  # noqa: S608  # ours
            _most(limit),
        )
        return (Row.model_validate_json(body) for (body,) in bodies)

    def add_finding(self, finding: Finding) -> None:
        """Keep a finding."""
        self._do(
            "INSERT INTO finding (severity, rule, place, body) VALUES (?, ?, ?, ?)",
            *by_severity(finding),
            _json(finding),
        )

    def findings(self, *, limit: int | None = None, but: str = "") -> Iterator[Finding]:
        """Yield the findings, worst first; none of the rule `but`."""
        bodies = self._do(
            "SELECT body FROM finding WHERE rule <> ? ORDER BY severity, rule, place, id LIMIT ?",
            but,
            _most(limit),
        )
        return (Finding.model_validate_json(body) for (body,) in bodies)

    def _do(self, statement: str, *values: object) -> sqlite3.Cursor:
        try:
            return self._connection.execute(statement, values)
        except sqlite3.Error as error:
            message = f"The working file cannot be used ({error}). Make room on its disk."
            raise StandardiseFault(message) from error


def _json(value: Item | Row | Finding | Unparsed) -> str:
    return value.model_dump_json(exclude_defaults=True)


def _most(limit: int | None) -> int:
    return -1 if limit is None else limit


def _problem(item: Item, source: str, error: str) -> Unparsed:
    statement = f"{item.full_table}.{item.name}"
    line = item.line or 1
    return Unparsed(file=source, line=line, error=error, statement=statement, is_loss=False)
