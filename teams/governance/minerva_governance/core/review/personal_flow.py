"""Where personal data goes, as far as the code shows it: which field reaches whose sink."""

from collections.abc import Iterator

from pydantic import BaseModel

from minerva_governance.core.detection.entity import Entity, category
from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.review.finding import Promise
from minerva_governance.core.review.notice_claims import broken_by_flow, promises_in
from minerva_governance.core.review.review import CodeUse, Review


class PersonalFlow(BaseModel, frozen=True):
    """A personal value that reaches a sink. `host` names the third party of a request."""

    name: str
    entity: Entity
    sink: str
    path: str
    line: int
    destination: str = ""
    host: str = ""
    via: str = ""
    suspected: bool = False
    breaks: tuple[Promise, ...] = ()
    """What the privacy notice promises and this line does not keep."""


def personal_flows(review: Review) -> tuple[PersonalFlow, ...]:
    """Return what is certain, then what is suspected; each by path and line."""
    found = sorted(
        dict.fromkeys(_flows(review)),
        key=lambda flow: (flow.suspected, flow.path, flow.line, flow.name),
    )
    return tuple(found)


def entities_of(review: Review, use: CodeUse) -> list[Entity]:
    """Return the kinds of personal data that a use concerns."""
    if use.is_literal:
        return review.code.kinds_of_literal(use) if review.code else []
    entity = review.entity_of_name(use.name)
    return [entity] if entity is not None else []


def broken_by(promises: tuple[Promise, ...], use: CodeUse, entity: Entity) -> tuple[Promise, ...]:
    """Return the promises of the notice that a use breaks for certain."""
    if use.sink is None or use.suspected:
        return ()
    return broken_by_flow(promises, use.sink, entity, use.destination)


def _flows(review: Review) -> Iterator[PersonalFlow]:
    promises = promises_in(review.clauses)
    for use in review.code.uses if review.code else ():
        if use.sink is None:
            continue
        for entity in entities_of(review, use):
            if category(entity) == "internal_id":
                continue  # a key names nobody outside the database
            yield PersonalFlow(
                name=mask_text(use.name),
                entity=entity,
                sink=use.sink,
                path=mask_text(use.path),
                line=use.line,
                destination=mask_text(use.destination),
                host=mask_text(use.destination) if use.sink == "http" else "",
                via=mask_text(use.via),
                suspected=use.suspected,
                breaks=broken_by(promises, use, entity),
            )
