"""The words that a request is about, separated from the words around them."""

import re
from collections.abc import Iterator
from functools import cache

from minerva_platform.text.example_file import read_examples
from minerva_platform.text.grammar import ENGLISH, KOREAN, empty_words, is_about_form, is_whether_ko

_WORD = re.compile(r"\w+")
_POINTED_AT = re.compile(r"(?:이|그|저|this|that|these|those|the)\s+\w+\W*", re.IGNORECASE)
"""Words that only point at a thing. The work to do with it is named elsewhere."""
_PARTICLE = re.compile(r"(?<=^[가-힣])[은는이가을를도로에의만]$")
_STEM = {True: 2, False: 5}
"""Letters that identify a word. Korean nouns are short and carry their particle."""


def subject_stems(text: str) -> set[str]:
    """Return stems of the words that name a thing: no verbs, courtesy or question words."""
    words = (word for word in _WORD.findall(text.casefold()) if not is_whether_ko(word))
    return {_stem(word) for word in words} - _common()


def thing_stems(*texts: str) -> frozenset[str]:
    """Return the stems of the things that `texts` name. A noun of one syllable has no particle."""
    return frozenset(_PARTICLE.sub("", stem) for text in texts for stem in subject_stems(text))


def names_subject(text: str) -> bool:
    """True if `text` says what it is about (그 결과를 표로 정리해줘 and 이 파일 do not)."""
    if _POINTED_AT.fullmatch(text.strip()):
        return False
    return bool(subject_stems(text)) and not is_about_form(text)


def is_common(word: str) -> bool:
    """True if `word`, in lower case, names nothing: a verb, courtesy, a question word.

    English words are compared whole: `identifier` is no form of `identify`.
    """
    if not word.isascii():
        return _stem(word) in _common()
    return any(form in _common_words() for form in _forms(word))


def _forms(word: str) -> Iterator[str]:
    yield word
    for ending in ("s", "es", "d", "ed", "ing"):
        stem = word.removesuffix(ending)
        if stem != word:
            yield stem
            if ending == "ing":
                yield f"{stem}e"


@cache
def carrier_phrases() -> tuple[str, ...]:
    """Return requests with their content taken out, in Korean and English."""
    return read_examples("minerva_platform.routing", "carrier_phrases")


@cache
def _common_words() -> frozenset[str]:
    """Return the words that name nothing: those of phrases without content, and English verbs."""
    around = (*carrier_phrases(), *empty_words(), *ENGLISH["verbs_or_nouns"])
    return frozenset(_WORD.findall(" ".join(around)))


@cache
def _common() -> frozenset[str]:
    """Stems that name nothing; a longer verbal noun (표준화) holds a noun that does (표준)."""
    verbal = (noun for noun in KOREAN["verbal_nouns"] if len(noun) == _STEM[True])
    return frozenset(map(_stem, (*_common_words(), *verbal)))


def _stem(word: str) -> str:
    return word[: _STEM["가" <= word[0] <= "힣"]]
