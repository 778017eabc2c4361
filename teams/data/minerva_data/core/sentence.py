"""Read which columns or terms a sentence asks about.

Names are found by what the glossary knows and by the words that frame a name; no sentence is
matched as a whole. A name that is clearly asked for but not known becomes an item too, so
that it is reported as unresolved instead of being passed over.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from minerva_data.core.english import reworded
from minerva_data.core.frame import IDENTIFYING_EN, IDENTIFYING_KO, REWORDED_KO
from minerva_data.core.grouping import Phrase
from minerva_data.core.lookup import Lookup
from minerva_data.core.phrase import PhraseReader
from minerva_data.core.record import Item
from minerva_data.core.text import MAX_PHRASE, cleaned, has_hangul, identifier_parts, key

MAX_READ = 20_000
"""Characters of a request that are read for names."""

MAX_ITEMS = 50
"""Names taken from one request; `total` tells how many there were."""

_GAP = " | "
_DEFINITION = re.compile(
    r"\b([A-Za-z]\w*)\s+((?:N?VARCHAR2?|N?CHAR|NUMBER|NUMERIC|DECIMAL|INT(?:EGER)?|BIGINT|DATE(?:TIME)?"
    r"|TIMESTAMP|CLOB|TEXT)\b(?:\s*\(\s*\d+(?:\s*,\s*\d+)?\s*\))?)\s*(?:COMMENT\s+)?['\"‘“]([^'\"’”\n]{1,120})['\"’”]",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"(?<!\w)'([^'\n]{1,120})'|\"([^\"\n]{1,120})\"|“([^”\n]{1,120})”|‘([^’\n]{1,120})’"
    r"|`([^`\n]{1,120})`|「([^」\n]{1,120})」"
)
_SNAKE = re.compile(
    r"(?<![\w./\\-])[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+(?![\w]*\.\w)(?![A-Za-z0-9_])"
)
_OTHER_NAME = re.compile(
    r"(?<![\w./\\-])(?:[A-Z]{2,}[0-9]*|[a-z]+(?:[A-Z][a-z0-9]*)+)(?![\w]*\.\w)(?![A-Za-z0-9_])"
)
_YES_NO = re.compile(r"\(?\b(?:yes\s?/\s?no|y\s?/\s?n|true\s?/\s?false)\b\)?", re.IGNORECASE)
_FOLLOWING = re.compile(r"\s+([a-z]+)")


@dataclass(frozen=True, slots=True)
class Asked:
    """The items a request asks about; `total` counts those that were left out too.

    `is_named` tells that it calls one of them a name: in quotation marks, or by a frame's words.
    """

    items: tuple[Item, ...]
    total: int
    truncated: bool
    is_named: bool


class SentenceReader:
    """Reads requests with one glossary."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._phrases = PhraseReader(lookup)

    def read(self, request: str) -> Asked:
        """Return the names that `request` asks about, in its order."""
        text = cleaned(request[:MAX_READ])
        found: list[tuple[int, Item]] = []
        text = self._take_definitions(text, found)
        text = self._take_quoted(text, found)
        text = self._take_identifiers(text, found)
        for idiom, words in REWORDED_KO:
            text = idiom.sub(words, text)
        text = IDENTIFYING_KO.sub(r"\1 식별 ", text)
        text = IDENTIFYING_EN.sub(r"the \1 identifier column", text)
        text = reworded(text)
        text = _YES_NO.sub(" " if has_hangul(text) else "flag", text)
        alone = not found
        is_named = not alone
        for phrase in self._phrases.phrases(text):
            items_here = [(phrase.position, item) for item in self._items(phrase, alone=alone)]
            is_named = is_named or (phrase.is_anchored and bool(items_here))
            found += items_here
        found.sort(key=lambda pair: pair[0])
        unique: dict[str, Item] = {}
        for _, item in found:
            unique.setdefault(key(item.name), item)
        items = tuple(unique.values())[:MAX_ITEMS]
        return Asked(
            items, len(unique), len(unique) > len(items) or len(request) > MAX_READ, is_named
        )

    def _take_definitions(self, text: str, found: list[tuple[int, Item]]) -> str:
        """Take column definitions: `USE_AT CHAR(1) '사용여부'`."""
        for hit in _DEFINITION.finditer(text):
            name, data_type, comment = hit.groups()
            found.append((hit.start(), Item(name=name, data_type=data_type, comment=comment)))
        return _DEFINITION.sub(_blank, text)

    def _take_quoted(self, text: str, found: list[tuple[int, Item]]) -> str:
        """Take what stands in quotation marks, unless it only frames a name."""

        def take(hit: re.Match[str]) -> str:
            inner = next(group for group in hit.groups() if group is not None).strip()
            if not inner or self._phrases.is_frame(inner):
                return hit.group()
            found.append((hit.start(), Item(name=inner)))
            return _blank(hit)

        return _QUOTED.sub(take, text)

    def _take_identifiers(self, text: str, found: list[tuple[int, Item]]) -> str:
        """Take column names: every one with `_`, others (`EMAIL`, `patientId`) if known."""

        def take(hit: re.Match[str]) -> str:
            name = hit.group()
            has_humps = len(identifier_parts(name)) > 1
            if "_" not in name and (self._phrases.is_frame(name) or not self._knows(name)):
                return name
            if "_" not in name and not has_humps and not self._stands_alone(hit):
                return name
            found.append((hit.start(), Item(name=name)))
            return _blank(hit)

        return _OTHER_NAME.sub(take, _SNAKE.sub(take, text))

    def _knows(self, name: str) -> bool:
        return self._lookup.best(name) is not None

    def _stands_alone(self, hit: re.Match[str]) -> bool:
        """Whether a word in capitals is a name of its own, not a part of `환자 ID`, `ICU bed`."""
        before = hit.string[: hit.start()].rstrip()
        if before and has_hangul(before[-1]):
            return False
        after = _FOLLOWING.match(hit.string, hit.end())
        return not after or self._phrases.is_frame(after[1]) or not self._knows(after[1])

    def _items(self, phrase: Phrase, *, alone: bool) -> Iterator[Item]:
        """Yield the names in a phrase; unknown ones only where a name is clearly asked for."""
        if not phrase.is_anchored and not (phrase.is_whole_request and alone):
            for text in self._phrases.names_inside(phrase):
                yield Item(name=text)
            return
        known = self._phrases.longest_name(phrase)
        yield Item(name=known or " ".join(phrase.words)[: MAX_PHRASE + 1])


def _blank(hit: re.Match[str]) -> str:
    """Return a gap as long as what was taken, so that positions stay."""
    return _GAP.strip().center(len(hit.group()))
