"""Every row of a large file is looked at, whatever its format and whoever reads it."""

import csv
import io
import json
import random
import sqlite3
from functools import cache
from pathlib import Path

import duckdb
import openpyxl
import pytest
from forms import IS_WHOLE, spread

from minerva_governance.core.detection.column_tally import TableTally
from minerva_governance.core.detection.data_file_scan import open_tables
from minerva_governance.core.detection.table_scan import SMALL_ROWS, DataScan, scan_data
from minerva_governance.core.reading.source_files import Source
from minerva_governance.core.tables.data_table import MAX_COLUMNS, Omissions

ROWS = SMALL_ROWS * 2 if IS_WHOLE else SMALL_ROWS + 300
LATE = "880505-1234567"
NAMES = ("ORDER_NO", "CUST_NM", "HP_NO", "EMAIL", "BRTH_DE", "ID_CARD", "MEMO", "CPHR")


@cache
def table() -> list[tuple[str, ...]]:
    """Return rows of eight columns; a resident number stands in the last memo but one."""
    rng = random.Random(18)  # noqa: S311  # the same rows each time
    rows: list[tuple[str, ...]] = [
        (
            f"ORD-{at:06}",
            rng.choice(["김민준", "이서연", "Anna Schmidt", "", "박, 지호"]),
            rng.choice(["010-1234-5678", "01098765432", "02-123-4567", "없음", "0"]),
            rng.choice(["kim@example.com", "x", 'say "hi"', "N/A"]),
            rng.choice(["1985-03-07", "19850307", "85.3.7", "unknown"]),
            rng.choice(["9001011234567", "901301-1234567", "880229-2234567", "12345"]),
            rng.choice(["주민번호 없음", "call 010-2222-3333", "a\nb", "여권 M12345678"]),
            rng.choice(["Z2NtLXNpdg==a1", "MDEwLTEyMzQtNTY3OA==", "***", "-"]),
        )
        for at in range(ROWS)
    ]
    rows[-2] = (*rows[-2][:6], LATE, rows[-2][7])
    return rows


def as_csv(path: Path, rows: list[tuple[str, ...]], *, delimiter: str, encoding: str) -> None:
    """Write a delimited file."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows([NAMES, *rows])
    path.write_bytes(text.getvalue().encode(encoding))


def as_parquet(path: Path, rows: list[tuple[str, ...]]) -> None:
    """Write a Parquet file by way of a CSV."""
    as_csv(path.with_suffix(".tmp"), rows, delimiter=",", encoding="utf-8")
    with duckdb.connect() as database:
        database.execute(
            f"COPY (SELECT * FROM read_csv('{path.with_suffix('.tmp')}', all_varchar = true, "  # noqa: S608
            f"header = true)) TO '{path}' (FORMAT parquet)"
        )


def as_duckdb(path: Path, rows: list[tuple[str, ...]]) -> None:
    """Write a DuckDB database of one table."""
    as_csv(path.with_suffix(".tmp"), rows, delimiter=",", encoding="utf-8")
    with duckdb.connect(str(path)) as database:
        database.execute(
            f"CREATE TABLE t AS SELECT * FROM read_csv('{path.with_suffix('.tmp')}', "  # noqa: S608
            "all_varchar = true, header = true)"
        )


def as_sqlite(path: Path, rows: list[tuple[str, ...]]) -> None:
    """Write a SQLite database of one table."""
    with sqlite3.connect(path) as database:
        database.execute(f"CREATE TABLE t ({', '.join(NAMES)})")
        database.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(NAMES))})", rows)  # noqa: S608
    database.close()


def as_xlsx(path: Path, rows: list[tuple[str, ...]]) -> None:
    """Write a workbook of one sheet."""
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("t")
    for row in [NAMES, *rows]:
        sheet.append(row)
    book.save(path)


def as_jsonl(path: Path, rows: list[tuple[str, ...]]) -> None:
    """Write one object a line."""
    lines = (json.dumps(dict(zip(NAMES, row, strict=True)), ensure_ascii=False) for row in rows)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


FILES = (
    *(
        "t.csv",
        "t.tsv",
        "t.parquet",
        "t.duckdb",
        "cp949.csv",
        "utf16.csv",
        "t.xlsx",
        "t.db",
        "t.jsonl",
    ),
)
"""Every second has a reader of its own: the others are read by that of the one before."""


def seen(scan: DataScan) -> object:
    """Return all that a scan says of its columns."""
    return [column.model_dump(exclude={"readable"}) for column in scan.columns]


@pytest.fixture(scope="module")
def by_cells(tmp_path_factory: pytest.TempPathFactory) -> object:
    """Return what looking cell by cell gives."""
    path = tmp_path_factory.mktemp("cells") / "t.csv"
    as_csv(path, table(), delimiter=",", encoding="utf-8")
    (data,) = open_tables(Source.of(path))
    tally = TableTally(data.columns, {})
    for number, cells in data.rows(Omissions()):
        for name, cell in cells:
            column = tally.column(name)
            assert column is not None
            column.add(number, cell)
            column.count_keys((cell,))
    return [column.result().model_dump(exclude={"readable"}) for column in tally.columns.values()]


@pytest.mark.slow
@pytest.mark.parametrize("name", spread(FILES, 2))
def test_every_format_says_what_looking_cell_by_cell_says(
    tmp_path: Path, by_cells: object, name: str
) -> None:
    """DuckDB's own reading, batches and cells give the same counts and the same first rows."""
    path, rows = tmp_path / name, table()
    writers = {
        ".parquet": as_parquet,
        ".duckdb": as_duckdb,
        ".db": as_sqlite,
        ".xlsx": as_xlsx,
        ".jsonl": as_jsonl,
    }
    if path.suffix in writers:
        writers[path.suffix](path, rows)
    else:
        encoding = {"utf16.csv": "utf-16", "cp949.csv": "cp949"}.get(name, "utf-8")
        delimiter = "\t" if path.suffix == ".tsv" else ","
        as_csv(path, rows, delimiter=delimiter, encoding=encoding)
    (data,) = open_tables(Source.of(path))
    scan = scan_data(data)

    assert (scan.rows, scan.gaps) == (ROWS, ())
    assert seen(scan) == by_cells
    memo = scan.columns[NAMES.index("MEMO")]
    assert [hit.row for hit in memo.evidence["KR_RRN"]] == [ROWS - 1]


