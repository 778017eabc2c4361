"""Take the code that came with a request: one directory, or single files put together as a tree."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from minerva_insilico.core.facts.errors import UnwritableIndexError
from minerva_insilico.core.index.single_files import gather_files, places_of
from minerva_platform import Attachment, AttachmentUse, BindingError
from minerva_platform.config import home_directory
from minerva_platform.text import Language

_BESIDE: Final[dict[Language, str]] = {
    "ko": "폴더가 함께 왔습니다. 낱개 파일은 폴더 없이 올 때만 읽습니다",
    "en": "a directory came, too; a single file is read only without one",
}
_NOT_COPIED: Final[dict[Language, str]] = {
    "ko": "파일을 읽을 수 없습니다",
    "en": "it cannot be read",
}


def root_of(source: Attachment | None, modules: Sequence[Attachment]) -> Path:
    """Return the tree to index: the directory, else one of copies of the single files.

    Raises:
        BindingError: neither came.
        UnwritableIndexError: there is no place for the copies.
    """
    if source is not None:
        return source.path
    if not modules:
        reason = "takes a directory or *.py, and nothing of that was attached. Add it with -i PATH."
        korean = "받는 것은 폴더 또는 `*.py` 파일입니다. `-i PATH`로 더해 주세요."
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
    """Return what became of each attachment, and of each file `inside` a directory."""
    if source is not None:
        beside = [item for item in modules if not item.path.is_relative_to(source.path)]
        told = (_use(item.name, "not_understood", _BESIDE[language]) for item in beside)
        return (AttachmentUse(name=source.name, status="used"), *inside, *told)
    by_place = {use.name: use for use in inside}
    places = places_of([item.path for item in modules])
    lost = _use("", "unreadable", _NOT_COPIED[language])
    return tuple(
        by_place.get(place, lost).model_copy(update={"name": item.name})
        for item, place in zip(modules, places, strict=True)
    )


def _use(name: str, status: str, reason: str) -> AttachmentUse:
    return AttachmentUse.model_validate({"name": name, "status": status, "reason": reason})
