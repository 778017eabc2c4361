"""What a column's name and comment promise."""

import pytest

from minerva_governance.core.detection.column_name import promised_entity
from minerva_governance.core.detection.entity import category


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
        ("이메일주소", "", "EMAIL"),
        ("C1", "관리자이메일주소", "EMAIL"),
        ("CLIENT_IP", "접속IP주소", "IP_ADDRESS"),
        ("PAT_ID", "환자번호", "INTERNAL_ID"),
        ("user_id", "", "INTERNAL_ID"),
        ("customer", "", "INTERNAL_ID"),
        ("order_no", "", "INTERNAL_ID"),
        ("DIAG_NM", "진단명", "DIAGNOSIS"),
        ("dx_code", "", "DIAGNOSIS"),
        ("DIAG_NO", "진단번호", "INTERNAL_ID"),
        ("PRSC_DT", "처방일자", "DRUG"),
        ("ADM_DT", "입원일시", "ADMISSION"),
        ("admission_date", "", "ADMISSION"),
        ("SEX_CD", "성별코드", "GENDER"),
        ("RLGN_CD", "", "RELIGION"),
        ("geburtsdatum", "", "BIRTH_DATE"),
        ("strasse_hausnummer", "", "ADDRESS"),
        ("prénom", "", "GIVEN_NAME"),
        ("apellidos", "", "SURNAME"),
        ("pwd_digest", "", "PASSWORD"),
        ("username", "", "USERNAME"),
        ("USER_NM", "", "PERSON_NAME"),
        ("visited_url", "", "VISITED_URL"),
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
        ("product_name", ""),
        ("file_name", ""),
        ("country_name", ""),
        ("ip_count", ""),
        ("SERVER_IP", "서버IP"),
        ("anzahl_ip_wechsel", ""),
        ("email_sent_yn", ""),
        ("email_sent_at", ""),
        ("last_login", ""),
        ("health_check_url", ""),
        ("battery_health", ""),
        ("order_state", ""),
        ("state", ""),
        ("room_address", ""),
        ("MTGRUM_NM", "회의실명"),
        ("ADBK_NM", "주소록명"),
        ("ADDR_CHG_DT", "주소변경일"),
        ("is_phone_verified", ""),
        ("", ""),
    ],
)
def test_a_name_about_the_thing_is_not_the_thing(name: str, comment: str) -> None:
    """Flags, dates and counts of mail hold no address; codes have names too."""
    assert promised_entity(name, comment) is None


def test_a_data_type_refutes_what_cannot_be_of_it() -> None:
    """A day is a birth, and no phone; true or false is neither."""
    assert promised_entity("birth", data_type="DATE") == "BIRTH_DATE"
    assert promised_entity("phone", data_type="timestamp") is None
    assert promised_entity("email", data_type="BOOLEAN") is None
    assert promised_entity("email", data_type="varchar(190)") == "EMAIL"
    assert promised_entity("전화번호", data_type="tinyint(1)") is None
    assert promised_entity("phone", data_type="bit(64)") == "PHONE"


def test_a_yes_or_no_about_health_or_sex_is_personal() -> None:
    """A flag is no phone, but it may say who is ill."""
    assert promised_entity("diagnosis", data_type="BOOLEAN") == "DIAGNOSIS"
    assert promised_entity("gender", data_type="bit") == "GENDER"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("telnr", "PHONE"),
        ("num_tel", "PHONE"),
        ("num_phones", None),
        ("HP번호", "PHONE"),
        ("生年月日", "BIRTH_DATE"),
        ("携帯電話", "PHONE"),
        ("면허증번호", "KR_DRIVER_LICENSE"),
        ("사업자No", "KR_BRN"),
    ],
)
def test_a_number_of_a_kind_is_the_kind(name: str, expected: str | None) -> None:
    """Glued, as French writes it, and in the letters of Korea and Japan."""
    assert promised_entity(name) == expected


OMOP_PERSON = {
    "person_id": "internal_id",
    "gender_concept_id": "quasi_identifier",
    "year_of_birth": "quasi_identifier",
    "month_of_birth": "quasi_identifier",
    "day_of_birth": "quasi_identifier",
    "birth_datetime": "quasi_identifier",
    "race_concept_id": "quasi_identifier",
    "ethnicity_concept_id": "special",
    "location_id": "quasi_identifier",
    "gender_source_value": "quasi_identifier",
    "race_source_value": "quasi_identifier",
    "condition_concept_id": "health",
    "condition_source_value": "health",
    "condition_occurrence_id": "internal_id",
    "drug_exposure_start_date": "health",
    "drug_concept_id": "health",
    "visit_start_date": "health",
    "zip": "quasi_identifier",
    "city": "quasi_identifier",
    "concept_name": None,
    "vocabulary_id": None,
    "cdm_release_date": None,
}


@pytest.mark.parametrize(("name", "expected"), OMOP_PERSON.items())
def test_names_of_the_omop_model_tell_their_category(name: str, expected: str | None) -> None:
    """OMOP CDM 5.4, by column names alone."""
    entity = promised_entity(name)

    assert (entity and category(entity)) == expected


EUROPEAN_CUSTOMER = {
    "customer_id": "INTERNAL_ID",
    "givenName": "GIVEN_NAME",
    "surname": "SURNAME",
    "dateOfBirth": "BIRTH_DATE",
    "nationalNumber": "NATIONAL_ID",
    "emailAddress": "EMAIL",
    "mobilePhone": "PHONE",
    "streetAddress": "ADDRESS",
    "postcode": "POSTCODE",
    "iban": "IBAN_CODE",
    "lastLoginIp": "IP_ADDRESS",
    "healthNote": "HEALTH_NOTE",
    "loyaltyTier": None,
    "createdAt": None,
}


@pytest.mark.parametrize(("name", "expected"), EUROPEAN_CUSTOMER.items())
def test_names_of_an_english_customer_table_are_known(name: str, expected: str | None) -> None:
    """In camel case, without a comment."""
    assert promised_entity(name) == expected


@pytest.mark.parametrize(
    ("table", "name", "expected"),
    [
        ("employees", "name", "PERSON_NAME"),
        ("data/employees.csv", "name", "PERSON_NAME"),
        ("products", "name", None),
        ("Bankcard", "number", "CREDIT_CARD"),
        ("Bankcard", "expiry_date", "CARD_DETAIL"),
        ("GiftCard", "expiry_date", None),
        ("Payment", "token", "ACCESS_TOKEN"),
        ("OAuthAccessToken", "token", "ACCESS_TOKEN"),
        ("OAuthAccessToken", "scope", None),
        ("Payment", "cc_exp_month", "CARD_DETAIL"),
    ],
)
def test_the_table_tells_what_half_a_name_leaves_open(
    table: str, name: str, expected: str | None
) -> None:
    """Of persons, cards and tokens; what is beside a token is none."""
    assert promised_entity(name, "", "", table) == expected


@pytest.mark.parametrize(
    ("name", "data_type"),
    [("access_token", "ForeignKey"), ("needs_pin", "BooleanField"), ("password", "BOOLEAN")],
)
def test_a_type_refutes_a_credential(name: str, data_type: str) -> None:
    """A key of a record and a flag hold no secret."""
    assert promised_entity(name, "", data_type) is None
