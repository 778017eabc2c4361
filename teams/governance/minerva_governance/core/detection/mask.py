"""Show that a value is there without showing the value.

Everything this team lets out passes `mask_text`: findings, reports, summaries and errors.
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

from pydantic import BaseModel

from minerva_governance.core.detection.detector import find, normalised
from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.reading.visible import visible

ModelT = TypeVar("ModelT", bound=BaseModel)

_KEPT_DIGITS: dict[Entity, tuple[int, int]] = {
    "KR_RRN": (7, 0),
    "KR_FRN": (7, 0),
    "KR_BRN": (3, 0),
    "CREDIT_CARD": (4, 0),
    "KR_PHONE": (3, 0),
    "KR_DRIVER_LICENSE": (2, 0),
    "BIRTH_DATE": (4, 0),
}
"""How many digits stay readable at the start and at the end.

Enough to find the value in the file and to see what it is: birth date and sex of a resident
number, the issuer of a card. None at the end: the last digits tell persons apart.
"""
_MAX_STARS = 8
"""For a value of which nothing is shown: how long a longer one is stays hidden, too."""


def mask(entity: Entity, value: str) -> str:
    """Return `value` with what identifies a person starred: `850101-1******`."""
    if entity == "EMAIL":
        local, _, host = value.partition("@")
        return f"{local[:1] if len(local) > 1 else ''}***@{host}"
    if entity not in _KEPT_DIGITS:
        return "*" * min(len(value), _MAX_STARS)
    head, tail = _KEPT_DIGITS[entity]
    last = sum(character.isdigit() for character in value) - tail
    shown: list[str] = []
    seen = 0
    for character in value:
        if character.isdigit():
            seen += 1
            shown.append(character if seen <= head or seen > last else "*")
        else:
            shown.append(character)
    return "".join(shown)


def mask_text(text: str) -> str:
    """Return `text` with every piece of personal data in it masked, and nothing hidden in it.

    Line breaks stay; other characters that do not show are written out.
    """
    text = visible(text, keeps="\n")
    matches = find(text)
    if not matches:
        return text
    text = normalised(text)
    parts: list[str] = []
    position = 0
    for match in matches:
        parts += [text[position : match.start], mask(match.entity, text[match.start : match.end])]
        position = match.end
    return "".join([*parts, text[position:]])


def mask_values(value: object) -> object:
    """Return JSON-like `value` with every string in it masked, keys included.

    Line breaks are written out, because what stands in a model is a name or a sentence.
    """
    if isinstance(value, str):
        return visible(mask_text(value))
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value)
        return {mask_values(key): mask_values(item) for key, item in pairs.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [mask_values(item) for item in cast("Sequence[object]", value)]
    return value


def mask_model(model: ModelT) -> ModelT:
    """Return a copy of `model` in which every string is masked."""
    return type(model).model_validate(mask_values(model.model_dump(mode="json")))
