"""A turn of a thread as it is kept."""

from pydantic import Field

from minerva_platform.contract.attachment import Attachment
from minerva_platform.contract.handoff import Handoffs
from minerva_platform.contract.run_object import RunStatus
from minerva_platform.contract.task import Turn


class KeptTurn(Turn):
    """A turn with what the next one may need."""

    topic: str
    """The latest words that stood alone: what a follow-up is about."""
    run_id: str
    status: RunStatus
    members: tuple[str, ...] = ()
    """Who worked for it, directly below the root."""
    root: str = ""
    """The platform, or the team that was asked alone."""
    answer_sha256: str = ""
    """Digest of what members answered last, here or in an earlier turn; empty if nobody did."""
    attachments: tuple[Attachment, ...] = ()
    handoffs: Handoffs = Field(default_factory=dict)
