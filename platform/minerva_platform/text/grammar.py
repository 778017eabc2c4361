"""The few words of Korean and English that end a clause or open one.

Lists, not a parser: `clauses` asks these questions about single words. A word
that is missing here leaves two clauses joined, which loses nothing.
"""

import re

_FINAL = re.compile(r"(?:줘|줘요|주라|세요|십시오|줄래|줄래요|니까|까요|나요|봐|봐요|하자)$")
_STATEMENT = re.compile(r"(?<!부탁드립)(?<!부탁합)(?<!바랍)(?<!싶습)니다$|[었았였했한된있없]다$")
_GO = re.compile(r"[가-힣](?:고|며|면서)$")
_SEO = re.compile(r"(?:해|줘|아|어|와|워|려|여|꿔|내|봐|겨|켜|져|눠)서$")
_WHETHER = re.compile(r"[는은인한할]지$")
_WHETHER_TOO = re.compile(r"[는은인한할]지[도를는]?요?$")
_PLEA = re.compile(
    r"부탁|바라|바랍|바래|바람|요망|요청|고 싶|시길$|달라고?$"
    r"|면 (?:좋겠|감사|고맙|되겠|됩니다|돼요)"
)
"""What makes a Korean clause a wish without a form of 주다 (보내 주시면 감사하겠습니다)."""
_BACKGROUND = re.compile(
    r"(?:데|서|지만|거든|네|려고|다가|느라|더니)요?$|[나가] 봐요?$|(?:^|\s)주라$"
)
"""Ends of Korean clauses that say why or when something is asked (급한데, 받아서, 없나 봐요)."""
_AND_DO = re.compile(r"[가-힣](?:고|며)$")
_NOT_A_VERB = re.compile(
    r"(?:^(?:보|광|창|최|사|참|재|로|신|권|경|예|수|원|공|충|비|입|출|선|금|그리|냉장|가지|말)"
    r"|[라다냐자])고(?:서)?$|(?:대해|관해|위해|통해|의해|비해|인해|따라|이어|걸쳐)서$"
)
"""Nouns in -고 (보고, 광고), quotations (-다고) and post-positions (-에 대해서)."""

_AUXILIARY = re.compile(r"(?:있|싶|계시|계신|나서|난|나면|말고|본|보니)")
"""What makes -고 an aspect of one verb (쓰고 있는) when it follows."""

_NOUNS_WITH_HADA = """
감사 검사 검색 검증 검토 계산 교정 매핑 변경 변환 분석 비교 색인 생성
설명 수정 스캔 안내 예약 요약 인덱싱 작성 저장 점검 정렬 정리 제안 조사
조회 집계 체크 추가 추천 추출 측정 탐지 파싱 파악 평가 표시 표준화 확인
"""
VERBAL_NOUNS = tuple(_NOUNS_WITH_HADA.split())
"""Nouns that become verbs with 하다 (정렬하고: "sort and …")."""

_PARTICLE_HAGO = re.compile("".join(f"(?<!{noun})" for noun in VERBAL_NOUNS) + "하고$")
"""하고 after a noun that makes no verb: "and" (이름하고 도메인)."""

_MARKED = re.compile(r"[가-힣\w](?:을|를|은|는|에서|으로|로|부터|까지)$")
_AFTER = frozenset({"다음", "다음에", "뒤", "뒤에", "후", "후에", "나서"})
_WORD = re.compile(r"\w+")
_N, _B, _SS = 4, 17, 20
"""Numbers of the final consonants ㄴ, ㅂ and ㅆ in a Hangul syllable's code."""

AND_KO = frozenset(
    {"그리고", "또한", "또", "및", "이어서", "아울러", "그다음", "그다음에", "추가로"}
)
AND_EN = frozenset({"and", "then", "also", "plus", "but", "next", "finally", "afterwards", "&"})
_POLITE = "please kindly just can could would you to me i i'd we want need like"
POLITE = frozenset(_POLITE.split())

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

_CLOSED_CLASS = """
about above across after against all along also although always am among an and another any anybody
anyone anything are around as at away back be because been before being below between both but by
can could did do does down during each either else enough even ever every everybody everyone
everything except few first for from had has have he hence her here hers him his how however i if
in inside instead into is it its just last least less lest like many may maybe me might mine more
most much must my near neither never next no nobody none nor not nothing now of off often on once
one only onto or other others ought our ours out outside over own per perhaps quite rather same
several shall she should since so some somebody someone something soon still such than that the
their theirs them then there therefore these they this those though through throughout thus till
to together too toward towards two under unless until up upon us very via was we were what whatever
when whenever where wherever whether which whichever while who whoever whom whose why will with
within without would yet you your yours a
"""
"""English words that are no verb of a wish: these classes take in no new words."""

_OBJECT = """
a all an any each every everybody everyone everything him how it its me my our someone something
the their them these this those us what whether why your
"""
_CLOSED_CLASS_EN = frozenset(_CLOSED_CLASS.split())
_OBJECT_EN = frozenset(_OBJECT.split())
"""Words that begin the object of an English verb, and hardly ever follow a noun."""
_PLURAL = re.compile(r"(?<![su])s$")

