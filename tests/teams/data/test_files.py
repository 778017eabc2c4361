"""The files of a standardised schema: run, read back and imported again by other programs."""

import io
import json
import sqlite3
from importlib.resources import files
from pathlib import Path

import openpyxl
import pytest
import sqlglot
import yaml
from sqlglot import exp

from minerva_data.core.audit.auditing import audit
from minerva_data.core.audit.rule import Standard
from minerva_data.core.audit.table import standard_rows
from minerva_data.core.glossary.glossary import seed_glossary
from minerva_data.core.importing.importer import Wanted, import_file
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.declaration import dbt_yaml, odcs_yaml
from minerva_data.core.schema.export import finding_values, row_values
from minerva_data.core.schema.migration import (
    DIALECTS,
    migration_sql,
    quoted,
    rollback_sql,
    type_in,
)
from minerva_data.core.schema.record import Item, Row
from minerva_data.core.schema.schema_file import read_schema
from minerva_data.core.standardising.files import write_workbook
from minerva_data.core.store.store import GlossaryStore

LOOKUP = Lookup(seed_glossary())
SCHEMA = """
CREATE TABLE TB_PATIENT (PAT_ID VARCHAR(20), PT_NO VARCHAR(100), PT_NM VARCHAR(20), "ORDER" CHAR(1),
  USE_AT CHAR(1), REG_DT VARCHAR(8), QNTM_ST VARCHAR(3));
"""
COMMENTS = {
    "PAT_ID": "환자식별자",
    "PT_NO": "환자명",
    "PT_NM": "환자번호",
    "ORDER": "사용여부",
    "USE_AT": "삭제여부",
    "REG_DT": "등록일시",
    "QNTM_ST": "환자양자상태",
}


def rows_of(*items: Item) -> tuple[Row, ...]:
    """Return the rows of some columns."""
    return standard_rows(map(LOOKUP.recommend, items), style="UPPER_SNAKE")


def patient_rows(dialect: str | None = None) -> tuple[Row, ...]:
    """Return the rows of `SCHEMA`: a ring of names, a reserved word, a type, an unknown."""
    columns = read_schema(SCHEMA, dialect="postgres").columns
    return rows_of(
        *(
            column.model_copy(update={"comment": COMMENTS[column.name], "dialect": dialect})
            for column in columns
        )
    )


def test_the_migration_runs_and_its_rollback_undoes_it() -> None:
    """On a real database: names are the standard's afterwards, and the old ones after that."""
    rows = patient_rows("sqlite")
    with sqlite3.connect(":memory:") as database:
        database.executescript(SCHEMA)
        before = _columns(database)

        database.executescript(migration_sql(rows))
        between = _columns(database)
        database.executescript(rollback_sql(rows))

        assert between == ["PT_ID", "PT_NM", "PT_NO", "USE_YN", "DEL_YN", "REG_DT", "QNTM_ST"]
        assert _columns(database) == before


def _columns(database: sqlite3.Connection) -> list[str]:
    return [row[1] for row in database.execute("PRAGMA table_info(TB_PATIENT)")]


@pytest.mark.parametrize("dialect", [name for name in DIALECTS if name != "tsql"])
def test_the_migration_is_sql_of_its_dialect(dialect: str) -> None:
    """Each statement is one rename, as a parser of that dialect reads it."""
    statements = sqlglot.parse(migration_sql(patient_rows(dialect)), read=dialect)

    renames = [one for one in statements if isinstance(one, exp.Alter)]
    others = [one for one in statements if one and not isinstance(one, exp.Semicolon)]
    assert others == renames
    assert len(renames) == 6
    assert all(one.find(exp.RenameColumn) for one in renames)


def test_sql_server_renames_by_its_procedure() -> None:
    """It has no RENAME COLUMN; brackets and quotes hold whatever a name holds."""
    hostile = Item(name="a'b]c", comment="환자명", table="T", dialect="tsql")

    lines = migration_sql([*patient_rows("tsql"), *rows_of(hostile)]).splitlines()

    assert "EXEC sp_rename N'TB_PATIENT.PAT_ID', N'PT_ID', N'COLUMN';" in lines
    assert "EXEC sp_rename N'TB_PATIENT.[ORDER]', N'USE_YN', N'COLUMN';" in lines
    assert "EXEC sp_rename N'T.[a''b]]c]', N'PT_NM', N'COLUMN';" in lines


@pytest.mark.parametrize(
    ("name", "dialect", "written"),
    [
        ("USER", "oracle", '"USER"'),
        ("USER", "postgres", '"user"'),
        ("ORDER", "mysql", "`ORDER`"),
        ("FILE", "tsql", "[FILE]"),
        ("FILE", "postgres", "FILE"),
        ("환자 명", "oracle", '"환자 명"'),
        ('x"; DROP', "postgres", '"x""; drop"'),
        ("x`y", "mysql", "`x``y`"),
        ("PT_ID", None, "PT_ID"),
    ],
)
def test_reserved_words_and_odd_names_are_quoted(
    name: str, dialect: str | None, written: str
) -> None:
    """And nothing else: quotes would make plain names sensitive to case."""
    assert quoted(name, dialect) == written


@pytest.mark.parametrize(
    ("dialect", "data_type", "written"),
    [
        ("oracle", "VARCHAR(20)", "VARCHAR2(20)"),
        ("postgres", "DATETIME", "TIMESTAMP"),
        ("mysql", "NUMERIC(15,4)", "DECIMAL(15, 4)"),
        ("tsql", "DATETIME", "DATETIME"),
    ],
)
def test_types_are_written_as_the_dialect_does(dialect: str, data_type: str, written: str) -> None:
    """A domain's type is the standard's own; a database has its names for it."""
    assert type_in(data_type, dialect) == written


