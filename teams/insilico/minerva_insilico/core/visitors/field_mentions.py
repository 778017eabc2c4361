"""Visit what mentions fields: attributes, keys, keywords, literals that name one."""

import ast
from collections.abc import Iterable
from functools import partial
from itertools import islice
from typing import TypeGuard

from minerva_insilico.core.facts.annotation import (
    class_names,
    shape_of_annotation,
    type_of_annotation,
)
from minerva_insilico.core.facts.field_context import (
    COLUMN_RELATIONS,
    LISTS,
    NAME_LISTS,
    NAMES_FIELD,
    RELATIONS,
    split_lookup,
)
from minerva_insilico.core.facts.field_owner import (
    LONE_TEXT,
    KnownClass,
    Owner,
    Siblings,
    attribute,
)
from minerva_insilico.core.facts.log_calls import callee_name, makes_logger, name_chain
from minerva_insilico.core.facts.receiver_types import (
    CLASS_NAME,
    GIVES_ROWS,
    makes_one,
    origin_of,
    owner_of,
    texts_of,
    type_of,
)
from minerva_insilico.core.visitors import field_path, flow, statement
from minerva_insilico.core.visitors.declared import note_field
from minerva_insilico.core.visitors.names_in_text import (
    assigned_names,
    coded_names,
    input_names,
    listed_names,
    query_keys,
)
from minerva_insilico.core.visitors.scope import ValueKind
from minerva_insilico.core.visitors.value_binding import note_value
from minerva_insilico.core.visitors.visit_state import Frame, Handler, Pending, Walk, children

_MAX_SIBLINGS = 30
_MAX_COPIED_NODES = 30
"""The most nodes read in a copied value. Nested calls would otherwise be walked repeatedly."""


def _class_pattern(walk: Walk, node: ast.MatchClass, frame: Frame) -> Pending:
    owner = owner_of(node.cls, frame.scope)
    for name in node.kwd_attrs:
        walk.facts.use(name, "attribute", node.lineno, frame.symbol, owner=owner)
    return children(node, frame)


def _mapping_pattern(walk: Walk, node: ast.MatchMapping, frame: Frame) -> Pending:
    if node.rest:
        frame.scope.bind(node.rest)
    rest = [(item, frame) for item in node.patterns]
    keys = note_keys(walk, node.keys, frame, owner=siblings(node.keys))
    return [*((key, frame) for key in keys), *rest]


def _assign(walk: Walk, node: ast.Assign | ast.AnnAssign, frame: Frame) -> Pending:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    found = (
        type_of(node.value, frame.scope)
        if isinstance(node, ast.Assign)
        else (type_of_annotation(node.annotation) or type_of(node.value, frame.scope))
    )
    annotation = None if isinstance(node, ast.Assign) else node.annotation
    value_kind: ValueKind = "annotation" if annotation else "value"
    shape = "one" if makes_one(node.value) else shape_of_annotation(annotation)
    for target in targets:
        flow.give(target, node.value, frame)
        note_value(frame.scope, target, annotation or node.value, value_kind)
        flow.note_constant(walk, target, node.value, frame)
        if makes_logger(node.value):
            walk.loggers.update(name_chain(target)[-1:])
        origin = "" if found else origin_of(node.value, frame.scope)
        if isinstance(target, ast.Name):
            frame.scope.set_type(target.id, found, shape=shape, origin=origin)
            _note_held(walk, node, found, target.id, frame)
            if isinstance(node.value, ast.Dict | ast.List | ast.Tuple):
                frame.scope.set_literal(target.id, node.value)
            frame.scope.set_texts(target.id, texts_of(node.value, frame.scope))
            if frame.scope.is_class:
                return _field(walk, node, target, frame)
        elif isinstance(target, ast.Attribute) and name_chain(target)[:-1] == ("self",):
            frame.scope.set_type_of_self(target.attr, found, origin=origin)
        elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            for name, value in zip(target.elts, node.value.elts, strict=False):
                if isinstance(name, ast.Name):
                    frame.scope.set_type(name.id, type_of(value, frame.scope))
    return children(node, frame)


