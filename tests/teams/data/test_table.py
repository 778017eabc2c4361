"""Rows, their fates, their order, and the files made of them."""

import csv
import io
from itertools import chain

import pytest
from hypothesis import given, settings, strategies as st

from minerva_data.core.audit.style import Style, stated_style, styled
from minerva_data.core.audit.table import final_name, standard_rows, status_counts, tables_of_rows
from minerva_data.core.glossary.datatype import difference
from minerva_data.core.glossary.entry import SubjectArea
from minerva_data.core.glossary.glossary import Glossary, seed_glossary
from minerva_data.core.glossary.priority import (
    DEFAULT_PRIORITY,
    inversions,
    order_rows,
    stated_priority,
)
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.export import MAPPING_HEADER, mapping_csv, row_values
from minerva_data.core.schema.migration import migration_sql, rollback_sql
from minerva_data.core.schema.record import Item, Row
from minerva_platform.text import write_csv

LOOKUP = Lookup(seed_glossary())
COMMENTS = ["환자명", "환자 이름", "환자번호", "사용여부", "양자", "입원일자", "", "코드", "환자"]


def rows_of(*columns: tuple[str, str], table: str = "T") -> tuple[Row, ...]:
    """Return the rows of one table's columns, each with its comment."""
    items = (Item(name=name, comment=comment, table=table) for name, comment in columns)
    return standard_rows((LOOKUP.recommend(item) for item in items), style="UPPER_SNAKE")


def test_a_column_has_one_of_three_fates() -> None:
    """Renamed, standard already, or unresolved."""
    rows = rows_of(("PAT_NM", "환자명"), ("use_yn", "사용여부"), ("Q", "양자"))

    assert [row.status for row in rows] == ["renamed", "standard", "unresolved"]
    counts = {"found": 0, "composed": 0, "renamed": 1, "standard": 1, "unresolved": 1}
    assert status_counts(rows) == counts


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from(COMMENTS)), max_size=9))
def test_table_by_table_gives_the_same_rows(columns: list[tuple[str, str]]) -> None:
    """A schema too large to hold gets the rows that a small one gets."""
    items = [
        Item(name=f"C{n}", comment=comment, table=table)
        for n, (table, comment) in enumerate(sorted(columns))
    ]
    found = [LOOKUP.recommend(item) for item in items]

    held = standard_rows(found, style="UPPER_SNAKE")
    streamed = chain.from_iterable(tables_of_rows(iter(found), style="UPPER_SNAKE"))
    file = io.StringIO()

    write_csv(file, MAPPING_HEADER, map(row_values, streamed))
    assert file.getvalue() == mapping_csv(held)


def test_two_columns_never_get_one_name() -> None:
    """Both renames are refused: one comment may be wrong, and the migration would fail."""
    rows = rows_of(("A", "환자명"), ("B", "환자 이름"), ("C", "환자번호"))

    assert [(row.status, row.reason) for row in rows] == [
        ("unresolved", "collision"),
        ("unresolved", "collision"),
        ("renamed", None),
    ]


def test_a_name_that_is_taken_is_not_given_again() -> None:
    """The column that has the name keeps it, the one that would get it is refused."""
    rows = rows_of(("PT_NM", "환자명"), ("B", "환자 이름"))

    assert [row.status for row in rows] == ["standard", "unresolved"]


def test_the_same_name_in_two_tables_is_fine() -> None:
    """Tables have names of their own."""
    rows = rows_of(("A", "환자명"), table="T1") + rows_of(("A", "환자명"), table="T2")

    assert {row.status for row in rows} == {"renamed"}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["A", "B", "PT_NM", "pt_nm", "USE_YN", "PT_NO", "C D", "한글"]),
            st.sampled_from(COMMENTS),
        ),
        max_size=8,
        unique_by=lambda column: column[0].casefold(),
    )
)
def test_every_column_is_accounted_for_once(columns: list[tuple[str, str]]) -> None:
    """Counts add up, no two columns end with one name, and the migration gets there."""
    rows = rows_of(*columns)

    counts = status_counts(rows)
    assert counts["renamed"] + counts["standard"] + counts["unresolved"] == len(columns)
    assert [row.item.name for row in rows] == [name for name, _ in columns]
    finals = [final_name(row).casefold() for row in rows]
    assert len(finals) == len(set(finals))
    assert sorted(run(migration_sql(rows), [name for name, _ in columns])) == sorted(finals)


def run(migration: str, columns: list[str]) -> list[str]:
    """Apply the renames to a list of column names as a database would; fail where it would."""
    names = {name.casefold() for name in columns}
    for line in migration.splitlines():
        if line.startswith("ALTER"):
            old, _, new = line.partition(" RENAME COLUMN ")[2].rstrip(";").partition(" TO ")
            old, new = old.strip('"').casefold(), new.strip('"').casefold()
            assert old in names
            assert new not in names - {old}
            names = names - {old} | {new}
    return list(names)


def test_a_ring_of_names_is_opened() -> None:
    """Two columns that swap names go through a third."""
    rows = rows_of(("PT_NO", "환자명"), ("PT_NM", "환자번호"))

    assert run(migration_sql(rows), ["PT_NO", "PT_NM"]) != []
    assert migration_sql(rows).count("ALTER TABLE") == 3


def test_the_migration_quotes_what_is_not_plain() -> None:
    """A column name can neither end the statement nor start another."""
    rows = rows_of(('x"; DROP TABLE T; --\n', "환자명"), table="T; DELETE")

    statements = [line for line in migration_sql(rows).splitlines() if not line.startswith("--")]
    assert statements == ['ALTER TABLE "T; DELETE" RENAME COLUMN "x""; DROP TABLE T; --" TO PT_NM;']


