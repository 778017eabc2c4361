"""What a model may answer, and what of it counts.

The shapes are closed. A term counts if the glossary itself names it; of a new word only its
three spellings are taken, each checked by rule. Everything else is dropped and counted.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel

from minerva_data.core.language.text import MAX_PHRASE, cleaned, has_hangul, key
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.proposals.check import Fault, problem
from minerva_data.core.proposals.model_question import OpenText
from minerva_data.core.proposals.proposal import Proposal, proposal_id
from minerva_data.core.schema.record import Candidate

MAX_TERMS = 5
"""Terms taken of what a model makes of a sentence."""
MAX_READINGS = 3
"""Terms taken for one unresolved name, and new words looked at for it."""

_SHARE = 0.5
"""A name found through a model has half of the confidence of the same one asked for."""


class Terms(BaseModel, extra="forbid"):
    """A sentence said in terms of a glossary."""

    terms: list[str]


class Reading(BaseModel, extra="forbid"):
    """What an unresolved name may mean, in terms of the glossary."""

    number: int
    terms: list[str]


class NewWord(BaseModel, extra="forbid"):
    """A word that the glossary lacks."""

    number: int
    word: str
    english: str
    abbreviation: str
    class_word: bool
    domain_class: str | None


class Suggestions(BaseModel, extra="forbid"):
    """What a model says about a batch of unresolved names."""

    readings: list[Reading]
    words: list[NewWord]


@dataclass(slots=True)
class TermCandidates:
    """Candidates that the glossary gives for a model's terms, and how many it does not."""

    candidates: list[Candidate] = field(default_factory=list[Candidate])
    dropped_count: int = 0


def find_candidates(terms: Sequence[str], lookup: Lookup, *, most: int) -> TermCandidates:
    """Look `terms` up as if a person had typed them; nothing of their spelling is kept."""
    found = TermCandidates(dropped_count=max(0, len(terms) - most))
    for term in terms[:most]:
        best = lookup.best(term) if len(term) <= MAX_PHRASE else None
        if best is None:
            found.dropped_count += 1
            continue
        update = {"method": "llm", "confidence": round(best.confidence * _SHARE, 3)}
        candidate = best.model_copy(update=update)
        if all(candidate.physical_name != other.physical_name for other in found.candidates):
            found.candidates.append(candidate)
    return found


@dataclass(slots=True)
class Coinage:
    """Proposals that stand every check, and how many did not, by what was wrong."""

    proposals: list[Proposal] = field(default_factory=list[Proposal])
    refused: Counter[Fault] = field(default_factory=Counter[Fault])


def coin_words(
    words: Sequence[NewWord], batch: Sequence[OpenText], lookup: Lookup, earlier: Sequence[Proposal]
) -> Coinage:
    """Return the new words that may be proposed for the names of `batch`.

    A word has to stand in a name that lacks it, or say a Latin part that does: what a person
    wrote is named, nothing else. What is in `earlier` is not proposed again, and while it is open
    its abbreviation and English are taken.
    """
    ids = {one.id for one in earlier}
    before = [one for one in earlier if one.status == "proposed"]
    most = MAX_READINGS * len(batch)
    found = Coinage(refused=Counter({"surplus": len(words) - most} if len(words) > most else {}))
    for word in words[:most]:
        proposal = _proposal(word)
        if proposal.id in ids:
            continue
        if not (1 <= word.number <= len(batch) and _is_said(proposal, batch[word.number - 1])):
            found.refused["elsewhere"] += 1
            continue
        fault = problem(proposal, lookup, beside=before)
        if fault is not None:
            found.refused[fault.fault] += 1
            continue
        own = batch[word.number - 1]
        places = (p for one in (own, *batch) if _is_said(proposal, one) for p in one.places)
        proposal = proposal.model_copy(update={"places": tuple(dict.fromkeys(places))[:5]})
        found.proposals.append(proposal)
        before.append(proposal)
        ids.add(proposal.id)
    return found


class ValidSuggestions:
    """What all answers for one request gave together."""

    def __init__(self, earlier: list[Proposal]) -> None:
        self.earlier = earlier
        self.readings: dict[int, tuple[Candidate, ...]] = {}
        self.offered_count = self.dropped_count = 0
        self.coinage = Coinage()

    def take(self, suggestions: Suggestions, batch: Sequence[OpenText], lookup: Lookup) -> None:
        """Add what counts of one answer."""
        left = set(range(1, len(batch) + 1))
        for reading in suggestions.readings:
            if reading.number not in left:
                self.dropped_count += len(reading.terms)
                continue
            left.remove(reading.number)
            found = find_candidates(reading.terms, lookup, most=MAX_READINGS)
            self.offered_count += len(found.candidates)
            self.dropped_count += found.dropped_count
            for index in batch[reading.number - 1].indexes:
                self.readings[index] = tuple(found.candidates)
        new = coin_words(suggestions.words, batch, lookup, [*self.earlier, *self.coinage.proposals])
        self.coinage.proposals += new.proposals
        self.coinage.refused += new.refused


def _proposal(word: NewWord) -> Proposal:
    name = "".join(cleaned(word.word[:MAX_PHRASE]).split())
    return Proposal(
        id=proposal_id("word", name),
        name=name,
        abbreviation=cleaned(word.abbreviation[:MAX_PHRASE]).upper(),
        english=cleaned(word.english[:MAX_PHRASE]),
        is_class=word.class_word,
        domain=(word.domain_class or None) if word.class_word else None,
    )


def _is_said(proposal: Proposal, one: OpenText) -> bool:
    if proposal.key in one.key and one.misses(proposal.key):
        return True
    latin = {key(part) for part in one.parts if not has_hangul(part)}
    return bool(latin & {key(proposal.english), proposal.abbreviation.casefold()})
