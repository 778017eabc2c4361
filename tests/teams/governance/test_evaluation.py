"""Every rule answers pass, fail, not_evaluated with a reason, or waived."""

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from minerva_governance.core.detection.inventory import inventory, schema_promises
from minerva_governance.core.detection.table_scan import scan_data
from minerva_governance.core.policy.policy import Policy, Requirement, Rule, Waiver
from minerva_governance.core.reading.schema_file import read_schema_and_rows
from minerva_governance.core.reading.source_files import Source
from minerva_governance.core.review.evaluation import evaluate
from minerva_governance.core.review.finding import Finding
from minerva_governance.core.review.notice import Clause
from minerva_governance.core.review.review import CodeSearch, CodeUse, NamedColumn, Review
from minerva_governance.core.tables.data_file import open_data_file

TODAY = dt.date(2026, 6, 15)
RRN = "850101-1234566"


def policy(predicate: str, argument: dict[str, Any] | None = None, **fields: Any) -> Policy:
    """Return a policy of one rule that asks one thing."""
    requirement = Requirement.model_validate({"predicate": predicate, "argument": argument or {}})
    given = {"id": "R", "severity": "high", "kind": "column", "requirements": (requirement,)}
    return Policy(id="p", rules=(Rule.model_validate({**given, **fields}),))


def review(tmp_path: Path, *, csv: str = "", sql: str = "", **fields: Any) -> Review:
    """Return a review of the data and the schema given as text."""
    (tmp_path / "rows.csv").write_text(csv, encoding="utf-8")
    (tmp_path / "schema.sql").write_text(sql, encoding="utf-8")
    source = Source.of(tmp_path / "schema.sql")
    schemas = [read_schema_and_rows(source, language="en")[0]] if sql else []
    scans = []
    if csv:
        data = open_data_file(Source.of(tmp_path / "rows.csv"))
        scans = [scan_data(data, promises=schema_promises(schemas))]
    columns = inventory(scans, schemas)
    return Review(today=TODAY, scans=scans, schemas=schemas, columns=columns, **fields)


def statuses(findings: Sequence[Finding]) -> list[tuple[str, str]]:
    """Return target and status of each finding."""
    return [(finding.target, finding.status) for finding in findings]


def clause(text: str, **fields: Any) -> Clause:
    """Return a clause of a notice."""
    return Clause.model_validate(
        {"id": "1.1", "text": text, "source": "notice.md", "line": 3, **fields}
    )


@pytest.mark.parametrize(("days", "status"), [(-1, "fail"), (0, "waived"), (1, "waived")])
def test_a_waiver_holds_until_its_day(tmp_path: Path, days: int, status: str) -> None:
    """G8: until yesterday it is over and the finding fails, until tomorrow it is waived."""
    until = TODAY + dt.timedelta(days=days)
    waiver = Waiver(rule="R", target="ROWS.jumin*", until=until, by="dpo", reason="synthetic")
    rules = policy("encrypted", pii=("KR_RRN",)).model_copy(update={"waivers": (waiver,)})

    (finding,) = evaluate(review(tmp_path, csv=f"JUMIN_NO\n{RRN}\n"), [rules])

    assert (finding.status, finding.until) == (status, until)


def test_plain_values_fail_with_masked_evidence(tmp_path: Path) -> None:
    """Row, masked value, how many of how many; never the value."""
    csv = f"JUMIN_NO\n{RRN}\n{RRN}\nx\n"
    (finding,) = evaluate(review(tmp_path, csv=csv), [policy("encrypted", pii=("KR_RRN",))])

    assert (finding.status, finding.count, finding.total) == ("fail", 2, 3)
    assert finding.evidence == "row 1 850101-1******, row 2 850101-1******"
    assert (finding.citations[0].row, finding.severity) == (1, "high")


