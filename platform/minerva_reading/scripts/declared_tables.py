"""The tables of a script so far, as its statements declare and change them."""

from collections.abc import Sequence

from sqlglot import Dialect, exp

from minerva_reading.schema import SchemaColumn, SchemaTable


class DeclaredTables:
    """Tables and columns by name, without case; `change_count` counts what was taken over."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.change_count = 0
        self._tables: dict[str, SchemaTable] = {}
        self._columns: dict[str, dict[str, SchemaColumn]] = {}

    @property
    def tables(self) -> list[SchemaTable]:
        """All tables, in the order in which they were declared."""
        return list(self._tables.values())

    @property
    def columns(self) -> list[SchemaColumn]:
        """All columns, table by table."""
        return [one for table in self._columns.values() for one in table.values()]

    def columns_of(self, table: str) -> tuple[SchemaColumn, ...]:
        """Return the columns of a table, or none if it is not declared."""
        return tuple(self._columns.get(table.upper(), {}).values())

    def has(self, table: str) -> bool:
        """True if the script declares `table`."""
        return table.upper() in self._tables

    def add_table(self, name: str, comment: str, line: int) -> None:
        """Declare a table without columns; a second declaration takes the first one's place."""
        comment = " ".join(comment.split())
        self._tables[name.upper()] = SchemaTable(name=name, comment=comment, line=line)
        self._columns.setdefault(name.upper(), {})

    def add_column(self, column: SchemaColumn) -> None:
        """Declare a column, or declare it anew."""
        self._columns.setdefault(column.table.upper(), {})[column.name.upper()] = column
        self.change_count += 1

    def column_of(self, table: str, tree: exp.ColumnDef, line: int) -> SchemaColumn:
        """Return a parsed definition as a column of `table`."""
        comment = tree.find(exp.CommentColumnConstraint)
        data_type = tree.args.get("kind")
        return SchemaColumn(
            table=table,
            name=tree.name,
            data_type=data_type.sql(self.dialect) if data_type else "",
            comment=" ".join(comment.this.name.split()) if comment else "",
            line=int(tree.this.meta.get("line", line)),
        )

    def copy_columns(self, source: str, table: str, line: int) -> bool:
        """Give `table` the columns of `source`; False if that one is not declared."""
        for column in self.columns_of(source):
            self.add_column(column._replace(table=table, line=line))
        return bool(self.columns_of(source))

    def rename_column(self, table: str, name: str, new: str) -> bool:
        """Rename a column in its place; False if it is not declared."""
        known = self._columns.get(table.upper(), {})
        if name.upper() not in known:
            return False
        self._columns[table.upper()] = {
            (new if key == name.upper() else key).upper(): (
                one._replace(name=new) if key == name.upper() else one
            )
            for key, one in known.items()
        }
        self.change_count += 1
        return True

    def drop_columns(self, table: str, names: Sequence[str]) -> bool:
        """Take columns out; False if one of them is not declared."""
        known = self._columns.get(table.upper(), {})
        found = [name.upper() for name in names if name.upper() in known]
        for name in found:
            del known[name]
        self.change_count += len(found)
        return len(found) == len(names)

    def rename_table(self, name: str, new: str) -> bool:
        """Rename a table; False if it is not declared."""
        if not self.has(name):
            return False
        table = self._tables.pop(name.upper())
        columns = self._columns.pop(name.upper(), {})
        self._tables[new.upper()] = table._replace(name=new)
        self._columns[new.upper()] = {key: one._replace(table=new) for key, one in columns.items()}
        self.change_count += 1
        return True

    def comment(self, table: str, column: str | None, words: str) -> None:
        """Set the comment of a table or column; that of anything else is nothing to us."""
        words = " ".join(words.split())
        if column is None and self.has(table):
            known = self._tables[table.upper()]
            self._tables[table.upper()] = known._replace(comment=words)
        elif column is not None and column.upper() in self._columns.get(table.upper(), {}):
            columns = self._columns[table.upper()]
            columns[column.upper()] = columns[column.upper()]._replace(comment=words)
        self.change_count += 1
