"""The tables of a script so far, as its statements declare and change them."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from sqlglot import Dialect, Token, TokenType, exp

from minerva_reading.schema import SchemaColumn, SchemaTable

_HARMLESS: Final = (exp.AddConstraint, exp.AddPartition, exp.DropPartition, exp.AlterSet)
"""Changes that touch neither a column nor a row."""
_NO_COLUMN: Final = re.compile(
    r"CONSTRAINT|PRIMARY|FOREIGN|UNIQUE|CHECK|INDEX|KEY|PARTITION|PERIOD", re.IGNORECASE
)
"""What DROP may be followed by that is no column's name."""


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


def change_table(tables: DeclaredTables, tree: exp.Alter, tokens: Sequence[Token]) -> bool:
    """Take over a parsed `ALTER TABLE`; False if a part of it is not understood.

    A table that is not declared here gets the columns that are added; the others are not known.
    """
    table = tree.find(exp.Table)
    if table is None:
        return False
    name, line = table.name, tokens[0].line
    is_known = tables.has(name)
    # Every action is taken over, also behind one that is not understood.
    actions: list[exp.Expr] = tree.args.get("actions") or []
    done = [_change(tables, name, action, tokens) for action in actions]
    if not is_known and tables.columns_of(name):
        tables.add_table(name, "", line)
    return is_known and all(done)


def _change(tables: DeclaredTables, table: str, action: exp.Expr, tokens: Sequence[Token]) -> bool:
    """Take over one change; False if it is not understood."""
    done = isinstance(action, _HARMLESS)
    match action:
        case exp.ColumnDef() | exp.Schema():
            done = _add(tables, table, action, tokens[0].line)
        case exp.ModifyColumn():
            done = _modify(tables, table, action, tokens[0].line)
        case exp.RenameColumn():
            done = tables.rename_column(table, action.this.name, action.args["to"].name)
        case exp.AlterRename():
            done = tables.rename_table(table, action.this.name)
        case exp.AlterColumn():
            done = _alter(tables, table, action)
        case exp.Drop() if action.args.get("kind") == "COLUMN":
            named = action.args.get("tables") or [action.this]
            done = tables.drop_columns(table, [each.name for each in named])
        case exp.Command():
            names = list(_dropped_names(tokens))
            done = bool(names) and tables.drop_columns(table, names)
        case _:
            pass
    return done


def _add(tables: DeclaredTables, table: str, action: exp.Expr, line: int) -> bool:
    added = [tables.column_of(table, each, line) for each in action.find_all(exp.ColumnDef)]
    for column in added:
        tables.add_column(column)
    return bool(added)


def _modify(tables: DeclaredTables, table: str, action: exp.ModifyColumn, line: int) -> bool:
    """MySQL's CHANGE and MODIFY declare the whole column anew."""
    definition = action.this
    if not isinstance(definition, exp.ColumnDef):
        return False
    former = action.args.get("rename_from")
    is_known = former is None or tables.rename_column(table, former.name, definition.name)
    tables.add_column(tables.column_of(table, definition, line))
    return is_known


def _alter(tables: DeclaredTables, table: str, action: exp.AlterColumn) -> bool:
    for column in tables.columns_of(table):
        if column.name.upper() == action.this.name.upper():
            data_type, comment = action.args.get("dtype"), action.args.get("comment")
            data_type = data_type.sql(tables.dialect) if data_type else column.data_type
            comment = comment.name if comment else column.comment
            tables.add_column(column._replace(data_type=data_type, comment=comment))
            return True
    return False


def _dropped_names(tokens: Sequence[Token]) -> Iterator[str]:
    """Give the columns of Oracle's and SQL Server's `DROP (a, b)`, `DROP COLUMN a, b`, `DROP a`."""
    words = [token.text.upper() for token in tokens]
    if words.count("DROP") != 1:
        return
    rest = list(tokens[words.index("DROP") + 1 :])
    if rest and rest[0].text.upper() == "COLUMN":
        rest = rest[1:]
    if rest and _NO_COLUMN.fullmatch(rest[0].text):
        return
    for token in rest:
        if token.token_type in {TokenType.VAR, TokenType.IDENTIFIER}:
            yield token.text
        elif token.token_type not in {TokenType.L_PAREN, TokenType.R_PAREN, TokenType.COMMA}:
            return


class _Output(NamedTuple):
    """A column that a query gives, and the declared columns it is made of."""

    name: str
    sources: tuple[SchemaColumn, ...]


def add_projection(tables: DeclaredTables, tree: exp.Create, name: str, line: int) -> bool:
    """Declare the columns of `CREATE VIEW` or `CREATE TABLE … AS`; False if one is not known."""
    query = tree.expression
    if not isinstance(query, exp.Select):  # a UNION, a table's name, nothing
        return False
    outputs = list(_outputs(tables, query))
    given = tree.this.expressions if isinstance(tree.this, exp.Schema) else []
    names = [each.name for each in given]
    if names and len(names) == len(outputs):
        outputs = [
            _Output(new, each.sources if each else ())
            for new, each in zip(names, outputs, strict=True)
        ]
    known = [each for each in outputs if each is not None and each.name]
    for output in known:
        comments = dict.fromkeys(one.comment or one.name for one in output.sources)
        types = {one.data_type for one in output.sources}
        tables.add_column(
            SchemaColumn(
                table=name,
                name=output.name,
                data_type=types.pop() if len(types) == 1 else "",
                comment="; ".join(comments),
                line=line,
            )
        )
    return bool(outputs) and len(known) == len(outputs)


def _outputs(tables: DeclaredTables, query: exp.Select) -> Iterator[_Output | None]:
    """Give what each item of a query's list names; None for what is not declared in the script."""
    sources = _sources(query)
    for item in query.expressions:
        star = item.this if isinstance(item, exp.Column) else item
        if isinstance(star, exp.Star):
            wanted = item.table if isinstance(item, exp.Column) else ""
            places = [sources.get(wanted.upper())] if wanted else list(sources.values())
            for place in places:
                columns = tables.columns_of(place) if place else ()
                yield from (_Output(one.name, (one,)) for one in columns)
                if not columns:
                    yield None
        else:
            made_of = [_find_column(tables, sources, each) for each in item.find_all(exp.Column)]
            found = tuple(one for one in made_of if one is not None)
            is_known = len(found) == len(made_of)
            yield _Output(item.alias_or_name, found) if is_known else None


def _sources(query: exp.Select) -> dict[str, str | None]:
    """Return the tables of FROM and JOIN by alias; None for what is no declared name."""
    named: dict[str, str | None] = {}
    begin = query.args.get("from_") or query.args.get("from")
    joins: list[exp.Join] = query.args.get("joins") or []
    inner = {cte.alias.upper() for cte in query.find_all(exp.CTE)}
    for place in (*([begin.this] if begin else []), *(join.this for join in joins)):
        is_table = isinstance(place, exp.Table) and place.name.upper() not in inner
        named[place.alias_or_name.upper()] = place.name if is_table else None
    return named


def _find_column(
    tables: DeclaredTables, sources: dict[str, str | None], column: exp.Column
) -> SchemaColumn | None:
    places = [sources.get(column.table.upper())] if column.table else list(sources.values())
    for place in places:
        for one in tables.columns_of(place or ""):
            if one.name.upper() == column.name.upper():
                return one
    return None
