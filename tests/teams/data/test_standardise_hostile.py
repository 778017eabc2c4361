"""What cannot be standardised is told, row by row or as a whole; nothing is half written."""

import csv
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
import yaml

from minerva_data import StandardiseError, standardise
from minerva_data.core.schema.declaration import Plain, yaml_lines
from minerva_data.core.standardising.options import Emitted, Wishes
from minerva_platform import MinervaError

HEAD = "테이블명,컬럼명,컬럼한글명,타입\n"

Fault = Callable[..., str]


@pytest.fixture
def fault(tmp_path: Path) -> Fault:
    """Return what standardises a wrong file and gives the error; the folder stays as it was."""

    def take(name: str, content: bytes, wishes: Wishes | None = None) -> str:
        path = tmp_path / name
        path.write_bytes(content)
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises(StandardiseError) as caught:
            standardise(path, out=tmp_path / "out", wishes=wishes)
        assert sorted(tmp_path.rglob("*")) == before
        return str(caught.value)

    return take


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("a.csv", b"", "a.csv is empty"),
        ("a.sql", b"", "a.sql is empty"),
        ("a.csv", b"\n\n , \n", "a.csv holds no names"),
        ("a.csv", HEAD.encode(), "There is nothing to standardise in a.csv"),
        ("a.csv", f"{HEAD},,,\nT,,,X\n".encode(), "a.csv, line 3: it names no column"),
        ("a.csv", HEAD.encode() + b"T,A,\xec\x9e\n", "as UTF-8, byte 0xEC at"),
        ("a.csv", f'{HEAD}T,A,"열린\n'.encode(), "line 2: no CSV"),
        ("a.csv", b"1,2,3\n4,5,6\n", "row 1: 3 of its 3 cells are values"),
        ("a.csv", HEAD.encode() + b"x" * 3_000_000, "line 2 has more than 1,048,576 letters"),
        ("a.sql", b"SELECT 1", "creates no table that can be read"),
        ("a.sql", b"CREATE TABLE (((", "Line 1: Expected table name"),
        ("a.sql", b"\xff\xff\xff\xff", "is neither UTF-8 nor cp949"),
        ("a.yml", b"a: [", "line 1: no plain YAML"),
        ("a.xlsx", b"PK not at all", "is no XLSX workbook"),
        ("a.doc", b"x", "files of this kind are not read"),
    ],
)
def test_a_wrong_file_is_told(fault: Fault, file: str, content: bytes, said: str) -> None:
    """What is wrong, where, and what to do."""
    assert said in fault(file, content)


def test_a_workbook_without_a_list_names_its_sheets(fault: Fault, tmp_path: Path) -> None:
    """The wrong file of two, mostly."""
    book = openpyxl.Workbook()
    book.worksheets[0].title = "표지"
    book.worksheets[0].append(["만든 날", "2020-01-01"])
    book.save(tmp_path / "x.xlsx")

    assert "no sheet lists columns (표지)" in fault("x.xlsx", (tmp_path / "x.xlsx").read_bytes())


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    """A name with a known ending is a file; an empty text, a folder and a lost glossary too."""
    for given, said in (
        ("missing.sql", "cannot be read (No such file"),
        (tmp_path, "is a folder"),
        ("", "nothing to standardise"),
        ("\udcff", "is no Unicode text"),
    ):
        with pytest.raises(StandardiseError) as caught:
            standardise(given)
        assert said in str(caught.value)
    with pytest.raises(MinervaError, match="no glossary `nobody`"):
        standardise("환자명", glossaries=["nobody"])


def test_a_folder_that_cannot_be_written_is_told_at_once(tmp_path: Path) -> None:
    """A file in its place, or what is to be read in it."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    source = tmp_path / "out" / "a.csv"
    source.parent.mkdir()
    source.write_text(HEAD, encoding="utf-8")

    with pytest.raises(StandardiseError, match="is a file"):
        standardise("환자명", out=tmp_path / "file")
    with pytest.raises(StandardiseError, match=r"holds a\.csv, which is to be read"):
        standardise(source, out=source.parent)
    with pytest.raises(StandardiseError, match="cannot be written"):
        standardise("환자명", out="/proc/minerva/out")


def test_wrong_rows_are_reported_and_the_others_kept(tmp_path: Path) -> None:
    """Duplicate, contradictory, empty and damaged rows: each once, with its line."""
    rows = (
        "T,PT_NM,환자명,\nT,PT_NM,환자번호,\nT,,,\nU,A,\ufffd\ufffd,\n,B,환자명,\nT,C,환자 번호,\n"
    )
    path = tmp_path / "a.csv"
    path.write_text(f"만든 날 2020-01-01\n{HEAD}{rows}", encoding="utf-8")

    with standardise(path) as done:
        named = {(row.item.table, row.item.name): row.physical_name for row in done.rows()}
        problems = [(one.line, one.error.partition(";")[0]) for one in done.problems()]
    assert named == {("T", "PT_NM"): "PT_NM", ("T", "C"): "PT_NO", (None, "B"): "PT_NM"}
    assert problems == [
        (4, "column PT_NM of T is there twice"),
        (5, "it names no column"),
        (6, "`comment` holds letters that were lost before it came here (\ufffd)"),
    ]
    assert (done.tally.total, done.tally.left_out, done.tally.problems) == (3, 1, 3)


def test_no_file_runs_what_a_comment_says(tmp_path: Path) -> None:
    """No formula in CSV and workbook, one line a rename in SQL, plain data in YAML."""
    evil = ['=HYPERLINK("x")', "+1", "-1", "@SUM(A1)", "＝1+1", "#REF!", "a: *x\n- b"]
    path = tmp_path / "a.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [["테이블명", "컬럼명", "컬럼한글명"]]
            + [[f"{bad}T", f"{bad};DROP TABLE X;--", bad] for bad in evil]
            + [['=T"', 'a"; DROP TABLE X; --\n', "환자명"]]
            + [["T", f"C{number}", "환자명"] for number in range(len(evil))]  # of the hospital
        )

    with standardise(path, out=tmp_path / "out"):
        pass

    out = tmp_path / "out"
    with (out / "mapping.csv").open(encoding="utf-8-sig", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not any(cell.startswith(tuple("=+-@＝\t\r\n")) for cell in cells)
    book = openpyxl.load_workbook(out / "mapping.xlsx")
    assert all(c.data_type in "sn" for sheet in book for row in sheet.iter_rows() for c in row)
    sql = (out / "migration.sql").read_text(encoding="utf-8").splitlines()
    assert sql[2:] == ['ALTER TABLE "=T""" RENAME COLUMN "a""; DROP TABLE X; --" TO PT_NM;']
    contract = yaml.safe_load((out / "contract.odcs.yaml").read_text(encoding="utf-8"))
    assert len(contract["schema"]) == len(evil) + 2


