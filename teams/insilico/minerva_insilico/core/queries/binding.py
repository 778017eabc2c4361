"""The definition, or the object, that a binding proves in a whole tree.

`core.visitors.value_binding` says how a binding is written.
"""

import builtins
import re
from functools import lru_cache
from typing import Final

from minerva_insilico.core.facts.receiver_types import CLASS_NAME
from minerva_insilico.core.index.index import Index
from minerva_insilico.core.visitors.scope import SUPER
from minerva_insilico.core.visitors.value_binding import CALL, ITEM, SEVERAL
from minerva_insilico.core.visitors.visit_state import module_parts

_HOPS = 16
"""Re-exports, values and bases followed before giving up."""

_STEPS = re.compile(r"\(\)|\[\]|@|[^()\[\]@]+")
_SAME: Final = frozenset({"copy", "values"})
"""Methods of containers that give their items."""
_GIVES: Final = _SAME | {"get", "pop", "popleft", "setdefault"}
"""Methods of containers that give their items or one of them."""
_SELVES: Final = frozenset({"typing.Self()", "typing_extensions.Self()"})
_BUILTIN_CLASSES: Final = frozenset(
    name for name, value in vars(builtins).items() if isinstance(value, type) and name != "type"
)

_ABSENT: Final = ""
"""A class and all its bases are known, and none has the method."""
_CLASS = (
    "SELECT 1 FROM symbols AS s JOIN files AS f ON f.id = s.file"
    " WHERE f.path = ? AND s.qualname = ? AND s.kind = 'class' LIMIT 1"
)
_TYPE = (
    "SELECT t.binding FROM files AS f JOIN types AS t ON t.file = f.id"
    " WHERE f.path = ? AND t.name = ? LIMIT 1"
)


