"""What a file declares is read or told as a loss, in the one encoding and dialect that fit."""

import csv
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from minerva_data.core.schema.record import Item, Unparsed
from minerva_data.core.standardising.options import StandardiseFault, Wishes
from minerva_data.core.standardising.source import open_file
from minerva_reading import FileFault

JAPANESE = "CREATE TABLE `ひょう` (`なまえ` VARCHAR(9) COMMENT 'ひとのなまえ') ENGINE=InnoDB;"
PLAIN = "CREATE TABLE t (pat_no VARCHAR(20));\n{}"
HEADER = ["구분", "컬럼ID", "컬럼명", "데이터타입", "테이블ID"]

Type = Callable[..., Any]


@pytest.fixture
def type_(type_in: Callable[..., Any]) -> Type:
    """Return what types `minerva standardise …` in an empty folder."""
    return partial(type_in, "standardise")


def read(path: Path, **wishes: Any) -> tuple[list[str], list[tuple[int, str, bool]]]:
    """Return the columns of a file, and what is told of the rest."""
    found = list(open_file(path, Wishes(**wishes)).columns)
    told = [(one.line, one.error, one.is_loss) for one in found if isinstance(one, Unparsed)]
    return [f"{one.full_table}.{one.name}" for one in found if isinstance(one, Item)], told


def sheet(path: Path, *rows: list[str]) -> Path:
    """Write rows as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


@pytest.mark.parametrize(
    ("rows", "columns", "told"),
    [
        (
            [["table", "column", "comment"], ["T", "COL_NM", "컬럼명"], ["T", "A", "번호"]],
            "T.COL_NM T.A",
            [],
        ),
        (
            [HEADER, ["T", "LEN", "데이터타입", "CHAR", "M"], [], ["T", "A", "컬럼명", "INT", "M"]],
            "M.LEN M.A",
            [],
        ),
        (
            [["테이블ID", "A"], ["컬럼ID", "컬럼명", "타입 및 길이"], ["X", "번호", "CHAR(1)"],
             ["인덱스"], ["순번", "인덱스ID", "컬럼"], ["1", "IX", "X"], [],
             ["테이블ID", "B"], ["컬럼ID", "컬럼명", "타입/길이"], ["Y", "번호", "INT"]],
            "A.X B.Y",
            [(4, "rows 4 to 6 list indexes or the like, no columns", False)],
        ),
        (
            [HEADER, ["", "X", "번호", "INT", "M"], ["", "※ 번호는 따로 매긴다", "", "", ""],
             ["합계", "1건", "", "", ""]],
            "M.X",
            [(3, "it is a remark: it has neither a type nor a name in words", False),
             (4, "it is a remark: it has neither a type nor a name in words", False)],
        ),
        (
            [["개정번호", "테이블ID", "컬럼ID"], ["1", "A", "X"], ["컬럼ID", "타입"], ["X", "INT"]],
            "None.X",
            [],
        ),
        (
            [["컬럼ID", "타입", "", "컬럼ID", "타입"], ["X", "INT", "", "Y", "INT"]],
            "None.X",
            [(1, "a second list, from cell 4 on, is not read: put it below", True)],
        ),
    ],
)  # fmt: skip
def test_each_row_of_a_list_is_a_column_or_told(
    tmp_path: Path, rows: list[list[str]], columns: str, told: list[Any]
) -> None:
    """A cell that looks like a header begins no list; remarks and indexes are no columns."""
    found, said = read(sheet(tmp_path / "a.csv", *rows))

    assert (" ".join(found), said) == (columns, told)


def test_entries_of_yaml_are_columns_or_told(tmp_path: Path) -> None:
    """A word that YAML takes for a truth value is a name; fields of objects are no columns."""
    path = tmp_path / "a.yml"
    path.write_text(
        "models:\n- name: m\n  columns:\n  - {name: yes}\n  - x\n- name: n\n", encoding="utf-8"
    )
    assert read(path) == (["m.yes", "m.x"], [(6, "n lists no columns", False)])

    path.write_text(
        "schema:\n- name: t\n  properties:\n  - name: a\n    properties:\n    - {name: b}\n",
        encoding="utf-8",
    )
    assert read(path) == (["t.a"], [(4, "the fields in a are no columns, and not read", False)])


@pytest.mark.parametrize("encoding", ["cp932", "euc_jp"])
def test_a_neighbour_s_encoding_is_not_read_as_korean(tmp_path: Path, encoding: str) -> None:
    """Where several encodings fit, the file is refused until one is named."""
    path = tmp_path / "a.sql"
    path.write_bytes(JAPANESE.encode(encoding))

    with pytest.raises(StandardiseFault, match=f"fits cp949 and .*{encoding}.*--encoding"):
        read(path)
    assert read(path, encoding=encoding)[0] == ["ひょう.なまえ"]
    with pytest.raises(StandardiseFault, match="is not in utf-8"):
        read(path, encoding="utf-8")
    path = path.rename(tmp_path / "a.csv")
    path.write_bytes("컬럼ID,컬럼명\nX,顧客番号と名前の一覧\n".encode("utf-16-be"))
    with pytest.raises(FileFault, match="--encoding"):
        read(path)


def test_the_dialect_is_asked_for_where_it_matters(type_: Type, tmp_path: Path) -> None:
    """SQL Server renames by a procedure; without it the dialects that fit write the same."""
    schema = tmp_path / "a.sql"
    schema.write_text(PLAIN.format(""), encoding="utf-8")
    out = ("--out", str(tmp_path / "out"))
    refused = type_(str(schema), *out)
    assert refused.returncode == 2
    assert "--dialect NAME" in refused.stderr
    assert not (tmp_path / "out").exists()
    assert type_(str(schema)).returncode == 0
    assert type_(str(schema), *out, "--dialect", "mssql").returncode == 0
    assert "-- Dialect tsql: named by a person." in (tmp_path / "out" / "migration.sql").read_text()

    comment = "COMMENT ON COLUMN t.pat_no IS '환자번호';"
    schema.write_text(PLAIN.format(comment), encoding="utf-8")
    assert type_(str(schema), *out, "--overwrite").returncode == 0
    written = (tmp_path / "out" / "migration.sql").read_text()
    assert "Dialect postgres: `COMMENT ON COLUMN`:2; oracle, snowflake fit as" in written


def test_a_loss_ends_with_five_and_the_reading_is_said(type_: Type, tmp_path: Path) -> None:
    """A view is no loss, a table is; encoding, dialect and reason stand in each output."""
    schema = tmp_path / "a.sql"
    schema.write_bytes(
        "CREATE TABLE t (a VARCHAR2(9)); -- 번호\nCREATE VIEW v AS SELECT 1;".encode("cp949")
    )
    done = type_(str(schema), "--json")
    assert done.returncode == 0
    said = json.loads(done.stdout)["read_as"]["a.sql"]
    assert (said["dialect"], said["encoding"]) == ("oracle", "cp949")

    schema.write_text("CREATE TABLE t (a VARCHAR2(20));\nCREATE TABLE u AS SELECT * FROM t;")
    done = type_(str(schema))
    assert done.returncode == 5
    assert "a.sql (a schema; oracle (`VARCHAR2`:1), utf-8)" in done.stdout
    assert "incomplete: 1 tables, columns or comments are not read" in done.stdout
    assert type_("https://example.org/환자번호", "환자번호").returncode == 5
