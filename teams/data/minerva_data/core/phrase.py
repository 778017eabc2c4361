"""Cut a sentence into phrases that may be names, by particles, frame words and the glossary."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from minerva_data.core.frame import (
    AFTER_ANCHOR,
    ANCHORS,
    FILLERS,
    LIST_PARTICLES,
    LISTS,
    PARTICLES,
    RELATIVE,
    STOPS,
    is_verb,
)
from minerva_data.core.lookup import Lookup
from minerva_data.core.record import Candidate
from minerva_data.core.segment import refused_parts, splits
from minerva_data.core.text import atoms, has_hangul

_WORD = re.compile(r"[,;|·/&\n]|[.!?…:]+(?=\s|$)|[^\s,;|·/&()\[\]{}<>\"“”‘’]+")
_MARKS = ".!?…:'`~"
_MAX_WORDS = 6
_WHOLE_REQUEST = 6
_MIN_STEM = 2
_CACHED = 4096
_TERM = frozenset({"term_exact", "synonym"})
_NAME = frozenset({"name", "names"})
_FILE = re.compile(r"[\w-]+\.\w+")

Kind = Literal["content", "anchor", "list", "stop", "filler", "of", "for"]


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of the sentence: its stem, what it is, and the particle that followed."""

    text: str
    kind: Kind
    position: int
    particle: str = ""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that may be a name.

    `is_anchored`: a frame word beside it says that a name stands here. `may_be_unknown`: it is
    worth reporting even when the glossary does not know it.
    """

    words: tuple[str, ...]
    position: int
    is_anchored: bool = False
    is_whole_request: bool = False
    may_be_unknown: bool = True


class PhraseReader:
    """Cuts sentences with the vocabulary of one glossary."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._areas = frozenset(lookup.glossary.subject_areas)
        self._best = lru_cache(_CACHED)(lookup.best)
        self._is_known = lru_cache(_CACHED)(self._explained)

    def is_frame(self, text: str) -> bool:
        """Tell whether `text` only frames names: `컬럼`, `standard`, a subject area."""
        word = text.casefold()
        return word in ANCHORS or word in STOPS or word in FILLERS or text in self._areas

    def phrases(self, text: str) -> list[Phrase]:
        """Return the phrases of `text`; phrases in one list share an anchor."""
        words = self._words(text)
        groups = list(_groups(words))
        only = not any(word.kind in {"anchor", "stop"} for word in words)
        few = sum(word.kind == "content" for word in words) <= _WHOLE_REQUEST
        return [
            replace(phrase, is_anchored=anchored, is_whole_request=only and few)
            for anchored, group in groups
            for phrase in group
        ]

    def longest_name(self, phrase: Phrase) -> str | None:
        """Return the phrase, or its longest end after known words, if that is a name.

        An unknown word before a known name (`양자 환자 이름`) makes the whole unknown: to drop
        it would answer another question.
        """
        whole = " ".join(phrase.words)
        found = self._best(whole)
        if found is not None and _is_name(found):
            return whole
        for start in range(1, len(phrase.words)):
            if not self._is_known(phrase.words[start - 1]):
                break
            text = " ".join(phrase.words[start:])
            end = self._best(text)
            if end is not None and end.method in _TERM and (len(phrase.words) - start > 1):
                return text
        return whole if found is not None else None

    def names_inside(self, phrase: Phrase) -> Iterator[str]:
        """Yield the longest names in a phrase nobody marked as one: terms, or whole compositions."""
        start = 0
        while start < len(phrase.words):
            for end in range(min(len(phrase.words), start + _MAX_WORDS), start, -1):
                text = " ".join(phrase.words[start:end])
                found = self._best(text)
                if found is not None and _is_name(found):
                    yield text
                    start = end - 1
                    break
            start += 1

    def _words(self, text: str) -> list[_Word]:
        words: list[_Word] = []
        for hit in _WORD.finditer(text):
            stripped = hit.group().strip(_MARKS) or hit.group()
            before = words[-1].kind if words else "stop"
            words.append(self._word(stripped, hit.start(), before))
        return [self._settled(words, index) for index in range(len(words))]

    @staticmethod
    def _settled(words: list[_Word], index: int) -> _Word:
        """Decide on `name`: a part of `patient name` and `name of …`, else a verb or a frame."""
        word = words[index]
        if word.kind != "content" or word.text.casefold() not in _NAME:
            return word
        after = words[index + 1].kind if index + 1 < len(words) else "stop"
        before = words[index - 1].kind if index else "stop"
        return word if before == "content" or after == "of" else replace(word, kind="stop")

    def _word(self, text: str, position: int, before: Kind) -> _Word:
        stem, particle = self._stem(text)
        folded = stem.casefold()
        kind: Kind = "content"
        if before == "anchor" and folded in AFTER_ANCHOR:
            kind = "anchor"
        elif folded in LISTS:
            kind = "list"
        elif text in PARTICLES:  # left over from a name in quotation marks
            kind = "list" if text in LIST_PARTICLES else "filler"
        elif folded in {"of", "for"}:
            kind = "of" if folded == "of" else "for"
        elif folded in FILLERS:
            kind = "filler"
        elif folded in ANCHORS or (is_verb(text) and folded.startswith("표준화")):
            kind = "anchor"
        elif folded in STOPS or stem in self._areas or not _is_word(stem):
            kind = "stop"
        elif not self._is_known(stem) and is_verb(text):
            kind = "stop"
        return _Word(stem, kind, position, particle)

    def _stem(self, word: str) -> tuple[str, str]:
        """Part a Korean word from its particle; a word the glossary knows is left whole."""
        if not has_hangul(word) or self.is_frame(word) or self._is_known(word):
            return word, ""
        for particle in PARTICLES:
            stem = word.removesuffix(particle)
            if stem and stem != word and (self.is_frame(stem) or self._is_known(stem)):
                return stem, particle
        relative = RELATIVE.fullmatch(word)
        if relative and self._is_known(relative.group(1)):
            return relative.group(1), ""
        for particle in PARTICLES:
            stem = word.removesuffix(particle)
            if stem != word and len(stem) >= _MIN_STEM and not is_verb(word):
                return stem, particle
        return word, ""

    def _explained(self, word: str) -> bool:
        """Whether the glossary's words explain all of `word`."""
        if word.casefold().removesuffix("'s") in self._lookup.glossary.terms_by_synonym:
            return True
        found = splits(atoms(word.removesuffix("'s").removesuffix("’s")), self._lookup.phrases)
        return any(not refused_parts(split) for split in found)


