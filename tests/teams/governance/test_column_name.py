"""What a column's name and comment promise."""

import pytest

from minerva_governance.core.detection.column_name import promised_entity


@pytest.mark.parametrize(
    ("name", "comment", "expected"),
    [
        ("JUMIN_NO", "", "KR_RRN"),
        ("patientRrn", "", "KR_RRN"),
        ("IDNO", "주민등록번호", "KR_RRN"),
        ("FRGNR_NO", "외국인등록번호", "KR_FRN"),
        ("PT_HP_NO", "", "PHONE"),
        ("mobile", "", "PHONE"),
        ("EMAIL_ADDR", "", "EMAIL"),
        ("C1", "전자우편", "EMAIL"),
        ("주민등록번호", "", "KR_RRN"),
        ("휴대전화_번호", "", "PHONE"),
        ("PAT_NM", "환자명", "PERSON_NAME"),
        ("BIRTH_DT", "생년월일", "BIRTH_DATE"),
        ("HOME_ADDR", "자택주소", "ADDRESS"),
        ("CARD_NO", "신용카드번호", "CREDIT_CARD"),
        ("BRTH", "출생일자", "BIRTH_DATE"),
    ],
)
def test_a_telling_name_or_comment_is_understood(name: str, comment: str, expected: str) -> None:
    """In Korean and English, in any case, alone or among other words."""
    assert promised_entity(name, comment) == expected


@pytest.mark.parametrize(
    ("name", "comment"),
    [
        ("EMAIL_YN", "이메일수신여부"),
        ("EMAIL_AT", ""),
        ("EMAIL_SEND_DT", "이메일발송일시"),
        ("CODE_NM", "코드명"),
        ("TEL_CNT", "전화건수"),
        ("HOTEL_NAME", "호텔명"),
        ("", ""),
    ],
)
def test_a_name_about_the_thing_is_not_the_thing(name: str, comment: str) -> None:
    """Flags, dates and counts of mail hold no address; codes have names too."""
    assert promised_entity(name, comment) is None
