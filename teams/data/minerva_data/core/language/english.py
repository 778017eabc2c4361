"""Bring English names into the order and the words of a glossary: object first, class word last.

`amount claimed` asks for 청구금액, `number of beds` for a count and not for a bed's number; read
word by word they would get other names than those meant.
"""

import re
from collections.abc import Iterator

from minerva_data.core.language.rewording import rewording
from minerva_platform.text import read_words

WORDS = read_words("minerva_data.core.language", "english")

_ARTICLES = re.compile(r"\b(?:the|an?)\s+", re.IGNORECASE)
_OF = re.compile(r"\s+of\s+", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s\b")
_COUNT = re.compile(r"\bnumber\s+of\s+([a-z ]*[a-z]{2}(?<![siu])s)$", re.IGNORECASE)
_PARTICIPLE = re.compile(r"^(\w[\w ]*?)\s+(\w+ed|paid)$", re.IGNORECASE)
_PART_OF_NAME = re.compile(r"\b(?:first|last|middle|given|family)\s+names?\b", re.IGNORECASE)
_YES_OR_NO = re.compile(
    r"^\W*(?:does|did|do|is|was|are|were|has|have)\s+(?:the|an?|he|she|they|someone)\b",
    re.IGNORECASE,
)


reworded = rewording(WORDS.table("idioms").values(), re.IGNORECASE)
"""Says idioms in words that a glossary has: `created at` is `created datetime`."""


def asks_whether(text: str) -> bool:
    """True if `text` begins like a question to which the answer is yes or no."""
    return _YES_OR_NO.match(text) is not None


def plain(text: str) -> str:
    """Return `text` without articles and possessives."""
    return _ARTICLES.sub("", _POSSESSIVE.sub("", text))


def part_of_name(text: str) -> str | None:
    """Return `last name` and the like: not the `last` of `last visit date`, nor a whole name."""
    found = _PART_OF_NAME.search(text)
    return found.group() if found else None


def turns(text: str) -> Iterator[str]:
    """Yield the orders in which the words of a name may stand, the likeliest first."""
    text = plain(reworded(text)).strip()
    participle = _PARTICIPLE.match(text)
    if participle is not None:
        yield f"{participle[2]} {participle[1]}"
    count = _COUNT.search(text)
    if count is not None:
        yield text
        yield f"{text[: count.start()]}{count[1]} total number"
        return
    yield text
    for of in _OF.finditer(text):
        yield f"{text[of.end() :]} {text[: of.start()]}"
