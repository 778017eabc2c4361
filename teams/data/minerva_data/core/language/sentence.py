"""Read which columns or terms a sentence asks about.

Names are found by what the glossary knows and by the words that frame a name. A name that is
clearly asked for but not known becomes an item too, so that it is reported as unresolved.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise

from minerva_data.core.language import korean
from minerva_data.core.language.blanks import (
    blank,
    with_commas,
    without_form_wishes,
    without_value_hints,
)
from minerva_data.core.language.carrier_phrases import ASPECTS, IDENTIFYING_EN, IDENTIFYING_KO
from minerva_data.core.language.english import reworded
from minerva_data.core.language.grouping import Phrase
from minerva_data.core.language.phrase import PhraseReader
from minerva_data.core.language.sentence_word import TERM, WordReader
from minerva_data.core.language.table_mention import without_table_mentions
from minerva_data.core.language.text import MAX_PHRASE, cleaned, has_hangul, identifier_parts, key
from minerva_data.core.language.typed_list import TypedName, typed_list
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.record import Item
from minerva_platform.text import is_mere_name

MAX_READ = 20_000
"""Characters of a request that are read for names."""

MAX_ITEMS = 50
"""Names taken from one request; `total` counts all of them."""

MAX_DESCRIPTION_WORDS = 14
"""Words of a request that may describe one thing without naming it; a longer one tells a task."""

_SENTENCE_END = re.compile(
    r"(?<=[.!?:…])\s+(?!(?:and|or|plus)\b)|\s+[-–—=>→]+\s+|(?<=[가-힣](?:줘|요|까))\s+|(?<=(?:니다|해라))\s+"
)
_PAIR = 2
_OF = "의 "
_ENDLESS = re.compile(rf"(\S{{{MAX_PHRASE}}}\S)\S+")
"""A word too long for a name: reading it to its end would take seconds."""
_DEFINITION = re.compile(
    r"""
    \b([A-Za-z]\w*)\s+
    (
      (?:N?VARCHAR2?|N?CHAR|NUMBER|NUMERIC|DECIMAL|INT(?:EGER)?|BIGINT|DATE(?:TIME)?|TIMESTAMP
        |CLOB|TEXT)\b
      (?:\s*\(\s*\d+(?:\s*,\s*\d+)?\s*\))?
    )
    (?:(?<=\))\s*|\s+)                              # after a bracket no space is needed
    (?:COMMENT\s+)?['\"‘“]([^'\"’”\n]{1,120})['\"’”]
    """,
    re.IGNORECASE | re.VERBOSE,
)
_QUOTED = re.compile(
    r"""
    (?<!\w)'([^'\n]{1,120})'                       # not the apostrophe of patient's
    | \"([^\"\n]{1,120})\" | “([^”\n]{1,120})” | ‘([^’\n]{1,120})’
    | `([^`\n]{1,120})` | 「([^」\n]{1,120})」
    """,
    re.VERBOSE,
)
_SNAKE = re.compile(
    r"(?<![\w./\\-])[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+(?![\w]*\.\w)(?![A-Za-z0-9_])"
)
_OTHER_NAME = re.compile(
    r"(?<![\w./\\-])(?:[A-Z]{2,}[0-9]*|[a-z]+(?:[A-Z][a-z0-9]*)+)(?![\w]*\.\w)(?![A-Za-z0-9_])"
)
_YES_NO = re.compile(r"\(?\b(?:yes\s?/\s?no|y\s?/\s?n|true\s?/\s?false)\b\)?", re.IGNORECASE)
_PRECEDING = re.compile(r"([A-Za-z]+)(?:['’]s)?\s+$")
_FOLLOWING = re.compile(r"\s+([a-z]+)")

_MIN_ENGLISH = 3
"""Latin words that make a request with Korean words in it an English one."""

_LATIN_WORD = re.compile(r"(?<![\w가-힣])[A-Za-z'’-]+(?![\w가-힣])")
_HANGUL_WORD = re.compile(r"[A-Za-z0-9]*[가-힣][가-힣A-Za-z0-9]*")
_HANGUL_RUN = re.compile(rf"{_HANGUL_WORD.pattern}(?: {_HANGUL_WORD.pattern})*")

_Found = list[tuple[int, Item]]


@dataclass(frozen=True, slots=True)
class RequestedItems:
    """The items a request asks about; `total` counts those that were left out too.

    `is_named`: it calls one of them a name: in quotation marks, or by a frame's words.
    `unused` are words of the request that say something and stand for nothing in the items.
    """

    items: tuple[Item, ...]
    total: int
    truncated: bool = False
    is_named: bool = False
    unused: tuple[str, ...] = ()


class SentenceReader:
    """Reads requests with one glossary."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._words = WordReader(lookup)
        self._phrases = PhraseReader(self._words)

    def read_items(self, request: str) -> RequestedItems:
        """Return the names that `request` asks about, in its order."""
        text = _ENDLESS.sub(r"\1", cleaned(with_commas(request[:MAX_READ])))
        marks: _Found = []
        text = self._take_definitions(text, marks)
        text = self._take_quoted(text, marks)
        items, shapeless = RequestedItems((), 0), without_form_wishes(text)
        is_cut = len(request) > MAX_READ
        for whole in dict.fromkeys((shapeless, text)):  # what shapes a table may be all there is
            apart, tables = without_table_mentions(
                whole, is_term=self._is_term, is_frame=self._phrases.is_frame
            )
            items = self._read_text(apart, marks, tables, is_cut=is_cut)
            if not items.items and tables:
                items = self._read_text(whole, marks, (), is_cut=is_cut)
            if items.items:
                break
        names = () if marks else self._typed_list(shapeless)
        items = self._with_typed(items, names) if names else items
        has_more = "," in shapeless and not marks and bool(items.items)
        return self._with_unused(items, shapeless) if has_more else items

    def rest_of_list(self, request: str, context: str) -> str:
        """Return `request` with the other names of a list in `context` that it holds a part of."""
        names = self.listed_names(context) if context != request else ()
        others = [name for name in names if name not in request]
        here = [name for name in names if name in request]
        return request.replace(here[-1], ", ".join((here[-1], *others)), 1) if here else request

    def _typed_list(self, text: str) -> tuple[TypedName, ...]:
        """Return the names of the longest list in `text`, and of others of three or more."""
        read, _ = without_value_hints(text)
        ends = chain.from_iterable(hit.span() for hit in _SENTENCE_END.finditer(read))
        spans = islice(pairwise((0, *ends, len(read))), 0, None, 2)
        lists = [
            typed_list(self._words, read[start:end], text[start:end], is_told=_is_told(read, start))
            for start, end in spans
        ]
        least = min(max(map(len, lists)), _PAIR + 1)
        return tuple(name for names in lists if len(names) >= least for name in names)

    def _parts(self, name: TypedName) -> tuple[TypedName, ...]:
        """Return the names that particles join in `name`: not of 계약자와 수익자의 관계."""
        parts = self._typed_list(name.text)
        is_one = parts and _OF in parts[-1].text and not self._term(parts[-1].text)
        return (name,) if is_one else parts or (name,)

    def _with_typed(self, items: RequestedItems, names: tuple[TypedName, ...]) -> RequestedItems:
        """Return `items` with all `names` of a list, each as it is typed.

        A name that no item stands for is read by itself, and what none of its words has is one.
        """
        rest = {key(item.name): item for item in items.items if item.said != "scattered"}
        if len(rest) == 1 and not any(one in key(name.text) for one in rest for name in names):
            return items  # date and time is one name
        of_list: dict[str, Item] = {}
        for name in chain.from_iterable(map(self._parts, names[:MAX_ITEMS])):
            of_list = of_list | self._items_of(name, rest) | of_list
            rest = {one: item for one, item in rest.items() if one not in key(name.text)}
        every = tuple((of_list | rest | of_list).values())[:MAX_ITEMS]
        total = max(items.total, len(every), len(names))
        is_cut = items.truncated or total > len(every)
        return replace(items, items=every, total=total, truncated=is_cut)

    def _items_of(self, name: TypedName, others: dict[str, Item]) -> dict[str, Item]:
        """Return what stands for `name`: those of `others` within it, or itself; by their keys."""
        whole = key(name.text)
        inside = {one: item for one, item in others.items() if one in whole}
        if any("_" in item.name for item in inside.values()):
            return inside  # an identifier says which column is meant
        if not inside:
            alone = self._read_text(name.text, [], (), is_cut=False).items
            inside = {key(item.name): item for item in alone}
        best, bests = self._term(name.text), [self._term(item.name) for item in inside.values()]
        is_other = best not in bests if best else len(bests) > 1 and not all(bests)
        if not inside or (name.is_whole and is_other):
            return {whole: Item(name=name.text, said="phrase")}
        if len(inside) > 1:
            return inside
        ((one, item),) = inside.items()
        wording = name.text if one != whole else None
        return {one: item.model_copy(update={"said": "phrase", "wording": wording})}

    def _with_unused(self, items: RequestedItems, text: str) -> RequestedItems:
        """Return `items`, with what looks like a name in `text` and is in none as unused."""
        said = key(f"{[(item.name, item.wording) for item in items.items]} {items.unused}")
        phrases = [one.words for one in self._phrases.phrases(text) if len(one.words) > 1]
        names = [" ".join(words) for words in phrases if self._phrases.is_known(words[-1])]
        others = (name for name in names if key(name) not in said)
        return replace(items, unused=tuple(dict.fromkeys((*items.unused, *others))))

    def listed_names(self, request: str) -> tuple[str, ...]:
        """Return the names of the lists in `request`, each as it is typed.

        None if the glossary knows the last word, the kind of value, of too few: of less than a
        third, of one of two, or of none where nothing but a list is there.
        """
        text = without_form_wishes(cleaned(with_commas(request)))
        names = self._typed_list(text)
        names = tuple(one for one in names if has_hangul(one.text) or is_mere_name(one.text))
        familiar = sum(self._phrases.is_known(one.text.split()[-1]) for one in names)
        is_bare = all(one.is_whole for one in names)
        least = _PAIR if len(names) == _PAIR else 1 if is_bare else len(names) / 3
        return tuple(one.text for one in names) if names and familiar >= least else ()

    def _read_text(
        self, text: str, marks: _Found, unused: tuple[str, ...], *, is_cut: bool
    ) -> RequestedItems:
        """Return the names in a text whose `marks` are taken off, and its `unused` words."""
        found = list(marks)
        text = self._take_identifiers(text, found)
        text = self._take_korean(text, found)
        text, bracket_texts = without_value_hints(text)
        text = korean.reworded(text, knows=self._knows_noun)
        text = IDENTIFYING_KO.sub(r"\1 식별 ", text)
        text = IDENTIFYING_EN.sub(r"the \1 identifier column", text)
        text = reworded(text)
        text = _YES_NO.sub(" 여부 " if has_hangul(text) else "flag", text)
        found, is_named = self._read_phrases(text, bracket_texts, found)
        found.sort(key=lambda pair: pair[0])  # definitions, quotations and phrases, as they stand
        unique: dict[str, Item] = {}
        for _, item in found:
            # Two phrases for one term (환자 이름, patient name) ask for it once.
            best = self._lookup.best(item.name) if item.said == "phrase" else None
            unique.setdefault(key(best.logical_name if best else item.name), item)
        items = tuple(unique.values())[:MAX_ITEMS]
        is_truncated = len(unique) > len(items) or is_cut
        unused = (*unused, *self._unused_words(text, found))
        return RequestedItems(items, len(unique), is_truncated, is_named, unused)

    def _unused_words(self, text: str, items: _Found) -> Iterator[str]:
        """Yield the known words of `text` that no name has: they say what is not answered.

        Words that no glossary knows may be a manner of asking, so they are left out.
        """
        names = [key(item.name) for _, item in items]
        if not any(item.said == "name" for _, item in items):
            return
        for phrase in self._phrases.phrases(text):
            if ASPECTS.issuperset(map(str.casefold, phrase.words)):
                continue
            said = key("".join(phrase.words))
            is_named = any(said in name or name in said for name in names)
            if not is_named and all(map(self._phrases.is_known, phrase.words)):
                yield " ".join(phrase.words)

    def _is_term(self, text: str) -> bool:
        best = self._lookup.best(text)
        return best is not None and best.method in TERM

    def _take_definitions(self, text: str, items: list[tuple[int, Item]]) -> str:
        """Take column definitions: `USE_AT CHAR(1) '사용여부'`."""
        for hit in _DEFINITION.finditer(text):
            name, data_type, comment = hit.groups()
            items.append((hit.start(), Item(name=name, data_type=data_type, comment=comment)))
        return _DEFINITION.sub(blank, text)

    def _take_quoted(self, text: str, items: list[tuple[int, Item]]) -> str:
        """Take what stands in quotation marks, unless it only frames a name."""

        def take(hit: re.Match[str]) -> str:
            inner = next(group for group in hit.groups() if group is not None).strip()
            if not inner or self._phrases.is_frame(inner):
                return hit.group()
            items.append((hit.start(), Item(name=inner)))
            return blank(hit)

        return _QUOTED.sub(take, text)

    def _take_identifiers(self, text: str, items: list[tuple[int, Item]]) -> str:
        """Take column names: every one with `_`, others (`EMAIL`, `patientId`) if known."""

        def take(hit: re.Match[str]) -> str:
            name = hit.group()
            has_humps = len(identifier_parts(name)) > 1
            if "_" not in name and (self._phrases.is_frame(name) or not self._term(name)):
                return name
            if "_" not in name and not has_humps and not self._stands_alone(hit):
                return name
            if "_" not in name and not has_humps and self._is_bare(name):
                return name
            items.append((hit.start(), Item(name=name)))
            return blank(hit)

        return _OTHER_NAME.sub(take, _SNAKE.sub(take, text))

    def _take_korean(self, text: str, items: _Found) -> str:
        """Take the Korean words of an English request: they name what it asks about."""
        latin = len(_LATIN_WORD.findall(text))
        if latin < _MIN_ENGLISH or latin <= len(_HANGUL_WORD.findall(text)):
            return text

        def take(hit: re.Match[str]) -> str:
            items.append((hit.start(), Item(name=hit.group())))
            return blank(hit)

        return _HANGUL_RUN.sub(take, text)

    def _knows_noun(self, text: str) -> bool:
        return self._phrases.is_known(text) or self._lookup.concepts.knows(text)

    def _term(self, name: str) -> str | None:
        best = self._lookup.best(name)
        return best.logical_name if best else None

    def _is_bare(self, name: str) -> bool:
        """True if a word says no kind of value: `ER` in a sentence is a place, not a column."""
        best = self._lookup.best(name)
        return best is None or not best.has_domain

    def _stands_alone(self, hit: re.Match[str]) -> bool:
        """True if a word in capitals is a name of its own, not a part of `환자 ID`, `ICU bed`."""
        before = hit.string[: hit.start()].rstrip()
        if before and has_hangul(before[-1]):
            return False
        word = _PRECEDING.search(hit.string, 0, hit.start())
        if word and not self._phrases.is_frame(word[1]) and self._phrases.is_known(word[1]):
            return False
        after = _FOLLOWING.match(hit.string, hit.end())
        return not after or self._phrases.is_frame(after[1]) or not self._term(after[1])

    def _read_phrases(
        self, text: str, bracket_texts: tuple[str, ...], marks: _Found
    ) -> tuple[_Found, bool]:
        """Return `marks` and the names in the phrases of `text`, and whether any is named.

        A request that marks none, and whose phrases give none, or one and words beside it, is
        taken as a whole: terms can be offered for what it says, but none chosen.
        """
        phrases = self._phrases.phrases(text)
        found = list(marks)
        for phrase in phrases:
            found += [(phrase.position, item) for item in self._items(phrase, alone=not marks)]
        anchored = {phrase.position for phrase in phrases if phrase.is_anchored}
        is_named = bool(marks) or any(place in anchored for place, _ in found)
        if marks:
            return found, is_named
        if not found and bracket_texts and not phrases:
            return self._read_phrases(", ".join(bracket_texts), (), [])
        if not self._is_doubtful(found, phrases, text):
            return found, is_named
        if not found and len(text.split()) > MAX_DESCRIPTION_WORDS:
            return found, is_named
        whole = " ".join((*self._phrases.content_words(text), *bracket_texts))[:MAX_PHRASE]
        item = Item(name=whole, said="scattered")
        only = found[0][1].name if len(found) == 1 else ""
        if not whole or key(only.replace(" of ", " ")) == key(whole):
            return found, is_named
        offered = self._lookup.recommend(item).alternatives
        known = bool(found) or len(whole.split()) > 1 or self._knows_noun(whole)
        taken = bool(offered) and known
        return ([(0, item)], is_named) if taken else (found, is_named)

    def _is_doubtful(self, items: _Found, phrases: list[Phrase], text: str) -> bool:
        """True if there is no sure name, or the words beside the only one are known, too.

        Of a list, each name is one of its own.
        """
        if not items:
            return True
        if len(items) > 1:
            bests = [self._lookup.interpret(item).best for _, item in items]
            unsure = [best is None or not best.has_domain for best in bests]
            return any(unsure) and not self._phrases.is_list(text)
        place, item = items[0]
        best = self._lookup.interpret(item).best
        if best is None:
            return True
        if not best.has_domain and len(self._phrases.content_words(text)) > len(item.name.split()):
            return True
        here = next(phrase for phrase in phrases if phrase.position == place)
        others = (word for one in phrases if one is not here for word in one.words)
        is_sure = here.is_anchored and best.method in TERM
        return not is_sure and any(map(self._phrases.is_known, others))

    def _items(self, phrase: Phrase, *, alone: bool) -> Iterator[Item]:
        """Yield the names in a phrase; unknown ones only where a name is clearly asked for."""
        if not phrase.is_anchored and not (phrase.is_whole_request and alone):
            for text in self._phrases.names_inside(phrase):
                yield Item(name=text, said="phrase")
            return
        known = self._phrases.longest_name(phrase)
        name = known or " ".join(phrase.words)[: MAX_PHRASE + 1]
        yield Item(name=name, said="phrase")


def _is_told(text: str, start: int) -> bool:
    """True if a colon tells that a list begins at `start`."""
    return text[:start].rstrip().endswith(":")
