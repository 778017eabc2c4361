"""Whose field it is, as far as the text of one module tells.

`=Patient` is said where an annotation, a constructor, a query or `self` tells the class. Otherwise
the name of what stands before the dot is all there is: `patient`, `visit`, `row`. Nothing is run
and nothing is imported, so this stays a reading, and an unknown owner is never left out.
"""

import ast
import re
from collections.abc import Iterable, Iterator

from minerva_insilico.core.parsing.scope import Scope

CLASS_NAME = re.compile(r"[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*")

_MANAGERS = frozenset({"_base_manager", "_default_manager", "objects"})
_OF_THE_SAME = _MANAGERS | {"_meta", "at", "iat", "iloc", "loc"}
OF_THE_MODEL = frozenset(
    "attrs cleaned_data initial initial_data instance model obj object object_list queryset"
    " validated_data".split()
)
"""What a form, serializer, admin or view calls the rows, and the data, of its model."""

_OF_A_FORM = OF_THE_MODEL | {"base_fields", "changed_data", "data", "errors", "fields"}
HOLDS_DATA = re.compile(r"(?:Form|FormSet|Serializer)$")
"""Ends the name of a class whose data are of its own fields."""

REQUEST_USER = "=RequestUser"
"""Whoever is logged in, of a class that only the settings know."""

_MODEL_GETTERS = frozenset(
    {"clean", "filter_queryset", "get_initial", "get_object", "get_queryset"}
)
_FIRST_ARGUMENT = frozenset(
    "DataFrame aget_object_or_404 asdict deepcopy delete dict enumerate filter_queryset"
    " from_records get_list_or_404 get_object_or_404 insert iter list model_to_dict next query"
    " reversed select set sorted tuple type update vars".split()
)
_QUERY_METHODS = frozenset(
    "acreate afirst aget alast alias all annotate as_manager bulk_create copy create defer distinct"
    " earliest exclude exists filter filter_by first get get_or_create iterator join last latest"
    " limit none offset one one_or_none only options order_by prefetch_related raw reverse scalars"
    " select_for_update select_related union update_or_create using values values_list where"
    " with_for_update".split()
)
_FRAME_METHODS = frozenset(
    "assign astype drop_duplicates dropna fillna groupby head merge nlargest nsmallest reset_index"
    " set_index sort_values tail".split()
)
"""What pandas does to a table without making it one of something else."""

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
        return _of_attribute(node, scope)
    return _part(node)


def _of_attribute(node: ast.Attribute, scope: Scope) -> ast.expr | str | None:
    if node.attr in _OF_THE_SAME:
        return node.value
    found = ""
    if _called(node.value) == "request":
        if node.attr == "user":
            return REQUEST_USER
        found = scope.model_around() if node.attr in {"POST", "data"} else ""
    elif node.attr in _OF_A_FORM:
        found = scope.model_around() if _is_self(node.value) else ""
        held = "" if found else type_of(node.value, scope)
        found = held if HOLDS_DATA.search(held) else found
    return found or _as_class(node.attr)


def _part(node: ast.expr) -> ast.expr | None:
    """Return the part of an expression that has its class."""
    if isinstance(node, ast.Subscript | ast.Await | ast.Starred | ast.NamedExpr):
        return node.value
    if isinstance(node, ast.IfExp):
        return node.body
    if isinstance(node, ast.BoolOp):
        return node.values[0]
    if isinstance(node, ast.GeneratorExp | ast.ListComp | ast.SetComp):
        first, made = node.generators[0], node.elt
        is_kept = isinstance(made, ast.Name) and made.id == _called(first.target)
        return first.iter if is_kept else (made if isinstance(made, ast.Call) else None)
    return None


def _of_call(node: ast.Call, scope: Scope) -> ast.expr | str | None:
    function = node.func
    name = _called(function)
    first = node.args[0] if node.args else None
    if CLASS_NAME.fullmatch(name) and name not in _FIRST_ARGUMENT:
        found: ast.expr | str | None = f"={name}"
    elif name == "super":
        found = scope.type_of("self")
    elif name == "get_model":
        text = node.args[-1].value if node.args and isinstance(node.args[-1], ast.Constant) else ""
        found = _as_class(str(text).rpartition(".")[2])
    elif name == "map" and first is not None:
        made = first.value if isinstance(first, ast.Attribute) else first
        found = _as_class(_called(made))
    elif isinstance(function, ast.Attribute):
        found = _of_method(function, first, scope)
    else:
        found = first if name in _FIRST_ARGUMENT else None
    return found


def _of_method(
    function: ast.Attribute, first: ast.expr | None, scope: Scope
) -> ast.expr | str | None:
    name = function.attr
    found: ast.expr | str | None = None
    if name == "json":
        found = function.value
    elif _called(function.value) in _HTTP_CLIENTS:
        found = "=HttpAnswer"  # what another service says is about its own things
    elif name in _QUERY_METHODS or name in _FRAME_METHODS:
        found = function.value
    elif name == "save":
        held = type_of(function.value, scope)
        found = held if HOLDS_DATA.search(held) else None  # a form gives what it saved
    elif name in _MODEL_GETTERS:
        found = scope.model_around() if _is_self(function.value) else first
    elif name in _FIRST_ARGUMENT:
        found = first
    elif _is_query(function.value):
        found = function.value
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
        return "settings" if _called(node.value) == "settings" else node.attr
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


def texts_of(node: ast.expr | None) -> list[ast.Constant]:
    """Return the literals which an expression gives: `a if x else b`, `d.get(k, b)`, `[a, b]`."""
    found: list[ast.Constant] = []
    pending = [node]
    while pending:
        one = pending.pop()
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            found.append(one)
        elif isinstance(one, ast.IfExp):
            pending += [one.body, one.orelse]
        elif isinstance(one, ast.BoolOp):
            pending += one.values
        elif isinstance(one, ast.List | ast.Tuple | ast.Set):
            pending += one.elts
        elif isinstance(one, ast.Call) and _called(one.func) in {"get", "getattr", "pop"}:
            pending += one.args[1:] if isinstance(one.func, ast.Attribute) else one.args[2:]
    return found


def sender_of(decorators: Iterable[ast.expr], scope: Scope) -> str:
    """Return `=Patient` for a function under `@receiver(post_save, sender=Patient)`."""
    senders = {
        type_of(keyword.value, scope)
        for item in decorators
        if isinstance(item, ast.Call) and _called(item.func) == "receiver"
        for keyword in item.keywords
        if keyword.arg == "sender"
    }
    return senders.pop() if len(senders) == 1 else ""


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
