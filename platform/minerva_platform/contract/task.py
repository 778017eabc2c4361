"""The task of a member, and the conversation before it."""

from collections.abc import Mapping
from typing import Any, Literal, cast

from pydantic import Field, model_validator

from minerva_platform.contract.attachment import Attachment
from minerva_platform.contract.handoff import Handoffs
from minerva_platform.contract.values import Frozen, Shown
from minerva_platform.text.language import Language
from minerva_platform.text.language_detection import language_of

Approvals = Literal["last", "later", "only", "never"]
"""When a visit asks a person about what its members gave: as its last stage; not at all, because a
supervisor above asks later; as all that the visit does; never, because nobody wants to be asked."""


class Turn(Frozen):
    """One turn of a thread: the person's request, and the answer as it was shown."""

    request: str
    answer: str


class Task(Frozen):
    """The task of one member.

    `request` is the member's own part of the words; if it is empty, only `wanted_kinds` count.
    `context` holds the person's original words. `wanted_kinds` are the kinds that later members
    need or want. `members` names the members that do the task; if it is empty, the router chooses.
    Within a team that is named, `team/worker` names the worker. `meant` holds names that earlier
    answers showed and that the words refer to; `refers` says that the words only refer back or ask
    about what was said, so no part of them is unserved. `lost` maps each kind that a member failed
    to give to the path where that failure began. `approvals` says when the members of
    `Team.approvals` are called. `fields` are values for fields of the member's Input, which another
    member passed on with control.
    """

    request: str = ""
    context: str = ""
    language: Language = "en"
    attachments: tuple[Attachment, ...] = ()
    handoffs: Handoffs = Field(default_factory=dict)
    wanted_kinds: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    meant: tuple[Shown, ...] = ()
    refers: bool = False
    lost: dict[str, str] = Field(default_factory=dict[str, str])
    approvals: Approvals = "last"
    fields: dict[str, Any] = Field(default_factory=dict[str, Any])

    @model_validator(mode="before")
    @classmethod
    def _fill(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        given = cast("Mapping[str, Any]", value)
        words = str(given.get("context") or given.get("request") or "")
        return {"context": words, "language": language_of(words), **given}