def test_the_mapping_holds_every_row_and_no_formula() -> None:
    """A spreadsheet must not run what a comment says."""
    rows = rows_of(("A", "=cmd|' /C calc'!A0"), ("B", "환자,명\n둘"))

    read = list(csv.DictReader(io.StringIO(mapping_csv(rows))))
    assert [row["column"] for row in read] == ["A", "B"]
    assert read[0]["comment"] == "'=cmd|' /C calc'!A0"


@given(st.lists(st.sampled_from([*DEFAULT_PRIORITY, "가나정보", None]), max_size=12))
def test_ordering_removes_every_inversion(areas: list[str | None]) -> None:
    """Sorted rows have no pair out of order, and rows of one area keep theirs."""
    rows = [
        Row(ordinal=n, item=Item(name=str(n)), status="found", subject_area=area)
        for n, area in enumerate(areas)
    ]

    sorted_rows = order_rows(rows, DEFAULT_PRIORITY)

    assert inversions((row.subject_area for row in sorted_rows), DEFAULT_PRIORITY) == 0
    assert sorted(row.ordinal for row in sorted_rows) == list(range(len(rows)))
    for area in set(areas):
        places = [row.ordinal for row in sorted_rows if row.subject_area == area]
        assert places == sorted(places)


@pytest.mark.parametrize(
    ("request_text", "first"),
    [
        ("도메인 우선순위로 정렬해줘", list(DEFAULT_PRIORITY)),
        ("우선순위는 진료정보, 환자정보 순으로", ["진료정보", "환자정보", "청구정보", "공통"]),
        ("청구정보 > 공통 > 환자정보", ["청구정보", "공통", "환자정보", "진료정보"]),
        ("공통을 먼저 보여줘", ["공통", "환자정보", "진료정보", "청구정보"]),
        ("환자정보, 진단정보, 공통 순으로", ["환자정보", "진단정보", "공통", "진료정보"]),
        ("sort by billing information, then patient", ["청구정보", "환자정보"]),
        ("clinical information first", ["진료정보", "환자정보"]),
        ("sort the patient columns by priority", list(DEFAULT_PRIORITY)),
        ("개인정보 보호 규칙 우선으로 정리해줘", list(DEFAULT_PRIORITY)),
        ("환자정보 컬럼의 약어를 알려줘", list(DEFAULT_PRIORITY)),
    ],
)
def test_a_request_may_state_the_order(
    glossary: Glossary, request_text: str, first: list[str]
) -> None:
    """Named areas come first as named; what is not named keeps the default order."""
    areas: list[SubjectArea] = list(glossary.subject_areas.values())

    assert list(stated_priority(request_text, areas, DEFAULT_PRIORITY))[: len(first)] == first


@pytest.mark.parametrize(
    ("request_text", "style", "name"),
    [
        ("물리명은 카멜 케이스로", "camel", "ptHsptlzYmd"),
        ("in lower case please", "lower_snake", "pt_hsptlz_ymd"),
        ("표준 약어", "UPPER_SNAKE", "PT_HSPTLZ_YMD"),
    ],
)
def test_a_request_may_state_the_style(request_text: str, style: Style, name: str) -> None:
    """A style changes the letters and the joints, never the parts."""
    found = stated_style(request_text, "UPPER_SNAKE")

    assert found == style
    assert styled("PT_HSPTLZ_YMD", found) == name


@pytest.mark.parametrize(
    ("declared", "dialect", "domain", "severity"),
    [
        ("CHAR(1)", None, "여부C1", None),
        ("VARCHAR2(20 BYTE)", "oracle", "번호V20", None),
        ("NUMBER(15)", "oracle", "금액N15", None),
        ("NUMERIC(15, 4)", None, "값N15,4", None),
        ("DATE", "oracle", "연월일시분초D", None),
        ("TIMESTAMP", "postgres", "연월일시분초D", None),
        ("DATE", "mysql", "연월일시분초D", "high"),
        ("VARCHAR(8)", None, "연월일시분초D", "high"),
        ("DATE", "oracle", "연월일C8", "high"),
        ("VARCHAR2(8)", "oracle", "연월일C8", "low"),
        ("VARCHAR(200)", None, "명V100", "medium"),
        ("VARCHAR(50)", None, "명V100", "low"),
        ("INT", "mysql", "수N10", "low"),
        ("TEXT", "mysql", "명V100", "medium"),
        ("NUMBER", "oracle", "금액N15", "medium"),
        ("XMLTYPE", "oracle", "명V100", "medium"),
    ],
)
def test_types_are_compared_with_their_domain(
    glossary: Glossary, declared: str, dialect: str | None, domain: str, severity: str | None
) -> None:
    """High: values must be converted; medium: they may not fit; low: only declared otherwise."""
    assert difference(declared, glossary.domains[domain], dialect=dialect) == severity


def test_a_rename_that_is_not_sure_enough_is_a_comment() -> None:
    """Nor is one live that needs the name which the unsure column keeps."""
    doubtful, follower, sure = (
        Row(ordinal=0, item=Item(name="A", table="T"), status="renamed",
            physical_name="B", confidence=0.42),
        Row(ordinal=1, item=Item(name="C", table="T"), status="renamed",
            physical_name="A", confidence=1.0),
        Row(ordinal=2, item=Item(name="D", table="T"), status="renamed",
            physical_name="E", confidence=0.7),
    )  # fmt: skip
    lines = migration_sql([doubtful, follower, sure]).splitlines()

    assert [line for line in lines if not line.startswith("--")] == [
        "ALTER TABLE T RENAME COLUMN D TO E;"
    ]
    assert lines[-2:] == ["-- Not sure enough: T.A -> B", "-- Not sure enough: T.C -> A"]
    assert "RENAME COLUMN E TO D" in rollback_sql([doubtful, follower, sure])
