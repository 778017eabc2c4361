"""The owner of a field, as far as the text of one module shows it.

A class is known if an annotation, a constructor, a query or `self` shows it. Otherwise only the
name before the dot is known: `patient`, `visit`, `row`. No code is run or imported, so the result
is a reading of the text, and an unknown owner is never left out.
"""

import ast
import re

from minerva_insilico.core.facts.field_owner import KnownClass, Origin, attribute
from minerva_insilico.core.facts.log_calls import callee_name, name_chain
from minerva_insilico.core.facts.vocabulary import words
from minerva_insilico.core.visitors.scope import Scope

CLASS_NAME = re.compile(r"[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*")

_MANAGERS = frozenset({"_base_manager", "_default_manager", "objects"})
_OF_THE_SAME = _MANAGERS | {"_meta", "at", "iat", "iloc", "loc"}
OF_THE_MODEL = words("frameworks", "attributes", "of_the_model")
"""Attributes in which a form, serializer, admin or view holds its model's rows or data."""

NAMED_BY_FIELD = words("frameworks", "attributes", "by_field")
"""Attributes of a form, serializer or filter set with one entry for each field's name."""

_OF_A_FORM = OF_THE_MODEL | NAMED_BY_FIELD | {"changed_data", "form", "qs"}
_HOLDS_DATA = re.compile(r"(?:Filter|FilterSet|Form|FormSet|Serializer)$")
GIVES_ROWS = re.compile(r"\w(?:Manager|QuerySet)$")
"""Endings of the names of an application's own managers and query sets."""

HOLDS_ROWS = re.compile(r"(?:Filter|FilterSet|Form|FormSet|Manager|QuerySet|Serializer)$")
"""Endings of the names of classes whose items are of their own model."""

_MAKES_FORM = re.compile(r"(?:filterset|form|formset)_factory")
_SECOND_MODEL = frozenset({"inlineformset_factory"})
"""Makers of forms whose second model is the form's."""

REQUEST_USER = KnownClass("RequestUser")
"""The logged-in user. Only the settings know its class."""

_MODEL_GETTERS = frozenset(
    {"clean", "filter_queryset", "get_initial", "get_object", "get_queryset"}
)
_FIRST_ARGUMENT = words("frameworks", "calls", "give_their_first_argument")
_QUERY_METHODS = words("frameworks", "methods", "of_queries")
GIVES_ITEMS = _QUERY_METHODS | {"items", "pop"}
"""Methods of queries and containers that give objects of the same class."""

_FRAME_METHODS = words("frameworks", "methods", "of_frames")
"""Methods of pandas that keep a table's subject."""

_OF_A_SESSION = frozenset(
    {"exec", "execute", "get", "get_one", "query", "scalar", "scalars", "stream_scalars"}
)
"""Methods of a session of SQLAlchemy: rows of the class, or of the query, that it is given."""

_MAX_STEPS = 6
_MAX_WAY = 120

_HTTP_ANSWER = KnownClass("HttpAnswer")
_HTTP_CLIENTS = frozenset({"aiohttp", "httpx", "requests"})


def owner_of(node: ast.expr, scope: Scope) -> KnownClass | Origin | str:
    """Return the class of the value before a dot, else the way to it, else its last name."""
    class_ = type_of(node, scope)
    if class_:
        return class_
    hint, way = _hint(node, scope), origin_of(node, scope)
    return Origin(way, hint) if way and way != hint else hint


def origin_of(node: ast.expr | None, scope: Scope) -> str:
    """Return the way to a value by attributes and calls, or nothing: `Order.lines`, `@shop.f()`.

    It leads through what gives items of the same class: `await`, `[0]`, `sorted(…)`.
    """
    steps: list[str] = []
    current: ast.expr | str | None = node
    while isinstance(current, ast.expr) and len(steps) < _MAX_STEPS:
        step, current = _step_back(current, scope, is_last=not steps)
        steps.append(step)
    way = "".join(reversed(steps))
    return f"{current}{way}"[:_MAX_WAY] if isinstance(current, str) else ""


