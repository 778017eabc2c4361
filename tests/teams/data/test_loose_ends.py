"""A migration says what it leaves: what uses a renamed column, and what the database refuses."""

from pathlib import Path

import pytest
import yaml

from minerva_data.core.audit.table import refuse_collisions
from minerva_data.core.schema.contract_edit import ContractEdit
from minerva_data.core.schema.migration import migration_sql
from minerva_data.core.schema.record import Item, Row
from minerva_data.core.schema.schema_file import read_schema


def renamed(item: Item, ordinal: int) -> Row:
    """Return a column that gets `_X` behind its name."""
    name = f"{item.name}_x"
    return Row(ordinal=ordinal, item=item, status="renamed", physical_name=name, confidence=1.0)


def lines_of(sql: str, dialect: str) -> list[str]:
    """Return the migration that renames all columns of a schema, without its two lines of head."""
    columns = read_schema(sql, dialect=dialect).columns
    rows = refuse_collisions([renamed(item, place) for place, item in enumerate(columns)])
    return migration_sql(rows).splitlines()[2:]


TABLES = "CREATE TABLE emp (no int, nm text); CREATE TABLE dept (cd text, nm text);\n"


@pytest.mark.parametrize(
    ("statement", "columns"),
    [
        ("CREATE VIEW o AS SELECT e.nm FROM emp e JOIN dept d ON d.cd = 'nm'", "dept.cd emp.nm"),
        ("CREATE VIEW v AS SELECT no FROM emp; CREATE VIEW o AS SELECT no FROM v", "emp.no"),
        ("CREATE VIEW o AS SELECT * FROM dept", "dept.cd dept.nm"),
        ("CREATE FUNCTION o() RETURNS int LANGUAGE sql AS 'SELECT max(no) FROM emp'", "emp.no"),
        ("CREATE FUNCTION o(e emp) RETURNS text LANGUAGE sql AS $$ SELECT e.nm $$", "emp.nm"),
        (
            "CREATE PROCEDURE o() LANGUAGE plpgsql AS $$ DECLARE r dept%ROWTYPE; BEGIN "
            "EXECUTE format('UPDATE dept SET cd = %L', 'nm'); END $$",
            "dept.cd",
        ),
        (
            "CREATE FUNCTION o() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$ "
            "BEGIN NEW.nm := upper(NEW.nm); RETURN NEW; END $$; "
            "CREATE TRIGGER t BEFORE INSERT ON dept FOR EACH ROW EXECUTE FUNCTION o()",
            "dept.nm",
        ),
        (
            "CREATE TRIGGER o BEFORE INSERT ON dept FOR EACH ROW EXECUTE FUNCTION search('cd')",
            "dept.cd",
        ),
        ("CREATE POLICY o ON emp USING (nm = current_user)", "emp.nm"),
        ("CREATE RULE o AS ON DELETE TO emp WHERE OLD.no IS NULL DO INSTEAD NOTHING", "emp.no"),
    ],
)
def test_what_uses_a_column_is_named_with_its_line(statement: str, columns: str) -> None:
    """Only columns of the tables that it means: a text is no name, unless it is code."""
    said = [line for line in lines_of(TABLES + statement, "postgres") if " o (" in line]

    (line,) = said
    assert "(schema.sql:2)" in line
    names = line.partition("): ")[2].split(", ")
    assert sorted(name.split(" -> ")[0] for name in names) == sorted(columns.split())


def test_the_database_renames_in_a_view_and_not_in_the_text_of_a_function() -> None:
    """PostgreSQL keeps a view parsed; MySQL keeps its text, which breaks."""
    view = "CREATE VIEW v AS SELECT nm FROM emp;"
    body = "CREATE FUNCTION f() RETURNS text LANGUAGE sql BEGIN ATOMIC SELECT nm FROM emp; END;"

    in_postgres = lines_of(f"{TABLES}{view}\n{body}", "postgres")
    in_mysql = lines_of(TABLES + view, "mysql")

    assert [line[:6] for line in in_postgres[-3:]] == ["-- The", "--   v", "--   f"]
    assert in_mysql[-2:] == [
        "-- Left to a person: what uses a renamed column by its old name.",
        "--   view v (schema.sql:2): emp.nm -> nm_x",
    ]


def test_routines_behind_a_delimiter_and_views_in_remarks_are_named() -> None:
    """What the `mysql` program and mysqldump write."""
    sql = TABLES + (  # noqa: S608  # ours
        "DELIMITER $$\nCREATE PROCEDURE p()\nBEGIN\n  UPDATE dept SET nm = 'a;b';\nEND$$\n"
        "DELIMITER ;\n/*!50001 CREATE VIEW `v` AS SELECT `cd` FROM `dept` */;\n"
    )

    lines = lines_of(sql, "mysql")

    assert "--   view v (schema.sql:8): dept.cd -> cd_x" in lines
    assert "--   procedure p (schema.sql:3): dept.nm -> nm_x" in lines


