"""Take the code that came with a request: one directory, or single files put together as a tree."""

from collections.abc import Sequence
from pathlib import Path

from minerva_insilico.core.facts.errors import UnwritableIndexError
from minerva_insilico.core.index.single_files import gather_files, places_of
from minerva_platform import Attachment, AttachmentUse, BindingError
from minerva_platform.config import home_directory
from minerva_platform.text import Language, masked_name, read_texts

TEXTS = read_texts("minerva_insilico.answers", "attached")


def root_of(source: Attachment | None, modules: Sequence[Attachment]) -> Path:
    """Return the tree to index: the directory, else one of copies of the single files.

    Raises:
        BindingError: neither came.
        UnwritableIndexError: there is no place for the copies.
    """
    if source is not None:
        return source.path
    if not modules:
        reason, korean = (TEXTS("nothing", language) for language in ("en", "ko"))
        raise BindingError(agent="ast_parser_agent", field="source", reason=reason, korean=korean)
    home = home_directory()
    try:
        return gather_files([item.path for item in modules], home=home)
    except OSError as error:
        raise UnwritableIndexError(home, error.strerror or type(error).__name__) from error


def attached_uses(
    source: Attachment | None,
    modules: Sequence[Attachment],
    inside: Sequence[AttachmentUse],
    language: Language,
) -> tuple[AttachmentUse, ...]:
    """Return the use of each attachment, and of each file `inside` a directory."""
    if source is not None:
        beside = [item for item in modules if not item.path.is_relative_to(source.path)]
        told = (_use(item.name, "not_understood", TEXTS("beside", language)) for item in beside)
        return (AttachmentUse(name=source.name, status="used"), *inside, *told)
    by_place = {use.name: use for use in inside}
    places = places_of([item.path for item in modules])
    lost = _use("", "unreadable", TEXTS("unreadable", language))
    return tuple(
        by_place.get(place, lost).model_copy(update={"name": masked_name(item.name)})
        for item, place in zip(modules, places, strict=True)
    )


def _use(name: str, status: str, reason: str) -> AttachmentUse:
    return AttachmentUse.model_validate({"name": name, "status": status, "reason": reason})
