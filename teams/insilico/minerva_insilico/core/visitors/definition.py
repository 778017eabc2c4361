"""Visit what binds names: definitions, imports, assignments."""

import ast
import re
from collections.abc import Iterable

from minerva_insilico.core.facts.annotation import (
    class_names,
    shape_of_annotation,
    type_of_annotation,
)
from minerva_insilico.core.facts.field_owner import KnownClass
from minerva_insilico.core.facts.log_calls import callee_name, name_chain
from minerva_insilico.core.facts.receiver_types import (
    CLASS_NAME,
    OF_THE_MODEL,
    class_in_sight,
    texts_of,
    type_of,
)
from minerva_insilico.core.facts.signature import FunctionNode, parameters_of
from minerva_insilico.core.visitors import flow
from minerva_insilico.core.visitors.declared import note_class
from minerva_insilico.core.visitors.field_mentions import note_held
from minerva_insilico.core.visitors.scope import UNPROVEN, Scope, inside, join, relative_target
from minerva_insilico.core.visitors.value_binding import returned_name
from minerva_insilico.core.visitors.visit_state import (
    Frame,
    Handler,
    Pending,
    Walk,
    body_of,
    children,
    note_call,
)

_HOOK = re.compile(r"(?:clean|validate|filter|prepare|resolve)_(\w+)")

_SENT = frozenset({"instance", "sender", "update_fields"})
"""Arguments of a signal that concern the sending model."""


def _define(walk: Walk, node: ast.ClassDef | FunctionNode, frame: Frame, kind: str) -> Frame:
    above = walk.facts.symbols[frame.symbol].qualname
    qualname = f"{above}.{node.name}" if above else node.name
    number = walk.facts.define(node, qualname=qualname, kind=kind, owner=frame.symbol)
    frame.scope.bind(node.name, inside(*walk.module, qualname))
    guard = frame.guard or ("" if kind == "class" else "lazy")
    for decorator in node.decorator_list:
        note_call(walk, decorator, frame)
    scope = Scope(frame.scope, is_class=kind == "class")
    if kind == "class":
        walk.facts.scopes.append((qualname, scope))
    return Frame(number, scope, number, guard=guard)


def _function(walk: Walk, node: FunctionNode, frame: Frame) -> Pending:
    inner = _define(walk, node, frame, "method" if frame.scope.is_class else "function")
    _note_returned(node, frame.scope)
    kept_as = returned_name(node, walk.facts.symbols[inner.symbol].qualname)
    if kept_as and node.returns:
        walk.facts.return_annotations.append((kept_as, node.returns, frame.scope))
    outside = frame._replace(complexity_symbol=None)
    own = _own_name(node, frame)
    decorators = walk.facts.symbols[inner.symbol].decorators
    is_tested = node.name.startswith("test") or any("fixture" in one for one in decorators)
    sender = sender_of(node.decorator_list, frame.scope)
    parameters = list(parameters_of(node))
    qualname = walk.facts.symbols[inner.symbol].qualname
    flow.define(walk, node, inner.scope, qualname, parameters[own is not None :])
    for prefix, parameter, default in parameters:
        inner.scope.set_texts(parameter.arg, texts_of(default, inner.scope))
        if parameter.arg == own:
            _bind_own(walk, parameter.arg, inner.scope, frame)
        else:
            inner.scope.bind(parameter.arg)
            if parameter.annotation and not prefix:
                inner.scope.give_value(
                    parameter.arg, parameter.annotation, "annotation", around=frame.scope
                )
            found = type_of_annotation(parameter.annotation)
            if not found and parameter.arg in OF_THE_MODEL:
                found = frame.scope.model  # what a framework hands to its hooks
            if parameter.arg in _SENT:
                found = found or sender
            shape = shape_of_annotation(parameter.annotation)
            is_given = is_tested and parameter.annotation is None
            origin = f"{parameter.arg}()" if is_given else ""  # of a fixture of pytest
            inner.scope.set_type(parameter.arg, found, shape=shape, origin=origin)
    if frame.scope.model and frame.scope.is_class:
        _hook(walk, node, frame)
    return [
        *((item, outside) for item in node.decorator_list),
        (node.args, outside),
        *([(node.returns, outside)] if node.returns else []),
        *body_of(node, inner),
    ]


