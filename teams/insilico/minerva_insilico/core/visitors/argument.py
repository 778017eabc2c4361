"""Visit calls: what is called, and the fields that its arguments name."""

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise

from minerva_insilico.core.facts.field_context import (
    ADDRESSES,
    AROUND_EXPRESSIONS,
    GETTERS,
    KEYWORDS,
    LISTED_SECOND,
    LISTS,
    NAMED_BY_CALL,
    NAMES_RESULT,
    model_of_migration,
    split_lookup,
)
from minerva_insilico.core.facts.field_owner import CalledFunction, KnownClass, Owner, attribute
from minerva_insilico.core.facts.log_calls import callee_name, logs, name_chain
from minerva_insilico.core.facts.receiver_types import (
    CLASS_NAME,
    model_of_factory,
    owner_of,
    type_of,
)
from minerva_insilico.core.facts.vocabulary import words
from minerva_insilico.core.visitors import field_path, statement
from minerva_insilico.core.visitors.comparison import equate, own_data, written_out
from minerva_insilico.core.visitors.declared import note_table
from minerva_insilico.core.visitors.field_mentions import (
    is_text,
    note_copied,
    note_keys,
    note_member,
    note_text,
    siblings,
)
from minerva_insilico.core.visitors.flow import execute, grow, may_sink
from minerva_insilico.core.visitors.visit_state import Frame, Handler, Pending, Walk, note_call

_FILLS = {
    **dict.fromkeys(words("sinks", "grows", "methods"), grow),
    **dict.fromkeys(words("sinks", "queries", "statements"), execute),
}
"""Methods that put something into what they are called on."""
_COPIES = frozenset({"_replace", "replace"})
"""Methods of a record that change the fields which they are given by name."""

_KEY_METHODS = frozenset({"get", "pop", "setdefault"})
_ATTRIBUTE_FUNCTIONS = frozenset({"delattr", "getattr", "hasattr", "setattr"})
_IN = frozenset({"assertIn", "assertNotIn"})
_PARTIALS = frozenset({"partial", "partialmethod"})
"""Functions of functools whose result calls their first argument."""
_EQUAL = words("frameworks", "calls", "assert_equal")
"""Assertions of unittest and Django that compare their first two arguments."""


def _call(walk: Walk, node: ast.Call, frame: Frame) -> Pending:
    function = node.func
    name = callee_name(function)
    if name:
        _note_called(walk, node, name, frame)
    if walk.asked and (function.end_lineno or node.lineno) in walk.asked:
        walk.calls.append((node, frame.scope, frame.symbol))
    if may_sink(walk, name):
        walk.outlets.append((node, frame.scope, frame.symbol))
    if name == "dict" and node.keywords and not node.args:
        return [(written_out(node), frame)]
    if name in _FILLS:
        _FILLS[name](node, frame)
    inner = _inner(node, name, frame)
    owner: Pending = []
    if not isinstance(function, ast.Name):
        callee = function.value if isinstance(function, ast.Attribute) else function
        owner = [(callee, frame)]
    own_data(walk, node, frame)
    arguments = _literal_names(walk, name, node, frame)
    if name in ADDRESSES or logs(node, walk.loggers, walk.import_targets):
        arguments = [item for item in arguments if not is_text(item)]
    if name in statement.TAKES_SQL:
        arguments = statement.read_arguments(walk, node, arguments, frame)
    second = node.args[1:2] if name in LISTED_SECOND else []
    placed: Pending = [
        (part, inner._replace(is_named=True) if part in second else inner) for part in arguments
    ]
    if name in {"filter", "map"} and len(node.args) == 2:  # noqa: PLR2004 - and what to go through
        placed[:1] = [(node.args[0], _of_items(node.args[0], node.args[1], inner))]
    return [*owner, *placed, *_keywords(walk, node, name, inner)]


def _note_called(walk: Walk, node: ast.Call, name: str, frame: Frame) -> None:
    """Note the function that is called, and what its name makes of the arguments."""
    note_call(walk, node.func, frame)
    for part in node.args[:1] if name in _PARTIALS else ():
        note_call(walk, part, frame)
    _SPECIAL.get(name, _nothing)(walk, node, frame)
    _made_method(walk, node.func, node.func.end_lineno or node.lineno, frame)


def _made_method(walk: Walk, function: ast.expr, line: int, frame: Frame) -> None:
    """Note `status` where `order.get_status_display()` is called."""
    made = field_path.made_of(function.attr) if isinstance(function, ast.Attribute) else ""
    if made and isinstance(function, ast.Attribute):
        owner = owner_of(function.value, frame.scope)
        walk.facts.use(made, "attribute", line, frame.symbol, owner=owner)


def _registration(walk: Walk, node: ast.Call, frame: Frame) -> None:
    """Note the model that `admin.site.register(Patient, PatientAdmin)` gives to a class."""
    known = [type_of(item, frame.scope) for item in node.args[:2]]
    names = [item.name for item in known if item]
    if len(names) == 2:  # noqa: PLR2004 - a model and what stands for it
        walk.facts.models.append([frame.symbol, *names])


def _inner(node: ast.Call, name: str, frame: Frame) -> Frame:
    """Return the frame of a call's arguments: the owner of their fields, and if they are texts."""
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
    unknown = "attrgetter" if name == "attrgetter" else ""
    return frame._replace(fields=fields or unknown, is_named=is_named)


