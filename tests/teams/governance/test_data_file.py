"""CSV files are read whatever they hold; what is not read is said."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from minerva_governance.core.detection.data_file_scan import open_tables
from minerva_governance.core.detection.inventory import PiiColumn, inventory
from minerva_governance.core.detection.table_scan import DataScan, scan_data
from minerva_governance.core.reading.source_files import Source
from minerva_reading import UnreadableError

RRN = "850101-1234566"


def scanned(path: Path) -> DataScan:
    """Scan `path` as a review does."""
    (table,) = open_tables(Source.of(path))
    return scan_data(table)


def write(tmp_path: Path, content: str | bytes, name: str = "rows.csv") -> Path:
    """Write a file for the test."""
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_a_named_column_with_values_is_personal_by_both(tmp_path: Path) -> None:
    """G7: ten rows, eight numbers and two nulls give eight hits and the rate 1.0."""
    rows = "\n".join([*[f"{n},{RRN}" for n in range(8)], "8,", "9,NULL"])
    (column,) = inventory([scanned(write(tmp_path, f"ID,JUMIN_NO\n{rows}\n"))], [])

    assert (column.entity, column.hits, column.sampled, column.rate) == ("KR_RRN", 8, 8, 1.0)
    assert (column.by, column.suspected) == ("both", False)
    assert column.evidence[0].shown == "850101-1******"


@pytest.mark.parametrize(
    ("name", "hits", "others", "by", "suspected"),
    [
        ("CODE_X", 6, 4, "value", False),
        ("CODE_X", 5, 5, "value", True),
        ("JUMIN_NO", 1, 9, "both", False),
        ("JUMIN_NO", 0, 10, "name", True),
    ],
)
def test_the_rule_of_rate_and_name(
    tmp_path: Path, name: str, hits: int, others: int, by: str, *, suspected: bool
) -> None:
    """Values from the rate of .6 on, or a name and one value; all else is suspected."""
    cells = "\n".join([RRN] * hits + ["x"] * others)
    columns = inventory([scanned(write(tmp_path, f"{name}\n{cells}\n"))], [])

    assert [(c.by, c.suspected, c.hits) for c in columns] == [(by, suspected, hits)]


def test_cp949_and_other_delimiters_are_understood(tmp_path: Path) -> None:
    """Agencies send cp949 with semicolons; the Korean name is read."""
    data = f"번호;주민등록번호\n1;{RRN}\n".encode("cp949")
    scan = scanned(write(tmp_path, data))
    (column,) = inventory([scan], [])

    assert (column.column, column.by, scan.gaps) == ("주민등록번호", "both", ())


def test_a_file_in_no_encoding_is_refused_without_its_bytes(tmp_path: Path) -> None:
    """The decoder's error carries the content, so it must not travel on."""
    path = write(tmp_path, b"JUMIN_NO\xff\x81" + RRN.encode() + b"\xff\xfe\x81\n")

    with pytest.raises(UnreadableError, match="neither UTF-8 nor CP949") as caught:
        scanned(path)
    assert caught.value.__cause__ is None
    assert RRN not in repr(caught.value)


def test_nul_bytes_hide_nothing(tmp_path: Path) -> None:
    """A NUL inside a number is dropped before anybody looks."""
    scan = scanned(write(tmp_path, "JUMIN_NO\n850101-12\x0034566\n"))

    assert scan.columns[0].hits == {"KR_RRN": 1}


def test_a_cell_of_20_megabytes_is_skipped_and_counted(tmp_path: Path) -> None:
    """The row is left out, the rows after it are read, and the scan says so."""
    scan = scanned(write(tmp_path, f"JUMIN_NO\n{'x' * 20_000_000}\n{RRN}\n"))

    assert (scan.rows, scan.gaps) == (1, ("rows too long to be read: 1.",))
    assert scan.columns[0].hits == {"KR_RRN": 1}


def test_a_cell_beyond_the_csv_limit_is_skipped_and_counted(tmp_path: Path) -> None:
    """The csv module refuses 131,073 characters; that ends the row, not the scan."""
    scan = scanned(write(tmp_path, f"JUMIN_NO\n{'x' * 200_000}\n{RRN}\n"))

    assert (scan.rows, scan.gaps) == (1, ("rows too long to be read: 1.",))


def test_a_first_row_of_data_is_not_taken_for_names(tmp_path: Path) -> None:
    """Names are printed: a file without a header would print its first person."""
    scan = scanned(write(tmp_path, f"1,{RRN}\n2,{RRN}\n"))

    assert [column.name for column in scan.columns] == ["column 1", "column 2"]
    assert scan.rows == 2
    assert scan.gaps == ("its first row looks like data, so its columns have no names.",)


def test_cells_beyond_the_header_are_looked_at(tmp_path: Path) -> None:
    """A ragged row must not hide a column."""
    columns = inventory([scanned(write(tmp_path, f"A,B\n1,2,{RRN}\n"))], [])

    assert [column.column for column in columns] == ["column 3"]


@pytest.mark.slow
def test_a_number_behind_row_10_000_is_found(tmp_path: Path) -> None:
    """The whole file is looked at, not its first rows."""
    scan = scanned(write(tmp_path, "A\n" + "x\n" * 10_000 + f"{RRN}\n"))

    assert (scan.rows, scan.columns[0].hits) == (10_001, {"KR_RRN": 1})


