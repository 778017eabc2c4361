"""What may stand for which words: names, synonyms, English, abbreviations.

A phrase and a column name are read with different vocabularies: `DT` means nothing in a
sentence, but two things in a column name, and then the column's type has to decide.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

from minerva_data.core.glossary.entry import Origin, Word
from minerva_data.core.glossary.glossary import Glossary
from minerva_data.core.language.text import atoms
from minerva_data.core.schema.record import Via

_MIN_NOUN_LETTERS = 3
"""A shorter English word is rather an abbreviation, which has no plural."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One meaning of a piece of text."""

    words: tuple[Word, ...]
    via: Via
    origin: Origin | None = None

    @property
    def is_alias(self) -> bool:
        """True if the text is not the standard's own spelling."""
        return self.via != "word"


class Vocabulary:
    """Readings by the atoms that spell them."""

    def __init__(self, entries: Iterator[tuple[str, Reading]]) -> None:
        self._readings: dict[tuple[str, ...], tuple[Reading, ...]] = {}
        for text, reading in entries:
            spelling = atoms(text).keys
            known = self._readings.get(spelling, ())
            if all(reading.words != other.words for other in known):
                self._readings[spelling] = (*known, reading)
        for spelling in list(self._readings):
            for plural in plurals(spelling):
                self._readings.setdefault(plural, self._readings[spelling])
        self.longest = max(map(len, self._readings), default=0)

    @property
    def readings(self) -> Mapping[tuple[str, ...], tuple[Reading, ...]]:
        """All readings by spelling."""
        return self._readings

    def readings_of(self, spelling: tuple[str, ...]) -> tuple[Reading, ...]:
        """Return what these atoms may mean; nothing if they are unknown."""
        return self._readings.get(spelling, ())


def plurals(spelling: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the English plural of a spelling: `claims`, `allergies`, `diagnosis codes`."""
    *head, last = spelling or ("",)
    if len(last) >= _MIN_NOUN_LETTERS and last.isascii() and last.isalpha() and last[-1] != "s":
        yield (*head, f"{last[:-1]}ies" if last[-1] == "y" else f"{last}s")


def phrase_entries(glossary: Glossary) -> Iterator[tuple[str, Reading]]:
    """Yield the readings of names in Korean or English."""
    for word in glossary.words.values():
        yield from ((word.name, Reading((one,), "word")) for one in _meanings(word))
    yield from _english(glossary)
    yield from _aliases(glossary, {"synonym", "forbidden", "gloss"})


def identifier_entries(glossary: Glossary) -> Iterator[tuple[str, Reading]]:
    """Yield the readings of column names: the standard's abbreviations come first, then its words.

    Of two that mean the same, the first is cited; so a glossary's own go before the bundled one's.
    """
    for word in glossary.words.values():
        yield from ((one.abbreviation, Reading((one,), "word")) for one in _meanings(word))
    for word in glossary.words.values():
        if word.name.isascii():
            yield word.name, Reading((word,), "word")
    yield from _english(glossary)
    yield from _aliases(glossary, {"abbreviation", "gloss", "synonym", "forbidden"})


def _meanings(word: Word) -> tuple[Word, ...]:
    """Return a word once with each of its abbreviations."""
    return (word, *(replace(word, abbreviation=other, others=()) for other in word.others))


def _english(glossary: Glossary) -> Iterator[tuple[str, Reading]]:
    for word in glossary.words.values():
        if word.english:
            for one in _meanings(word):
                yield word.english, Reading((one,), "gloss", word.origin)


def _aliases(glossary: Glossary, kinds: set[str]) -> Iterator[tuple[str, Reading]]:
    for alias in glossary.aliases:
        if alias.kind in kinds and alias.kind != "near":
            for words in product(*(_meanings(glossary.words[name]) for name in alias.target)):
                yield alias.text, Reading(words, alias.kind, alias.origin)
