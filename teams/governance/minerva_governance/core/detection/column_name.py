"""Tell from a column's name and comment which personal data it promises.

A name is a promise, not a proof: without values it makes a column *suspected* only.
"""

import re

from minerva_governance.core.detection.entity import Entity

_COMMENTS: tuple[tuple[Entity, re.Pattern[str]], ...] = (
    (
        "KR_FRN",
        re.compile(
            r"외국인\s*등록\s*번호|alien registration|foreigner registration", re.IGNORECASE
        ),
    ),
    (
        "KR_RRN",
        re.compile(
            r"주민\s*(?:등록)?\s*번호|resident (?:registration )?(?:number|no)", re.IGNORECASE
        ),
    ),
    ("KR_PASSPORT", re.compile(r"여권\s*번호|passport", re.IGNORECASE)),
    ("KR_DRIVER_LICENSE", re.compile(r"운전\s*면허|driver'?s? licen[cs]e", re.IGNORECASE)),
    ("KR_BRN", re.compile(r"사업자\s*(?:등록)?\s*번호|business registration", re.IGNORECASE)),
    ("CREDIT_CARD", re.compile(r"(?:신용|체크)?카드\s*번호|card number", re.IGNORECASE)),
    ("EMAIL", re.compile(r"이메일|전자\s*우편|메일\s*주소|e-?mail", re.IGNORECASE)),
    (
        "KR_PHONE",
        re.compile(r"전화|휴대폰|핸드폰|연락처|팩스\s*번호|phone|mobile number", re.IGNORECASE),
    ),
    ("BIRTH_DATE", re.compile(r"생년월일|출생\s*일|생일|birth", re.IGNORECASE)),
    (
        "ADDRESS",
        re.compile(
            r"(?<!ip)(?<!맥)(?<!mac)(?<!웹)(?<!홈페이지)(?<!메모리)\s*주소|postal address",
            re.IGNORECASE,
        ),
    ),
    (
        "PERSON_NAME",
        re.compile(
            r"성명|^이름$|(?:환자|고객|회원|사용자|유저|의사|직원|사원|보호자|신청자|예금주)\s*(?:이름|명)$"
            r"|(?:full|first|last|patient|customer|user|person)(?:'s)? ?name",
            re.IGNORECASE,
        ),
    ),
)

_NOT_THE_THING = re.compile(
    r"(?:여부|코드|구분|유형|건수|횟수|동의|일시|인증번호|템플릿|제목|본문|내용|길이|순번)$"
    r"|\b(?:flag|code|type|count|consent|template|subject|yes/no|y/n)\b$",
    re.IGNORECASE,
)
"""이메일수신여부 says whether there may be mail; it holds no address."""

_NAMES: tuple[tuple[Entity, frozenset[str]], ...] = (
    ("KR_FRN", frozenset({"FRN", "FRGNRNO", "FRNRNO", "ALIENREGNO", "FOREIGNERNO"})),
    (
        "KR_RRN",
        frozenset(
            {"RRN", "RRNO", "JUMIN", "JUMINNO", "JUMINBUNHO", "IHIDNUM", "RESIDENTNO", "SSN"}
        ),
    ),
    ("KR_PASSPORT", frozenset({"PASSPORT", "PASSPORTNO", "PSPRTNO", "PASSNO"})),
    ("KR_DRIVER_LICENSE", frozenset({"DRIVERLICENSE", "DRIVERSLICENSE", "DRVRLCNSNO"})),
    ("KR_BRN", frozenset({"BRN", "BRNO", "BIZRNO", "BIZNO", "BIZREGNO"})),
    ("CREDIT_CARD", frozenset({"CARDNO", "CARDNUM", "CARDNUMBER", "CREDITCARD", "CRDTCARDNO"})),
    ("EMAIL", frozenset({"EMAIL", "EML", "EMAILADDR", "EMAILADDRESS", "EMLADDR", "MAILADDR"})),
    (
        "KR_PHONE",
        frozenset(
            {"HP", "HPNO", "PHONE", "PHONENO", "PHONENUMBER", "TEL", "TELNO", "TELNUM", "MOBILE"}
            | {
                "MOBILENO",
                "CELL",
                "CELLNO",
                "CELLPHONE",
                "MBTLNUM",
                "MBLTELNO",
                "FAXNO",
                "MOBLPHONNO",
            }
        ),
    ),
    (
        "BIRTH_DATE",
        frozenset({"BIRTH", "BIRTHDT", "BIRTHDATE", "BIRTHDAY", "BRDT", "DOB", "BRTHDY"}),
    ),
    ("ADDRESS", frozenset({"ADDR", "ADDRESS", "ADRES", "HOMEADDR", "DETAILADDR"})),
    (
        "PERSON_NAME",
        frozenset(
            {
                "PATNM",
                "PTNM",
                "PTNTNM",
                "PATIENTNAME",
                "CUSTNM",
                "CUSTOMERNAME",
                "USERNM",
                "USERNAME",
            }
            | {"EMPNM", "FULLNAME", "FIRSTNAME", "LASTNAME", "DOCTORNM", "MBERNM"}
        ),
    ),
)
_DATE_END = re.compile(r"(?:일자|일시|시각)$|\b(?:date|time)$", re.IGNORECASE)
_DATE_WORDS = frozenset({"DT", "DE", "DATE", "YMD", "TM", "TIME", "AT"})
_FLAG_WORDS = frozenset({"YN", "AT", "FLAG", "CNT", "COUNT", "TYPE", "SE", "CD", "CODE", "CONSENT"})
_NOT_A_HOME = frozenset({"IP", "MAC", "URL", "WEB", "MEM", "HOST"})
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W_a-zA-Z0-9]+")


def promised_entity(name: str, comment: str = "") -> Entity | None:
    """Return what a column called `name` (with `comment`) says it holds, or None.

    The comment is asked first: it is written for people.
    """
    comment = comment.strip()
    if comment:
        if _NOT_THE_THING.search(comment):
            return None
        for entity, pattern in _COMMENTS:
            if pattern.search(comment):
                return None if entity != "BIRTH_DATE" and _DATE_END.search(comment) else entity
    return _entity_of_name(name)


def _entity_of_name(name: str) -> Entity | None:
    words = [word.upper() for word in _WORD.findall(name)]
    if not words or words[-1] in _FLAG_WORDS:
        return None
    if any("\uac00" <= word[0] <= "\ud7a3" for word in words):  # a Korean column name
        return promised_entity("", name.replace("_", ""))
    for entity, spellings in _NAMES:
        if entity == "ADDRESS" and _NOT_A_HOME.intersection(words):
            continue
        if any(run in spellings for run in _runs(words)):
            return None if entity != "BIRTH_DATE" and words[-1] in _DATE_WORDS else entity
    return None


def _runs(words: list[str]) -> list[str]:
    """Return all runs of neighbouring words, glued: PT_HP_NO gives PTHPNO, HPNO, HP, …."""
    size = len(words)
    return [
        "".join(words[start:end]) for start in range(size) for end in range(start + 1, size + 1)
    ]