def _note_returned(node: FunctionNode, scope: Scope) -> None:
    """Note the class that a function says it returns.

    A decorator may change what is returned, and a name that is no class of the text (a type
    variable) may stand for any.
    """
    found = type_of_annotation(node.returns)
    is_class = found is not None and scope.resolve([found.name]) != UNPROVEN
    is_plain = not node.decorator_list and shape_of_annotation(node.returns) != "mapping"
    scope.set_returned(node.name, found if is_class and is_plain else None)


def _hook(walk: Walk, node: FunctionNode, frame: Frame) -> None:
    """Note the field by whose name a framework finds a method."""
    match = _HOOK.fullmatch(node.name)
    if match:
        owner = frame.scope.model or ""
        walk.facts.use(match.group(1), "attribute", node.lineno, frame.symbol, owner=owner)


def _own_name(node: FunctionNode, frame: Frame) -> str | None:
    """Return the name by which a method knows its object or its class."""
    named = [*node.args.posonlyargs, *node.args.args]
    is_static = any(
        isinstance(item, ast.Name) and item.id == "staticmethod" for item in node.decorator_list
    )
    return named[0].arg if frame.scope.is_class and named and not is_static else None


def _bind_own(walk: Walk, name: str, scope: Scope, frame: Frame) -> None:
    owner = walk.facts.symbols[frame.symbol].qualname
    scope.bind(name, inside(*walk.module, owner))
    scope.set_type(name, KnownClass(owner.rpartition(".")[2]), shape="one")


def _class(walk: Walk, node: ast.ClassDef, frame: Frame) -> Pending:
    inner = _define(walk, node, frame, "class")
    above = walk.facts.symbols[frame.symbol]
    note_class(walk, node, inner.symbol)
    inner.scope.model = model_of_class(node, frame.scope)
    if not inner.scope.model and node.name == "Meta" and above.kind == "class":
        inner.scope.model = KnownClass(above.qualname.rpartition(".")[2])
    elif inner.scope.model and node.name != "Meta":
        walk.facts.models.append([inner.symbol, inner.scope.model.name, node.name])
    if node.name != "Meta":
        model = inner.scope.model.name if inner.scope.model else ""
        frame.scope.set_class(node.name, KnownClass(node.name, model))
    for base in node.bases:
        chain = _base_chain(base)
        if chain:
            binding = frame.scope.resolve(chain)
            walk.facts.bases.append([inner.symbol, chain[-1], binding])
        for argument in class_names(base.slice) if isinstance(base, ast.Subscript) else ():
            walk.facts.models.append([inner.symbol, argument, "["])
    outside = frame._replace(complexity_symbol=None)
    around = [*node.decorator_list, *node.bases, *(item.value for item in node.keywords)]
    return [*((item, outside) for item in around), *body_of(node, inner)]


def _base_chain(base: ast.expr) -> tuple[str, ...]:
    """Return the names of a base: `("Rows",)` of `Rows[int]`, `Manager.from_queryset(Rows)`."""
    if isinstance(base, ast.Call) and base.args:
        base = base.args[0] if name_chain(base.func)[-1:] == ("from_queryset",) else base
    return name_chain(base.value if isinstance(base, ast.Subscript) else base)


def _lambda(_walk: Walk, node: ast.Lambda, frame: Frame) -> Pending:
    scope = Scope(frame.scope)
    named = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    for parameter in (*named, node.args.vararg, node.args.kwarg):
        if parameter:
            scope.bind(parameter.arg)
    return [(node.args, frame), (node.body, frame._replace(scope=scope))]


def _import(walk: Walk, node: ast.Import, frame: Frame) -> Pending:
    for alias in node.names:
        bound = alias.asname or alias.name.partition(".")[0]
        target = alias.name if alias.asname else bound
        _bind_import(walk, frame, bound, target)
        walk.facts.imports.append((node.lineno, alias.name, "", bound, target, frame.guard))
    return []


