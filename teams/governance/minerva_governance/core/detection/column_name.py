"""Which personal data a column's name and comment promise.

A name is a promise, not a proof: without values it makes a column *suspected* only. The kinds
bring their names; `words/column_name.toml` holds the words that refute one.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Final, NamedTuple, get_args

from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.kinds.catalogue import Catalogue
from minerva_governance.core.kinds.kind import Kind, Tail
from minerva_governance.core.kinds.review_context import current_catalogue
from minerva_platform.text import read_words

_WORDS = read_words("minerva_governance.core.detection", "column_name")
_TAILS: Final[tuple[Tail, ...]] = get_args(Tail)
_WORD: Final = re.compile(
    r"""
      [A-Z]+(?![a-z])        # PT_HP_NO, the ID of patientID
    | [A-Z]?[a-z]+           # patient, Name
    | [0-9]+
    | [^\W_a-zA-Z0-9]+       # 환자명
    """,
    re.VERBOSE,
)
_NO_ALPHABET: Final = re.compile(r"[가-힣ぁ-ヿ一-鿿]")
_LATIN_FOLD = str.maketrans(
    {"Ä": "AE", "Ö": "OE", "Ü": "UE", "ß": "SS", "É": "E", "È": "E", "Ê": "E", "Á": "A", "À": "A"}
    | {"Í": "I", "Ó": "O", "Ú": "U", "Ñ": "N", "Ç": "C", "ẞ": "SS", "Ô": "O", "Å": "A"}
    | {"ä": "ae", "ö": "oe", "ü": "ue", "é": "e", "è": "e", "ê": "e", "á": "a", "à": "a"}
    | {"í": "i", "ó": "o", "ú": "u", "ñ": "n", "ç": "c", "ô": "o", "å": "a"}
)
_MAX_RUN_WORDS = 5
_MAX_WORDS = 24
_MAX_NAME_CHARACTERS = 256
_NUMERO: Final = {("NUM",), ("N",)}
_MIN_PLURAL_CHARACTERS = 5
_NUMBERED: Final = re.compile(r"(?P<name>[A-Z]{3,}?)(?:NUMMER|NUMBER|NUM|NBR|NO|NR)")
_DAY_TYPE = re.compile(r"\b(?:date|datetime|timestamp)", re.IGNORECASE)
_FLAG_TYPE = re.compile(
    r"\b(?:bool|boolean|bit)(?:field)?\b(?!\s*(?:varying|\((?!1\))))|\btinyint\s*\(1\)",
    re.IGNORECASE,
)
_REFUTABLE: Final = frozenset(
    {"unique_identifier", "name", "contact", "financial", "online", "credential", "internal_id"}
)
"""Categories whose values are texts and numbers: `diabetes BOOLEAN` tells of a person's health."""


class _Run(NamedTuple):
    """Neighbouring words of a name, glued, that a kind goes by."""

    kind: Kind
    before: tuple[str, ...]
    after: tuple[str, ...]
    is_plural: bool


def promised_entity(
    name: str, comment: str = "", data_type: str = "", table: str = ""
) -> Entity | None:
    """Return what a column called `name` (with `comment`) says it holds, or None.

    The comment is asked first: it is written for people. A `data_type` refutes what cannot be
    of it: a column of true and false is no phone, a time stamp no name. Where neither tells, the
    `table` or model does: `name` of employees is a person's, `number` of a bank card the card's.
    """
    comment, data_type = comment.strip()[:_MAX_NAME_CHARACTERS], data_type[:_MAX_NAME_CHARACTERS]
    catalogue = current_catalogue()
    entity = _entity_of(catalogue, name[:_MAX_NAME_CHARACTERS], comment, data_type)
    subject = _WORD.findall(_ENDING.sub("", table.rpartition("/")[2])[-_MAX_NAME_CHARACTERS:])
    if entity is not None or not subject:
        return entity
    last = subject[-1].removesuffix("s" if len(subject[-1]) >= _MIN_PLURAL_CHARACTERS else " ")
    full_name = "_".join((*subject[-3:-1], last, name))[:_MAX_NAME_CHARACTERS]
    of_table = _entity_of(catalogue, full_name, "", data_type)
    kind = catalogue.get(of_table) if of_table else None
    if kind is None or kind.category not in _TOLD_BY_TABLE:
        return None
    if of_table != _entity_of(catalogue, "_".join((*subject[-3:-1], last)), "", ""):
        return of_table
    ends = [word.upper() for word in _WORD.findall(name)[-1:]]  # the scope of a token is none
    return None if _WORDS.set_of("held").isdisjoint(ends) else of_table


