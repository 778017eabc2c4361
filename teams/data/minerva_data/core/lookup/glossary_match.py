"""Find the words of the glossary that the pieces of a text stand for, or nearly do.

This only serves to offer terms; what a name is, `segment` decides. So a related word counts here,
and an unknown one is counted and passed over.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from minerva_data.core.glossary.entry import Term, Word
from minerva_data.core.glossary.glossary import Glossary
from minerva_data.core.glossary.vocabulary import Vocabulary, plurals
from minerva_data.core.language.text import Atoms, atoms, has_hangul
from minerva_data.core.lookup.segment import splits

_Spelling = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a piece of text may stand for; `is_near`: a related word, not the same."""

    words: tuple[Word, ...]
    is_near: bool


@dataclass(frozen=True, slots=True)
class Pieces:
    """The meanings of each known piece of a text, and how many pieces are unknown."""

    meanings: tuple[tuple[Meaning, ...], ...]
    unknown: int


class MeaningReader:
    """Reads with one glossary: its words, related ones, and other names of its terms."""

    def __init__(self, glossary: Glossary, phrases: Vocabulary) -> None:
        self._glossary = glossary
        self._phrases = phrases

    def words(self, term: Term) -> tuple[Word, ...]:
        """Return the words that `term` is made of; none where it is not."""
        found = splits(atoms(term.name), self._phrases)
        return tuple(word for piece in found[0] for word in piece.reading.words) if found else ()

    def read_pieces(self, text: str) -> Pieces:
        """Read `text` in the fewest pieces, with as little unknown as possible."""
        spelled = atoms(text)
        size = len(spelled.keys)
        best: list[tuple[int, int]] = [(0, 0)]
        back: list[tuple[int, tuple[Meaning, ...]]] = [(0, ())]
        for end in range(1, size + 1):
            cost, start = (best[end - 1][0] + 1, best[end - 1][1]), end - 1
            found: tuple[Meaning, ...] = ()
            for first in range(max(0, end - self._longest), end):
                meanings = self._meanings(spelled, first, end)
                other = (best[first][0], best[first][1] + 1)
                if meanings and other < cost:
                    cost, start, found = other, first, meanings
            best.append(cost)
            back.append((start, found))
        return _walk_back(back, size, spelled)

    def _meanings(self, text: Atoms, start: int, end: int) -> tuple[Meaning, ...]:
        spelling = text.keys[start:end]
        if end - start == 1 and has_hangul(spelling[0]) and not _is_apart(text, start, end):
            return ()  # 일 inside 생일자 is no day
        own = [Meaning(one.words, is_near=False) for one in self._phrases.readings_of(spelling)]
        names = (tuple("".join(word.name for word in one.words)) for one in own)
        related = chain(*(self._near.get(said, ()) for said in (spelling, *names)))
        near = (Meaning(words, is_near=True) for words in dict.fromkeys(related))
        return (*own, *near)

    @cached_property
    def _near(self) -> Mapping[_Spelling, tuple[tuple[Word, ...], ...]]:
        """Related words and terms' other names by the atoms that spell them."""
        found: dict[_Spelling, tuple[tuple[Word, ...], ...]] = {}
        near = (
            (alias.text, tuple(self._glossary.words[name] for name in alias.target))
            for alias in self._glossary.aliases
            if alias.kind == "near"
        )
        current = (term for term in self._glossary.terms.values() if not term.is_retired)
        synonyms = (
            (said, self.words(term)) for term in current if term.synonyms for said in term.synonyms
        )
        for text, words in chain(near, synonyms):
            spelled = atoms(text).keys
            for spelling in (spelled, *plurals(spelled)):
                if words and words not in found.get(spelling, ()):
                    found[spelling] = (*found.get(spelling, ()), words)
        return found

    @cached_property
    def _longest(self) -> int:
        return max(self._phrases.longest, max(map(len, self._near), default=0))


def _is_apart(text: Atoms, start: int, end: int) -> bool:
    """True if one syllable begins or ends a word: in the middle it is none."""
    ends = end == len(text.keys) or end in text.borders or not has_hangul(text.keys[end])
    return ends or start == 0 or start in text.borders or not has_hangul(text.keys[start - 1])


def _walk_back(back: list[tuple[int, tuple[Meaning, ...]]], size: int, text: Atoms) -> Pieces:
    """Follow the cheapest way back; an unknown run counts once for each word it touches."""
    pieces: list[tuple[Meaning, ...]] = []
    unknown = 0
    end = size
    inside = False
    while end:
        start, meanings = back[end]
        if meanings:
            pieces.append(meanings)
        elif not inside or end in text.borders:
            unknown += 1
        inside = not meanings
        end = start
    return Pieces(_without_echo(pieces[::-1]), unknown)


def _without_echo(pieces: list[tuple[Meaning, ...]]) -> tuple[tuple[Meaning, ...], ...]:
    """Drop a piece that says again what the one before ends in: `금액 amt`, `phone 번호`."""
    kept: list[tuple[Meaning, ...]] = []
    for piece in pieces:
        before = kept[-1][0].words[-1].name if kept and kept[-1][0].words else ""
        again = piece[0].words
        if not (len(again) == 1 and again[0].is_class and before.endswith(again[0].name)):
            kept.append(piece)
    return tuple(kept)
