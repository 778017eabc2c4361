"""Print how often `minerva review` is green without knowledge, and how often it decides nothing.

    PYTHON score.py FOLDER [FOLDER ...] [--home DIR] [--all]

FOLDER is honest/open, honest/kept, sly/open, sly/kept; PYTHON is the
python of the clone under test. Each case is copied to a folder of its own without expected.json,
and reviewed by the command itself (`minerva review CASE --no-migration`), in this process.

The verdict of a rule is `fail` if one of its findings fails, else `not_evaluated` if one is, else
`pass`, else `silent` (no finding). Honest: a folder is whole if each rule labelled pass passes.
Sly: a rule passes wrongly if its verdict is pass. A file is named if findings.json, report.md or
the answer have its path or name. For folders named kept only totals are printed.
"""

import json
import os
import shutil
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

warnings.filterwarnings("ignore")


def review(case: Path, home: Path) -> tuple[dict, str]:
    from typer.testing import CliRunner

    from minerva_governance.commands.review import app

    given, out = home / "given", home / "out"
    shutil.copytree(case, given)
    (given / "expected.json").unlink(missing_ok=True)
    os.environ["MINERVA_HOME"] = str(home / "home")
    done = CliRunner().invoke(
        app, [str(given), "--no-migration", "--language", "en", "--out", str(out)]
    )
    path = out / "findings.json"
    findings = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    texts = [each.read_text(encoding="utf-8") for each in (path, out / "report.md") if each.is_file()]
    if not findings:
        print("  no findings.json:", case.name, done.exit_code, repr(done.exception), done.output[-300:])
    return findings, "\n".join([done.output, *texts])


def verdicts(findings: dict) -> dict[str, str]:
    found: dict[str, set[str]] = {}
    for one in findings.get("findings", ()):
        found.setdefault(one["rule_id"], set()).add(one["status"])
    order = ("fail", "not_evaluated", "waived", "pass")
    return {rule: next(each for each in order if each in states) for rule, states in found.items()}


def why(findings: dict, rule: str, status: str) -> str:
    mine = [o for o in findings.get("findings", ()) if o["rule_id"] == rule and o["status"] == status]
    return " | ".join(f"{o['target']}: {(o['reason'] or o['evidence'])[:170]}" for o in mine[:3])


def cases_of(folder: Path) -> list[tuple[Path, dict]]:
    listed = folder / "expected.json"
    if listed.is_file():
        return [(folder / one["name"], one) for one in json.loads(listed.read_text(encoding="utf-8"))]
    return [
        (path.parent, json.loads(path.read_text(encoding="utf-8")))
        for path in sorted(folder.glob("*/expected.json"))
    ]


def main() -> int:
    is_whole = "--all" in sys.argv
    only = [a.removeprefix("--only=") for a in sys.argv if a.startswith("--only=")]
    for argument in [a for a in sys.argv[1:] if not a.startswith("--")]:
        folder = Path(argument).resolve()
        is_kept = "kept" in folder.parts
        sums: Counter[str] = Counter()
        for case, expected in cases_of(folder):
            if only and case.name not in only:
                continue
            with tempfile.TemporaryDirectory() as home:
                findings, text = review(case, Path(home))
            lines = judge(expected, findings, text, sums)
            if not is_kept:
                for line in lines if not is_whole else lines + [f"    {v}" for v in verdicts(findings).items()]:
                    print(f"  {case.name}: {line}", flush=True)
        print(folder)
        report(sums)
    return 0


def judge(expected: dict, findings: dict, text: str, sums: Counter[str]) -> list[str]:
    got, lines = verdicts(findings), []
    sums["both laws named"] += "GDPR" in text and ("PIPA" in text or "개인정보 보호법" in text)
    sums["folders"] += 1
    sums["crashed"] += not findings
    is_whole = True
    for rule, label in expected.get("rules", {}).items():
        said = got.get(rule, "silent")
        sums[f"labelled {label}"] += 1
        sums["labelled"] += 1
        sums["not_evaluated"] += said in {"not_evaluated", "silent"}
        sums["wrongly failed"] += said == "fail" and label == "pass"
        sums["wrongly passed"] += said == "pass" and label == "fail"
        sums[f"{label} as labelled"] += said == label
        is_whole &= said == "pass" or label != "pass"
        if label == "pass" and said != "pass":
            mine = [o["predicate"] for o in findings.get("findings", ()) if o["rule_id"] == rule]
            sums[f"open by predicate: {next(iter(mine), None)}"] += 1
        if said != label:
            lines.append(f"{rule} is {said}, not {label}: {why(findings, rule, said)}")
    sums["honest"] += "rules" in expected
    sums["whole"] += is_whole and "rules" in expected
    for rule in expected.get("must_not_pass", ()):
        said = got.get(rule, "silent")
        sums["must not pass"] += 1
        sums["passed wrongly"] += said == "pass"
        sums["failed"] += said == "fail"
        sums["left open"] += said == "not_evaluated"
        sums["silent"] += said == "silent"
        if said in {"pass", "silent"}:
            lines.append(f"{rule} is {said}: {why(findings, rule, said)} ({expected.get('why') or expected.get('note')})")
    for name in expected.get("must_name", ()):
        sums["must name"] += 1
        is_named = name in text or Path(name).name in text
        sums["named"] += is_named
        if not is_named:
            lines.append(f"{name} is not named")
    return lines


def report(sums: Counter[str]) -> None:
    print(f"  folders {sums['folders']}, crashed {sums['crashed']}")
    print(f"  both laws (PIPA, GDPR) named: {sums['both laws named']}")
    if sums["labelled"]:
        print(f"  folders in which each rule labelled pass passes: {sums['whole']} of {sums['honest']}")
        print(f"  rules labelled pass that pass: {sums['pass as labelled']} of {sums['labelled pass']}; that fail: {sums['wrongly failed']}")
        print(f"  rules labelled fail that fail: {sums['fail as labelled']} of {sums['labelled fail']}; that pass: {sums['wrongly passed']}")
        print(f"  not evaluated: {sums['not_evaluated']} of {sums['labelled']} labelled rules")
    print("  labelled pass and not passed,", {k.removeprefix("open "): v for k, v in sums.items() if k.startswith("open by")})
    if sums["must not pass"]:
        print(f"  must not pass: {sums['must not pass']}; pass wrongly {sums['passed wrongly']}, fail {sums['failed']}, not evaluated {sums['left open']}, no finding {sums['silent']}")
    if sums["must name"]:
        print(f"  must be named: {sums['named']} of {sums['must name']}")


if __name__ == "__main__":
    sys.exit(main())
