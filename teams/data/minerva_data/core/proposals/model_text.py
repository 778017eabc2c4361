"""Look every name in a model's prose up: one that the glossary did not give refuses all of it.

Stricter than what holds for prose in general: in Korean text every Latin word is a name, and in
English text every one in capitals and every Korean one. Letters that merely look Latin are
refused, markup, and Korean text without a Korean word.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from minerva_data.core.language.text import has_hangul, key
from minerva_data.core.schema.record import Candidate

MAX_EXPLANATION_CHARACTERS = 1_200
"""Characters of an explanation."""

_TOKEN = re.compile(r"[A-Za-z0-9_]+")
_KOREAN = re.compile(r"[가-힣]+")
_NUMBER = re.compile(r"\d+")
_QUOTED = re.compile(r"['\"‘“「『`]([^'\"’”」』`\n]{1,120})['\"’”」』`]")
_MARKUP = re.compile(r"[<>\[\]|#{}\\~;]|://|--|/\*")
_HUMP = re.compile(r"[a-z][A-Z]")
_WORDS = frozenset({"A", "I"})


def strangers(text: str, source_texts: Iterable[str], *, is_korean: bool) -> list[str]:
    """Return what stands in `text` and in no source text: names, numbers, quoted terms, markup.

    `is_korean` tells in which language the text has to be.
    """
    facts = [unicodedata.normalize("NFKC", fact) for fact in source_texts]
    if not text.strip() or len(text) > MAX_EXPLANATION_CHARACTERS:
        return [f"{len(text)} letters"]
    if is_korean and not has_hangul(text):
        return ["no Korean"]
    found = _unknown(unicodedata.normalize("NFKC", text), facts, is_korean=is_korean)
    return list(dict.fromkeys([*_odd(text), *found]))


def facts_of(candidate: Candidate) -> Iterator[str]:
    """Yield all that the glossary says about a name."""
    said = (
        *(candidate.logical_name, candidate.physical_name, candidate.domain),
        *(candidate.data_type, candidate.subject_area, candidate.retired),
    )
    yield from (text for text in said if text)
    for word in candidate.words:
        yield from (word.word, word.abbreviation)
    for source in candidate.citations:
        yield from (source.source, source.edition, source.quote)


def _odd(text: str) -> Iterator[str]:
    """Yield letters that only look like others, invisible marks, and markup."""
    for char in text:
        if char.isalpha() and not char.isascii() and "HANGUL" not in unicodedata.name(char, ""):
            yield char
        elif not (char.isprintable() or char == "\n"):
            yield f"U+{ord(char):04X}"
    yield from _MARKUP.findall(text)


def _unknown(text: str, facts: list[str], *, is_korean: bool) -> Iterator[str]:
    names = {token.casefold() for fact in facts for token in _TOKEN.findall(fact)}
    numbers = {number for fact in facts for number in _NUMBER.findall(fact)}
    for token in _TOKEN.findall(text):
        if token.isdecimal():
            if token not in numbers:
                yield token
        elif token.casefold() not in names and (is_korean or _is_name(token)):
            yield token
    together = "\n".join(map(key, facts))
    said = [*_QUOTED.findall(text), *([] if is_korean else _KOREAN.findall(text))]
    yield from (one for one in said if key(one) not in together)


def _is_name(token: str) -> bool:
    """True if a token of English prose is written like a name of a database."""
    has_mark = "_" in token or any(char.isdigit() for char in token)
    return has_mark or (token.isupper() and token not in _WORDS) or bool(_HUMP.search(token))