def _step_back(  # noqa: PLR0911 - each kind of expression has its own
    node: ast.expr, scope: Scope, *, is_last: bool
) -> tuple[str, ast.expr | str | None]:
    """Return the last step of a way, and what it is taken from: an expression, or the beginning."""
    if isinstance(node, ast.Name):
        class_ = None if is_last else scope.type_of(node.id)
        return "", class_.name if class_ else scope.origin_of(node.id)
    if isinstance(node, ast.Attribute):
        origin = scope.origin_of(f"self.{node.attr}") if _is_named_self(node.value) else ""
        return ("", origin) if origin else (attribute(node.attr), node.value)
    if not isinstance(node, ast.Call):
        if isinstance(node, ast.Subscript) and _key_of(node) is None:
            return "", node.value
        return "", _part(node) or ""
    chain = name_chain(node.func)
    target = scope.resolve(chain) if chain else ""
    if target and not target.startswith("builtins."):
        return "", f"@{target}()"
    if isinstance(node.func, ast.Attribute):
        return f".{node.func.attr}()", node.func.value
    is_kept = node.args and callee_name(node.func) in _FIRST_ARGUMENT
    return "", node.args[0] if is_kept else None


def type_of(node: ast.expr | None, scope: Scope) -> KnownClass | None:
    """Return the class of a value, of a query's rows or of a class itself, if it is known."""
    current: ast.expr | KnownClass | None = node
    while isinstance(current, ast.expr):
        current = _step(current, scope)
    return current


def holds_data(owner: KnownClass | None) -> bool:
    """True if a type is a form, a serializer or a filter set, whose data are of its fields.

    A class to which the module itself gives a model is one, whatever its name is.
    """
    return owner is not None and (bool(owner.model) or bool(_HOLDS_DATA.search(owner.name)))


def form_of(node: ast.Call, scope: Scope) -> KnownClass | None:
    """Return the type of the form, serializer or filter set that a call makes, or nothing."""
    found = class_in_sight(node.func, scope) or type_of(node, scope)
    return found if holds_data(found) else None


def _step(node: ast.expr, scope: Scope) -> ast.expr | KnownClass | None:
    """Return the class of an expression, or the part of it that has the same class."""
    if isinstance(node, ast.Name):
        return scope.type_of(node.id) or scope.class_of(node.id) or _as_class(node.id)
    if isinstance(node, ast.Call):
        return _of_call(node, scope)
    if isinstance(node, ast.Attribute):
        return _of_attribute(node, scope)
    if isinstance(node, ast.Subscript):
        return None if _is_of_another(node, scope) else node.value
    return _part(node)


def class_in_sight(node: ast.expr, scope: Scope) -> KnownClass | None:
    """Return the type of a class that is defined in sight: `Filter`, `self.Filter`."""
    if isinstance(node, ast.Name):
        return scope.class_of(node.id)
    if isinstance(node, ast.Attribute) and _is_self(node.value):
        return scope.class_of(node.attr, is_own=True)
    return None


def _is_of_another(node: ast.Subscript, scope: Scope) -> bool:
    """True if an item is of another class than what holds it.

    `row["author"]` is what `author` leads to. An item of a query, of `list[Book]` or of
    `dict[str, Book]` is of the class that is known, an item of one object (`shelf[0]`) is not.
    """
    if isinstance(node.value, ast.Name) and scope.shape_of(node.value.id) == "mapping":
        return False
    return _key_of(node) is not None or _is_single(node.value, scope)


def _key_of(node: ast.Subscript) -> str | None:
    key = node.slice.value if isinstance(node.slice, ast.Constant) else None
    return key if isinstance(key, str) else None


def _is_single(node: ast.expr, scope: Scope) -> bool:
    if isinstance(node, ast.Name):
        return scope.shape_of(node.id) == "one"
    return makes_one(node)


