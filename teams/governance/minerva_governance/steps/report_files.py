"""The files of a report: those of an earlier review that are read, and those that are written."""

from dataclasses import replace
from typing import Final

from pydantic import TypeAdapter

from minerva_governance.answers.report.build import TEXTS as DOCUMENT_TEXTS, Others, build_document
from minerva_governance.answers.report.document import Input, NoticeRead, to_json
from minerva_governance.answers.report.markdown import to_markdown
from minerva_governance.answers.report.page import to_page
from minerva_governance.answers.report.register import to_register
from minerva_governance.answers.report.sarif import to_sarif
from minerva_governance.answers.report.since import (
    Earlier,
    NoEarlierReviewError,
    is_earlier_review,
    read_earlier,
)
from minerva_governance.answers.report.summary import Report
from minerva_governance.core.dependencies.dependency import TEXTS as LIBRARY_TEXTS, Dependencies
from minerva_governance.core.dependencies.sbom import can_write, to_sbom
from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.kinds.review_context import ReviewContext
from minerva_governance.core.reading.source_files import FileUse, InputFiles
from minerva_governance.core.review.review import Review
from minerva_governance.core.review.review_material import Material
from minerva_governance.steps.review_state import ComplianceState, placed_docstrings, placed_uses
from minerva_platform import Artifact
from minerva_platform.text import Language

SBOM_TYPE: Final = "application/vnd.cyclonedx+json"
_EARLIER: Final = TypeAdapter[Earlier | None](Earlier | None)


def without_earlier(
    files: InputFiles, language: Language
) -> tuple[InputFiles, Earlier | None, list[FileUse]]:
    """Return the files without an earlier review's findings, and what that was."""
    earlier: Earlier | None = None
    uses: list[FileUse] = []
    for source in files.sources:
        if not (source.is_named and is_earlier_review(source.path)):
            continue
        try:
            earlier = read_earlier(source.path)
            uses.append(source.use("used"))
        except NoEarlierReviewError:
            reason = DOCUMENT_TEXTS("since_broken", language, name=source.name)
            uses.append(source.use("unreadable", reason, must_mend=True))
    known = {use.source for use in uses}
    sources = tuple(source for source in files.sources if source.name not in known)
    return replace(files, sources=sources), earlier, uses


def report_files(
    state: ComplianceState, report: Report, review: Review, context: ReviewContext
) -> tuple[Artifact, ...]:
    """Return the document in every form that it is kept in, and the bill of materials.

    A state that names the classes of the earlier review and of the input by other paths holds
    their fields alone.
    """
    earlier = _EARLIER.validate_python(state["earlier"])
    document = build_document(report, _others(state, context), earlier)
    contents = {
        "report.md": ("text/markdown", to_markdown(document)),
        "report.html": ("text/html", to_page(document)),
        "findings.json": ("application/json", to_json(document)),
        "findings.sarif": ("application/sarif+json", to_sarif(document)),
        "register.csv": ("text/csv", to_register(document, review.clauses, review.schemas)),
    }
    forms = (
        Artifact(name=name, media_type=kind, content=content)
        for name, (kind, content) in contents.items()
    )
    return (*forms, *_sbom(state["dependencies"]))


def _sbom(dependencies: Dependencies) -> tuple[Artifact, ...]:
    """Return the bill of materials, where there are libraries and the extra that writes it."""
    if not (dependencies.libraries and can_write()):
        return ()
    content = to_sbom(dependencies)
    return (Artifact(name="sbom.json", media_type=SBOM_TYPE, content=content),)


def sbom_notes(material: Material, language: Language) -> tuple[str, ...]:
    """Return that there is no bill of materials, if libraries are there and the extra is not."""
    is_missing = bool(material.dependencies.libraries) and not can_write()
    return (LIBRARY_TEXTS("no_sbom", language),) if is_missing else ()


def _others(state: ComplianceState, context: ReviewContext) -> Others:
    return Others(
        plan=state["rename_plan"],
        uses=placed_uses(state),
        docstrings=placed_docstrings(state),
        migration=state["migration"],
        notice_read=bool(state["policy"].clauses),
        givers=state.get("givers", {}),
        lost=state.get("lost", {}),
        scans=state["scans"],
        attachment_names=tuple(
            mask_text(f"{each.name}/" if each.is_dir else each.name)
            for each in state["attachments"]
        ),
        notices=tuple(
            NoticeRead(source=each.source, title=each.title)
            for each in state["policy"].documents
            if each.source in {clause.source for clause in state["policy"].clauses}
        ),
        inputs=tuple(map(Input.model_validate, state["inputs"])),
        today=context.today,
    )
