"""What other teams handed on to a review, with files called as its findings call them."""

from collections.abc import Sequence

from minerva_governance.contracts import CodeUses, DocstringCoverage, RenamePlan
from minerva_governance.core.kinds.review_context import ReviewContext
from minerva_governance.core.reading.code_schema import code_schemas
from minerva_governance.core.reading.declaration import Schema
from minerva_governance.core.reading.source import placed
from minerva_governance.core.review.material import unread_models
from minerva_governance.core.review.review import CodeSearch, CodeUse, NamedColumn, Review
from minerva_governance.core.review.unreviewed import Unreviewed
from minerva_governance.steps.compliance_state import ComplianceState


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
        unreviewed=state["unreviewed"],
    )


def _naming(plan: RenamePlan | None) -> tuple[NamedColumn, ...] | None:
    if plan is None:
        return None
    return tuple(
        NamedColumn(
            table=column.table,
            column=column.column,
            standard=column.physical_name,
            resolved=column.status != "unresolved",
        )
        for column in plan.columns
    )


def declared_schemas(state: ComplianceState, schemas: Sequence[Schema]) -> list[Schema]:
    """Return the models of the code as schemas, with their files called as findings call them."""
    found = state.get("declared_fields")
    if found is None:
        return []
    given = [file.path for file in state["attachments"]]
    fields = [one.model_copy(update={"path": placed(one.path, given)}) for one in found.fields]
    known = {column.name.casefold() for schema in schemas for column in schema.columns}
    return code_schemas(fields, known=known)


def unread_code_models(state: ComplianceState) -> list[Unreviewed]:
    """Return what of the code may declare more columns."""
    found = state.get("declared_fields")
    if found is None:
        return []
    given = [file.path for file in state["attachments"]]
    paths = [placed(path, given) for path in found.unparsed]
    return unread_models(paths, state["language"], shown=len(found.fields), total=found.total)


def placed_uses(state: ComplianceState) -> CodeUses | None:
    """Return the uses with their files called as findings call them."""
    found, given = state["code_uses"], [file.path for file in state["attachments"]]
    if found is None:
        return None
    uses = (use.model_copy(update={"path": placed(use.path, given)}) for use in found.uses)
    unparsed = tuple(placed(path, given) for path in found.unparsed)
    return found.model_copy(update={"uses": tuple(uses), "unparsed": unparsed})


def placed_docstrings(state: ComplianceState) -> DocstringCoverage | None:
    """Return what is not described with its files called as findings call them."""
    found, given = state["docstrings"], [file.path for file in state["attachments"]]
    if found is None:
        return None
    missing = (one.model_copy(update={"path": placed(one.path, given)}) for one in found.missing)
    return found.model_copy(update={"missing": tuple(missing)})


def code_of(state: ComplianceState) -> CodeSearch | None:
    """Return the uses with their files called as findings call them."""
    found = state["code_uses"]
    if found is None:
        return None
    given = [file.path for file in state["attachments"]]
    return CodeSearch(
        uses=tuple(
            CodeUse.model_validate({**use.model_dump(), "path": placed(use.path, given)})
            for use in found.uses
        ),
        literals=state.get("literals", ()),
        truncated=found.truncated,
        unparsed=tuple(placed(path, given) for path in found.unparsed),
    )
