"""The words around a name in a request: `… 컬럼의 표준 약어를 알려줘`, `the … column`.

Anchors say that a name stands beside them; stops end a name; fillers say nothing at all. The
words themselves, and what each list is for, are in `words/carrier_phrases.toml`.
"""

import re
from itertools import chain

from minerva_platform.text import read_words

WORDS = read_words("minerva_data.core.language", "carrier_phrases")


def _in_both_languages(name: str) -> frozenset[str]:
    return frozenset(chain(*WORDS.table(name).values()))


ANCHORS = _in_both_languages("anchors")
AFTER_ANCHOR = _in_both_languages("after_anchor")
OUTCOMES = _in_both_languages("outcomes")
STOPS = _in_both_languages("stops")
FILLERS = _in_both_languages("fillers") | frozenset(WORDS["counters"])
OBJECTS = frozenset(WORDS["objects"])
LISTS = frozenset(WORDS["lists"])
LIST_MARKS = frozenset(WORDS["list_marks"])
LIST_ENDS = frozenset(WORDS["list_ends"])
QUESTIONS = frozenset(WORDS["questions"])
DETERMINERS = frozenset(WORDS["determiners"])
PARTICLES = WORDS["particles"]
LIST_PARTICLES = frozenset(WORDS["list_particles"])
OBJECT_PARTICLES = frozenset(WORDS["object_particles"])
ADVERBIAL_PARTICLES = frozenset(WORDS["adverbial_particles"])
PREPOSITIONS = frozenset(WORDS["prepositions"])
LIGHT_VERBS = frozenset(WORDS["light_verbs"])
COPULAS = WORDS["copulas"]

ASPECTS = ANCHORS | AFTER_ANCHOR | OUTCOMES | {"data"}
"""With these alone nothing is named (`길이는?`, `and the data type?`)."""

RELATIVE = re.compile(r"([가-힣]+?)(?:하는|되는|한|된|할|될|받은|했는지|됐는지|하였는지|되었는지)")
"""`입원한 날짜`: the verb's noun says the same as the noun alone."""

ATTRIBUTIVE = re.compile(r"[가-힣]+(?:하는|되는|하던|되던|하게될)")
"""`해당하는 표준 용어`: before a frame word it frames, too."""

IDENTIFYING_KO = re.compile(
    r"(\S{1,20}?)(?:을|를)\s+식별\S{0,6}\s+"
    r"(?=컬럼|칼럼|필드|항목|값|번호|용어)"
)
IDENTIFYING_EN = re.compile(
    r"""
    \b(?:column|field|attribute)s?\s+
    (?:(?:that|which|to|used[ ]to)\s+)?(?:uniquely\s+)?identif\w+\s+
    (?:the\s+|an?\s+|each\s+|our\s+)?
    ([a-z]+)                            # the thing: `the column that identifies a patient`
    """,
    re.IGNORECASE | re.VERBOSE,
)

_VERB = re.compile(rf"[가-힣]*(?:{WORDS.any_of('verb_endings')})")
_STANDARD = re.compile(r"(?:공통|행정|공공)?표준")


def is_standard_s(word: str) -> bool:
    """True if a word says that the standard is asked for: 공통표준, 표준이름, 표준물리명."""
    found = _STANDARD.match(word)
    rest = word[found.end() :] if found else word
    return found is not None and (not rest or rest in ANCHORS | AFTER_ANCHOR)


def is_verb(word: str) -> bool:
    """True if a Korean word ends like a verb, so that no name goes on after it."""
    return _VERB.fullmatch(word) is not None
