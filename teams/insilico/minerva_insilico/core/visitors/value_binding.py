"""What a value is bound to, as far as the text of one module shows it.

A binding is a dotted name with marks behind it: `()` is what a call gives, of a class its object;
`@` holds several of what stands before it; `[]` is an item. `.shop.Shelf()` is an object of
`Shelf`, `.shop.Shelf.books[]` an item of its attribute. The names of other modules are followed
when the whole tree is bindings: `core.queries.binding` does so.
"""

import ast
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final

from minerva_insilico.core.facts.log_calls import callee_name, name_chain
from minerva_insilico.core.facts.vocabulary import words
from minerva_insilico.core.visitors.scope import SUPER, UNPROVEN, Scope, ValueKind, join

CALL: Final = "()"
ITEM: Final = "[]"
SEVERAL: Final = "@"

_ITSELF: Final = "…"
"""A name whose value is being read: `box = box or Box()`."""
_MAX_DEPTH: Final = 25
"""Of an expression: what is nested deeper proves nothing."""
_MAX_ANNOTATION: Final = 200
"""Characters of an annotation that is written as a text."""

_ALTERNATIVES: Final = frozenset({"Optional", "Union"})
_WRAPPERS: Final = frozenset(
    {"Annotated", "ClassVar", "Final", "Mapped", "NotRequired", "ReadOnly", "Required"}
)
_CLASSES: Final = frozenset({"Type", "type"})
_CONTAINERS: Final = (
    words("frameworks", "types", "containers") | words("frameworks", "types", "mappings")
    | {"deque", "frozenset", "list", "set", "tuple"}
)  # fmt: skip
_ORDINARY: Final = frozenset(
    {"abstractmethod", "cache", "classmethod", "lru_cache", "overload", "override", "staticmethod"}
)
"""Decorators of the standard library that leave alone what a function returns."""
_ATTRIBUTES: Final = frozenset({"cached_property", "property"})
"""Decorators of the standard library that make an attribute of a method."""


def note_value(
    scope: Scope, target: ast.expr, value: ast.expr | None, kind: ValueKind = "value"
) -> None:
    """Note what a name, or an attribute of `self`, is given."""
    if isinstance(target, ast.Name):
        scope.give_value(target.id, value, kind)
    elif isinstance(target, ast.Attribute) and name_chain(target)[:-1] == ("self",):
        scope.give_value(f"self.{target.attr}", value, kind)
    elif isinstance(target, ast.Tuple):
        parts: Sequence[ast.expr | None] = [None] * len(target.elts)
        if isinstance(value, ast.Tuple) and kind == "value":
            parts = value.elts
        for one, part in zip(target.elts, parts, strict=False):
            note_value(scope, one, part)


def returned_name(node: ast.FunctionDef | ast.AsyncFunctionDef, qualname: str) -> str:
    """Return the name under which the annotation of a function's value is kept, or nothing."""
    names = {
        callee_name(one.func if isinstance(one, ast.Call) else one) for one in node.decorator_list
    }
    if node.returns is None or not names <= _ORDINARY | _ATTRIBUTES:
        return ""
    return qualname if names & _ATTRIBUTES else f"{qualname}{CALL}"


def binding_of(node: ast.expr, scope: Scope, depth: int = _MAX_DEPTH) -> str:
    """Return what an expression is bound to, or `UNPROVEN`."""
    if not depth:
        return UNPROVEN
    depth -= 1
    match node:
        case ast.Name(name):
            found = scope.resolve((name,)) or _held(name, scope, depth)
        case ast.Attribute(ast.Call(ast.Name("super")), name):
            own = scope.resolve(("self",)) or scope.resolve(("cls",))
            found = join(own, SUPER, name) if own.startswith(".") else UNPROVEN
        case ast.Attribute(value, name):
            found = _behind(binding_of(value, scope, depth), f".{name}")
        case ast.Call(function):
            found = _behind(binding_of(function, scope, depth), CALL)
        case ast.Subscript(value):
            found = _behind(binding_of(value, scope, depth), ITEM)
        case ast.Await(value) | ast.NamedExpr(value=value):
            found = binding_of(value, scope, depth)
        case ast.IfExp(_, body, orelse):
            found = _common([body, orelse], scope, depth)
        case ast.BoolOp(values=values):
            found = _common(values, scope, depth)
        case _:
            found = _of_literal(node, scope, depth)
    return found


