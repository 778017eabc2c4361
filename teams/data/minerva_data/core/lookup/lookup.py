"""Find the standard name of a column or of a term, or say why there is none.

A cascade: the term as it is, then through its synonyms, then composed of words. Similar terms
are offered as alternatives and never chosen. Each step is a method of its own, so that a
worker can show it as a node.
"""

from collections.abc import Sequence
from functools import cached_property

from minerva_data.core.glossary.entry import Term
from minerva_data.core.glossary.glossary import Glossary
from minerva_data.core.glossary.vocabulary import Vocabulary
from minerva_data.core.language.text import is_identifier
from minerva_data.core.lookup.candidate import CandidateBuilder
from minerva_data.core.lookup.composer import Composer
from minerva_data.core.lookup.decision import distrust, doubt
from minerva_data.core.lookup.proposal import More, Proposer
from minerva_data.core.lookup.query import Composition, Query, item_to_query
from minerva_data.core.lookup.term import TermFinder
from minerva_data.core.lookup.term_composition import Concepts
from minerva_data.core.schema.record import Candidate, Item, Recommended

__all__ = ["Composition", "Lookup", "Query"]


class Lookup:
    """The cascade over one glossary."""

    def __init__(
        self, glossary: Glossary, *, alternatives: int = 5, more: More | None = None
    ) -> None:
        self.glossary, self._more = glossary, more
        self._build = CandidateBuilder(glossary)
        self._terms = TermFinder(glossary, self._build)
        self._composer = Composer(glossary, self._terms, self._build)
        self._limit = alternatives

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
        return self._check_trust(self.normalise(item), self.interpret(item))

    def interpret(self, item: Item) -> Recommended:
        """Return what `item` says, whichever glossary reads it: what names a sentence holds."""
        query = self.normalise(item)
        exact = self.find_term(query)
        composition = Composition() if exact else self.compose(query)
        return self._decision(query, exact, composition)

    def best(self, text: str) -> Candidate | None:
        """Return the name that `text` itself gives, None where there is a doubt; no proposals."""
        return self._best_of(Item(name=text))

    def _best_of(self, item: Item) -> Candidate | None:
        query = self.normalise(item)
        exact = self.find_term(query)
        if exact is not None:
            return exact
        return self.compose(query).only

    def normalise(self, item: Item) -> Query:
        """Choose what to read: a comment says more than a legacy column name."""
        return item_to_query(item)

    def find_term(self, query: Query) -> Candidate | None:
        """Return the term that `query` names itself, by a synonym, or by its physical name."""
        return self._terms.find(query)

    def compose(self, query: Query) -> Composition:
        """Compose `query` of words, or name the parts that no word explains."""
        return self._composer.compose(query)

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
        against = doubt(query, composition, self.concepts)
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
        found += [one for one in composed if one.domain or query.item.said == "name"]
        if query.item.said != "name":
            found += self._find_related(query.text)
        found += composed
        if query.item.comment and is_identifier(query.item.name):
            named = self._best_of(query.item.model_copy(update={"comment": None}))
            found += [named] if named else []
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
