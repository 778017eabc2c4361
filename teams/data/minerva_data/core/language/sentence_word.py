"""Read the words of a sentence: which may be part of a name, and which only frame one."""

import re
from dataclasses import replace
from functools import lru_cache

from minerva_data.core.language.carrier_phrases import (
    AFTER_ANCHOR,
    ANCHORS,
    ATTRIBUTIVE,
    COPULAS,
    FILLERS,
    LIGHT_VERBS,
    LIST_MARKS,
    LISTS,
    OUTCOMES,
    PARTICLES,
    RELATIVE,
    STOPS,
    is_standard_s,
    is_verb,
)
from minerva_data.core.language.english import part_of_name
from minerva_data.core.language.grouping import Kind, Word, spans_around
from minerva_data.core.language.text import atoms, has_hangul, key
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.lookup.segment import refused_parts, splits
from minerva_data.core.schema.record import Candidate

_WORD = re.compile(
    r"""
    [,;|·/&\n]
    | [.!?…:=]+(?=\s|$)
    | (?:(?![.!?…:]+(?:\s|$))[^\s,;|·/&()\[\]{}<>"“”‘’])+
    """,
    re.VERBOSE,
)
_END = re.compile(r"[.!?…:=]+")
_MARKS = ".!?…:'`~"
_MIN_STEM_SYLLABLES = 2
"""One syllable before a particle is rather a part of the word: 나이 is no 나."""
_MAX_CACHED = 4096
"""Words and phrases kept as they were read: the steps of one request ask for each many times."""

TERM = frozenset({"term_exact", "synonym"})
"""Methods that found a term, and not a mere composition."""
_NAME_KO = frozenset({"이름", "명칭"})
_NAME = frozenset({"name", "names"})
_MAY_BE_NAMED = frozenset({"stop", "filler"})
_FILE = re.compile(r"[\w-]+\.\w+")
_BEFORE_MARK = frozenset({"", "을", "를", "은", "는"})
"""Particles after which a list may go on; 도 is rather the end of 대출한도."""
_SUBJECT = frozenset({"이", "가"})
_FOR = "용"
_STANDARDISE = "표준화"
_PERSON = "인"
"""수취인, 체크인: the end of a noun, where the glossary does not know what stands before it."""
_COPULAS = frozenset({"입니다", "이에요", "이예요"})
_OBJECTION = "이의"
"""A noun: the determiner 이 takes no particle."""
_FRAMES: tuple[tuple[frozenset[str], Kind], ...] = (
    (LISTS, "list"),
    (frozenset(PARTICLES), "filler"),  # left over from a name in quotation marks
    (frozenset({"of"}), "of"),
    (frozenset({"for"}), "for"),
    (FILLERS, "filler"),
    (ANCHORS | OUTCOMES, "anchor"),
    (STOPS, "stop"),
)


