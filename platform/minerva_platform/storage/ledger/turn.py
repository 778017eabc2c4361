"""A turn of a thread as it is kept."""

from pydantic import Field

from minerva_platform.contract.attachment import Attachment
from minerva_platform.contract.handoff import Handoffs
from minerva_platform.contract.run_object import RunStatus
from minerva_platform.contract.task import Turn
from minerva_platform.contract.values import Shown


class KeptTurn(Turn):
    """A turn with the values that the next one may need."""

    topic: str
    """The latest words that stood alone. A follow-up is about these."""
    run_id: str
    status: RunStatus
    members: tuple[str, ...] = ()
    """The workers whose parts the answer holds, by their paths below the root: `data/auditor`.
    Earlier versions kept the members directly below the root that worked."""
    shown: tuple[Shown, ...] = ()
    """What this answer names, after what earlier ones of the subject named."""
    root: str = ""
    """The platform, or the team that was asked alone."""
    answer_sha256: str = ""
    """Digest of the members' last answers, of this or an earlier turn. Empty without answers."""
    attachments: tuple[Attachment, ...] = ()
    handoffs: Handoffs = Field(default_factory=dict)
