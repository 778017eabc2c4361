"""How many flows of personal data the review names, of those that strangers wrote and labelled.

`flows/dev` was read while the rules were made. `flows/blind`, if it is there, was read by nobody:
only its totals are printed. A flow is named if the findings have its sink on its statement, with
the field (any field for a whole object) and the host where the label tells one. A masked value is
wrong if the field is named there.
"""

import ast
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from minerva_governance import ComplianceAgent, PolicyAgent
from minerva_insilico import AstParserAgent, CodeSearchAgent

HERE = Path(__file__).parent / "flows"
_ANY_FIELD = {"literal", "whole_object"}


def main() -> int:
    """Print a table for each half; return 1 if a masked value is named."""
    wrong = 0
    print(f"  {'half':<8}{'file':<18}{'leaks':>6}{'named':>7}{'masked':>8}{'wrong':>7}")
    for half in ("dev", "blind"):
        folder = HERE / half
        if folder.is_dir():
            wrong += _print(half, folder)
    return 1 if wrong else 0


def _print(half: str, folder: Path) -> int:
    labels = yaml.safe_load((folder / "labels.yaml").read_text(encoding="utf-8"))
    flows = _flows(folder)
    totals = [0, 0, 0, 0]
    for name, labelled in labels.items():
        starts = _statements((folder / name).read_text(encoding="utf-8"))
        mine = [
            {**flow, "start": starts.get(flow["line"], flow["line"])}
            for flow in flows
            if flow["path"].endswith(name)
        ]
        leaks = [label for label in labelled if label["leak"]]
        masked = [label for label in labelled if not label["leak"]]
        missed = [label for label in leaks if not _is_named(label, mine)]
        wrong = [label for label in masked if _is_named(label, mine)]
        row = [len(leaks), len(leaks) - len(missed), len(masked), len(wrong)]
        totals = [before + one for before, one in zip(totals, row, strict=True)]
        if half == "dev":
            _row(half, name, row)
            for label in (*missed, *wrong):
                print(f"    {name}:{label['line']} {label['flow']} -> {label['sink']}")
    _row(half, "all", totals)
    return totals[3]


def _row(half: str, name: str, row: Iterable[int]) -> None:
    leaks, named, masked, wrong = row
    print(f"  {half:<8}{name:<18}{leaks:>6}{named:>7}{masked:>8}{wrong:>7}")


def _is_named(label: dict[str, Any], flows: list[dict[str, Any]]) -> bool:
    return any(
        flow["start"] == label["line"]
        and flow["sink"] == label["sink"]
        and (label["flow"] in _ANY_FIELD or flow["name"] == label["field"])
        and label.get("host", flow["host"]) == flow["host"]
        for flow in flows
    )


def _statements(text: str) -> dict[int, int]:
    """Return the first line of the innermost statement on each line."""
    found: dict[int, int] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            found |= dict.fromkeys(range(node.lineno, (node.end_lineno or 0) + 1), node.lineno)
    return found


def _flows(folder: Path) -> list[dict[str, Any]]:
    """Return the flows that a review of the folder names."""
    indexed = AstParserAgent().invoke({"request": "", "source": folder})
    asked = {"request": "", "index": indexed["index"]}
    policy = PolicyAgent().invoke({"request": "check", "attachments": [folder]})["policy"]
    answer = ComplianceAgent().invoke(
        {
            "request": "check",
            "policy": policy,
            "attachments": [folder],
            "declared_fields": indexed["declared"],
            "code_uses": CodeSearchAgent().invoke(asked)["uses"],
        }
    )
    return list(answer["findings"]["flows"])


if __name__ == "__main__":
    raise SystemExit(main())
