"""A rule passes only where everything that could break it was looked at; every file is named."""

from pathlib import Path
from typing import Any

import pytest

from minerva_governance import ComplianceAgent, GovernanceTeam, PolicyAgent
from minerva_governance.core.reading.source_files import MAX_FILES, gather

RRN = "850101-1234566"
POLICY = """\
apiVersion: minerva/v1
policy: {id: trial}
rules:
- id: ENC
  severity: high
  applies_to: {kind: column, pii: [KR_RRN]}
  require: {encrypted: true}
- id: LOG
  applies_to: {kind: code_use, pii: any}
  forbid: {sink: [logging]}
- id: RET
  applies_to: {kind: table}
  require: {retention_days: {max: 1095}}
- id: KANON
  applies_to: {kind: dataset}
  require: {k_anonymity: {quasi: [AGE], min: 2}}
"""
CLEAN = "AGE\n" + "3\n" * 5
CODE = {"uses": [{"name": "EMAIL", "path": "a.py", "line": 3}], "total": 1, "truncated": False}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a policy and a clean data file, by which ENC and KANON pass."""
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
    (folder / "rows.csv").write_text(CLEAN, encoding="utf-8")
    return folder


def review(*paths: Path, words: str = "check", **given: Any) -> dict[str, Any]:
    """Review `paths` by the policies among them."""
    policy = PolicyAgent().invoke({"request": words, "attachments": paths})["policy"]
    return ComplianceAgent().invoke(
        {"request": words, "policy": policy, "attachments": paths, **given}
    )


def test_rows_that_a_schema_inserts_are_looked_at(folder: Path) -> None:
    """A plain number in a dump breaks the rule, at its line; it is no file of data."""
    script = f"CREATE TABLE T (A CHAR(14), B INT);\nINSERT INTO T\nVALUES ('{RRN}', 1);\n"
    (folder / "dump.sql").write_text(script, encoding="utf-8")
    answer = review(folder)
    (broken,) = [one for one in answer["findings"]["findings"] if one["status"] == "fail"]

    assert (broken["target"], broken["evidence"]) == (
        "dump.sql.T.A",
        "line 3 850101-1******",
    )
    assert broken["citations"][0]["line"] == 3
    assert statuses(answer, "KANON") == {"rows.csv": "pass"}
    (folder / "dump.sql").write_text(script.replace(RRN, "x"), encoding="utf-8")
    assert statuses(review(folder), "ENC") == {"*": "pass"}


def statuses(answer: dict[str, Any], rule: str) -> dict[str, str]:
    """Return what a rule came to at each target."""
    found = answer["findings"]["findings"]
    return {item["target"]: item["status"] for item in found if item["rule_id"] == rule}


def test_a_rule_passes_where_everything_was_read(folder: Path) -> None:
    """The other tests of this file add one thing to this folder."""
    answer = review(folder)

    assert statuses(answer, "ENC") == {"*": "pass"}
    assert statuses(answer, "KANON") == {"rows.csv": "pass"}


@pytest.mark.small(9)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rows.parquet", b"PAR1"),
        ("rows.xlsx", b"PK\x03\x04"),
        ("rows.db", b"SQLite format 3\0 broken"),
        ("rows.tsv", b"\xff\x81\n"),
        ("rows.jsonl", b"{broken\n"),
        ("rows.json", b"[1,"),
        ("notes.txt", b"some words\n"),
        ("blob.bin", b"\x00\x01"),
        ("empty.csv", b""),
        ("bytes.csv", b"A\nx\xff\n"),
        ("open.csv", b'A,B\n1,"open\n2,3\n'),
        ("wide.csv", b"A\n1,2\n"),
        ("names.csv", b"A,\n1,secret thing\n"),
        ("head.csv", b"A,B\n"),
        ("schema.sql", b"CREATE TABLE T (ID INT);\nEXEC sp_rename 'T.ID', 'X';\n"),
        ("dump.sql", b"CREATE TABLE T (ID INT);\nINSERT INTO T SELECT * FROM U;\n"),
        ("copy.sql", b"CREATE TABLE T (ID INT);\nCREATE TABLE U AS SELECT * FROM V;\n"),
        ("none.sql", b"-- nothing\n"),
    ],
)
def test_what_was_not_looked_at_keeps_a_rule_from_passing(
    folder: Path, name: str, content: bytes
) -> None:
    """Formats, bytes, rows, columns and statements: each is named, with a reason."""
    (folder / "sub").mkdir()
    (folder / "sub" / name).write_bytes(content)
    answer = review(folder)
    found = statuses(answer, "ENC")

    assert set(found.values()) == {"not_evaluated"}
    assert any(target.startswith(f"sub/{name}") for target in found)
    assert any(gap.startswith(f"sub/{name}") for gap in answer["findings"]["not_looked_at"])
    assert any(use["name"] == f"sub/{name}" for use in answer["files"])


def test_a_link_out_of_the_folder_is_not_followed_and_said(folder: Path, tmp_path: Path) -> None:
    """What lies behind it was not looked at."""
    (tmp_path / "other.csv").write_text(f"A\n{RRN}\n", encoding="utf-8")
    (folder / "link.csv").symlink_to(tmp_path / "other.csv")
    answer = review(folder)

    assert statuses(answer, "ENC") == {"link.csv": "not_evaluated"}
    assert ("link.csv", "unreadable") in [(u["name"], u["status"]) for u in answer["files"]]


@pytest.mark.small(5)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("notice", "status"),
    [
        ("6년간 보관합니다", "fail"),
        ("72개월 보관", "fail"),
        ("5년 6개월 보관", "fail"),
        ("1년, 계약 기록은 5년 보관", "fail"),
        ("kept for six years", "fail"),
        ("영구 보관", "fail"),
        ("1년 보관", "pass"),
        ("회원 탈퇴 시까지 보관", "not_evaluated"),
        ("1년, 다만 목적 달성 시까지 보관", "not_evaluated"),
        ("kept as long as necessary", "not_evaluated"),
    ],
)
def test_a_notice_is_held_against_the_limit(folder: Path, notice: str, status: str) -> None:
    """A longer period fails in any unit; an end that is no number is quoted."""
    (folder / "처리방침.md").write_text(f"# 개인정보 처리방침\n{notice}\n", encoding="utf-8")
    (folder / "schema.sql").write_text("CREATE TABLE T (ID INT);", encoding="utf-8")
    answer = review(folder)

    assert statuses(answer, "RET") == {"T": status}
    if status == "not_evaluated":
        assert "“" in answer["summary"].partition("RET: ")[2].splitlines()[0]


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({}, "pass"),
        ({"unparsed": ["b.py"]}, "not_evaluated"),
        ({"truncated": True}, "not_evaluated"),
    ],
)
def test_code_that_was_not_parsed_keeps_the_sink_rule_from_passing(
    folder: Path, more: dict[str, Any], status: str
) -> None:
    """Output may stand in the file that gave no facts."""
    answer = review(folder, code_uses={**CODE, **more})

    assert statuses(answer, "LOG")["EMAIL"] == status


def test_code_in_another_language_keeps_the_sink_rule_from_passing(folder: Path) -> None:
    """Output of values is searched in Python alone."""
    (folder / "app.js").write_text("console.log(user.email)\n", encoding="utf-8")

    assert set(statuses(review(folder, code_uses=CODE), "LOG").values()) == {"not_evaluated"}


def test_a_tag_that_nothing_carries_passes_nothing(folder: Path) -> None:
    """A typo in `tag:` is no clean result."""
    policy = POLICY.replace("pii: [KR_RRN]", "pii: [KR_RRN], tag: patiant")
    (folder / "policy.yaml").write_text(policy, encoding="utf-8")

    assert statuses(review(folder), "ENC") == {"*": "not_evaluated"}


def test_an_unread_document_may_name_what_the_notice_does_not(folder: Path) -> None:
    """With a PDF beside the notice, "not in the notice" is not known."""
    (folder / "처리방침.md").write_text("# 개인정보 처리방침\n수집 항목: 성명\n", encoding="utf-8")
    (folder / "처리방침.pdf").write_bytes(b"%PDF")
    (folder / "schema.sql").write_text("CREATE TABLE T (EMAIL TEXT);", encoding="utf-8")

    assert statuses(review(folder), "NOTICE-01")["T.EMAIL"] == "not_evaluated"


def test_every_file_is_told_with_what_became_of_it(folder: Path) -> None:
    """Used, unreadable or not understood; of a folder each file, by its path below that."""
    (folder / "app.py").write_text("x = 1\n", encoding="utf-8")
    (folder / "empty.csv").write_text("", encoding="utf-8")
    (folder / "README.md").write_text("# Hello\n", encoding="utf-8")
    (folder / "other.md").write_text("# On privacy work\nWe collect names.\n", encoding="utf-8")
    (folder / "node_modules").mkdir()
    files = {use["name"]: (use["status"], use["reason"]) for use in review(folder)["files"]}

    assert files == {
        "given": ("used", ""),
        "policy.yaml": ("used", ""),
        "rows.csv": ("used", ""),
        "app.py": ("not_understood", "code, which only the code search reads"),
        "empty.csv": ("unreadable", "it is empty"),
        "README.md": ("not_understood", "settings or documentation, which is not reviewed"),
        "other.md": ("not_understood", "not a privacy notice by its name or titles; not used"),
        "node_modules": ("not_understood", "a folder that tools make; not entered"),
    }


def test_files_of_one_name_stay_apart_and_no_path_of_the_machine_shows(tmp_path: Path) -> None:
    """Findings begin with the attached file's own name, and with as much more as is needed."""
    paths = [tmp_path / "a" / "rows.csv", tmp_path / "b" / "rows.csv"]
    for path in paths:
        path.parent.mkdir()
        path.write_text(f"JUMIN_NO\n{RRN}\n", encoding="utf-8")
    answer = review(*paths)
    texts = [item["content"] for item in answer["artifacts"]]
    findings = [item["target"] for item in answer["findings"]["findings"]]

    assert {"a/rows.csv.JUMIN_NO", "b/rows.csv.JUMIN_NO"} <= set(findings)
    assert str(tmp_path) not in " ".join(
        [str(answer["findings"]), str(answer["citations"]), *texts]
    )
    assert [use["name"] for use in answer["files"]] == ["rows.csv", "rows.csv"]