@pytest.mark.small(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("spoiled", "gap"),
    [
        ('1,"open', "broken rows"),
        ("1,2,3", "rows with more cells than columns: 1."),
        ("1", None),
        ("1,\x00", None),
        ("1," + "x" * 1_200_000, "rows too long to be read: 1."),
    ],
)
def test_a_row_that_breaks_the_format_costs_no_other(
    tmp_path: Path, spoiled: str, gap: str | None
) -> None:
    """DuckDB refuses the file; it is read by lines, and the number behind the fault is found."""
    rows = ["A,B", *["1,x"] * ROWS, spoiled, *["1,x"] * 10, f"1,{LATE}", "1,x"]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (data,) = open_tables(Source.of(tmp_path / "t.csv"))
    scan = scan_data(data)

    assert scan.columns[1].hits == {"KR_RRN": 1}
    assert [each[: len(gap)] for each in scan.gaps] == [gap] if gap else scan.gaps == ()


@pytest.mark.slow
def test_a_byte_that_is_no_text_names_its_row(tmp_path: Path) -> None:
    """The officer finds it in the file."""
    body = b"A,B\n" + b"1,x\n" * ROWS + b"1,\xff\xfe\n" + b"1,x\n" * 5
    (tmp_path / "t.csv").write_bytes(body)
    (data,) = open_tables(Source.of(tmp_path / "t.csv"))

    assert scan_data(data).gaps == (
        "lines that are not all text: 1.",
        f"the first of them is in row {ROWS + 1:,}.",
    )


def test_a_file_with_a_column_too_many_is_not_asked_by_sql(tmp_path: Path) -> None:
    """It is read by rows, which name the columns that are left out."""
    wide = f"{'A,' * MAX_COLUMNS}B\n{'1,' * MAX_COLUMNS}1\n"
    (tmp_path / "t.csv").write_text(wide, encoding="utf-8")
    (data,) = open_tables(Source.of(tmp_path / "t.csv"))

    with data.relation() as relation:
        assert relation is None
    assert any(gap.startswith("columns that were not") for gap in scan_data(data).gaps)