_ENDING: Final = re.compile(r"\.[A-Za-z0-9]{1,8}$")
_TOLD_BY_TABLE: Final = frozenset({"name", "financial", "credential"})
"""Kinds whose columns are called by the half of their name that their table does not say."""


@lru_cache(maxsize=8192)  # code names the same fields again and again
def _entity_of(catalogue: Catalogue, name: str, comment: str, data_type: str) -> Entity | None:
    names = _index(catalogue)
    if comment:
        told, kind = names.of_comment(comment)
        if told:
            return kind and _unless_type_refutes(kind, data_type)
    words = [word.translate(_LATIN_FOLD).upper() for word in _WORD.findall(name)][:_MAX_WORDS]
    if _NO_ALPHABET.search(name):  # a Korean, Japanese or Chinese column name
        told, kind = names.of_comment(name.replace("_", ""))
        if told or not any(map(str.isascii, words)):  # HP번호 has a word of the alphabet
            return kind and _unless_type_refutes(kind, data_type)
    kind = names.of_words(words) if words else None
    return kind and _unless_type_refutes(kind, data_type)


def _unless_type_refutes(kind_id: Entity, data_type: str) -> Entity | None:
    kind = current_catalogue().get(kind_id)
    if not data_type or kind is None or kind.category not in _REFUTABLE:
        return kind_id
    is_day = _DAY_TYPE.search(data_type) is not None and "date" not in kind.also
    is_flag = _FLAG_TYPE.search(data_type) is not None and "flag" not in kind.also
    is_reference = kind.category != "internal_id" and _REFERENCE_TYPE.search(data_type) is not None
    return None if is_day or is_flag or is_reference else kind_id


_REFERENCE_TYPE: Final = re.compile(r"\b(?:ForeignKey|OneToOne|ManyToMany)", re.IGNORECASE)
"""Of a field of code that leads to a record, and holds nothing of it."""


