"""Take off a request what says where a column stands: its table, screen or system.

`민원 접수 테이블의 접수일시` asks for 접수일시, `the bank name column in the refund table` for the
bank name. Glued to the column's name, the table's would make another name of it.
"""

import re
from collections.abc import Callable

from minerva_platform.text import read_words

Says = Callable[[str], bool]
"""Whether something is said of a text."""

WORDS = read_words("minerva_data.core.language", "table_mention")

_AT = WORDS.patterns("korean.at")
_PLACE = WORDS.any_of("korean.places")

_KOREAN = re.compile(
    rf"""
    (?P<head>(?:^|(?<=[\s,.?!:;|])))
    (?P<name>(?:[^\s,.?!:;|]+[ ]+){{1,6}})
    (?:
      (?:{_PLACE})(?:의|{_AT}|[은는이가])        # 예약 화면에, 외래 시스템의, 회원 테이블은
    | (?:{_PLACE})[ ]+[내안]에?                  # 회원 테이블 안에
    | 게시판(?:{_AT})                            # 홈페이지 게시판에서; 게시판의 제목 is a column's
    | (?:{WORDS.any_of("korean.tables")})        # 직원 테이블 부서명
    )
    (?P<has>\s+(?:{WORDS.any_of("korean.has")}))?
    (?=\s+\S)
    """,
    re.VERBOSE,
)
_CASE = re.compile(r".*(?:[을를은는]|에서|에게|으로|(?<=[가-힣]{2})[이가])")
"""A word before the table's name that ends another part of the sentence: 접수일시를."""

_ENDING = re.compile(rf"(?:의|{_AT}|[은는이가])$")
_PARTICLE = re.compile(r"[을를은는이가의]$")
_POINTING = re.compile(rf"(?:{WORDS.patterns('korean.pointing')})\s+(?:{_PLACE})$")

_PLACE_EN = rf"(?:{WORDS.patterns('english.places')})"
_NAME_EN = r"(?:(?!(?:column|field|table|and|or)\b)[\w&'-]+\s+){1,4}?"
_ENGLISH = (
    re.compile(  # in table TB_PAY_ACCT, of the screen named CUST_01
        rf"""
        \b(?:in|on|of|from|for|into|to)\s+(?:the\s+|our\s+)?{_PLACE_EN}\s+(?:named\s+|called\s+)?
        (?=\w*[A-Z_])\w+\b,?
        """,
        re.VERBOSE,
    ),
    re.compile(  # in the refund table, on our supplier screen
        rf"""
        \b(?:in|on|from|into|to)\s+(?:the|our|my|an?|this|that|each|every)\s+
        {_NAME_EN}{_PLACE_EN}\b,?
        """,
        re.IGNORECASE | re.VERBOSE,
    ),
    re.compile(  # of the refund table: not `of the table`
        rf"\bof\s+(?:the|our)\s+{_NAME_EN}(?:table|screen)\b,?", re.IGNORECASE
    ),
    re.compile(  # the complaints table has a
        rf"""
        \b(?:the|our|my|an?|this)\s+{_NAME_EN}{_PLACE_EN}\s+(?:{WORDS.any_of("english.has")})\b
        (?:\s+(?:an?|the))?
        """,
        re.IGNORECASE | re.VERBOSE,
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
        taken.extend([] if _POINTING.match(place) else [place])
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
    ended = [word.end() for word in words if _CASE.fullmatch(word.group())]
    after = [word.start() for word in words if not ended or word.start() > ended[-1]]
    return after[0] if after else len(name)


def _blank(text: str) -> str:
    return "|".center(len(text))
