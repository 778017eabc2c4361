"""Which definition a name is bound to, as far as the text of one module proves it.

Targets are dotted names. One that starts with a dot is relative to the indexed
root (`.pkg.a.load`), so that it holds wherever the tree lies; any other is
written as the import wrote it.
"""

import ast
import builtins
from collections.abc import Iterator, Sequence
from typing import Literal

UNPROVEN = ""
"""The target of a name that is bound twice, computed, or not bound in the file."""

SUPER = "super()"
"""Stands in a target for the bases of the class before it."""

Shape = Literal["one", "mapping", "rows"]
"""How a value holds objects of its class: it is one, has them by keys, or is a query or a list."""

_MOST_TEXTS = 30

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
        "_bindings",
        "_classes",
        "_globals",
        "_literals",
        "_returned",
        "_shapes",
        "_texts",
        "_types",
        "_types_of_self",
        "has_star",
        "is_class",
        "model",
        "parent",
    )

    def __init__(self, parent: "Scope | None" = None, *, is_class: bool = False) -> None:
        self.parent = parent
        self.is_class = is_class
        self.has_star = False
        self._bindings: dict[str, set[str]] = {}
        self._globals: set[str] = set()
        self._types: dict[str, str] = {}
        self._types_of_self: dict[str, str] = {}
        self._texts: dict[str, list[ast.Constant]] = {}
        self._classes: dict[str, str] = {}
        self._literals: dict[str, ast.expr] = {}
        self._returned: dict[str, str] = {}
        self._shapes: dict[str, Shape] = {}
        self.model = ""
        """`=Patient` in a class which stands for that model."""

    def bind(self, name: str, target: str = UNPROVEN) -> None:
        """Note that `name` is bound here to `target`; a second target unproves it."""
        owner = self.module if name in self._globals else self
        owner._bindings.setdefault(name, set()).add(target)  # noqa: SLF001 - the same class

    def declare(self, names: Sequence[str]) -> None:
        """Note a `global` or `nonlocal` statement: later bindings are not local."""
        self._globals.update(names)
        for scope in self._chain():
            for name in names:
                if name in scope._bindings:  # noqa: SLF001 - the same class
                    scope._bindings[name].add(UNPROVEN)  # noqa: SLF001

    def set_type(self, name: str, found: str, *, shape: Shape = "rows") -> None:
        """Note the class of a name's value; a second, different one makes it unknown."""
        before = self._types.get(name)
        self._types[name] = found if before is None or before == found else UNPROVEN
        if shape != "rows":
            self._shapes[name] = shape

    def shape_of(self, name: str) -> Shape:
        """Return how the value of a name holds objects of its class."""
        scopes = (scope for scope in self._chain() if name in scope._types)  # noqa: SLF001
        return next(scopes, self)._shapes.get(name, "rows")  # noqa: SLF001 - the same class

    def set_class(self, name: str, found: str) -> None:
        """Note the type of a class that is defined here; a second, different one is unknown."""
        before = self._classes.get(name)
        self._classes[name] = found if before is None or before == found else f"={name}"

    def class_of(self, name: str, *, is_own: bool = False) -> str:
        """Return the type of a class that is defined in sight, or nothing.

        With `is_own` it is one of the class around: `self.Filter`.
        """
        for scope in self._chain():
            if name in scope._classes and scope.is_class >= is_own:  # noqa: SLF001
                return scope._classes[name]  # noqa: SLF001 - the same class
        return UNPROVEN

    def set_returned(self, name: str, found: str) -> None:
        """Note the class of what a function returns; a second, different one is unknown."""
        before = self._returned.get(name)
        self._returned[name] = found if before is None or before == found else UNPROVEN

    def returned_by(self, name: str) -> str:
        """Return `=Class` of what the function that a name is bound to returns, or nothing."""
        for scope in self._chain():
            if scope.is_class and scope is not self:
                continue  # methods do not see the names of their class
            bindings = scope._bindings.get(name)  # noqa: SLF001 - the same class
            if bindings is not None or name in scope._types:  # noqa: SLF001
                is_one = bindings is not None and len(bindings) == 1 and name not in scope._types  # noqa: SLF001
                return scope._returned.get(name, UNPROVEN) if is_one else UNPROVEN  # noqa: SLF001
        return UNPROVEN

    def set_literal(self, name: str, value: ast.expr) -> None:
        """Note the dictionary or list that a name's value is written as."""
        self._literals[name] = value

    def literal_of(self, name: str) -> ast.expr | None:
        """Return the dictionary or list that a name's value is written as."""
        for scope in self._chain():
            if name in scope._literals:  # noqa: SLF001 - the same class
                return scope._literals[name]  # noqa: SLF001
        return None

    def set_texts(self, name: str, texts: list[ast.Constant]) -> None:
        """Note the literals that a name's value may be, or be made of."""
        known = self._texts.setdefault(name, []) if texts else []
        known += texts[: _MOST_TEXTS - len(known)]

    def texts_of(self, name: str) -> list[ast.Constant]:
        """Return the literals that a name's value may be, or be made of."""
        for scope in self._chain():
            if name in scope._texts:  # noqa: SLF001 - the same class
                return scope._texts[name]  # noqa: SLF001
        return []

    def type_of(self, name: str, *, of_self: bool = False) -> str:
        """Return `=Class` of a name's value as far as it is known.

        With `of_self` the name is an attribute of the object that a method is called on.
        """
        for scope in self._chain():
            types = scope._types_of_self if of_self else scope._types  # noqa: SLF001
            found = types.get(name)
            if found is not None:
                return found
        return UNPROVEN

    def set_type_of_self(self, name: str, found: str) -> None:
        """Note the class of `self.name` for the class around; a second one makes it unknown."""
        around = next((scope for scope in self._chain() if scope.is_class), self)
        types = around._types_of_self  # noqa: SLF001 - the same class
        before = types.get(name)
        types[name] = found if before is None or before == found else UNPROVEN

    def model_around(self) -> str:
        """Return the model that the class around stands for."""
        return next((scope.model for scope in self._chain() if scope.is_class), UNPROVEN)

    @property
    def module(self) -> "Scope":
        """The scope of the whole file."""
        *_, outermost = self._chain()
        return outermost

    def resolve(self, names: Sequence[str]) -> str:
        """Return the target of `a.b.c` given as names, or `UNPROVEN`."""
        first, *rest = names
        for scope in self._chain():
            if scope.is_class and scope is not self:
                continue  # methods do not see the names of their class
            found = scope._bindings.get(first)  # noqa: SLF001 - the same class
            if found is not None:
                target = next(iter(found)) if len(found) == 1 else UNPROVEN
                return join(target, *rest) if target else UNPROVEN
        if first in _BUILTINS and not self.module.has_star:
            return join("builtins", *names)
        return UNPROVEN

    def _chain(self) -> Iterator["Scope"]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent
