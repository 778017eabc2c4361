"""The things that a request names, so that other things can replace them.

A thing is a word that remains without the common words of requests (verbs, question words,
courtesy) and without the members' `aspects` (length, 길이). Words written like an identifier have
precedence: beside one, no ordinary word is a thing.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final

from minerva_platform.routing.clauses.content_words import is_common
from minerva_platform.text import grammar
from minerva_platform.text.language import has_hangul
from minerva_platform.text.words import read_words

ENGLISH = read_words("minerva_platform.conversation", "english")
KOREAN = read_words("minerva_platform.conversation", "korean")

_MIN_STEM: Final = 4
"""Letters that two English words share if they are forms of one (`reviewed`, `reviewing`)."""
_TOKEN: Final = re.compile(r"[\w.'@/-]*\w(?:\(\))?")
_IDENTIFIER: Final = re.compile(
    r"[A-Za-z]\w*_\w+|[A-Z][A-Z0-9]{2,}|[a-z]+[A-Z]\w*|\w+\(\)", re.ASCII
)
_LISTED: Final = re.compile(
    r"\s*(?:,|/|&|및|그리고|\band\b|\bor\b|,\s*and\b)\s*(?:the\s+|a\s+)?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a request without its particle, and its position."""

    text: str
    particle: str
    start: int

    @property
    def end(self) -> int:
        """The position where the word ends and its particle begins."""
        return self.start + len(self.text)


def words_of(text: str, aspects: Collection[str] = ()) -> list[Word]:
    """Return the words of `text`, each without its particle."""
    return [_word(hit, aspects) for hit in _TOKEN.finditer(text)]


def _word(hit: re.Match[str], aspects: Collection[str]) -> Word:
    text, start = hit.group(), hit.start()
    mixed = re.fullmatch(r"([^가-힣]+)([가-힣]+)", text)
    if mixed:
        return Word(mixed.group(1), mixed.group(2), start)
    if text.casefold().endswith("'s"):
        return Word(text[:-2], text[-2:], start)
    empty = KOREAN.set_of("mentions.empty")
    if not has_hangul(text) or text in aspects or text in empty:
        return Word(text, "", start)
    for particle in KOREAN["mentions.particles"]:
        stem = text.removesuffix(particle)
        is_word = len(stem) > 1 or stem in aspects or stem in empty
        if stem != text and is_word:
            return Word(stem, particle, start)
    return Word(text, "", start)


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
    """True if `word` asks for a property of a thing (`lengths`, 길이)."""
    folded = word.casefold()
    if folded in aspects or (folded.isascii() and folded.removesuffix("s") in aspects):
        return True
    verb = _noun_as_verb().fullmatch(folded)
    return verb is not None and verb.group(1) in aspects


def _is_empty(word: Word) -> bool:
    folded = word.text.casefold()
    if folded in _empty_words():
        return True
    return folded.isdigit() or is_common(folded) or is_common(folded + word.particle)


def _closes(before: Word, word: Word) -> bool:
    """True if `word` is a predicate: the last word, after a noun with its particle."""
    lists = KOREAN["mentions.list_particles"]
    return bool(before.particle) and has_hangul(word.text) and before.particle not in ("의", *lists)


@cache
def _empty_words() -> frozenset[str]:
    """Return the words that name no thing, in lower case."""
    empty = ENGLISH.set_of("mentions.empty") | KOREAN.set_of("mentions.empty")
    return empty | grammar.ENGLISH.set_of("questions")


@cache
def _noun_as_verb() -> re.Pattern[str]:
    """Return the pattern that separates a noun from the verb made of it (호출 in 호출하는)."""
    return re.compile(f"([가-힣]+?)(?:{KOREAN.any_of('mentions.verb_makers')})[가-힣]{{0,3}}")


def things_of(text: str, aspects: Collection[str]) -> list[Word]:
    """Return the things of `text` in their order. Adjacent words are one (`patient email`)."""
    runs: list[list[Word]] = []
    for word in thing_words(text, aspects):
        last = runs[-1][-1] if runs else None
        if last and not last.particle and not text[last.end : word.start].strip():
            runs[-1].append(word)
        else:
            runs.append([word])
    return [Word(text[run[0].start : run[-1].end], "", run[0].start) for run in runs]


def one_place(text: str, things: Sequence[Word]) -> tuple[int, int] | None:
    """Return the start and end of the one thing, or the one list of things, in `text`."""
    if not things:
        return None
    lists = KOREAN["mentions.list_particles"]
    for left, right in pairwise(things):
        between = text[left.end : right.start]
        if not (_LISTED.fullmatch(between) or between.strip() in lists):
            return None
    return things[0].start, things[-1].end


def replace_thing(text: str, thing: str, aspects: Collection[str]) -> str | None:
    """Return `text` with its thing replaced by `thing`, or None if its thing is not plain."""
    place = one_place(text, things_of(text, aspects))
    asks = any(is_aspect(word.text, aspects) for word in words_of(text, aspects))
    if place is None or not asks:
        return None
    start, end = place
    return text[:start] + thing + text[end:]


def ordinal_in(text: str) -> int | None:
    """Return the index that `text` counts to (the second one, 두 번째 것); -1 means the last."""
    for words, pattern in _ordinals():
        found = pattern.search(text)
        if found:
            word = next(filter(None, found.groups())).casefold()
            return words.index(word) if word in words else -1
    return None


def with_counted(text: str, name: str) -> str | None:
    """Return `text` with `name` where it counts to a thing. None if it counts to none."""
    return next((p.sub(lambda _: name, text) for _, p in _ordinals() if p.search(text)), None)


@cache
def kind_names(of: str = "kinds") -> dict[str, str]:
    """Return for each kind (or group) of shown names the pattern of what it is called."""
    english, korean = (words.table(f"mentions.{of}") for words in (ENGLISH, KOREAN))
    return {kind: "|".join((*english[kind], *korean[kind])) for kind in english}


def is_among(word: str, words: Collection[str]) -> bool:
    """True if `word` is one of `words`, or a form of one: its plural, another Korean ending."""
    forms = {word, f"{word}s", word.removesuffix("s")} if len(word) > len("as") else {word}
    if not forms.isdisjoint(words):
        return True
    if re.match(r"[가-힣]{2}", word):
        return any(one.startswith(word[:2]) for one in words)
    return len(word) >= _MIN_STEM and any(one[:_MIN_STEM] == word[:_MIN_STEM] for one in words)


@cache
def _ordinals() -> tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]:
    """Return the ordinals of each language, and the pattern that finds one."""
    english, korean = ENGLISH["mentions.ordinals"], KOREAN["mentions.ordinals"]
    kinds = "|".join(kind_names().values())
    end = rf"(?: ?(?:[것거건게]|{kinds}))?(?=[가-힣]{{0,2}}(?:[\s,.?!]|$))"
    count = rf"(?:({'|'.join(korean)}) ?번째|(마지막)){end}"
    one = rf"\b(?:the )?({'|'.join(english)}|last) (?:one|{kinds})\b"
    return (english, re.compile(one, re.IGNORECASE)), (korean, re.compile(count))
