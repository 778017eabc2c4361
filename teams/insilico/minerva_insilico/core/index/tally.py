"""The contents of an index: files of each language, and files without facts."""

import sqlite3
from dataclasses import dataclass

from minerva_insilico.core.facts.language import GRAMMARS, POLYGLOT, has_grammar
from minerva_insilico.core.parsing.parse_failure import Reason, error_text


@dataclass(frozen=True)
class Failed:
    """A source that gave no facts."""

    path: str
    reason: Reason
    detail: str
    line: int | None = None

    @property
    def error(self) -> str:
        """The fault, as an English clause."""
        return error_text(self.reason, self.detail)


@dataclass(frozen=True)
class Tally:
    """The files of one language. The text of all of them can be searched."""

    language: str
    files: int
    parsed: int

    @property
    def hint(self) -> str | None:
        """The command after which they are parsed, too."""
        return POLYGLOT if self.language in GRAMMARS and not has_grammar(self.language) else None


def count_languages(connection: sqlite3.Connection) -> tuple[Tally, ...]:
    """Count the files of each language, Python first, then by name."""
    rows = connection.execute(
        "SELECT language, count(*), sum(is_parsed) FROM files GROUP BY language"
        " ORDER BY language <> 'python', language"
    )
    return tuple(Tally(*row) for row in rows)


def list_failed(connection: sqlite3.Connection) -> tuple[Failed, ...]:
    """List the files that gave no facts: no answer can speak for them."""
    rows = connection.execute(
        "SELECT path, reason, detail, error_line FROM files WHERE reason IS NOT NULL ORDER BY path"
    )
    return tuple(Failed(*row) for row in rows)
