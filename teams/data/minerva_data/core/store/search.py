"""Find entries of the store by what people type: shared letters propose, likeness orders.

SQLite's trigrams miss words of two syllables, the usual length of a Korean noun, so pairs of
letters are indexed beside them.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from rapidfuzz.fuzz import ratio

from minerva_data.core.glossary.entry import Draft, Kind, Term, Word
from minerva_data.core.glossary.glossary import SEED_NAME, seed_glossary
from minerva_data.core.language.text import has_hangul, key

_MAX_PROPOSED = 200
"""Entries that each index proposes, before likeness orders them."""

_MAX_CHARACTERS = 200
"""Letters of a text that are searched for."""

_LIKE = 0.5
"""Likeness from which an entry is worth showing."""

_TRIGRAM = 3
"""Letters of a piece in the index of that name; a shorter text has none."""

_SPELLINGS = "\n"


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry that a search found; `score` is its likeness, 1 for the same letters."""

    glossary: str
    edition: str
    kind: Kind
    name: str
    body: dict[str, Any]
    file: str
    sheet: str
    row: int
    is_retired: bool
    is_learned: bool
    score: float


def unindex(connection: sqlite3.Connection, entry_id: int) -> None:
    """Forget by what an entry was found."""
    for table in ("trigram", "bigram"):
        connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (entry_id,))  # noqa: S608  # ours


def index(connection: sqlite3.Connection, entry_id: int, draft: Draft) -> None:
    """Make a new entry findable by its name and its other spellings."""
    keys = [key(text) for text in (draft.name, *draft.also)]
    spellings = [spelling for spelling in dict.fromkeys(keys) if spelling]
    pairs = " ".join(pair for spelling in spellings for pair in _grams(spelling, 2))
    for table, text in (("trigram", _SPELLINGS.join(spellings)), ("bigram", pairs)):
        connection.execute(f"INSERT INTO {table} (rowid, text) VALUES (?, ?)", (entry_id, text))  # noqa: S608  # ours


def search(
    connection: sqlite3.Connection, text: str, editions: Sequence[int], *, limit: int
) -> tuple[Hit, ...]:
    """Return the entries of `editions` that are most like `text`."""
    wanted = key(text)[:_MAX_CHARACTERS]
    found: dict[int, Hit] = {}
    for table, query in _queries(wanted):
        for entry_id, hit in _search_table(connection, table, query, editions, wanted):
            if hit.score >= _LIKE:
                found.setdefault(entry_id, hit)
    hits = sorted(found.values(), key=lambda hit: (-hit.score, hit.name, hit.glossary))
    return tuple(hits[:limit])


def term_names(
    connection: sqlite3.Connection, text: str, editions: Sequence[int], *, limit: int
) -> tuple[str, ...]:
    """Return the names of current terms by how rare the pieces are that they share with `text`."""
    marks = ", ".join("?" * len(editions))
    found: dict[str, None] = {}
    wanted = key(text)[:_MAX_CHARACTERS]
    pairs = [pair for pair in _grams(wanted, 2) if has_hangul(pair)]  # Latin ones are everywhere
    triples = _grams(wanted, _TRIGRAM) if len(wanted) >= _TRIGRAM else []
    for table, grams in (("bigram", pairs), ("trigram", triples)):
        if not grams:
            continue
        query = " OR ".join(map(_quoted, grams))
        rows = connection.execute(
            f"SELECT e.name FROM (SELECT rowid AS id, rank FROM {table} WHERE text MATCH ?"  # noqa: S608  # ours
            f" ORDER BY rank LIMIT {_MAX_PROPOSED // 4}) f JOIN entry e ON e.id = f.id"
            f" WHERE e.edition_id IN ({marks}) AND e.kind = 'term' AND NOT e.is_retired"
            " ORDER BY f.rank",
            (query, *editions),
        )
        found.update((name, None) for (name,) in rows)
    return tuple(found)[:limit]


def search_seed(text: str, *, limit: int) -> tuple[Hit, ...]:
    """Return the terms and words of the bundled glossary that are like `text`."""
    wanted, glossary = key(text)[:_MAX_CHARACTERS], seed_glossary()
    entries: list[tuple[Kind, Term | Word, dict[str, Any], tuple[str, ...]]] = [
        ("term", term, {"physical_name": term.physical_name, "domain": term.domain}, term.synonyms)
        for term in glossary.terms.values()
    ]
    entries.extend(
        ("word", word, {"abbreviation": word.abbreviation}, (word.english,))
        for word in glossary.words.values()
    )
    hits = [
        Hit(
            glossary=SEED_NAME,
            edition=entry.origin.edition,
            kind=kind,
            name=entry.name,
            body=body,
            file=entry.origin.place,
            sheet="",
            row=entry.origin.row,
            is_retired=isinstance(entry, Term) and entry.is_retired,
            is_learned=False,
            score=round(max(ratio(wanted, key(said)) for said in (entry.name, *also)) / 100, 3),
        )
        for kind, entry, body, also in entries
    ]
    like = sorted((hit for hit in hits if hit.score >= _LIKE), key=lambda hit: -hit.score)
    return tuple(like[:limit])


def _queries(text: str) -> Iterator[tuple[str, str]]:
    if len(text) == 1:
        yield "bigram", f"{_quoted(text)}*"
    elif text:
        yield "bigram", " OR ".join(map(_quoted, _grams(text, 2)))
    if len(text) >= _TRIGRAM:
        yield "trigram", " OR ".join(map(_quoted, _grams(text, _TRIGRAM)))


def _grams(text: str, size: int) -> list[str]:
    return [text[i : i + size] for i in range(max(1, len(text) - size + 1))]


def _quoted(text: str) -> str:
    """Return `text` as FTS5 reads it literally, whatever it holds."""
    return '"' + text.replace('"', '""') + '"'


def _search_table(
    connection: sqlite3.Connection, table: str, query: str, editions: Sequence[int], text: str
) -> Iterator[tuple[int, Hit]]:
    marks = ", ".join("?" * len(editions))
    rows = connection.execute(
        "SELECT e.id, g.name, d.edition, e.kind, e.name, e.body, i.file, e.sheet, e.row,"  # noqa: S608  # ours
        " e.is_retired, e.support, t.text"
        f" FROM {table} f JOIN entry e ON e.id = f.rowid"
        " JOIN trigram t ON t.rowid = e.id"
        " JOIN import i ON i.id = e.import_id"
        " JOIN edition d ON d.id = e.edition_id JOIN glossary g ON g.id = d.glossary_id"
        f" WHERE f.text MATCH ? AND e.edition_id IN ({marks})"
        f" ORDER BY f.rank LIMIT {_MAX_PROPOSED}",
        (query, *editions),
    )
    for row in rows:
        likeness = max(ratio(text, spelling) for spelling in row[11].split(_SPELLINGS))
        yield (
            row[0],
            Hit(
                glossary=row[1],
                edition=row[2],
                kind=cast("Kind", row[3]),
                name=row[4],
                body=json.loads(row[5]),
                file=row[6],
                sheet=row[7],
                row=row[8],
                is_retired=bool(row[9]),
                is_learned=row[10] is not None,
                score=round(likeness / 100, 3),
            ),
        )
