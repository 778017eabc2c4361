"""Read the names of a list as they are typed: what stands between two marks is one name.

The glossary says which of them are terms. A list keeps those that it does not know, so that the
answer says of each what became of it.
"""

from itertools import pairwise
from typing import NamedTuple

from minerva_data.core.language.carrier_phrases import (
    ADVERBIAL_PARTICLES,
    LIST_ENDS,
    LIST_PARTICLES,
    OBJECT_PARTICLES,
    OBJECTS,
    PREPOSITIONS,
)
from minerva_data.core.language.grouping import MAX_NAME_WORDS, Word
from minerva_data.core.language.sentence_word import WordReader
from minerva_data.core.language.text import has_hangul
from minerva_platform.text import read_words

_OF = frozenset({"of", "for"})
_FRAMES = frozenset({"anchor", "stop"})
_DOING = ("하", "되")
_PAIR = 2
_OF_NOUNS = frozenset({"가", "이", "도", "인"})
_GRAMMAR = read_words("minerva_platform.text", "english")
_VERBS_OR_NOUNS = _GRAMMAR.set_of("verbs_or_nouns")
_NO_NAME = _GRAMMAR.set_of("opens_object", "tellers", "questions")
_WITHIN = PREPOSITIONS | _VERBS_OR_NOUNS
_NOUNS = LIST_ENDS | OBJECTS


class TypedName(NamedTuple):
    """A name of a list. `is_whole`: a mark or a frame says where it ends."""

    text: str
    is_whole: bool


def typed_list(
    reader: WordReader, sentence: str, original: str, *, is_told: bool
) -> tuple[TypedName, ...]:
    """Return the names of the longest list in `sentence`, each as `original` has it at its place.

    Particles are marks where there are no signs. A list that `is_told` of, by a colon, begins with
    a name. A list of two is none unless the glossary knows a last word, the kind of value.
    """
    words = reader.words(sentence)
    has_signs = any(word.kind == "list" and not word.text.isalpha() for word in words)
    marks = [
        at
        for at, word in enumerate(words)
        if word.kind == "list" or (not has_signs and word.particle in LIST_PARTICLES)
    ]
    lists: list[list[TypedName]] = [[]]
    for start, end in pairwise((-1, *marks, len(words))):
        is_joined = end in marks and words[end].kind != "list"
        between = words[start + 1 : end + is_joined]
        place = words[end].position if end < len(words) and not is_joined else None
        begin = _begin_of_name(between)
        begins = [begin] if start < 0 and not is_told else [0, begin] if place is not None else [0]
        if _is_framed(between):
            begins.reverse()
        names = (_name_at(reader, between, original, place, begin=at) for at in begins)
        name = next(filter(None, names), None)
        if name is not None:
            lists[-1].append(name)
        elif between:
            lists.append([])
    longest = max(lists, key=len)
    is_sure = len(longest) > _PAIR or any(reader.is_known(one.text.split()[-1]) for one in longest)
    return tuple(longest) if is_sure and len(longest) > 1 else ()


def _name_at(
    reader: WordReader, between: list[Word], original: str, place: int | None, *, begin: int
) -> TypedName | None:
    """Return the name that begins there in the words between two marks; `place` is the second's."""
    is_open = place is None or _is_framed(between[begin:])
    end = _end_of_name(between[begin:], is_last=is_open)
    words = between[begin : begin + end]
    if not words:
        return None
    rest = between[begin + end :]
    is_whole = not rest
    last = words[-1].position + len(words[-1].text)
    stop = last if place is None or not is_whole else place
    text = original[words[0].position : stop].strip(" '")
    is_noun = is_whole and words[0].text.casefold() in _VERBS_OR_NOUNS
    is_name = _is_name(reader, words, text, ends_at_mark=stop == place or is_noun)
    is_framed = not words[-1].particle and bool(rest) and rest[0].kind == "anchor"
    return TypedName(text, is_whole or is_framed) if is_name else None


def _is_name(reader: WordReader, words: list[Word], text: str, *, ends_at_mark: bool) -> bool:
    """True if `words` may be a name.

    One that ends at a mark may begin with a frame (`list price`), or look like one with a particle
    (기준가).
    """
    if len(words) > MAX_NAME_WORDS or any(one.particle in ADVERBIAL_PARTICLES for one in words):
        return False
    if not _NO_NAME.isdisjoint(word.text.casefold() for word in words):
        return False
    has_content = any(word.kind == "content" for word in words)
    if has_content and (_is_nominal(words[0]) or words[0].kind == "anchor"):
        return True
    if has_hangul(text):
        return ends_at_mark and len(words) == 1 and words[0].particle in _OF_NOUNS
    return ends_at_mark and has_content and not reader.is_frame(text)


def _is_framed(words: list[Word]) -> bool:
    """True if more than a name stands there: `kindly provide the standard terms for …`."""
    return {word.kind for word in words} >= _FRAMES


def _is_nominal(word: Word) -> bool:
    """True if a name may hold `word` where no mark says so."""
    return word.text.casefold() in _NOUNS or word.kind in {"content", "of", "filler"}


def _begin_of_name(words: list[Word]) -> int:
    """Return where the name begins that `words` end with: after a frame, `the standard for`."""
    pairs = enumerate(pairwise(words[:-1]), start=2)
    places = (at for at, (one, of) in pairs if one.kind in _FRAMES and of.kind in _OF)
    frames = [at for at, one in enumerate(words[:-1], start=1) if not _is_nominal(one)]
    begins = frames == [1] and words[0].text.casefold() in _VERBS_OR_NOUNS
    return next(places, 0 if begins else max(frames, default=0))


def _end_of_name(words: list[Word], *, is_last: bool) -> int:
    """Return where the name ends that `words` begin with: at an object, or before a frame."""
    for at, word in enumerate(words):
        rest = words[at + 1 :]
        goes_on = bool(rest) and all(map(_is_nominal, rest))
        goes_on = goes_on or (bool(rest) and word.text.endswith(_DOING))  # 좋아하는 색
        if word.particle in OBJECT_PARTICLES or (word.particle and is_last and not goes_on):
            return at + 1
        is_within = _is_nominal(word) or word.text.casefold() in _WITHIN
        begins_place = is_within and rest and rest[0].text.casefold() in _NO_NAME
        if is_last and at and (begins_place or not is_within):
            return at
    return len(words)
