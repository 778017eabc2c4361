"""Say Korean clauses in nouns, which a glossary has: `왜 입원했는지` is 입원 사유.

A clause is only turned where the glossary knows its noun, so that `뭔지 알려줘` stays a question.
"""

import re
from collections.abc import Callable

Knows = Callable[[str], bool]
"""Whether the glossary explains all of a text."""

_HONORED = re.compile(
    r"([가-힣]{2,}?)(?:분들|분|님)(?=(?:께서|한테|에게|[의은는이가을를께])?(?:[\s,.?!]|$))"
)
_POLITE = (
    (re.compile(r"(?:무엇|뭐|뭣)\s?때문에|어쩌다가?|어째서|(?:무슨|어떤)\s이유로"), "왜"),
    (re.compile(r"하셨"), "했"),
    (re.compile(r"되셨"), "됐"),
    (re.compile(r"으셨"), "었"),
    (re.compile(r"오셨"), "왔"),
    (re.compile(r"우셨"), "웠"),
    (re.compile(r"(?<=[하되우])시는"), "는"),
    (re.compile(r"으시는"), "는"),
    (re.compile(r"받으신"), "받은"),
    (re.compile(r"(?<=[가-힣])하신"), "한"),
    (re.compile(r"받았?었"), "받았"),
)
_LIGHT = (
    r"(?:하|되|있|없|받|맞|피우|피|마시|먹|걸리|쓰|나|가|오|내|당하)(?:고\s?있)?는지"
    r"|(?:했|됐|하였|되었|받았|맞았|피웠|폈|마셨|먹었|걸렸|났|왔|갔|냈|있었|당했)(?:었)?(?:는지|던지)"
    r"|\s?중인지|인지|이었는지|였는지|한지|된지|(?:어|워|려|켜)?졌는지|는지"
)
_NOT = (
    r"(?:\s*(?:아닌지|안\s*[가-힣]{1,6}지|않[가-힣]{1,4}지|못\s*[가-힣]{1,6}지|없는지|아니면\s*\S+지"
    r"|(?:비|미|무|안|불)[가-힣]{1,8}(?:인지|한지|는지)))?(?:\s*(?:의\s*)?(?:여부|유무))?"
)
_WHETHER = re.compile(
    r"(?P<noun>[가-힣A-Za-z0-9][가-힣A-Za-z0-9 ]{0,24}?)(?:을|를|이|가|은|는)?\s*"
    rf"(?:{_LIGHT}){_NOT}"
    r"(?=$|[\s,.?!()])(?!\s*(?:알|궁금|모르|확인|찾|봐|보))"
)
_ASKING = re.compile(
    r"(?P<asks>왜|언제|누가|어디서|어떻게|며칠에|몇\s?시에|며칠|얼마나|얼마|무슨|어떤|어느|몇|무엇|뭐|뭘)\s+$"
)
_NOUNS = {
    "왜": "{noun} 사유",
    "언제": "{noun} 언제",
    "며칠에": "{noun} 일자",
    "몇시에": "{noun} 일시",
    "며칠": "{noun} 일수",
    "얼마나": "{noun} 얼마",
    "얼마": "{noun} 금액",
    "누가": "{noun} 사람",
    "무슨": "무슨 {noun}",
    "어떤": "무슨 {noun}",
    "어느": "무슨 {noun}",
    "몇": "무슨 {noun}",
}
_PERSON = "자"
_AMOUNT = re.compile(r".*(?:횟수|일수|연령|수량|건수|단가|순번|번호)")
_WHO = re.compile(r"(?:이|가)?\s*누구(?:인지|신지|냐)")
_EMPTY = re.compile(
    r"(?:이|가|은|는)?\s*(?:뭔지|무엇인지|뭐인지|얼마인지|얼만지|어떻게 되는지)(?=$|[\s,.?!])"
)
_COUNTED = (
    (re.compile(r"몇\s?번(?=인지|이지)"), "번호"),
    (re.compile(r"몇\s?(?:번|회)(?:이나|씩)?(?!째)"), "횟수"),
    (re.compile(r"며칠(?:\s?동안|간)"), "일수"),
    (re.compile(r"몇\s?번째"), "순번"),
    (re.compile(r"^\s*(?:지금|현재)?\s*쓰(?:는|고\s?있는)지(?:\s*안\s*쓰는지)?"), "사용 여부"),
    (re.compile(r"몇\s?개(?=인지|나|를|가|$|[\s,.?!])"), "수량"),
    (re.compile(r"몇\s?건(?=인지|이나|$|[\s,.?!])"), "건수"),
    (re.compile(r"몇\s?(?:킬로|kg)\S*"), "체중"),
    (re.compile(r"몇\s?(?:센티|cm)\S*"), "신장"),
    (re.compile(r"몇\s?호실?(?=인지|$|[\s,.?!])"), "병실 번호"),
    (re.compile(r"몇\s?(?:살|세)(?=인지|이나|$|[\s,.?!])(?:인지)?"), "연령"),
    (re.compile(r"(?:한|1)\s?(?:개|알|정|병|단위)\s?당\s*(?:가격|금액|값|비용|단가)"), "단가"),
    (re.compile(r"(?:개|단위)\s?당\s*(?:가격|금액|값|비용|단가)"), "단가"),
)


def reworded(text: str, *, knows: Knows) -> str:
    """Return `text` with its clauses said in nouns, honorifics and counting words plain."""
    for polite, plain in _POLITE:
        text = polite.sub(plain, text)
    text = _HONORED.sub(lambda hit: _honored(hit, knows), text)
    for asked, noun in _COUNTED:
        text = asked.sub(noun, text)
    text = _EMPTY.sub(" ", _WHO.sub(" 명", text))
    return _clauses(text, knows)


def _honored(hit: re.Match[str], knows: Knows) -> str:
    """Return 환자 for `환자분`, but 구분 as it is."""
    whole, stem = hit.group(), hit.group(1)
    return stem if knows(stem) and not knows(whole) else whole


def _clauses(text: str, knows: Knows) -> str:
    """Turn each clause whose noun is known: the longest known end of what stands before it."""
    done: list[str] = []
    rest = text
    while hit := _WHETHER.search(rest):
        words = hit["noun"].split(" ")
        asked = [n for n, word in enumerate(words) if _ASKING.fullmatch(f"{word} ")]
        first = asked[-1] + 1 if asked else 0
        starts = (n for n in range(first, len(words)) if knows(" ".join(words[n:])))
        start = next(starts, None)
        if (
            start is None
            and len(words[-1]) > 1
            and words[-1].endswith(_PERSON)
            and knows(words[-1][:-1])
        ):
            words[-1], start = words[-1][:-1], len(words) - 1
        if start is None:
            done.append(rest[: hit.end()])
            rest = rest[hit.end() :]
            continue
        noun = " ".join(words[start:])
        before = rest[: hit.start()] + "".join(f"{word} " for word in words[:start])
        asks = _ASKING.search(before)
        if asks is None:
            done.append(f"{before}{noun}" if _AMOUNT.fullmatch(noun) else f"{before}{noun} 여부")
        else:
            said = _NOUNS.get("".join(asks["asks"].split()))
            kept = f"{before[: asks.start()]}{said.format(noun=noun)}" if said else None
            done.append(kept or rest[: hit.end()])
        rest = rest[hit.end() :]
    return "".join((*done, rest))
