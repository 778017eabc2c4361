"""The uses that leave the team: what flows into a sink, then what only has to be looked at."""

from collections.abc import Sequence
from dataclasses import asdict

from minerva_insilico.contracts import CodeUse
from minerva_insilico.core.fields.usage import FieldUse
from minerva_insilico.core.flows.flow_reach import Flow
from minerva_insilico.core.index.index import Page

_KINDS = {"object": "attribute"}
"""A whole object becomes its fields, each of which is an attribute of it."""


def handed_on(flows: Sequence[Flow], uses: Sequence[FieldUse], *, limit: int) -> Page[CodeUse]:
    """Return flows and uses as the hand-off has them, each place and name once."""
    found = [_of_flow(flow) for flow in flows]
    known = {(one.path, one.line, one.name.casefold()) for one in found}
    found += [
        CodeUse.model_validate(asdict(use))
        for use in uses
        if (use.path, use.line, use.name.casefold()) not in known
    ]
    return Page(tuple(found[:limit]), len(found))


def _of_flow(flow: Flow) -> CodeUse:
    kind = _KINDS.get(flow.kind, flow.kind)
    return CodeUse.model_validate({**asdict(flow), "kind": kind, "suspected": flow.suspect})
