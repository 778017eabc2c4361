"""Account for the words of a request: the answer names those that did not change it.

A worker reports such words (`AgentOutput.unused`). They count only if the person typed them in this
turn and no other member took them into account.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from minerva_platform.contract.result import Result

_ASKED: Final = frozenset({"goal", "substitute"})


def unused_by_all(results: Iterable[Result], *, across_teams: bool) -> tuple[str, ...] | None:
    """Return the words that no result takes into account. None if no result reports any.

    Inside a team, a worker that reports no words does not count. A whole team that reports none may
    have used all its words.
    """
    given = [result for result in results if result.status == "ok" and result.given_words]
    told = [result for result in given if result.unused is not None]
    if not told:
        return None
    others = [
        result
        for result in given
        if result.unused is not None or (across_teams and result.role in _ASKED)
    ]
    words = (
        part
        for result in told
        for part in result.unused or ()
        if not any(_took(other, part) for other in others if other is not result)
    )
    return tuple(dict.fromkeys(words))


def quotes_of(
    parts: Iterable[str], person_words: str, *, unserved: Sequence[str]
) -> tuple[str, ...]:
    """Return those of `parts` that the person typed, as typed and without repeats.

    A part inside an unserved part or inside another part is left out. So is the whole request,
    because an answer that does not fit it says so itself.
    """
    said = [found for found in (_find(part, person_words) for part in parts) if found]
    kept = dict.fromkeys(words for words in said if words != " ".join(person_words.split()))
    longer = (*kept, *unserved)
    return tuple(words for words in kept if not any(_is_in(words, other) for other in longer))


def _took(other: Result, part: str) -> bool:
    """True if `other` was given the words of `part` and does not report them as unused."""
    if _find(part, other.given_words) is None:
        return False
    return not any(part == words or _is_in(part, words) for words in other.unused or ())


def _is_in(part: str, words: str) -> bool:
    return part != words and _find(part, words) is not None


def _find(part: str, text: str) -> str | None:
    """Return the words of `part` as `text` spells them, in one line."""
    words = part.split()
    found = re.search(r"\s+".join(map(re.escape, words)), text, re.IGNORECASE) if words else None
    return " ".join(found.group().split()) if found else None
