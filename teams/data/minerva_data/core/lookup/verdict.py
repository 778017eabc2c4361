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

_NOUNS_KO = "|".join(
    "용어명? 단어명? 어 영문약어 약어명? 영문명 명칭 명 이름 물리명 "
    "컬럼명? 칼럼명? 필드명? 항목명?".split()
)
_LISTED_KO = "사전|목록|용어집|용어사전|단어장"
_STANDARD_KO = rf"(?:공통|행정|공공|우리|사내)?표준\s?(?:{_NOUNS_KO})?\s?(?:{_LISTED_KO})?"
_ASKS_KO = (
    re.compile(  # 표준인가요, 표준용어입니까, 표준 약어가 맞는지, 표준 아니죠
        rf"{_STANDARD_KO}(?:이|가|은|는)?\s*"
        r"(?:여부|인\s?(?:거|것|건|게)|이?라(?:고|던|는|더)|인가|인지|입니까|이에요|예요|에요|이야|이냐|이죠|이지|일까|임|죠|야(?=[\s?.!]|$)"
        r"|냐(?=[\s?.!]|$)|맞(?!게|춰|추)|아닌|아니)"
    ),
    re.compile(  # 표준에 등록된 약어인가요, 표준에 맞나요, 공통표준에 있는 이름입니까
        rf"{_STANDARD_KO}(?:에|에서|에도|와|을|를)\s*(?:.{{0,30}}?\s)?"
        r"(?:있|없|등록|등재|맞(?!게|춰|추)|부합|일치|어긋|위배|위반|포함|나오|나와|준수|지키|따르|따른)"
    ),
    re.compile(  # 표준용어로 있나요, 표준으로 써도 됩니까
        rf"{_STANDARD_KO}(?:으로|로)\s*(?:있|등록|등재|지정|정해져|인정|써도|쓸\s?수|사용해도|봐도)"
    ),
    re.compile(r"표준\s*(?:위반|위배|준수|미준수|등록|등재)"),
    re.compile(r"표준화\s?된\s.*(?:인가|입니까|인지|이야|예요|에요|임)"),
    re.compile(r"표준\s*\?*\s*$"),
)
_STATED_KO = re.compile(r"(?:인지|는지|은지|여부)")
"""Of an indirect question: 표준인지 알려줘, not 표준에 맞는 이름을 알려줘."""

_WANTED_KO = re.compile(
    r"알려|알고\s?싶|추천|바꿔|바꾸|고쳐|찾아|만들|정해|제안|변환|보여|붙여|지어|표준화해|맞춰"
    r"|보고|감사|검수|검색|검증|잡아|목록"
)
_OPEN_KO = re.compile(r"무엇|무슨|뭐|뭔|뭘|어떤|어떻게|어느|왜|몇|어디")
_OTHERWISE = re.compile(
    r"(?:아니(?:면|라면)|\b(?:or\s+what|if\s+not|otherwise)\b).*$", re.IGNORECASE | re.DOTALL
)
"""What a request asks besides: `or what is?`."""

_STANDARD_EN = re.compile(
    r"\b(?:standards?|std|official|conform\w*|compl(?:y|ies|iant|iance)|approved)\b", re.IGNORECASE
)
_ASKS_EN = (
    re.compile(  # is X standard, would X pass, tell me whether X is official, does it comply
        r"(?:^|[.;:!?,–—-]\s*|\b(?:whether|if)\s+(?:\S+\s+){0,6}?)"
        r"(?:is|are|was|were|isn't|aren't|does|do|did|has|have|would|will|can|could|may|should)\b"
        r"(?!\s+(?:there|you|(?:i|we)\s+(?:get|have|see|find|know|need|want))\b)",
        re.IGNORECASE,
    ),
    re.compile(  # X is standard, right?
        r"\b(?:is|are|was)\s+(?!called|named|there)[^.,;!?]{0,60}"
        r"\b(?:standard|std|official)\b[^.;!]*\?",
        re.IGNORECASE,
    ),
    re.compile(r"\bor\s+not\b", re.IGNORECASE),
    re.compile(  # TELNO standard?
        r"^\W*\S+\s*(?:[-–—,:]\s*)?(?:a\s+|the\s+)?(?:standard|std|official)(?:\s+\w+)?\s*\?\s*$",
        re.IGNORECASE,
    ),
)
_OPEN_EN = re.compile(r"\b(?:what|what's|which|how|who|where|why|when)\b", re.IGNORECASE)


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
        return not _WANTED_KO.search(text) or _STATED_KO.search(text) is not None
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
    terms = _named(name, glossary)
    current = next((term for term in terms if not term.is_retired), None)
    if current is not None:
        return Verdict(name=name, term=current.name, physical_name=current.physical_name)
    if best is not None and best.physical_name.casefold() == name.casefold():
        return Verdict(name=name, composed=best.logical_name)
    others = () if best is not None else answer.alternatives
    return Verdict(name=name, is_retired=bool(terms), instead=best, candidates=others)


def _named(name: str, glossary: Glossary) -> tuple[Term, ...]:
    """Return the terms that a name is, by their own name or by their physical name."""
    own = glossary.terms_by_key.get(key(name))
    retired = (term for term in glossary.retired if key(term.name) == key(name))
    physical = glossary.terms_by_physical.get(cleaned(name).upper(), ())
    return (*((own,) if own else ()), *physical, *retired)