def _import_from(walk: Walk, node: ast.ImportFrom, frame: Frame) -> Pending:
    base = node.module
    if node.level:
        base = relative_target(walk.package, node.level, node.module)
    for alias in node.names:
        if alias.name == "*":
            frame.scope.module.has_star = True
        bound = alias.asname or alias.name
        target = join(base, alias.name) if base and alias.name != "*" else UNPROVEN
        _bind_import(walk, frame, bound, target)
        written = base or "." * node.level + (node.module or "")
        row = (node.lineno, written, alias.name, bound, target, frame.guard)
        walk.facts.imports.append(row)
    return []


def _bind_import(walk: Walk, frame: Frame, name: str, target: str) -> None:
    frame.scope.bind(name, target)
    walk.import_targets[name] = target


def _name(walk: Walk, node: ast.Name, frame: Frame) -> Pending:
    if not isinstance(node.ctx, ast.Load):
        frame.scope.bind(node.id)
        if frame.scope.is_class or frame.scope.parent is None:
            _outline(walk, node, frame)
    elif frame.is_named:
        note_held(walk, node, frame)
    elif frame.scope.is_class and frame.scope.has(node.id):  # `@status.validator`, `Index(status)`
        around = walk.facts.symbols[frame.symbol].qualname.rpartition(".")[2]
        walk.facts.use(node.id, "attribute", node.lineno, frame.symbol, owner=KnownClass(around))
    return []


def _outline(walk: Walk, node: ast.Name, frame: Frame) -> None:
    """Note an attribute of a class or a constant of a module, once."""
    above = walk.facts.symbols[frame.symbol].qualname
    if (above, node.id) not in walk.outline_names:
        walk.outline_names.add((above, node.id))
        qualname = f"{above}.{node.id}" if above else node.id
        row = [qualname, node.id, "attribute", node.lineno, node.end_lineno or node.lineno, ""]
        walk.facts.outline.append(row)


def _declare(_walk: Walk, node: ast.Global | ast.Nonlocal, frame: Frame) -> Pending:
    frame.scope.declare(node.names)
    return []


def _bind_name(
    _walk: Walk, node: ast.ExceptHandler | ast.MatchAs | ast.MatchStar, frame: Frame
) -> Pending:
    if node.name:
        frame.scope.bind(node.name)
    return children(node, frame)


HANDLERS: dict[type[ast.AST], Handler] = {
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.ExceptHandler: _bind_name,
    ast.FunctionDef: _function,
    ast.Global: _declare,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Lambda: _lambda,
    ast.MatchAs: _bind_name,
    ast.MatchStar: _bind_name,
    ast.Name: _name,
    ast.Nonlocal: _declare,
}


def sender_of(decorators: Iterable[ast.expr], scope: Scope) -> KnownClass | None:
    """Return `Patient` for a function under `@receiver(post_save, sender=Patient)`."""
    senders = {
        type_of(keyword.value, scope)
        for item in decorators
        if isinstance(item, ast.Call) and callee_name(item.func) == "receiver"
        for keyword in item.keywords
        if keyword.arg == "sender"
    }
    return senders.pop() if len(senders) == 1 else None


def model_of_class(node: ast.ClassDef, scope: Scope) -> KnownClass | None:
    """Return `Patient` for a form, serializer, admin or view that stands for a model.

    If the class itself names no model, a visible base class may.
    """
    found = _own_model(node, scope)
    for base in [] if found else node.bases:
        above = class_in_sight(base, scope)
        if above and above.model:
            return KnownClass(above.model)
    return found


def _own_model(node: ast.ClassDef, scope: Scope) -> KnownClass | None:
    for decorator in node.decorator_list:
        named = decorator.args[:1] if isinstance(decorator, ast.Call) else []
        if named and CLASS_NAME.fullmatch(callee_name(named[0])):
            return type_of(
                named[0], scope
            )  # `@admin.register(Patient)`, `@strawberry.type(Patient)`
    for statement in node.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            if statement.targets[0].id in {"model", "queryset"}:
                return type_of(statement.value, scope)
        elif isinstance(statement, ast.ClassDef) and statement.name == "Meta":
            found = _own_model(statement, scope)
            if found:
                return found
    return None