def test_a_name_needs_no_more_than_tells_it_apart(tmp_path: Path) -> None:
    """One file keeps its plain name; a folder's files begin with the folder's."""
    (tmp_path / "x").mkdir()
    for name in ("x/one.csv", "two.csv"):
        (tmp_path / name).touch()
    found = gather([tmp_path / "x", tmp_path / "two.csv"]).sources

    assert [source.name for source in found] == ["x/one.csv", "two.csv"]


@pytest.mark.small(4)
@pytest.mark.parametrize(
    ("words", "unused"),
    [
        ("check only the columns added last year", ["only the columns added last year"]),
        ("check it for the emergency ward", ["for the emergency ward"]),
        (
            "check it. Visitors from Lyon matter most to us",
            ["Visitors from Lyon matter most to us"],
        ),
        ("TB_ORDER 테이블만 점검해줘", ["TB_ORDER 테이블만"]),
        ("보유기간은 최대 30일, 점검해줘", ["30일"]),
        ("보유기간은 최대 1,095일, 점검해줘", []),
        ("rows.csv의 개인정보만 점검해줘", []),
        ("Report every place that violates our privacy policy", []),
    ],
)
def test_words_that_narrow_nothing_down_are_told(
    folder: Path, words: str, unused: list[str]
) -> None:
    """A review looks at everything by the rules of the policy, whatever else is asked."""
    assert list(review(folder, words=words)["unused"]) == unused


