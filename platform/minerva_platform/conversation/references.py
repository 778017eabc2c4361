"""Tell by its words whether a request leans on what was said before it.

Lists of forms, not a parser; what is asked of things (length, 길이) the members declare as their
`aspects`. What is missed stands alone, which a person sees at once; so a word counts only where
it hardly means anything else.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from typing import Final

from minerva_platform.conversation.mentions import (
    Word,
    is_aspect,
    names_thing,
    thing_words,
    words_of,
)
from minerva_platform.conversation.small_talk import is_courtesy
from minerva_platform.routing.clauses.content_words import names_subject
from minerva_platform.routing.clauses.splitting import split_clauses
from minerva_platform.text.grammar import QUESTIONS, VERBS, opens_clause_en


class Leaning(Enum):
    """How a request leans back."""

    POINTS = "points"
    """It names something that stands in an earlier one (its, 그걸), or nothing at all."""
    REPLACES = "replaces"
    """It only names another thing, for which the earlier question is asked (환자명은?)."""
    LINKS = "links"
    """It only goes on (and, so, 그럼); the rest may stand alone."""


@dataclass(frozen=True, slots=True)
class Leaned:
    """How a request leans back, and its words without what only links it."""

    leaning: Leaning | None
    rest: str
    names: bool = True
    """Whether it names anything of its own."""


_LINK: Final = re.compile(
    r"^(?:(?:and|also|then|so|but|or|now|next|ok|okay)\b[\s,]*|(?:그럼|그러면|그리고|또|이제|아|음)[\s,]+)+",
    re.IGNORECASE,
)
_INSTEAD: Final = re.compile(
    r"^(?:what about|how about|(?:the |do )?same(?: \w+)? (?:for|with|of)|for"
    r"|(?:now|next),? (?=\S+\W*$))\s*",
    re.IGNORECASE,
)
_RETURN: Final = re.compile(
    r"^(?:(?:back|returning|coming back|going back) to|as for|regarding)\s+",
    re.IGNORECASE,
)
_RETURNING: Final = re.compile(
    r"\b(?:back to|earlier|before|previous)\b|아까|처음에|앞서", re.IGNORECASE
)
_INSTEAD_KO: Final = re.compile(r"에 (?:대해서|관해서|대해|관해)[는도]요?\W*$")
_POINTER: Final = re.compile(
    r"\b(?:[Ii]t|[Ii]ts|[Tt]hey|[Tt]hem|[Tt]heir|[Tt]hose|that one|the same|the former|the latter"
    r"|the previous|again|once more|(?:the )?(?:first|second|third|last|other|others) ones?)\b"
    r"|\b(?:about|of|for|to|with|in|is|was) (?:that|this)\b(?!\s+\w)"
    r"|^(?:is|was|does|did|do|are|were|can|could|will|would|has) (?:that|those)\b"
    r"|^both\b|\bthe (?:first|second|third)(?=\W*$)|\b(?:that|so)(?=\W*$)"
    r"|(?:^|(?<=\s))(?:(?:그것|그거|그걸|그게|그건|그중|방금|아까|앞에서|앞의|위에서|위의|나머지"
    r"|마찬가지|거기)[가-힣]*|둘 ?다"
    r"|[가-힣]+ ?번째(?: ?[것거건게][가-힣]*|는|은)?|그|해당|역시|다시)(?=[\s,.?!]|$)"
)
_TOPIC: Final = frozenset({"은", "는", "도", "은요", "는요", "도요"})
"""Particles after which a Korean request may end (길이는?)."""
_BORDER: Final = re.compile(r"\b(?:and|then|or)\b|[,;:]|(?<=[.?!])\s|(?<=[가-힣][고서면])\s")
"""Before it another clause may name what a pointer points at."""
_FORM: Final = re.compile(
    r"a|all|and|ascending|by|descending|english|first|in|just|korean|last|less|list|long|longer"
    r"|me|more|next|now|of|one|ones|only|order|please|print|rows|say|short|shorter|show|sort|sorted"
    r"|table|ten|the|three|top|two|\d+|한국어로|영어로|한글로|처음|마지막|더|덜|만|짧게|길게|자세히"
    r"|간단히|[가-힣]*(?:순|순서)(?:으로|대로)|[가-힣]*별로|\d+(?:개|건|줄)만?|(?:보여|알려|말해|답해|정렬해)[가-힣]*",
    re.IGNORECASE,
)
"""Words that only say how an answer shall look."""
_ARTICLE: Final = re.compile(r"^(?:the|a|an|our|my)\s+", re.IGNORECASE)
_WORD: Final = re.compile(r"[\w']+")
_LONGEST_THING: Final = 4
"""Words of a thing that stands alone after `and`: `and the patient's email address`."""


def leaned(text: str, aspects: Collection[str] = ()) -> Leaned:
    """Return how `text` leans back, and what is left of it without the words that link it.

    `aspects` are what can be asked of things, in lower case: with these alone a request names
    nothing, whatever the members' examples say.
    """
    said = text.strip()
    if not _WORD.search(said) or is_courtesy(said):
        return Leaned(None, said)
    returned = _RETURN.sub("", said)
    instead = _INSTEAD.match(_LINK.sub("", returned)) or _INSTEAD.match(returned)
    cut = returned if instead is None else instead.string[instead.end() :]
    rest = _LINK.sub("", cut) or said
    names = not _names_nothing(rest, aspects)
    if not names or _points(rest):
        rest_of_it = _POINTER.sub(" ", rest)
        return Leaned(Leaning.POINTS, rest, names and names_thing(rest_of_it, aspects))
    links = rest != said
    if _is_bare(rest, aspects, links=links, instead=instead is not None):
        if not aspects:  # then nobody can say whether it is a thing or asked of one
            return Leaned(Leaning.POINTS, rest)
        return Leaned(Leaning.REPLACES, _thing(rest, aspects))
    return Leaned(Leaning.LINKS if links else None, rest)


def returns(text: str) -> bool:
    """Tell whether `text` goes back to something earlier than the latest turn."""
    return _RETURNING.search(text) is not None


def _names_nothing(rest: str, aspects: Collection[str]) -> bool:
    """Tell whether `rest` names no thing: only aspects and the form of an answer."""
    said = _ARTICLE.sub("", rest) if aspects else rest
    if not names_subject(said) or all(_FORM.fullmatch(word) for word in _WORD.findall(rest)):
        return True
    things = [*map(_whole, thing_words(rest, aspects))]
    if not aspects or len(split_clauses(rest)) > 1:  # so many words are a request of their own
        return False
    asks = any(is_aspect(word.text, aspects) for word in words_of(rest, aspects))
    return not things or (asks and all(map(_FORM.fullmatch, things)))


def _whole(word: Word) -> str:
    return word.text + word.particle


def _is_bare(rest: str, aspects: Collection[str], *, links: bool, instead: bool) -> bool:
    """Tell whether `rest` is a thing and nothing else."""
    words = words_of(rest, aspects)
    things = thing_words(rest, aspects)
    if not things or instead or _INSTEAD_KO.search(rest):
        return bool(things) and len(words) <= _LONGEST_THING
    if any(is_aspect(word.text, aspects) for word in words):
        return False
    if len(things) == 1 and things[0] == words[0] and words[0].particle in _TOPIC:
        return True
    lowered = [word.text.casefold() for word in words]
    asks = opens_clause_en(lowered) or not (VERBS | QUESTIONS).isdisjoint(lowered)
    ends_korean = re.search(r"[가-힣]\W*$", rest) is not None and len(words) > 1
    return links and not asks and not ends_korean and len(words) <= _LONGEST_THING


def _thing(rest: str, aspects: Collection[str]) -> str:
    """Return the thing without the words and the particle that stand around it."""
    words = words_of(rest, aspects)
    if words[0].particle in _TOPIC:
        return words[0].text
    text = _INSTEAD_KO.sub("", rest).strip(" ?!.,")
    last = words_of(text, aspects)[-1]
    text = text[: last.end] if last.particle in _TOPIC else text
    return _ARTICLE.sub("", text)


def _points(text: str) -> bool:
    """Tell whether a pointer finds nothing to point at within `text` itself."""
    for pointer in _POINTER.finditer(text):
        head = text[: pointer.start()]
        border = max((found.end() for found in _BORDER.finditer(head)), default=0)
        if not names_subject(head[:border]):
            return True
    return False