@pytest.mark.parametrize(
    ("dialect", "sql", "clause"),
    [
        ("mysql", "CREATE TABLE t (a int, CHECK (a > 0));", "CHECK"),
        ("mysql", "CREATE TABLE t (a int, b int AS (a + 1) STORED);", "GENERATED"),
        ("mysql", "CREATE TABLE t (a int) PARTITION BY HASH (a);", "PARTITION"),
        ("mysql", "CREATE TABLE t (a int); CREATE INDEX i ON t ((abs(a)));", "INDEX"),
        ("tsql", "CREATE TABLE t (a int, b AS (a * 2));", "GENERATED"),
        ("oracle", "CREATE TABLE t (a VARCHAR2(9)); CREATE INDEX i ON t (UPPER(a));", "INDEX"),
        ("bigquery", "CREATE TABLE t (a DATE) PARTITION BY DATE(a);", "PARTITION"),
        ("postgres", "CREATE TABLE t OF kind (a WITH OPTIONS NOT NULL);", "OF"),
    ],
)
def test_what_the_database_refuses_is_no_statement(dialect: str, sql: str, clause: str) -> None:
    """The comment says the clause and its line."""
    lines = [line for line in lines_of(sql, dialect) if "t.a" in line or " a TO" in line]

    assert lines == [f"-- Refused by the database, {clause} (line 1): t.a -> a_x"]


def test_partitions_and_heirs_are_renamed_by_their_table() -> None:
    """A detached one is not; a column that two tables give is refused by PostgreSQL."""
    lines = lines_of(
        "CREATE TABLE m (d date, v int) PARTITION BY RANGE (d);\n"
        "CREATE TABLE m1 PARTITION OF m DEFAULT;\n"
        "CREATE TABLE m2 (v int, d date); ALTER TABLE ONLY m ATTACH PARTITION m2 FOR VALUES IN (2);"
        "CREATE TABLE m3 (v int, d date); ALTER TABLE m ATTACH PARTITION m3 FOR VALUES IN (3);"
        "ALTER TABLE m DETACH PARTITION m3;\n"
        "CREATE TABLE a (x int); CREATE TABLE b (x int); CREATE TABLE c (y int) INHERITS (a, b);",
        "postgres",
    )

    statements = [line for line in lines if not line.startswith("--")]
    assert [line.split()[2] for line in statements] == ["m", "m", "m3", "m3", "c"]
    assert "-- m2: columns renamed with those of m: 2" in lines
    assert sum("Refused by the database, INHERITS of two tables" in line for line in lines) == 2


def test_an_heir_s_own_column_keeps_a_name_from_its_parent() -> None:
    """PostgreSQL would refuse the parent's rename, since the heir has the name already."""
    sql = "CREATE TABLE p (a int); CREATE TABLE h (a_x int) INHERITS (p);"

    assert not [line for line in lines_of(sql, "postgres") if "RENAME COLUMN a TO" in line]


def test_a_foreign_key_with_two_names_is_told() -> None:
    """Renamed on one side alone; with both sides alike there is nothing to tell."""
    sql = "CREATE TABLE p (cd int PRIMARY KEY); CREATE TABLE c (cd int REFERENCES p, no int);"
    parent, child, _ = read_schema(sql, dialect="postgres").columns
    kept = Row(ordinal=1, item=child, status="unresolved")

    apart = migration_sql([renamed(parent, 0), kept]).splitlines()

    assert apart[-1] == "--   c.cd: cd, in p.cd: cd_x"
    assert "Foreign keys" not in migration_sql([renamed(parent, 0), renamed(child, 1)])


def test_a_table_is_called_by_the_schema_that_is_current_where_it_is_made() -> None:
    """So the statements run with any search path; an element of CREATE SCHEMA is in it."""
    lines = lines_of(
        'CREATE SCHEMA "Shop"\n  CREATE TABLE t (a int)\n  CREATE VIEW v AS SELECT a FROM t;\n'
        "SET search_path TO pay, public; CREATE TABLE u (고객ID int);\n"
        "CREATE TABLE w (b int); ALTER TABLE w SET SCHEMA hr;",
        "postgres",
    )

    assert lines[:3] == [
        'ALTER TABLE "Shop".t RENAME COLUMN a TO a_x;',
        'ALTER TABLE pay.u RENAME COLUMN "고객id" TO "고객ID_x";',
        "ALTER TABLE hr.w RENAME COLUMN b TO b_x;",
    ]
    assert lines[-1] == "--   view Shop.v (schema.sql:3): Shop.t.a -> a_x"


CONTRACT = """\
version: 2  # of dbt
models:
  - name: visit
    my_own: {PAT_ID: kept}
    columns:
      - {name: "PAT_ID", description: 'of PAT_ID', tests: [unique]}
      - name: PAT_NM   # the name
        data_tests:
          - relationships: {to: ref('patient'), field: PAT_NM}
"""


def test_a_contract_keeps_all_but_the_names(tmp_path: Path) -> None:
    """Comments, order, marks and unknown keys stay; a test that says an old name is told."""
    path = tmp_path / "models.yml"
    path.write_bytes(CONTRACT.replace("\n", "\r\n").encode())
    names = {("visit", "pat_id"): "PT_NO", ("visit", "pat_nm"): "no"}

    edit = ContractEdit(path, names)

    assert edit.text.replace("\r\n", "\n") == CONTRACT.replace(
        '"PAT_ID"', '"PT_NO"'
    ).replace("name: PAT_NM ", 'name: "no" ')  # fmt: skip
    assert yaml.safe_load(edit.text)["models"][0]["columns"][1]["name"] == "no"
    assert list(edit.lines()) == ["--   models.yml:9: PAT_NM -> no"]
