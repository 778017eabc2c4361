"""What an index holds: files of each language, and those which gave no facts."""

import sqlite3
from dataclasses import dataclass

from minerva_insilico.core.facts.language import GRAMMARS, POLYGLOT, has_grammar


@dataclass(frozen=True)
class Failed:
    """A source that gave no facts."""

    path: str
    error: str
    line: int | None


@dataclass(frozen=True)
class Tally:
    """The files of one language; the text of all of them can be searched."""

    language: str
    files: int
    parsed: int

    @property
    def hint(self) -> str | None:
        """What to type so that they are parsed, too."""
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
        "SELECT path, error, error_line FROM files WHERE error IS NOT NULL ORDER BY path"
    )
    return tuple(Failed(*row) for row in rows)