@pytest.mark.parametrize(
    ("content", "gap"),
    [
        (b"A,B\n1,x\xff\n", "lines that are not all text: 1."),
        (b'A,B\n1,"open\n2,x\n3,y\n', "broken rows"),
        (b"A,B\n1,2,3\n", "rows with more cells than columns: 1."),
        (b"A,\n1,M12345678\n", "columns without a name: column 2."),
        (b"A,B\n", "it has no rows."),
    ],
)
def test_what_could_not_be_seen_for_certain_is_a_gap(
    tmp_path: Path, content: bytes, gap: str
) -> None:
    """Bad bytes, open quotes, too many cells, no name, no rows: no rule passes by such a file."""
    assert any(text.startswith(gap) for text in scanned(write(tmp_path, content)).gaps)


def test_an_open_quote_hides_no_rows_behind_it(tmp_path: Path) -> None:
    """The rows that it swallowed are split one by one."""
    scan = scanned(write(tmp_path, f'A,B\n1,"open\n2,{RRN}\n3,{RRN}\n'))

    assert scan.columns[1].hits == {"KR_RRN": 2}


def test_an_index_without_a_name_is_no_gap(tmp_path: Path) -> None:
    """Tables are saved with a nameless counter; it holds nothing."""
    assert scanned(write(tmp_path, ",A\n0,x\n1,y\n")).gaps == ()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rows.tsv", f"MEMO\tJUMIN_NO\na, b; c\t{RRN}\n"),
        ("rows.jsonl", f'{{"MEMO": 1}}\n{{"owner": {{"JUMIN_NO": "{RRN}"}}}}\n'),
        ("rows.json", f'[{{"JUMIN_NO": "{RRN}"}}]'),
    ],
)
def test_other_texts_of_rows_are_read(tmp_path: Path, name: str, content: str) -> None:
    """Tabs, JSON lines and JSON give the same columns as a CSV."""
    (column,) = inventory([scanned(write(tmp_path, content, name))], [])

    assert (column.column.rpartition(".")[2], column.by, column.hits) == ("JUMIN_NO", "both", 1)


def test_the_tables_of_a_sqlite_database_are_read_and_left_alone(tmp_path: Path) -> None:
    """Each is a table of its own; no file appears beside the database."""
    path = tmp_path / "clinic.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE patient (JUMIN_NO TEXT)")
        database.execute("CREATE TABLE code (ID INTEGER)")
        database.execute("INSERT INTO patient VALUES (?)", (RRN,))
    tables = open_tables(Source.of(path))
    found = inventory([scan_data(table) for table in tables], [])

    assert [table.name for table in tables] == ["clinic.db.code", "clinic.db.patient"]
    assert [(column.target, column.by) for column in found] == [
        ("clinic.db.patient.JUMIN_NO", "both")
    ]
    assert [item.name for item in tmp_path.iterdir()] == ["clinic.db"]


@pytest.mark.parametrize("name", ["rows.db", "rows.json", "rows.jsonl", "rows.csv"])
def test_a_file_that_is_not_what_its_name_says_is_refused(tmp_path: Path, name: str) -> None:
    """Bytes of something else are no rows."""
    with pytest.raises(UnreadableError):
        scanned(write(tmp_path, b"\x89PNG\xff\x00\x81\n\xff", name))


def test_an_empty_file_is_a_problem_not_a_crash(tmp_path: Path) -> None:
    """Nothing to scan is said in words."""
    with pytest.raises(UnreadableError, match="empty"):
        scanned(write(tmp_path, ""))


def test_one_column_may_hold_several_kinds(tmp_path: Path) -> None:
    """Each kind is judged by itself."""
    cells = "\n".join(["a@example.org", "010-1234-5678"] * 3)
    columns: tuple[PiiColumn, ...] = inventory(
        [scanned(write(tmp_path, f"CONTACT\n{cells}\n"))], []
    )

    assert {(c.entity, c.rate, c.suspected) for c in columns} == {
        ("EMAIL", 0.5, True),
        ("PHONE", 0.5, True),
    }


@pytest.mark.parametrize(
    ("name", "others", "found"),
    [("ref_code", 0, [True]), ("passport_no", 0, [False]), ("ref_code", 5, [])],
)
def test_a_column_full_of_a_weak_form_is_suspected(
    tmp_path: Path, name: str, others: int, found: list[bool]
) -> None:
    """Whatever it is called; a few such cells are chance, and a telling name makes it certain."""
    cells = "\n".join([*(f"M1234567{n}" for n in range(5)), *["spare part"] * others])
    columns = inventory([scanned(write(tmp_path, f"{name}\n{cells}\n"))], [])

    assert [column.suspected for column in columns if column.entity == "KR_PASSPORT"] == found


@pytest.mark.parametrize(
    ("passing", "expected"), [(2, []), (14, [("KR_BRN", False)])], ids=["by chance", "most"]
)
def test_numbers_that_pass_a_check_by_chance_are_no_business_numbers(
    tmp_path: Path, passing: int, expected: list[tuple[str, bool]]
) -> None:
    """Each tenth number of ten digits has the check digit of a business: most of a column must."""
    right, wrong = ["1288610926", "2208198766"], ["1288610927", "2208198767"]
    values = [right[at % 2] if at < passing else wrong[at % 2] for at in range(20)]
    cells = "\n".join(f"{at},{value}" for at, value in enumerate(values))

    columns = inventory([scanned(write(tmp_path, f"A,B\n{cells}\n"))], [])

    assert [(column.entity, column.suspected) for column in columns] == expected
