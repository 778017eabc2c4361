"""How a request refers to earlier turns, read from its words.

The words come from lists of forms, not from a parser. Members declare the properties of things that
they answer (length, 길이) as their `aspects`. A missed reference stands alone, which a person
notices at once. So a word counts only if it hardly means anything else.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Final

from minerva_platform.conversation.mentions import Word, is_aspect, thing_words, words_of
from minerva_platform.conversation.small_talk import is_small_talk
from minerva_platform.routing.clauses.content_words import names_subject
from minerva_platform.routing.clauses.splitting import cut
from minerva_platform.text import grammar
from minerva_platform.text.language import LANGUAGES, Language
from minerva_platform.text.words import read_words

ENGLISH = read_words("minerva_platform.conversation", "english")
KOREAN = read_words("minerva_platform.conversation", "korean")


class ReferenceKind(Enum):
    """The way in which a request refers back."""

    POINTS = "points"
    """It points at something in an earlier request (its, 그걸), or names nothing at all."""
    REPLACES = "replaces"
    """It only names another thing, and asks the earlier question of that (환자명은?)."""
    LINKS = "links"
    """It only continues (and, so, 그럼). The rest may stand alone."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A request's way of referring back, and its words without the linking ones."""

    kind: ReferenceKind | None
    rest: str
    names: bool = True
    """True if it names a thing of its own."""
    is_form: bool = False
    """True if it only asks for another form of the answer (as a table, in English)."""
    is_filter: bool = False
    """True if it only narrows what was shown (just the dates, 미해결만)."""


_FRAMES: Final = {
    "earlier": r"(?i)\b(?:{en})\b|{ko}",
    "filter": r"(?i)^(?:{en})\b|(?:{ko})$",
    "form": r"(?i){en}|{ko}",
    "instead": r"(?i)^(?:{en})\s*",
    "instead_after": r"(?i)(?:\s(?:{en})|{ko})\W*$",
    "link": r"(?i)^(?:(?:{en})\b[\s,]*|(?:{ko})[\s,]+)+",
    "pointers": r"\b(?:{en})\b|{in_place}|(?:^|(?<=\s))(?:{ko})(?=[\s,.?!]|$)",
    "return_to": r"(?i)^(?:{en})\s+",
}
"""Where the words of a list stand in a request that they refer with."""
_BORDER: Final = re.compile(r"\b(?:and|then|or)\b|[,;:]|(?<=[.?!])\s|(?<=[가-힣][고서면])\s")
"""Pattern of a clause's start. An earlier clause may name what a pointer points at."""
_ARTICLE: Final = re.compile(r"^(?:the|a|an|our|my)\s+", re.IGNORECASE)
_WORD: Final = re.compile(r"[\w']+")
_MAX_FILTER_WORDS: Final = 7
"""The most words of a request that only narrows: `only the ones in the services folder`."""
_MAX_THING_WORDS: Final = 4
"""The most words of a thing that stands alone after `and`: `and the patient's email address`."""


def find_reference(text: str, aspects: Collection[str] = ()) -> Reference:
    """Return how `text` refers back, and its words without the linking ones.

    `aspects` are the properties that can be asked of things, in lower case. A request of these
    words alone names nothing, even if members' examples hold them.
    """
    said = text.strip()
    if not _WORD.search(said) or is_small_talk(said):
        return Reference(None, said)
    returned = _words("return_to").sub("", said)
    instead = _words("instead").match(_words("link").sub("", returned)) or _words("instead").match(
        returned
    )
    cut = returned if instead is None else instead.string[instead.end() :]
    rest = _words("link").sub("", cut) or said
    if _filters(rest):
        return Reference(ReferenceKind.POINTS, rest, is_filter=True)
    names = not _names_nothing(rest, aspects)
    if not names or _points(rest):
        rest_of_it = _words("pointers").sub(" ", rest)
        names = names and bool(thing_words(rest_of_it, aspects))
        return Reference(ReferenceKind.POINTS, rest, names, is_form=_is_form(rest))
    links = rest != said
    if _is_bare(rest, aspects, links=links, instead=instead is not None):
        if not aspects:  # it may be a thing, or a property asked of one
            return Reference(ReferenceKind.POINTS, rest)
        return Reference(ReferenceKind.REPLACES, thing_in(rest, aspects))
    return Reference(ReferenceKind.LINKS if links else None, rest)