class Resolver:
    """Follows the bindings of one index and remembers what it found.

    A binding is followed through re-exports, through the types of variables, attributes and what
    functions return, and for a method through the bases of its class. What could be anything else
    proves nothing.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        self._definitions: dict[tuple[str, str], str | None] = {}
        self._ask = lru_cache(maxsize=50_000)(self._fetch)

    def resolve(self, binding: str, importer: str) -> str | None:
        """Return the qualified name that a binding proves, or None.

        A name outside the tree comes back as it was written; one inside that no definition,
        re-export, value or base class explains proves nothing. An object of a class has `()`
        behind it, several objects `@`.
        """
        key = (binding, "" if binding.startswith(".") else importer)
        if key not in self._definitions:
            self._definitions[key] = self._resolve(binding, importer, _HOPS)
        return self._definitions[key]

    def maker_of(self, name: str) -> str | None:
        """Return the `__init__` that a call of the class `name` runs, or None."""
        return self._resolve(f"{name}.__init__", "", _HOPS) if self._is_class(name) else None

    def _resolve(self, binding: str, importer: str, hops: int) -> str | None:
        head, *steps = _STEPS.findall(binding) or [binding]
        found = self._definition(head, importer, hops)
        for step in steps:
            if step == SEVERAL:
                found = f"{found or ''}{SEVERAL}"
            elif found is None or not hops:
                return None
            elif step == CALL:
                found = self._value_of_call(found, hops)
            elif step == ITEM:
                found = (found.removesuffix(SEVERAL) if found.endswith(SEVERAL) else "") or None
            else:
                found = self._member(found, step, hops)
        return found

    def _member(self, value: str, name: str, hops: int) -> str | None:
        if SEVERAL in value:
            return f"{value}{name}"
        return self._definition(f"{value.removesuffix(CALL)}{name}", "", hops - 1)

    def _value_of_call(self, value: str, hops: int) -> str | None:
        """Return what a call gives: an object of a class, or what a function says it returns."""
        if SEVERAL in value:
            item, _, method = value.rpartition(f"{SEVERAL}.")
            content = f"{item}{SEVERAL}" if method in _SAME else item
            return (content or None) if method in _GIVES else None
        if value.endswith(CALL):
            return None
        location = self._index.modules.locate(value, "")
        if self._is_class(value):
            return f"{value}{CALL}"
        type_binding = self._type_of(location[0], f"{location[1]}{CALL}") if location else None
        if type_binding in _SELVES:
            return f"{value.rpartition('.')[0]}{CALL}"
        if not type_binding or location is None:
            return None
        return self._resolve(type_binding, location[0], hops - 1)

    def _is_class(self, name: str) -> bool:
        """True if a qualified name is a class. Outside the tree its spelling must tell."""
        location = self._index.modules.locate(name, "")
        if location is None:
            first, _, last = name.rpartition(".")
            is_builtin = first == "builtins" and last in _BUILTIN_CLASSES
            return is_builtin or CLASS_NAME.fullmatch(last) is not None
        return bool(self._ask(_CLASS, location))

    def _type_of(self, path: str, name: str) -> str | None:
        rows = self._ask(_TYPE, (path, name))
        return rows[0][0] if rows else None

    def _definition(self, binding: str, importer: str, hops: int) -> str | None:
        location = self._index.modules.locate(binding, importer) if hops else None
        if location is None:
            return None if binding.startswith(".") or not hops else binding
        path, rest = location
        module = self._index.modules.names[path]
        type_binding = self._type_of(path, rest)
        if type_binding:
            return self._resolve(type_binding, path, hops - 1)
        if not rest or self._is_defined(path, rest):
            return ".".join(part for part in (module, rest) if part)
        owner, _, name = rest.rpartition(".")
        if owner:
            method = self._find_inherited(path, owner.removesuffix(f".{SUPER}"), name, hops)
            if method:
                return method
        first, _, more = rest.partition(".")
        again = self._reexport(path, first)
        if again is not None:
            return self._resolve(f"{again}.{more}" if more else again, path, hops - 1)
        around = ".".join((*module_parts(path), owner))
        value = self._definition(f".{around}", path, hops - 1) if owner else None
        is_object = value is not None and value.endswith((CALL, SEVERAL))
        return self._member(value, f".{name}", hops) if value and is_object else None

    def _find_inherited(self, path: str, owner: str, name: str, hops: int) -> str | None:
        """Return the method that a class inherits, `_ABSENT`, or None where nothing proves it."""
        if not hops:
            return None
        for base in self._bases(path, owner):
            proven = self._resolve(base, path, hops - 1) if base else None
            if proven is None:
                return None  # what nothing proves may define it
            location = self._index.modules.locate(proven, path)
            if location is None or not location[1]:
                continue  # a class outside the tree, such as a framework's
            there, inner = location
            type_binding = self._type_of(there, f"{inner}.{name}")
            if type_binding:
                return self._resolve(type_binding, there, hops - 1)
            if self._is_defined(there, f"{inner}.{name}"):
                module = self._index.modules.names[there]
                return ".".join(part for part in (module, inner, name) if part)
            found = self._find_inherited(there, inner, name, hops - 1)
            if found != _ABSENT:
                return found
        return _ABSENT

    def _is_defined(self, path: str, qualname: str) -> bool:
        return bool(
            self._ask(
                "SELECT 1 FROM symbols AS s JOIN files AS f ON f.id = s.file"
                " WHERE f.path = ? AND s.name = ? COLLATE NOCASE AND s.qualname = ? LIMIT 1",
                (path, qualname.rpartition(".")[2], qualname),
            )
        )

    def _bases(self, path: str, qualname: str) -> list[str]:
        rows = self._ask(
            "SELECT b.binding FROM bases AS b JOIN symbols AS s ON s.id = b.symbol"
            " JOIN files AS f ON f.id = s.file"
            " WHERE f.path = ? AND s.name = ? COLLATE NOCASE AND s.qualname = ? ORDER BY b.rowid",
            (path, qualname.rpartition(".")[2], qualname),
        )
        return [row[0] for row in rows]

    def _reexport(self, path: str, name: str) -> str | None:
        """Return what an import in `path` binds `name` to, if all of them agree."""
        rows = self._ask(
            "SELECT DISTINCT i.binding FROM files AS f JOIN imports AS i ON i.file = f.id"
            " WHERE f.path = ? AND i.bound = ?",
            (path, name),
        )
        return rows[0][0] or None if len(rows) == 1 else None

    def _fetch(self, query: str, values: tuple[str, ...]) -> list[tuple[str]]:
        return self._index.connection.execute(query, values).fetchall()
