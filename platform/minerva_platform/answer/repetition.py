"""Recognise an answer that repeats the last one, so that no person looks for news in it."""

import hashlib
import re
from functools import cache

from minerva_platform.contract.result import TeamOutput
from minerva_platform.storage.ledger.turn import KeptTurn
from minerva_platform.text.words import read_words

WORDS = read_words("minerva_platform.answer", "repetition")


def answer_digest(output: TeamOutput) -> str:
    """Return the digest of the members' answers. Empty if no member answered."""
    if not output.hops or not output.summary:
        return ""
    return hashlib.sha256(output.summary.encode()).hexdigest()


def repeats_unasked(request: str, output: TeamOutput, latest: KeptTurn | None) -> bool:
    """True if `output` answers a new `request` in the words of the answer before it.

    A person who repeats a request expects the same answer.
    """
    if latest is None or not latest.answer_sha256:
        return False
    is_new = latest.request.casefold().split() != request.casefold().split()
    asks_for_it = not is_new or _asks_for_it().search(request) is not None
    return not asks_for_it and latest.answer_sha256 == answer_digest(output)


@cache
def _asks_for_it() -> re.Pattern[str]:
    english, korean = WORDS.patterns("english"), WORDS.patterns("korean")
    return re.compile(rf"\b(?:{english})\b|{korean}", re.IGNORECASE)
