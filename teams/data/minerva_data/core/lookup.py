"""Find the standard name of a column or of a term, or say why there is none.

A cascade: the term as it is, then through its synonyms, then composed of words. Similar terms
are offered as alternatives and never chosen. Each step is a method of its own, so that a
worker can show it as a node.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from minerva_data.core import english
from minerva_data.core.candidate import CandidateBuilder, alias_rows, cite
from minerva_data.core.domain import family_fits
from minerva_data.core.entry import Term
from minerva_data.core.glossary import Glossary
from minerva_data.core.proposal import Proposer
from minerva_data.core.record import Candidate, Item, Method, Reason, Recommended
from minerva_data.core.segment import Piece, Split, refused_parts, splits, unknown_parts
from minerva_data.core.text import (
    MAX_PHRASE,
    atoms,
    cleaned,
    has_hangul,
    headline,
    identifier_parts,
    is_identifier,
    key,
)
from minerva_data.core.vocabulary import Reading, Vocabulary, identifier_vocabulary, phrase_vocabulary

_GENITIVE = re.compile(r"(?:의|한|된|하는|되는|\s*받은|[했됐]는지|[하되]었는지)\s+")
_STATED = re.compile(r"(?:is|has)\s+(?=\S)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked up for an item: the head of its comment, else its own name."""

    item: Item
    text: str
    is_identifier: bool


@dataclass(frozen=True, slots=True)
class Composition:
    """What the words gave: one candidate, several that differ, or the parts in the way."""

    candidates: tuple[Candidate, ...] = ()
    unresolved_parts: tuple[str, ...] = ()
    reason: Reason | None = None
    retired: str | None = None


