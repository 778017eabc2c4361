"""How often the governance team says `pass` where nobody may, on cases that strangers wrote.

The authors of `governance_cases/` saw neither the rules nor their tests. `cases/` may be read while
the rules are mended; of `cases_blind/` only the totals below are looked at. A case is a folder:
`case.yaml` names the request, what is attached and what is expected; `make.py`, if there is one,
makes what is too large or not text. Each case runs in a folder of its own that is deleted again.
"""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import environ
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from _given_files import lay_out

from minerva_governance import Findings, GovernanceTeam
from minerva_governance.agents.policy import BASELINE
from minerva_insilico import InsilicoTeam
from minerva_platform import Team
from minerva_platform.testing import EachOnceRouter, ScriptedRouter

CASES = Path(__file__).parent / "governance_cases"
HALVES = {"cases": "development half", "cases_blind": "blind half, totals only"}
POLICY = "bench-policy.yaml"
RETENTION = "RETENTION"
UNIQUE = ["KR_RRN", "KR_FRN", "KR_PASSPORT", "KR_DRIVER_LICENSE", "CREDIT_CARD"]
_RULES: tuple[dict[str, Any], ...] = (
    {
        "id": "PII-ENC-01",
        "severity": "high",
        "applies_to": {"kind": "column", "pii": UNIQUE},
        "require": {"encrypted": True},
    },
    {
        "id": "PII-LOG-01",
        "severity": "high",
        "applies_to": {"kind": "code_use", "pii": "any"},
        "forbid": {"sink": ["print", "log"]},
    },
    {
        "id": "NOTICE-01",
        "applies_to": {"kind": "column", "pii": "any"},
        "require": {"in_notice": True},
    },
    {
        "id": "KANON-01",
        "applies_to": {"kind": "dataset"},
        "require": {"k_anonymity": {"quasi": ["출생연도", "성별", "거주지역"], "min": 5}},
    },
)
TOLD = {str(rule["id"]): rule for rule in _RULES}
"""The rules that the author of the second twenty-eight cases was told of, by their ids."""
MEASURES = ("must_not_pass", "must_fail", "may_pass", "named_files", "unreadable")


@dataclass
class Tally:
    """What came of the expectations of one half."""

    asked: Counter[str] = field(default_factory=Counter[str])
    held: Counter[str] = field(default_factory=Counter[str])
    misses: list[str] = field(default_factory=list[str])
    not_run: list[str] = field(default_factory=list[str])

    def note(self, case: str, measure: str, what: str, *, held: bool) -> None:
        """Count an expectation, and keep what of it was not met."""
        self.asked[measure] += 1
        self.held[measure] += held
        if not held:
            self.misses.append(f"{case}: {measure}: {what}")


def main() -> int:
    """Print a line for each measure and half; return 1 if a case stopped with an error."""
    crashed = False
    for half, title in HALVES.items():
        folders = sorted(path.parent for path in (CASES / half).glob("*/case.yaml"))
        tally = Tally()
        for folder in folders:
            with TemporaryDirectory() as home:
                _try_case(folder, Path(home), tally)
        print(f"{title}: {len(folders)} cases, {len(tally.not_run)} not run")
        for measure in MEASURES:
            print(f"  {measure:<14}{tally.held[measure]:>5} of {tally.asked[measure]:>4}")
        if half == "cases":
            print("".join(f"  - {miss}\n" for miss in [*tally.not_run, *tally.misses]))
        crashed |= bool(tally.asked["crash"])
    return int(crashed)


def _try_case(folder: Path, home: Path, tally: Tally) -> None:
    case = yaml.safe_load((folder / "case.yaml").read_text(encoding="utf-8"))
    root = home / "given"
    lay_out(folder, root)
    if case.get("make") and not _made(root / str(case["make"])):
        tally.not_run.append(f"{folder.name}: its make.py needs what is not installed")
        return
    environ["MINERVA_HOME"] = str(home / "home")
    try:
        run = _run(case, root)
    except Exception as error:  # noqa: BLE001  # a crash of one case is a result
        tally.asked["crash"] += 1
        tally.not_run.append(f"{folder.name}: {type(error).__name__}")
        return
    _judge(folder.name, case["expect"], Answer(run, root), tally)


def _made(script: Path) -> bool:
    command = (sys.executable, str(script))
    return (
        subprocess.run(command, check=False, capture_output=True, cwd=script.parent).returncode == 0
    )