@pytest.mark.parametrize(
    ("csv", "sql", "expected"),
    [
        ("", "", [("*", "not_evaluated")]),
        ("AGE\n3\n", "", [("*", "pass")]),
        ("JUMIN_NO\nZ2NtLXNpdg==\n", "", [("rows.csv.JUMIN_NO", "pass")]),
        ("JUMIN_NO\n\n", "", [("rows.csv.JUMIN_NO", "not_evaluated")]),
        ("JUMIN_NO\nNULL\n", "", [("rows.csv.JUMIN_NO", "not_evaluated")]),
        (f"MEMO\n{RRN}\na\nb\n", "", [("rows.csv.MEMO", "not_evaluated")]),
        ("", "CREATE TABLE T (JUMIN_NO CHAR(13));", [("T.JUMIN_NO", "fail")]),
        ("", "CREATE TABLE T (JUMIN_NO_ENC RAW(64));", [("T.JUMIN_NO_ENC", "not_evaluated")]),
        ("", "CREATE TABLE T (JUMIN_NO RAW(64));", [("T.JUMIN_NO", "not_evaluated")]),
        ("JUMIN_NO\n850101\n", "", [("rows.csv.JUMIN_NO", "not_evaluated")]),
        ("MEMO\nODUwMTAxLTEyMzQ1NjY=\n", "", [("rows.csv.MEMO", "fail")]),
        (
            "",
            "CREATE TABLE T (C CLOB); COMMENT ON COLUMN T.C IS '주민등록번호(암호화)';",
            [("T.C", "pass")],
        ),
        (
            "",
            "CREATE TABLE T (C VARCHAR2(9)); COMMENT ON COLUMN T.C IS '주민등록번호(암호화)';",
            [("T.C", "fail")],
        ),
        (
            "",
            "CREATE TABLE T (C VARCHAR2(9)); COMMENT ON COLUMN T.C IS '주민등록번호(FPE 암호화)';",
            [("T.C", "pass")],
        ),
        (
            "",
            "CREATE TABLE T (C CLOB); COMMENT ON COLUMN T.C IS '주민등록번호(base64 암호화)';",
            [("T.C", "not_evaluated")],
        ),
        (
            "",
            "CREATE TABLE T (C CLOB); COMMENT ON COLUMN T.C IS '주민등록번호(암호화 예정)';",
            [("T.C", "not_evaluated")],
        ),
    ],
)
def test_encryption_is_declared_or_seen_or_unknown(
    tmp_path: Path, csv: str, sql: str, expected: list[tuple[str, str]]
) -> None:
    """A name alone proves nothing either way; no material is no answer."""
    found = evaluate(review(tmp_path, csv=csv, sql=sql), [policy("encrypted", pii=("KR_RRN",))])

    assert statuses(found) == expected
    assert all(finding.reason for finding in found if finding.status == "not_evaluated")


def test_k_anonymity_fails_below_the_minimum(tmp_path: Path) -> None:
    """G9: k=2 of two classes and five rows fails where five are asked for."""
    csv = "AGE,SEX,ZIP\n" + "30,F,1\n" * 3 + "40,M,2\n" * 2
    rules = policy("k_anonymity", {"quasi": ["AGE", "SEX", "ZIP"], "min": 5}, kind="dataset")

    (finding,) = evaluate(review(tmp_path, csv=csv), [rules])

    assert (finding.status, finding.count, finding.total) == ("fail", 5, 5)
    assert finding.evidence.startswith(
        "k=2 (minimum 5): rows that share the rarest combination of "
    )
    assert "40" not in finding.evidence


@pytest.mark.parametrize(
    ("csv", "tag", "status"),
    [
        ("AGE\n" + "1\n" * 5, "export", "pass"),
        ("AGE\n" + "1\n" * 5, "other", "not_evaluated"),
        ("SEX\n" + "1\n" * 5, "export", "not_evaluated"),
        ("AGE\n", "export", "not_evaluated"),
    ],
)
def test_k_anonymity_needs_a_tagged_file_with_the_columns(
    tmp_path: Path, csv: str, tag: str, status: str
) -> None:
    """Another tag, a missing column and an empty file are no answers."""
    rules = policy("k_anonymity", {"quasi": ["AGE"], "min": 5}, kind="dataset", tags=(tag,))

    (finding,) = evaluate(review(tmp_path, csv=csv), [rules])

    assert finding.status == status


@pytest.mark.parametrize(
    ("limits", "comment", "periods", "status"),
    [
        ({"max": 3650}, "", [1095], "pass"),
        ({"max": 3650, "min": 3650}, "", [1095], "fail"),
        ({"max": 1095}, "", [1095], "pass"),
        ({"max": 3650}, "", [], "not_evaluated"),
        ({"max": 3650}, "", [1095, 7300], "fail"),
        ({"min": 1095}, "", [365, 1095], "not_evaluated"),
        ({"max": 3650}, "보존기간 2년", [1095], "pass"),
        ({"max": 3650}, "보존기간 5년", [1095], "fail"),
        ({"max": 365}, "보존기간 5년", [], "fail"),
        ({"min": 3650}, "", [1095], "fail"),
    ],
)
def test_retention_compares_rule_notice_and_schema(
    tmp_path: Path, limits: dict[str, int], comment: str, periods: list[int], status: str
) -> None:
    """A conflict fails; no period, or some that are shorter than asked for, cannot be judged."""
    sql = f"CREATE TABLE T_PATIENT (ID CHAR(1)); COMMENT ON TABLE T_PATIENT IS '{comment}';"
    notice = [clause(f"{days}일 보관합니다", periods=(days,)) for days in periods]
    rules = policy("retention_days", limits, kind="table", tags=("patient",))

    found = evaluate(review(tmp_path, sql=sql, clauses=notice), [rules])

    assert statuses([f for f in found if f.rule_id == "R"]) == [("T_PATIENT", status)]


