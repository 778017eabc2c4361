"""The definitions around a line, and the classes that their text names."""

import re
from collections.abc import Set as AbstractSet

from minerva_insilico.core.index.index import Index

_NAME = re.compile(r"[^\W\d]\w*")
_SPANS = (
    "SELECT s.line, s.end_line FROM symbols AS s JOIN files AS f ON f.id = s.file"
    " WHERE f.path = ? AND s.kind <> 'module' ORDER BY s.end_line - s.line"
)


class Enclosing:
    """The definitions around the lines of an index, and the names in their text."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._spans: dict[str, list[tuple[int, int]]] = {}
        self._names: dict[tuple[str, int, int], frozenset[str]] = {}

    def names_one_of(
        self,
        path: str,
        line: int,
        own: AbstractSet[str],
        others: AbstractSet[str],
        *,
        alone: bool = False,
    ) -> bool | None:
        """Return whether the nearest definition that names any of both sets names one of `own`.

        With `alone` it must name none of the others. None if no class or function around the line
        names any: a module that names everything tells nothing.
        """
        for first, last in self._spans_of(path):
            if first <= line <= last:
                names = self._names_in(path, first, last)
                if names & own:
                    return not (alone and names & others)
                if names & others:
                    return False
        return None

    def _spans_of(self, path: str) -> list[tuple[int, int]]:
        if path not in self._spans:
            self._spans[path] = self._index.connection.execute(_SPANS, (path,)).fetchall()
        return self._spans[path]

    def _names_in(self, path: str, first: int, last: int) -> frozenset[str]:
        span = (path, first, last)
        if span not in self._names:
            text = "\n".join(self._index.lines(path)[first - 1 : last])
            self._names[span] = frozenset(_NAME.findall(text))
        return self._names[span]
