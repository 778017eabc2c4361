"""What the organisation's own contracts and models say of a table or a column: tags, classes.

A data file carries what is said of the table of its name: `export/customers.csv`, `customers`.
"""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from minerva_governance.core.reading.declaration import Schema, SchemaColumn, SchemaTable

_Place = tuple[str, str]
"""Table and column, without case; the column is empty for the table itself."""


class DeclaredTags:
    """Tags and classifications by table and column, compared without case."""

    def __init__(self, schemas: Sequence[Schema]) -> None:
        self._tags: dict[_Place, set[str]] = {}
        self._classes: dict[_Place, set[str]] = {}
        for schema in schemas:
            for table in schema.tables:
                self._add((_bare(table.name), ""), table)
            for column in schema.columns:
                self._add((_bare(column.table), column.name.casefold()), column)

    def _add(self, place: _Place, said: SchemaTable | SchemaColumn) -> None:
        self._tags.setdefault(place, set()).update(tag.casefold() for tag in said.tags)
        if said.classification:
            self._classes.setdefault(place, set()).add(said.classification.casefold())

    def has_tag(self, patterns: Iterable[str], table: str, column: str = "") -> bool:
        """True if the column, or its table, carries one of the tags `patterns`."""
        return _fits(patterns, self._of(self._tags, table, column))

    def is_classified(self, patterns: Iterable[str], table: str, column: str = "") -> bool:
        """True if the column is classified so, or its table where the column says nothing."""
        own = self._classes.get((_bare(table), column.casefold()), set[str]())
        return _fits(patterns, own or self._classes.get((_bare(table), ""), set[str]()))

    def _of(self, said: dict[_Place, set[str]], table: str, column: str) -> set[str]:
        name = _bare(table)
        empty = set[str]()
        return said.get((name, ""), empty) | said.get((name, column.casefold()), empty)


def _fits(patterns: Iterable[str], words: Iterable[str]) -> bool:
    wanted = [pattern.casefold() for pattern in patterns]
    return any(fnmatchcase(word, pattern) for word in words for pattern in wanted)


def _bare(name: str) -> str:
    """Return a table's name without its schema, folder and ending, without case."""
    last = PurePosixPath(name.casefold())
    is_file = "." in last.name and last.suffix in _ENDINGS
    return last.stem if is_file else last.name.rpartition(".")[2]


_ENDINGS = frozenset(
    {".csv", ".tsv", ".psv", ".tab", ".json", ".jsonl", ".ndjson", ".xlsx", ".parquet"}
)
