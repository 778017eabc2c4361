"""Build candidates: a name with its domain, subject area and the rows that prove it."""

from dataclasses import dataclass
from functools import lru_cache

from minerva_data.core.glossary.datatype import same_kind
from minerva_data.core.glossary.domain import choose_domain
from minerva_data.core.glossary.entry import Domain, Origin, Term
from minerva_data.core.glossary.glossary import SEED_NAME, Glossary
from minerva_data.core.glossary.vocabulary import Reading
from minerva_data.core.lookup.segment import Piece, Split
from minerva_data.core.schema.record import Candidate, Item, Method, SourceRow, WordHit

COMMON = "공통"
"""Subject area of a composed name none of whose words belongs to one."""

CONFIDENCE: dict[Method, float] = {
    "term_exact": 1.0,
    "synonym": 0.98,
    "composed": 0.9,
    "abbreviation": 0.7,
}
"""By method; proposals have their similarity instead. A name without a class word gets less."""

_MAX_CACHED = 32_768
"""Citations and words kept: the rows of a large schema share them, a third of their memory."""

_WITHOUT_CLASS_WORD = 0.6
"""Confidence of a name whose end says no kind of value: below that of a column's abbreviations."""
_BUNDLED_SHARE = 0.6
"""Share of the confidence that is left to the bundled glossary beside an imported one: less than
any name has that the imported one's own words give."""
_FUZZY_SHARE = 0.8
"""A merely similar term is never as sure as a composition, however similar it is."""


@lru_cache(_MAX_CACHED)
def cite(origin: Origin, statement: str) -> SourceRow:
    """Return the citation of a glossary row that says `statement`."""
    quote = f"{origin.place}: {statement}"
    return SourceRow(source=origin.source, row=origin.row, quote=quote, edition=origin.edition)


@dataclass(frozen=True, slots=True)
class CandidateBuilder:
    """Makes candidates of terms and of splits, with one glossary."""

    glossary: Glossary

    def of_term(
        self,
        term: Term,
        *,
        method: Method,
        path: tuple[SourceRow, ...] = (),
        similarity: float = 1.0,
    ) -> Candidate:
        """Return a term as a candidate; `path` cites how the text led to it."""
        domain = self.glossary.domains.get(term.domain or "")
        statement = ", ".join(
            part
            for part in (f"{term.name} = {term.physical_name}", term.domain, term.subject_area)
            if part
        )
        confidence = CONFIDENCE.get(method, similarity * _FUZZY_SHARE)
        rows = (cite(term.origin, statement), *path)
        return Candidate(
            logical_name=term.name,
            physical_name=term.physical_name,
            domain=term.domain,
            data_type=domain.sql_type if domain else None,
            subject_area=term.subject_area,
            method=method,
            confidence=self._discount(confidence, rows),
            citations=(*rows, *_domain_row(domain)),
        )

    def of_split(self, split: Split, item: Item, *, method: Method) -> Candidate:
        """Return the composition of a split's words; its last class word picks the domain."""
        split = _without_echo(split)
        hits = tuple(hit for piece in split for hit in _word_hits(piece.text, piece.reading))
        words = [word for piece in split for word in piece.reading.words]
        last = split[-1].reading.words[-1]
        domain = choose_domain(last, self.glossary, type_text=item.data_type, dialect=item.dialect)
        confidence = CONFIDENCE[method] if last.is_class else _WITHOUT_CLASS_WORD
        rows = (
            *alias_rows(split),
            *(cite(word.origin, f"{word.name} = {word.abbreviation}") for word in words),
        )
        return Candidate(
            logical_name="".join(hit.word for hit in hits),
            physical_name="_".join(hit.abbreviation for hit in hits),
            words=hits,
            domain=domain.name if domain else None,
            data_type=domain.sql_type if domain else None,
            # The area of the first word that belongs to one is that of the object it is about.
            subject_area=next((word.subject_area for word in words if word.subject_area), COMMON),
            method=method,
            confidence=self._discount(confidence, rows),
            citations=(*rows, *_domain_row(domain)),
        )

    def is_filled(self, candidate: Candidate) -> bool:
        """True if a row of the bundled glossary led to a name beside an imported one.

        The row of its domain does not count: it says the type, not the name.
        """
        domain = _domain_row(self.glossary.domains.get(candidate.domain or ""))
        rows = (row for row in candidate.citations if row not in domain)
        return self.glossary.has_imported_terms and any(row.source == SEED_NAME for row in rows)

    def fits_type(self, candidate: Candidate, item: Item) -> bool:
        """True if the declared type of `item` could hold the values of a name's domain."""
        domain = self.glossary.domains.get(candidate.domain or "")
        declared = item.data_type
        if domain is None or declared is None:
            return True
        return same_kind(declared, domain, dialect=item.dialect)

    def _discount(self, confidence: float, rows: tuple[SourceRow, ...]) -> float:
        """Return `confidence`, or a share of it where the bundled glossary fills a gap."""
        is_filled = any(row.source == SEED_NAME for row in rows) and self.glossary.is_imported
        return round(confidence * (_BUNDLED_SHARE if is_filled else 1), 3)


def _without_echo(split: Split) -> Split:
    """Drop a class word that the word before it ends in: `copayment amount`, `phone 번호`.

    Not where both are the standard's own words: it says so twice on purpose.
    """
    kept: list[Piece] = []
    for piece in split:
        before = kept[-1].reading if kept else None
        words = piece.reading.words
        is_class = len(words) == 1 and words[0].is_class
        if before is not None and before.words and is_class:
            is_own = not (before.is_alias or piece.reading.is_alias)
            ends = before.words[-1].name.endswith(words[0].name)
            if ends and not (is_own and before.words[-1] != words[0]):
                continue  # 금액 amount is one amount
        kept.append(piece)
    return tuple(kept)


@lru_cache(_MAX_CACHED)
def _word_hits(text: str, reading: Reading) -> tuple[WordHit, ...]:
    if not reading.words:
        passed = WordHit(
            word=text, abbreviation=text, written=text, via="passed_through", is_class=False
        )
        return (passed,)
    return tuple(
        WordHit(
            word=word.name,
            abbreviation=word.abbreviation,
            written=text,
            via=reading.via,
            is_class=word.is_class,
        )
        for word in reading.words
    )


def alias_rows(split: Split) -> tuple[SourceRow, ...]:
    """Cite each alias of a split: what was written, and the words it stands for."""
    return tuple(
        cite(
            piece.reading.origin,
            f"{piece.text} → {'+'.join(word.name for word in piece.reading.words)}",
        )
        for piece in split
        if piece.reading.origin is not None
    )


def _domain_row(domain: Domain | None) -> tuple[SourceRow, ...]:
    if domain is None:
        return ()
    return (cite(domain.origin, f"{domain.name} = {domain.sql_type}"),)
