"""Between rows of the store and the entries that the core works with."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any, TypeVar, cast

from minerva_data.core.glossary.draft import Draft, Kind, Place
from minerva_data.core.glossary.entry import (
    Alias,
    AliasKind,
    Domain,
    Origin,
    SubjectArea,
    Term,
    Word,
)
from minerva_data.core.glossary.layer import Layer

_EntryT = TypeVar("_EntryT", Term, Word, Domain)
_WORD_ALIASES: tuple[AliasKind, ...] = ("synonym", "forbidden")


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
            words.append((row.key, _entry(Word, draft, origin)))
            layer.aliases += _word_aliases(draft, origin)
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


def _word_aliases(draft: Draft, origin: Origin) -> list[Alias]:
    return [
        Alias(text, kind, (draft.name,), origin)
        for kind in _WORD_ALIASES
        for text in draft.body.get(kind, ())
    ]


def _entry(kind: type[_EntryT], draft: Draft, origin: Origin, **values: Any) -> _EntryT:
    """Return an entry whose fields are those of its body, unless `values` has them."""
    names = (field.name for field in fields(kind))
    said: dict[str, Any] = {name: draft.body[name] for name in names if name in draft.body}
    said.update(values, name=draft.name, origin=origin)
    return kind(**said)
