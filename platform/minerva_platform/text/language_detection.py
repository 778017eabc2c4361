"""The language a person wrote in, so that the answer comes back in it."""

import re

from minerva_platform.text.grammar import (
    ENGLISH,
    ends_sentence_ko,
    ends_statement_ko,
    opens_clause_en,
)
from minerva_platform.text.language import Language, has_hangul

_WORD = re.compile(r"[\w']+")


def language_of(text: str) -> Language:
    """Return the language of the sentence; a name in the other one does not change it.

    A Korean sentence often carries English identifiers (`PT_ID 도메인 알려줘`), so Hangul
    decides, unless English words hold it (`what is the domain of 환자주소?`).
    """
    if not has_hangul(text):
        return "en"
    words = _WORD.findall(text.lower())
    hangul = [number for number, word in enumerate(words) if has_hangul(word)]
    if any(map(ends_sentence_ko, words)) or any(map(ends_statement_ko, words)):
        return "ko"
    opens = opens_clause_en(words) and words[0].isascii()
    holding = ENGLISH.set_of("joining", "questions", "verbs", "before_name")
    held = all(
        number > 0 and (number - 1 in hangul or words[number - 1] in holding) for number in hangul
    )
    return "en" if opens or held else "ko"
