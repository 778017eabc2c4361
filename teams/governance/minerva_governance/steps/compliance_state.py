"""What a review hands on from node to node, and what it goes by."""

from dataclasses import replace
from datetime import date
from typing import TypedDict

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
from minerva_governance.core.detection.inventory import PiiColumn
from minerva_governance.core.detection.literal_scan import LiteralHit
from minerva_governance.core.detection.mask import with_masks
from minerva_governance.core.detection.table_scan import DataScan
from minerva_governance.core.kinds.review_context import ReviewContext, current_context
from minerva_governance.core.reading.declaration import Schema
from minerva_governance.core.review.finding import Finding
from minerva_governance.core.review.unreviewed import Unreviewed
from minerva_platform import Artifact, Attachment, AttachmentUse, Citation, Shown
from minerva_platform.text import Language


class ComplianceState(TypedDict):
    """What the nodes hand on; every value of the data is masked, as a checkpoint may hold it."""

    request: str
    language: Language
    meant: tuple[Shown, ...]
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
    notes: tuple[str, ...]
    columns: tuple[PiiColumn, ...]
    judged: tuple[Finding, ...]
    findings: Findings
    summary: str
    citations: tuple[Citation, ...]
    shown: tuple[Shown, ...]
    artifacts: tuple[Artifact, ...]
    files: tuple[AttachmentUse, ...]
    inputs: tuple[Input, ...]
    unused: tuple[str, ...]


def context_of(policy: PolicySet, today: date) -> ReviewContext:
    """Return what a review on a day goes by: the policies' kinds and masks."""
    kinds = (kind for one in policy.policies for kind in one.kinds)
    owners = [contact for one in policy.policies for contact in one.contacts]
    context = replace(current_context(), today=today).with_kinds(kinds)
    return with_masks(context, strict=policy.has_strict_masks, owners=owners)
