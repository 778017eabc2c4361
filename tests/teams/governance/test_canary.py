"""Personal data planted everywhere comes out nowhere: not in answers, files, errors or logs."""

import io
import json
import logging
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from minerva_governance import ComplianceAgent, GovernanceTeam, PolicyAgent
from minerva_platform import MinervaError

CANARIES = (
    "850101-1234566",
    "8501011234566",
    "900101-5123452",
    "4000-0012-3456-9010",
    "010-9876-5432",
    "canary.person@example.org",
)
ALL = " ".join(CANARIES)
NOTICE = (
    f"# 개인정보 처리방침\n## 1. 수집 항목 {ALL}\n1. 성명 {ALL}\n## 2. 보유\n1. 3년 보관 {ALL}\n"
)
POLICY = f"""\
apiVersion: minerva/v1
policy: {{id: "{ALL}", version: 1}}
rules:
- id: ENC
  title: "{ALL}"
  severity: high
  applies_to: {{kind: column, pii: any}}
  require: {{encrypted: true}}
  authority: [{{title: "{ALL}"}}]
- id: LOG
  applies_to: {{kind: code_use, pii: any}}
  forbid: {{sink: [logging]}}
- id: RET
  applies_to: {{kind: table}}
  require: {{retention_days: 3650}}
- id: KANON
  applies_to: {{kind: dataset}}
  require: {{k_anonymity: {{quasi: [JUMIN_NO], min: 5}}}}
- id: NAME
  applies_to: {{kind: column}}
  require: {{standard_name: true}}
waivers:
- {{rule: NAME, target: "*", until: 2020-01-01, by: "{ALL}", reason: "{ALL}"}}
"""
SCHEMA = f"""\
CREATE TABLE T (JUMIN_NO CHAR(13), EMAIL VARCHAR2(99) DEFAULT '{CANARIES[5]}');
COMMENT ON TABLE T IS '보관 5년 {ALL}';
COMMENT ON COLUMN T.EMAIL IS '이메일 {ALL}';
CREATE TABLE BROKEN ((( '{ALL}');
"""
CELLS = "\n".join(f'"{canary}","{canary}","{ALL}"' for canary in CANARIES)
USES = [
    {"name": "EMAIL", "path": f"{CANARIES[5]}.py", "line": 1, "sink": "logging", "snippet": ALL}
]
PLAN = [
    {"table": "T", "column": "EMAIL", "physical_name": CANARIES[0], "status": "renamed"},
    {"table": CANARIES[0], "column": "X", "status": "unresolved"},
]


def assert_clean(text: str) -> None:
    """Fail if any planted value shows."""
    for canary in CANARIES:
        assert canary not in text


@contextmanager
def logged() -> Generator[io.StringIO]:
    """Collect everything any logger says."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield stream
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder in which every file is full of canaries, in names as well."""
    folder = tmp_path / "given"
    folder.mkdir()
    files = {
        "policy.yaml": POLICY,
        "처리방침.md": NOTICE,
        "schema.sql": SCHEMA,
        "rows.csv": f"JUMIN_NO,EMAIL,MEMO\n{CELLS}\n",
        "bare.csv": f"{CELLS}\n",
        f"{CANARIES[0]}.csv": f"JUMIN_NO\n{CANARIES[0]}\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "broken.csv").write_bytes(f"JUMIN_NO\n{ALL}".encode() + b"\xff\x81\n")
    return folder


@pytest.mark.small(1)
@pytest.mark.slow
@pytest.mark.parametrize("words", ["점검해줘", "check"])
def test_workers_let_nothing_out(folder: Path, words: str) -> None:
    """Summaries, hand-offs, citations, artifacts and logs hold masked values only."""
    with logged() as log:
        policy = PolicyAgent().invoke(
            {
                "request": f"{words} {ALL}",
                "attachments": [folder / "policy.yaml", folder / "처리방침.md"],
            }
        )
        answer = ComplianceAgent().invoke(
            {
                "request": f"{words} {ALL}",
                "policy": policy["policy"],
                "attachments": [*sorted(folder.glob("*.csv")), folder / "schema.sql"],
                "code_uses": {"uses": USES, "total": 1, "truncated": False, "unparsed": [ALL]},
                "rename_plan": {"columns": PLAN},
            }
        )

    assert_clean(json.dumps([policy, answer], ensure_ascii=False) + log.getvalue())
    failed = {f["rule_id"] for f in answer["findings"]["findings"] if f["status"] == "fail"}
    assert failed == {"ENC", "LOG", "RET", "KANON", "NAME", "NOTICE-01"}


@pytest.mark.parametrize(
    "broken",
    [
        f'"{ALL}": 1\n',
        f"- id: {CANARIES[0]}\n",
        f"  severity: {CANARIES[5]}\n",
        f"'{ALL}\n",
        f"!!python/object:{CANARIES[5]} x\n",
    ],
)
def test_errors_let_nothing_out(tmp_path: Path, broken: str) -> None:
    """A policy full of data fails with masked words, its causes included."""
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY.replace("waivers:\n", broken + "waivers:\n"), encoding="utf-8")

    with logged() as log, pytest.raises(MinervaError) as caught:
        PolicyAgent().invoke({"policies": [path]})

    error: BaseException | None = caught.value
    while error is not None:
        assert_clean(f"{error!r} {error}")
        error = error.__cause__
    assert_clean(log.getvalue())


@pytest.mark.slow
def test_a_run_of_the_team_lets_nothing_out(folder: Path) -> None:
    """The run object of the whole team, as `--json` prints it, is clean too."""
    (folder / f"{CANARIES[0]}.csv").unlink()  # the platform, not the team, names attachments
    run: dict[str, Any] = GovernanceTeam().invoke(
        {
            "request": "Scan these files for personal data and report violations",
            "attachments": [folder],
        }
    )

    assert run["status"] == "ok"
    assert_clean(json.dumps(run, ensure_ascii=False))