def _run(case: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """Return the run of insilico and governance; routing is measured elsewhere."""
    attached = [str(root / name) for name in case["attach"]]
    policy = _policy(case)
    if policy is not None:
        path = root / POLICY
        path.write_text(yaml.safe_dump(policy, allow_unicode=True), encoding="utf-8")
        attached.append(str(path))
    governance = GovernanceTeam(router=ScriptedRouter("compliance_agent", repeat=True))
    teams = (InsilicoTeam(), governance) if _has_code(attached) else (governance,)
    platform = Team(
        name="platform",
        description="Both.",
        members=teams,
        exports=(Findings,),
        router=EachOnceRouter(),
    )
    return platform.invoke({"request": case["request"], "attachments": attached})


def _has_code(attached: Sequence[str]) -> bool:
    return any(Path(name).is_dir() and any(Path(name).rglob("*.py")) for name in attached)


def _policy(case: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the rules that the author of a case had in mind; None for the bundled ones."""
    policy: dict[str, Any] = yaml.safe_load(BASELINE.read_text(encoding="utf-8"))
    judged = [case["expect"].get(name, ()) for name in ("must_not_pass", "must_fail", "may_pass")]
    asked = {rule for things in judged for rule, _ in _things(things)}
    if asked & TOLD.keys():
        policy["rules"] = [*TOLD.values()]
    if "retention_limit_days" in case:
        days = int(case["retention_limit_days"])
        rule = {"id": RETENTION, "applies_to": {"kind": "table"}}
        policy["rules"].append({**rule, "require": {"retention_days": {"max": days}}})
    elif not asked & TOLD.keys():
        return None
    return policy


class Answer:
    """The findings of a run by what they are about."""

    def __init__(self, run: Mapping[str, Any], root: Path) -> None:
        handed = run["handoffs"].get("governance.findings", {})
        self.findings: list[dict[str, Any]] = list(handed.get("findings", ()))
        self.root = root
        self.files = {item["name"]: item["status"] for item in run.get("files", ())}
        artifacts = [Path(item["path"]) for item in run["artifacts"]]
        texts = [path.read_text(encoding="utf-8") for path in artifacts if path.is_file()]
        self.text = "\n".join([run["answer"], *texts])

    def verdict(self, rule: str, thing: str) -> str:
        """Return `fail`, `not_evaluated`, `pass` or `silent` for what `case.yaml` names.

        What a finding says of a folder or of everything counts for what is in it, unless a
        finding on the column itself decides.
        """
        path, _, column = thing.partition(":")
        mine = [item for item in self.findings if item["rule_id"] == rule]
        own = [item for item in mine if column and self._is_column(item, path, column)]
        touching = own or [item for item in mine if self._touches(item, path, column)]
        for status in ("fail", "not_evaluated", "pass"):
            if any(item["status"] == status for item in touching):
                return status
        return "silent"

    def is_named(self, path: str) -> bool:
        """Tell whether the person learns what became of the file."""
        return self._file(path) is not None or path in self.text or Path(path).name in self.text

    def is_refused(self, path: str) -> bool:
        """Tell whether the file is said to be unreadable or not understood."""
        status = self._file(path)
        return (
            status != "used" if status else Path(path).name in self.text.partition("not looked")[2]
        )

    def _file(self, path: str) -> str | None:
        inner = path.partition("/")[2] or path
        return self.files.get(path) or self.files.get(inner)

    def _is_column(self, item: Mapping[str, Any], path: str, column: str) -> bool:
        last = column.rpartition(":")[2]
        return item["target"].casefold().endswith(f".{last}".casefold()) and (
            self._about(item, path) or item["target"].startswith((path, Path(path).name))
        )

    def _touches(self, item: Mapping[str, Any], path: str, column: str) -> bool:
        target = str(item["target"])
        if any(letter in target for letter in "*") or target in {"code", path, Path(path).name}:
            return True
        if path.startswith(f"{target}/") or target.startswith(f"{path}/"):
            return True
        return not column and (target.startswith(f"{path}.") or self._about(item, path))

    def _about(self, item: Mapping[str, Any], path: str) -> bool:
        return any(self._is_source(str(cited["source"]), path) for cited in item["citations"])

    def _is_source(self, source: str, path: str) -> bool:
        given = source.removeprefix(f"{self.root}/")
        return given == path or path.endswith(f"/{given}") or given.startswith(f"{path}/")


def _judge(case: str, expect: Mapping[str, Any], answer: Answer, tally: Tally) -> None:
    for measure, wanted in (("must_not_pass", {"fail", "not_evaluated", "silent"}),
                            ("must_fail", {"fail"}), ("may_pass", {"pass"})):  # fmt: skip
        for rule, thing in _things(expect.get(measure, ())):
            verdict = answer.verdict(rule, thing)
            tally.note(case, measure, f"{rule} {thing} is {verdict}", held=verdict in wanted)
    for path in expect.get("named_files", ()):
        tally.note(case, "named_files", path, held=answer.is_named(path))
    for path in expect.get("unreadable", ()):
        tally.note(case, "unreadable", path, held=answer.is_refused(path))


def _things(entries: Sequence[Mapping[str, str]]) -> Iterator[tuple[str, str]]:
    for entry in entries:
        yield entry["rule"], entry["object"]