def _note_held(
    walk: Walk,
    node: ast.Assign | ast.AnnAssign,
    class_: KnownClass | None,
    name: str,
    frame: Frame,
) -> None:
    """Note the class of an attribute that a class annotates, and the aliases of a module."""
    if frame.scope.is_class and isinstance(node, ast.AnnAssign):
        frame.scope.set_type_of_self(name, class_)
        if class_:
            walk.facts.models.append([frame.symbol, class_.name, f":{name}"])
    elif frame.scope.parent is None:
        _note_alias(walk, name, node.value, frame)


def _note_alias(walk: Walk, name: str, value: ast.expr | None, frame: Frame) -> None:
    """Note the classes that `Load = Union[Crate, Box]` or `T = TypeVar("T", bound=Crate)` names.

    A type variable without a class is noted, too: it may stand for any.
    """
    parts: list[ast.expr] = []
    if isinstance(value, ast.Call) and callee_name(value.func) == "TypeVar":
        parts = [*value.args[1:], *(item.value for item in value.keywords if item.arg == "bound")]
        if not parts:
            walk.facts.models.append([frame.symbol, "", f"~{name}"])
    elif isinstance(value, ast.Subscript | ast.BinOp):
        parts = [value]
    for name_ in dict.fromkeys(found for part in parts for found in class_names(part)):
        walk.facts.models.append([frame.symbol, name_, f"~{name}"])


def _field(walk: Walk, node: ast.Assign | ast.AnnAssign, target: ast.Name, frame: Frame) -> Pending:
    """Note a field where its class defines it, and the column that a relation makes of it."""
    note_field(walk, node, target, frame)
    around = walk.facts.symbols[frame.symbol].qualname.rpartition(".")[2]
    owner, model = KnownClass(around), frame.scope.model
    near: Owner = KnownClass(around, model.name) if model else owner
    walk.facts.use(target.id, "attribute", target.lineno, frame.symbol, owner=near)
    for part in split_lookup(target.id) if "__" in target.id[1:-1] else []:
        walk.facts.use(part, "attribute", target.lineno, frame.symbol, owner=near)
        near = attribute(part)
    value = node.value
    if isinstance(value, ast.Call):
        _relation(walk, value, target, frame, owner)
        _managers(walk, value, frame, owner)
    elif is_text(value) and target.id in {"db_table", "__tablename__"}:
        walk.facts.models.append([frame.symbol, (model or owner).name, f"#{value.value!s}"])
    if target.id in LISTS:
        frame = frame._replace(fields=model or owner, is_named=True)
    return children(node, frame)


def _managers(walk: Walk, value: ast.Call, frame: Frame, owner: KnownClass) -> None:
    """Note whose rows a manager or a query set gives: `objects = PatientQuerySet.as_manager()`."""
    for part in ast.walk(value):
        name = part.id if isinstance(part, ast.Name) else getattr(part, "attr", "")
        if isinstance(part, ast.Name | ast.Attribute) and GIVES_ROWS.search(name):
            walk.facts.models.append([frame.symbol, owner.name, name])


def _relation(
    walk: Walk, value: ast.Call, target: ast.Name, frame: Frame, owner: KnownClass
) -> None:
    function = callee_name(value.func)
    if function not in RELATIONS:
        return
    if function in COLUMN_RELATIONS:
        walk.facts.use(f"{target.id}_id", "attribute", target.lineno, frame.symbol, owner=owner)
    other = value.args[0] if value.args else None
    if isinstance(other, ast.Constant) and isinstance(other.value, str):
        name = other.value.rpartition(".")[2]
    else:
        known = type_of(other, frame.scope)
        name = known.name if known else ""
    if name == "self":
        name = owner.name
    walk.facts.models.append([frame.symbol, name, f".{target.id}"])
    for keyword in value.keywords:
        text = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
        if keyword.arg in {"related_name", "related_query_name"} and isinstance(text, str):
            walk.facts.models.append([frame.symbol, owner.name, f".{text}"])


def _attribute(walk: Walk, node: ast.Attribute, frame: Frame) -> Pending:
    line = node.end_lineno or node.lineno
    owner = owner_of(node.value, frame.scope)
    walk.facts.use(node.attr, "attribute", line, frame.symbol, owner=owner)
    if "__" in node.attr[1:-1]:  # a row of `values_list(…, named=True)`
        for part in split_lookup(node.attr):
            walk.facts.use(part, "attribute", line, frame.symbol, owner=owner)
            owner = attribute(part)
    return [(node.value, frame._replace(is_named=False) if frame.is_named else frame)]


