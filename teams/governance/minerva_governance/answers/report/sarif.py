"""What fails of the document as SARIF 2.1.0, which code hosts show beside the lines.

A host shows every result as an alert: what passes or is open is none, and what is waived is
suppressed. A result has a physical place, because hosts refuse one without.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

import json
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, Final
from urllib.parse import quote

from minerva_governance.answers.report.document import Document, ReportFinding
from minerva_governance.core.review.finding import Reference

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final = {"critical": "error", "high": "error", "medium": "warning", "low": "note"}
_STATUSES: Final = frozenset({"fail", "waived"})


def to_sarif(document: Document) -> str:
    """Return the SARIF log."""
    rules = [
        {
            "id": rule.id,
            "shortDescription": {"text": rule.title or rule.id},
            "defaultConfiguration": {"level": _LEVELS[rule.severity]},
            "properties": {"severity": rule.severity, "authority": list(rule.authority)},
        }
        for rule in document.rules
    ]
    index = {(rule.policy, rule.id): at for at, rule in enumerate(document.rules)}
    program = {"name": "minerva", "version": version("minerva-team-governance")}
    run: dict[str, Any] = {
        "tool": {"driver": {**program, "rules": rules}},
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {"INPUT": {"description": {"text": "What was reviewed."}}},
        "results": [
            _result(document, each, index) for each in document.findings if each.status in _STATUSES
        ],
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def _result(
    document: Document, finding: ReportFinding, index: dict[tuple[str, str], int]
) -> dict[str, Any]:
    said = finding.evidence or finding.reason or finding.title or finding.rule_id
    rule = (finding.policy, finding.rule_id)
    result: dict[str, Any] = {
        "ruleId": finding.rule_id,
        "kind": "fail",
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.place or finding.target}: {said}"},
        "locations": list(map(_location, _places(document, finding))),
        "partialFingerprints": {"minerva/v1": finding.fingerprint},
    }
    if rule in index:
        result["ruleIndex"] = index[rule]
    if finding.status == "waived":
        result["suppressions"] = [{"kind": "external", "justification": finding.reason}]
    if document.since is not None:
        result["baselineState"] = "unchanged" if finding.state == "remaining" else "new"
    return result


def _places(document: Document, finding: ReportFinding) -> Sequence[Reference]:
    """Return where it is: as cited, else the file of its column or target, else its policy."""
    if finding.citations:
        return finding.citations
    target = finding.target
    columns = (one for one in document.inventory if target in {one.target, one.table})
    for one in columns:
        return (Reference(source=one.source, line=one.line),)
    files = [
        one.name
        for one in document.inputs
        if f"{target}:".startswith((one.name + ":", one.name + "."))
    ]
    policies = [one.source for one in document.policies if one.id == finding.policy and one.source]
    others = [one.name for one in document.inputs] or list(document.attached)
    return tuple(Reference(source=name) for name in (files or policies or others)[:1])


def _location(place: Reference) -> dict[str, Any]:
    physical: dict[str, Any] = {
        "artifactLocation": {"uri": quote(place.source), "uriBaseId": "INPUT"}
    }
    if place.line:
        physical["region"] = {"startLine": place.line}
    location: dict[str, Any] = {"physicalLocation": physical}
    if place.row is not None:
        location["message"] = {"text": f"row {place.row}"}
    return location