_FORM = """
a all an and answer as at bullet by everything finally findings for form format get give in into it
list make markdown me nicely of order output present print put result results return short show sort
summarise summarize summary table tabulate tell that the them then these this those to up write
report please also
"""
EMPTY = AND_KO | AND_EN | POLITE | VERBS | frozenset({"", "그", "좀", "the", "a", "it"})
"""Words that ask for nothing by themselves."""

_FORM_KO = re.compile(
    r"(?:그|이|위|것|걸|거|이거|그거|결과|답|답변|내용|목록|리스트|표|보고서|마크다운|형태|형식|순서|한눈)"
    r"(?:을|를|로|으로|은|는|이|가|에|도|의|만)?"
    r"|(?:정리|정렬|요약|작성|출력|표시|배열|보고)(?:해|하|한|할|된|되)?[가-힣]{0,3}"
    r"|(?:만들|묶|보여|알려|부탁)[가-힣]{0,4}|(?:해|달라|주|줘)(?:줘|줘요|주세요|세요|고)?"
    r"|모두|전부|다|다시|같이|함께|보기|좋게|깔끔하게|간단히|간단하게|자세히|자세하게"
)
_FORM_EN = frozenset(_FORM.split())


def ends_sentence_ko(word: str) -> bool:
    """Tell whether a Korean sentence is over with `word` (알려줘)."""
    return _FINAL.search(word) is not None


def connects_ko(words: list[str], following: str) -> bool:
    """Tell whether the last of `words` links a verb to a further clause (알려주고)."""
    word = words[-1]
    if word in _AFTER and len(words) > 1:
        return _ends_in(words[-2], _N) or _GO.search(words[-2]) is not None
    if _NOT_A_VERB.search(word) or _AUXILIARY.match(following) or following in _AFTER:
        return False
    if _SEO.search(word) or _PARTICLE_HAGO.search(word):
        return any(_MARKED.search(earlier) for earlier in words[:-1])
    return _GO.search(word) is not None


def is_predicate_ko(word: str) -> bool:
    """Tell whether `word` may close a Korean clause before a comma or 그리고."""
    if _NOT_A_VERB.search(word):
        return False
    return any(ending.search(word) for ending in (_GO, _SEO, _WHETHER, _FINAL))


def opens_clause_en(words: list[str]) -> bool:
    """Tell whether `words` (lower case) begin an English request or question."""
    rest = [word for word in words if word not in AND_EN and word not in POLITE]
    if not rest:
        return False
    first, second = rest[0], rest[1] if len(rest) > 1 else ""
    return (
        first in VERBS or first in QUESTIONS or (first in VERBS_OR_NOUNS and second in AFTER_VERB)
    )


def commands_en(words: list[str]) -> bool:
    """True if `words` (lower case) begin with a verb that no list knows: `pay them`.

    A word of an open class is a verb where an object follows; a plural is a noun whatever follows.
    """
    around = AND_EN | POLITE
    start = next((at for at, word in enumerate(words) if word not in around), len(words))
    return (
        len(words) > start + 1 and could_be_verb_en(words[start]) and words[start + 1] in _OBJECT_EN
    )


def could_be_verb_en(word: str) -> bool:
    """True if `word` (lower case) may be an English verb in a wish: no plural, no `with`."""
    is_word = word.isascii() and word.isalpha()
    return is_word and word not in _CLOSED_CLASS_EN and not _PLURAL.search(word)


def wishes_ko(words: list[str]) -> bool:
    """True if Korean `words` end as a wish or a question, or as one of several (찾아주고)."""
    last, ending = words[-1], " ".join(words[-2:])
    if _BACKGROUND.search(ending) or _is_because_ko(last):
        return False
    if last in _AFTER or _PLEA.search(ending) or last.endswith(VERBAL_NOUNS):
        return True
    if _NOT_A_VERB.search(last):
        return False
    if _AND_DO.search(last):  # what was the case (전화가 왔고) is no wish
        return not _ends_in(last[:-1], _SS)
    return _FINAL.search(last) is not None or _WHETHER_TOO.search(last) is not None


def asks(opening: list[str], last: str, *, any_verb: bool = False) -> bool:
    """Tell whether a clause asks for something, rather than give the background.

    In doubt it does: only a plain statement (… 저장합니다, we store …) does not.
    """
    if _STATEMENT.search(last):
        return False
    is_korean = not all(map(str.isascii, opening))
    return is_korean or opens_clause_en(opening) or (any_verb and commands_en(opening))


def is_whether_ko(word: str) -> bool:
    """Tell whether `word` is a verb that opens an indirect question (맞는지)."""
    return _WHETHER.search(word) is not None


def is_about_form(text: str) -> bool:
    """Tell whether `text` only says how an answer shall look (그 결과를 표로 정리해줘)."""
    words = _WORD.findall(text.lower())
    return bool(words) and all(
        word in _FORM_EN or word in AND_KO or _FORM_KO.fullmatch(word) for word in words
    )


def _is_because_ko(word: str) -> bool:
    """True if `word` gives a reason (급하니까), unlike the formal question (됩니까)."""
    stem, reason, _ = word.removesuffix("요").rpartition("니까")
    return bool(reason) and not (stem and _ends_in(stem, _B))


def _ends_in(word: str, consonant: int) -> bool:
    return "가" <= word[-1] <= "힣" and (ord(word[-1]) - ord("가")) % 28 == consonant