def _subscript(walk: Walk, node: ast.Subscript, frame: Frame) -> Pending:
    keys = node.slice.elts if isinstance(node.slice, ast.List | ast.Tuple) else [node.slice]
    value: Pending = [(node.value, frame)]
    if frame.is_named:
        note_texts(walk, texts_of(node, frame.scope), frame)
    rest = note_keys(walk, keys, frame, owner=owner_of(node.value, frame.scope))
    return [*value, *((key, frame) for key in rest)]


def _dict(walk: Walk, node: ast.Dict, frame: Frame) -> Pending:
    written = [key for key in node.keys if key is not None]
    around = frame.fields if frame.is_named and frame.fields else siblings(written)
    rest: Pending = []
    for key, value in zip(node.keys, node.values, strict=True):
        owner = around
        if isinstance(value, ast.Attribute) and isinstance(key, ast.Constant):
            is_copied = value.attr == key.value and not (frame.is_named and frame.fields)
            owner = owner_of(value.value, frame.scope) if is_copied else around
        rest += [
            (item, frame) for item in note_keys(walk, [key] if key else [], frame, owner=owner)
        ]
        is_changed = frame.is_named and isinstance(value, ast.Constant)
        is_name = is_text(key) and key.value in NAMES_FIELD and is_text(value)
        if is_name and note_text(walk, value, frame, ""):
            continue
        rest.append((value, frame._replace(is_named=False) if is_changed else frame))
    return rest


def note_member(walk: Walk, name: ast.expr, items: ast.expr, frame: Frame) -> bool:
    """Note a text that is searched in a row or in a list of names. Return True if it is one."""
    if not is_text(name) or not isinstance(items, ast.Name | ast.Attribute | ast.Subscript):
        return False
    owner = owner_of(items, frame.scope)
    if callee_name(items) in NAME_LISTS:
        return note_text(walk, name, frame, owner)
    note_keys(walk, [name], frame, owner=owner)
    return True


def _list(walk: Walk, node: ast.List | ast.Tuple | ast.Set, frame: Frame) -> Pending:
    """Note names that stand in a list beside each other: what one is, the others are."""
    if frame.is_named:
        return children(node, frame)
    owner = siblings(node.elts)
    rest: Pending = []
    for item in node.elts:
        if not is_text(item) or not owner or not note_text(walk, item, frame, owner):
            rest.append((item, frame))
    return rest


def siblings(items: Iterable[ast.expr]) -> Siblings | str:
    """Return literals beside each other, or nothing if there are none."""
    texts = tuple(
        str(item.value) for item in items if is_text(item) and field_path.is_path(str(item.value))
    )
    return Siblings(texts[:_MAX_SIBLINGS]) if texts else ""


def note_copied(walk: Walk, value: ast.expr, name: str, owner: KnownClass) -> None:
    """Note whose the key is in `Line(price=Decimal(row["price"]))`: the copy's class."""
    for node in islice(ast.walk(value), _MAX_COPIED_NODES):
        key = node.slice if isinstance(node, ast.Subscript) else None
        if isinstance(node, ast.Call) and name_chain(node.func)[-1:] == ("get",) and node.args:
            key = node.args[0]
        if is_text(key) and key.value == name:
            walk.copy_owners[id(key)] = owner


def note_keys(
    walk: Walk, keys: Iterable[ast.expr], frame: Frame, *, owner: Owner = ""
) -> list[ast.expr]:
    """Note the keys that are plain text, and return the others."""
    others: list[ast.expr] = []
    for key in keys:
        if is_text(key) and note_query(walk, key, str(key.value), frame):
            continue
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            near = walk.copy_owners.get(id(key), owner)
            for part in dict.fromkeys([key.value, *field_path.fields_of(key.value)]):
                walk.facts.use(part, "dict_key", key.lineno, frame.symbol, owner=near)
                near = near if part == key.value else attribute(part)
        else:
            others.append(key)
    return others


