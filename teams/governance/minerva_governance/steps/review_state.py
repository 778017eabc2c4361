"""What a review hands on from node to node, what it goes by, and what other teams handed on.

Files are called as its findings call them.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from minerva_governance.answers.report.document import Input
from minerva_governance.answers.report.since import Earlier
from minerva_governance.contracts import (
    CodeUses,
    DeclaredFields,
    DocstringCoverage,
    Findings,
    Migration,
    PolicySet,
    RenamePlan,
)
from minerva_governance.core.dependencies.dependency import Dependencies
from minerva_governance.core.detection.column_name import promised_entity
from minerva_governance.core.detection.entity import category
from minerva_governance.core.detection.inventory import PiiColumn, schema_promises
from minerva_governance.core.detection.literal_scan import LiteralHit
from minerva_governance.core.detection.mask import with_masks
from minerva_governance.core.detection.table_scan import DataScan
from minerva_governance.core.detection.unread_call import UnreadCall, folded, unread_calls
from minerva_governance.core.kinds.review_context import ReviewContext, current_context
from minerva_governance.core.reading.code_schema import code_schemas
from minerva_governance.core.reading.declaration import Schema
from minerva_governance.core.reading.source_files import Source, placed
from minerva_governance.core.review.finding import Finding
from minerva_governance.core.review.review import CodeSearch, CodeUse, NamedColumn, Review, is_test
from minerva_governance.core.review.review_material import unread_models
from minerva_governance.core.review.unreviewed import Unreviewed
from minerva_platform import Attachment, WorkerState


class ComplianceState(WorkerState):
    """What the nodes hand on; every value of the data is masked, as a checkpoint may hold it."""

    policy: PolicySet
    code_uses: CodeUses | None
    declared_fields: DeclaredFields | None
    rename_plan: RenamePlan | None
    docstrings: DocstringCoverage | None
    migration: Migration | None
    givers: dict[str, str]
    lost: dict[str, str]
    earlier: Earlier | None
    attachments: tuple[Attachment, ...]
    schemas: tuple[Schema, ...]
    scans: tuple[DataScan, ...]
    dependencies: Dependencies
    unreviewed: tuple[Unreviewed, ...]
    literals: tuple[LiteralHit, ...]
    unread_calls: tuple[UnreadCall, ...] | None
    notes: tuple[str, ...]
    columns: tuple[PiiColumn, ...]
    judged: tuple[Finding, ...]
    findings: Findings
    inputs: tuple[Input, ...]


def context_of(policy: PolicySet, today: date) -> ReviewContext:
    """Return what a review on a day goes by: the policies' kinds and masks."""
    kinds = (kind for one in policy.policies for kind in one.kinds)
    owners = [contact for one in policy.policies for contact in one.contacts]
    context = replace(current_context(), today=today).with_kinds(kinds)
    return with_masks(context, strict=policy.has_strict_masks, owners=owners)


def review_of(state: ComplianceState, context: ReviewContext) -> Review:
    """Return the material of the review."""
    return Review(
        today=context.today,
        language=state["language"],
        scans=state["scans"],
        schemas=state["schemas"],
        columns=state["columns"],
        clauses=state["policy"].clauses,
        naming=_naming(state["rename_plan"]),
        dependencies=state["dependencies"],
        code=code_of(state),
        unreviewed_parts=state["unreviewed"],
        has_jurisdiction=any(policy.jurisdictions for policy in state["policy"].policies),
    )


def _naming(plan: RenamePlan | None) -> tuple[NamedColumn, ...] | None:
    if plan is None:
        return None
    return tuple(
        NamedColumn(
            table=column.table,
            column=column.column,
            standard=column.physical_name,
            is_resolved=column.status != "unresolved",
        )
        for column in plan.columns
    )


def declared_schemas(state: ComplianceState, schemas: Sequence[Schema]) -> list[Schema]:
    """Return the models of the code as schemas, with their files called as findings call them."""
    found, given = state.get("declared_fields"), [file.path for file in state["attachments"]]
    if found is None:
        return []
    fields = [one.model_copy(update={"path": placed(one.path, given)}) for one in found.fields]
    column_names = {column.name.casefold() for schema in schemas for column in schema.columns}
    return code_schemas(fields, column_names=column_names)


def unread_code_models(state: ComplianceState) -> list[Unreviewed]:
    """Return what of the code may declare more columns."""
    found, given = state.get("declared_fields"), [file.path for file in state["attachments"]]
    if found is None:
        return []
    paths = [placed(path, given) for path in found.unparsed]
    return unread_models(paths, state["language"], shown=len(found.fields), total=found.total)


def unread_calls_of(
    state: ComplianceState, sources: Sequence[Source], schemas: Sequence[Schema]
) -> tuple[UnreadCall, ...] | None:
    """Return the personal values that the code gives to what nobody read; None without code."""
    if not any(source.kind == "code" for source in sources):
        return None
    promises = schema_promises(schemas)

    def is_personal(name: str) -> bool:
        entity = promises.get(name.casefold()) or promised_entity(name)
        return entity is not None and category(entity) != "internal_id"

    declared = state.get("declared_fields")
    fields = [(one.model, one.field) for one in declared.fields] if declared else []
    fields += [(one.table, one.name) for schema in schemas for one in schema.columns]
    models: dict[str, str] = {}
    for model, name in fields:
        if is_personal(name):
            models.setdefault(folded(model), name)
    for one in (
        (*declared.fields, *declared.fields) if declared else ()
    ):  # what holds such an object, twice
        for word in re.findall(r"\w+", one.type):
            if folded(word) in models:
                models.setdefault(folded(one.model), models[folded(word)])
    return unread_calls(sources, is_personal, models)


def placed_uses(state: ComplianceState) -> CodeUses | None:
    """Return the uses with their files called as findings call them."""
    found, given = state["code_uses"], [file.path for file in state["attachments"]]
    if found is None:
        return None
    uses = (_of_program(use.model_copy(update={"path": placed(use.path, given)}))
            for use in found.uses)  # fmt: skip
    unparsed = tuple(placed(path, given) for path in found.unparsed)
    return found.model_copy(update={"uses": tuple(uses), "unparsed": unparsed})


def _of_program(use: CodeUse) -> CodeUse:
    """Return a use; a test's client calls the program itself, and no external service."""
    is_client = use.sink == "http" and "." not in use.destination and is_test(use.path)
    return use.model_copy(update={"sink": None}) if is_client else use


def placed_docstrings(state: ComplianceState) -> DocstringCoverage | None:
    """Return what is not described with its files called as findings call them."""
    found, given = state["docstrings"], [file.path for file in state["attachments"]]
    if found is None:
        return None
    missing = (one.model_copy(update={"path": placed(one.path, given)}) for one in found.missing)
    return found.model_copy(update={"missing": tuple(missing)})


def code_of(state: ComplianceState) -> CodeSearch | None:
    """Return the uses with their files called as findings call them."""
    found = placed_uses(state)
    if found is None:
        return None
    return CodeSearch(
        uses=found.uses,
        literals=state.get("literals", ()),
        unread_calls=state.get("unread_calls"),
        truncated=found.truncated,
        unparsed_paths=found.unparsed,
    )