class _Names:
    """The names of one catalogue, ready to be looked up."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.kinds = dict(catalogue.kinds)

    @cached_property
    def by_name(self) -> Mapping[str, Kind]:
        found: dict[str, Kind] = {}
        for kind in self.kinds.values():
            found.update((name, kind) for name in kind.names if name not in found)
        for kind in self.kinds.values():  # a name in full beats one made of `{person}`
            for name in kind.names:
                for spelling in _spellings(name):
                    found.setdefault(spelling, kind)
        return found

    @cached_property
    def comments(self) -> tuple[tuple[Kind, re.Pattern[str]], ...]:
        return tuple(
            (kind, re.compile("|".join(kind.comments), re.IGNORECASE))
            for kind in self.kinds.values()
            if kind.comments
        )

    def of_comment(self, comment: str) -> tuple[bool, Entity | None]:
        """Return whether a comment speaks of personal data, and which it says is there.

        Where several kinds are named, the last word counts: 환자 생년월일 is a day.
        """
        best: tuple[int, int, Kind] | None = None
        for kind, pattern in self.comments:
            for hit in pattern.finditer(comment):
                if best is None or (hit.end(), -hit.start()) > best[:2]:
                    best = (hit.end(), -hit.start(), kind)
        if best is None:
            return False, None
        return True, _unless_refuted(best[2], self._tails_of(comment, best[0]))

    @staticmethod
    def _tails_of(comment: str, end: int) -> set[Tail]:
        """Return what the end of the comment makes of it, unless the match itself reaches there."""
        found: set[Tail] = set()
        for tail in _TAILS:
            for hit in _WORDS.pattern(f"comment.{tail}").finditer(comment):
                if hit.end() > end:
                    found.add(tail)
        return found

    def of_words(self, words: list[str]) -> Entity | None:
        # A column that is called after a person and no more refers to one: `user`, `pupils`.
        is_alone = len(words) == 1 and words[0] not in self.by_name
        if is_alone and self._is_reference(words[0]):
            return "INTERNAL_ID" if "INTERNAL_ID" in self.kinds else None
        best: _Run | None = None
        size = 0
        for run, length in self._runs(words):
            if length >= size:  # of two as long, the later: the head of an English name is last
                best, size = run, length
        return self._judge(best) if best else None

    def _runs(self, words: list[str]) -> Iterator[tuple[_Run, int]]:
        for start in range(len(words)):
            for end in range(start + 1, min(start + _MAX_RUN_WORDS, len(words)) + 1):
                compound = "".join(words[start:end])
                kind = self._kind_of(compound)
                if kind is None:
                    continue
                before, after = tuple(words[:start]), tuple(words[end:])
                if set(before).isdisjoint(kind.not_after) and set(after).isdisjoint(
                    kind.not_before
                ):
                    is_plural = compound not in self.by_name and compound.endswith("S")
                    yield _Run(kind, before, after, is_plural), len(compound)

    def _kind_of(self, compound: str) -> Kind | None:
        """Return the kind that goes by `compound`, its plural or its number: telnr, ssnnum."""
        kind = self.by_name.get(compound)
        if kind is None and len(compound) >= _MIN_PLURAL_CHARACTERS:
            kind = self.by_name.get(compound.removesuffix("S"))
            numbered = None if kind else _NUMBERED.fullmatch(compound)
            kind = self.by_name.get(numbered["name"]) if numbered else kind
            if numbered and kind and "key" not in kind.also:
                return None
        return kind

    def _judge(self, run: _Run) -> Entity | None:
        tails: set[Tail] = {
            tail for tail in _TAILS if not _WORDS.set_of(f"after.{tail}").isdisjoint(run.after)
        }
        if {"code", "key"} <= tails and "CONCEPT" in run.after:
            tails -= {"key"}  # OMOP's *_concept_id is a code
        counts = _WORDS.set_of("before.count")
        if run.before[-1:] in _NUMERO and "key" in run.kind.also and not run.is_plural:
            counts -= {run.before[-1]}  # num_tel is the number of a phone, num_phones of phones
        is_count = not counts.isdisjoint(run.before)
        if is_count or (run.before[:1] and run.before[0] in _WORDS.set_of("before.flag")):
            tails.add("about" if is_count else "flag")
        return _unless_refuted(run.kind, tails)

    @staticmethod
    def _is_reference(word: str) -> bool:
        return not _WORDS.set_of("reference").isdisjoint({word, word.removesuffix("S")})


def _unless_refuted(kind: Kind, tails: set[Tail]) -> Entity | None:
    refuting = tails - kind.also
    if not refuting:
        return kind.id
    # 진단번호 leads to a diagnosis and tells none; a code of a flag or a count leads nowhere.
    leads = refuting == {"key"} and kind.category in {"health", "name", "contact"}
    return "INTERNAL_ID" if leads else None


@lru_cache(maxsize=16)
def _index(catalogue: Catalogue) -> _Names:
    return _Names(catalogue)


def _spellings(name: str) -> Iterator[str]:
    """Yield the names that `{person}NAME` stands for."""
    for group in ("person", "case", "card"):
        place = f"{{{group}}}"
        if place in name:
            for word in _WORDS[group]:
                yield name.replace(place, word)
            return
    yield name
