"""Which words of a privacy notice say what is collected, and of whom.

A kind that a notice names is not collected for that: it may be denied, be how to write to somebody,
or be a purpose. A sentence counts if it says that it is collected, and a list if its heading, its
label or the sentence before it does. The words lie in `words/collecting.toml`.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from minerva_platform.text import read_words

_WORDS = read_words("minerva_governance.core.review", "collecting")
_SENTENCE_END: Final = re.compile(
    r"(?<=[.!?。])\s+(?=[\"'“(*]*[A-Z가-힣])|;\s+|,?\s+but\s+|(?<=수집하며)[,\s]+|(?<=수집하고)[,\s]+(?![있계])|(?<=지만)[,\s]+"
)
_LABEL: Final = re.compile(
    r"^(?P<label>[^:：.]{1,60}?)[*_\s]*[:：](?!//)[*_]*(?:\s+(?P<rest>.*)|)$", re.DOTALL
)
_ASIDE: Final = re.compile(r"\([^)]*\)")
_PIECE: Final = re.compile(r"[,;·、/]|\s(?:및|and)\s")
_MAX_TITLE_CHARACTERS: Final = 60
"""Of a line that titles the lines below it, such as "a. Required information"."""


class Items(NamedTuple):
    """What a statement says is collected: of those whom the notice is for, and of guardians."""

    own: str = ""
    of_guardians: str = ""


class CollectedItems:
    """Follows the headings and lines of a notice in their order."""

    def __init__(self) -> None:
        self._headings: list[tuple[int, bool | None]] = []
        self._lead: bool | None = None
        self._is_of_guardians = False
        """Whether the heading gives what stands below to guardians."""

    def enter(self, level: int, title: str) -> None:
        """Take a heading; below it stands what its own words say, else those of the one above."""
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        above = self._headings[-1][1] if self._headings else None
        own = _stance(title)
        self._headings.append((level, above if own is None else own))
        self._lead, self._is_of_guardians = None, _is_of_guardians(title)

    def row(self, headings: tuple[str, ...], cells: tuple[str, ...]) -> Items:
        """Return what a row of a table says: the cells below headings that are about items.

        Without such a heading, but below a title that is, those below no other topic's.
        """
        stances = [_stance(heading) for heading in headings]
        stances += [None] * (len(cells) - len(stances))
        wish = True if True in stances else None
        if wish is None and self._default is not True:
            return Items()
        phrase = [cell for cell, each in zip(cells, stances, strict=False) if each is wish]
        return self._by_person(", ".join(cell for cell in phrase if not _denies(cell)))

    def statement(self, text: str, *, is_listed: bool) -> Items:
        """Return what a statement says; `is_listed` is true for an item of a list."""
        phrase = text.replace("’", "'")
        label = _LABEL.match(phrase)
        stance = _stance(label["label"]) if label else None
        if label and stance is not None:
            rest = label["rest"] or ""
            if not rest.strip():
                self._lead = stance
            theirs = _is_of_guardians(label["label"])
            return self._by_person(_as_list(rest), theirs=theirs) if stance else Items()
        if len(phrase) <= _MAX_TITLE_CHARACTERS and not _WORDS.says("sentence", phrase):
            stance = _stance(_ASIDE.sub("", phrase))
            if stance is not None:
                self._lead = stance
                return self._by_person(_after("collected", phrase)) if stance else Items()
        if not is_listed and not label and not _as_list(phrase):
            self._lead = None
        words: list[str] = []
        for sentence in _SENTENCE_END.split(phrase):
            goes_on = _WORDS.pattern("goes_on").match(sentence) if words else None
            is_more = goes_on is not None and not _denies(sentence)
            words.append(_plain(sentence) if is_more else self._sentence(sentence))
        return self._by_person(", ".join(filter(None, words)))

    @property
    def _default(self) -> bool | None:
        """What a bare list says here."""
        if self._lead is not None:
            return self._lead
        return self._headings[-1][1] if self._headings else None

    def _by_person(self, words: str, *, theirs: bool = False) -> Items:
        if theirs or self._is_of_guardians:
            return Items(of_guardians=words)
        return _by_person(words)

    def _sentence(self, sentence: str) -> str:
        is_elsewhere = bool(self._headings) and self._headings[-1][1] is False
        if is_elsewhere and not _WORDS.says("plainly", sentence):
            return ""
        announces = _WORDS.says("announces", sentence)
        if _denies(sentence):
            self._lead = False if announces else self._lead
            return ""
        if self._default and not announces and (items := _as_list(sentence)):
            return items
        phrase = ", ".join(filter(None, _collected_in(sentence)))
        if phrase or _WORDS.says("states", sentence):
            self._lead = True if announces else self._lead
            return phrase
        return ""


def _stance(title: str) -> bool | None:
    """Return True for a title of collected items, False for another topic's, None for neither."""
    if _denies(title):
        return False
    if _WORDS.says("collected", title):
        return True
    return False if _WORDS.says("besides", title) else None


def _is_of_guardians(title: str) -> bool:
    phrase = _WORDS.pattern("consent").sub(" ", title)
    return _WORDS.says("guardian", phrase) and not _WORDS.says("other_person", phrase)


def _denies(sentence: str) -> bool:
    return _WORDS.says("denied", sentence)


def _collected_in(sentence: str) -> Iterator[str]:
    """Yield the objects of the verbs of collecting: in English behind it, else before."""
    active = _WORDS.pattern("active").search(sentence)
    if active:
        yield _plain(sentence[active.end() :])
    start = 0
    for verb in _WORDS.pattern("passive").finditer(sentence):
        yield _plain(sentence[start : verb.start()])
        start = verb.end()
    if not active and not start:
        yield _plain(_after("collected", sentence))


def _after(key: str, text: str) -> str:
    match = _WORDS.pattern(key).search(text)
    return text[match.end() :] if match else ""


def _as_list(text: str) -> str:
    """Return a list of items; nothing of a sentence, which may be about something else."""
    if _WORDS.says("sentence", _WORDS.pattern("aside").sub("", text)) or _denies(text):
        return ""
    return _plain(text)


def _plain(text: str) -> str:
    """Return `text` without what data is for, and by which channel it comes."""
    return _WORDS.pattern("purpose").sub(" ", text)


def _by_person(words: str) -> Items:
    """Tell the items of guardians from those of others; "the guardian's" holds for what follows."""
    if not _WORDS.says("guardian", words):
        return Items(words)
    own: list[str] = []
    theirs: list[str] = []
    stays = False
    for piece in _PIECE.split(_WORDS.pattern("consent").sub(" ", words)):
        is_theirs = _WORDS.says("guardian", piece)
        stays = _WORDS.says("guardians_own", piece) or (
            stays and not _WORDS.says("other_person", piece)
        )
        (theirs if is_theirs or stays else own).append(piece)
    return Items(", ".join(own), ", ".join(theirs))
