"""Find the standard name of a column or of a term, or say why there is none.

A cascade: the term as it is, then through its synonyms, then composed of words. Similar terms
are offered as alternatives and never chosen. Each step is a method of its own, so that a
worker can show it as a node.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from minerva_data.core.glossary.entry import Term
from minerva_data.core.glossary.glossary import Glossary
from minerva_data.core.glossary.vocabulary import Vocabulary
from minerva_data.core.language.text import has_hangul, headline, is_identifier
from minerva_data.core.lookup.candidate import CandidateBuilder
from minerva_data.core.lookup.composer import Composer, TermFinder
from minerva_data.core.lookup.proposal import More, Proposer
from minerva_data.core.lookup.query import Composition, Query, item_to_query
from minerva_data.core.lookup.term_composition import Concepts
from minerva_data.core.schema.record import Candidate, Item, Reason, Recommended

_TERM = frozenset({"term_exact", "synonym"})
__all__ = ["Composition", "Lookup", "Query"]


class Lookup:
    """The cascade over one glossary."""

    def __init__(
        self, glossary: Glossary, *, alternatives: int = 5, more: More | None = None
    ) -> None:
        self.glossary, self._more = glossary, more
        self._build = CandidateBuilder(glossary)
        terms = TermFinder(glossary, self._build)
        self._composer = Composer(glossary, terms, self._build)
        self._limit = alternatives
        self.find_term, self.compose = terms.find, self._composer.compose

    @property
    def phrases(self) -> Vocabulary:
        """The vocabulary for names in Korean or English."""
        return self._composer.phrases

    @property
    def identifiers(self) -> Vocabulary:
        """The vocabulary for column names."""
        return self._composer.identifiers

    @cached_property
    def concepts(self) -> Concepts:
        """The terms by the words that they are made of."""
        return Concepts(self.glossary, self.phrases)

    @cached_property
    def _proposer(self) -> Proposer:
        return Proposer(self.glossary, self._more)

    def recommend(self, item: Item) -> Recommended:
        """Return the standard name of `item`: all steps of the cascade."""
        return self._check_trust(item_to_query(item), self.interpret(item))

    def interpret(self, item: Item) -> Recommended:
        """Return what `item` says, whichever glossary reads it: what names a sentence holds."""
        query = item_to_query(item)
        exact = self.find_term(query)
        composition = Composition() if exact else self.compose(query)
        return self._decision(query, exact, composition)

    def best(self, text: str) -> Candidate | None:
        """Return the name that `text` itself gives, None where there is a doubt; no proposals."""
        return self.best_of(Item(name=text))

    def best_of(self, item: Item) -> Candidate | None:
        """Return the name that `item` gives, None where there is a doubt; no proposals."""
        query = item_to_query(item)
        exact = self.find_term(query)
        if exact is not None:
            return exact
        return self.compose(query).only

    def decide(
        self, query: Query, exact: Candidate | None, composition: Composition
    ) -> Recommended:
        """Put the steps together: one name, or none with reasons and alternatives."""
        return self._check_trust(query, self._decision(query, exact, composition))

    def _check_trust(self, query: Query, recommendation: Recommended) -> Recommended:
        """Return `recommendation`, its name only an alternative if it is not sure enough."""
        best = recommendation.best
        against = distrust(query, best, self._build) if best else None
        if best is None or against is None:
            return recommendation
        return Recommended(
            item=query.item,
            alternatives=self.propose(query, Composition((best,))),
            unresolved_parts=(query.text,),
            reason=against,
        )

    def _decision(
        self, query: Query, exact: Candidate | None, composition: Composition
    ) -> Recommended:
        if exact is not None and query.item.said != "scattered":
            return Recommended(item=query.item, best=exact)
        only = composition.only
        against = doubt(query, composition, self.concepts, self._build)
        if only is not None and against is None:
            return Recommended(item=query.item, best=only)
        closer = against.closer if against else ()
        reason = against.reason if against else composition.reason
        return Recommended(
            item=query.item,
            alternatives=self.propose(query, composition, closer=closer),
            unresolved_parts=composition.unresolved_parts or (query.text,),
            reason="scattered" if query.item.said == "scattered" else reason,
            retired=composition.retired,
        )

    def propose(
        self, query: Query, composition: Composition, *, closer: Sequence[Term] = ()
    ) -> tuple[Candidate, ...]:
        """Return what a person might choose: never chosen here. `closer` terms stand first."""
        found = [self._build.of_term(term, method="fuzzy") for term in closer]
        composed = [] if query.item.said == "scattered" else list(composition.candidates)
        # In a sentence a composition without a domain is mostly chance, so terms go before it.
        found += [one for one in composed if one.has_domain or query.item.said == "name"]
        if query.item.said != "name":
            found += self._find_related(query.text)
        found += composed
        if query.item.comment and is_identifier(query.item.name):
            # What was not read: the name, or a comment that describes.
            head = headline(query.item.comment)
            other = query.item.name if head == query.text else head
            by_other = self.best_of(query.item.model_copy(update={"name": other, "comment": None}))
            found += [by_other] if by_other else []
        if composition.reason != "too_long":
            found += self._proposer.similar(query.text, limit=self._limit)
        unique: dict[str, Candidate] = {}
        for candidate in found:
            unique.setdefault(candidate.physical_name, candidate)
        return tuple(unique.values())[: self._limit]

    def _find_related(self, text: str) -> list[Candidate]:
        offered = self.concepts.find_related(text, limit=self._limit)
        return [
            self._build.of_term(term, method="fuzzy", similarity=share) for term, share in offered
        ]


def distrust(query: Query, best: Candidate, build: CandidateBuilder) -> Reason | None:
    """Return why a name that nothing else speaks against is still only offered, None if it is not.

    Beside an imported glossary the bundled one decides nothing: its aliases join with the other's
    abbreviations to names of another meaning (`order_date`: 발주일자). It still answers who asks
    for a term by its name or a synonym: that renames no column. Latin words are read piece
    by piece, so there the declared type has to agree with the domain (`post_no INT`: 우편번호).
    """
    is_asked = best.method in _TERM and not query.item.is_column
    if build.is_filled(best) and not is_asked:
        return "bundled_alias"
    is_read = best.method != "term_exact" and not has_hangul(query.text)
    return "other_type" if is_read and not build.fits_type(best, query.item) else None


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a composed name is only offered, and the terms that stand before it."""

    reason: Reason
    closer: tuple[Term, ...] = ()