def test_types_to_decide_on_are_comments() -> None:
    """Values must be converted first, so no type is changed; a line break cannot end a comment."""
    evil = Item(
        name="X\nDROP", comment="등록일시", data_type="VARCHAR(8)", table="T\n; DROP TABLE U"
    )

    text = migration_sql([*patient_rows("postgres"), *rows_of(evil)])

    assert "--   TB_PATIENT.REG_DT: VARCHAR(8) -> TIMESTAMP (연월일시분초D)" in text
    statements = [line for line in text.splitlines() if not line.startswith("--")]
    assert all(line.startswith("ALTER TABLE ") for line in statements)


def test_the_contract_holds_every_column_and_can_be_imported(tmp_path: Path) -> None:
    """ODCS 3.1: what another team reads is what the glossary said, and nothing is left out."""
    text = odcs_yaml(patient_rows("postgres"), name="Hospital, main")

    contract = yaml.safe_load(text)
    assert {key: contract[key] for key in ("apiVersion", "kind", "id", "status", "version")} == {
        "apiVersion": "v3.1.0",
        "kind": "DataContract",
        "id": "hospital-main",
        "status": "draft",
        "version": "1.0.0",
    }
    (table,) = contract["schema"]
    by_name = {one["name"]: one for one in table["properties"]}
    assert len(by_name) == len(COMMENTS)
    assert by_name["PT_ID"]["businessName"] == "환자식별자"
    assert by_name["REG_DT"]["logicalType"] == "timestamp"
    said = {one["property"]: one["value"] for one in by_name["QNTM_ST"]["customProperties"]}
    assert said == {"standardStatus": "unresolved", "unresolvedParts": "양자, 상태"}
    assert _imported(tmp_path / "contract.yml", text) >= {
        ("환자식별자", "PT_ID"),
        ("환자명", "PT_NM"),
    }


@pytest.mark.small(4)
@pytest.mark.parametrize(
    ("declared", "logical"),
    [
        ("NUMBER(10)", "integer"),
        ("NUMBER(10,2)", "number"),
        ("timestamp without time zone", "timestamp"),
        ("DATE", "date"),
        ("text[]", "array"),
        ("jsonb", "object"),
        ("BLOB", "string"),
        ("", "string"),
    ],
)
def test_a_contract_is_valid_by_the_published_schema(declared: str, logical: str) -> None:
    """A column that the glossary does not know has a logical type, too: without one it is a map."""
    from jsonschema import Draft201909Validator  # noqa: PLC0415  # it compiles 38 grammars

    odd = Item(name="ZZ_QQ", comment="양자", data_type=declared, table="T")
    contract = yaml.safe_load(odcs_yaml([*patient_rows("postgres"), *rows_of(odd)], name="x"))
    schema = json.loads(files("open_data_contract_standard").joinpath("schema.json").read_text())

    assert list(Draft201909Validator(schema).iter_errors(contract)) == []
    assert contract["schema"][1]["properties"][0]["logicalType"] == logical
    empty = yaml.safe_load(odcs_yaml([], name="x"))
    assert list(Draft201909Validator(schema).iter_errors(empty)) == []


def test_the_dbt_schema_can_be_imported(tmp_path: Path) -> None:
    """Models with their columns; the logical name, the domain and the source under `meta`."""
    text = dbt_yaml(patient_rows("postgres"))

    (model,) = yaml.safe_load(text)["models"]
    first = model["columns"][0]
    assert (model["name"], first["name"], first["data_type"]) == (
        "tb_patient",
        "PT_ID",
        "VARCHAR(20)",
    )
    assert first["config"]["meta"]["standardDomain"] == "번호V20"
    assert _imported(tmp_path / "schema.yml", text) >= {
        ("환자식별자", "PT_ID"),
        ("환자명", "PT_NM"),
    }


def _imported(path: Path, text: str) -> set[tuple[str, str]]:
    """Return the terms that the importer reads in `text`."""
    path.write_text(text, encoding="utf-8")
    with GlossaryStore(path.with_suffix(".db")) as store:
        import_file(store, path, Wanted(name="again"))
        terms = store.glossary(["again"]).terms.values()
        return {(term.name, term.physical_name) for term in terms}


def test_no_cell_of_the_workbook_is_a_formula() -> None:
    """Excel must show what a comment says, and not run it; control characters are left out."""
    evil = Item(name="A", comment="=cmd|' /C calc'!A0", table="T")
    other = Item(name="@SUM(1)", comment="환자\x07명\v", table="T")
    rows = rows_of(evil, other)
    findings = audit(rows, Standard(LOOKUP), priority=()).findings

    content = io.BytesIO()
    write_workbook(map(row_values, rows), map(finding_values, findings), content)
    workbook = openpyxl.load_workbook(content)

    assert workbook.sheetnames == ["mapping", "findings"]
    cells = [cell for sheet in workbook for row in sheet.iter_rows() for cell in row]
    assert all(cell.data_type != "f" for cell in cells)
    risky = [cell for cell in cells if str(cell.value or "")[:1] in {"=", "@"}]
    assert len(risky) >= 2
    assert all(cell.quotePrefix for cell in risky)
    assert workbook["mapping"].max_row == 3
