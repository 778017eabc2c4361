"""Glossaries that were imported, kept in one SQLite file: `glossary.db` in MINERVA's home.

Several glossaries stand beside each other, each in its editions. Of one glossary only one
edition answers, the newest unless another is asked for, so that editions never mix. Readers
see the last finished import while a writer works.
"""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from minerva_data.core.glossary.calibration import Calibration
from minerva_data.core.glossary.entry import (
    OTHERS,
    Alias,
    AliasKind,
    Domain,
    Draft,
    Kind,
    Origin,
    Place,
    SubjectArea,
    Term,
    Word,
)
from minerva_data.core.glossary.glossary import SEED_NAME, Glossary, seed_glossary
from minerva_data.core.glossary.merging import Layer, glossary_to_layer, merge_layers
from minerva_data.core.store.schema import StoreError, connect
from minerva_data.core.store.search import Hit, search, search_seed

_EntryT = TypeVar("_EntryT", Term, Word, Domain)
_WORD_ALIASES: tuple[AliasKind, ...] = ("synonym", "forbidden")
FILE = "glossary.db"
"""The store's name in MINERVA's home."""

GlossaryKind = Literal["org", "public"]
"""Whose it is: an organisation's goes before a public one, and the bundled one comes last."""

_ORDER: dict[GlossaryKind, int] = {"org": 0, "public": 1}
_NUMBER = re.compile(r"(\d+)")
_AT = "@"


@dataclass(frozen=True, slots=True)
class StoredRow:
    """An entry with the key it is stored under and the file it came from."""

    key: str
    file: str
    draft: Draft


def read_rows(connection: sqlite3.Connection, edition_id: int) -> Iterator[StoredRow]:
    """Yield the entries of an edition in the order in which they were imported."""
    rows = connection.execute(
        "SELECT e.kind, e.key, e.name, e.sheet, e.row, e.is_retired, e.support, e.body, i.file"
        " FROM entry e JOIN import i ON i.id = e.import_id WHERE e.edition_id = ? ORDER BY e.id",
        (edition_id,),
    )
    for kind, key, name, sheet, row, is_retired, support, body, file in rows:
        place = Place(row, sheet)
        fields: dict[str, Any] = json.loads(body)
        draft = Draft(cast("Kind", kind), name, fields, place, bool(is_retired), support)
        yield StoredRow(key, file, draft)


def rows_to_layer(glossary: str, edition: str, rows: Iterable[StoredRow]) -> Layer:
    """Return the entries of one edition, each with the row to cite."""
    layer = Layer(glossary)
    for row in rows:
        draft = row.draft
        origin = _origin(glossary, edition, row)
        if draft.kind == "term":
            layer.terms.append((row.key, _term(draft, origin)))
        elif draft.kind == "word":
            words = layer.words if draft.support is None else layer.learned_words
            others = tuple(draft.body.get(OTHERS, ()))
            words.append((row.key, _entry(Word, draft, origin, others=others)))
            layer.aliases += [
                Alias(text, kind, (draft.name,), origin)
                for kind in _WORD_ALIASES
                for text in draft.body.get(kind, ())
            ]
        elif draft.kind == "domain":
            domains = layer.domains if draft.support is None else layer.learned_domains
            domains.append((row.key, _entry(Domain, draft, origin)))
        elif draft.kind == "alias":
            alias_kind = cast("AliasKind", draft.body["kind"])
            layer.aliases.append(Alias(draft.name, alias_kind, tuple(draft.body["target"]), origin))
        else:
            layer.subject_areas.append(SubjectArea(draft.name, draft.body["english"], origin))
    return layer


def _origin(glossary: str, edition: str, row: StoredRow) -> Origin:
    draft = row.draft
    learned = f", learned from {draft.support} terms" if draft.support is not None else ""
    where = f"{draft.place}{learned}"
    return Origin(glossary, draft.kind, draft.place.row, where, edition, row.file)


