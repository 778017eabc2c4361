"""Decide whether what a person said in a sentence is sure enough to be one name.

A column's comment is a chosen name; a sentence only describes one. What is composed of its
words is right by the rules and may still miss a term that says the same: then both are offered.
"""

from dataclasses import dataclass

from minerva_data.core.glossary.entry import Term
from minerva_data.core.language.text import has_hangul
from minerva_data.core.lookup.candidate import CandidateBuilder
from minerva_data.core.lookup.query import Composition, Query
from minerva_data.core.lookup.term_composition import Concepts
from minerva_data.core.schema.record import Candidate, Reason

_TERM = frozenset({"term_exact", "synonym"})


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


def doubt(query: Query, composition: Composition, concepts: Concepts) -> Doubt | None:
    """Return what speaks against deciding on the one name of `composition`, None if nothing does.

    There is nothing to doubt where there is no name, or several.
    """
    candidate, said = composition.only, query.item.said
    if candidate is None:
        return None
    if said == "scattered":
        return Doubt("scattered")
    if candidate.method in _TERM or concepts.term(candidate.logical_name) is not None:
        return None
    if composition.by_bundled_alias:
        return Doubt("bundled_alias")
    return _doubt_name(query, candidate) if said == "name" else _unsure(query, candidate, concepts)


def _doubt_name(query: Query, candidate: Candidate) -> Doubt | None:
    """Doubt a column's name that the audit would reject: no class word (N4), no domain (D3)."""
    if not query.item.is_column or candidate.domain is not None:
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
