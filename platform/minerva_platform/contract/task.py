"""What a member is asked to do, and the conversation before it."""

from collections.abc import Mapping
from typing import Any, cast

from pydantic import Field, model_validator

from minerva_platform.contract.attachment import Attachment
from minerva_platform.contract.handoff import Handoffs
from minerva_platform.contract.values import Frozen
from minerva_platform.text.language import Language
from minerva_platform.text.language_detection import language_of


class Turn(Frozen):
    """One exchange of a conversation: what the person asked, and the answer as it was shown."""

    request: str
    answer: str


class Task(Frozen):
    """What a member is asked to do.

    `request` is the member's own part of the words (empty: only `wanted_kinds` count),
    `context` the person's original words, `wanted_kinds` what members after it need or want,
    `members` the members that do it (empty: the router chooses), `lost` the hand-offs that a
    member failed to give: kind to the path at which that began.
    """

    request: str = ""
    context: str = ""
    language: Language = "en"
    attachments: tuple[Attachment, ...] = ()
    handoffs: Handoffs = Field(default_factory=dict)
    wanted_kinds: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    lost: dict[str, str] = Field(default_factory=dict[str, str])

    @model_validator(mode="before")
    @classmethod
    def _fill(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        given = cast("Mapping[str, Any]", value)
        words = str(given.get("context") or given.get("request") or "")
        return {"context": words, "language": language_of(words), **given}
