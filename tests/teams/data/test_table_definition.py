"""Table definitions (테이블정의서): every row is a column, or is named with its sheet and row."""

from pathlib import Path

import openpyxl
import pytest

from minerva_data.core.schema.record import Item, Unparsed
from minerva_data.core.standardising.options import Wishes
from minerva_data.core.standardising.source import open_file

HEAD = ("No", "컬럼ID", "컬럼명", "데이터타입", "길이")
Rows = list[tuple[object, ...]]


def read(path: Path, dialect: str | None = None) -> tuple[list[Item], list[tuple[str, int, str]]]:
    """Return the columns of a file, and the place and reason of each row that is none."""
    found = list(open_file(path, Wishes(dialect=dialect)).columns)
    problems = [
        (one.file.partition(" ")[2], one.line, one.error)
        for one in found
        if isinstance(one, Unparsed)
    ]
    return [one for one in found if isinstance(one, Item)], problems


def workbook(path: Path, sheets: dict[str, Rows]) -> Path:
    """Write a workbook."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


DEFINITION: Rows = [
    ("테이블정의서",),
    ("시스템명", "민원", None, "작성일", "2026-01-01"),
    ("테이블ID", "TN_A", None, "테이블명", "민원"),
    HEAD,
    (1, "A_NO", "민원번호", "VARCHAR2", 20),
    (2, "TBL_NM", "테이블명", "NUMBER", "3,1"),
    (3, None, None, "CHAR", 1),
    ("인덱스", "인덱스명", "구성컬럼"),
    (None, "PK_A", "A_NO"),
    (),
    ("테이블ID", "TN_B", None, "테이블명", "답변"),
    HEAD,
    (1, "B_NO", "답변번호", "NUMBER", 5),
]


def test_several_tables_stand_in_one_sheet(tmp_path: Path) -> None:
    """Titles above the headers name the table; an index list is named once and is no column."""
    sheets: dict[str, Rows] = {"표지": [("테이블정의서",)], "정의": DEFINITION}
    items, problems = read(workbook(tmp_path / "d.xlsx", sheets))

    assert [(one.table, one.name, one.comment, one.data_type, one.line) for one in items] == [
        ("TN_A", "A_NO", "민원번호", "VARCHAR2(20)", 5),
        ("TN_A", "TBL_NM", "테이블명", "NUMBER(3,1)", 6),
        ("TN_B", "B_NO", "답변번호", "NUMBER(5)", 13),
    ]
    assert [(sheet, line) for sheet, line, _ in problems] == [("표지", 1), ("정의", 7), ("정의", 8)]
    assert "lists no columns" in problems[0][2]
    assert problems[1][2] == "it names no column"
    assert problems[2][2] == "rows 8 to 9 list indexes or the like, no columns"


def test_a_sheet_is_a_table_where_several_list_columns(tmp_path: Path) -> None:
    """The sheet's own name is the table's, if no row says another."""
    rows: Rows = [HEAD, (1, "A_NO", "번호", "CHAR", 3)]
    sheets: dict[str, Rows] = {"TB_A": rows, "사원": rows, "TB_C": [("테이블명: TB_D",), *rows]}
    items, problems = read(workbook(tmp_path / "d.xlsx", sheets))

    assert [(one.table, one.name) for one in items] == [
        ("TB_A", "A_NO"),
        ("사원", "A_NO"),
        ("TB_D", "A_NO"),
    ]
    assert problems == []


@pytest.mark.parametrize(
    "header",
    [
        "컬럼ID,컬럼명,컬럼설명",
        "컬럼명,컬럼ID,비고",
        "컬럼영문명,컬럼한글명,설명",
        "컬럼명(영문),컬럼명(한글),타입",
        "영문명,한글명,타입",
        "물리명,논리명,주석",
    ],
)
def test_physical_and_logical_names_are_told_apart(tmp_path: Path, header: str) -> None:
    """Whichever header stands first, 컬럼ID is the name and 컬럼명 says it in words."""
    is_turned = header.startswith("컬럼명,")
    cells = "민원번호,A_NO" if is_turned else "A_NO,민원번호"
    file = tmp_path / "list.csv"
    file.write_bytes(f"민원시스템 컬럼 목록\n\n{header}\n{cells},x\n".encode("cp949"))

    items, problems = read(file)

    assert [(one.name, one.comment) for one in items] == [("A_NO", "민원번호")]
    assert problems == []


def test_a_merged_cell_names_the_table_of_the_rows_below_it(tmp_path: Path) -> None:
    """It holds its text once; a list that repeats the name in each row has no such cells."""
    file = tmp_path / "list.csv"
    head = "테이블명,컬럼명,컬럼한글명\n"
    file.write_text(f"{head}A,X,가\n,Y,나\nB,X,가\n", encoding="utf-8")
    merged, _ = read(file)
    file.write_text(f"{head}A,X,가\nA,Y,나\n,Z,다\n", encoding="utf-8")
    repeated, _ = read(file)

    assert [one.table for one in merged] == ["A", "A", "B"]
    assert [one.table for one in repeated] == ["A", "A", None]


def test_a_list_keeps_schema_and_case(tmp_path: Path) -> None:
    """A schema stands in a column of its own or before the table; both cases want quoting."""
    file = tmp_path / "list.csv"
    rows = "crm,customer,emailAddr\nsales,customer,EMAIL\n,hr.staff,EMAIL\n"
    file.write_text(f"table_schema,table_name,column_name\n{rows}", encoding="utf-8")

    items, _ = read(file, "postgres")

    assert [(one.full_table, one.name, one.is_exact) for one in items] == [
        ("crm.customer", "emailAddr", True),
        ("sales.customer", "EMAIL", False),
        ("hr.staff", "EMAIL", False),
    ]
