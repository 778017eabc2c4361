"""Which definition a name is bound to, as far as the text of one module proves it.

Targets are dotted names. One that starts with a dot is relative to the indexed
root (`.pkg.a.load`), so that it holds wherever the tree lies; any other is
written as the import wrote it.
"""

import ast
import builtins
from collections.abc import Iterator, Sequence

UNPROVEN = ""
"""The target of a name that is bound twice, computed, or not bound in the file."""

SUPER = "super()"
"""Stands in a target for the bases of the class before it."""

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
        "_globals",
        "_texts",
        "_types",
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
        self._texts: dict[str, list[ast.Constant]] = {}
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

    def set_type(self, name: str, found: str) -> None:
        """Note the class of a name's value; a second, different one makes it unknown."""
        before = self._types.get(name)
        self._types[name] = found if before is None or before == found else UNPROVEN

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

    def type_of(self, name: str) -> str:
        """Return `=Class` of a name's value as far as it is known."""
        for scope in self._chain():
            found = scope._types.get(name)  # noqa: SLF001 - the same class
            if found is not None:
                return found
        return UNPROVEN

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