@pytest.mark.parametrize(
    ("sql", "status"),
    [("CREATE TABLE T_ORDER (ID CHAR(1));", "not_evaluated"), ("", "fail")],
)
def test_a_notice_breaks_no_retention_rule_of_a_table_that_is_not_there(
    tmp_path: Path, sql: str, status: str
) -> None:
    """The clause may be about the tables that are there; without any schema it stands alone."""
    rules = policy("retention_days", {"max": 365}, kind="table", tags=("patient",))
    notice = [clause("5년간 보관합니다", periods=(1825,))]

    found = evaluate(review(tmp_path, sql=sql, clauses=notice), [rules])

    assert statuses([f for f in found if f.rule_id == "R"]) == [("patient", status)]


def test_a_personal_value_in_a_log_fails_with_its_line(tmp_path: Path) -> None:
    """The sink of insilico decides; uses without one are counted, not accused."""
    code = CodeSearch(
        uses=(
            CodeUse(name="JUMIN_NO", path="a.py", line=7, sink="logging", snippet=f"log('{RRN}')"),
            CodeUse(name="JUMIN_NO", path="b.py", line=1),
            CodeUse(name="CODE_NM", path="b.py", line=2, sink="print"),
            CodeUse(name="EMAIL", path="b.py", line=3),
        ),
    )
    rules = policy("sink", {"names": ["logging", "print"]}, kind="code_use")

    found = evaluate(review(tmp_path, code=code), [rules])

    assert statuses(found) == [("JUMIN_NO", "fail"), ("EMAIL", "pass")]
    assert (found[0].evidence, found[0].count, found[0].total) == ("a.py:7 (log)", 1, 2)
    assert found[0].citations[0].quote == "log('850101-1******')"


@pytest.mark.parametrize(
    "code",
    [
        None,
        CodeSearch(),
        CodeSearch(uses=(CodeUse(name="EMAIL", path="a", line=1),), truncated=True),
    ],
)
def test_absence_from_a_missing_or_cut_search_proves_nothing(
    tmp_path: Path, code: CodeSearch | None
) -> None:
    """No search, no personal column in it, or a list that was cut: not evaluated."""
    rules = policy("sink", {"names": ["logging"]}, kind="code_use")

    (finding,) = evaluate(review(tmp_path, code=code), [rules])

    assert finding.status == "not_evaluated"


def test_names_are_compared_with_the_standard(tmp_path: Path) -> None:
    """Equal without case passes, another name fails, an unresolved one is not evaluated."""
    naming = [
        NamedColumn(table="T", column="use_yn", standard="USE_YN", is_resolved=True),
        NamedColumn(table="T", column="USE_AT", standard="USE_YN", is_resolved=True),
        NamedColumn(table="T", column="QNTM", standard=None, is_resolved=False),
    ]

    found = evaluate(review(tmp_path, naming=naming), [policy("standard_name")])

    assert statuses(found) == [
        ("T.use_yn", "pass"),
        ("T.USE_AT", "fail"),
        ("T.QNTM", "not_evaluated"),
    ]
    assert found[1].evidence == "USE_AT → USE_YN"


def test_a_notice_is_compared_even_if_no_rule_asks(tmp_path: Path) -> None:
    """What is collected and not named fails and quotes the clause; what is named passes."""
    sql = "CREATE TABLE T (EMAIL VARCHAR2(9), HP_NO VARCHAR2(9));"
    notice = [clause("성명, 전화번호", items="성명, 전화번호")]

    found = evaluate(review(tmp_path, sql=sql, clauses=notice), [])

    assert [(f.rule_id, f.target, f.status) for f in found] == [
        ("NOTICE-01", "T.EMAIL", "fail"),
        ("NOTICE-01", "T.HP_NO", "pass"),
    ]
    assert "1.1 “성명, 전화번호”" in found[0].evidence


def test_a_rule_that_asks_for_the_notice_is_not_asked_twice(tmp_path: Path) -> None:
    """The policy's own rule takes the place of the built-in one."""
    sql = "CREATE TABLE T (EMAIL VARCHAR2(9));"
    notice = [clause("이메일", items="이메일")]

    found = evaluate(review(tmp_path, sql=sql, clauses=notice), [policy("in_notice")])

    assert [(f.rule_id, f.status) for f in found] == [("R", "pass")]
