"""Put the facts of a file into an index, and take them out."""

import sqlite3
from typing import Any

from minerva_insilico.core.index.schema import OWNED, WORDS
from minerva_insilico.core.parsing.encoding import well_formed
from minerva_insilico.core.parsing.parser import Failure
from minerva_insilico.core.visitors.visit_state import module_parts


def remove_file(connection: sqlite3.Connection, path: str) -> None:
    """Take a file and all its rows out."""
    row = connection.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()
    if row is None:
        return
    for table, (words, number) in WORDS.items():
        connection.execute(
            f"DELETE FROM {words} WHERE rowid IN (SELECT {number} FROM {table} WHERE file = ?)",  # noqa: S608 - ours
            row,
        )
    for table in OWNED:
        connection.execute(f"DELETE FROM {table} WHERE file = ?", row)  # noqa: S608 - ours
    connection.execute("DELETE FROM files WHERE id = ?", row)


def add_failure(
    connection: sqlite3.Connection, path: str, digest: str, failure: Failure, *, language: str
) -> None:
    """Note a file without facts. One that may succeed later keeps no hash.

    Its text is kept where it could be read, so that a search for text covers it.
    """
    remove_file(connection, path)
    connection.execute(
        "INSERT INTO files (path, sha256, language, is_parsed, reason, detail, error_line, source)"
        " VALUES (?, ?, ?, 0, ?, ?, ?, ?)",
        (
            path,
            digest if failure.lasting else "",
            language,
            failure.reason,
            well_formed(failure.detail),
            failure.line,
            failure.text,
        ),
    )


def add_facts(
    connection: sqlite3.Connection, path: str, digest: str, facts: dict[str, Any], source: bytes
) -> None:
    """Insert the rows of one file in place of the path's earlier rows."""
    remove_file(connection, path)
    file = connection.execute(
        "INSERT INTO files (path, sha256, language, is_parsed, lines, source)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (path, digest, facts["language"], facts["is_parsed"], facts["lines"], source),
    ).lastrowid
    first = _add_symbols(connection, file, path, facts)
    _add_outline(connection, file, facts)
    _add_sections(connection, file, facts.get("sections", ()))
    for table in ("bases", "models", "calls", "uses", "flows", "constants", "declared"):
        rows = facts.get(table, ())
        if rows:
            marks = ", ".join("?" * (len(rows[0]) + 1))
            connection.executemany(
                f"INSERT INTO {table} VALUES ({marks})",  # noqa: S608 - ours
                [_row_of_file(table, file, first, row) for row in rows],
            )
    connection.executemany(
        "INSERT INTO types VALUES (?, ?, ?)", ((file, *row) for row in facts.get("types", ()))
    )
    connection.executemany(
        "INSERT INTO imports VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (file, line, target, target.rpartition(".")[2], *rest)
            for line, target, *rest in facts.get("imports", ())
        ),
    )


def _add_symbols(
    connection: sqlite3.Connection, file: int | None, path: str, facts: dict[str, Any]
) -> int:
    """Insert the symbols with their words, and return the number of the first."""
    last = connection.execute("SELECT coalesce(max(id), 0) FROM symbols").fetchone()[0]
    first = int(last) + 1
    symbols = facts.get("symbols", ())
    connection.executemany(
        "INSERT INTO symbols VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (first + number, file, qualname, _name(qualname, path), *rest[:4],
             "\n".join(rest[4]), *rest[5:])
            for number, (qualname, *rest) in enumerate(symbols)
        ),
    )  # fmt: skip
    connection.executemany(
        "INSERT INTO symbol_words (rowid, name, around, summary) VALUES (?, ?, ?, ?)",
        ((first + number, *words) for number, words in enumerate(facts.get("words", ()))),
    )
    return first


def _add_outline(connection: sqlite3.Connection, file: int | None, facts: dict[str, Any]) -> None:
    outline = facts.get("outline")
    if not outline:
        return
    last = connection.execute("SELECT coalesce(max(id), 0) FROM outline").fetchone()[0]
    connection.executemany(
        "INSERT INTO outline VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        ((last + n, file, *row) for n, row in enumerate(outline, start=1)),
    )
    connection.executemany(
        "INSERT INTO symbol_words (rowid, name, around, summary) VALUES (?, ?, ?, ?)",
        ((-last - n, *words) for n, words in enumerate(facts["outline_words"], start=1)),
    )


def _add_sections(connection: sqlite3.Connection, file: int | None, sections: Any) -> None:
    if not sections:
        return
    last = connection.execute("SELECT coalesce(max(id), 0) FROM sections").fetchone()[0]
    connection.executemany(
        "INSERT INTO sections VALUES (?, ?, ?, ?, ?)",
        ((last + n, file, *row[:3]) for n, row in enumerate(sections, start=1)),
    )
    connection.executemany(
        "INSERT INTO section_words (rowid, title, body) VALUES (?, ?, ?)",
        ((last + n, *row[3:]) for n, row in enumerate(sections, start=1)),
    )


def _row_of_file(table: str, file: int | None, first: int, row: list[Any]) -> tuple[Any, ...]:
    """Return a row with its file and with the number its symbol has here."""
    if table in {"bases", "constants", "models"}:
        symbol, *rest = row
        return file, first + symbol, *rest
    line, symbol, *rest = row
    return file, line, first + symbol, *rest


def _name(qualname: str, path: str) -> str:
    """Return the last name of a symbol. A module is named by its path."""
    return qualname.rpartition(".")[2] or "".join(module_parts(path)[-1:])
