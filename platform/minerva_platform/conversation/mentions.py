"""Find the things that a request names, so that another can stand in their place.

A thing is what is left when the words of any request (verbs, question words, courtesy) and the
members' own `aspects` (length, 길이) are taken away. Words written like an identifier go first:
where one stands, no ordinary word is a thing.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from minerva_platform.routing.clauses.content_words import is_common
from minerva_platform.text.grammar import QUESTIONS

_TOKEN: Final = re.compile(r"[\w.'@/-]*\w(?:\(\))?")
_IDENTIFIER: Final = re.compile(
    r"[A-Za-z]\w*_\w+|[A-Z][A-Z0-9]{2,}|[a-z]+[A-Z]\w*|\w+\(\)", re.ASCII
)
_KOREAN: Final = re.compile(r"[가-힣]")
_PARTICLES: Final = tuple(
    "에서는 에서도 이라는 으로는 으로 에서 에는 에도 까지 부터 이랑 하고 이나 라는 은요 는요 도요 "
    "의 을 를 은 는 이 가 와 과 랑 로 도 만 에 나".split()
)
_VERBAL: Final = re.compile(r"([가-힣]+?)(?:하|해|했|한|할|합|되|돼|됐|된|될|됩)[가-힣]{0,3}")
"""A noun as a verb (호출 in 호출하는)."""
_LISTED: Final = re.compile(
    r"\s*(?:,|/|&|및|그리고|\band\b|\bor\b|,\s*and\b)\s*(?:the\s+|a\s+)?", re.IGNORECASE
)
_LISTS: Final = frozenset({"와", "과", "랑", "이랑", "하고", "이나"})
_EMPTY_ENGLISH: Final = frozenset(
    """
    about an any anywhere as at be been both but by can could did does don't else ever
    everywhere has have how if in into is it its just many may might much must need no not now
    of off on only or our out over per same shall should so some such than that that's the
    their them then there these they this those to too under until up use used very via want
    was were will with within without would yes yet
    """.split()
)
_EMPTY_KOREAN: Final = frozenset(
    """
    그 이 저 좀 그럼 그러면 그리고 또 혹시 우리 저희 수 것 거 건 게 때 중 등 각 모든 전체 해당
    아까 방금 얼마 얼마나 몇 뭐 무엇 어디 어디서 언제 누가 누구 왜 어떤
    어떻게 하나 둘 다 더 만 각각 곳 데 점 것들 같이 함께
    추가로 대해 대해서 대한 관해
    """.split()
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a request without its particle, and where it stands."""

    text: str
    particle: str
    start: int

    @property
    def end(self) -> int:
        """Where the word ends and its particle begins."""
        return self.start + len(self.text)


def words_of(text: str, aspects: Collection[str] = ()) -> list[Word]:
    """Return the words of `text`; a particle is parted from what it follows."""
    return [_word(hit, aspects) for hit in _TOKEN.finditer(text)]


def _word(hit: re.Match[str], aspects: Collection[str]) -> Word:
    text, start = hit.group(), hit.start()
    mixed = re.fullmatch(r"([^가-힣]+)([가-힣]+)", text)
    if mixed:
        return Word(mixed.group(1), mixed.group(2), start)
    if text.casefold().endswith("'s"):
        return Word(text[:-2], text[-2:], start)
    if not _KOREAN.search(text) or text in aspects or text in _EMPTY_KOREAN:
        return Word(text, "", start)
    for particle in _PARTICLES:
        stem = text.removesuffix(particle)
        is_word = len(stem) > 1 or stem in aspects or stem in _EMPTY_KOREAN
        if stem != text and is_word:
            return Word(stem, particle, start)
    return Word(text, "", start)


def names_thing(text: str, aspects: Collection[str]) -> bool:
    """Tell whether `text` names any thing of its own."""
    return bool(thing_words(text, aspects))


def thing_words(text: str, aspects: Collection[str]) -> list[Word]:
    """Return the words that name things, in their order."""
    words = words_of(text, aspects)
    written = [word for word in words if _IDENTIFIER.fullmatch(word.text)]
    if written:
        return written
    kept: list[Word] = []
    for number, word in enumerate(words):
        if is_aspect(word.text, aspects) or _is_empty(word):
            continue
        if number == len(words) - 1 and number and _closes(words[number - 1], word):
            continue
        kept.append(word)
    return kept


def is_aspect(word: str, aspects: Collection[str]) -> bool:
    """Tell whether `word` asks something of a thing (`lengths`, 길이)."""
    folded = word.casefold()
    if folded in aspects or (folded.isascii() and folded.removesuffix("s") in aspects):
        return True
    verb = _VERBAL.fullmatch(folded)
    return verb is not None and verb.group(1) in aspects


def _is_empty(word: Word) -> bool:
    folded = word.text.casefold()
    if folded in _EMPTY_ENGLISH or folded in _EMPTY_KOREAN or folded in QUESTIONS:
        return True
    return folded.isdigit() or is_common(folded) or is_common(folded + word.particle)


def _closes(before: Word, word: Word) -> bool:
    """Tell whether `word` is a predicate: the last word, after a noun with its particle."""
    return bool(before.particle and _KOREAN.search(word.text)) and before.particle not in {
        "의",
        *_LISTS,
    }


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing that a text names, perhaps in several words (`patient email`)."""

    text: str
    start: int
    end: int


def things_of(text: str, aspects: Collection[str]) -> list[Thing]:
    """Return the things of `text` in their order: words side by side are one."""
    runs: list[list[Word]] = []
    for word in thing_words(text, aspects):
        last = runs[-1][-1] if runs else None
        if last and not last.particle and not text[last.end : word.start].strip():
            runs[-1].append(word)
        else:
            runs.append([word])
    return [Thing(text[run[0].start : run[-1].end], run[0].start, run[-1].end) for run in runs]


def one_place(text: str, things: Sequence[Thing]) -> tuple[int, int] | None:
    """Return where the one thing of `text`, or its one list of things, stands."""
    if not things:
        return None
    for left, right in pairwise(things):
        between = text[left.end : right.start]
        if not (_LISTED.fullmatch(between) or between.strip() in _LISTS):
            return None
    return things[0].start, things[-1].end


def replaced(text: str, thing: str, aspects: Collection[str]) -> str | None:
    """Return `text` asked of `thing` instead, or None if it is not plain what it is asked of."""
    place = one_place(text, things_of(text, aspects))
    asks = any(is_aspect(word.text, aspects) for word in words_of(text, aspects))
    if place is None or not asks:
        return None
    start, end = place
    return text[:start] + thing + text[end:]


_ORDINALS: Final = (
    re.compile(r"\b(?:the )?(first|second|third) one\b", re.IGNORECASE),
    re.compile(r"(첫|두|세) ?번째(?: ?[것거건게])?(?=[가-힣]{0,2}(?:[\s,.?!]|$))"),
)
_NUMBER: Final = {"first": 0, "second": 1, "third": 2, "첫": 0, "두": 1, "세": 2}


def chosen_of(text: str, topic: str, aspects: Collection[str]) -> str | None:
    """Return `text` with the thing of `topic` that it counts to (두 번째 것), if that is there."""
    found = next(filter(None, (pattern.search(text) for pattern in _ORDINALS)), None)
    if found is None:
        return None
    things = things_of(topic, aspects)
    number = _NUMBER[found.group(1).casefold()]
    if one_place(topic, things) is None or number >= len(things):
        return None
    return text[: found.start()] + things[number].text + text[found.end() :]
