"""What words of a notice or a comment say about how long data is kept, and what they leave open.

The words lie in `words/notice.toml`, the lengths of time in `core/policy/words/periods.toml`.
"""

import re
from collections.abc import Iterator

from minerva_governance.core.policy.period import Periods, periods_in
from minerva_platform.text import read_words

_SENTENCE_END = re.compile(r"(?<=[.!?。])\s+(?=[A-Z가-힣(“\"'])")  # not in "approx. 6 months"
_WORDS = read_words("minerva_governance.core.review", "notice")


def kept_periods(text: str, heading: str = "") -> Periods:
    """Return what `text` says about how long data is kept.

    Under a heading about that every sentence counts; else one that speaks of it, and those that
    it announces ("as follows").
    """
    return periods_in(text if _WORDS.says("kept", heading) else " ".join(_kept_sentences(text)))


def _kept_sentences(text: str) -> Iterator[str]:
    is_announced = False
    for sentence in _SENTENCE_END.split(text):
        is_kept = _WORDS.says("kept", sentence)
        if is_kept or is_announced:
            yield sentence
        is_announced = is_announced or (is_kept and _WORDS.says("announces", sentence))


def exception(text: str, heading: str = "") -> str:
    """Return the sentence that lets data be kept longer than stated, or ""."""
    is_about = _WORDS.says("kept", heading) or _WORDS.says("kept", text)
    sentences = _SENTENCE_END.split(text) if is_about else []
    return next(
        (" ".join(each.split()) for each in sentences if _WORDS.says("exception", each)), ""
    )


def plain_periods(text: str, heading: str = "") -> tuple[int, ...]:
    """Return the lengths in days that `text` states outside of its exceptions.

    Of "3 years, but 10 years where the law requires" it is 3 years.
    """
    sentences = [_without_exception(each) for each in _SENTENCE_END.split(text)]
    return kept_periods(" ".join(sentences), heading).days


def _without_exception(sentence: str) -> str:
    """Return a sentence without the words of its exception: to its own end, else to the end."""
    found = _WORDS.pattern("exception").search(sentence)
    if found is None:
        return sentence
    ends = _WORDS.pattern("exception_ends").search(sentence, found.start())
    if ends is None and not sentence[: found.start()].strip() and found.group()[:1].isascii():
        ends = re.compile(",").search(sentence, found.end())  # Unless the law asks for more, …
    return sentence[: found.start()] + (sentence[ends.end() :] if ends else "")


def elsewhere(text: str, heading: str) -> str:
    """Return the sentence that leaves the periods to another document, or ""."""
    sentences = _SENTENCE_END.split(text) if _WORDS.says("kept", heading) else _kept_sentences(text)
    return next(
        (" ".join(each.split()) for each in sentences if _WORDS.says("elsewhere", each)), ""
    )
