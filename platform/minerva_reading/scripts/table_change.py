"""Take over what `ALTER TABLE` changes: columns that come, go, and get other names or types."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from sqlglot import Token, TokenType, exp

from minerva_reading.scripts.declared_tables import DeclaredTables

_HARMLESS: Final = (exp.AddConstraint, exp.AddPartition, exp.DropPartition, exp.AlterSet)
"""Changes that touch neither a column nor a row."""
_NO_COLUMN: Final = re.compile(
    r"CONSTRAINT|PRIMARY|FOREIGN|UNIQUE|CHECK|INDEX|KEY|PARTITION|PERIOD", re.IGNORECASE
)
"""What DROP may be followed by that is no column's name."""


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
