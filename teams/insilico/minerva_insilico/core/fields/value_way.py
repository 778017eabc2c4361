"""To which classes attributes and calls lead: `Order.customer`, `@shop.find()`, `order()`.

A function leads to what it says it returns, else to what its `return` statements show.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Any

from minerva_insilico.core.facts.annotation import class_names
from minerva_insilico.core.facts.receiver_types import GIVES_ITEMS
from minerva_insilico.core.fields.class_family import ClassFamily
from minerva_insilico.core.index.index import Index

_MAX_CALLS = 6
"""Functions that return what another one returns."""

_DECORATOR = re.compile(r"@?(?:.*\.)?(\w+)(?:\(.*)?", re.DOTALL)
_KEEP = frozenset(
    {"abstractmethod", "cache", "cached_property", "classmethod", "field", "fixture", "lru_cache"}
    | {"mutation", "override", "property", "staticmethod"}
)
"""Decorators of Python, pytest and strawberry that keep what a function returns."""


class ValueWays:
    """Follows ways through the classes and functions of one index."""

    def __init__(self, index: Index, classes: ClassFamily) -> None:
        self._index, self._classes = index, classes
        self._ends: dict[tuple[str, str], tuple[frozenset[str], bool]] = {}

    def end_of(self, way: str, path: str, depth: int = 0) -> tuple[frozenset[str], bool]:
        """Return the classes to which a way leads in a file, and True if each step is proved.

        An attribute of an unknown object is of the classes that the tree gives all attributes of
        its name. A method is looked up in the same way, which proves nothing.
        """
        if (way, path) not in self._ends:
            self._ends[way, path] = frozenset(), False  # of a way that leads back to itself
            self._ends[way, path] = self._end_of(way, path, depth)
        return self._ends[way, path]

    def _end_of(self, way: str, path: str, depth: int) -> tuple[frozenset[str], bool]:
        if depth > _MAX_CALLS:
            return frozenset(), False
        if way.startswith("@"):
            target, _, rest = way[1:].partition("()")
            classes, is_proved = self._of_import(target, path, depth), True
        elif way.partition(".")[0].endswith("()"):
            target, _, rest = way.partition("()")
            classes, is_proved = self._of_functions(_FIXTURES, target, depth=depth), True
        else:
            first, _, rest = way.partition(".")
            classes, rest = ({first} if first else set[str]()), f".{rest}"
            is_proved = bool(classes)
        for step in rest.split(".")[1:]:
            name, is_call = step.removesuffix("()"), step.endswith("()")
            own = {
                more
                for one in classes
                for more in self._of_member(one, name, depth, is_call=is_call)
            }
            if is_call and not own and name in GIVES_ITEMS and not self._has_method(classes, name):
                continue
            if is_call:
                is_proved = is_proved and bool(own)
                classes = own or self._of_functions(_BY_NAME, name, depth=depth)
            else:
                classes = own or self._classes.attributes.get(name.lower(), set())
                is_proved = True
        return frozenset(classes), is_proved and bool(classes)

    def _of_member(self, model: str, name: str, depth: int, *, is_call: bool) -> set[str]:
        """Return the classes of an attribute, a property or a method's result of one class."""
        around = self._classes.bases_of(model)
        classes: set[str] = set()
        for above in around:
            classes |= self._of_functions(_METHODS, name, f"{above}.{name}", own=model, depth=depth)
            if not is_call:
                classes |= self._classes.held_by(above, name)
        variables = {
            one
            for one in classes
            if self._classes.alias(one) and one not in self._classes.class_names
        }
        arguments = {one for above in around for one in self._classes.held_by(above, "[")}
        arguments = {one for one in arguments if one in self._classes.class_names}
        return (classes - variables) | arguments if variables and arguments else classes

    def _has_method(self, models: Iterable[str], name: str) -> bool:
        """True if one of some classes defines a method of the name: its result is its own."""
        ask = self._index.connection.execute
        return any(
            ask(_METHODS, (name, name, f"{above}.{name}")).fetchone()
            for one in models
            for above in self._classes.bases_of(one)
        )

    def _of_import(self, target: str, path: str, depth: int) -> set[str]:
        place = self._index.modules.locate(target, path)
        if place is None:
            return set()
        rows = self._index.connection.execute(_IN_FILE, place).fetchall()
        return self._of_rows(rows, "", depth)

    def _of_functions(self, query: str, *values: str, depth: int, own: str = "") -> set[str]:
        """Return the classes that functions of a name return; none if one does not show it."""
        rows = self._index.connection.execute(query, (values[0], *values)).fetchall()
        return self._of_rows(rows, own, depth)

    def _of_rows(self, rows: list[Any], own: str, depth: int) -> set[str]:
        classes: set[str] = set()
        for number, path, signature, decorators in rows:
            ends = set(_annotation_classes(signature, decorators, own))
            if not ends and "->" not in signature and _keep(decorators):
                ends = self._shown_by_returns(number, path, depth)
            if not ends:
                return set()
            classes |= ends
        return classes

    def _shown_by_returns(self, number: int, path: str, depth: int) -> set[str]:
        """Return the classes of what is behind `return` and `yield`; none if one is unknown."""
        query = "SELECT name FROM models WHERE symbol = ? AND role = '->'"
        classes: set[str] = set()
        for (way,) in self._index.connection.execute(query, (number,)).fetchall():
            is_way = "." in way or "(" in way
            ends = self.end_of(way, path, depth + 1) if is_way else ({way} - {""}, bool(way))
            if not ends[1]:
                return set()
            classes |= ends[0]
        return classes


def _keep(decorators: str) -> bool:
    """True if no decorator may change what a function returns."""
    return all(_DECORATOR.sub(r"\1", one) in _KEEP for one in decorators.splitlines())


def _annotation_classes(signature: str, decorators: str, own: str) -> Iterator[str]:
    """Yield the classes in what a signature says it returns; `Self` is the class around."""
    text = signature.rpartition("->")[2].strip() if "->" in signature else ""
    try:
        tree = ast.parse(text, mode="eval").body if text and _keep(decorators) else None
    except SyntaxError:
        return
    for name in class_names(tree) if tree else ():
        yield own if name == "Self" else name


_FUNCTIONS = (
    "SELECT s.id, f.path, s.signature, s.decorators FROM symbols AS s"
    " JOIN files AS f ON f.id = s.file WHERE s.kind IN ('function', 'method')"
)
_BY_NAME = f"{_FUNCTIONS} AND s.name = ? COLLATE NOCASE AND s.name = ?"
_METHODS = f"{_BY_NAME} AND '.' || s.qualname LIKE '%.' || ?"
_FIXTURES = f"{_BY_NAME} AND s.decorators LIKE '%fixture%'"
_IN_FILE = f"{_FUNCTIONS} AND f.path = ? AND s.qualname = ?"
