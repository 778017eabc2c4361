"""Compose a name of the glossary's words, or say which parts are in the way."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from minerva_data.core.glossary.domain import family_fits
from minerva_data.core.glossary.entry import Term
from minerva_data.core.glossary.glossary import Glossary
from minerva_data.core.glossary.vocabulary import (
    Reading,
    Vocabulary,
    identifier_entries,
    phrase_entries,
)
from minerva_data.core.language import english
from minerva_data.core.language.text import MAX_PHRASE, atoms, has_hangul, identifier_parts, key
from minerva_data.core.lookup.candidate import CandidateBuilder, alias_rows, cite
from minerva_data.core.lookup.query import Composition, Query
from minerva_data.core.lookup.segment import Piece, Split, refused_parts, splits, unknown_parts
from minerva_data.core.schema.record import Candidate, Item, Method

_GENITIVE = re.compile(r"(?:의|한|된|하는|되는|\s*받은|[했됐]는지|[하되]었는지)\s+")
_SEVERAL = re.compile(r"\s*/\s*|\s+및\s+")
"""Between names of several things."""
_STATED = re.compile(r"(?:is|has)\s+(?=\S)", re.IGNORECASE)


def _spellings(query: Query) -> tuple[str, ...]:
    """Return the keys of what is asked; of a column's name also that of its words: `user_name`."""
    words = identifier_parts(query.text) if query.is_identifier else ()
    return tuple(dict.fromkeys((key(query.text), *((key(" ".join(words)),) if words else ()))))


@dataclass(frozen=True, slots=True)
class TermFinder:
    """Finds the term that a name is: by its own name, a synonym, or its physical name."""

    glossary: Glossary
    build: CandidateBuilder

    def find(self, query: Query) -> Candidate | None:
        """Return the term that `query` names itself, by a synonym, or by its physical name."""
        for spelled in _spellings(query):
            term = self.glossary.terms_by_key.get(spelled)
            if term is not None:
                return self.current(term)
            term, synonym = self.glossary.terms_by_synonym.get(spelled, (None, ""))
            if term is not None and not term.is_retired:
                path = (cite(term.origin, f"{synonym} → {term.name}"),)
                return self.build.of_term(term, method="synonym", path=path)
        named = self._named_physically(query)
        return self.current(named) if named else None

    def _named_physically(self, query: Query) -> Term | None:
        """Return the one term whose physical name `query` is; a current one before a retired."""
        if not query.is_identifier:
            return None
        named = self.glossary.terms_by_physical.get(query.text.upper(), ())
        current = [term for term in named if not term.is_retired] or list(named)
        return current[0] if len(current) == 1 else None

    def find_several(self, query: Query) -> tuple[Candidate, ...]:
        """Return the terms of one source that `query` names alike: by a synonym, or physically."""
        by_synonym = self.glossary.terms_of_shared_synonym
        by_name = self.glossary.terms_by_physical.get(query.text.upper(), ())
        terms = (
            *(term for text in _spellings(query) for term in by_synonym.get(text, ())),
            *(term for term in by_name if query.is_identifier and not term.is_retired),
        )
        return tuple(self.build.of_term(term, method="synonym") for term in dict.fromkeys(terms))

    def find_retired(self, query: Query) -> Term | None:
        """Return the retired term that `query` names and that no other replaces."""
        term = self.glossary.terms_by_key.get(key(query.text)) or self._named_physically(query)
        return term if term is not None and term.is_retired and not self.current(term) else None

    def current(self, term: Term) -> Candidate | None:
        """Return `term`, or what replaced it: a retired term is recognised, not recommended."""
        if not term.is_retired:
            return self.build.of_term(term, method="term_exact")
        if term.replaced_by is None:
            return None
        path = (cite(term.origin, f"{term.name} (retired) → {term.replaced_by}"),)
        current = self.glossary.terms[term.replaced_by]
        if current.is_retired:
            return None
        found = self.build.of_term(current, method="synonym", path=path)
        return found.model_copy(update={"retired": term.name})


