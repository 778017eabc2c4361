"""A published index, opened for questions."""

import sqlite3
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Generic, TypeVar

from minerva_insilico.core.facts.errors import UnusableIndexError
from minerva_insilico.core.facts.language import PYTHON
from minerva_insilico.core.facts.module import Modules
from minerva_insilico.core.index import store
from minerva_insilico.core.index.tally import Failed, Tally, count_languages, list_failed

_MAX_SNIPPET = 160
"""Characters of a line that is shown."""

Item = TypeVar("Item")


@dataclass(frozen=True)
class Page(Generic[Item]):
    """The first results of a question, and how many there are in all."""

    items: tuple[Item, ...]
    total: int

    @property
    def shown(self) -> int:
        """How many results are here."""
        return len(self.items)

    @property
    def truncated(self) -> bool:
        """True if there are more than these."""
        return self.shown < self.total


@dataclass(frozen=True)
class SymbolRef:
    """A module, class, function or method, with where it stands."""

    qualname: str
    kind: str
    path: str
    line: int
    end_line: int
    signature: str
    decorators: tuple[str, ...]
    docstring: str | None
    documented: bool
    complexity: int

    @property
    def place(self) -> str:
        """`path:line`, as editors take it."""
        return f"{self.path}:{self.line}"


@dataclass(frozen=True)
class Hit:
    """A place that answers, best first."""

    path: str
    line: int
    symbol: str
    """The code at the hit: a definition, a caller, an import, or the code around a use."""
    snippet: str
    score: float
    """1 is certain. A hit that shares only a name has less."""
    why: str
    """`exact`, `same_name`, the kind of the hit, `text`, `pattern`, `import`."""
    target: str = ""
    """The called name: as its binding proves it, else bare."""
    depth: int = 0
    """How many calls lie between this one and the function asked for."""
    reason: str = ""
    """Why a use of a field has its score."""


SELECT_SYMBOLS = (
    "SELECT CASE WHEN s.qualname = '' THEN f.module ELSE f.module || '.' || s.qualname END,"
    " s.kind, f.path, s.line, s.end_line, s.signature, s.decorators, s.docstring,"
    " s.documented, s.complexity FROM symbols AS s JOIN files AS f ON f.id = s.file"
)
"""A query whose rows `symbol_of` takes. Append `WHERE` and later clauses to it."""


def symbol_of(row: tuple[object, ...]) -> SymbolRef:
    """Return a row of `SELECT_SYMBOLS` as a symbol."""
    qualname, kind, path, line, end_line, signature, decorators, docstring, documented, points = row
    return SymbolRef(
        qualname=str(qualname),
        kind=str(kind),
        path=str(path),
        line=int(str(line)),
        end_line=int(str(end_line)),
        signature=str(signature),
        decorators=tuple(str(decorators).splitlines()),
        docstring=None if docstring is None else str(docstring),
        documented=bool(documented),
        complexity=int(str(points)),
    )


def cut_snippet(line: str) -> str:
    """Return a line as it is shown beside a hit."""
    text = line.strip()
    return text if len(text) <= _MAX_SNIPPET else text[: _MAX_SNIPPET - 1] + "…"


class Index(AbstractContextManager["Index"]):
    """Answers from one index. Use it in a `with` block.

    Raises:
        UnusableIndexError: the database is missing, damaged or of another format.
    """

    def __init__(self, database: Path) -> None:
        self.database = database
        self.connection = store.open_index(database)
        self._lines: dict[str, list[str]] = {}

    def __exit__(self, _kind: object, error: BaseException | None, *_: object) -> None:
        self.connection.close()
        if isinstance(error, sqlite3.DatabaseError):
            raise UnusableIndexError(self.database, "damaged", str(error)) from error

    @cached_property
    def root(self) -> Path:
        """The directory that was indexed."""
        row = self.connection.execute("SELECT value FROM meta WHERE key = 'root'").fetchone()
        return Path(row[0])

    @cached_property
    def modules(self) -> Modules:
        """The files by the names imports use."""
        rows = self.connection.execute(
            "SELECT path, module FROM files WHERE language = 'python' AND reason IS NULL"
        )
        return Modules(dict(rows.fetchall()), self.root.name)

    @cached_property
    def parsed_paths(self) -> tuple[str, ...]:
        """The files that gave facts, documents and other languages included."""
        rows = self.connection.execute("SELECT path FROM files WHERE reason IS NULL ORDER BY path")
        return tuple(row[0] for row in rows)

    @cached_property
    def failed_files(self) -> tuple[Failed, ...]:
        """The files that gave no facts: no answer can speak for them."""
        return list_failed(self.connection)

    @cached_property
    def languages(self) -> tuple[Tally, ...]:
        """The files of each language, documents included."""
        return count_languages(self.connection)

    @cached_property
    def files(self) -> int:
        """How many Python sources the index knows, unparsed ones included."""
        return sum(tally.files for tally in self.languages if tally.language == PYTHON)

    def snippet(self, path: str, line: int) -> str:
        """Return one line of a source as it was indexed, cut to 160 characters."""
        lines = self.lines(path)
        return cut_snippet(lines[line - 1]) if 0 < line <= len(lines) else ""

    def lines(self, path: str) -> list[str]:
        """Return the lines of a source as it was indexed. Empty if it did not parse."""
        if path not in self._lines:
            row = self.connection.execute(
                "SELECT source FROM files WHERE path = ?", (path,)
            ).fetchone()
            self._lines[path] = store.source_lines(row[0]) if row and row[0] else []
        return self._lines[path]
