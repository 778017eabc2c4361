"""Find the term that a name is: by its own name, a synonym, or its physical name.

A retired term is recognised and never recommended: its successor is, or nothing.
"""

from dataclasses import dataclass

from minerva_data.core.glossary.entry import Term
from minerva_data.core.glossary.glossary import Glossary
from minerva_data.core.language.text import key
from minerva_data.core.lookup.candidate import CandidateBuilder, cite
from minerva_data.core.lookup.query import Query
from minerva_data.core.schema.record import Candidate


@dataclass(frozen=True, slots=True)
class TermFinder:
    """Finds the terms of one glossary."""

    glossary: Glossary
    build: CandidateBuilder

    def find(self, query: Query) -> Candidate | None:
        """Return the term that `query` names itself, by a synonym, or by its physical name."""
        spelled = key(query.text)
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
