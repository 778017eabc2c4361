"""Which definition a name is bound to, as far as the text of one module proves it.

Targets are dotted names. One that starts with a dot is relative to the indexed
root (`.pkg.a.load`), so that it holds wherever the tree lies; any other is
written as the import wrote it.
"""

import ast
import builtins
from collections.abc import Iterator, Sequence
from copy import copy
from typing import Literal, NamedTuple

from minerva_insilico.core.facts.field_owner import KnownClass
from minerva_insilico.core.flows.assignments import MAX_VALUES, Assignment

UNPROVEN = ""
"""The target of a name that is bound twice, computed, or not bound in the file."""

EXECUTED = "()"
"""Stands behind a name to which calls of its `execute` are given: it then holds their rows."""

SUPER = "<super>"
"""Stands in a target for the bases of the class before it."""

Shape = Literal["one", "mapping", "rows"]
"""How a value holds objects of its class: it is one, has them by keys, or is a query or a list."""

ValueKind = Literal["annotation", "item", "value"]
"""How a name's value is told: by its annotation, as an item of something, or as written."""

_MAX_TEXTS = 30

Types = dict[str, KnownClass | None]
"""The class of what names stand for; None where several were noted, or one that is not known."""

_BUILTINS = frozenset(dir(builtins))


def inside(*parts: str) -> str:
    """Return the dotted name, relative to the root, of non-empty `parts`."""
    return "." + ".".join(part for part in parts if part)


def relative_target(package: Sequence[str], level: int, module: str | None) -> str | None:
    """Return what `from ..module import` names, or None above the root."""
    climbed = level - 1
    if climbed > len(package):
        return None
    return inside(*package[: len(package) - climbed], module or "")


def join(target: str, *names: str) -> str:
    """Return `target` with attribute `names` after it."""
    return ".".join((target, *names)) if target != "." else inside(*names)


