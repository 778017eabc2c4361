"""What each kind of personal data is called, and which one it belongs to.

The kinds themselves are tables of `core/kinds`.
"""

from minerva_governance.core.kinds.catalogue import bundled_catalogue
from minerva_governance.core.kinds.kind import Category
from minerva_governance.core.kinds.review_context import current_catalogue
from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_governance.core.detection", "detection")

Entity = str
"""The id of a kind of the catalogue: KR_RRN, or what a person added."""

ENTITIES: tuple[Entity, ...] = bundled_catalogue().personal_ids
"""The bundled kinds that are personal; keys are not among them."""


def label(entity: Entity, language: Language) -> str:
    """Return what people call `entity`; its id where the catalogue no longer holds it."""
    kind = current_catalogue().get(entity)
    if kind is None:
        return entity
    return kind.ko if language == "ko" else kind.en


def category(entity: Entity) -> Category | None:
    """Return the category of `entity`, or None where the catalogue no longer holds it."""
    kind = current_catalogue().get(entity)
    return kind.category if kind else None
