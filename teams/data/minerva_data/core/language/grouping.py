"""Group the words of a sentence into lists of phrases, and see where an anchor stands.

An anchor stands after the names (`환자명의 약어`, `the patient name column`) or, in English,
before them with `of` or `for` (`the abbreviation of patient name`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from minerva_data.core.language.carrier_phrases import LIST_PARTICLES

Kind = Literal["content", "anchor", "list", "stop", "filler", "of", "for"]
"""What a word does: only `content` can be a part of a name."""


MAX_NAME_WORDS = 6
"""Words of a name; each more multiplies what is looked up for a sentence."""
_IN_NAMES = frozenset({"content", "of", "filler"})


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the sentence: its stem, what it is, and the particle that followed."""

    text: str
    kind: Kind
    position: int
    particle: str = ""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that may be a name.

    `is_anchored`: a frame word beside it says that a name stands here. `is_whole_request`:
    there is nothing else in the request.
    """

    words: tuple[str, ...]
    position: int
    is_anchored: bool = False
    is_whole_request: bool = False


def groups(words: list[Word]) -> Iterator[tuple[bool, list[Phrase]]]:
    """Yield lists of phrases, and whether an anchor stands beside the list."""
    grouper = _Grouper(words)
    for index in range(len(words)):
        yield from grouper.take(index)
    yield from grouper.flush(is_anchored=False)


class _Grouper:
    """Collects the words of a phrase and the phrases of a list."""

    def __init__(self, words: list[Word]) -> None:
        self._words = words
        self._phrase: list[Word] = []
        self._list: list[Phrase] = []
        self._is_anchored = False

    def take(self, index: int) -> Iterator[tuple[bool, list[Phrase]]]:
        """Take a word, and yield the list that it ends."""
        word = self._words[index]
        if word.kind == "content":
            yield from self._take_content(index)
        elif word.kind == "of" and self._phrase and self._goes_on(index + 1):
            self._phrase.append(word)
        elif word.kind == "list" and (self._phrase or self._list):
            self._close()
        elif word.kind == "filler" and (self._is_after_of() or self._is_before_anchor(index)):
            return
        elif word.kind not in {"filler", "list"} or self._phrase:
            yield from self.flush(is_anchored=word.kind == "anchor")
            after_anchor = bool(index) and self._words[index - 1].kind == "anchor"
            self._is_anchored = word.kind in {"of", "for"} and after_anchor

    def flush(self, *, is_anchored: bool) -> Iterator[tuple[bool, list[Phrase]]]:
        """Yield the list so far, if there is one, and start anew."""
        self._close()
        if self._list:
            yield self._is_anchored or is_anchored, self._list
        self._list, self._is_anchored = [], False

    def _take_content(self, index: int) -> Iterator[tuple[bool, list[Phrase]]]:
        word = self._words[index]
        self._phrase.append(word)
        following = self._words[index + 1].kind if index + 1 < len(self._words) else None
        if not word.particle or (word.particle == "의" and following == "content"):
            return
        self._close()
        if word.particle not in LIST_PARTICLES and following in {None, "content"}:
            yield from self.flush(is_anchored=False)

    def _close(self) -> None:
        if self._phrase:
            words = tuple(word.text for word in self._phrase)
            self._list.append(Phrase(words, self._phrase[0].position))
            self._phrase = []

    def _goes_on(self, index: int) -> bool:
        """True if content follows an `of`, articles aside."""
        rest = (word.kind for word in self._words[index : index + 3] if word.kind != "filler")
        return next(rest, "stop") == "content"

    def _is_before_anchor(self, index: int) -> bool:
        """True if only fillers stand between a phrase and its anchor: `알레르기 적는 칸`."""
        rest = (word.kind for word in self._words[index + 1 :] if word.kind != "filler")
        return bool(self._phrase) and next(rest, "stop") == "anchor"

    def _is_after_of(self) -> bool:
        return bool(self._phrase) and self._phrase[-1].kind == "of"


def spans_around(words: list[Word], index: int) -> Iterator[tuple[int, int]]:
    """Yield the runs that hold the word at `index` and content, the longest first."""
    first = index
    while first and index - first < MAX_NAME_WORDS and words[first - 1].kind in _IN_NAMES:
        first -= 1
    last = index + 1
    while last < len(words) and last - index < MAX_NAME_WORDS and words[last].kind in _IN_NAMES:
        last += 1
    spans = [
        (start, end)
        for start in range(first, index + 1)
        for end in range(index + 1, last + 1)
        if end - start > 1 and all(words[at].kind != "of" for at in (start, end - 1))
    ]
    yield from sorted(spans, key=lambda span: span[0] - span[1])