def _term(draft: Draft, origin: Origin) -> Term:
    synonyms = tuple(draft.body["synonyms"])
    return _entry(Term, draft, origin, synonyms=synonyms, is_retired=draft.is_retired)


def _entry(kind: type[_EntryT], draft: Draft, origin: Origin, **values: Any) -> _EntryT:
    """Return an entry whose fields are those of its body, unless `values` has them."""
    names = (field.name for field in fields(kind))
    said: dict[str, Any] = {name: draft.body[name] for name in names if name in draft.body}
    said.update(values, name=draft.name, origin=origin)
    return kind(**said)


@dataclass(frozen=True, slots=True)
class Edition:
    """An edition of a glossary. `entries` counts by kind, learned ones included."""

    id: int
    glossary: str
    kind: GlossaryKind
    edition: str
    is_newest: bool
    imported_at: str
    files: tuple[tuple[str, str], ...]
    """File name and sha256 of each import, the latest first."""
    entries: dict[str, int]
    retired_count: int
    learned_count: int


def edition_order(edition: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key of editions: numbers in them count as numbers, so 10 is newer than 9."""
    parts = _NUMBER.split(edition)
    return tuple((1, int(part), "") if part.isdecimal() else (0, 0, part) for part in parts)


class GlossaryStore(AbstractContextManager["GlossaryStore"]):
    """The glossaries in one file, which is made when it is first written. For one thread."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @property
    def connection(self) -> sqlite3.Connection:
        """The open file.

        Raises:
            StoreError: it cannot be used.
        """
        if self._connection is None:
            self._connection = connect(self.path)
        return self._connection

    @contextmanager
    def writing(self) -> Generator[sqlite3.Connection]:
        """Give the one writer's transaction: all of the block is kept, or nothing of it.

        Raises:
            StoreError: another process writes and does not end, or the disk is full.
        """
        connection = self.connection
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            message = f"{self.path} is being written to. Try again when that import has ended."
            raise StoreError(message) from error
        try:
            yield connection
            connection.execute("UPDATE state SET generation = generation + 1")
            connection.execute("COMMIT")
        except BaseException as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                message = f"{self.path} cannot be written ({error}); it stays as it was."
                raise StoreError(message) from error
            raise

    @property
    def generation(self) -> int:
        """A number that grows with each write: what was built of an older one is stale."""
        if not self.path.exists():
            return 0
        (generation,) = self.connection.execute("SELECT generation FROM state").fetchone()
        return int(generation)

    def editions(self) -> tuple[Edition, ...]:
        """Return all editions: glossaries in order of precedence, the newest edition first."""
        if not self.path.exists():
            return ()
        rows = self.connection.execute(
            "SELECT e.id, g.name, g.kind, e.edition FROM edition e"
            " JOIN glossary g ON g.id = e.glossary_id ORDER BY g.id"
        ).fetchall()
        places = {name: place for place, name in enumerate(dict.fromkeys(r[1] for r in rows))}
        rows.sort(key=lambda row: edition_order(row[3]), reverse=True)
        rows.sort(key=lambda row: (_ORDER[row[2]], places[row[1]]))
        newest = {row[1]: row[0] for row in reversed(rows)}
        return tuple(self._edition(row, is_newest=newest[row[1]] == row[0]) for row in rows)

    def glossary(self, names: Sequence[str] | None = None) -> Glossary:
        """Return one glossary made of those in `names`, earlier ones before later ones.

        A name is a glossary's, or `NAME@EDITION`. Without names all answer, each with its
        newest edition: organisations' before public ones, the bundled one last.

        Raises:
            StoreError: a name is not in the store, or a glossary is named twice.
        """
        chosen = self.choose_editions(names)
        if chosen == [None]:
            return seed_glossary()
        return merge_layers(
            [
                glossary_to_layer(seed_glossary()) if edition is None else self._layer(edition)
                for edition in chosen
            ]
        )

    def _layer(self, edition: Edition) -> Layer:
        rows = self.connection.execute(
            "SELECT cell, asked, is_right FROM calibration WHERE edition_id = ?", (edition.id,)
        )
        counts = {tuple(json.loads(cell)): (total, right) for cell, total, right in rows}
        layer = rows_to_layer(edition.glossary, edition.edition, self.rows(edition))
        layer.calibration = Calibration(counts)
        return layer

    def choose_editions(self, names: Sequence[str] | None = None) -> list[Edition | None]:
        """Return the editions that `names` choose, in order; None is the bundled glossary.

        Raises:
            StoreError: a name is not in the store, or a glossary is named twice.
        """
        editions = self.editions()
        if names is None:
            return [*(edition for edition in editions if edition.is_newest), None]
        found = [_find_edition(name, editions) for name in names]
        counts = Counter(edition.glossary if edition else SEED_NAME for edition in found)
        for name, count in counts.items():
            if count > 1:
                message = f"`{name}` is named {count} times; only one edition of it can answer."
                raise StoreError(message)
        return found

    def search(
        self, text: str, *, names: Sequence[str] | None = None, limit: int = 20
    ) -> tuple[Hit, ...]:
        """Return the entries most like `text`, retired ones too; they only ever propose."""
        chosen = self.choose_editions(names)
        editions = [edition.id for edition in chosen if edition is not None]
        hits = search(self.connection, text, editions, limit=limit) if editions else ()
        if chosen == [None]:
            hits = search_seed(text, limit=limit)
        return tuple(sorted(hits, key=lambda hit: -hit.score)[:limit])

    def rows(self, edition: Edition) -> Iterator[StoredRow]:
        """Yield the entries of an edition in the order in which they were imported."""
        return read_rows(self.connection, edition.id)

    def remove(self, name: str) -> tuple[Edition, ...]:
        """Remove a glossary, or one edition of it (`NAME@EDITION`); return what is gone.

        Raises:
            StoreError: it is not in the store.
        """
        wanted, _, edition = name.partition(_AT)
        known = self.editions()
        gone = tuple(
            one for one in known if one.glossary == wanted and edition in {"", one.edition}
        )
        if not gone:
            raise _unknown(name, known)
        with self.writing() as connection:
            for one in gone:
                connection.execute("DELETE FROM entry WHERE edition_id = ?", (one.id,))
                connection.execute("DELETE FROM edition WHERE id = ?", (one.id,))
            connection.execute(
                "DELETE FROM glossary WHERE id NOT IN (SELECT glossary_id FROM edition)"
            )
        return gone

    def _edition(self, row: tuple[int, str, GlossaryKind, str], *, is_newest: bool) -> Edition:
        edition_id, name, kind, edition = row
        imports = self.connection.execute(
            "SELECT file, sha256, imported_at FROM import WHERE edition_id = ? ORDER BY id DESC",
            (edition_id,),
        ).fetchall()
        counts = self.connection.execute(
            "SELECT kind, count(*), total(is_retired), count(support) FROM entry"
            " WHERE edition_id = ? GROUP BY kind ORDER BY kind",
            (edition_id,),
        ).fetchall()
        return Edition(
            id=edition_id,
            glossary=name,
            kind=kind,
            edition=edition,
            is_newest=is_newest,
            imported_at=imports[0][2] if imports else "",
            files=tuple((file, sha256) for file, sha256, _ in imports),
            entries={row[0]: row[1] for row in counts},
            retired_count=int(sum(row[2] for row in counts)),
            learned_count=sum(row[3] for row in counts),
        )


def _find_edition(name: str, editions: Sequence[Edition]) -> Edition | None:
    if name == SEED_NAME:
        return None
    wanted, _, edition = name.partition(_AT)
    for one in editions:
        if one.glossary == wanted and (one.edition == edition if edition else one.is_newest):
            return one
    raise _unknown(name, editions)


def _unknown(name: str, editions: Sequence[Edition]) -> StoreError:
    known = [*(f"{one.glossary}{_AT}{one.edition}" for one in editions), SEED_NAME]
    return StoreError(f"There is no glossary `{name}`. There are: {', '.join(known)}.")