@pytest.mark.parametrize(
    ("header", "kind", "named"),
    [
        ("컬럼명,설명", "list", ["환자명"]),
        ("항목명,데이터타입", "list", ["환자명"]),
        ("TABLE_NAME,COLUMN_NAME,DATA_TYPE,DATA_LENGTH", "list", ["DT"]),
        ("항목명,금액", "data", ["항목명", "금액"]),
        ("label,type,text", "data", ["label", "type", "text"]),
        ("환자 이름,환자 번호", "data", ["환자 이름", "환자 번호"]),
        ("이름", "names", ["이름", "환자명"]),
        ("컬럼", "names", ["환자명"]),
    ],
)
def test_what_a_table_is_follows_from_its_headers(
    tmp_path: Path, header: str, kind: str, named: list[str]
) -> None:
    """A list only where headers speak of columns; else the header row itself, never a guess."""
    cells = ["환자명", "DT", "VARCHAR2", "20"][: header.count(",") + 1]
    path = tmp_path / "a.csv"
    path.write_text(f"{header}\n{','.join(cells)}\n", encoding="cp949")

    with standardise(path) as done:
        rows = list(done.rows())
    assert done.sources == {"a.csv": kind}
    assert sorted(row.item.name for row in rows) == sorted(named)
    with standardise(path, wishes=Wishes(is_data=True)) as data:
        assert data.tally.total + data.tally.problems == header.count(",") + 1


def test_types_and_lengths_in_cells_of_their_own_are_one(tmp_path: Path) -> None:
    """As catalogues give them; DATE has a length that means nothing."""
    path = tmp_path / "a.csv"
    rows = "A,VARCHAR2,20,,\nB,NUMBER,22,15,4\nC,DATE,7,,\nD,CHAR(8),8,,\nE,NUMBER,22,5,0\n"
    path.write_text(
        f"COLUMN_NAME,DATA_TYPE,DATA_LENGTH,DATA_PRECISION,DATA_SCALE\n{rows}", encoding="utf-8"
    )

    with standardise(path) as done:
        types = {row.item.name: row.item.data_type for row in done.rows()}
    assert types == {
        "A": "VARCHAR2(20)",
        "B": "NUMBER(15,4)",
        "C": "DATE",
        "D": "CHAR(8)",
        "E": "NUMBER(5)",
    }


def test_other_headers_are_named(tmp_path: Path, fault: Fault) -> None:
    """--map makes a list of any table; one that names no header has no silent effect."""
    path = tmp_path / "a.csv"
    path.write_text("이름,라벨\nA,환자명\n", encoding="utf-8")
    named = Wishes(header_map={"이름": "column", "라벨": "comment"})

    with standardise(path, wishes=named) as done:
        assert [row.physical_name for row in done.rows()] == ["PT_NM"]
    said = fault("b.csv", b"x,y\n1,2\n", named)
    assert "no row at its top has the headers that --map names" in said


def test_a_table_in_two_files_is_told_once(tmp_path: Path) -> None:
    """The first file's is used; nobody merges two versions of one table."""
    for name, columns in (("a.sql", "PT_NM"), ("b.sql", "PT_NM VARCHAR(9), PT_NO")):
        (tmp_path / name).write_text(f"CREATE TABLE T ({columns} VARCHAR(20));", encoding="utf-8")

    with standardise(tmp_path / "a.sql", tmp_path / "b.sql") as done:
        assert [row.item.name for row in done.rows()] == ["PT_NM"]
        assert [one.error for one in done.problems()] == [
            "table T is in a.sql too; that one is used"
        ]
    assert (done.tally.total, done.tally.left_out) == (1, 2)


@pytest.mark.parametrize(
    "text", ["yes", "1.0", "a: b", "- a", "#x", "'", '"', "가 나", "", "null", "~", "*a", "v3.1.0"]
)
def test_yaml_is_what_was_written(text: str) -> None:
    """PyYAML reads back every text, number and nesting as it was."""
    inner: Plain = [{"three": text, "four": [{"five": 2}]}, {"six": {"x": text}}]
    value: Plain = {"one": text, "two": inner}

    assert yaml.safe_load("\n".join(yaml_lines(value))) == value


def test_only_what_is_wanted_is_written(tmp_path: Path) -> None:
    """Names that belong to no table have no migration."""
    emit: tuple[Emitted, ...] = ("csv", "ddl")
    with standardise("환자명", out=tmp_path / "out", wishes=Wishes(emit=emit)) as done:
        names = {path.name for path in done.files}

    assert names == {"mapping.csv", "audit.csv", "standardise.json"}