def returns(text: str) -> bool:
    """True if `text` returns to something earlier than the latest turn."""
    return _words("earlier").search(text) is not None


def _names_nothing(rest: str, aspects: Collection[str]) -> bool:
    """True if `rest` names no thing: it holds only aspects and the form of an answer."""
    said = _ARTICLE.sub("", rest) if aspects else rest
    if not names_subject(said) or _is_form(rest):
        return True
    things = [word.text + word.particle for word in thing_words(rest, aspects)]
    if not aspects or len(cut(rest)) > 1:  # this many words are a request of their own
        return False
    asks = any(is_aspect(word.text, aspects) for word in words_of(rest, aspects))
    return not things or (asks and all(map(_words("form").fullmatch, things)))


def _filters(rest: str) -> bool:
    """True if `rest` only narrows what was shown, and asks nothing else."""
    words = _WORD.findall(rest.casefold())
    asks = not grammar.ENGLISH.set_of("questions").isdisjoint(words)
    while words and _words("form").fullmatch(words[-1]):  # 보여줘
        words.pop()
    is_short = len(words) <= _MAX_FILTER_WORDS and not asks
    return is_short and _words("filter").search(" ".join(words)) is not None


def _is_form(rest: str) -> bool:
    return all(
        _words("form").fullmatch(word) for word in _WORD.findall(_words("pointers").sub(" ", rest))
    )


def language_in(text: str) -> Language | None:
    """Return the language that a question of form asks the answer to be in."""
    for language in LANGUAGES:
        for words in (ENGLISH, KOREAN):
            key = "references.korean" if language == "ko" else "references.english"
            if re.search(rf"(?<!\w)(?:{words.patterns(key)})(?!\w)", text, re.IGNORECASE):
                return language
    return None


def _is_bare(rest: str, aspects: Collection[str], *, links: bool, instead: bool) -> bool:
    """True if `rest` is a thing and nothing else."""
    words = words_of(rest, aspects)
    things = thing_words(rest, aspects)
    if not things or instead or _words("instead_after").search(rest):
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


def plainly_thing(rest: str, aspects: Collection[str]) -> bool:
    """True if every word of `rest` names a thing, and it ends as a topic (환자 전화번호는?)."""
    words = words_of(rest, aspects)
    ends = bool(words) and (_is_topic(words[-1]) or (rest.isascii() and rest.endswith("?")))
    return ends and len(words) <= _MAX_THING_WORDS and len(thing_words(rest, aspects)) == len(words)


def thing_in(rest: str, aspects: Collection[str]) -> str:
    """Return the thing without the words around it and without its particle."""
    words = words_of(rest, aspects)
    if _is_topic(words[0]):
        return words[0].text
    text = _words("instead_after").sub("", rest).strip(" ?!.,")
    last = words_of(text, aspects)[-1]
    text = text[: last.end] if _is_topic(last) else text
    return _ARTICLE.sub("", text)


def _is_topic(word: Word) -> bool:
    """True if a Korean request that is only a thing may end with `word` (길이는?)."""
    return word.particle in KOREAN["references.topic_particles"]


def _points(text: str) -> bool:
    """True if a pointer finds nothing to point at within `text` itself."""
    for pointer in _words("pointers").finditer(text):
        head = text[: pointer.start()]
        border = max((found.end() for found in _BORDER.finditer(head)), default=0)
        if not names_subject(head[:border]):
            return True
    return False


@cache
def _words(key: str) -> re.Pattern[str]:
    """Return the pattern of the words `key` in their frame, in both languages."""
    english, korean = ENGLISH[f"references.{key}"], KOREAN.lists.get(f"references.{key}", ("(?!)",))
    in_place = "|".join(ENGLISH["references.pointers_in_place"])
    frame = _FRAMES[key].format(en="|".join(english), ko="|".join(korean), in_place=in_place)
    return re.compile(frame)
