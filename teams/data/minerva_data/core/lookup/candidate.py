"""Build candidates: a name with its domain, subject area and the rows that prove it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from minerva_data.core.glossary.calibration import POSSIBLE, Cell
from minerva_data.core.glossary.datatype import same_kind
from minerva_data.core.glossary.domain import choose_domains
from minerva_data.core.glossary.entry import Domain, Origin, Term
from minerva_data.core.glossary.glossary import SEED_NAME, Glossary
from minerva_data.core.glossary.vocabulary import Reading
from minerva_data.core.lookup.segment import Piece, Split
from minerva_data.core.schema.record import Candidate, Item, Method, SourceRow, WordHit

COMMON = "공통"
"""Subject area of a composed name none of whose words belongs to one."""

_MAX_CACHED = 32_768
"""Citations and words kept: the rows of a large schema share them, a third of their memory."""

_MAX_DOMAINS = 5
"""Domains to choose from that a name shows."""
_PROPOSING = frozenset({"fuzzy", "bm25"})
_MANY_WORDS = 4
"""Words of a name from which on longer ones count as equally long."""
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
        rows = (cite(term.origin, statement), *path)
        return Candidate(
            logical_name=term.name,
            physical_name=term.physical_name,
            domain=term.domain,
            data_type=domain.sql_type if domain else None,
            subject_area=term.subject_area,
            method=method,
            is_term=True,
            confidence=self._confidence((method,), rows, similarity=similarity),
            citations=(*rows, *_domain_row(domain)),
        )

    def of_split(self, split: Split, item: Item, *, method: Method) -> Candidate:
        """Return the composition of a split's words; its last class word picks the domain."""
        split = _without_echo(split)
        hits = tuple(hit for piece in split for hit in _word_hits(piece.text, piece.reading))
        words = [word for piece in split for word in piece.reading.words]
        last = split[-1].reading.words[-1]
        domains = choose_domains(
            last, self.glossary, type_text=item.data_type, dialect=item.dialect
        )
        common = COMMON if COMMON in self.glossary.areas else None
        domain = domains[0] if len(domains) == 1 else None
        rows = (
            *alias_rows(split),
            *(cite(word.origin, f"{word.name} = {word.abbreviation}") for word in words),
        )
        return Candidate(
            logical_name="".join(hit.word for hit in hits),
            physical_name="_".join(hit.abbreviation for hit in hits),
            words=hits,
            domain=domain.name if domain else None,
            domains=() if domain else tuple(one.name for one in domains[:_MAX_DOMAINS]),
            data_type=domain.sql_type if domain else None,
            # The area of the first word that belongs to one is that of the object it is about.
            subject_area=next((word.subject_area for word in words if word.subject_area), common),
            method=method,
            confidence=self._confidence(cell_of(method, hits, self.glossary), rows),
            citations=(*rows, *_domain_row(domain)),
        )

    def is_filled(self, candidate: Candidate) -> bool:
        """True if the bundled glossary reads a part of a name of an imported one."""
        is_read = any(row.source == SEED_NAME for row in candidate.citations)
        return is_read and self.glossary.has_imported_terms

    def fits_type(self, candidate: Candidate, item: Item) -> bool:
        """True if the declared type of `item` could hold the values of a name's domain."""
        names = (candidate.domain,) if candidate.domain else candidate.domains
        domains = [self.glossary.domains[name] for name in names if name in self.glossary.domains]
        declared = item.data_type
        if not domains or declared is None:
            return True
        return any(same_kind(declared, domain, dialect=item.dialect) for domain in domains)

    def _confidence(
        self, cell: Cell, rows: tuple[SourceRow, ...], *, similarity: float = 1.0
    ) -> float:
        """Return how often a name found in this way is right, from 0 to 1, as far as it is known.

        The row of a term of an imported glossary is that glossary's own word. The least of the
        glossaries that a name rests on counts.
        """
        sources = {row.source for row in rows}
        if cell == ("term_exact",) and SEED_NAME not in sources:
            return 1.0
        if cell[0] in _PROPOSING:
            most = POSSIBLE if SEED_NAME in sources else 1.0
            return round(min(similarity * _FUZZY_SHARE, most), 3)
        return round(self.glossary.share_right(sources, cell), 3)


def cell_of(method: Method, words: Sequence[WordHit], glossary: Glossary) -> Cell:
    """Return the way to a name that is composed of `words`.

    Method, whether an alias stands in it, the domain class, the number of words, and whether a
    word of one syllable is in it, which is also a part of many other words.
    """
    last = glossary.words.get(words[-1].word)
    spelling = "own" if all(hit.via == "word" for hit in words) else "alias"
    kind = (last.domain_class or "-") if last and last.is_class else ""
    length = str(min(len(words), _MANY_WORDS))
    short = "syllable" if any(len(hit.written) == 1 for hit in words[:-1]) else ""
    return (method, spelling, kind, length, short)


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
