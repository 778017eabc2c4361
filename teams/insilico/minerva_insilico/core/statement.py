"""Visit literals that are SQL, whole or put together from pieces."""

import ast
from collections.abc import Sequence

from minerva_insilico.core.owner import type_of
from minerva_insilico.core.sql import HOLE, Statement, read_piece, read_statement, tables_on_line
from minerva_insilico.core.walk import Frame, Handler, Pending, Walk, children

TAKES_SQL = frozenset({"RawSQL", "RunSQL", "execute", "executemany", "extra", "raw", "text"})
"""Calls which are given SQL, however it begins."""


def read(walk: Walk, text: str, node: ast.expr, frame: Frame) -> bool:
    """Note the columns of a literal that is SQL, each on the lines it stands on."""
    found = read_statement(text)
    if found is None:
        return False
    _note(walk, found, node, frame)
    return True


def read_arguments(
    walk: Walk, node: ast.Call, arguments: Sequence[ast.expr], frame: Frame
) -> list[ast.expr]:
    """Note the columns in text that is given as SQL; return the arguments left."""
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
        owner = type_of(node.func.value, frame.scope)
    taken: set[int] = set()
    for piece in pieces:
        text = _text(piece)
        if text is not None and " " in text.strip() and read_statement(text) is None:
            _note(walk, read_piece(text), piece, frame, owner=owner)
            taken.add(id(piece))
    return [item for item in arguments if id(item) not in taken]


def _note(walk: Walk, found: Statement, node: ast.expr, frame: Frame, *, owner: str = "") -> None:
    tables = " ".join(found.tables)
    numbers = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    for column in found.columns:
        folded = column.lower()
        lines = [number for number in numbers if folded in walk.words(number)]
        for line in lines or [node.lineno]:
            owners = tables_on_line(walk.line(line), column, found.aliases) or tables
            walk.facts.use(column, "sql_string", line, frame.symbol, tables=owners, owner=owner)


def _joined(walk: Walk, node: ast.JoinedStr, frame: Frame) -> Pending:
    read(walk, _joined_text(node), node, frame)
    return [(part, frame) for part in node.values if isinstance(part, ast.FormattedValue)]


def _sum(walk: Walk, node: ast.BinOp, frame: Frame) -> Pending:
    """Read `"SELECT … " + columns + " FROM …"` as one statement."""
    if not isinstance(node.op, ast.Add):
        return children(node, frame)
    leaves: list[ast.expr] = []
    current: ast.expr = node
    while isinstance(current, ast.BinOp) and isinstance(current.op, ast.Add):
        leaves.append(current.right)
        current = current.left
    leaves = [current, *reversed(leaves)]
    texts = [_text(leaf) for leaf in leaves]
    written = "".join(HOLE if text is None else text for text in texts)
    if any(texts) and read(walk, written, node, frame):
        rest = [leaf for leaf in leaves if not isinstance(leaf, ast.Constant)]
        return [(leaf, frame) for leaf in rest]
    return [(leaf, frame) for leaf in leaves]


def _joined_text(node: ast.JoinedStr) -> str:
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else HOLE for part in node.values
    )


def _text(node: ast.expr) -> str | None:
    if isinstance(node, ast.JoinedStr):
        return _joined_text(node)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


HANDLERS: dict[type[ast.AST], Handler] = {
    ast.BinOp: _sum,
    ast.JoinedStr: _joined,
}