def makes_one(node: ast.expr | None) -> bool:
    """True if an expression makes one object of a class: `Shelf()`, but no form or query set."""
    name = callee_name(node.func) if isinstance(node, ast.Call) else ""
    is_class = CLASS_NAME.fullmatch(name) is not None and name not in _FIRST_ARGUMENT
    return is_class and not HOLDS_ROWS.search(name)


def _of_attribute(node: ast.Attribute, scope: Scope) -> ast.expr | KnownClass | None:
    kept = scope.type_of(node.attr, of_self=True) if _is_named_self(node.value) else None
    if kept:
        return kept
    if node.attr in _OF_THE_SAME:
        # A model has managers, its objects have none: `self.objects` is an attribute set elsewhere.
        is_kept = node.attr in _MANAGERS and _is_named_self(node.value)
        return None if is_kept else node.value
    if node.attr == "query" and CLASS_NAME.fullmatch(callee_name(node.value)):
        return node.value  # Flask-SQLAlchemy's
    found: KnownClass | None = None
    if callee_name(node.value) == "request":
        if node.attr == "user":
            return REQUEST_USER
        found = scope.model_around() if node.attr in {"POST", "data"} else None
    elif node.attr in _OF_A_FORM:
        found = scope.model_around() if _is_self(node.value) else None
        held = None if found else type_of(node.value, scope)
        found = held if holds_data(held) else found
    return found or class_in_sight(node, scope) or _as_class(node.attr)


def _part(node: ast.expr) -> ast.expr | None:
    """Return the part of an expression that has its class."""
    if isinstance(node, ast.Await | ast.Starred | ast.NamedExpr):
        return node.value
    if isinstance(node, ast.IfExp):
        return node.body
    if isinstance(node, ast.BoolOp):
        return node.values[0]
    if isinstance(node, ast.GeneratorExp | ast.ListComp | ast.SetComp):
        first, made = node.generators[0], node.elt
        is_kept = isinstance(made, ast.Name) and made.id == callee_name(first.target)
        return first.iter if is_kept else (made if isinstance(made, ast.Call) else None)
    return None


def _of_call(node: ast.Call, scope: Scope) -> ast.expr | KnownClass | None:
    function = node.func
    name = callee_name(function)
    first = node.args[0] if node.args else None
    defined = class_in_sight(function, scope)
    if defined:
        found: ast.expr | KnownClass | None = defined
    elif CLASS_NAME.fullmatch(name) and name not in _FIRST_ARGUMENT:
        found = KnownClass(name)
    elif _MAKES_FORM.search(name):
        model = model_of_factory(node, scope)
        found = KnownClass(name, model.name) if model else None
    elif name == "super":
        found = scope.type_of("self")
    elif name == "get_model":
        text = node.args[-1].value if node.args and isinstance(node.args[-1], ast.Constant) else ""
        found = _as_class(str(text).rpartition(".")[2])
    elif name == "map" and first is not None:
        made = first.value if isinstance(first, ast.Attribute) else first
        found = _as_class(callee_name(made))
    elif isinstance(function, ast.Attribute):
        found = _of_method(function, first, scope)
    else:
        returned = scope.returned_by(name)
        found = returned or (first if name in _FIRST_ARGUMENT else None)
    return found


def _of_method(
    function: ast.Attribute, first: ast.expr | None, scope: Scope
) -> ast.expr | KnownClass | None:
    name = function.attr
    found: ast.expr | KnownClass | None = None
    if name == "json":
        found = function.value
    elif callee_name(function.value) in _HTTP_CLIENTS:
        found = _HTTP_ANSWER  # another service's answer is about its own things
    elif name in _OF_A_SESSION and first is not None and _is_class(first, scope):
        found = first
    elif name in _QUERY_METHODS or name in _FRAME_METHODS:
        is_other = name != "copy" and _is_single(function.value, scope)
        is_other = is_other and not _is_self(function.value)
        found = None if is_other else function.value
    elif name == "save":
        held = type_of(function.value, scope)
        found = held if holds_data(held) else None  # a form gives what it saved
    elif name in _MODEL_GETTERS:
        found = scope.model_around() if _is_self(function.value) else first
    elif name in _FIRST_ARGUMENT:
        found = first
    elif _is_query(function.value):
        found = function.value
    return found


