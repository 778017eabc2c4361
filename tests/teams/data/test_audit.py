"""The audit: each rule on what it is for, and nothing invented leaves it."""

from pathlib import Path

import pytest

from minerva_data.core.audit.auditing import Audit, audit
from minerva_data.core.audit.rule import Standard
from minerva_data.core.audit.table import standard_rows, status_counts
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.record import Item, Row
from minerva_data.core.schema.schema_file import read_schema_file


def audited(lookup: Lookup, *items: Item) -> Audit:
    """Return the audit of a fresh table of these items."""
    rows = standard_rows(map(lookup.recommend, items), style="UPPER_SNAKE")
    return audit(rows, Standard(lookup), priority=())


def rules(result: Audit) -> list[tuple[str, str, str]]:
    """Return rule, before and after of each finding."""
    return [(found.rule, found.before, found.after) for found in result.findings]


@pytest.mark.parametrize(
    ("item", "finding"),
    [
        (Item(name="유저명", comment="유저명"), ("W1", "유저", "사용자")),
        (Item(name="PT_NM", comment="환자 이름"), ("W2", "이름", "명")),
        (Item(name="PT_ID", comment="차트식별자"), ("W3", "차트식별자", "환자식별자")),
        (Item(name="USE_AT", comment="사용여부"), ("N1", "USE_AT", "USE_YN")),
        (
            Item(name="X", comment="청구수납보험급여진료예약접수일시"),
            ("N2", "CLM_RCPT_INSR_BNFT_MDTRT_RSVT_RCEP_DT", ""),
        ),
        (Item(name="양자값", comment="양자"), ("N3", "양자값", "")),
        (Item(name="환자등록"), ("N4", "환자등록", "")),
        (Item(name="환자등록"), ("D3", "", "")),
        (
            Item(name="REG_DT", comment="등록일시", data_type="VARCHAR(8)"),
            ("D2", "VARCHAR(8)", "DATETIME (연월일시분초D)"),
        ),
    ],
)
def test_a_rule_finds_what_it_is_for(
    lookup: Lookup, item: Item, finding: tuple[str, str, str]
) -> None:
    """Each finding says what is there and what the standard asks for."""
    assert finding in rules(audited(lookup, item))


def test_a_standard_column_has_no_finding(lookup: Lookup) -> None:
    """Silence means that all rules passed."""
    item = Item(name="PT_ID", comment="환자식별자", data_type="VARCHAR(20)", table="T")

    assert audited(lookup, item).findings == ()


def test_one_meaning_with_two_names_is_found_over_tables(lookup: Lookup) -> None:
    """U2: the same logical name is spelled in two ways in the schema."""
    result = audited(
        lookup,
        Item(name="PAT_ID", comment="환자번호", table="A"),
        Item(name="PTNT_NO", comment="환자번호", table="B"),
    )

    assert ("U2", "PAT_ID, PTNT_NO", "PT_NO") in rules(result)


def test_columns_that_would_collide_are_found(lookup: Lookup) -> None:
    """U1: two columns of a table that ask for one name, each named."""
    result = audited(
        lookup,
        Item(name="A", comment="환자명", table="T"),
        Item(name="B", comment="환자 이름", table="T"),
    )

    found = [f for f in result.findings if f.rule == "U1"]
    assert [(f.place, f.severity) for f in found] == [("T.A", "high"), ("T.B", "high")]


@pytest.mark.parametrize(
    ("wrong", "rule", "after"),
    [
        ({"physical_name": "PATIENT_KEY"}, "N1", "PT_ID"),
        ({"domain": "금액N15"}, "D1", "번호V20"),
        ({"data_type": "CHAR(3)"}, "D2", "VARCHAR(20)"),
    ],
)
def test_a_wrong_table_is_corrected(
    lookup: Lookup, wrong: dict[str, str], rule: str, after: str
) -> None:
    """Whoever changed a value after the lookup: the audited table has the glossary's."""
    (right,) = standard_rows([lookup.recommend(Item(name="환자식별자"))], style="UPPER_SNAKE")

    result = audit([right.model_copy(update=wrong)], Standard(lookup), priority=())

    assert result.rows == (right,)
    assert [(f.rule, f.after, f.corrected) for f in result.findings] == [(rule, after, True)]
    assert result.corrections == 1


def test_an_invented_name_is_taken_out(lookup: Lookup) -> None:
    """A name the dictionary does not give cannot leave the audit."""
    invented = Row(
        ordinal=0,
        item=Item(name="Q", comment="환자양자상태", table="T"),
        status="renamed",
        logical_name="환자양자상태",
        physical_name="PT_QNTM_ST",
    )

    result = audit([invented], Standard(lookup), priority=())

    assert (result.rows[0].physical_name, result.rows[0].status) == (None, "unresolved")
    assert any(f.rule == "N1" and f.before == "PT_QNTM_ST" for f in result.findings)


def test_the_planted_faults_of_the_hospital_are_found(
    lookup: Lookup, hospital_schema: Path
) -> None:
    """Every column once; the forbidden word, the double name, the wrong type, the unknown."""
    columns = read_schema_file(hospital_schema).columns

    result = audited(lookup, *columns)

    counts = status_counts(result.rows)
    assert counts == {"found": 0, "composed": 0, "renamed": 32, "standard": 12, "unresolved": 1}
    assert sum(counts.values()) == len(columns)
    assert [row.item.name for row in result.rows if row.status == "unresolved"] == ["QNTM_ST"]
    found = {(f.rule, f.place, f.before, f.after) for f in result.findings}
    assert ("W1", "TB_DOCTOR.USER_NM", "유저", "사용자") in found
    assert ("U2", "TB_PATIENT.PAT_ID", "PAT_ID, PTNT_NO", "PT_NO") in found
    assert (
        "D2",
        "TB_ADMISSION.REG_DT",
        "VARCHAR2(8)",
        "DATETIME (연월일시분초D)",
    ) in found
    assert ("N1", "TB_PATIENT.USE_AT", "USE_AT", "USE_YN") in found
    assert {f.rule for f in result.findings if f.corrected} == {"P1"}