def _groups(words: list[_Word]) -> Iterator[tuple[bool, list[Phrase]]]:
    """Yield lists of phrases, and whether an anchor stands beside the list.

    An anchor stands after the names (`환자명의 약어`, `the patient name column`) or, in
    English, before them with `of` or `for`.
    """
    group: list[Phrase] = []
    current: list[_Word] = []
    anchored = False
    for index, word in enumerate(words):
        following = words[index + 1] if index + 1 < len(words) else None
        if word.kind == "content":
            current.append(word)
            if word.particle and not _joins(word, following):
                _close(current, group)
                if _ends_list(word, following):
                    yield anchored, group
                    group, anchored = [], False
        elif word.kind == "of" and current and _goes_on(words, index + 1):
            current.append(word)
        elif word.kind == "list" and (current or group):
            _close(current, group)
        elif word.kind == "filler" and current and current[-1].kind == "of":
            continue
        elif word.kind not in {"filler", "list"} or current:
            _close(current, group)
            if group:
                yield anchored or word.kind == "anchor", group
                group, anchored = [], False
            if word.kind in {"of", "for"}:
                anchored = bool(index) and words[index - 1].kind == "anchor"
            else:
                anchored = False
    _close(current, group)
    if group:
        yield anchored, group


def _ends_list(word: _Word, following: _Word | None) -> bool:
    """Whether a particle ends the list: another name follows, and no `와` between them."""
    if word.particle in LIST_PARTICLES:
        return False
    return following is None or following.kind == "content"


def _is_word(text: str) -> bool:
    """Whether `text` may be a part of a name: marks and file names are not."""
    return any(char.isalnum() for char in text) and not _FILE.fullmatch(text)


def _joins(word: _Word, following: _Word | None) -> bool:
    """Whether a genitive ties two words to one name: `환자의 이름`."""
    return word.particle == "의" and following is not None and following.kind == "content"


def _goes_on(words: list[_Word], index: int) -> bool:
    """Whether content follows an `of`, articles aside."""
    rest = (word.kind for word in words[index : index + 3] if word.kind != "filler")
    return next(rest, "stop") == "content"


def _close(current: list[_Word], group: list[Phrase]) -> None:
    if current:
        group.append(Phrase(tuple(word.text for word in current), current[0].position))
        current.clear()


def _is_name(found: Candidate) -> bool:
    """Whether a candidate is surely a name: a term, or several words with a class word's domain."""
    return found.method in _TERM or (
        len(found.words) > 1 and found.domain is not None
    )
