"""Take off a request what says where a column stands: its table, screen or system.

`민원 접수 테이블의 접수일시` asks for 접수일시, `the bank name column in the refund table` for the
bank name. Glued to the column's name, the table's would make another name of it.
"""

import re
from collections.abc import Callable

Says = Callable[[str], bool]
"""Whether something is said of a text."""

_TABLE_KO = r"테이블|스키마|엔터티|엔티티"
_PLACE_KO = rf"{_TABLE_KO}|화면|시스템|모듈|메뉴|페이지|시트|입력폼|DB|디비|데이터베이스"
_AT_KO = r"에서는|에서|에는|에도|에|내에?|안에?"
_WORD_KO = r"[^\s,.?!:;|]+"
_BEFORE_KO = rf"(?P<name>(?:{_WORD_KO}[ ]+){{1,6}})"
_HEAD_KO = r"(?P<head>(?:^|(?<=[\s,.?!:;|])))"

_KOREAN = re.compile(
    rf"""
    {_HEAD_KO}{_BEFORE_KO}
    (?:
      (?:{_PLACE_KO})(?:의|{_AT_KO}|[은는이가])  # 예약 화면에, 외래 시스템의, 회원 테이블은
    | (?:{_PLACE_KO})[ ]+[내안]에?               # 회원 테이블 안에
    | 게시판(?:{_AT_KO})                         # 홈페이지 게시판에서; 게시판의 제목 is a column's
    | (?:{_TABLE_KO})                            # 직원 테이블 부서명
    )
    (?P<has>\s+(?:있는|있고|있던|들어있는|넣을|추가할))?
    (?=\s+\S)
    """,
    re.VERBOSE,
)
_CASE_KO = re.compile(r".*(?:[을를은는]|에서|에게|으로|(?<=[가-힣]{2})[이가])")
"""A word before the table's name that ends another part of the sentence: 접수일시를."""

_ENDING = re.compile(rf"(?:의|{_AT_KO}|[은는이가])$")
_PARTICLE = re.compile(r"[을를은는이가의]$")

_POINTING_KO = re.compile(
    rf"(?:우리|저희|이|그|저|해당|현재|기존|모든|전체|각|첨부한?|아래|위)\s+(?:{_PLACE_KO})$"
)
"""What names no table, so that nothing is left out of the answer: 우리 테이블."""

_PLACE_EN = (
    r"(?:tables?|screens?|systems?|modules?|schemas?|databases?|db|forms?|pages?|sheets?|entity)"
)
_NAME_EN = r"(?:(?!(?:column|field|table|and|or)\b)[\w&'-]+\s+){1,4}?"
_ENGLISH = (
    # in table TB_PAY_ACCT, of the screen named CUST_01
    re.compile(
        rf"\b(?:in|on|of|from|for|into|to)\s+(?:the\s+|our\s+)?{_PLACE_EN}\s+(?:named\s+|called\s+)?"
        r"(?=\w*[A-Z_])\w+\b,?"
    ),
    # in the refund table, on our supplier screen
    re.compile(
        rf"\b(?:in|on|from|into|to)\s+(?:the|our|my|an?|this|that|each|every)\s+{_NAME_EN}{_PLACE_EN}\b,?",
        re.IGNORECASE,
    ),
    # of the refund table: not `of the table`
    re.compile(rf"\bof\s+(?:the|our)\s+{_NAME_EN}(?:table|screen)\b,?", re.IGNORECASE),
    # the complaints table has
    re.compile(
        rf"\b(?:the|our|my|an?|this)\s+{_NAME_EN}{_PLACE_EN}\s+(?:has|contains|holds|includes|stores)\b"
        r"(?:\s+(?:an?|the))?",
        re.IGNORECASE,
    ),
)


def without_table_mentions(
    text: str, *, is_term: Says, is_frame: Says
) -> tuple[str, tuple[str, ...]]:
    """Return `text` without what names a table, a screen or a system, and what that said.

    The text stays as long as it was. What is a term with the word after it stays, and so does
    what no column's name follows: `우리 스키마의 컬럼`, where `is_frame` knows 컬럼.
    """
    taken: list[str] = []

    def take(hit: re.Match[str]) -> str:
        start = _start(hit["name"])
        said = hit.group()[start:]
        following = hit.string[hit.end() :].split()[0]
        is_named = start < len(hit["name"]) and not is_frame(_PARTICLE.sub("", following))
        if not is_named or is_term(f"{said} {following}"):
            return hit.group()
        place = _ENDING.sub("", said.removesuffix(hit["has"] or "").strip())
        taken.extend([] if _POINTING_KO.match(place) else [place])
        return hit.group()[:start] + _blank(said)

    def take_en(hit: re.Match[str]) -> str:
        taken.append(hit.group().rstrip(","))
        return _blank(hit.group())

    text = _KOREAN.sub(take, text)
    for pattern in _ENGLISH:
        text = pattern.sub(take_en, text)
    return text, tuple(taken)


def _start(name: str) -> int:
    """Return where the table's own name begins among the words before `테이블`."""
    words = list(re.finditer(r"\S+", name))
    ended = [word.end() for word in words if _CASE_KO.fullmatch(word.group())]
    after = [word.start() for word in words if not ended or word.start() > ended[-1]]
    return after[0] if after else len(name)


def _blank(text: str) -> str:
    return "|".center(len(text))
