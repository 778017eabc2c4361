"""What speaks for a member beside the sense of a request's words: names that it knows, files."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from minerva_platform.contract.agent import BaseAgent
    from minerva_platform.contract.attachment import Attachment

_MAX_WHY: Final = 200
"""Characters of a reason."""


class Evidence(BaseModel):
    """What speaks for a member beside the sense of a request: names it knows, what is attached."""

    model_config = ConfigDict(frozen=True)

    score: float = Field(
        default=0.0, ge=0.0, le=1.0, description="0: nothing. 1: as much as can be."
    )
    why: str = Field(default="", max_length=_MAX_WHY, description="Shown by `minerva explain`.")
    words: tuple[str, ...] = Field(
        default=(),
        description="Of the request: it speaks for the parts that hold one. None: for all.",
    )

    def speaks_of(self, text: str) -> bool:
        """True if it is about `text`, a part of the request. Upper and lower case are alike."""
        folded = text.casefold()
        return not self.words or any(word.casefold() in folded for word in self.words)


def evidence_by_member(
    members: "Iterable[BaseAgent[Any, Any]]", request: str, attachments: "Sequence[Attachment]"
) -> dict[str, Evidence]:
    """Return what speaks for each member, without those that have nothing to say.

    An exception of a member's code counts as nothing, and the router's decision says so.
    """
    found: dict[str, Evidence] = {}
    for agent in members:
        try:
            one = Evidence.model_validate(agent.evidence(request, attachments))
        except Exception as error:  # noqa: BLE001  # an author's code may raise anything
            one = Evidence(why=f"its evidence failed: {type(error).__name__}"[:_MAX_WHY])
        if one.score or one.why:
            found[agent.name] = one
    return found


def strongest(found: Iterable[Evidence]) -> Evidence:
    """Return the evidence with the highest score; that of a team is its members' strongest."""
    return max(found, key=lambda one: one.score, default=Evidence())
