"""Offer terms that look like what was asked. They are proposals: nothing here decides.

Only the terms that share rare pieces with the text are compared, so that a look among ten
thousand terms costs no more than among a hundred.
"""

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from heapq import nlargest

from rapidfuzz import fuzz

from minerva_data.core.glossary.entry import Term
from minerva_data.core.glossary.glossary import Glossary
from minerva_data.core.language.text import MAX_PHRASE, has_hangul, key
from minerva_data.core.lookup.candidate import CandidateBuilder
from minerva_data.core.schema.record import Candidate, Method

CUTOFF = 50.0
"""Similarity (0 to 100) below which a term is no help."""

MAX_COMPARED = 64
"""Spellings compared with a text: those that share most of its pieces."""

MAX_VISITED = 4_000
"""Entries of the index that are read for a text, the rarest pieces first."""

CUTOFF_SHARED = 40.0
"""The same for a term that an index proposes, where no other is as similar as `CUTOFF`."""

More = Callable[[str, int], Iterable[str]]
"""Names of terms for a text, at most so many, from a second source."""

_CUTOFF_LATIN = CUTOFF + 10
_MAX_CACHED = 8_192
_EDGE = "\0"
_DIGITS = re.compile(r"\d+")
"""The columns of a table that are numbered ask for the same terms."""


class Proposer:
    """Similar terms by `fuzz.ratio` on names without spaces.

    That measure found 16 of 24 paraphrases first, more than any index or embedding tried; `more`
    is asked where it finds none.
    """

    def __init__(self, glossary: Glossary, more: More | None = None) -> None:
        self._glossary = glossary
        self._more = lru_cache(_MAX_CACHED)(more) if more else None
        self._build = CandidateBuilder(glossary)
        self._similar = lru_cache(_MAX_CACHED)(self._rank)

    def similar(self, text: str, *, limit: int) -> list[Candidate]:
        """Return at most `limit` terms like `text`, best first."""
        text_key = key(text[:MAX_PHRASE])
        method: Method = "fuzzy"
        found = self._similar(text_key, limit)
        if not found and self._more is not None:
            method, found = (
                "bm25",
                self._similar_among(text_key, self._more(_DIGITS.sub("", text_key), limit)),
            )
        return [
            self._build.of_term(term, method=method, similarity=score / 100)
            for term, score in found
        ]

    def _similar_among(self, text_key: str, names: Iterable[str]) -> tuple[tuple[Term, float], ...]:
        """Return what a second source proposes, in its order, as far as it is like the text."""
        named = (self._glossary.terms.get(name) for name in names)
        terms = [term for term in named if term is not None and not term.is_retired]
        scored = ((term, fuzz.ratio(text_key, key(term.name))) for term in terms)
        return tuple((term, score) for term, score in scored if score >= CUTOFF_SHARED)

    @cached_property
    def _choices(self) -> list[tuple[str, Term]]:
        """Terms by name, synonym and English gloss."""
        found: dict[str, Term] = {}
        for term in self._glossary.terms.values():
            if not term.is_retired:
                for spelling in (term.name, *term.synonyms, self._english(term)):
                    found.setdefault(key(spelling), term)
        return list(found.items())

    @cached_property
    def _index(self) -> "dict[str, array[int]]":
        """The places in `_choices` by piece."""
        index: dict[str, array[int]] = {}
        for place, (spelling, _) in enumerate(self._choices):
            for piece in set(_pieces(spelling)):
                index.setdefault(piece, array("I")).append(place)
        return index

    def _rank(self, text_key: str, limit: int) -> tuple[tuple[Term, float], ...]:
        cutoff = CUTOFF if has_hangul(text_key) else _CUTOFF_LATIN
        best: dict[str, tuple[Term, float]] = {}
        for place in self._sharing(text_key):
            spelling, term = self._choices[place]
            score = fuzz.ratio(text_key, spelling, score_cutoff=cutoff)
            if score >= cutoff and (term.name not in best or score > best[term.name][1]):
                best[term.name] = (term, score)
        ranked = sorted(best.values(), key=lambda pair: (-pair[1], pair[0].origin.row))
        return tuple(ranked[:limit])

    def _sharing(self, text_key: str) -> list[int]:
        """Return the choices that share most pieces with `text_key`, for their own length."""
        known = (self._index[p] for p in set(_pieces(text_key)) if p in self._index)
        shared: Counter[int] = Counter()
        visited = 0
        for places in sorted(known, key=len):
            if visited and visited + len(places) > MAX_VISITED:
                break  # the rarest piece is read in any case: else a short text would find nothing
            visited += len(places)
            shared.update(places[:MAX_VISITED])
        size, lengths = len(text_key), self._lengths
        # Common pieces by both lengths (Dice); else the longest names would share most.
        likely = ((count / (size + lengths[place]), -place) for place, count in shared.items())
        return [-place for _, place in nlargest(MAX_COMPARED, likely)]

    @cached_property
    def _lengths(self) -> "array[int]":
        return array("H", (len(spelling) for spelling, _ in self._choices))

    def _english(self, term: Term) -> str:
        """Return a term's English: that of the words its physical name abbreviates."""
        by_abbreviation = self._by_abbreviation
        parts = term.physical_name.split("_")
        return " ".join(by_abbreviation.get(part, part) for part in parts)

    @cached_property
    def _by_abbreviation(self) -> dict[str, str]:
        words = self._glossary.words.values()
        return {word.abbreviation: word.english for word in words if word.english}


def _pieces(spelling: str) -> Iterator[str]:
    """Yield the pieces by which a spelling is found: pairs of letters, of Latin ones three.

    Both ends count as letters, so that a typo in a name of two syllables leaves a piece.
    """
    edged = f"{_EDGE}{spelling}{_EDGE}"
    size = 2 if has_hangul(spelling) else 3
    return (edged[start : start + size] for start in range(max(1, len(edged) - size + 1)))
