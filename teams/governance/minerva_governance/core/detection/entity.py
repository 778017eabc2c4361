"""The kinds of personal data this team knows, and what each is called.

The names are Presidio's where it has one, so that policies written for it keep working.
"""

from typing import Literal, get_args

Entity = Literal[
    "KR_RRN",
    "KR_FRN",
    "KR_PASSPORT",
    "KR_DRIVER_LICENSE",
    "KR_BRN",
    "CREDIT_CARD",
    "KR_PHONE",
    "EMAIL",
    "PERSON_NAME",
    "BIRTH_DATE",
    "ADDRESS",
]
"""A kind of personal data. Names, birth dates and addresses are known by column name only."""

ENTITIES: tuple[Entity, ...] = get_args(Entity)

LABELS: dict[Entity, tuple[str, str]] = {
    "KR_RRN": ("주민등록번호", "resident registration number"),
    "KR_FRN": ("외국인등록번호", "foreigner registration number"),
    "KR_PASSPORT": ("여권번호", "passport number"),
    "KR_DRIVER_LICENSE": ("운전면허번호", "driver's licence number"),
    "KR_BRN": ("사업자등록번호", "business registration number"),
    "CREDIT_CARD": ("카드번호", "payment card number"),
    "KR_PHONE": ("전화번호", "phone number"),
    "EMAIL": ("이메일", "e-mail address"),
    "PERSON_NAME": ("성명", "person's name"),
    "BIRTH_DATE": ("생년월일", "date of birth"),
    "ADDRESS": ("주소", "address"),
}
"""Each entity's name in Korean and in English."""
