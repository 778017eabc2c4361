"""Resolve bindings: find the definition in the tree that a dotted name proves to be.

A binding is followed through re-exports and, for a method, through the bases of its class as the
imports prove them. What could be anything else proves nothing.
"""

from functools import lru_cache
from typing import Final

from minerva_insilico.core.index.index import Index
from minerva_insilico.core.visitors.scope import SUPER

_HOPS = 8
"""Re-exports, or bases, followed before giving up."""

_ABSENT: Final = ""
"""A class and all its bases are known, and none has the method."""


class Resolver:
    """Follows the bindings of one index and remembers what it found."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._definitions: dict[tuple[str, str], str | None] = {}
        self._ask = lru_cache(maxsize=50_000)(self._fetch)

    def resolve(self, binding: str, importer: str) -> str | None:
        """Return the qualified name that a binding proves, or None.

        A name outside the tree comes back as it was written; one inside that no definition,
        re-export or base class explains proves nothing.
        """
        key = (binding, "" if binding.startswith(".") else importer)
        if key not in self._definitions:
            self._definitions[key] = self._resolve(binding, importer, _HOPS)
        return self._definitions[key]

    def _resolve(self, binding: str, importer: str, hops: int) -> str | None:
        located = self._index.modules.locate(binding, importer) if hops else None
        if located is None:
            return None if binding.startswith(".") or not hops else binding
        path, rest = located
        module = self._index.modules.names[path]
        if not rest or self._is_defined(path, rest):
            return ".".join(part for part in (module, rest) if part)
        owner, _, name = rest.rpartition(".")
        if owner:
            inherited = self._find_inherited(path, owner.removesuffix(f".{SUPER}"), name, hops)
            if inherited:
                return inherited
        first, _, more = rest.partition(".")
        again = self._reexport(path, first)
        if again is None:
            return None
        return self._resolve(f"{again}.{more}" if more else again, path, hops - 1)

    def _find_inherited(self, path: str, owner: str, name: str, hops: int) -> str | None:
        """Return the method that a class inherits, `_ABSENT`, or None where nothing proves it."""
        if not hops:
            return None
        for base in self._bases(path, owner):
            proven = self._resolve(base, path, hops - 1) if base else None
            if proven is None:
                return None  # what nothing proves may define it
            located = self._index.modules.locate(proven, path)
            if located is None or not located[1]:
                continue  # a class outside the tree, such as a framework's
            there, inner = located
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
