"""Reading schemas: three dialects, and statements in any state."""

from pathlib import Path

import pytest

from minerva_data.core.schema.schema_file import SchemaError, read_schema, read_schema_file


def columns(sql: str) -> list[tuple[str | None, str, str | None, str | None, int | None]]:
    """Return table, column, type, comment and line of each column."""
    return [(c.table, c.name, c.data_type, c.comment, c.line) for c in read_schema(sql).columns]


def test_oracle_comments_come_in_statements_of_their_own() -> None:
    """`COMMENT ON COLUMN`, with or without a schema, in any case, finds its column."""
    sql = """CREATE TABLE TB_P (
    PAT_ID VARCHAR2(20) NOT NULL,
    REG_DT DATE DEFAULT SYSDATE
) TABLESPACE USERS PCTFREE 10 STORAGE (INITIAL 64K);
/
COMMENT ON COLUMN HIS.TB_P.PAT_ID IS '환자''번호; 둘';
comment on column tb_p.reg_dt is '등록일시';
"""
    assert columns(sql) == [
        ("TB_P", "PAT_ID", "VARCHAR2(20)", "환자'번호; 둘", 2),
        ("TB_P", "REG_DT", "DATE", "등록일시", 3),
    ]


def test_mysql_comments_stand_in_the_column() -> None:
    """Back-ticks, inline comments and table options are MySQL's."""
    sql = """CREATE TABLE `t` (
  `id` bigint unsigned NOT NULL AUTO_INCREMENT COMMENT '아이디',
  nm varchar(10) COMMENT '이름', PRIMARY KEY (`id`)
) ENGINE=InnoDB COMMENT='환자';"""

    assert columns(sql) == [
        ("t", "id", "BIGINT UNSIGNED", "아이디", 2),
        ("t", "nm", "VARCHAR(10)", "이름", 3),
    ]


def test_postgres_names_may_be_quoted() -> None:
    """Quoted names keep their spelling; added columns count."""
    sql = """CREATE TABLE IF NOT EXISTS "his"."Patient" ("patId" serial, at timestamptz);
ALTER TABLE "his"."Patient" ADD COLUMN nm character varying(20);
COMMENT ON COLUMN "his"."Patient".nm IS '환자명';"""

    assert columns(sql) == [
        ("Patient", "patId", "SERIAL", None, 1),
        ("Patient", "at", "TIMESTAMPTZ", None, 1),
        ("Patient", "nm", "VARCHAR(20)", "환자명", 2),
    ]


def test_a_broken_statement_costs_only_itself() -> None:
    """It is reported with its line; the tables around it are read."""
    sql = """CREATE TABLE a (x int);
CREATE TABLE broken (a int b varchar(;
COMMENT ON COLUMN a.x IS '끝나지 않는 따옴표
CREATE TABLE c (z int);
SELECT 1 FROM;
CREATE TABLE a (k int);
CREATE TABLE d (q int);"""
    schema = read_schema(sql)

    assert [(c.table, c.name) for c in schema.columns] == [("a", "x"), ("c", "z"), ("d", "q")]
    assert [problem.line for problem in schema.problems] == [2, 3]
    assert [(problem.line, problem.error) for problem in schema.duplicates] == [
        (6, "table a is created twice; the first one is used")
    ]


@pytest.mark.parametrize(
    "sql",
    ["", "\x00\x01", ";;;/\n/", "no sql at all", "'" * 1001, "CREATE TABLE", "/* open", "$$ open"],
)
def test_text_without_tables_has_no_columns(sql: str) -> None:
    """Whatever comes, nothing is raised and nothing is invented."""
    assert columns(sql) == []


@pytest.mark.slow
def test_brackets_without_end_are_reported() -> None:
    """A statement nested deeper than any parser goes is a row of the report."""
    schema = read_schema("CREATE TABLE x (" + "(" * 50_000 + ";\nCREATE TABLE y (a int);")

    assert len(schema.problems) == 1


def test_a_wide_table_is_read_in_linear_time() -> None:
    """5,000 columns on one line are no reason to wait (the test's limit is the guard)."""
    sql = f"CREATE TABLE w ({','.join(f'c{n} int' for n in range(5000))})"

    assert len(read_schema(sql).columns) == 5000


def test_a_korean_legacy_encoding_is_read(tmp_path: Path) -> None:
    """Many schemas of agencies are cp949."""
    file = tmp_path / "schema.sql"
    file.write_bytes("CREATE TABLE t (a int);\nCOMMENT ON COLUMN t.a IS '환자명';".encode("cp949"))

    assert [column.comment for column in read_schema_file(file).columns] == ["환자명"]


def test_a_file_in_no_known_encoding_says_what_to_do(tmp_path: Path) -> None:
    """Half-decoded comments would become wrong names."""
    file = tmp_path / "schema.sql"
    file.write_bytes(b"CREATE TABLE t (a int); -- \xff\xfe\xff")

    with pytest.raises(SchemaError, match="Save it as UTF-8"):
        read_schema_file(file)


def test_the_hospital_is_read_whole(hospital_schema: Path) -> None:
    """Six tables, 45 columns, every one with its comment, nothing left over."""
    schema = read_schema_file(hospital_schema)

    assert schema.dialect == "oracle"
    assert (len(schema.tables), len(schema.columns), schema.problems) == (6, 45, [])
    assert all(column.comment for column in schema.columns)