class Composer:
    """Composes with the words of one glossary; what spells a term is that term."""

    def __init__(self, glossary: Glossary, terms: TermFinder, build: CandidateBuilder) -> None:
        self.glossary = glossary
        self._terms = terms
        self._build = build

    @cached_property
    def phrases(self) -> Vocabulary:
        """The vocabulary for names in Korean or English."""
        return Vocabulary(phrase_entries(self.glossary))

    @cached_property
    def identifiers(self) -> Vocabulary:
        """The vocabulary for column names."""
        return Vocabulary(identifier_entries(self.glossary))

    def compose(self, query: Query) -> Composition:
        """Compose `query` of words, or name the parts that no word explains."""
        if len(query.text) > MAX_PHRASE:
            return Composition(unresolved_parts=(query.text[:MAX_PHRASE] + "…",), reason="too_long")
        gone = self._terms.find_retired(query)
        if gone is not None:
            return Composition(unresolved_parts=(gone.name,), reason="retired", retired=gone.name)
        several = self._terms.find_several(query)
        if several:
            return _distinct(list(several))
        names = _SEVERAL.split(query.text)
        if len(names) > 1:
            return self._of_several(query, names)
        return self._of_identifier(query) if query.is_identifier else self._of_phrase(query)

    def _of_several(self, query: Query, names: Sequence[str]) -> Composition:
        """Offer what each of several names gives: one of them alone would drop the others."""
        queries = [replace(query, text=name) for name in names if name]
        found = [self._terms.find(one) or self.compose(one).only for one in queries]
        candidates = tuple(candidate for candidate in found if candidate)
        return Composition(candidates, tuple(filter(None, names)), "several_names")

    def _of_phrase(self, query: Query) -> Composition:
        part = english.part_of_name(query.text)
        if part is not None and not self.phrases.readings_of(atoms(part).keys):
            return Composition(unresolved_parts=(part,), reason="unknown_words")
        found = self._phrase_splits(query.text)
        if not found:
            return self._short_forms(query) or self._unknown(query)
        apart = {query.text[:1]} if query.text[1:2].isspace() else set[str]()
        heads = self.glossary.heads | apart
        usable = [split for split in found if not refused_parts(split, heads)]
        if not usable:
            return Composition(unresolved_parts=refused_parts(found[0], heads), reason="refused")
        return self._composition(usable, query.item, "composed")

    def _complete(self, split: Split) -> Split:
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
        current = [one for one in found if one.retired != one.logical_name]
        if not current:
            gone = found[0].logical_name
            return Composition(unresolved_parts=(gone,), reason="retired", retired=gone)
        return _distinct(current)

    def _candidate(self, split: Split, item: Item, method: Method) -> Candidate:
        """Return the term that a split spells, else its composition.

        A composition that spells a retired term without successor says so in `retired`.
        """
        composed = self._build.of_split(self._complete(split), item, method=method)
        spelled = key(composed.logical_name)
        known = self.glossary.terms_by_synonym.get(spelled, (None, ""))[0]
        term = self.glossary.terms_by_key.get(spelled, known)
        if term is None:
            return composed
        if term.is_retired:
            gone = composed.model_copy(update={"retired": composed.logical_name})
            return self._terms.current(term) or gone
        found = "synonym" if method == "composed" else method
        by_term = self._build.of_term(term, method=found, path=alias_rows(split))
        return by_term.model_copy(update={"words": composed.words})

    def _phrase_splits(self, text: str) -> tuple[Split, ...]:
        """Split a phrase; `환자의 이름`, `입원한 날짜`, `name of the patient` add no word."""
        if has_hangul(text):
            said = english.plain(text)
            found = splits(atoms(said), self.phrases)
            # As it is written first: 의 may be a part of a word (의사).
            return found or splits(atoms(_GENITIVE.sub(" ", said)), self.phrases)
        tried = (splits(atoms(turned), self.phrases) for turned in english.turns(text))
        return next(filter(None, tried), ())

    def _short_forms(self, query: Query) -> Composition | None:
        """Compose `adm date`, `exam cd`: short forms as in column names, without the joints."""
        if has_hangul(query.text):
            return None
        found = self._of_identifier(query)
        return found if found.candidates else None

    def _unknown(self, query: Query) -> Composition:
        parts = unknown_parts(atoms(english.plain(query.text)), self.phrases)
        return Composition(unresolved_parts=parts or (query.text,), reason="unknown_words")

    def _of_identifier(self, query: Query) -> Composition:
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
        return family_fits(last, self.glossary, type_text=item.data_type, dialect=item.dialect)


def _distinct(candidates: list[Candidate]) -> Composition:
    """Return candidates without doubles; several that differ are ambiguous."""
    unique = {(c.logical_name, c.physical_name): c for c in candidates}
    found = tuple(unique.values())
    if len(found) == 1:
        return Composition(found)
    names = tuple(candidate.logical_name for candidate in found)
    return Composition(found, unresolved_parts=names, reason="ambiguous")
