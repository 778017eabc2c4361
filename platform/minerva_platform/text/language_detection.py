"""Tell which language a person wrote in, so that the answer comes back in it."""

import re

from minerva_platform.text.grammar import (
    AND_EN,
    QUESTIONS,
    VERBS,
    ends_sentence_ko,
    opens_clause_en,
)
from minerva_platform.text.language import Language, has_hangul

_WORD = re.compile(r"[\w']+")
_GOVERNS = (
    AND_EN
    | QUESTIONS
    | VERBS
    | frozenset(
        "a about an as at by for from in now of on or our than the this to with your".split()
    )
)
"""English words after which a Korean name still stands in an English sentence."""
_PREDICATE = re.compile(r"(?:[요까죠]|니다|[이뭐]야|었어|았어|했어)$")


def language_of(text: str) -> Language:
    """Return the language of the sentence; a name in the other one does not change it.

    A Korean sentence often carries English identifiers (`PT_ID 도메인 알려줘`), so Hangul
    decides, unless English words hold it (`what is the domain of 환자주소?`).
    """
    if not has_hangul(text):
        return "en"
    words = _WORD.findall(text.lower())
    hangul = [number for number, word in enumerate(words) if has_hangul(word)]
    if any(
        ends_sentence_ko(words[number]) or _PREDICATE.search(words[number]) for number in hangul
    ):
        return "ko"
    opens = opens_clause_en(words) and words[0].isascii()
    held = all(
        number > 0 and (number - 1 in hangul or words[number - 1] in _GOVERNS) for number in hangul
    )
    return "en" if opens or held else "ko"
