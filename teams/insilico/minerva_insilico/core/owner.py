"""Whose field it is, as far as the text of one module tells.

`=Patient` is said where an annotation, a constructor, a query or `self` tells the class. Otherwise
the name of what stands before the dot is all there is: `patient`, `visit`, `row`. Nothing is run
and nothing is imported, so this stays a reading, and an unknown owner is never left out.
"""

import ast
import re
from collections.abc import Iterator

from minerva_insilico.core.scope import Scope

CLASS_NAME = re.compile(r"[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*")

_MANAGERS = frozenset({"_base_manager", "_default_manager", "objects"})
OF_THE_MODEL = frozenset(
    "attrs cleaned_data initial initial_data instance model obj object object_list queryset"
    " validated_data".split()
)
"""What a form, serializer, admin or view calls the rows, and the data, of its model."""

_MODEL_GETTERS = frozenset(
    {"clean", "filter_queryset", "get_initial", "get_object", "get_queryset"}
)
_FIRST_ARGUMENT = frozenset(
    "aget_object_or_404 enumerate filter_queryset get_list_or_404 get_object_or_404 iter list next"
    " query reversed select set sorted tuple update delete insert".split()
)
_QUERY_METHODS = frozenset(
    "acreate afirst aget alast alias all annotate as_manager bulk_create copy create defer distinct"
    " earliest exclude exists filter filter_by first get get_or_create iterator join last latest"
    " limit none offset one one_or_none only options order_by prefetch_related raw reverse scalars"
    " select_for_update select_related union update_or_create using values values_list where"
    " with_for_update".split()
)
_HTTP_CLIENTS = frozenset({"aiohttp", "httpx", "requests"})
_CONTAINERS = frozenset(
    "Annotated Any AsyncIterator Awaitable Callable ClassVar Collection Dict Final FrozenSet"
    " Generator Iterable Iterator List Literal Manager Mapped Mapping Optional Page QuerySet"
    " Sequence Set Tuple Type Union".split()
)


def owner_of(node: ast.expr, scope: Scope) -> str:
    """Return `=Class` for what stands before a dot, else its last name, else nothing."""
    return type_of(node, scope) or _hint(node)


def type_of(node: ast.expr | None, scope: Scope) -> str:
    """Return `=Class` of a value, of a query's rows or of a class itself, or nothing."""
    current: ast.expr | str | None = node
    while isinstance(current, ast.expr):
        current = _step(current, scope)
    return current or ""


def _step(node: ast.expr, scope: Scope) -> ast.expr | str | None:
    """Return the class of an expression, or the part of it that has the same class."""
    if isinstance(node, ast.Name):
        return scope.type_of(node.id) or _as_class(node.id)
    if isinstance(node, ast.Call):
        return _of_call(node, scope)
    if isinstance(node, ast.Attribute):
        if node.attr in _MANAGERS:
            return node.value
        is_own = node.attr in OF_THE_MODEL and _is_self(node.value)
        is_sent = node.attr in {"POST", "data"} and _called(node.value) == "request"
        return scope.model_around() if is_own or is_sent else _as_class(node.attr)
    return _part(node)


def _part(node: ast.expr) -> ast.expr | None:
    """Return the part of an expression that has its class."""
    if isinstance(node, ast.Subscript | ast.Await | ast.Starred | ast.NamedExpr):
        return node.value
    if isinstance(node, ast.IfExp):
        return node.body
    return node.values[0] if isinstance(node, ast.BoolOp) else None


def _of_call(node: ast.Call, scope: Scope) -> ast.expr | str | None:
    function = node.func
    name = _called(function)
    first = node.args[0] if node.args else None
    if CLASS_NAME.fullmatch(name):
        found: ast.expr | str | None = f"={name}"
    elif name == "super":
        found = scope.type_of("self")
    elif name == "get_model":
        text = node.args[-1].value if node.args and isinstance(node.args[-1], ast.Constant) else ""
        found = _as_class(str(text).rpartition(".")[2])
    elif isinstance(function, ast.Attribute) and name == "json":
        found = function.value
    elif isinstance(function, ast.Attribute) and _called(function.value) in _HTTP_CLIENTS:
        found = "=HttpAnswer"  # what another service says is about its own things
    elif isinstance(function, ast.Attribute) and name in _QUERY_METHODS:
        found = function.value
    elif isinstance(function, ast.Attribute) and name in _MODEL_GETTERS:
        found = scope.model_around() if _is_self(function.value) else first
    elif name in _FIRST_ARGUMENT:
        found = first
    elif isinstance(function, ast.Attribute):
        found = function.value if _is_query(function.value) else None
    else:
        found = None
    return found


def _is_query(node: ast.expr) -> bool:
    """Tell whether a chain of calls begins at a manager or a model's query set."""
    while isinstance(node, ast.Attribute | ast.Call):
        if isinstance(node, ast.Call):
            node = node.func
        elif node.attr in _MANAGERS or node.attr == "get_queryset":
            return True
        else:
            node = node.value
    return False


def _called(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _as_class(name: str) -> str:
    return f"={name}" if CLASS_NAME.fullmatch(name) else ""


def _is_self(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        node = node.func
    return isinstance(node, ast.Name) and node.id in {"self", "super", "form"}


def _hint(node: ast.expr) -> str:
    while isinstance(node, ast.Subscript | ast.Await | ast.Call):
        if isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Attribute):
                return node.func.id if isinstance(node.func, ast.Name) else ""
            is_kept = node.func.attr in _QUERY_METHODS
            node = node.func.value if is_kept else node.func
        else:
            node = node.value
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def set_loop_type(target: ast.expr, values: ast.expr, scope: Scope) -> None:
    """Note the class of a loop's variable: a query's rows are of its model."""
    if isinstance(target, ast.Tuple) and isinstance(values, ast.Call) and target.elts:
        is_counted = isinstance(values.func, ast.Name) and values.func.id == "enumerate"
        target = target.elts[-1] if is_counted else target
    if isinstance(target, ast.Name):
        scope.set_type(target.id, type_of(values, scope))


def type_of_annotation(node: ast.expr | None) -> str:
    """Return `=Patient` for `Patient`, `"Patient"`, `Patient | None` and `list[Patient]`."""
    names = dict.fromkeys(_annotated(node)) if node is not None else {}
    return f"={next(iter(names))}" if len(names) == 1 else ""


def _annotated(node: ast.expr) -> Iterator[str]:
    for current in ast.walk(node):
        if isinstance(current, ast.Name):
            name = current.id
        elif isinstance(current, ast.Attribute):
            name = current.attr
        elif isinstance(current, ast.Constant) and isinstance(current.value, str):
            name = current.value.rpartition(".")[2]
        else:
            continue
        if name not in _CONTAINERS and CLASS_NAME.fullmatch(name):
            yield name


def model_of_class(node: ast.ClassDef, scope: Scope) -> str:
    """Return `=Patient` for a form, serializer, admin or view that stands for a model."""
    for decorator in node.decorator_list:
        if not isinstance(decorator, ast.Call) or not decorator.args:
            continue
        if _called(decorator.func) == "register":
            return type_of(decorator.args[0], scope)
    for statement in node.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            if statement.targets[0].id in {"model", "queryset"}:
                return type_of(statement.value, scope)
        elif isinstance(statement, ast.ClassDef) and statement.name == "Meta":
            found = model_of_class(statement, scope)
            if found:
                return found
    return ""
