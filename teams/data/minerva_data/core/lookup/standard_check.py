"""Answer whether a name is standard: yes, or no with what is standard instead.

A name is standard if it is a current term's own name or physical name. A retired term is not, nor
is a synonym, nor a name that is merely composed of standard words.
"""

import re
from collections.abc import Sequence

from minerva_data.core.glossary.entry import Term
from minerva_data.core.glossary.glossary import Glossary
from minerva_data.core.language.text import cleaned, is_identifier, key
from minerva_data.core.schema.record import Candidate, Recommended, Value
from minerva_platform.text import read_words

WORDS = read_words("minerva_data.core.lookup", "verdict")

_STANDARD_KO = rf"""
    (?:공통|행정|공공|우리|사내)?표준\s?
    (?:{WORDS.patterns("korean.nouns")})?\s?(?:{WORDS.patterns("korean.dictionaries")})?
"""
_ASKS_KO = tuple(
    re.compile(pattern, re.VERBOSE)
    for pattern in (
        rf"{_STANDARD_KO}(?:이|가|은|는)?\s*(?:{WORDS.patterns('korean.asked_directly')})",
        rf"""{_STANDARD_KO}(?:에|에서|에도|와|을|를)\s*(?:.{{0,30}}?\s)?
        (?:{WORDS.patterns("korean.belonging")})""",
        rf"{_STANDARD_KO}(?:으로|로)\s*(?:{WORDS.patterns('korean.serving')})",
        rf"표준\s*(?:{WORDS.patterns('korean.keeping')})",
        rf"표준화\s?된\s.*(?:{WORDS.patterns('korean.asked_of_result')})",
        r"표준\s*\?*\s*$",
    )
)
_INDIRECT_KO = re.compile(WORDS.any_of("korean.indirect"))
_WANTED_KO = re.compile(WORDS.patterns("korean.wanted"))
_OPEN_KO = re.compile(WORDS.any_of("korean.open_questions"))
_OTHERWISE = re.compile(
    r"(?:아니(?:면|라면)|\b(?:or\s+what|if\s+not|otherwise)\b).*$", re.IGNORECASE | re.DOTALL
)
"""What a request asks besides: `or what is?`."""

_STANDARD_EN = re.compile(rf"\b(?:{WORDS.patterns('english.standard')})\b", re.IGNORECASE)
_OPEN_EN = re.compile(rf"\b(?:{WORDS.any_of('english.open_questions')})\b", re.IGNORECASE)
_ASKS_EN = tuple(
    re.compile(pattern, re.IGNORECASE | re.VERBOSE)
    for pattern in (
        # is X standard, would X pass, tell me whether X is official, does it comply
        rf"""
        (?:^|[.;:!?,–—-]\s*|\b(?:whether|if)\s+(?:\S+\s+){{0,6}}?)
        (?:{WORDS.any_of("english.asking_verbs")})\b
        (?!\s+(?:there|you|(?:i|we)\s+(?:get|have|see|find|know|need|want))\b)
        """,
        # X is standard, right?
        r"""
        \b(?:is|are|was)\s+(?!called|named|there)[^.,;!?]{0,60}
        \b(?:standard|std|official)\b[^.;!]*\?
        """,
        r"\bor\s+not\b",
        # TELNO standard?
        r"""
        ^\W*\S+\s*(?:[-–—,:]\s*)?(?:a\s+|the\s+)?
        (?:standard|std|official)(?:\s+\w+)?\s*\?\s*$
        """,
    )
)


class Verdict(Value):
    """Whether `name` is standard: `term` is the current term that it names.

    Else `instead` is what the standard says for it, `candidates` what it may mean, or `composed`
    the words of which the name is made.
    """

    name: str
    term: str | None = None
    physical_name: str | None = None
    is_retired: bool = False
    composed: str | None = None
    instead: Candidate | None = None
    candidates: tuple[Candidate, ...] = ()

    @property
    def is_standard(self) -> bool:
        """True if it is a current term's name or physical name."""
        return self.term is not None


def asks_whether_standard(request: str) -> bool:
    """True if a request asks if a name is standard, and not what the standard name is."""
    text = _OTHERWISE.sub("", cleaned(request))
    if any(asks.search(text) for asks in _ASKS_KO):
        if _OPEN_KO.search(text):
            return False
        return not _WANTED_KO.search(text) or _INDIRECT_KO.search(text) is not None
    if _OPEN_EN.search(text) or not _STANDARD_EN.search(text):
        return False
    return any(asks.search(text) for asks in _ASKS_EN)


def verdicts(answers: Sequence[Recommended], glossary: Glossary) -> tuple[Verdict, ...]:
    """Return a verdict on each name that was asked about.

    Where column names are asked about beside what they mean (`등록일시를 REGIST_DT로 써요`), the
    verdict is on the column names.
    """
    named = [answer for answer in answers if is_identifier(answer.item.name)]
    others = [answer for answer in answers if answer not in named]
    found = [_verdict(answer, glossary) for answer in named or others]
    meant = others[0].best if len(named) == len(others) == 1 else None
    if meant is not None and not found[0].is_standard:
        found = [found[0].model_copy(update={"instead": meant, "composed": None})]
    return tuple(found)


def _verdict(answer: Recommended, glossary: Glossary) -> Verdict:
    name, best = answer.item.name, answer.best
    terms = _find_terms(name, glossary)
    current = next((term for term in terms if not term.is_retired), None)
    if current is not None:
        return Verdict(name=name, term=current.name, physical_name=current.physical_name)
    if best is not None and best.physical_name.casefold() == name.casefold():
        return Verdict(name=name, composed=best.logical_name)
    others = () if best is not None else answer.alternatives
    return Verdict(name=name, is_retired=bool(terms), instead=best, candidates=others)


def _find_terms(name: str, glossary: Glossary) -> tuple[Term, ...]:
    """Return the terms that a name is, by their own name or by their physical name."""
    own = glossary.terms_by_key.get(key(name))
    retired = (term for term in glossary.retired_terms if key(term.name) == key(name))
    physical = glossary.terms_by_physical.get(cleaned(name).upper(), ())
    return (*((own,) if own else ()), *physical, *retired)
