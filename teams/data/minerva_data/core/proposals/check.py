"""Check a proposal against the glossary, by rule: a person reviews only what could be accepted.

A new word must not change what anything else is called. Its abbreviation, its English and its
name have to be free in the glossary that answers.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from minerva_data.core.audit.rule import is_reserved
from minerva_data.core.audit.style import MAX_LENGTH
from minerva_data.core.glossary.glossary import PHYSICAL
from minerva_data.core.language.text import MAX_PHRASE, atoms, has_hangul
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.lookup.query import item_to_query
from minerva_data.core.proposals.proposal import Proposal
from minerva_data.core.schema.record import Item

Fault = Literal[
    "name",
    "known",
    "forbidden",
    "form",
    "taken",
    "reserved",
    "english",
    "domain",
    "elsewhere",
    "surplus",
]
"""What is wrong: the name itself, that it is known or forbidden, the abbreviation's form, its
owner, SQL, the English, the domain; `elsewhere`: it stands in none of the names that lack it;
`surplus`: more words than anybody asked for."""

DIALECTS = ("postgres", "oracle", "mysql", "tsql")
"""The databases in none of which an abbreviation may be reserved."""

_WORD = re.compile(r"[가-힣A-Za-z0-9]{1,20}")
_ABBREVIATION = re.compile(r"[A-Z][A-Z0-9]{1,5}")
_ENGLISH = re.compile(r"[A-Za-z][A-Za-z0-9 '&/.-]{1,59}")
_TERM = re.compile(r"[가-힣A-Za-z0-9 ]+")


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a proposal cannot be accepted, for a person (`text`) and for counting (`fault`)."""

    fault: Fault
    text: str


def problem(
    proposal: Proposal, lookup: Lookup, *, beside: Iterable[Proposal] = ()
) -> Problem | None:
    """Return the first rule that `proposal` breaks; `beside` are proposals that count as taken."""
    rules = _WORD_RULES if proposal.kind == "word" else _TERM_RULES
    found = next((said for rule in rules for said in rule(proposal, lookup)), None)
    return found or next(_clashes(proposal, beside), None)


def _clashes(proposal: Proposal, beside: Iterable[Proposal]) -> Iterator[Problem]:
    for other in beside:
        if other.id == proposal.id:
            continue
        if other.abbreviation == proposal.abbreviation:
            said = f"`{proposal.abbreviation}` is proposed for `{other.name}` too"
            yield Problem("taken", said)
        if other.english and other.english.casefold() == proposal.english.casefold():
            yield Problem("english", f"`{proposal.english}` is proposed for `{other.name}` too")


def _word_name(proposal: Proposal, _: Lookup) -> Iterator[Problem]:
    name = proposal.name
    if not (_WORD.fullmatch(name) and has_hangul(name)):
        yield Problem("name", f"`{name[:40]}` is no word: Korean, without spaces, 20 letters")
    if len(name) == 1 and not proposal.is_class:
        yield Problem("name", f"`{name}` has one syllable, which only a class word may have")


def _word_known(proposal: Proposal, lookup: Lookup) -> Iterator[Problem]:
    name = proposal.name
    for reading in lookup.phrases.readings_of(atoms(name).keys):
        standard = "+".join(word.name for word in reading.words)
        if reading.via == "forbidden":
            yield Problem("forbidden", f"`{name}` is a forbidden word, for {standard}")
        elif reading.via == "word":
            short = reading.words[0].abbreviation
            yield Problem("known", f"`{name}` is a word already ({short})")
        else:
            yield Problem("known", f"`{name}` is another way to say {standard} already")
    composed = lookup.best(name)
    if composed is not None:
        said = f"`{name}` has a name already ({composed.physical_name}); propose another as a term"
        yield Problem("known", said)


def _abbreviation(proposal: Proposal, lookup: Lookup) -> Iterator[Problem]:
    short = proposal.abbreviation
    if not _ABBREVIATION.fullmatch(short):
        said = f"`{short[:40]}` is no abbreviation: 2 to 6 of A-Z and 0-9, a letter first"
        yield Problem("form", said)
        return
    for reading in lookup.identifiers.readings_of(atoms(short).keys):
        owner = "+".join(word.name for word in reading.words)
        yield Problem("taken", f"`{short}` is read as {owner} already")
    yield from _physical_taken(proposal, lookup)


def _physical_taken(proposal: Proposal, lookup: Lookup) -> Iterator[Problem]:
    short = proposal.abbreviation
    for term in lookup.glossary.terms_by_physical.get(short, ()):
        yield Problem("taken", f"`{short}` is the name of {term.name} already")
    reserved = [dialect for dialect in DIALECTS if is_reserved(short, dialect)]
    if reserved:
        yield Problem("reserved", f"`{short}` is a word of SQL ({', '.join(reserved)})")


def _english(proposal: Proposal, lookup: Lookup) -> Iterator[Problem]:
    english = proposal.english
    if not _ENGLISH.fullmatch(english):
        yield Problem("english", "its English has to be one to a few words of Latin letters")
        return
    for reading in lookup.phrases.readings_of(atoms(english).keys):
        owner = "+".join(word.name for word in reading.words)
        yield Problem("english", f"`{english}` is the English of {owner} already")


def _class_word(proposal: Proposal, lookup: Lookup) -> Iterator[Problem]:
    domain = proposal.domain
    if not proposal.is_class and domain is not None:
        yield Problem("domain", "only a class word has a domain class")
    if proposal.is_class and not lookup.glossary.domains_of_class(domain):
        yield Problem("domain", f"no domain is of class `{(domain or '')[:40]}`")


def _term_name(proposal: Proposal, lookup: Lookup) -> Iterator[Problem]:
    name = proposal.name
    if not _TERM.fullmatch(name) or len(name) > MAX_PHRASE:
        said = f"`{name[:40]}` is no term: letters and spaces, {MAX_PHRASE} at most"
        yield Problem("name", said)
        return
    known = lookup.find_term(item_to_query(Item(name=name)))
    if known is not None:
        yield Problem("known", f"`{name}` is {known.logical_name} already ({known.physical_name})")


def _term_physical(proposal: Proposal, lookup: Lookup) -> Iterator[Problem]:
    physical = proposal.abbreviation
    if not PHYSICAL.fullmatch(physical) or len(physical) > MAX_LENGTH:
        said = f"`{physical[:40]}` is no physical name: A-Z, 0-9 and _, {MAX_LENGTH} letters"
        yield Problem("form", said)
        return
    yield from _physical_taken(proposal, lookup)


def _term_domain(proposal: Proposal, lookup: Lookup) -> Iterator[Problem]:
    if proposal.domain is not None and proposal.domain not in lookup.glossary.domains:
        yield Problem("domain", f"there is no domain `{proposal.domain[:40]}`")


_Rule = Callable[[Proposal, Lookup], Iterator[Problem]]
_WORD_RULES: tuple[_Rule, ...] = (_word_name, _word_known, _abbreviation, _english, _class_word)
_TERM_RULES: tuple[_Rule, ...] = (_term_name, _term_physical, _term_domain)