class WordReader:
    """Reads words with the vocabulary of one glossary."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._areas = frozenset(lookup.glossary.subject_areas)
        self._synonyms = lookup.glossary.terms_by_synonym
        self.best = lru_cache(_MAX_CACHED)(lookup.best)
        self.is_known = lru_cache(_MAX_CACHED)(self._is_explained)

    def is_frame(self, text: str) -> bool:
        """True if `text` only frames names: `컬럼`, `standard`, a subject area."""
        word = text.casefold()
        framing = word in ANCHORS or word in OUTCOMES or word in STOPS or word in FILLERS
        framing = framing or is_standard_s(word)
        return framing or text in self._areas

    def words(self, text: str) -> list[Word]:
        """Return the words of `text`, each with what it does there."""
        hits = list(_WORD.finditer(text))
        texts = [hit.group().strip(_MARKS) or hit.group() for hit in hits]
        words: list[Word] = []
        for index, (stripped, hit) in enumerate(zip(texts, hits, strict=True)):
            before = words[-1].kind if words else "stop"
            if stripped not in LIGHT_VERBS or before != "content":
                words.append(self._word(texts[index : index + 3], hit.start(), before))
        words = self._whole_terms(_with_ends(words))
        # Only now: whether `name` frames depends on the kinds of its neighbours.
        return [self._settle_word(words, index) for index in range(len(words))]

    def _whole_terms(self, words: list[Word]) -> list[Word]:
        """Read `test result value` and `정렬 순서` as content, though 정렬 mostly frames a name.

        Only where the glossary has the whole as a term, or a name goes on on both sides: to
        answer 순서 alone would be wrong.
        """
        found = list(words)
        for index, word in enumerate(words):
            if word.kind not in _MAY_BE_NAMED or not _is_word(word.text):
                continue
            if not self._may_be_named(words, index):
                continue
            for start, end in spans_around(words, index):
                whole = " ".join(other.text for other in words[start:end])
                best = self.best(whole)
                inside = start < index < end - 1 or word.kind == "filler" or has_hangul(word.text)
                is_whole = best is not None and (best.method in TERM or (inside and is_name(best)))
                may_mean = word.kind == "stop" or word.text in AFTER_ANCHOR
                if is_whole or (may_mean and self._lookup.concepts.same(whole)):
                    found[index] = replace(word, kind="content")
                    break
        return found

    def _may_be_named(self, words: list[Word], index: int) -> bool:
        """True if a frame word is a word of the glossary, too: 정렬, `last`, `created by`."""
        word = words[index]
        before = words[index - 1].text if index else ""
        after = words[index + 1].text if index + 1 < len(words) else ""
        return (
            self.is_known(word.text)
            or bool(before and self.is_known(f"{before} {word.text}"))
            or bool(after and key(f"{word.text} {after}") in self._synonyms)
        )

    def _settle_word(self, words: list[Word], index: int) -> Word:
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
            rest = words[index + 1 : index + 3]
            whole = " ".join((word.text, *(other.text for other in rest)))
            if rest[0].kind == "of" and self.best(whole) is not None:
                return replace(word, kind="content")
        if word.kind == "content" and word.text in _NAME_KO and self._is_asked_for(words, index):
            return replace(word, kind="stop")
        if word.kind != "content" or word.text.casefold() not in _NAME:
            return word
        after = words[index + 1].kind if index + 1 < len(words) else "stop"
        before = words[index - 1].kind if index else "stop"
        return word if before == "content" or after == "of" else replace(word, kind="stop")

    def _is_asked_for(self, words: list[Word], index: int) -> bool:
        """True if 이름 is what is wanted and no part of it: `… 컬럼이 필요한데 이름 좀`."""
        return index > 0 and all(
            word.kind not in {"content", "list"}
            for word in words[index - 1 : index + 2]
            if word is not words[index]
        )

    def _means_of(self, words: list[Word], index: int) -> bool:
        """True if a `for` joins a name: `reason for cancellation`, not `abbreviation for …`."""
        before = words[index - 1] if index else None
        after = next((word for word in words[index + 1 :] if word.kind != "filler"), None)
        if before is None or after is None or {before.kind, after.kind} != {"content"}:
            return False
        found = self.best(f"{before.text} of {after.text}")
        return found is not None and (found.method in TERM or len(found.words) > 1)

    def _word(self, texts: list[str], position: int, before: Kind) -> Word:
        """Read the first of `texts`; the others follow it in the sentence."""
        text, *following = texts
        stem, particle = self._stem(text)
        if following and following[0] in LIST_MARKS and particle not in _BEFORE_MARK:
            is_sure = self.is_known(stem) or self.is_frame(stem)
            stem, particle = (stem, particle) if is_sure else (text, "")
        if particle and self._goes_on(text, particle, following):
            stem, particle = (stem, "의") if particle in _SUBJECT else (text, "")
        if before == "anchor" and stem.casefold() in AFTER_ANCHOR:
            return Word(stem, "anchor", position, particle)
        if ATTRIBUTIVE.fullmatch(text) and following and self.is_frame(self._stem(following[0])[0]):
            return Word(text, "filler", position)
        kind = self._frame_kind(stem)
        if kind == "list" and before != "content" and self._lookup.concepts.knows(stem):
            kind = "content"
        is_noun = self.is_known(stem) or particle in _COPULAS
        if kind == "content" and is_verb(text) and not is_noun:
            kind = "anchor" if text.startswith(_STANDARDISE) else "stop"
        return Word(stem, kind, position, particle)

    def _goes_on(self, text: str, particle: str, following: list[str]) -> bool:
        """True if a name goes on after what looks like a particle.

        `외국인 등록번호` is one word of the glossary; `환자가 태어난 날짜`, `환자가 입원한 날짜`
        say what 환자의 says.
        """
        if particle not in _SUBJECT:
            return bool(following) and self.is_known(f"{text} {following[0]}")
        relative = RELATIVE.fullmatch(following[0]) if following else None
        if relative is not None and self.is_known(relative.group(1)):
            return True
        return len(following) > 1 and has_hangul(following[0]) and self._is_clause(following)

    def _is_clause(self, following: list[str]) -> bool:
        """True if two words that mean nothing apart are a word of the glossary together."""
        stem, _ = self._stem(following[1])
        return not self.is_known(following[0]) and self.is_known(f"{following[0]} {stem}")

    def _frame_kind(self, stem: str) -> Kind:
        """Return what a word is by the lists of frame words; any other is content."""
        folded = stem.casefold()
        for words, kind in _FRAMES:
            if folded in words:
                return kind
        if is_standard_s(folded):
            return "anchor"
        return "stop" if stem in self._areas or not _is_word(stem) else "content"

    def _stem(self, word: str) -> tuple[str, str]:
        """Part a Korean word from its particle; a word the glossary knows is left whole."""
        if not has_hangul(word) or self.is_frame(word) or self.is_known(word):
            return word, ""
        if word.endswith(_FOR) and self.is_known(word.removesuffix(_FOR)):
            return word.removesuffix(_FOR), _FOR
        for copula in COPULAS:
            if word.endswith(copula) and self.is_frame(word.removesuffix(copula)):
                return word.removesuffix(copula), copula
        for particle in PARTICLES:
            stem = word.removesuffix(particle)
            is_noun = word == _OBJECTION or not stem or stem == word
            if not is_noun and (self.is_frame(stem) or self.is_known(stem)):
                return stem, particle
        return self._guess_stem(word)

    def _guess_stem(self, word: str) -> tuple[str, str]:
        """Part a word whose stem the glossary does not know, unless it means something as it is."""
        if len(word) > _MIN_STEM_SYLLABLES and self._lookup.concepts.knows(word):
            return word, ""
        relative = RELATIVE.fullmatch(word)
        if relative and self.is_known(relative.group(1)):
            return relative.group(1), ""
        ends = (word[at:] for at in range(1, len(word) - 1))
        end = next(filter(self.is_known, ends), "")  # 검수결과 ends with 결과, not with 과
        for particle in PARTICLES:
            stem = word.removesuffix(particle)
            if stem != word and len(end) > len(particle):
                break
            is_noun = stem == word or particle == _PERSON
            is_noun = is_noun or (is_verb(word) and particle not in _COPULAS)
            if not is_noun and len(stem) >= _MIN_STEM_SYLLABLES:
                return stem, particle
        return word, ""

    def _is_explained(self, word: str) -> bool:
        """True if the glossary's words explain all of `word`."""
        if key(word.removesuffix("'s")) in self._synonyms:
            return True
        found = splits(atoms(word.removesuffix("'s").removesuffix("’s")), self._lookup.phrases)
        return any(not refused_parts(split, self._lookup.glossary.heads) for split in found)


def _with_ends(words: list[Word]) -> list[Word]:
    """Return `words` without a mark at their end; one after mere names goes on with their list.

    `금리구분? 만기일자? 표준명` asks for two names.
    """
    while words and _END.fullmatch(words[-1].text):
        words = words[:-1]
    result: list[Word] = []
    only_names = True
    for word in words:
        is_end = _END.fullmatch(word.text) is not None
        joins = is_end and only_names and ":" not in word.text
        result.append(replace(word, kind="list") if joins else word)
        only_names = is_end or (only_names and word.kind in {"content", "list"})
    return result


def is_name(candidate: Candidate) -> bool:
    """True if a candidate is surely a name: a term, or several words with a class word's domain."""
    return candidate.method in TERM or (len(candidate.words) > 1 and candidate.has_domain)


def _is_word(text: str) -> bool:
    """True if `text` may be a part of a name: marks and file names are not."""
    return any(char.isalnum() for char in text) and not _FILE.fullmatch(text)
