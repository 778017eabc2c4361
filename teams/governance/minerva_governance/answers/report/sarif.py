"""The document as SARIF 2.1.0, which code hosts show beside the lines.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

import json
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, Final
from urllib.parse import quote

from minerva_governance.answers.report.document import Document, ReportFinding

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_SOURCES: Final = frozenset(
    {".py", ".sql", ".md", ".csv", ".yaml", ".yml", ".html", ".txt", ".json"}
)
"""Endings of targets that are files themselves."""
_LEVELS: Final = {"critical": "error", "high": "error", "medium": "warning", "low": "note"}
_KINDS: Final = {"fail": "fail", "waived": "fail", "not_evaluated": "review", "pass": "pass"}


def to_sarif(document: Document, version: str) -> str:
    """Return the SARIF log; `version` is the program's."""
    rules = [
        {
            "id": rule.id,
            "shortDescription": {"text": rule.title or rule.id},
            "defaultConfiguration": {"level": _LEVELS[rule.severity]},
            "properties": {"severity": rule.severity, "authority": list(rule.authority)},
        }
        for rule in document.rules
    ]
    index = {rule.id: at for at, rule in enumerate(document.rules)}
    run: dict[str, Any] = {
        "tool": {"driver": {"name": "minerva", "version": version, "rules": rules}},
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {"INPUT": {"description": {"text": "What was reviewed."}}},
        "results": [
            _result(each, index, is_compared=document.since is not None)
            for each in document.findings
        ],
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def _result(finding: ReportFinding, index: dict[str, int], *, is_compared: bool) -> dict[str, Any]:
    said = finding.evidence or finding.reason or finding.title or finding.rule_id
    kind = _KINDS[finding.status]
    result: dict[str, Any] = {
        "ruleId": finding.rule_id,
        "kind": kind,
        "level": _LEVELS[finding.severity] if kind == "fail" else "none",
        "message": {"text": f"{finding.place or finding.target}: {said}"},
        "locations": list(_locations(finding)),
        "partialFingerprints": {"minerva/v1": finding.fingerprint},
    }
    if finding.rule_id in index:
        result["ruleIndex"] = index[finding.rule_id]
    if finding.status == "waived":
        result["suppressions"] = [{"kind": "external", "justification": finding.reason}]
    if is_compared:
        result["baselineState"] = "unchanged" if finding.state == "remaining" else "new"
    return result


def _locations(finding: ReportFinding) -> Iterator[dict[str, Any]]:
    for place in finding.citations:
        physical: dict[str, Any] = {
            "artifactLocation": {"uri": quote(place.source), "uriBaseId": "INPUT"}
        }
        if place.line:
            physical["region"] = {"startLine": place.line}
        location: dict[str, Any] = {"physicalLocation": physical}
        if place.row is not None:
            location["message"] = {"text": f"row {place.row}"}
        yield location
    if not finding.citations and PurePosixPath(finding.target).suffix in _SOURCES:
        yield {
            "physicalLocation": {
                "artifactLocation": {"uri": quote(finding.target), "uriBaseId": "INPUT"}
            }
        }
    elif not finding.citations:
        yield {"logicalLocations": [{"fullyQualifiedName": finding.place or finding.target}]}