class Scope:
    """The names one module, class, function, lambda or comprehension binds."""

    __slots__ = (
        "_assignments",
        "_bindings",
        "_classes",
        "_globals",
        "_literals",
        "_origins",
        "_return_types",
        "_shapes",
        "_tests",
        "_texts",
        "_types",
        "_types_of_self",
        "_unproven",
        "_values",
        "binding",
        "has_star",
        "is_class",
        "model",
        "parameters",
        "parent",
        "qualname",
        "value_bindings",
    )

    def __init__(self, parent: "Scope | None" = None, *, is_class: bool = False) -> None:
        self.parent = parent
        self.is_class = is_class
        self.has_star = False
        self._bindings: dict[str, set[str]] = {}
        self._globals: set[str] = set()
        self._types: Types = {}
        self._types_of_self: Types = {}
        self._texts: dict[str, list[ast.Constant]] = {}
        self._classes: dict[str, KnownClass] = {}
        self._literals: dict[str, ast.expr] = {}
        self._tests: dict[str, KnownClass] = {}
        self._origins: dict[str, str] = {}
        self._return_types: Types = {}
        self._shapes: dict[str, Shape] = {}
        self._assignments: dict[str, list[Assignment]] = {}
        self._unproven: dict[str, int] = {}
        self._values: dict[str, list[tuple[ast.expr | None, ValueKind, Scope]]] = {}
        self.value_bindings: dict[str, str] = {}
        """The bindings of variables that were read already."""
        self.parameters: tuple[tuple[str, ast.expr | None], ...] = ()
        """Of a function, without `self`, with their defaults."""
        self.qualname = ""
        self.binding = ""
        """Of a function: its name in the module, and its target from anywhere."""
        self.model: KnownClass | None = None
        """The model that a class stands for."""

    def bind(self, name: str, target: str = UNPROVEN) -> None:
        """Note that `name` is bound here to `target`. A second target makes the binding unknown."""
        owner = self.module if name in self._globals else self
        owner._bindings.setdefault(name, set()).add(target)  # noqa: SLF001 - the same class
        if target == UNPROVEN:
            owner._unproven[name] = owner._unproven.get(name, 0) + 1  # noqa: SLF001

    def has(self, name: str) -> bool:
        """True if this scope itself binds a name."""
        return name in self._bindings

    def declare(self, names: Sequence[str]) -> None:
        """Note a `global` or `nonlocal` statement: later bindings are not local."""
        self._globals.update(names)
        for scope in self._chain():
            for name in names:
                if name in scope._bindings:  # noqa: SLF001 - the same class
                    scope._bindings[name].add(UNPROVEN)  # noqa: SLF001

    def give_value(
        self, name: str, value: ast.expr | None, kind: ValueKind, *, around: "Scope | None" = None
    ) -> None:
        """Note a value of a variable bound here, or of `self.name` for the class around.

        `around` is the scope in which the value is read, where that is another. A binding without
        a value, such as that of `with`, makes the whole variable unknown.
        """
        owner = self.module if name in self._globals else self
        if name.startswith("self."):
            owner = next((one for one in self._chain() if one.is_class), self)
        values = owner._values.setdefault(name, [])  # noqa: SLF001 - the same class
        if len(values) <= MAX_VALUES:
            values.append((value, kind, around or self))

    def values_of(self, name: str) -> "HeldValues | None":
        """Return what a variable in sight is given, or None if not all of that is known."""
        for scope in self._in_sight():
            if name in scope._bindings:  # noqa: SLF001 - the same class
                return scope.own_values(name)
        return None

    def own_values(self, name: str) -> "HeldValues | None":
        """Return what a name of this scope is given, or None if not all of that is known."""
        values = self._values.get(name, [])
        is_own = name.startswith("self.") and len(values) <= MAX_VALUES
        is_whole = self._bindings.get(name) == {UNPROVEN} and self._unproven[name] == len(values)
        return HeldValues(self, values) if is_own or is_whole else None

    def names_with_values(self) -> Iterator[str]:
        """Yield the variables of this scope and, of a class, `self.name` of its attributes."""
        yield from self._values

    def set_type(
        self,
        name: str,
        known_class: KnownClass | None,
        *,
        shape: Shape = "rows",
        origin: str = "",
    ) -> None:
        """Note the class of a name's value, or the way to it. A second, different one voids it."""
        _note_type(self._types, name, known_class)
        self._origins[name] = origin if self._origins.get(name, origin) == origin else ""
        if shape != "rows":
            self._shapes[name] = shape

    def origin_of(self, name: str) -> str:
        """Return the way to the value of a name, as far as it is known."""
        scopes = (scope for scope in self._chain() if name in scope._types)  # noqa: SLF001
        return next(scopes, self)._origins.get(name, "")  # noqa: SLF001 - the same class

    def shape_of(self, name: str) -> Shape:
        """Return how the value of a name holds objects of its class."""
        scopes = (scope for scope in self._chain() if name in scope._types)  # noqa: SLF001
        return next(scopes, self)._shapes.get(name, "rows")  # noqa: SLF001 - the same class

    def set_class(self, name: str, known_class: KnownClass) -> None:
        """Note the type of a class defined here. A second, different type makes it unknown."""
        before = self._classes.get(name, known_class)
        self._classes[name] = known_class if before == known_class else KnownClass(name)

    def class_of(self, name: str, *, is_own: bool = False) -> KnownClass | None:
        """Return the type of a class that is defined in sight, or nothing.

        With `is_own` it is one of the class around: `self.Filter`.
        """
        for scope in self._chain():
            if name in scope._classes and scope.is_class >= is_own:  # noqa: SLF001
                return scope._classes[name]  # noqa: SLF001 - the same class
        return None

    def set_returned(self, name: str, known_class: KnownClass | None) -> None:
        """Note the class of a function's return value. A second, different one makes it unknown."""
        _note_type(self._return_types, name, known_class)

    def returned_by(self, name: str) -> KnownClass | None:
        """Return the class of the return value of the function `name`, if it is known."""
        for scope in self._in_sight():
            bindings = scope._bindings.get(name)  # noqa: SLF001 - the same class
            if bindings is not None or name in scope._types:  # noqa: SLF001
                is_one = bindings is not None and len(bindings) == 1 and name not in scope._types  # noqa: SLF001
                return scope._return_types.get(name) if is_one else None  # noqa: SLF001
        return None

    def set_literal(self, name: str, value: ast.expr) -> None:
        """Note the dictionary or list that a name's value is written as."""
        self._literals[name] = value

    def literal_of(self, name: str) -> ast.expr | None:
        """Return the dictionary or list that a name's value is written as."""
        for scope in self._chain():
            if name in scope._literals:  # noqa: SLF001 - the same class
                return scope._literals[name]  # noqa: SLF001
        return None

    def give(self, name: str, assignment: Assignment) -> None:
        """Note a value that a name is given. `self.name` is kept for the class around."""
        scope = self
        if name.startswith("self."):
            scope = next((one for one in self._chain() if one.is_class), self)
        held = scope._assignments.setdefault(name, [])  # noqa: SLF001 - the same class
        if len(held) < MAX_VALUES:
            held.append(assignment)

    def assignments_of(self, name: str) -> Sequence[Assignment]:
        """Return the values that a name in sight is given, in the order of the text."""
        return self._nearest(name, name)

    def executions_of(self, name: str) -> Sequence[Assignment]:
        """Return the calls of `execute` on a name in sight, in the order of the text."""
        return self._nearest(name, f"{name}{EXECUTED}")

    def _nearest(self, name: str, kept_as: str) -> Sequence[Assignment]:
        for scope in self._in_sight(of_self=name.startswith("self.")):
            held = scope._assignments  # noqa: SLF001 - the same class
            if kept_as in held:
                return held[kept_as]
            if name in held or name in scope._bindings:  # noqa: SLF001
                return ()
        return ()

    def assignments_in_class(self, name: str) -> Sequence[Assignment]:
        """Return the values that the class around gives one of its own names."""
        around = next((one for one in self._chain() if one.is_class), None)
        return around._assignments.get(name, ()) if around else ()  # noqa: SLF001 - the same class

    def function_with(self, name: str) -> str:
        """Return `qualname:place` if `name` is a parameter of the function around, else nothing."""
        for scope in self._chain():
            names = [one for one, _ in scope.parameters]
            if name in names:
                return f"{scope.qualname}:{names.index(name)}"
            if name in scope._bindings:  # noqa: SLF001 - the same class
                return ""
        return ""

    def default_of(self, name: str) -> ast.expr | None:
        """Return the default of a parameter of the function around."""
        for scope in self._chain():
            for one, default in scope.parameters:
                if one == name:
                    return default
        return None

    def set_texts(self, name: str, texts: list[ast.Constant]) -> None:
        """Note the literals that a name's value may be, or be made of."""
        known = self._texts.setdefault(name, []) if texts else []
        known += texts[: _MAX_TEXTS - len(known)]

    def texts_of(self, name: str) -> list[ast.Constant]:
        """Return the literals that a name's value may be, or be made of."""
        for scope in self._chain():
            if name in scope._texts:  # noqa: SLF001 - the same class
                return scope._texts[name]  # noqa: SLF001
        return []

    def type_of(self, name: str, *, of_self: bool = False) -> KnownClass | None:
        """Return the class of a name's value as far as it is known.

        With `of_self` the name is an attribute of the object that a method is called on.
        """
        for scope in self._chain():
            types = scope._types_of_self if of_self else scope._types  # noqa: SLF001
            if name in scope._tests and not of_self:  # noqa: SLF001 - the same class
                return scope._tests[name]  # noqa: SLF001
            if name in types:
                return types[name]
        return None

    def narrow(self, name: str, known_class: KnownClass) -> "Scope":
        """Return this scope where a test has shown the class of a name's value.

        All other notes are shared: what a branch binds is bound in the scope itself.
        """
        scope = copy(self)
        scope._tests = {**self._tests, name: known_class}  # noqa: SLF001 - the same class
        return scope

    def set_type_of_self(
        self, name: str, known_class: KnownClass | None, *, origin: str = ""
    ) -> None:
        """Note the class of `self.name` for the class around. A second one makes it unknown."""
        around = next((scope for scope in self._chain() if scope.is_class), self)
        around.set_type(f"self.{name}", None, origin=origin)
        _note_type(around._types_of_self, name, known_class)  # noqa: SLF001 - the same class

    def model_around(self) -> KnownClass | None:
        """Return the model that the class around stands for."""
        return next((scope.model for scope in self._chain() if scope.is_class), None)

    @property
    def module(self) -> "Scope":
        """The scope of the whole file."""
        *_, outermost = self._chain()
        return outermost

    def resolve(self, names: Sequence[str]) -> str:
        """Return the target of `a.b.c` given as names, or `UNPROVEN`."""
        first, *rest = names
        for scope in self._in_sight():
            found = scope._bindings.get(first)  # noqa: SLF001 - the same class
            if found is not None:
                target = next(iter(found)) if len(found) == 1 else UNPROVEN
                return join(target, *rest) if target else UNPROVEN
        if first in _BUILTINS and not self.module.has_star:
            return join("builtins", *names)
        return UNPROVEN

    def _in_sight(self, *, of_self: bool = False) -> Iterator["Scope"]:
        """Yield this scope and those around it; methods do not see the names of their class."""
        for scope in self._chain():
            if scope is self or of_self or not scope.is_class:
                yield scope

    def _chain(self) -> Iterator["Scope"]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent


class HeldValues(NamedTuple):
    """The values of a name, each with how it is told and the scope that it stands in."""

    owner: Scope
    values: list[tuple[ast.expr | None, ValueKind, Scope]]


def _note_type(types: Types, name: str, known_class: KnownClass | None) -> None:
    types[name] = known_class if types.get(name, known_class) == known_class else None
