"""Visit what mentions fields: attributes, keys, keywords, literals that name one."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeGuard

from minerva_insilico.core import statement
from minerva_insilico.core.facts import Call
from minerva_insilico.core.field_context import (
    ADDRESSES,
    AROUND_EXPRESSIONS,
    COLUMN_RELATIONS,
    KEYWORDS,
    LISTS,
    NAMED_BY_CALL,
    NAMES_RESULT,
    RELATIONS,
    model_of_migration,
    split_lookup,
)
from minerva_insilico.core.owner import CLASS_NAME, owner_of, type_of, type_of_annotation
from minerva_insilico.core.scope import SUPER
from minerva_insilico.core.sink import flowing_parts, makes_logger, name_chain, sink_of
from minerva_insilico.core.walk import Frame, Handler, Pending, Walk, children, quiet

_KEY_METHODS = frozenset({"get", "pop", "setdefault"})
_ATTRIBUTE_FUNCTIONS = frozenset({"delattr", "getattr", "hasattr", "setattr"})
_LOOKUP = re.compile(r"[-+]?([^\W\d]\w*(?:\.[^\W\d]\w*)*)")
_LONGEST_LOOKUP = 80
_SIBLINGS = 30


def _class_pattern(walk: Walk, node: ast.MatchClass, frame: Frame) -> Pending:
    owner = owner_of(node.cls, frame.scope)
    for name in node.kwd_attrs:
        walk.facts.use(name, "attribute", node.lineno, frame.symbol, owner=owner)
    return children(node, frame)


def _mapping_pattern(walk: Walk, node: ast.MatchMapping, frame: Frame) -> Pending:
    if node.rest:
        frame.scope.bind(node.rest)
    rest = [(item, frame) for item in node.patterns]
    keys = _keys(walk, node.keys, frame, owner=siblings(node.keys))
    return [*((key, frame) for key in keys), *rest]


def _assign(walk: Walk, node: ast.Assign | ast.AnnAssign, frame: Frame) -> Pending:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    found = (
        type_of(node.value, frame.scope)
        if isinstance(node, ast.Assign)
        else (type_of_annotation(node.annotation) or type_of(node.value, frame.scope))
    )
    for target in targets:
        if makes_logger(node.value):
            walk.loggers.update(name_chain(target)[-1:])
        if isinstance(target, ast.Name):
            frame.scope.set_type(target.id, found)
            if frame.scope.is_class:
                return _field(walk, node, target, frame)
    return children(node, frame)


def _field(walk: Walk, node: ast.Assign | ast.AnnAssign, target: ast.Name, frame: Frame) -> Pending:
    """Note a field where its class defines it, and the column that a relation makes of it."""
    around = walk.facts.symbols[frame.symbol].qualname.rpartition(".")[2]
    owner = f"={around}"
    walk.facts.use(target.id, "attribute", target.lineno, frame.symbol, owner=owner)
    value = node.value
    if isinstance(value, ast.Call):
        _relation(walk, value, target, frame, owner)
    elif _is_text(value) and target.id in {"db_table", "__tablename__"}:
        model = frame.scope.model or owner
        walk.facts.models.append([frame.symbol, model[1:], f"#{value.value!s}"])
    if target.id in LISTS:
        frame = frame._replace(fields=frame.scope.model or owner, is_named=True)
    return children(node, frame)


def _relation(walk: Walk, value: ast.Call, target: ast.Name, frame: Frame, owner: str) -> None:
    function = value.func.attr if isinstance(value.func, ast.Attribute) else ""
    if isinstance(value.func, ast.Name):
        function = value.func.id
    if function not in RELATIONS:
        return
    if function in COLUMN_RELATIONS:
        walk.facts.use(f"{target.id}_id", "attribute", target.lineno, frame.symbol, owner=owner)
    other = value.args[0] if value.args else None
    if isinstance(other, ast.Constant) and isinstance(other.value, str):
        name = other.value.rpartition(".")[2]
    else:
        name = type_of(other, frame.scope)[1:]
    if name == "self":
        name = owner[1:]
    walk.facts.models.append([frame.symbol, name, f".{target.id}"])
    for keyword in value.keywords:
        text = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
        if keyword.arg in {"related_name", "related_query_name"} and isinstance(text, str):
            walk.facts.models.append([frame.symbol, owner[1:], f".{text}"])


def _attribute(walk: Walk, node: ast.Attribute, frame: Frame) -> Pending:
    line = node.end_lineno or node.lineno
    owner = owner_of(node.value, frame.scope)
    walk.facts.use(node.attr, "attribute", line, frame.symbol, sink=frame.sink, owner=owner)
    if frame.sink is None and not frame.is_named:
        return [(node.value, frame)]
    return [(node.value, frame._replace(sink=None, is_named=False))]


def _subscript(walk: Walk, node: ast.Subscript, frame: Frame) -> Pending:
    keys = node.slice.elts if isinstance(node.slice, ast.List | ast.Tuple) else [node.slice]
    value: Pending = [(node.value, quiet(frame))]
    rest = _keys(walk, keys, frame, owner=owner_of(node.value, frame.scope))
    return [*value, *((key, frame) for key in rest)]


def _dict(walk: Walk, node: ast.Dict, frame: Frame) -> Pending:
    written = [key for key in node.keys if key is not None]
    around = frame.fields if frame.is_named and frame.fields else siblings(written)
    rest: Pending = []
    for key, value in zip(node.keys, node.values, strict=True):
        owner = around
        if isinstance(value, ast.Attribute) and isinstance(key, ast.Constant):
            owner = owner_of(value.value, frame.scope) if value.attr == key.value else around
        rest += [(item, frame) for item in _keys(walk, [key] if key else [], frame, owner=owner)]
        is_changed = frame.is_named and isinstance(value, ast.Constant)
        rest.append((value, frame._replace(is_named=False) if is_changed else frame))
    return rest


def _compare(walk: Walk, node: ast.Compare, frame: Frame) -> Pending:
    """Note the key in `"x" in row`."""
    silent = quiet(frame)
    if isinstance(node.ops[0], ast.In | ast.NotIn) and _is_text(node.left):
        held = node.comparators[0]
        if isinstance(held, ast.Name | ast.Attribute | ast.Subscript):
            _keys(walk, [node.left], silent, owner=owner_of(held, frame.scope))
            return [(item, silent) for item in node.comparators]
    return children(node, silent)


def _list(walk: Walk, node: ast.List | ast.Tuple | ast.Set, frame: Frame) -> Pending:
    """Note names that stand in a list beside each other: what one is, the others are."""
    if frame.is_named:
        return children(node, frame)
    owner = siblings(node.elts)
    rest: Pending = []
    for item in node.elts:
        if not _is_text(item) or not owner or not _strings(walk, item, frame, owner):
            rest.append((item, frame))
    return rest


def siblings(items: Iterable[ast.expr]) -> str:
    """Return `{a,b}` for literals beside each other."""
    texts = [
        item.value
        for item in items
        if isinstance(item, ast.Constant)
        and isinstance(item.value, str)
        and _LOOKUP.fullmatch(item.value[:_LONGEST_LOOKUP])
    ]
    return f"{{{','.join(texts[:_SIBLINGS])}}}" if texts else ""


def _keys(walk: Walk, keys: Iterable[ast.expr], frame: Frame, *, owner: str = "") -> list[ast.expr]:
    """Note the keys that are plain text; return the others."""
    others: list[ast.expr] = []
    for key in keys:
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            walk.facts.use(
                key.value, "dict_key", key.lineno, frame.symbol, sink=frame.sink, owner=owner
            )
        else:
            others.append(key)
    return others


def _call(walk: Walk, node: ast.Call, frame: Frame) -> Pending:
    function = node.func
    chain = name_chain(function)
    name = function.attr if isinstance(function, ast.Attribute) else "".join(chain[-1:])
    if name:
        line = function.end_lineno or node.lineno
        chain = chain or _super_chain(function)
        walk.facts.calls.append(Call(line, frame.symbol, name, chain, frame.scope))
        if name == "register":
            _registration(walk, node, frame)
    sink = sink_of(node, walk.loggers, walk.imported)
    flowing = {id(part) for part in flowing_parts(node)} if frame.sink else set[int]()
    inner = _inner(node, name, frame)
    silent = inner if inner.sink == sink else inner._replace(sink=sink)

    def framed(part: ast.expr) -> tuple[ast.AST, Frame]:
        return part, (inner if id(part) in flowing and not sink else silent)

    owner: Pending = []
    if not isinstance(function, ast.Name):
        callee = function.value if isinstance(function, ast.Attribute) else function
        flows = id(callee) in flowing
        owner = [(callee, frame if flows else quiet(frame))]
    arguments = _literal_names(walk, name, node, frame)
    if name in ADDRESSES or sink == "logging":
        arguments = [item for item in arguments if not _is_text(item)]
    if name in statement.TAKES_SQL:
        arguments = statement.read_arguments(walk, node, arguments, frame)
    found: Pending = [*owner, *map(framed, arguments)]
    for value, one in _keywords(walk, node, name, silent):
        flows = id(value) in flowing and not sink
        found.append((value, one._replace(sink=frame.sink) if flows else one))
    return found


def _super_chain(function: ast.expr) -> tuple[str, ...]:
    """Return `("super()", "save")` for `super().save`."""
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Call):
        called = function.value.func
        if isinstance(called, ast.Name) and called.id == "super":
            return SUPER, function.attr
    return ()


def _registration(walk: Walk, node: ast.Call, frame: Frame) -> None:
    """Note the model that `admin.site.register(Patient, PatientAdmin)` gives to a class."""
    names = [type_of(item, frame.scope)[1:] for item in node.args[:2]]
    if len(names) > 1 and all(names):
        walk.facts.models.append([frame.symbol, names[0], names[1]])


def _inner(node: ast.Call, name: str, frame: Frame) -> Frame:
    """Return the frame of a call's arguments: whose fields they name, and whether as text."""
    model = model_of_migration(node)
    if model is not None:
        return frame._replace(fields=model, is_named=True)
    is_named = name in NAMED_BY_CALL
    if not is_named and name not in AROUND_EXPRESSIONS:
        if frame.fields is None or CLASS_NAME.fullmatch(name):
            return frame._replace(is_named=False) if frame.is_named else frame
        return frame._replace(fields=None, is_named=False)
    fields = frame.fields
    if isinstance(node.func, ast.Attribute) and not CLASS_NAME.fullmatch(name):
        fields = owner_of(node.func.value, frame.scope)
    return frame._replace(fields=fields or "", is_named=is_named)


