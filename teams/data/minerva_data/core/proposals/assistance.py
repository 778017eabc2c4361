"""What a model added to an answer, in numbers that add up, and what it proposes."""

from minerva_data.core.proposals.check import Fault
from minerva_data.core.proposals.proposal import Proposal
from minerva_data.core.schema.record import Value


class Assistance(Value):
    """Travels beside the names, never among them.

    `asked` of `total` unresolved names were asked about; `truncated`: some were left out.
    """

    is_reworded: bool = False
    """The request was read as the terms that a model said."""
    total: int = 0
    asked: int = 0
    truncated: bool = False
    offered: int = 0
    """Terms of the model that the glossary has: found, or among the alternatives."""
    dropped: int = 0
    """Terms of the model that the glossary cannot name."""
    proposals: tuple[Proposal, ...] = ()
    """New words that wait for a person, those of earlier requests included."""
    refused: dict[Fault, int] = {}
    """New words that broke a rule, counted; they are nowhere else."""
    rejected: int = 0
    not_kept: str = ""
    """Why the proposals could not be put into the file of proposals."""
    explanation: str = ""
