"""The few words of Korean and English that end a clause or open one.

Lists, not a parser: `clauses` asks these questions about single words. A word
that is missing here leaves two clauses joined, which loses nothing.
"""

import re

FINAL_KO = re.compile(
    r"(?:줘|줘요|주라|세요|십시오|줄래|줄래요|니다|니까|까요|나요|ㄹ래|봐|봐요|하자)$"
)
"""A Korean word that ends a sentence, whether or not a full stop follows."""

_GO = re.compile(r"[가-힣](?:고|며|면서)$")
_SEO = re.compile(r"(?:해|줘|아|어|와|워|려|여|꿔|내|봐|겨|켜|져|눠)서$")
_BUT = re.compile(r"(?:지만|는데|은데)$")
_NOT_A_VERB = re.compile(
    r"(?:^(?:보|광|창|최|사|참|재|로|신|권|경|예|수|원|공|충|비|입|출|선|금|그리|냉장|가지|말)"
    r"|[라다냐자])고(?:서)?$|(?:대해|관해|위해|통해|의해|비해|인해|따라|이어|걸쳐)서$"
)
"""Nouns in -고 (보고, 광고), quotations (-다고) and post-positions (-에 대해서)."""

_AUXILIARY = re.compile(r"(?:있|싶|계시|계신|나서|난|나면|말고|본|보니)")
"""What makes -고 an aspect of one verb (쓰고 있는) when it follows."""

_PARTICLE_HAGO = re.compile(r"하고$")
_MARKED = re.compile(r"[가-힣\w](?:을|를|은|는|에서|으로|로|부터|까지)$")
_AFTER = frozenset({"다음", "다음에", "뒤", "뒤에", "후", "후에", "나서"})
_N = 4
"""Number of the final consonant ㄴ in a Hangul syllable's code."""

AND_KO = frozenset(
    {"그리고", "또한", "또", "및", "이어서", "아울러", "그다음", "그다음에", "추가로"}
)
AND_EN = frozenset({"and", "then", "also", "plus", "but", "next", "finally", "afterwards", "&"})
POLITE = frozenset({"please", "kindly", "just", "can", "could", "would", "you", "to", "me"})

_VERBS = """
add apply arrange assess build calculate check compare confirm convert create deploy describe detect
determine draw evaluate explain extract fill find fix generate get give highlight identify inspect
let list locate look make measure parse prepare produce propose provide put recommend remove rename
render replace return save scan search see send show standardise standardize suggest summarise
summarize tabulate tell translate turn update validate verify warn write
"""
_VERBS_OR_NOUNS = """
audit book call count document draft export flag format group index map mark mask name order point
present rank record report review run set sort state test trace use
"""
_AFTER_VERB = """
a all an any both by each every for how if in it its me my our out that the their them these this
those up what where whether which who why your
"""
_QUESTIONS = "what what's where where's which who how why when is are does do will"

VERBS = frozenset(_VERBS.split())
"""English verbs that open a request wherever they stand."""

VERBS_OR_NOUNS = frozenset(_VERBS_OR_NOUNS.split())
"""English words that open a request only before one of `AFTER_VERB` (audit the table)."""

AFTER_VERB = frozenset(_AFTER_VERB.split())
QUESTIONS = frozenset(_QUESTIONS.split())

EMPTY = AND_KO | AND_EN | POLITE | VERBS | frozenset({"", "그", "좀", "the", "a", "it"})
"""Words that ask for nothing by themselves."""

BACK_REFERENCE = re.compile(
    r"\W*(?:(?:그리고|그다음(?:에)?|또|and|then|also|finally|please)\W+)*"
    r"(?:(?:그|이|위|해당|앞) ?(?:결과|것|걸|표|내용|목록)|그거|이를|그를|결과[를는와]"
    r"|(?:[a-z]+ ){1,2}(?:it|them|those|these|the (?:result|output|answer|finding)s?)\b)",
    re.IGNORECASE,
)
"""The opening of a clause about what an earlier clause produced (그 결과를 …, sort them …)."""


def ends_sentence_ko(word: str) -> bool:
    """Tell whether a Korean sentence is over with `word` (알려줘)."""
    return FINAL_KO.search(word) is not None


def connects_ko(words: list[str], following: str) -> bool:
    """Tell whether the last of `words` links a verb to a further clause (알려주고)."""
    word = words[-1]
    if word in _AFTER and len(words) > 1:
        return _ends_in_n(words[-2]) or _GO.search(words[-2]) is not None
    if _NOT_A_VERB.search(word) or _AUXILIARY.match(following) or following in _AFTER:
        return False
    if _SEO.search(word) or _PARTICLE_HAGO.search(word):
        return any(_MARKED.search(earlier) for earlier in words[:-1])
    return _GO.search(word) is not None


def is_predicate_ko(word: str) -> bool:
    """Tell whether `word` may close a Korean clause before a comma or 그리고."""
    if _NOT_A_VERB.search(word):
        return False
    return any(ending.search(word) for ending in (_GO, _SEO, _BUT, FINAL_KO))


def opens_clause_en(words: list[str]) -> bool:
    """Tell whether `words` (lower case) begin an English request or question."""
    rest = [word for word in words if word not in AND_EN and word not in POLITE]
    if not rest:
        return False
    first, second = rest[0], rest[1] if len(rest) > 1 else ""
    return (
        first in VERBS or first in QUESTIONS or (first in VERBS_OR_NOUNS and second in AFTER_VERB)
    )


def _ends_in_n(word: str) -> bool:
    return "가" <= word[-1] <= "힣" and (ord(word[-1]) - ord("가")) % 28 == _N