def _keywords(
    walk: Walk, node: ast.Call, name: str, frame: Frame
) -> Iterator[tuple[ast.expr, Frame]]:
    """Note keyword arguments that are named as fields; yield their values to visit."""
    is_query = name in AROUND_EXPRESSIONS
    for keyword in node.keywords:
        value = keyword.value
        if keyword.arg and name not in NAMES_RESULT:
            owner = frame.fields or "" if is_query else _callee(name)
            for part in split_lookup(keyword.arg):
                walk.facts.use(
                    part, "keyword", value.lineno, frame.symbol, sink=frame.sink, owner=owner
                )
                owner = part
        if keyword.arg in KEYWORDS:
            yield value, frame._replace(fields=_fields_of(node, frame), is_named=True)
        elif name not in ADDRESSES or not _is_text(value):
            is_named = frame.is_named and model_of_migration(node) is not None
            yield value, frame if frame.is_named == is_named else frame._replace(is_named=is_named)


def _fields_of(node: ast.Call, frame: Frame) -> str:
    """Return whose fields a keyword such as `update_fields` lists."""
    if frame.fields:
        return frame.fields
    if frame.scope.is_class and isinstance(node.func, ast.Attribute | ast.Name):
        return frame.scope.model
    if isinstance(node.func, ast.Attribute):
        return owner_of(node.func.value, frame.scope)
    return ""


