"""How a request refers to what was said before it, told by its words.

Lists of forms, not a parser; what is asked of things (length, 길이) the members declare as their
`aspects`. What is missed stands alone, which a person sees at once; so a word counts only where
it hardly means anything else.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Final

from minerva_platform.conversation.mentions import (
    Word,
    is_aspect,
    names_thing,
    thing_words,
    words_of,
)
from minerva_platform.conversation.small_talk import is_small_talk
from minerva_platform.routing.clauses.content_words import names_subject
from minerva_platform.routing.clauses.splitting import split_clauses
from minerva_platform.text import grammar
from minerva_platform.text.words import read_words

ENGLISH = read_words("minerva_platform.conversation", "english")
KOREAN = read_words("minerva_platform.conversation", "korean")


class ReferenceKind(Enum):
    """How a request refers back."""

    POINTS = "points"
    """It names something that stands in an earlier one (its, 그걸), or nothing at all."""
    REPLACES = "replaces"
    """It only names another thing, for which the earlier question is asked (환자명은?)."""
    LINKS = "links"
    """It only goes on (and, so, 그럼); the rest may stand alone."""


@dataclass(frozen=True, slots=True)
class Reference:
    """How a request refers back, and its words without what only links it."""

    kind: ReferenceKind | None
    rest: str
    names: bool = True
    """Whether it names anything of its own."""


_INSTEAD_KO: Final = re.compile(r"에 (?:대해서|관해서|대해|관해)[는도]요?\W*$")
_BORDER: Final = re.compile(r"\b(?:and|then|or)\b|[,;:]|(?<=[.?!])\s|(?<=[가-힣][고서면])\s")
"""Before it another clause may name what a pointer points at."""
_ARTICLE: Final = re.compile(r"^(?:the|a|an|our|my)\s+", re.IGNORECASE)
_WORD: Final = re.compile(r"[\w']+")
_MAX_THING_WORDS: Final = 4
"""Words of a thing that stands alone after `and`: `and the patient's email address`."""


def find_reference(text: str, aspects: Collection[str] = ()) -> Reference:
    """Return how `text` refers back, and what is left of it without the words that link it.

    `aspects` are what can be asked of things, in lower case: with these alone a request names
    nothing, whatever the members' examples say.
    """
    said = text.strip()
    if not _WORD.search(said) or is_small_talk(said):
        return Reference(None, said)
    returned = _return_to().sub("", said)
    instead = _instead().match(_link().sub("", returned)) or _instead().match(returned)
    cut = returned if instead is None else instead.string[instead.end() :]
    rest = _link().sub("", cut) or said
    names = not _names_nothing(rest, aspects)
    if not names or _points(rest):
        rest_of_it = _pointer().sub(" ", rest)
        return Reference(ReferenceKind.POINTS, rest, names and names_thing(rest_of_it, aspects))
    links = rest != said
    if _is_bare(rest, aspects, links=links, instead=instead is not None):
        if not aspects:  # then nobody can say whether it is a thing or asked of one
            return Reference(ReferenceKind.POINTS, rest)
        return Reference(ReferenceKind.REPLACES, _thing(rest, aspects))
    return Reference(ReferenceKind.LINKS if links else None, rest)


def returns(text: str) -> bool:
    """True if `text` goes back to something earlier than the latest turn."""
    return _earlier().search(text) is not None


def _names_nothing(rest: str, aspects: Collection[str]) -> bool:
    """True if `rest` names no thing: only aspects and the form of an answer."""
    said = _ARTICLE.sub("", rest) if aspects else rest
    if not names_subject(said) or all(_form().fullmatch(word) for word in _WORD.findall(rest)):
        return True
    things = [*map(_whole, thing_words(rest, aspects))]
    if not aspects or len(split_clauses(rest)) > 1:  # so many words are a request of their own
        return False
    asks = any(is_aspect(word.text, aspects) for word in words_of(rest, aspects))
    return not things or (asks and all(map(_form().fullmatch, things)))


def _whole(word: Word) -> str:
    return word.text + word.particle


def _is_bare(rest: str, aspects: Collection[str], *, links: bool, instead: bool) -> bool:
    """True if `rest` is a thing and nothing else."""
    words = words_of(rest, aspects)
    things = thing_words(rest, aspects)
    if not things or instead or _INSTEAD_KO.search(rest):
        return bool(things) and len(words) <= _MAX_THING_WORDS
    if any(is_aspect(word.text, aspects) for word in words):
        return False
    if len(things) == 1 and things[0] == words[0] and _is_topic(words[0]):
        return True
    lowered = [word.text.casefold() for word in words]
    asking = grammar.ENGLISH.set_of("verbs", "questions")
    asks = grammar.opens_clause_en(lowered) or not asking.isdisjoint(lowered)
    ends_korean = re.search(r"[가-힣]\W*$", rest) is not None and len(words) > 1
    return links and not asks and not ends_korean and len(words) <= _MAX_THING_WORDS


def _thing(rest: str, aspects: Collection[str]) -> str:
    """Return the thing without the words and the particle that stand around it."""
    words = words_of(rest, aspects)
    if _is_topic(words[0]):
        return words[0].text
    text = _INSTEAD_KO.sub("", rest).strip(" ?!.,")
    last = words_of(text, aspects)[-1]
    text = text[: last.end] if _is_topic(last) else text
    return _ARTICLE.sub("", text)


def _is_topic(word: Word) -> bool:
    """True if a Korean request of a thing alone may end with `word` (길이는?)."""
    return word.particle in KOREAN["references.topic_particles"]


def _points(text: str) -> bool:
    """True if a pointer finds nothing to point at within `text` itself."""
    for pointer in _pointer().finditer(text):
        head = text[: pointer.start()]
        border = max((found.end() for found in _BORDER.finditer(head)), default=0)
        if not names_subject(head[:border]):
            return True
    return False


@cache
def _link() -> re.Pattern[str]:
    """Return what finds the words that only link a request (so, 그럼), at its start."""
    english, korean = ENGLISH.any_of("references.link"), KOREAN.any_of("references.link")
    return re.compile(rf"^(?:(?:{english})\b[\s,]*|(?:{korean})[\s,]+)+", re.IGNORECASE)


@cache
def _instead() -> re.Pattern[str]:
    return re.compile(rf"^(?:{ENGLISH.patterns('references.instead')})\s*", re.IGNORECASE)


@cache
def _return_to() -> re.Pattern[str]:
    return re.compile(rf"^(?:{ENGLISH.patterns('references.return_to')})\s+", re.IGNORECASE)


@cache
def _earlier() -> re.Pattern[str]:
    english, korean = (words.patterns("references.earlier") for words in (ENGLISH, KOREAN))
    return re.compile(rf"\b(?:{english})\b|{korean}", re.IGNORECASE)


@cache
def _pointer() -> re.Pattern[str]:
    """Return what finds the words that name something of an earlier request."""
    english, korean = (words.patterns("references.pointers") for words in (ENGLISH, KOREAN))
    in_place = ENGLISH.patterns("references.pointers_in_place")
    return re.compile(rf"\b(?:{english})\b|{in_place}|(?:^|(?<=\s))(?:{korean})(?=[\s,.?!]|$)")


@cache
def _form() -> re.Pattern[str]:
    """Return what matches a word that only says how an answer shall look."""
    english, korean = (words.patterns("references.form") for words in (ENGLISH, KOREAN))
    return re.compile(f"{english}|{korean}", re.IGNORECASE)
