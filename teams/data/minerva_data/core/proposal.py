"""Offer terms that look like what was asked. They are proposals: nothing here decides."""

from functools import cached_property

from rapidfuzz import fuzz, process

from minerva_data.core.candidate import CandidateBuilder
from minerva_data.core.entry import Term
from minerva_data.core.glossary import Glossary
from minerva_data.core.record import Candidate
from minerva_data.core.text import has_hangul, key

CUTOFF = 50.0
"""Similarity (0 to 100) below which a term is no help."""


class Proposer:
    """Similar terms by `fuzz.ratio` on names without spaces.

    That measure found 16 of 24 paraphrases first, more than any index or embedding tried.
    """

    def __init__(self, glossary: Glossary) -> None:
        self._glossary = glossary
        self._build = CandidateBuilder(glossary)

    @cached_property
    def _choices(self) -> dict[str, Term]:
        """Terms by name, synonym and English gloss."""
        found: dict[str, Term] = {}
        for term in self._glossary.terms.values():
            if not term.is_retired:
                for spelling in (term.name, *term.synonyms, self._english(term)):
                    found.setdefault(key(spelling), term)
        return found

    def similar(self, text: str, *, limit: int) -> list[Candidate]:
        """Return at most `limit` terms like `text`, best first."""
        spelled = key(text)
        cutoff = CUTOFF if has_hangul(text) else CUTOFF + 10
        choices = list(self._choices)
        found = process.extract(
            spelled, choices, scorer=fuzz.ratio, limit=limit * 2, score_cutoff=cutoff
        )
        best: dict[str, Candidate] = {}
        for spelling, score, _ in found:
            term = self._choices[spelling]
            if term.name not in best:
                best[term.name] = self._build.of_term(term, method="fuzzy", similarity=score / 100)
        return list(best.values())[:limit]

    def _english(self, term: Term) -> str:
        """Return a term's English: that of the words its physical name abbreviates."""
        by_abbreviation = self._by_abbreviation
        parts = term.physical_name.split("_")
        return " ".join(by_abbreviation.get(part, part) for part in parts)

    @cached_property
    def _by_abbreviation(self) -> dict[str, str]:
        return {word.abbreviation: word.english for word in self._glossary.words.values()}
