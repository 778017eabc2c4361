"""Tell by its words whether a request leans on what was said before it.

Lists, not a parser. What is missed stands alone, which a person sees at once; so a word counts
only where it hardly means anything else.
"""

import re
from enum import Enum
from typing import Final

from minerva_platform.routing.subjects import names_subject


class Leaning(Enum):
    """How a request leans back."""

    POINTS = "points"
    """It names something that stands in an earlier one (its, 그걸), or nothing at all."""
    LINKS = "links"
    """It only goes on (and, so, 그럼); the rest may stand alone."""


_POINTER: Final = re.compile(
    r"\b(?:[Ii]t|[Ii]ts|[Tt]hey|[Tt]hem|[Tt]heir|[Tt]hose|that one|the same|the former|the latter"
    r"|the previous|again|once more)\b"
    r"|\b(?:about|of|for|to|with|in|is|was) (?:that|this)\b(?!\s+\w)"
    r"|(?:^|(?<=\s))(?:(?:그것|그거|그걸|그게|그건|그중|방금|아까|앞에서|앞의|위에서|위의|나머지"
    r"|마찬가지)[가-힣]*|그|해당|역시|다시)(?=[\s,.?!]|$)"
)
_LINK: Final = re.compile(
    r"^(?:(?:and|also|then|so|but|or|what about|how about|same for)\b|(?:그럼|그러면|그리고|또)\s)",
    re.IGNORECASE,
)
_TOPIC: Final = re.compile(r"[\w']+[은는도]\s*\?*")
"""A bare topic (길이는?)."""
_BORDER: Final = re.compile(r"\b(?:and|then|or)\b|[,;]|(?<=[.?!])\s|(?<=[가-힣][고서면])\s")
"""Before it another clause may name what a pointer points at."""
_FORM: Final = re.compile(
    r"a|all|and|ascending|by|descending|english|first|in|just|korean|last|less|list|long|longer"
    r"|me|more|next|now|of|one|ones|only|order|please|print|rows|say|short|shorter|show|sort|sorted"
    r"|table|ten|the|three|top|two|\d+|한국어로|영어로|한글로|처음|마지막|더|덜|만|짧게|길게|자세히"
    r"|간단히|[가-힣]*(?:순|순서)(?:으로|대로)|\d+(?:개|건|줄)만?|(?:보여|알려|말해|답해|정렬해)[가-힣]*",
    re.IGNORECASE,
)
"""Words that only say how an answer shall look."""
_WORD: Final = re.compile(r"[\w']+")
_COURTESY: Final = re.compile(
    r"(?:thanks|thank you|thx|great|ok|okay|nice|good|hi|hello|bye"
    r"|고마워요?|고맙습니다|감사(?:합니다|해요)|네|응|좋아요?|알겠어요?|알겠습니다|안녕(?:하세요)?)",
    re.IGNORECASE,
)
"""Names nothing and asks for nothing."""


def leaning_of(text: str) -> Leaning | None:
    """Return how `text` leans on an earlier request; None if it stands alone."""
    if not _WORD.search(_COURTESY.sub("", text)):
        return None
    link = _LINK.match(text.strip())
    rest = text.strip()[link.end() :].strip() if link else text.strip()
    if _points(text) or _TOPIC.fullmatch(rest) or not names_subject(rest):
        return Leaning.POINTS
    if all(_FORM.fullmatch(word) for word in _WORD.findall(rest)):
        return Leaning.POINTS
    return Leaning.LINKS if link else None


def _points(text: str) -> bool:
    """Tell whether a pointer finds nothing to point at within `text` itself."""
    for pointer in _POINTER.finditer(text):
        head = text[: pointer.start()]
        border = max((found.end() for found in _BORDER.finditer(head)), default=0)
        if not names_subject(head[:border]):
            return True
    return False
