"""Cut a sentence into phrases that may be names, by particles, frame words and the glossary."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from minerva_data.core.english import part_of_name
from minerva_data.core.frame import (
    AFTER_ANCHOR,
    ANCHORS,
    ATTRIBUTIVE,
    FILLERS,
    LIGHT_VERBS,
    LISTS,
    OUTCOMES,
    PARTICLES,
    RELATIVE,
    STOPS,
    is_verb,
)
from minerva_data.core.grouping import Kind, Phrase, Word, groups
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
_MAY_BE_NAMED = frozenset({"stop", "filler"})
_IN_NAMES = frozenset({"content", "of", "filler"})
_FILE = re.compile(r"[\w-]+\.\w+")
_SUBJECT = frozenset({"이", "가"})
_FOR = "용"
_POSSESSIVE = re.compile(r"['’]s$")
_STANDARDISE = "표준화"
_FRAMES: tuple[tuple[frozenset[str], Kind], ...] = (
    (LISTS, "list"),
    (frozenset(PARTICLES), "filler"),  # left over from a name in quotation marks
    (frozenset({"of"}), "of"),
    (frozenset({"for"}), "for"),
    (FILLERS, "filler"),
    (ANCHORS | OUTCOMES, "anchor"),
    (STOPS, "stop"),
)


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
        framing = word in ANCHORS or word in OUTCOMES or word in STOPS or word in FILLERS
        return framing or text in self._areas

    def phrases(self, text: str) -> list[Phrase]:
        """Return the phrases of `text`; phrases in one list share an anchor."""
        words = self._words(text)
        lists = list(groups(words))
        only = not any(word.kind in {"anchor", "stop"} for word in words)
        few = sum(word.kind == "content" for word in words) <= _WHOLE_REQUEST
        return [
            replace(phrase, is_anchored=anchored, is_whole_request=only and few)
            for anchored, group in lists
            for phrase in self._owned(group)
        ]

    def _owned(self, group: list[Phrase]) -> list[Phrase]:
        """Let `patient's height and weight` ask for both of the patient, where both are terms."""
        owner = group[0].words[0]
        if not _POSSESSIVE.search(owner):
            return group
        owned = [group[0]]
        for phrase in group[1:]:
            words = (owner, *phrase.words)
            found = self._best(" ".join(words))
            is_term = found is not None and found.method in _TERM
            owned.append(replace(phrase, words=words) if is_term else phrase)
        return owned

    def longest_name(self, phrase: Phrase) -> str | None:
        """Return the phrase, or its longest end after known words, if that is a name.

        An unknown word before a known name (`양자 환자 이름`) makes the whole unknown: to drop
        it would answer another question.
        """
        phrase = self._without_frame(phrase)
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

    def _without_frame(self, phrase: Phrase) -> Phrase:
        """Drop a name's `name`: `입원일자 이름`, `name of admission date` ask for 입원일자.

        Not where the whole is a term (코드 이름), or the rest says no kind of value (환자 이름).
        """
        words = phrase.words
        inner = words[2:] if words[:2] == ("name", "of") else words[:-1]
        framed = words[:2] == ("name", "of") or words[-1].casefold() in AFTER_ANCHOR
        if not framed or not inner:
            return phrase
        whole, rest = self._best(" ".join(words)), self._best(" ".join(inner))
        is_term = whole is not None and whole.method in _TERM
        if is_term or rest is None or rest.domain is None:
            return phrase
        return replace(phrase, words=inner)

    def names_inside(self, phrase: Phrase) -> Iterator[str]:
        """Yield the longest names in a phrase that nobody marked as one."""
        phrase = self._without_frame(phrase)
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

    def _words(self, text: str) -> list[Word]:
        hits = list(_WORD.finditer(text))
        texts = [hit.group().strip(_MARKS) or hit.group() for hit in hits]
        words: list[Word] = []
        for index, (stripped, hit) in enumerate(zip(texts, hits, strict=True)):
            before = words[-1].kind if words else "stop"
            if stripped not in LIGHT_VERBS or before != "content":
                words.append(self._word(texts[index : index + 3], hit.start(), before))
        words = self._whole_terms(words)
        return [self._settled(words, index) for index in range(len(words))]

    def _whole_terms(self, words: list[Word]) -> list[Word]:
        """Read `test result value` and `정렬 순서` as content, though 정렬 mostly frames a name.

        Only where the glossary has the whole as a term, or a name goes on on both sides: to
        answer 순서 alone would be wrong.
        """
        found = list(words)
        for index, word in enumerate(words):
            if word.kind not in _MAY_BE_NAMED or not self._may_be_named(words, index):
                continue
            for start, end in _spans_around(words, index):
                best = self._best(" ".join(other.text for other in words[start:end]))
                inside = start < index < end - 1 or word.kind == "filler" or has_hangul(word.text)
                if best is not None and (best.method in _TERM or (inside and _is_name(best))):
                    found[index] = replace(word, kind="content")
                    break
        return found

    def _may_be_named(self, words: list[Word], index: int) -> bool:
        """Whether a frame word is a word of the glossary, too: 정렬, `last`, `created by`."""
        word = words[index]
        before = words[index - 1].text if index else ""
        return self._is_known(word.text) or bool(before and self._is_known(f"{before} {word.text}"))

    def _settled(self, words: list[Word], index: int) -> Word:
        """Decide on `name`: a part of `patient name` and `name of …`, else a verb or a frame.

        `length of stay` is a name, too, where the glossary knows it as a whole.
        """
        word = words[index]
        following = words[index + 1].text if index + 1 < len(words) else ""
        if word.kind == "for" and self._means_of(words, index):
            return replace(word, text="of", kind="of")
        if word.kind == "filler" and part_of_name(f"{word.text} {following}"):
            return replace(word, kind="content")
        if word.text.casefold() in OUTCOMES and index + 2 < len(words):
            following = words[index + 1 : index + 3]
            whole = " ".join((word.text, *(other.text for other in following)))
            if following[0].kind == "of" and self._best(whole) is not None:
                return replace(word, kind="content")
        if word.kind != "content" or word.text.casefold() not in _NAME:
            return word
        after = words[index + 1].kind if index + 1 < len(words) else "stop"
        before = words[index - 1].kind if index else "stop"
        return word if before == "content" or after == "of" else replace(word, kind="stop")

    def _means_of(self, words: list[Word], index: int) -> bool:
        """Whether a `for` joins a name: `reason for cancellation`, not `abbreviation for …`."""
        before = words[index - 1] if index else None
        after = next((word for word in words[index + 1 :] if word.kind != "filler"), None)
        if before is None or after is None or {before.kind, after.kind} != {"content"}:
            return False
        found = self._best(f"{before.text} of {after.text}")
        return found is not None and (found.method in _TERM or len(found.words) > 1)

    def _word(self, texts: list[str], position: int, before: Kind) -> Word:
        """Read the first of `texts`; the others follow it in the sentence."""
        text, *following = texts
        stem, particle = self._stem(text)
        if particle and self._goes_on(text, particle, following):
            stem, particle = (stem, "의") if particle in _SUBJECT else (text, "")
        if before == "anchor" and stem.casefold() in AFTER_ANCHOR:
            return Word(stem, "anchor", position, particle)
        if ATTRIBUTIVE.fullmatch(text) and following and self._frames(following[0]):
            return Word(text, "filler", position)
        kind = self._frame_kind(stem)
        if kind == "content" and is_verb(text) and not self._is_known(stem):
            kind = "anchor" if text.startswith(_STANDARDISE) else "stop"
        return Word(stem, kind, position, particle)

    def _frames(self, text: str) -> bool:
        return self.is_frame(self._stem(text)[0])

    def _goes_on(self, text: str, particle: str, following: list[str]) -> bool:
        """Whether a name goes on after what looks like a particle.

        `외국인 등록번호` is one word of the glossary; `환자가 태어난 날짜`, `환자가 입원한 날짜`
        say what 환자의 says.
        """
        if particle not in _SUBJECT:
            return bool(following) and self._is_known(f"{text} {following[0]}")
        relative = RELATIVE.fullmatch(following[0]) if following else None
        if relative is not None and self._is_known(relative.group(1)):
            return True
        return len(following) > 1 and has_hangul(following[0]) and self._is_clause(following)

    def _is_clause(self, following: list[str]) -> bool:
        """Whether two words that mean nothing apart are a word of the glossary together."""
        stem, _ = self._stem(following[1])
        return not self._is_known(following[0]) and self._is_known(f"{following[0]} {stem}")

    def _frame_kind(self, stem: str) -> Kind:
        """Return what a word is by the lists of frame words; any other is content."""
        folded = stem.casefold()
        for words, kind in _FRAMES:
            if folded in words:
                return kind
        return "stop" if stem in self._areas or not _is_word(stem) else "content"

    def _stem(self, word: str) -> tuple[str, str]:
        """Part a Korean word from its particle; a word the glossary knows is left whole."""
        if not has_hangul(word) or self.is_frame(word) or self._is_known(word):
            return word, ""
        if word.endswith(_FOR) and self._is_known(word.removesuffix(_FOR)):
            return word.removesuffix(_FOR), _FOR
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


def _spans_around(words: list[Word], index: int) -> Iterator[tuple[int, int]]:
    """Yield the runs that hold the word at `index` and content, the longest first."""
    first = index
    while first and index - first < _MAX_WORDS and words[first - 1].kind in _IN_NAMES:
        first -= 1
    last = index + 1
    while last < len(words) and last - index < _MAX_WORDS and words[last].kind in _IN_NAMES:
        last += 1
    spans = [
        (start, end)
        for start in range(first, index + 1)
        for end in range(index + 1, last + 1)
        if end - start > 1 and all(words[at].kind != "of" for at in (start, end - 1))
    ]
    yield from sorted(spans, key=lambda span: span[0] - span[1])


def _is_word(text: str) -> bool:
    """Whether `text` may be a part of a name: marks and file names are not."""
    return any(char.isalnum() for char in text) and not _FILE.fullmatch(text)


def _is_name(found: Candidate) -> bool:
    """Whether a candidate is surely a name: a term, or several words with a class word's domain."""
    return found.method in _TERM or (len(found.words) > 1 and found.domain is not None)
