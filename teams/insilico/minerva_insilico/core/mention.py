"""Visit what mentions fields: attributes, keys, keywords, calls, literals, SQL."""

import ast
import re
from collections.abc import Iterable, Sequence

from minerva_insilico.core.facts import Call
from minerva_insilico.core.sink import flowing_parts, makes_logger, name_chain, sink_of
from minerva_insilico.core.sql import HOLE, read_statement
from minerva_insilico.core.walk import Frame, Handler, Pending, Walk, children

_KEY_METHODS = frozenset({"get", "pop", "setdefault"})
_ATTRIBUTE_FUNCTIONS = frozenset({"delattr", "getattr", "hasattr", "setattr"})
_LOOKUP = re.compile(r"[-+]?([^\W\d]\w*(?:\.[^\W\d]\w*)*)")
_LONGEST_LOOKUP = 80


def _class_pattern(walk: Walk, node: ast.MatchClass, frame: Frame) -> Pending:
    for name in node.kwd_attrs:
        walk.facts.use(name, "attribute", node.lineno, frame.symbol)
    return children(node, frame)


def _mapping_pattern(walk: Walk, node: ast.MatchMapping, frame: Frame) -> Pending:
    if node.rest:
        frame.scope.bind(node.rest)
    rest = [(item, frame) for item in node.patterns]
    keys = _keys(walk, node.keys, frame)
    return [*((key, frame) for key in keys), *rest]


def _assign(walk: Walk, node: ast.Assign | ast.AnnAssign, frame: Frame) -> Pending:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        if makes_logger(node.value):
            walk.loggers.update(name_chain(target)[-1:])
        if isinstance(target, ast.Name) and frame.scope.is_class:
            walk.facts.use(target.id, "attribute", target.lineno, frame.symbol)
    return children(node, frame)


def _attribute(walk: Walk, node: ast.Attribute, frame: Frame) -> Pending:
    line = node.end_lineno or node.lineno
    walk.facts.use(node.attr, "attribute", line, frame.symbol, sink=frame.sink)
    return [(node.value, frame._replace(sink=None))]


def _subscript(walk: Walk, node: ast.Subscript, frame: Frame) -> Pending:
    keys = node.slice.elts if isinstance(node.slice, ast.List | ast.Tuple) else [node.slice]
    value: Pending = [(node.value, frame._replace(sink=None))]
    return [*value, *((key, frame) for key in _keys(walk, keys, frame))]


def _dict(walk: Walk, node: ast.Dict, frame: Frame) -> Pending:
    keys = _keys(walk, [key for key in node.keys if key is not None], frame)
    return [(item, frame) for item in (*keys, *node.values)]


def _keys(walk: Walk, keys: Iterable[ast.expr], frame: Frame) -> list[ast.expr]:
    """Note the keys that are plain text; return the others."""
    others: list[ast.expr] = []
    for key in keys:
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            walk.facts.use(key.value, "dict_key", key.lineno, frame.symbol, sink=frame.sink)
        else:
            others.append(key)
    return others


def _call(walk: Walk, node: ast.Call, frame: Frame) -> Pending:
    function = node.func
    chain = name_chain(function)
    name = function.attr if isinstance(function, ast.Attribute) else "".join(chain[-1:])
    if name:
        line = function.end_lineno or node.lineno
        walk.facts.calls.append(Call(line, frame.symbol, name, chain, frame.scope))
    sink = sink_of(node, walk.loggers, walk.imported)
    flowing = {id(part) for part in flowing_parts(node)} if frame.sink else set[int]()
    quiet = frame._replace(sink=sink)

    def framed(part: ast.expr) -> tuple[ast.AST, Frame]:
        return part, (frame if id(part) in flowing and not sink else quiet)

    for keyword in node.keywords:
        for part in (keyword.arg or "").split("__"):
            walk.facts.use(part, "keyword", keyword.value.lineno, frame.symbol, sink=sink)
    owner: Pending = []
    if not isinstance(function, ast.Name):
        callee = function.value if isinstance(function, ast.Attribute) else function
        flows = id(callee) in flowing
        owner = [(callee, frame if flows else frame._replace(sink=None))]
    arguments = _literal_names(walk, name, node.args, frame)
    return [*owner, *map(framed, arguments), *(framed(item.value) for item in node.keywords)]


def _literal_names(
    walk: Walk, function: str, arguments: Sequence[ast.expr], frame: Frame
) -> Sequence[ast.expr]:
    """Note keys and attributes passed as text; return the arguments left."""
    if function in _KEY_METHODS:
        return [*_keys(walk, arguments[:1], frame), *arguments[1:]]
    if function == "itemgetter":
        return _keys(walk, arguments, frame)
    if function in _ATTRIBUTE_FUNCTIONS and len(arguments) > 1:
        key = arguments[1]
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            walk.facts.use(key.value, "attribute", key.lineno, frame.symbol, sink=frame.sink)
            return [arguments[0], *arguments[2:]]
    return arguments


def _constant(walk: Walk, node: ast.Constant, frame: Frame) -> Pending:
    if not isinstance(node.value, str) or _statement(walk, node.value, node, frame):
        return []
    match = _LOOKUP.fullmatch(node.value) if len(node.value) <= _LONGEST_LOOKUP else None
    for part in match.group(1).replace(".", "__").split("__") if match else ():
        walk.facts.use(part, "string", node.lineno, frame.symbol)
    return []


def _joined(walk: Walk, node: ast.JoinedStr, frame: Frame) -> Pending:
    _statement(walk, _joined_text(node), node, frame)
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
    texts = [_literal_text(leaf) for leaf in leaves]
    written = "".join(HOLE if text is None else text for text in texts)
    if any(texts) and _statement(walk, written, node, frame):
        rest = [leaf for leaf in leaves if not isinstance(leaf, ast.Constant)]
        return [(leaf, frame) for leaf in rest]
    return [(leaf, frame) for leaf in leaves]


def _statement(walk: Walk, text: str, node: ast.expr, frame: Frame) -> bool:
    """Note the columns of a literal that is SQL, each on the lines it stands on."""
    found = read_statement(text)
    if found is None:
        return False
    tables = " ".join(found.tables)
    numbers = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    for column in found.columns:
        folded = column.lower()
        lines = [number for number in numbers if folded in walk.words(number)]
        for line in lines or [node.lineno]:
            walk.facts.use(column, "sql_string", line, frame.symbol, tables=tables)
    return True


def _joined_text(node: ast.JoinedStr) -> str:
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else HOLE for part in node.values
    )


def _literal_text(node: ast.expr) -> str | None:
    if isinstance(node, ast.JoinedStr):
        return _joined_text(node)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


HANDLERS: dict[type[ast.AST], Handler] = {
    ast.AnnAssign: _assign,
    ast.Assign: _assign,
    ast.Attribute: _attribute,
    ast.BinOp: _sum,
    ast.Call: _call,
    ast.Constant: _constant,
    ast.Dict: _dict,
    ast.JoinedStr: _joined,
    ast.MatchClass: _class_pattern,
    ast.MatchMapping: _mapping_pattern,
    ast.Subscript: _subscript,
}
