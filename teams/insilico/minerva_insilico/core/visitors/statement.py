"""Visit literals that are SQL, whole or put together from pieces."""

import ast
import re
from collections.abc import Callable, Sequence
from functools import partial

from minerva_insilico.core.facts.field_owner import Owner
from minerva_insilico.core.facts.log_calls import name_chain
from minerva_insilico.core.facts.receiver_types import leaves_of, type_of
from minerva_insilico.core.fields.sql import (
    HOLE,
    Statement,
    lines_of,
    read_piece,
    read_statement,
    tables_on_line,
    words_of,
)
from minerva_insilico.core.visitors import field_path
from minerva_insilico.core.visitors.visit_state import Frame, Handler, Pending, Walk, children

TAKES_SQL = frozenset(
    {"CheckConstraint", "RawSQL", "RunSQL", "execute", "executemany", "extra", "raw", "text"}
)
"""Calls which are given SQL, however it begins."""

_MAX_LINE = 2_000
"""Characters: a longer line is generated, and a search in it would cost time."""


def read_literal(walk: Walk, text: str, node: ast.expr, frame: Frame) -> bool:
    """Note the columns of a literal that is SQL, each on the lines it stands on."""
    found = read_statement(text)
    if found is None:
        return False
    _note(walk, found, node, frame)
    return True


def read_arguments(
    walk: Walk, node: ast.Call, arguments: Sequence[ast.expr], frame: Frame
) -> list[ast.expr]:
    """Note the columns in text that is passed as SQL, and return the other arguments."""
    pieces = list(arguments[:1])
    for keyword in node.keywords:
        if keyword.arg in {"select", "sql", "where"}:
            items = keyword.value
            if isinstance(items, ast.Dict):
                pieces += items.values
            else:
                pieces += items.elts if isinstance(items, ast.List | ast.Tuple) else [items]
    owner = frame.fields or ""
    if isinstance(node.func, ast.Attribute) and not owner:
        owner = type_of(node.func.value, frame.scope) or ""
    taken: set[int] = set()
    for piece in pieces:
        text = _text(piece)
        if text is not None and " " in text.strip() and read_statement(text) is None:
            _note(walk, read_piece(text), piece, frame, owner=owner)
            taken.add(id(piece))
    return [item for item in arguments if id(item) not in taken]


def _note(walk: Walk, sql: Statement, node: ast.expr, frame: Frame, *, owner: Owner = "") -> None:
    tables = "" if sql.is_open else " ".join(sql.tables)
    numbers = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    written = lines_of("\n".join(map(walk.line, numbers)))
    words = [frozenset(word.lower() for word in words_of(line)) for line in written]
    for alias, table in sql.aliases:
        if table != HOLE:
            walk.aliases.setdefault(alias, set()).update(table.split())
    for column in sql.columns:
        folded = column.lower()
        lines = [place for place, there in enumerate(words) if folded in there]
        for place in lines or [0]:
            line = node.lineno + place
            whose = tables_on_line(written[place], column, sql) or tables
            note = partial(walk.facts.use, column, "sql_string", line, frame.symbol, owner=owner)
            alias = "" if whose else _alias_before(column, written[place])
            if alias:
                walk.later.append((alias, note, note))
            else:
                note(tables=whose)


def _alias_before(column: str, line: str) -> str:
    """Return `o` where a line has `o.status`, if it has no other."""
    found = re.findall(rf"(?:(\w+)\.)?\b{re.escape(column)}\b", line[:_MAX_LINE], re.IGNORECASE)
    aliases = {one.lower() for one in found}
    return aliases.pop() if len(aliases) == 1 else ""


def read_later(
    walk: Walk, node: ast.Constant, frame: Frame, otherwise: Callable[[], object]
) -> bool:
    """Note `o.status` as a column, if some SQL of the module calls a table `o`."""
    parts = field_path.alias_of(str(node.value))
    if parts is None:
        return False
    alias, column = parts
    note = partial(walk.facts.use, column, "sql_string", node.lineno, frame.symbol)
    walk.later.append((alias.lower(), note, otherwise))
    return True


def settle(walk: Walk) -> None:
    """Note what waited until all short names of the module's SQL were known."""
    for alias, note, otherwise in walk.later:
        tables = walk.aliases.get(alias)
        if tables:
            note(tables=" ".join(sorted(tables)))
        else:
            otherwise()


def read_f_string(walk: Walk, node: ast.JoinedStr, frame: Frame) -> Pending:
    """Note the columns of an f-string that is SQL, and return its inner expressions."""
    read_literal(walk, _joined_text(node), node, frame)
    return [(part, frame) for part in node.values if isinstance(part, ast.FormattedValue)]


def _sum(walk: Walk, node: ast.BinOp, frame: Frame) -> Pending:
    """Read `"SELECT … " + columns + " FROM …"` as one statement."""
    if not isinstance(node.op, ast.Add):
        return children(node, frame)
    leaves = leaves_of(node)
    texts = [_text(leaf) for leaf in leaves]
    written = "".join(HOLE if text is None else text for text in texts)
    if any(texts) and read_literal(walk, written, node, frame):
        leaves = [leaf for leaf in leaves if not isinstance(leaf, ast.Constant)]
    return [(leaf, frame) for leaf in leaves]


def _joined_text(node: ast.JoinedStr) -> str:
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else _fill(part) for part in node.values
    )


def _fill(part: ast.expr) -> str:
    """Return `Patient`, which stands for its table, for `{Patient._meta.db_table}`."""
    names = name_chain(part.value) if isinstance(part, ast.FormattedValue) else ()
    return "".join(names[-3:-2]) or HOLE if names[-2:] == ("_meta", "db_table") else HOLE


def _text(node: ast.expr) -> str | None:
    if isinstance(node, ast.JoinedStr):
        return _joined_text(node)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


HANDLERS: dict[type[ast.AST], Handler] = {ast.BinOp: _sum}
