"""CSV files are read whatever they hold; what is not read is said."""

from pathlib import Path

import pytest

from minerva_governance.core.detection.data_file import open_data_file
from minerva_governance.core.detection.inventory import DataScan, PiiColumn, inventory, scan_data
from minerva_governance.core.detection.k_anonymity import k_anonymity
from minerva_governance.core.report.wording import UnreadableError

RRN = "850101-1234566"


def scanned(path: Path, *, sample_rows: int = 10_000) -> DataScan:
    """Scan `path` as a review does."""
    return scan_data(open_data_file(path, sample_rows=sample_rows), sample_rows=sample_rows)


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

    assert (scan.encoding, column.column, column.by) == ("cp949", "주민등록번호", "both")


def test_a_file_in_no_encoding_is_refused_without_its_bytes(tmp_path: Path) -> None:
    """The decoder's error carries the content, so it must not travel on."""
    path = write(tmp_path, b"JUMIN_NO\n" + RRN.encode() + b"\xff\xfe\x81\n")

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

    assert (scan.rows, scan.skipped_rows) == (1, 1)
    assert scan.columns[0].hits == {"KR_RRN": 1}


def test_a_cell_beyond_the_csv_limit_is_skipped_and_counted(tmp_path: Path) -> None:
    """The csv module refuses 131,073 characters; that ends the row, not the scan."""
    scan = scanned(write(tmp_path, f"JUMIN_NO\n{'x' * 200_000}\n{RRN}\n"))

    assert (scan.rows, scan.skipped_rows) == (1, 1)


def test_a_first_row_of_data_is_not_taken_for_names(tmp_path: Path) -> None:
    """Names are printed: a file without a header would print its first person."""
    scan = scanned(write(tmp_path, f"1,{RRN}\n2,{RRN}\n"))

    assert [column.name for column in scan.columns] == ["column 1", "column 2"]
    assert (scan.rows, scan.has_header) == (2, False)


def test_cells_beyond_the_header_are_looked_at(tmp_path: Path) -> None:
    """A ragged row must not hide a column."""
    columns = inventory([scanned(write(tmp_path, f"A,B\n1,2,{RRN}\n"))], [])

    assert [column.column for column in columns] == ["column 3"]


def test_only_the_sample_is_scanned_and_said(tmp_path: Path) -> None:
    """The first rows are looked at; that there are more is known."""
    scan = scanned(write(tmp_path, "A\n" + "x\n" * 20), sample_rows=5)

    assert (scan.rows, scan.more_rows) == (5, True)


def test_the_smallest_class_is_counted_over_the_whole_file(tmp_path: Path) -> None:
    """G9: three and two equal rows give k=2 in two classes of five rows."""
    path = write(tmp_path, "AGE,SEX,ZIP\n" + "30,F,1\n" * 3 + "40,M,2\n" * 2)
    result = k_anonymity(open_data_file(path, sample_rows=1), ("age", "sex", "zip"), minimum=5)

    assert (result.k, result.classes, result.rows, result.small_rows) == (2, 2, 5, 5)


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
        ("KR_PHONE", 0.5, True),
    }