def _constant(walk: Walk, node: ast.Constant, frame: Frame) -> Pending:
    if isinstance(node.value, str) and not statement.read_literal(walk, node.value, node, frame):
        owner = frame.fields or "" if frame.is_named else LONE_TEXT
        note = partial(note_text, walk, node, frame, owner)
        if frame.is_named or not statement.read_later(walk, node, frame, note):
            note()
        for below, before, name in field_path.filled_in(node.value):
            walk.facts.use(name, "string", _line_of(node, below), frame.symbol, owner=before)
        _note_names_in_text(walk, node, node.value, frame)
    return []


def note_query(walk: Walk, node: ast.expr, text: str, frame: Frame) -> bool:
    """Note the keys of a query string as adjacent fields. Return True if it is one."""
    keys = query_keys(text)
    owner = Siblings(tuple(keys[:_MAX_SIBLINGS]))
    for key in keys:
        for part in field_path.fields_of(key)[:1]:
            walk.facts.use(part, "dict_key", node.lineno, frame.symbol, owner=owner)
    return bool(keys)


def _note_names_in_text(walk: Walk, node: ast.Constant, text: str, frame: Frame) -> None:
    """Note the fields that a longer text names."""
    if note_query(walk, node, text, frame):
        return
    for found in listed_names(text):
        beside = Siblings(tuple(found.names[:_MAX_SIBLINGS]))
        owner = KnownClass(found.model) if found.model else beside
        for name in found.names:
            walk.facts.use(name, "string", _line_of(node, found.below), frame.symbol, owner=owner)
    for name, model in coded_names(text):
        walk.facts.use(name, "string", node.lineno, frame.symbol, owner=KnownClass(model))
    for below, name in input_names(text):
        for part in field_path.fields_of(name)[:1]:
            walk.facts.use(part, "string", _line_of(node, below), frame.symbol)
    for below, name, above in assigned_names(text):
        named = KnownClass(above) if CLASS_NAME.fullmatch(above) else above
        whose = frame.scope.class_of(above) or named
        walk.facts.use(name, "string", _line_of(node, below), frame.symbol, owner=whose)


def _line_of(node: ast.expr, below: int) -> int:
    """Return a line of a text, which may be written with escapes on fewer lines."""
    return min(node.lineno + below, node.end_lineno or node.lineno)


def note_held(walk: Walk, node: ast.Name, frame: Frame) -> None:
    """Note the literals of a variable that is given as a field's name: `order_by(sort)`."""
    note_texts(walk, frame.scope.texts_of(node.id), frame)


def note_texts(walk: Walk, texts: Iterable[ast.Constant], frame: Frame) -> None:
    """Note literals that are given as a field's name."""
    for text in texts:
        note_text(walk, text, frame, frame.fields or "")


def note_text(walk: Walk, node: ast.expr, frame: Frame, owner: Owner) -> bool:
    """Note a literal that is the name of a field, or a path to one. Return True if it is."""
    text = node.value if isinstance(node, ast.Constant) else None
    if not isinstance(text, str):
        return False
    found = field_path.fields_of(text)
    for part in found:
        walk.facts.use(part, "string", node.lineno, frame.symbol, owner=owner)
        made = field_path.made_of(part)
        if made:
            walk.facts.use(made, "string", node.lineno, frame.symbol, owner=owner)
        owner = attribute(part) if frame.is_named else owner
    return bool(found)


def is_text(node: ast.expr | None) -> TypeGuard[ast.Constant]:
    """True if an expression is a literal text."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _f_string(walk: Walk, node: ast.JoinedStr, frame: Frame) -> Pending:
    """Note the keys of a query string with values that are filled in, else SQL."""
    parts = [part.value if isinstance(part, ast.Constant) else "0" for part in node.values]
    if note_query(walk, node, "".join(map(str, parts)), frame):
        return [(part, frame) for part in node.values if isinstance(part, ast.FormattedValue)]
    return statement.read_f_string(walk, node, frame)


HANDLERS: dict[type[ast.AST], Handler] = {
    ast.AnnAssign: _assign,
    ast.Assign: _assign,
    ast.Attribute: _attribute,
    ast.Constant: _constant,
    ast.Dict: _dict,
    ast.List: _list,
    ast.MatchClass: _class_pattern,
    ast.MatchMapping: _mapping_pattern,
    ast.Set: _list,
    ast.Subscript: _subscript,
    ast.Tuple: _list,
    ast.JoinedStr: _f_string,
    **statement.HANDLERS,
}
