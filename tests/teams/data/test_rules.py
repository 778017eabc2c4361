"""The rules of the audit: each on a case it is for, and on the like that it must leave alone."""

from dataclasses import replace

import pytest

from minerva_data.core.audit.auditing import audit
from minerva_data.core.audit.rule import Standard
from minerva_data.core.audit.table import standard_rows
from minerva_data.core.glossary.datatype import type_change
from minerva_data.core.glossary.glossary import Glossary
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.record import Finding, Item, Row, Severity

LONG = "청구수납보험급여진료예약접수일시"


def findings(
    lookup: Lookup, rule: str, *items: Item, priority: tuple[str, ...] = ()
) -> list[Finding]:
    """Return what one rule says about a fresh table of these items."""
    rows = standard_rows(map(lookup.recommend, items), style="UPPER_SNAKE")
    result = audit(rows, Standard(lookup), priority=priority)
    return [found for found in result.findings if found.rule == rule]


def column(
    name: str, comment: str, data_type: str | None = None, dialect: str | None = None
) -> Item:
    """Return a column of table T."""
    return Item(name=name, comment=comment, data_type=data_type, table="T", dialect=dialect)


@pytest.mark.parametrize(
    ("rule", "item", "before", "after", "severity"),
    [
        ("W1", column("USER_NM", "유저명"), "유저", "사용자", "medium"),
        ("W2", column("PT_NM", "환자 이름"), "이름", "명", "low"),
        ("W3", column("PT_ID", "차트식별자"), "차트식별자", "환자식별자", "medium"),
        ("W3", column("PT_GRD_CD", "환자등급코드"), "환자등급코드", "", "medium"),
        ("N1", column("USE_AT", "사용여부"), "USE_AT", "USE_YN", "medium"),
        ("N2", column("X", LONG), "CLM_RCPT_INSR_BNFT_MDTRT_RSVT_RCEP_DT", "", "medium"),
        ("N3", column("양자값", "양자"), "양자값", "", "low"),
        ("N4", Item(name="환자등록"), "환자등록", "", "medium"),
        ("D2", column("USE_YN", "사용여부", "VARCHAR(10)"), "VARCHAR(10)", "CHAR(1) (여부C1)",
         "medium"),
        ("D3", Item(name="환자등록"), "", "", "low"),
        ("K1", column("ORDER", "양자", dialect="mysql"), "ORDER", "", "medium"),
    ],
)  # fmt: skip
def test_a_rule_finds_its_case(  # one case per line reads best
    lookup: Lookup, rule: str, item: Item, before: str, after: str, severity: Severity
) -> None:
    """It says what is there, what the standard asks for, how bad it is, and why."""
    (found,) = findings(lookup, rule, item)

    assert (found.before, found.after, found.severity) == (before, after, severity)
    assert not found.corrected
    resolved = lookup.recommend(item).best is not None
    assert bool(found.citations) == resolved


def test_a_reserved_word_as_a_new_name_is_found(glossary: Glossary) -> None:
    """K1: a term may be called what a database reserves; the rename would need quotes for ever."""
    level = replace(glossary.terms["순번"], name="수준", physical_name="LEVEL", synonyms=())
    lookup = Lookup(
        Glossary(
            words=glossary.words.values(),
            domains=glossary.domains.values(),
            terms=[level],
            subject_areas=glossary.subject_areas.values(),
        )
    )

    (found,) = findings(lookup, "K1", column("LVL", "수준", dialect="oracle"))

    assert (found.before, found.after, found.severity) == ("LEVEL", "", "high")


@pytest.mark.parametrize(
    ("rule", "item"),
    [
        ("W1", column("USER_NM", "사용자명")),
        ("W2", column("PT_NM", "환자명")),
        ("W3", column("PT_ID", "환자식별자")),
        ("N1", column("use_yn", "사용여부")),
        ("N2", column("PT_HSPTLZ_YMD", "환자입원일자")),
        ("N3", column("use_yn", "사용여부")),
        ("N4", column("PT_REG_DT", "환자등록일시")),
        ("D1", column("PT_ID", "환자식별자", "VARCHAR(20)")),
        ("D2", column("USE_YN", "사용여부", "CHAR(1)")),
        ("D2", column("REG_DT", "등록일시", "DATE", dialect="oracle")),
        ("D3", column("PT_ID", "환자식별자")),
        ("U1", column("PT_ID", "환자식별자")),
        ("U2", column("PT_ID", "환자식별자")),
        ("P1", column("PT_ID", "환자식별자")),
        ("K1", column("USR", "사용자명", dialect="oracle")),
        ("K1", column("NAME", "양자", dialect="postgres")),
    ],
)
def test_a_rule_leaves_the_like_alone(lookup: Lookup, rule: str, item: Item) -> None:
    """A finding on what is right would teach people to ignore findings."""
    assert findings(lookup, rule, item, priority=("환자정보",)) == []