def doubt(
    query: Query, composition: Composition, concepts: Concepts, build: CandidateBuilder
) -> Doubt | None:
    """Return what speaks against deciding on the one name of `composition`, None if nothing does.

    What is composed of a sentence's words may still miss a term that says the same: then both are
    offered. A column's comment is a chosen name; a sentence only describes one.
    There is nothing to doubt where there is no name, or several.
    """
    candidate, said = composition.only, query.item.said
    if candidate is None:
        return None
    if said == "scattered":
        return Doubt("scattered")
    if candidate.method in _TERM or concepts.term(candidate.logical_name) is not None:
        return None
    if build.is_filled(candidate):
        return Doubt("bundled_alias")
    return _doubt_name(query, candidate) if said == "name" else _unsure(query, candidate, concepts)


def _doubt_name(query: Query, candidate: Candidate) -> Doubt | None:
    """Doubt a column's name that the audit would reject: no class word (N4), no domain (D3)."""
    if not query.item.is_column or candidate.has_domain:
        return None
    return Doubt("no_domain" if candidate.words[-1].is_class else "no_class_word")


def _unsure(query: Query, candidate: Candidate, concepts: Concepts) -> Doubt | None:
    """Doubt a name composed of the words of a sentence where a term says the same."""
    words = tuple(hit.word for hit in candidate.words)
    same = _same(query, candidate, concepts)
    if not candidate.words[-1].is_class:
        return _without_class_word(query, candidate, same, concepts)
    ending = concepts.ending(words)
    only = ending if len(ending) == 1 else ()
    closer = [*same, *_already_said(candidate, concepts), *only]
    return Doubt("close_term", tuple(dict.fromkeys(closer))) if closer else None


def _without_class_word(
    query: Query, candidate: Candidate, same: tuple[Term, ...], concepts: Concepts
) -> Doubt | None:
    """Doubt 마취유형, which is no name without 코드.

    A word by itself is what it is, unless only one term goes on from it: 알레르기 is hardly asked
    for without 내용. So are the standard's own words in one: they were chosen as a name.
    """
    words = tuple(hit.word for hit in candidate.words)
    longer = concepts.with_class_word(words)
    if len(words) == 1 and len(longer) != 1:
        return None
    closer = tuple(dict.fromkeys((*longer, *same)))
    is_own = " " not in query.text and all(hit.via == "word" for hit in candidate.words)
    return None if is_own and not closer else Doubt("no_class_word", closer)


def _same(query: Query, candidate: Candidate, concepts: Concepts) -> tuple[Term, ...]:
    """Return terms that say the same in related words, or its words in another order.

    보험유형코드 for 보험종류코드, 총진료금액 for 진료총금액.
    """
    terms = (
        *concepts.same(query.text),
        *concepts.same(candidate.logical_name),
        *concepts.in_any_order([hit.word for hit in candidate.words]),
    )
    return tuple(term for term in terms if term.name != candidate.logical_name)


def _already_said(candidate: Candidate, concepts: Concepts) -> tuple[Term, ...]:
    """Return the term in a name that says all of it.

    청구금액 is described as claimed of the insurance, so 보험청구금액 says nothing more; nor does
    우편번호코드, whose second kind of value is too much.
    """
    words = tuple(hit.word for hit in candidate.words)
    whole = concepts.term("".join(words[:-1]))
    if whole is not None and candidate.words[-2].is_class:
        return (whole,)
    for start in range(1, len(words) - 1):
        term = concepts.term("".join(words[start:]))
        if term is not None:
            return (term,) if concepts.says(term, words[:start]) else ()
    return ()
