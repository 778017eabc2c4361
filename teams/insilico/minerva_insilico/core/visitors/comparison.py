"""Visit what is compared, and own what is written out: `serializer.data == {"status": 1}`.

The keys of a dictionary that is given to a form, or compared with its data, are names of its
fields, also where a variable holds the dictionary.
"""

import ast

from minerva_insilico.core.facts.field_owner import Owner
from minerva_insilico.core.facts.log_calls import callee_name
from minerva_insilico.core.facts.receiver_types import NAMED_BY_FIELD, form_of, type_of
from minerva_insilico.core.visitors.field_mentions import is_text, note_keys, note_member, note_text
from minerva_insilico.core.visitors.visit_state import Frame, Handler, Pending, Walk, children

_DATA = frozenset({"data", "initial"})
_KEPT = frozenset({"dict", "frozenset", "keys", "list", "set", "sorted", "tuple"})
"""Calls that give the names which they are given."""


def _compare(walk: Walk, node: ast.Compare, frame: Frame) -> Pending:
    """Note the key in `"x" in row`, and the fields of a value compared with a form's data."""
    held = node.comparators[0]
    if isinstance(node.ops[0], ast.In | ast.NotIn) and is_text(node.left):
        if note_member(walk, node.left, held, frame):
            return [(item, frame) for item in node.comparators]
    elif isinstance(node.ops[0], ast.Eq | ast.NotEq):
        equate(walk, node.left, held, frame)
    return children(node, frame)


def equate(walk: Walk, one: ast.expr, other: ast.expr, frame: Frame) -> None:
    """Note the fields of a literal on either side, if the other side tells whose they are."""
    for literal, value in ((one, other), (other, one)):
        if _literal(literal, frame) is not None:
            owner = type_of(value, frame.scope)
            if owner:
                own_literal(walk, literal, owner, frame, has_names=_is_named_by_field(value))


def own_data(walk: Walk, node: ast.Call, frame: Frame) -> None:
    """Note the fields of literals that a form, a serializer, a filter set or a query is given."""
    owner = form_of(node, frame.scope)
    if owner:
        given = [item.value for item in node.keywords if item.arg in _DATA or item.arg is None]
        for value in (*node.args, *given):
            own_literal(walk, value, owner, frame)
        return
    values = [item.value for item in node.keywords if item.arg is None]
    if callee_name(node.func) in {"update", "values"} and isinstance(node.func, ast.Attribute):
        values += node.args  # of a query: `.update({"status": 1})`
    if values:
        whose = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        known = type_of(whose, frame.scope)
        for value in values:
            if known:
                own_literal(walk, value, known, frame)


def own_literal(
    walk: Walk, node: ast.expr, owner: Owner, frame: Frame, *, has_names: bool = False
) -> None:
    """Note the keys of a literal, or of the one that a variable holds, as fields of `owner`.

    What a key leads to is of what the key is a relation to. With `has_names` the texts of a list
    are names of fields, too.
    """
    pending: list[tuple[ast.expr | None, Owner]] = [(_literal(node, frame), owner)]
    while pending:
        current, whose = pending.pop()
        if isinstance(current, ast.Call) and callee_name(current.func) == "dict":
            current = written_out(current)
        if isinstance(current, ast.Dict):
            for key, value in zip(current.keys, current.values, strict=True):
                note_keys(walk, [key] if key else [], frame, owner=whose)
                pending.append((value, str(key.value) if is_text(key) else ""))
        elif isinstance(current, ast.List | ast.Tuple | ast.Set):
            is_record = whose == owner
            for item in current.elts:
                if not is_text(item):
                    pending.append((item, whose))
                elif has_names and is_record:
                    note_text(walk, item, frame, whose)


def _literal(node: ast.expr, frame: Frame) -> ast.expr | None:
    if isinstance(node, ast.Name):
        return frame.scope.literal_of(node.id)
    is_made = isinstance(node, ast.Call) and callee_name(node.func) == "dict"
    return node if is_made or isinstance(node, ast.Dict | ast.List | ast.Tuple | ast.Set) else None


def written_out(node: ast.Call) -> ast.Dict:
    """Return `dict(status=1)` as `{"status": 1}`."""
    keys: list[ast.expr | None] = [
        ast.copy_location(ast.Constant(item.arg), item.value) if item.arg else None
        for item in node.keywords
    ]
    return ast.copy_location(ast.Dict(keys, [item.value for item in node.keywords]), node)


def _is_named_by_field(node: ast.expr) -> bool:
    """True for `form.fields`, `list(form.fields)` and `form.fields.keys()`."""
    while isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in _KEPT:
            node = node.func.value
        elif isinstance(node.func, ast.Name) and node.func.id in _KEPT and node.args:
            node = node.args[0]
        else:
            return False
    return isinstance(node, ast.Attribute) and node.attr in NAMED_BY_FIELD


HANDLERS: dict[type[ast.AST], Handler] = {ast.Compare: _compare}
