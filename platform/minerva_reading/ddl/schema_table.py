"""Follow the tables of a schema from their creation through what alters them.

Two tables of one name are two if their schemas differ. A name without a schema means the table of
that name where there is only one, else that of the schema which the file has made the current one.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from minerva_reading.ddl.alteration import Change
from minerva_reading.ddl.column_definition import Column
from minerva_reading.ddl.statement import Statement
from minerva_reading.identifier import Identifier
from minerva_reading.schema import SchemaColumn

TablePath = tuple[Identifier, ...]


class Description(NamedTuple):
    """The comment of a statement on a column or a table."""

    path: TablePath
    text: str
    statement: Statement
    is_column: bool = True


class Table:
    """A table's columns by their keys, in order; `lines` are those of the file."""

    def __init__(self, path: TablePath, current: str, dialect: str) -> None:
        self.path, self.current, self.dialect = path, current, dialect
        self.comment = ""
        self.columns: dict[str, Column] = {}
        self.comments: dict[str, str] = {}
        self._base: dict[str, int] = {}

    @property
    def name(self) -> str:
        """The table's name as it is written."""
        return self.path[-1].text

    @property
    def key(self) -> str:
        """What no other table of the schema has."""
        return ".".join(_key(part, self.dialect) for part in self.path)

    def add(self, column: Column, line: int) -> str:
        """Add a column of a statement on `line`; return why not, "" if it is added."""
        key = _key(column.name, self.dialect)
        if key in self.columns:
            return f"column {column.name.text} of {self.name} is defined twice; the first is used"
        self.columns[key] = column
        self._base[key] = line
        return ""

    def change(self, change: Change, line: int) -> str:
        """Do to a column what a statement on `line` says; return why not, "" if it is done."""
        if change.does == "add" and change.column:
            return self.add(change.column, line)
        if change.does == "rename_table":
            return ""
        key = _key(change.name, self.dialect)
        if key not in self.columns:
            return f"{self.name} has no column {change.name.text} that this file creates"
        if change.does == "drop":
            del self.columns[key]
        elif change.does == "retype" and change.column:
            before = self.columns[key]
            self.columns[key] = Column(
                before.name,
                change.column.data_type or before.data_type,
                change.column.comment or before.comment,
                before.line,
            )
        elif change.does == "rename" and change.new:
            self._rename(key, change.new, change.column)
        return ""

    def _rename(self, key: str, new: Identifier, column: Column | None) -> None:
        before = self.columns[key]
        data_type = (column.data_type if column else None) or before.data_type
        comment = (column.comment if column else None) or before.comment
        renamed = Column(new, data_type, comment, before.line)
        new_key = _key(new, self.dialect)
        if key in self._base:
            self._base[new_key] = self._base.pop(key)
        if key in self.comments:
            self.comments[new_key] = self.comments.pop(key)
        self.columns = {
            new_key if known == key else known: renamed if known == key else one
            for known, one in self.columns.items()
        }

    def declarations(self, dialects: Sequence[str]) -> Iterator[SchemaColumn]:
        """Yield the columns in the end; a name is exact if it is in one of the dialects."""
        exact = tuple(any(map(part.is_exact, dialects)) for part in self.path)
        for key, column in self.columns.items():
            yield SchemaColumn(
                name=column.name.text,
                comment=self.comments.get(key, column.comment),
                data_type=column.data_type,
                table=self.name,
                line=self._base.get(key, 1) + column.line - 1,
                table_path=tuple(part.text for part in self.path[:-1]),
                is_exact=any(map(column.name.is_exact, dialects)),
                exact_path=exact if any(exact) else (),
            )


class Tables:
    """The tables of a schema in the order of their creation.

    `current` is the schema that names without one belong to; `comments` what is said of columns,
    whose path ends in the column, or of tables, each with its statement.
    """

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self.current = ""
        self.comments: list[Description] = []
        self.all: list[Table] = []
        self._spares: list[Table] = []
        self._by_name: dict[str, list[Table]] = {}

    def add(self, path: TablePath) -> Table:
        """Add a table without columns."""
        table = Table(path, self.current, self.dialect)
        others = self._by_name.setdefault(_key(path[-1], self.dialect), [])
        for one in (*others, table):
            if others and len(one.path) == 1 and one.current:  # told apart by their schemas alone
                one.path = (Identifier(one.current), *one.path)
        others.append(table)
        self.all.append(table)
        return table

    def find(self, path: TablePath, *, is_new: bool = False) -> Table | None:
        """Return the table that a name means, None if there is none.

        `is_new`: the name is that of a table to create, which belongs to the current schema.
        """
        named = self._by_name.get(_key(path[-1], self.dialect), [])
        found = [table for table in named if self._is_same(table, path)]
        schema = self._schema(path, self.current)
        here = [table for table in found if self._schema(table.path, table.current) == schema]
        if here or is_new:
            return here[0] if here else None
        return found[0] if len(found) == 1 else None

    def drop(self, table: Table) -> None:
        """Take a table out."""
        self._by_name[_key(table.path[-1], self.dialect)].remove(table)
        self.all.remove(table)
        self._spares.append(table)

    def restore(self) -> None:
        """Put the tables back that were taken out."""
        for table in self._spares:
            self._by_name[_key(table.path[-1], self.dialect)].append(table)
        self.all += self._spares
        self._spares = []

    def rename(self, table: Table, new: Identifier) -> None:
        """Give a table another name."""
        self._by_name[_key(table.path[-1], self.dialect)].remove(table)
        table.path = (*table.path[:-1], new)
        self._by_name.setdefault(_key(new, self.dialect), []).append(table)

    def say_comments(self) -> Iterator[Description]:
        """Give the columns their comments; yield those of nothing that is there.

        A comment may come before its table.
        """
        for said in self.comments:
            table = self.find(said.path[:-1] if said.is_column else said.path)
            key = _key(said.path[-1], self.dialect)
            if table is not None and not said.is_column:
                table.comment = said.text
            elif table is not None and key in table.columns:
                table.comments[key] = said.text
            elif said.text:
                yield said

    def _is_same(self, table: Table, path: TablePath) -> bool:
        """True if a table's name ends as `path` does, as far as both say."""
        ends = zip(reversed(table.path), reversed(path), strict=False)
        return all(_key(a, self.dialect) == _key(b, self.dialect) for a, b in ends)

    def _schema(self, path: TablePath, current: str) -> str:
        names = [_key(part, self.dialect) for part in path[:-1]]
        return ".".join(names) or _key(Identifier(current), self.dialect)


def _key(name: Identifier, dialect: str) -> str:
    return f'"{name.text}"' if name.is_exact(dialect) else name.text.casefold()
