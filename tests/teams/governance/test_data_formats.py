"""The same rows give the same findings from every format; hidden and nested places are read."""

import csv
import sqlite3
from collections.abc import Callable
from pathlib import Path

import duckdb
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl.comments import Comment

from minerva_governance.core.detection.data_file_scan import open_tables, scan_files
from minerva_governance.core.reading.source_files import Source
from minerva_governance.core.tables.data_table import Omissions
from minerva_reading import UnreadableError

_NAMES = ("name", "email", "age")
_ROWS = [
    (f"p{at}", "" if at != 2_998 else "kim.minsu@example.co.kr", str(at)) for at in range(3_000)
]


def _csv(path: Path) -> None:
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([_NAMES, *_ROWS])


def _xlsx(path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in (_NAMES, *_ROWS):
        sheet.append(row)
    book.save(path)


def _parquet(path: Path) -> None:
    columns = dict(zip(_NAMES, zip(*_ROWS, strict=True), strict=True))
    pq.write_table(pa.table({name: list(cells) for name, cells in columns.items()}), path)


def _duckdb(path: Path) -> None:
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE t (name VARCHAR, email VARCHAR, age VARCHAR)")
        columns = [list(cells) for cells in zip(*_ROWS, strict=True)]
        database.execute("INSERT INTO t SELECT unnest(?), unnest(?), unnest(?)", columns)


def _sqlite(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE t (name, email, age)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?)", _ROWS)
    database.close()


@pytest.mark.small(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.xlsx", _xlsx),
        ("a[1]*.parquet", _parquet),
        ("a'b.duckdb", _duckdb),
        ("a.db", _duckdb),
        ("a.sqlite", _sqlite),
    ],
)
def test_every_format_gives_what_csv_gives(
    name: str, write: Callable[[Path], None], tmp_path: Path
) -> None:
    """The columns found, their counts and rows are those of the CSV."""
    path, plain = tmp_path / name, tmp_path / "plain.csv"
    write(path)
    _csv(plain)
    both = scan_files([Source.of(plain), Source.of(path)], promises={}, language="en")
    expected, found = both.scans
    assert [use.status for use in both.uses] == ["used", "used"]
    assert found.rows == expected.rows == 3_000
    assert found.columns == expected.columns
    assert "2999" in found.model_dump_json()


def test_reads_hidden_sheets_and_numbers_rows_as_they_stand(tmp_path: Path) -> None:
    """A very hidden sheet is a table; empty rows count."""
    book = openpyxl.Workbook()
    book.worksheets[0].append(["a"])
    hidden = book.create_sheet("secret")
    hidden.sheet_state = "veryHidden"
    hidden["A1"], hidden["A4"] = "mail", "kim@example.co.kr"
    book.save(tmp_path / "b.xlsx")
    tables = open_tables(Source.of(tmp_path / "b.xlsx"))
    assert [each.name for each in tables] == ["b.xlsx.Sheet", "b.xlsx.secret"]
    assert list(tables[1].rows(Omissions())) == [(3, [("mail", "kim@example.co.kr")])]


def test_reads_structs_lists_and_maps_item_by_item(tmp_path: Path) -> None:
    """A map's keys are values, never names of columns."""
    path = tmp_path / "n.parquet"
    with duckdb.connect() as database:
        database.execute(
            "COPY (SELECT {'mail': 'a@b.kr', 'tags': ['x', 'y']} AS who, MAP {'k@l.kr': 1} AS m, "
            f"TIMESTAMPTZ '2026-01-02 00:00:00+00' AS t) TO '{path}'"
        )
    (table,) = open_tables(Source.of(path))
    (row,) = table.rows(Omissions())
    assert row.cells[:5] == [
        ("who.mail", "a@b.kr"),
        *[("who.tags", "x"), ("who.tags", "y")],
        *[("m.key", "k@l.kr"), ("m.value", "1")],
    ]
    assert row.cells[5][0] == "t"


@pytest.mark.parametrize("name", ["x.xlsx", "x.parquet", "x.duckdb"])
def test_says_that_a_file_is_not_what_its_name_says(name: str, tmp_path: Path) -> None:
    """The reason quotes nothing of the file."""
    (tmp_path / name).write_bytes(b"kim@example.co.kr")
    with pytest.raises(UnreadableError) as error:
        open_tables(Source.of(tmp_path / name))
    assert "kim" not in str(error.value)


def test_reads_tables_of_other_schemas_and_with_points_in_their_names(tmp_path: Path) -> None:
    """A point in a name is no border of a schema."""
    with duckdb.connect(str(tmp_path / "s.duckdb")) as database:
        database.execute("CREATE SCHEMA hr; CREATE TABLE hr.staff AS SELECT 1 AS a")
        database.execute('CREATE TABLE "x.y" AS SELECT 2 AS b')
    tables = open_tables(Source.of(tmp_path / "s.duckdb"))
    assert [(each.name, list(each.rows(Omissions()))) for each in tables] == [
        ("s.duckdb.hr.staff", [(1, [("a", "1")])]),
        ("s.duckdb.x.y", [(1, [("b", "2")])]),
    ]


def test_counts_formulas_without_a_result(tmp_path: Path) -> None:
    """What was never computed cannot pass unseen."""
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.append(["a", "b"])
    sheet.append(["x", '="900101-"&"1234567"'])
    book.save(tmp_path / "f.xlsx")
    (table,) = open_tables(Source.of(tmp_path / "f.xlsx"))
    skipped = Omissions()
    assert len(list(table.rows(skipped))) == 1
    assert skipped.uncomputed_formulas == 1
    (scan,) = scan_files([Source.of(tmp_path / "f.xlsx")], promises={}, language="en").scans
    assert any("formulas" in gap for gap in scan.gaps)


def test_comments_on_cells_are_named_as_not_looked_at(tmp_path: Path) -> None:
    """A person's number may stand in one."""
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.append(["a"])
    sheet.append(["x"])
    sheet["A2"].comment = Comment("880505-1234567", "kim")
    book.save(tmp_path / "c.xlsx")
    (scan,) = scan_files([Source.of(tmp_path / "c.xlsx")], promises={}, language="en").scans

    assert scan.gaps == ("comments on cells, not looked at (sheets: 1).",)


@pytest.mark.parametrize("name", ["t.parquet", "t.duckdb"])
def test_a_declared_type_refutes_a_name(tmp_path: Path, name: str) -> None:
    """Days and flags are no phones; texts of another column that is named so are."""
    path = tmp_path / name
    made = (
        "SELECT i % 2 = 0 AS phone, DATE '2024-01-01' + i::INTEGER AS email, "
        "i::BIGINT AS ssn, 'x' AS hp FROM range(5) AS numbers(i)"
    )
    with duckdb.connect(str(path) if name == "t.duckdb" else ":memory:") as database:
        target = f"TO '{path}' (FORMAT parquet)"
        database.execute(f"CREATE TABLE t AS {made}")
        if name == "t.parquet":
            database.execute(f"COPY t {target}")

    (scan,) = scan_files([Source.of(path)], promises={}, language="en").scans

    promised = {column.name: column.promised for column in scan.columns}
    assert promised == {"phone": None, "email": None, "ssn": "US_SSN", "hp": "PHONE"}
