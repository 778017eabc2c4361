"""Answer whether a name is standard: yes, or no with what is standard instead.

A name is standard if it is a current term's own name or physical name. A retired term is not, nor
is a synonym, nor a name that is merely composed of standard words.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from minerva_data.core.entry import Term
from minerva_data.core.glossary import Glossary
from minerva_data.core.record import Candidate, Recommended
from minerva_data.core.text import cleaned, key

_STANDARD_KO = (
    r"(?:공통|행정|공공|우리|사내)?표준\s?(?:용어|단어|어|약어|영문약어|영문명|명|이름|물리명|컬럼명)?"
)
_ASKS_KO = (
    re.compile(  # 표준인가요, 표준용어입니까, 표준 약어가 맞는지, 표준 아니죠
        rf"{_STANDARD_KO}(?:이|가|은|는)?\s*"
        r"(?:인가|인지|입니까|이에요|예요|에요|이야|이냐|이죠|이지|인감|일까|임|죠|야(?=[\s?.!]|$)"
        r"|냐(?=[\s?.!]|$)|맞(?!게|춰|추)|아닌|아니)"
    ),
    re.compile(  # 표준에 등록된 약어인가요, 표준에 맞나요, 공통표준에 있는 이름입니까
        rf"{_STANDARD_KO}(?:에|에서|와)\s*(?:.{{0,30}}?\s)?"
        r"(?:있|등록|등재|맞|부합|일치|어긋|위배|위반|포함)"
    ),
    re.compile(rf"{_STANDARD_KO}(?:으로|로|에)\s*(?:있|등록|등재|지정|정해져)"),
    re.compile(r"표준\s*(?:을|에)?\s*(?:위반|위배|준수|미준수)"),
    re.compile(r"표준\s*\?*\s*$"),
)
_STATED_KO = re.compile(r"(?:인지|는지|은지|맞는지|아닌지|여부)")
"""An indirect question: 표준인지 알려줘 asks for yes or no, 표준에 맞는 이름을 알려줘 for a name."""

_WANTED_KO = re.compile(
    r"알려|알고\s?싶|추천|바꿔|바꾸|고쳐|찾아|만들|정해|제안|변환|보여|붙여|지어|표준화|맞춰"
)
_OPEN_KO = re.compile(r"무엇|무슨|뭐|뭔|뭘|어떤|어떻게|어느|왜|몇|어디")
_OTHERWISE = re.compile(
    r"(?:아니(?:면|라면)|아닐\s?경우|or\s+what|if\s+not|otherwise|and\s+if\s+not)\b?.*$",
    re.IGNORECASE | re.DOTALL,
)
_STANDARD_EN = r"(?:standards?|std|official|conform\w*|compl(?:y|ies|iant|iance)|approved)\b"
_VERB_EN = r"(?:is|are|was|were|isn't|aren't|does|do|would|will|can|could|did)"
_ASKS_EN = (
    re.compile(rf"(?:^|[.;:!?,–—-]\s*|\b(?:whether|if)\s+(?:\S+\s+){{0,6}}?)\s*{_VERB_EN}\b"
               rf"(?!\s+(?:there|we|i|you)\b)[^.;!?]*\b{_STANDARD_EN}", re.IGNORECASE),
    re.compile(rf"\b(?:is|are|was)\s+(?:in|part\s+of|on|listed\s+in|from)\b[^.;!?]*\b{_STANDARD_EN}"
               r".*\?", re.IGNORECASE | re.DOTALL),
    re.compile(rf"\b{_STANDARD_EN}[^.;!?]*\bor\s+not\b", re.IGNORECASE),
    re.compile(rf"^\W*\S+\s*(?:[-–—,:]\s*)?(?:a\s+|the\s+)?{_STANDARD_EN}(?:\s+\w+)?\s*\?\s*$",
               re.IGNORECASE),
)  # fmt: skip
_OPEN_EN = re.compile(r"\b(?:what|what's|which|how|who|where|why|when)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether `name` is standard; `term` is the one it names, current or retired.

    `instead` is what the standard says for it, `also` what it may mean. Of a standard name both
    are empty.
    """

    name: str
    is_standard: bool
    term: Term | None
    instead: Candidate | None = None
    also: tuple[Candidate, ...] = ()


def asks_whether_standard(request: str) -> bool:
    """Tell whether a request asks if a name is standard, and not what the standard name is."""
    text = _OTHERWISE.sub("", cleaned(request))
    if any(asks.search(text) for asks in _ASKS_KO):
        if _OPEN_KO.search(text):
            return False
        return not _WANTED_KO.search(text) or _STATED_KO.search(text) is not None
    return any(asks.search(text) for asks in _ASKS_EN) and not _OPEN_EN.search(text)


def verdicts(answers: Iterable[Recommended], glossary: Glossary) -> tuple[Verdict, ...]:
    """Return a verdict on each name that was asked about."""
    return tuple(_verdict(answer, glossary) for answer in answers)


def _verdict(answer: Recommended, glossary: Glossary) -> Verdict:
    name, best = answer.item.name, answer.best
    terms = _named(name, glossary)
    current = next((term for term in terms if not term.is_retired), None)
    if current is not None:
        return Verdict(name, is_standard=True, term=current)
    retired = terms[0] if terms else None
    if best is not None and best.physical_name.casefold() == name.casefold():
        return Verdict(name, is_standard=False, term=retired, also=(best,))
    return Verdict(name, False, retired, best, () if best else answer.alternatives)


def _named(name: str, glossary: Glossary) -> tuple[Term, ...]:
    """Return the terms that a name is, by their own name or by their physical name."""
    own = glossary.terms_by_key.get(key(name))
    retired = (term for term in glossary.retired if key(term.name) == key(name))
    physical = glossary.terms_by_physical.get(cleaned(name).upper(), ())
    return (*((own,) if own else ()), *physical, *retired)
