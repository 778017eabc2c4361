"""Show that a value is there without showing the value.

Everything this team lets out passes `mask_text`: findings, reports, summaries and errors.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Final, TypeVar, cast

from pydantic import BaseModel

from minerva_governance.core.detection.detector import find
from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.kinds.review_context import (
    ReviewContext,
    current_catalogue,
    current_context,
)
from minerva_governance.core.reading.source_files import visible
from minerva_governance.core.values.writing import normalised

ModelT = TypeVar("ModelT", bound=BaseModel)

_MAX_STARS = 8
"""For a value of which nothing is shown: how long a longer one is stays hidden, too."""
_STRICT = "****"
"""For every value alike: its length, its hyphens and its host may be one person's alone."""

CONTACTS: Final = frozenset({"EMAIL", "PHONE"})
"""What of a policy's owner, and of who approved a waiver, is shown: by these people reach them."""


def with_masks(
    context: ReviewContext, *, strict: bool, owners: Iterable[str] = ()
) -> ReviewContext:
    """Return a context that shows nothing of any value if `strict`.

    The addresses and phone numbers of `owners` of policies stay as they are in a text; where they
    are values of the data they are masked as any other.
    """
    with context.in_force():
        addresses = frozenset(
            owner[match.start : match.end]
            for owner in map(normalised, owners)
            for match in find(owner)
            if match.entity in CONTACTS
        )
    return replace(context, is_strict=strict, owners=addresses)


def use_masks(*, strict: bool, owners: Iterable[str] = ()) -> AbstractContextManager[None]:
    """Mask as `with_masks` says."""
    return with_masks(current_context(), strict=strict, owners=owners).in_force()


def mask(entity: Entity, value: str) -> str:
    """Return `value` with what identifies a person starred: `850101-1******`.

    Enough stays to find the value in the file and to see what it is: birth date and sex of a
    resident number, the issuer of a card. Nothing stays at the end: the last digits tell persons
    apart. Strict masks are four stars whatever the value is.
    """
    if current_context().is_strict:
        return _STRICT
    kind = current_catalogue().get(entity)
    if kind is not None and kind.mask == "email" and "@" in value:
        local, _, host = value.partition("@")
        return f"{local[:1] if len(local) > 1 else ''}***@{host}"
    has_form = kind is not None and kind.mask != "all" and bool(kind.form or kind.named)
    if kind is None or not has_form:
        return "*" * min(len(value), _MAX_STARS)
    if kind.mask == "parts":
        return _masked_parts(value, kind.keep)
    return _starred(value, kind.keep)


def _masked_parts(value: str, shown: int) -> str:
    """Star an IP address but for the first parts: 203.***.***.***."""
    mark = ":" if value.count(":") > 1 else "."
    parts = value.split(mark)
    return mark.join([*parts[:shown], *("***" for _ in parts[shown:])])


def _starred(value: str, shown: int) -> str:
    """Star letters and digits after the first `shown`; what separates them stays."""
    parts: list[str] = []
    seen = 0
    for character in value:
        if character.isalnum():
            seen += 1
            parts.append(character if seen <= shown else "*")
        else:
            parts.append(character if character.isascii() else "*")
    return "".join(parts)


def mask_text(text: str) -> str:
    """Return `text` with every piece of personal data in it masked, and nothing hidden in it.

    Line breaks stay; other characters that do not show are written out.
    """
    text = visible(text, keeps="\n")
    matches = find(text)
    if not matches:
        return text
    text = normalised(text)
    shown = current_context().owners
    parts: list[str] = []
    position = 0
    for match in matches:
        value = text[match.start : match.end]
        masked = value if value in shown else mask(match.entity, value)
        parts += [text[position : match.start], masked]
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
