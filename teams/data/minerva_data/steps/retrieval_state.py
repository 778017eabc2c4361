"""What the steps of the first worker hand on, those that a model adds included."""

from typing import NotRequired

from minerva_data.contracts import Recommendation
from minerva_data.core.lookup.query import Composition, Query
from minerva_data.core.proposals.assistance import Assistance
from minerva_data.core.proposals.model_question import ModelQuestion
from minerva_data.core.proposals.proposal import Proposal
from minerva_data.core.schema.record import Candidate, Item, ReadAs, Unparsed
from minerva_platform import Attachment, WorkerState


class RetrievalState(WorkerState):
    """What the nodes hand on; private to this worker."""

    schemas: tuple[Attachment, ...]
    items: tuple[Item, ...]
    total: int
    truncated: bool
    from_schema: bool
    is_foreign: bool
    """The bundled glossary alone answers, and knows little of the schema."""
    is_sentence: bool
    is_named: bool
    unparsed: tuple[Unparsed, ...]
    read_as: tuple[ReadAs, ...]
    queries: tuple[Query, ...]
    terms: tuple[Candidate | None, ...]
    compositions: tuple[Composition, ...]
    recommendation: Recommendation
    said: NotRequired[tuple[Candidate, ...]]
    """The glossary's names of the terms in which a model said the request."""
    has_failed: NotRequired[bool]
    """A model's first failure: it is not asked again."""
    question: ModelQuestion
    known: tuple[Proposal, ...]
    """The proposals of earlier requests."""
    assistance: NotRequired[Assistance]