def model_of_factory(node: ast.Call, scope: Scope) -> KnownClass | None:
    """Return the model of `modelform_factory(Patient)`, `inlineformset_factory(Order, Line)`."""
    place = 1 if callee_name(node.func) in _SECOND_MODEL else 0
    named = [item.value for item in node.keywords if item.arg == "model"]
    given = [*node.args[place : place + 1], *named]
    return type_of(given[0], scope) if given else None


def _is_query(node: ast.expr) -> bool:
    """True if a chain of calls begins at a manager or a model's query set."""
    while isinstance(node, ast.Attribute | ast.Call):
        if isinstance(node, ast.Call):
            node = node.func
        elif node.attr in _MANAGERS or node.attr == "get_queryset":
            return True
        else:
            node = node.value
    return False


def _is_class(node: ast.expr, scope: Scope) -> bool:
    """True for `Patient`, `models.Patient` and a query: what a session is asked for."""
    if isinstance(node, ast.Call):
        return type_of(node, scope) is not None
    return CLASS_NAME.fullmatch(callee_name(node)) is not None


def _as_class(name: str) -> KnownClass | None:
    return KnownClass(name) if CLASS_NAME.fullmatch(name) else None


def _is_self(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        node = node.func
    return isinstance(node, ast.Name) and node.id in {"self", "super", "form"}


def _is_named_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _hint(node: ast.expr, scope: Scope) -> str:
    while isinstance(node, ast.Subscript | ast.Await | ast.Call):
        if isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Attribute):
                return callee_name(node.func)
            is_kept = node.func.attr in _QUERY_METHODS
            node = node.func.value if is_kept else node.func
        elif isinstance(node, ast.Subscript):
            key = _key_of(node)
            if key is not None:
                return key if key.isidentifier() else ""
            if _is_single(node.value, scope):
                return ""
            node = node.value
        else:
            node = node.value
    if not isinstance(node, ast.Attribute):
        return callee_name(node)
    return "settings" if callee_name(node.value) == "settings" else attribute(node.attr)


def set_loop_type(target: ast.expr, values: ast.expr, scope: Scope) -> None:
    """Note the class of a loop's variable: a query's rows are of its model."""
    if isinstance(target, ast.Tuple) and isinstance(values, ast.Call) and target.elts:
        gives_last = callee_name(values.func) in {"enumerate", "items"}
        target = target.elts[-1] if gives_last else target
    if isinstance(target, ast.Name):
        known = None if _is_single(values, scope) else type_of(values, scope)
        scope.set_type(target.id, known, origin="" if known else origin_of(values, scope))


def leaves_of(node: ast.expr) -> list[ast.expr]:
    """Return the parts of `a + b + c` at once: a long sum is as deep as it has parts."""
    found: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        found.append(node.right)
        node = node.left
    return [node, *reversed(found)]


def texts_of(node: ast.expr | None, scope: Scope) -> list[ast.Constant]:
    """Return the literals which an expression gives: `a if x else b`, `d.get(k, b)`, `[a, b]`.

    Of a dictionary that is written out (`SORTS[key]`, `SORTS.get(key)`) they are its values.
    """
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
        elif isinstance(one, ast.Call) and callee_name(one.func) in {"get", "getattr", "pop"}:
            pending += one.args[1:] if isinstance(one.func, ast.Attribute) else one.args[2:]
            pending += _values(one.func.value, scope) if isinstance(one.func, ast.Attribute) else []
        elif isinstance(one, ast.Subscript):
            pending += _values(one.value, scope)
    return found


def _values(node: ast.expr, scope: Scope) -> list[ast.expr]:
    """Return the texts in a dictionary that a name stands for. Others may lead back to it."""
    literal = scope.literal_of(node.id) if isinstance(node, ast.Name) else None
    values = literal.values if isinstance(literal, ast.Dict) else []
    return [value for value in values if isinstance(value, ast.Constant)]