def test_a_korean_answer_holds_no_english_sentence(folder: Path) -> None:
    """Mistakes, reasons, gaps and the baseline's titles are in the language of the request."""
    (folder / "broken.yaml").write_text("apiVersion: minerva/v1\nrules: 3\n", encoding="utf-8")
    (folder / "rows.parquet").touch()
    (folder / "bytes.csv").write_bytes(b'A,\n1,"secret\xff\n')
    (folder / "dump.sql").write_text("INSERT INTO T VALUES (1);", encoding="utf-8")
    run = GovernanceTeam().invoke({"request": "개인정보를 점검해줘", "attachments": [folder]})
    baseline = GovernanceTeam().invoke({"request": "개인정보 규칙을 점검해줘"})

    assert run["status"] == baseline["status"] == "ok"
    english = [
        line
        for answer in (run["answer"], baseline["answer"])
        for line in answer.splitlines()
        if any(f" {word} " in f" {line} " for word in ("the", "is", "are", "of", "not", "no"))
    ]
    assert english == []


def test_a_bound_on_files_is_told_first_and_hides_no_policy(tmp_path: Path) -> None:
    """What the others have to keep is read, wherever in the folder it lies."""
    (tmp_path / "a").mkdir()
    for number in range(MAX_FILES + 1):
        (tmp_path / "a" / f"{number}.csv").touch()
    (tmp_path / "z").mkdir()
    for name in ("privacy.yaml", "privacy.md", "schema.sql", "rows.csv"):
        (tmp_path / "z" / name).touch()
    found = gather([tmp_path])

    assert [each.name for each in found.sources[MAX_FILES:]] == [
        "z/privacy.md", "z/privacy.yaml", "z/schema.sql",
    ]  # fmt: skip
    assert [each.is_bound for each in found.refused] == [True]