def _keywords(
    walk: Walk, node: ast.Call, name: str, frame: Frame
) -> Iterator[tuple[ast.expr, Frame]]:
    """Note keyword arguments that are named as fields, and yield their values to visit."""
    is_query = name in AROUND_EXPRESSIONS
    for keyword in node.keywords:
        value = keyword.value
        if keyword.arg and name not in NAMES_RESULT:
            owner: Owner = frame.fields or "" if is_query else _callee(node.func, name, frame)
            if name in GETTERS and node.args:
                owner = owner_of(node.args[0], frame.scope)
            if isinstance(owner, KnownClass):
                note_copied(walk, value, keyword.arg, owner)
            for part in split_lookup(keyword.arg):
                walk.facts.use(part, "keyword", value.lineno, frame.symbol, owner=owner)
                owner = attribute(part)
        if keyword.arg == "key" and node.args:
            inner = frame._replace(fields=owner_of(node.args[0], frame.scope))
            yield value, _of_items(value, node.args[0], inner)
        elif keyword.arg in KEYWORDS or keyword.arg in LISTS:
            of_other = (
                type_of(node.args[0], frame.scope)
                if keyword.arg == "to_field" and node.args
                else None
            )
            owner = of_other or _fields_of(node, frame) or siblings(getattr(value, "elts", ()))
            yield value, frame._replace(fields=owner, is_named=True)
        elif name not in ADDRESSES or not is_text(value):
            is_named = frame.is_named and model_of_migration(node) is not None
            yield value, frame if frame.is_named == is_named else frame._replace(is_named=is_named)


def _of_items(function: ast.AST, items: ast.expr, frame: Frame) -> Frame:
    """Return the frame of a lambda that is given each item: `key=lambda one: one.status`."""
    class_ = type_of(items, frame.scope)
    if class_ and isinstance(function, ast.Lambda) and len(function.args.args) == 1:
        name = function.args.args[0].arg
        return frame._replace(scope=frame.scope.narrow(name, class_))
    return frame


def _fields_of(node: ast.Call, frame: Frame) -> Owner | None:
    """Return whose fields a keyword such as `update_fields` lists."""
    if frame.fields:
        return frame.fields
    if frame.scope.is_class and isinstance(node.func, ast.Attribute | ast.Name):
        return frame.scope.model
    name = "".join(name_chain(node.func)[-1:])
    if node.args and (name == "model_to_dict" or name.endswith("_factory")):
        is_factory = name != "model_to_dict"
        return (
            model_of_factory(node, frame.scope)
            if is_factory
            else owner_of(node.args[0], frame.scope)
        )
    stated = [item.value for item in node.keywords if item.arg in {"model", "queryset"}]
    if stated:
        return type_of(stated[0], frame.scope)
    if isinstance(node.func, ast.Attribute):
        return owner_of(node.func.value, frame.scope)
    return None


def _callee(function: ast.expr, name: str, frame: Frame) -> Owner:
    """Return the class that `Patient(…)` or `cls(…)` makes, else the function that is called."""
    if CLASS_NAME.fullmatch(name):
        return KnownClass(name)
    is_made = name == "cls" or (
        isinstance(function, ast.Call) and callee_name(function.func) == "type"
    )
    class_ = type_of(function, frame.scope) if is_made else None
    if name in _COPIES and isinstance(function, ast.Attribute):
        class_ = type_of(function.value, frame.scope)
    return class_ or CalledFunction(name)


def _literal_names(walk: Walk, function: str, node: ast.Call, frame: Frame) -> Sequence[ast.expr]:
    """Note keys and attributes passed as text, and return the other arguments."""
    arguments = node.args
    if function in _KEY_METHODS and isinstance(node.func, ast.Attribute):
        owner = owner_of(node.func.value, frame.scope)
        return [*note_keys(walk, arguments[:1], frame, owner=owner), *arguments[1:]]
    if function == "itemgetter":
        return note_keys(walk, arguments, frame, owner=frame.fields or "")
    if (
        function in _IN
        and len(arguments) > 1
        and note_member(walk, arguments[0], arguments[1], frame)
    ):
        return arguments[1:]
    if function in _EQUAL and len(arguments) > 1:
        equate(walk, arguments[0], arguments[1], frame)
    is_patched = function == "object" and name_chain(node.func)[-2:] == ("patch", "object")
    if (function in _ATTRIBUTE_FUNCTIONS or is_patched) and len(arguments) > 1:
        key = arguments[1]
        if is_text(key):
            owner = owner_of(arguments[0], frame.scope)
            walk.facts.use(str(key.value), "attribute", key.lineno, frame.symbol, owner=owner)
            return [arguments[0], *arguments[2:]]
    _named_beside_class(walk, arguments, frame)
    return arguments


def _named_beside_class(walk: Walk, arguments: Sequence[ast.expr], frame: Frame) -> None:
    """Note `"status"` in `label_of(Patient, "status")`: a text behind a class names its field."""
    for one, text in pairwise(arguments):
        if isinstance(one, ast.Name | ast.Attribute) and is_text(text):
            name = callee_name(one)
            if CLASS_NAME.fullmatch(name) and type_of(one, frame.scope) == KnownClass(name):
                inner = frame._replace(is_named=True)
                note_text(walk, text, inner, KnownClass(name))


def _nothing(_walk: Walk, _node: ast.Call, _frame: Frame) -> None:
    """Note nothing of a call."""


_SPECIAL = {"Table": note_table, "register": _registration}
HANDLERS: dict[type[ast.AST], Handler] = {ast.Call: _call}