class Lookup:
    """The cascade over one glossary."""

    def __init__(self, glossary: Glossary, *, alternatives: int = 5) -> None:
        self.glossary = glossary
        self._build = CandidateBuilder(glossary)
        self._limit = alternatives

    @cached_property
    def phrases(self) -> Vocabulary:
        """The vocabulary for names in Korean or English."""
        return phrase_vocabulary(self.glossary)

    @cached_property
    def identifiers(self) -> Vocabulary:
        """The vocabulary for column names."""
        return identifier_vocabulary(self.glossary)

    @cached_property
    def _proposer(self) -> Proposer:
        return Proposer(self.glossary)

    def recommend(self, item: Item) -> Recommended:
        """Return the standard name of `item`: all steps of the cascade."""
        query = self.normalise(item)
        exact = self.find_term(query)
        composition = Composition() if exact else self.compose(query)
        return self.decide(query, exact, composition)

    def best(self, text: str) -> Candidate | None:
        """Return the name that `text` itself gives, None where there is a doubt; no proposals."""
        return self._decided(Item(name=text))

    def _decided(self, item: Item) -> Candidate | None:
        query = self.normalise(item)
        exact = self.find_term(query)
        if exact is not None:
            return exact
        candidates = self.compose(query).candidates
        return candidates[0] if len(candidates) == 1 else None

    def normalise(self, item: Item) -> Query:
        """Choose what to read: a comment says more than a legacy column name."""
        head = headline(item.comment or "")
        text = head or cleaned(item.name[: MAX_PHRASE * 4])
        return Query(item, text, is_identifier=is_identifier(text) and _is_column_name(text))

    def find_term(self, query: Query) -> Candidate | None:
        """Return the term that `query` names itself, by a synonym, or by its physical name."""
        spelled = key(query.text)
        term = self.glossary.terms_by_key.get(spelled)
        if term is not None:
            return self._current(term)
        term, synonym = self.glossary.terms_by_synonym.get(spelled, (None, ""))
        if term is not None and not term.is_retired:
            path = (cite(term.origin, f"{synonym} → {term.name}"),)
            return self._build.of_term(term, method="synonym", path=path)
        named = self._named_physically(query)
        return self._current(named) if named else None

    def _named_physically(self, query: Query) -> Term | None:
        """Return the one term whose physical name `query` is; a current one before a retired."""
        if not query.is_identifier:
            return None
        named = self.glossary.terms_by_physical.get(query.text.upper(), ())
        current = [term for term in named if not term.is_retired] or list(named)
        return current[0] if len(current) == 1 else None

    def _retired(self, query: Query) -> Term | None:
        """Return the retired term that `query` names and that no other replaces."""
        term = self.glossary.terms_by_key.get(key(query.text)) or self._named_physically(query)
        return term if term is not None and term.is_retired and not self._current(term) else None

    def compose(self, query: Query) -> Composition:
        """Compose `query` of words, or name the parts that no word explains."""
        if len(query.text) > MAX_PHRASE:
            return Composition(unresolved_parts=(query.text[:MAX_PHRASE] + "…",), reason="too_long")
        gone = self._retired(query)
        if gone is not None:
            return Composition(unresolved_parts=(gone.name,), reason="retired", retired=gone.name)
        if query.is_identifier:
            return self._compose_identifier(query)
        apart = english.part_of_name(query.text)
        if apart is not None and not self.phrases.read(atoms(apart).keys):
            return Composition(unresolved_parts=(apart,), reason="unknown_words")
        found = self._phrase_splits(query.text)
        if not found:
            return self._short_forms(query) or self._unknown(query)
        usable = [split for split in found if not refused_parts(split)]
        if not usable:
            return Composition(unresolved_parts=refused_parts(found[0]), reason="refused")
        return self._composition(usable, query.item, "composed")

    def decide(
        self, query: Query, exact: Candidate | None, composition: Composition
    ) -> Recommended:
        """Put the steps together: one name, or none with reasons and alternatives."""
        if exact is not None:
            return Recommended(item=query.item, best=exact)
        if len(composition.candidates) == 1:
            return Recommended(item=query.item, best=composition.candidates[0])
        return Recommended(
            item=query.item,
            alternatives=self.propose(query, composition),
            unresolved_parts=composition.unresolved_parts,
            reason=composition.reason,
            retired=composition.retired,
        )

    def propose(self, query: Query, composition: Composition) -> tuple[Candidate, ...]:
        """Return what a person might choose: never chosen here."""
        found = list(composition.candidates)
        if query.item.comment and is_identifier(query.item.name):
            named = self._decided(query.item.model_copy(update={"comment": None}))
            found += [named] if named else []
        if composition.reason != "too_long":
            found += self._proposer.similar(query.text, limit=self._limit)
        unique = {candidate.physical_name: candidate for candidate in reversed(found)}
        return tuple(reversed(unique.values()))[: self._limit]

    def _current(self, term: Term) -> Candidate | None:
        """Return `term`, or what replaced it: a retired term is recognised, not recommended."""
        if not term.is_retired:
            return self._build.of_term(term, method="term_exact")
        if term.replaced_by is None:
            return None
        path = (cite(term.origin, f"{term.name} (retired) → {term.replaced_by}"),)
        current = self.glossary.terms[term.replaced_by]
        if current.is_retired:
            return None
        found = self._build.of_term(current, method="synonym", path=path)
        return found.model_copy(update={"retired": term.name})

    def _completed(self, split: Split) -> Split:
        """Return a split whose last word is a term's short form with that term's class word.

        `성별` is a synonym of 성별코드, so 환자성별 is 환자성별코드. Only where the term is made of
        its words, and the split says no kind of value itself.
        """
        *head, last = split
        words = last.reading.words
        if not head or len(words) != 1 or words[0].is_class:
            return split
        term, _ = self.glossary.terms_by_synonym.get(key(words[0].name), (None, ""))
        if term is None or term.is_retired or not term.name.startswith(words[0].name):
            return split
        for whole in splits(atoms(term.name), self.phrases):
            parts = tuple(word for piece in whole for word in piece.reading.words)
            if "_".join(word.abbreviation for word in parts) == term.physical_name:
                reading = Reading(parts, last.reading.via, term.origin)
                return (*head, Piece(last.start, last.end, last.text, reading))
        return split

    def _composition(self, usable: Sequence[Split], item: Item, method: Method) -> Composition:
        """Return what the splits spell, if it is one name and none that was retired."""
        found = [self._candidate(split, item, method) for split in usable]
        current = [candidate for candidate in found if candidate.retired != candidate.logical_name]
        if not current:
            gone = found[0].logical_name
            return Composition(unresolved_parts=(gone,), reason="retired", retired=gone)
        return _distinct(current)

    def _candidate(self, split: Split, item: Item, method: Method) -> Candidate:
        """Return the term that a split spells, else its composition.

        A composition that spells a retired term without successor says so in `retired`.
        """
        composed = self._build.of_split(self._completed(split), item, method=method)
        spelled = key(composed.logical_name)
        known = self.glossary.terms_by_synonym.get(spelled, (None, ""))[0]
        term = self.glossary.terms_by_key.get(spelled, known)
        if term is None:
            return composed
        if term.is_retired:
            gone = composed.model_copy(update={"retired": composed.logical_name})
            return self._current(term) or gone
        found = "synonym" if method == "composed" else method
        by_term = self._build.of_term(term, method=found, path=alias_rows(split))
        return by_term.model_copy(update={"words": composed.words})

    def _phrase_splits(self, text: str) -> tuple[Split, ...]:
        """Split a phrase; `환자의 이름`, `입원한 날짜`, `name of the patient` add no word."""
        if has_hangul(text):
            said = english.plain(text)
            found = splits(atoms(said), self.phrases)
            return found or splits(atoms(_GENITIVE.sub(" ", said)), self.phrases)
        tried = (splits(atoms(turned), self.phrases) for turned in english.turns(text))
        return next(filter(None, tried), ())

    def _short_forms(self, query: Query) -> Composition | None:
        """Compose `adm date`, `exam cd`: short forms as in column names, without the joints."""
        if has_hangul(query.text):
            return None
        found = self._compose_identifier(query)
        return found if found.candidates else None

    def _unknown(self, query: Query) -> Composition:
        parts = unknown_parts(atoms(english.plain(query.text)), self.phrases)
        return Composition(unresolved_parts=parts or (query.text,), reason="unknown_words")

    def _compose_identifier(self, query: Query) -> Composition:
        said = " ".join(identifier_parts(english.plain(query.text)))
        stated = _STATED.match(said)
        if stated is not None:
            said = f"{said[stated.end() :]} flag"
        text = atoms(said)
        found = splits(text, self.identifiers, prefer_standard=False)
        if not found:
            parts = unknown_parts(text, self.identifiers)
            return Composition(unresolved_parts=parts or (query.text,), reason="unknown_words")
        item = query.item
        fitting = [split for split in found if self._fits(split, item)] or list(found)
        standard = [s for s in fitting if all(not p.reading.is_alias for p in s)]
        chosen = standard or fitting
        return self._composition(tuple(chosen), item, "abbreviation")

    def _fits(self, split: Split, item: Item) -> bool:
        last = split[-1].reading.words[-1]
        if item.data_type is None or not last.is_class:
            return True
        return family_fits(last, self.glossary, declared=item.data_type, dialect=item.dialect)


def _is_column_name(text: str) -> bool:
    """Whether Latin letters are meant as a column name: `PAT_ID`, `patId`, `EMAIL`; not `sex`."""
    return "_" in text or text.isupper() or len(identifier_parts(text)) > 1


def _distinct(candidates: list[Candidate]) -> Composition:
    """Return candidates without doubles; several that differ are ambiguous."""
    unique = {(c.logical_name, c.physical_name): c for c in candidates}
    found = tuple(unique.values())
    if len(found) == 1:
        return Composition(found)
    names = tuple(candidate.logical_name for candidate in found)
    return Composition(found, unresolved_parts=names, reason="ambiguous")