def _of_literal(node: ast.expr, scope: Scope, depth: int) -> str:
    match node:
        case ast.List(elts) | ast.Tuple(elts) | ast.Set(elts):
            found = _behind(_common(elts, scope, depth), SEVERAL) or "builtins.list()"
        case ast.Dict(values=values):
            found = _behind(_common(values, scope, depth), SEVERAL) or "builtins.dict()"
        case ast.ListComp() | ast.SetComp() | ast.DictComp():
            found = "builtins.list()"
        case ast.JoinedStr():
            found = "builtins.str()"
        case ast.Constant(value) if value is not None and value is not ...:
            found = f"builtins.{type(value).__name__}()"
        case _:
            found = UNPROVEN
    return found


def binding_of_annotation(node: ast.expr, scope: Scope, depth: int = _MAX_DEPTH) -> str:
    """Return the binding of what an annotation describes: `.m.Box()` of `Box | None`."""
    if not depth:
        return UNPROVEN
    depth -= 1
    found = UNPROVEN
    match node:
        case ast.Constant(str(text)) if len(text) <= _MAX_ANNOTATION:
            with suppress(MemoryError, RecursionError, SyntaxError, ValueError):
                found = binding_of_annotation(ast.parse(text, mode="eval").body, scope, depth)
        case ast.Name() | ast.Attribute():
            found = _behind(binding_of(node, scope, depth), CALL)
        case ast.BinOp(left, ast.BitOr(), right):
            found = _common([left, right], scope, depth, is_annotation=True)
        case ast.Subscript(head, inner):
            found = _of_generic(head, inner, scope, depth)
        case _:
            pass
    return found


def _of_generic(head: ast.expr, inner: ast.expr, scope: Scope, depth: int) -> str:
    name = callee_name(head)
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if name in _ALTERNATIVES or not parts:
        return _common(parts, scope, depth, is_annotation=True)
    if name in _WRAPPERS:
        return binding_of_annotation(parts[0], scope, depth)
    if name in _CLASSES:
        return binding_of(parts[0], scope, depth)
    if name not in _CONTAINERS:
        return binding_of_annotation(head, scope, depth)
    item = parts[-1] if name in words("frameworks", "types", "mappings") else parts[0]
    return _behind(binding_of_annotation(item, scope, depth), SEVERAL) or "builtins.list()"


def _held(name: str, scope: Scope, depth: int) -> str:
    """Return the binding of all values that a variable is given, if they have one."""
    found = scope.values_of(name)
    if found is None:
        return UNPROVEN
    bindings = found.owner.value_bindings
    if name not in bindings:
        bindings[name] = _ITSELF
        bindings[name] = all_bound(found.values, depth)
    return bindings[name]


def all_bound(
    values: Iterable[tuple[ast.expr | None, ValueKind, Scope]], depth: int = _MAX_DEPTH
) -> str:
    """Return the one binding of several values; `None` and the name itself count for nothing."""
    found: set[str] = set()
    for node, kind, scope in values:
        if node is None:
            return UNPROVEN
        if kind == "annotation":
            found.add(binding_of_annotation(node, scope, depth))
        elif not is_none(node):
            one = binding_of(node, scope, depth)
            found.add(_behind(one, ITEM) if kind == "item" else one)
    found -= {_ITSELF}
    return found.pop() if len(found) == 1 else UNPROVEN


def _common(
    nodes: Iterable[ast.expr], scope: Scope, depth: int, *, is_annotation: bool = False
) -> str:
    kind: ValueKind = "annotation" if is_annotation else "value"
    return all_bound([(one, kind, scope) for one in nodes if not is_none(one)], depth)


def _behind(binding: str, mark: str) -> str:
    return f"{binding}{mark}" if binding not in {UNPROVEN, _ITSELF} else UNPROVEN


def is_none(node: ast.expr | None) -> bool:
    """True for the literal `None`."""
    return isinstance(node, ast.Constant) and node.value is None
