"""What no cell shows alone: split values, keys that are values, and what values may be."""

import base64
import gzip
from pathlib import Path
from typing import Any

import duckdb
import pytest
from openpyxl import Workbook

from minerva_governance.core.detection.data_file_scan import open_tables
from minerva_governance.core.detection.inventory import PiiColumn, inventory
from minerva_governance.core.detection.table_scan import DataScan, scan_data
from minerva_governance.core.reading.source_files import Source, gather

_PACKED = base64.b64encode(gzip.compress(b"850101-1234566", mtime=0)).decode()
_BORN = [f"{day:02}{month:02}{1950 + day}" for month in (3, 9) for day in range(1, 29)]


def _scan(path: Path) -> DataScan:
    return scan_data(open_tables(Source.of(path))[0])


def _found(path: Path, text: str) -> list[PiiColumn]:
    path.write_text(text, encoding="utf-8")
    return list(inventory([_scan(path)], ()))


@pytest.mark.parametrize(
    ("name", "text", "column", "entity"),
    [
        ("a.csv", "F,B\n850101,1234566\n860202,2345677\n", "F+B", "KR_RRN"),
        ("a.csv", "A,B,C,D\n4111,1111,1111,1111\n", "A+B+C+D", "CREDIT_CARD"),
        ("a.json", '[{"850101-1234566": "seen"}]', "(column names)", "KR_RRN"),
        ("a.csv", f"Z\n{_PACKED}\n", "Z", "KR_RRN"),
    ],
)  # fmt: skip
def test_a_value_is_found_that_no_cell_holds(
    name: str, text: str, column: str, entity: str, tmp_path: Path
) -> None:
    """Over neighbouring columns, as a key, and packed: certain, and masked."""
    found = [one for one in _found(tmp_path / name, text) if not one.suspected]

    assert [(one.column, one.entity) for one in found] == [(column, entity)]
    assert "1234566" not in found[0].model_dump_json()


@pytest.mark.parametrize(
    ("header", "rows", "expected"),
    [
        ("ref", _BORN, "BIRTH_DATE"),
        ("reg_dt", _BORN, ""),
        ("ref", [f"{day:02}032026" for day in range(1, 29)], ""),
        ("z", [f"0{at}{at}11" for at in range(10)] * 2, "POSTCODE"),
        ("z", [str(50_000 + at) for at in range(20)], ""),
        ("y,x", [f"37.5{at}1234,126.9{at}4321" for at in range(10, 40)], "LOCATION"),
        ("y,x", [f"{at}.25,{at}.75" for at in range(10, 40)], ""),
    ],
)
def test_what_values_may_be_is_suspected(
    header: str, rows: list[str], expected: str, tmp_path: Path
) -> None:
    """Births, codes of post and places have no form of their own; other numbers are let be."""
    found = _found(tmp_path / "t.csv", "\n".join([header, *rows]) + "\n")

    assert {one.entity for one in found} == ({expected} if expected else set())
    assert all(one.suspected and one.by == "value" for one in found)


@pytest.mark.parametrize(
    ("part", "is_told"),
    [("header", True), ("page", False), ("choices", True), ("properties", True), ("none", False)],
)
def test_texts_outside_of_cells_are_a_gap(part: str, is_told: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """Headers, lists of choices and properties are not read, and the table says so."""
    from openpyxl.worksheet.datavalidation import DataValidation  # noqa: PLC0415

    book = Workbook()
    sheet: Any = book.active
    for row in (["NAME", "N"], ["a", 1]):
        sheet.append(row)
    match part:
        case "header":
            sheet.oddHeader.center.text = "Kim"
        case "page":
            sheet.oddFooter.center.text = "Page &P of &N"
        case "choices":
            sheet.add_data_validation(DataValidation(type="list", formula1='"a,b"', sqref="B2"))
        case "properties":
            book.properties.description = "of Kim"
        case _:
            pass
    book.save(tmp_path / "t.xlsx")

    assert any("outside of cells" in gap for gap in _scan(tmp_path / "t.xlsx").gaps) is is_told


def test_entries_of_a_file_are_a_gap(tmp_path: Path) -> None:
    """Those that a person made, not those of a writer."""
    kept, plain = tmp_path / "kept.parquet", tmp_path / "plain.parquet"
    duckdb.sql(f"COPY (SELECT 1 AS a) TO '{kept}' (FORMAT parquet, KV_METADATA {{owner: 'Kim'}})")
    duckdb.sql(f"COPY (SELECT 1 AS a) TO '{plain}' (FORMAT parquet)")

    assert "metadata" in " ".join(_scan(kept).gaps)
    assert _scan(plain).gaps == ()


@pytest.mark.parametrize(
    ("name", "blocks"),
    [
        ("node_modules/p.csv", True),
        ("node_modules/left-pad/data.csv", False),
        (".venv/lib/python3/site-packages/numpy/t.csv", False),
        ("__pycache__/m.pyc", False),
    ],
)
def test_rows_in_a_tools_folder_keep_rules_from_passing(
    name: str,
    blocks: bool,  # noqa: FBT001
    tmp_path: Path,
) -> None:
    """What an installed package brought is the tool's; another file of rows is a person's."""
    package = tmp_path / "node_modules/left-pad/package.json"
    for path in (package, tmp_path / name):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}", encoding="utf-8")

    assert any(one.blocks for one in gather([tmp_path]).refused) is blocks
