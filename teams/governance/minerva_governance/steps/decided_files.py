"""The report told anew at a run's end: who decided what about the migration, and when."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from minerva_governance.answers.report.build import TEXTS
from minerva_governance.answers.report.document import Document, MigrationQuestion, to_json
from minerva_governance.answers.report.markdown import to_markdown
from minerva_governance.answers.report.page import to_page
from minerva_governance.core.detection.mask import mask_text
from minerva_platform import Artifact, Run

FINDINGS: Final = "findings.json"
_TOOL: Final = "write_migration"
"""What a person decides about, as the question names it."""
_SCRIPT: Final = "migration.sql"
_STATES: Final = {"approve": "approved", "edit": "edited", "reject": "rejected"}


def decided_files(
    run: Run, decisions: Sequence[Mapping[str, Any]], files: Mapping[str, str]
) -> tuple[Artifact, ...]:
    """Return the report and the findings with what became of the migration; nothing without one."""
    if FINDINGS not in files:
        return ()
    document = Document.model_validate_json(files[FINDINGS])
    if document.migration is None:
        return ()
    about = [each for each in decisions if each["tool"] == _TOOL]
    script = files.get(_SCRIPT, "").splitlines()
    question = _question_of(document, about[-1] if about else None, script)
    hows = {
        each.how: TEXTS(
            f"how.standard_name.{question.state}", document.language, target=each.target
        )
        for each in document.findings
        if each.predicate == "standard_name" and each.status == "fail"
    }
    update = {
        "migration": question,
        "run_id": run.run_id if about else "",
        "findings": tuple(
            each.model_copy(update={"how": hows.get(each.how, each.how)})
            for each in document.findings
        ),
        "opening": tuple(_told_anew(text, hows) for text in document.opening),
    }
    final = document.model_copy(update=update)
    contents = {
        "report.md": to_markdown(final),
        "report.html": to_page(final),
        FINDINGS: to_json(final),
    }
    kinds = {".md": "text/markdown", ".html": "text/html", ".json": "application/json"}
    return tuple(
        Artifact(name=name, media_type=kinds[name[name.rindex(".") :]], content=content)
        for name, content in contents.items()
    )


def _told_anew(text: str, hows: Mapping[str, str]) -> str:
    return next((text.replace(old, new) for old, new in hows.items() if old in text), text)


def _question_of(
    document: Document, decision: Mapping[str, Any] | None, script: list[str]
) -> MigrationQuestion:
    """Return the question with its answer; without one nobody was asked."""
    assert document.migration is not None  # noqa: S101  # who calls has looked
    if decision is None:
        return document.migration.model_copy(update={"state": "not_asked"})
    names: dict[str, str] = decision.get("edited_action", {}).get("args", {})
    items = document.columns.items if document.columns else ()
    standard = {f"{each.table}.{each.column}": each.physical_name for each in items}
    return document.migration.model_copy(
        update={
            "state": _STATES[decision["type"]],
            "by": decision["by"],
            "at": decision["at"].isoformat(timespec="seconds"),
            "message": mask_text(decision.get("message") or ""),
            "changes": tuple(
                mask_text(f"{column}: {standard.get(column)} → {name}")
                for column, name in names.items()
                if name != standard.get(column)
            ),
            "sql": tuple(map(mask_text, script)) or document.migration.sql,
        }
    )
