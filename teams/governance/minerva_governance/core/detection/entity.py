"""The kinds of personal data this team knows, and what each is called.

The names are Presidio's where it has one, so that policies written for it keep working.
"""

from typing import Final, Literal, get_args

from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_governance.core.detection", "detection")

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

ENTITIES: Final[tuple[Entity, ...]] = get_args(Entity)


def label(entity: Entity, language: Language) -> str:
    """Return what people call `entity`."""
    return TEXTS(f"entities.{entity}", language)