def test_two_meanings_of_one_name_are_found_and_two_tables_with_one_are_not(
    lookup: Lookup,
) -> None:
    """U1: two columns of a table that ask for one name; the same name elsewhere is fine."""
    clash = findings(lookup, "U1", column("A", "환자명"), column("B", "환자 이름"))
    apart = findings(
        lookup, "U1", column("A", "환자명"), Item(name="B", comment="환자명", table="S")
    )

    assert [(found.place, found.severity) for found in clash] == [("T.A", "high"), ("T.B", "high")]
    assert apart == []


def test_two_names_of_one_meaning_are_found(lookup: Lookup) -> None:
    """U2: over all tables; a column that is spelled alike everywhere is fine."""
    two = [column("PAT_ID", "환자번호"), Item(name="PTNT_NO", comment="환자번호", table="S")]
    one = [column("PTNT_NO", "환자번호"), Item(name="ptnt_no", comment="환자번호", table="S")]

    (found,) = findings(lookup, "U2", *two)
    assert (found.before, found.after, found.severity) == ("PAT_ID, PTNT_NO", "PT_NO", "medium")
    assert findings(lookup, "U2", *one) == []


def test_a_domain_of_another_class_is_corrected(lookup: Lookup) -> None:
    """D1: whoever wrote 금액N15 beside 환자식별자, the audited row has the domain of its class."""
    (row,) = standard_rows([lookup.recommend(Item(name="환자식별자"))], style="UPPER_SNAKE")

    result = audit([row.model_copy(update={"domain": "금액N15"})], Standard(lookup), priority=())

    (found,) = result.findings
    assert (found.rule, found.before, found.after) == ("D1", "금액N15", "번호V20")
    assert found.corrected
    assert found.citations


def test_rows_out_of_order_are_counted_and_sorted(lookup: Lookup) -> None:
    """P1: the pairs that stand in the wrong order; none in the right one."""
    names = ("USE_YN", "DGNS_CD", "PT_ID")
    rows: list[Row] = list(
        standard_rows((lookup.recommend(Item(name=n)) for n in names), style="UPPER_SNAKE")
    )
    priority = ("환자정보", "진료정보", "공통")

    wrong = audit(rows, Standard(lookup), priority=priority)
    right = audit(rows[::-1], Standard(lookup), priority=priority)

    assert [(f.rule, f.before, f.corrected) for f in wrong.findings] == [("P1", "3", True)]
    assert right.findings == ()


def test_the_worst_stands_first(lookup: Lookup) -> None:
    """People read from the top, and stop."""
    rows = standard_rows(
        map(
            lookup.recommend, [column("A", "환자 이름"), column("USR", "사용자", dialect="oracle")]
        ),
        style="UPPER_SNAKE",
    )

    found = audit(rows, Standard(lookup), priority=()).findings

    assert [one.severity for one in found] == sorted(
        (one.severity for one in found), key=["high", "medium", "low"].index
    )


def test_two_terms_that_number_one_thing_are_asked_about(lookup: Lookup) -> None:
    """U3: 환자번호 and 환자식별자 may be one; a date and a time of day, or two things, are not."""
    keys = [column("PT_NO", "환자번호"), Item(name="PT_ID", comment="환자식별자", table="S")]
    others = [
        *(column("REG_YMD", "등록일자"), column("REG_DT", "등록일시")),
        *(column("PT_NO", "환자번호"), column("DCTR_NO", "의사번호")),
    ]

    (found,) = findings(lookup, "U3", *keys)
    assert found.before == "환자번호 = PT_NO, 환자식별자 = PT_ID"
    assert (found.place, found.after, found.severity) == ("T.PT_NO", "", "low")
    assert findings(lookup, "U3", *others) == []


@pytest.mark.parametrize(
    ("declared", "wanted", "dialect", "change"),
    [
        ("VARCHAR2(10)", "CHAR(3)", "oracle", "narrower"),
        ("VARCHAR2(8)", "CHAR(8)", "oracle", "fits"),
        ("DATE", "CHAR(8)", "oracle", "converted"),  # a time and a text are two forms
        ("DATE", "CHAR(8)", "postgres", "converted"),
        ("TIMESTAMP", "DATE", "postgres", "narrower"),
        ("NUMBER(3)", "NUMERIC(5)", "oracle", "fits"),
        ("NUMBER", "NUMERIC(15)", "oracle", "narrower"),
        ("NUMBER(10,2)", "NUMERIC(15)", "oracle", "narrower"),  # its fraction
        ("BIGINT", "NUMERIC(10)", "mysql", "narrower"),
        ("INT", "NUMERIC(10)", "mysql", "fits"),
        ("TEXT", "VARCHAR(100)", "mysql", "narrower"),
        ("NUMBER(13)", "CHAR(10)", "oracle", "narrower"),
        ("VARCHAR2(8)", "DATETIME", "oracle", "converted"),
        ("VARCHAR(20)", "VARCHAR(20)", "mysql", ""),
        ("GEOMETRY", "VARCHAR(20)", "mysql", ""),
    ],
)
def test_a_type_with_less_room_is_told(
    declared: str, wanted: str, dialect: str, change: str
) -> None:
    """Characters, digits before and behind the point, and the time of day."""
    assert type_change(declared, wanted, dialect=dialect) == change