def _callee(name: str) -> str:
    """Return `=Patient` for `Patient(…)`, `(path)` for another function."""
    if CLASS_NAME.fullmatch(name):
        return f"={name}"
    return f"({name})"


def _literal_names(walk: Walk, function: str, node: ast.Call, frame: Frame) -> Sequence[ast.expr]:
    """Note keys and attributes passed as text; return the arguments left."""
    arguments = node.args
    if function in _KEY_METHODS and isinstance(node.func, ast.Attribute):
        owner = owner_of(node.func.value, frame.scope)
        return [*_keys(walk, arguments[:1], frame, owner=owner), *arguments[1:]]
    if function == "itemgetter":
        return _keys(walk, arguments, frame)
    if function in _ATTRIBUTE_FUNCTIONS and len(arguments) > 1:
        key = arguments[1]
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            owner = owner_of(arguments[0], frame.scope)
            walk.facts.use(
                key.value, "attribute", key.lineno, frame.symbol, sink=frame.sink, owner=owner
            )
            return [arguments[0], *arguments[2:]]
    return arguments


def _constant(walk: Walk, node: ast.Constant, frame: Frame) -> Pending:
    if isinstance(node.value, str) and not statement.read(walk, node.value, node, frame):
        _strings(walk, node, frame, frame.fields or "" if frame.is_named else "?")
    return []


def _strings(walk: Walk, node: ast.expr, frame: Frame, owner: str) -> bool:
    """Note a literal that is the name of a field, or a way to one; tell whether it is."""
    text = node.value if isinstance(node, ast.Constant) else None
    if not isinstance(text, str) or len(text) > _LONGEST_LOOKUP:
        return False
    match = _LOOKUP.fullmatch(text)
    for part in split_lookup(match.group(1).replace(".", "__")) if match else ():
        walk.facts.use(part, "string", node.lineno, frame.symbol, owner=owner)
        owner = part if frame.is_named else owner
    return match is not None


def _is_text(node: ast.expr | None) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


HANDLERS: dict[type[ast.AST], Handler] = {
    ast.AnnAssign: _assign,
    ast.Assign: _assign,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Compare: _compare,
    ast.Constant: _constant,
    ast.Dict: _dict,
    ast.List: _list,
    ast.MatchClass: _class_pattern,
    ast.MatchMapping: _mapping_pattern,
    ast.Set: _list,
    ast.Subscript: _subscript,
    ast.Tuple: _list,
    **statement.HANDLERS,
}
