"""DDL is read statement by statement; data in it never shows."""

import logging
from pathlib import Path

import pytest

from minerva_governance.core.reading.declaration import Schema
from minerva_governance.core.reading.schema_file import read_schema_and_rows
from minerva_governance.core.reading.source_files import Source
from minerva_platform.text import Language
from minerva_reading import UnreadableError

ORACLE = """
CREATE TABLE T_A (ID VARCHAR2(20) NOT NULL, MAIL VARCHAR2(100));
COMMENT ON TABLE T_A IS '시험 (보존기간 5년)';
COMMENT ON COLUMN T_A.MAIL IS '이메일';
"""
MYSQL = "CREATE TABLE `t_a` (`mail` varchar(100) NOT NULL COMMENT '이메일') COMMENT='시험';\n"


def read_schema(source: Source, *, language: Language) -> Schema:
    """Return what a DDL file declares, without its rows."""
    return read_schema_and_rows(source, language=language)[0]


@pytest.mark.parametrize("sql", [ORACLE, MYSQL])
def test_columns_carry_their_comment_and_line(tmp_path: Path, sql: str) -> None:
    """Oracle comments stand apart, MySQL's inline: both belong to the column."""
    path = tmp_path / "schema.sql"
    path.write_text(sql, encoding="utf-8")
    schema = read_schema(Source.of(path), language="en")
    mail = next(column for column in schema.columns if column.name.upper() == "MAIL")

    assert (mail.comment, schema.problems) == ("이메일", ())
    assert mail.line == (2 if sql is ORACLE else 1)
    assert schema.tables[0].comment.startswith("시험")


BROKEN = """
CREATE TABLE T_B (ID ((( '850101-1234566');
CREATE TABLE T_D PARTITION WEIRD '850101-1234566' NOT A TABLE;
INSERT INTO T_A VALUES ('850101-1234566', 'x@example.org');
CREATE TABLE T_C (TEL VARCHAR2(20));
"""


def test_one_broken_statement_costs_only_itself(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The others count, and the parser's quotation of the SQL reaches no message and no log."""
    path = tmp_path / "schema.sql"
    path.write_text(ORACLE + BROKEN, encoding="utf-8")
    with caplog.at_level(logging.DEBUG):
        schema = read_schema(Source.of(path), language="en")

    assert [column.name for column in schema.columns] == ["ID", "MAIL", "TEL"]
    assert [problem.line for problem in schema.problems] == [6, 7]
    assert "850101" not in f"{schema!r}{caplog.text}"


TABLES = """
CREATE TABLE T (ID INT, PAT_NM VARCHAR(9) COMMENT '환자명', OLD INT);
CREATE TABLE U (ID INT);
"""


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("ALTER TABLE T ADD COLUMN TEL CHAR(11);", "T.ID T.PAT_NM T.OLD T.TEL U.ID"),
        ("ALTER TABLE T ADD (TEL CHAR(11), MAIL CHAR(9));", "T.ID T.PAT_NM T.OLD T.TEL T.MAIL U.ID"),  # noqa: E501
        ("ALTER TABLE T ADD TEL CHAR(11) UNIQUE;", "T.ID T.PAT_NM T.OLD T.TEL U.ID"),
        ("ALTER TABLE T ADD A INT, ADD B INT;", "T.ID T.PAT_NM T.OLD T.A T.B U.ID"),
        ("ALTER TABLE T RENAME COLUMN OLD TO NEW;", "T.ID T.PAT_NM T.NEW U.ID"),
        ("ALTER TABLE T CHANGE OLD NEW CHAR(3);", "T.ID T.PAT_NM T.NEW U.ID"),
        ("ALTER TABLE T DROP COLUMN OLD;", "T.ID T.PAT_NM U.ID"),
        ("ALTER TABLE T DROP (OLD, ID);", "T.PAT_NM U.ID"),
        ("ALTER TABLE T RENAME TO V;", "U.ID V.ID V.PAT_NM V.OLD"),
        ("ALTER TABLE T ALTER COLUMN OLD TYPE text;", "T.ID T.PAT_NM T.OLD U.ID"),
        ("ALTER TABLE T ADD CONSTRAINT K PRIMARY KEY (ID);", "T.ID T.PAT_NM T.OLD U.ID"),
        ("CREATE TABLE V AS SELECT ID, PAT_NM AS X FROM T;", "T.ID T.PAT_NM T.OLD U.ID V.ID V.X"),
        ("CREATE VIEW V (A, B) AS SELECT U.ID, T.PAT_NM FROM T JOIN U ON 1 = 1;",
         "T.ID T.PAT_NM T.OLD U.ID V.A V.B"),
        ("CREATE VIEW V AS SELECT U.*, count(*) AS N FROM U;", "T.ID T.PAT_NM T.OLD U.ID V.ID V.N"),
        ("CREATE TABLE V LIKE U;", "T.ID T.PAT_NM T.OLD U.ID V.ID"),
        ("CREATE TABLE V (LIKE U INCLUDING ALL);", "T.ID T.PAT_NM T.OLD U.ID V.ID"),
        ("CREATE TABLE USER (ID INT)\nGO\nCREATE TABLE ROLE (ID INT)\nGO\n",
         "T.ID T.PAT_NM T.OLD U.ID USER.ID ROLE.ID"),
    ],
)  # fmt: skip
def test_later_statements_change_what_earlier_ones_declare(
    tmp_path: Path, change: str, expected: str
) -> None:
    """Columns come, go and are renamed; views and tables made of queries have columns, too."""
    path = tmp_path / "schema.sql"
    path.write_text(TABLES + change, encoding="utf-8")
    schema = read_schema(Source.of(path), language="en")

    assert schema.problems == ()
    assert " ".join(f"{each.table}.{each.name}" for each in schema.columns) == expected


ORACLE_EXPORT = """
CREATE TABLE "A"."T" ("NO" VARCHAR2(20 BYTE) NOT NULL ENABLE,
  "AT" TIMESTAMP (6) WITH LOCAL TIME ZONE,
  CONSTRAINT "PK" PRIMARY KEY ("NO") USING INDEX PCTFREE 10 STORAGE(INITIAL 65536) TABLESPACE "X"
) SEGMENT CREATION IMMEDIATE PCTFREE 10 STORAGE(INITIAL 65536 NEXT 1048576) TABLESPACE "D"
LOB ("RM") STORE AS SECUREFILE (TABLESPACE "L" ENABLE STORAGE IN ROW CHUNK 8192);
"""
SNOWFLAKE = """
create or replace TABLE A.B.T cluster by (AT)(
  NO NUMBER(38,0) NOT NULL autoincrement start 1 increment 1 noorder,
  TEL VARCHAR(13) WITH MASKING POLICY A.P COMMENT '전화, (집)',
  AT DATE, constraint K primary key (NO)
)COMMENT='예약';
"""
SQLITE = """
CREATE TABLE t (id INTEGER PRIMARY KEY, car_no, "badge no" TEXT, [host name], `check` INT);
CREATE TABLE u (x);
"""


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        (ORACLE_EXPORT, ["NO", "AT"]),
        (SNOWFLAKE, ["NO", "TEL", "AT"]),
        (SQLITE, ["id", "car_no", "badge no", "host name", "check", "x"]),
    ],
)
def test_clauses_that_no_parser_knows_cost_no_column(
    tmp_path: Path, sql: str, names: list[str]
) -> None:
    """Storage of Oracle, clusters of Snowflake, SQLite's columns without a type."""
    path = tmp_path / "schema.sql"
    path.write_text(sql, encoding="utf-8")
    schema = read_schema(Source.of(path), language="en")

    assert ([column.name for column in schema.columns], schema.problems) == (names, ())
    if sql is SNOWFLAKE:
        said = schema.columns[1]
        assert (said.data_type, said.comment, said.line) == ("VARCHAR(13)", "전화, (집)", 4)
        assert schema.tables[0].comment == "예약"


def test_descriptions_of_sql_server_are_comments(tmp_path: Path) -> None:
    """By name and by position, of a table and of columns."""
    path = tmp_path / "schema.sql"
    path.write_text(
        """\
CREATE TABLE [dbo].[T]([A] [int] NOT NULL, [B] [nvarchar](20) NULL) ON [PRIMARY]
GO
EXEC sys.sp_addextendedproperty @name=N'MS_Description', @value=N'환자''s 번호',
  @level0type=N'SCHEMA', @level0name=N'dbo', @level1type=N'TABLE', @level1name=N'T',
  @level2type=N'COLUMN', @level2name=N'A'
GO
EXECUTE sp_addextendedproperty 'MS_Description', '주민번호', 'user', dbo, 'table', 'T', 'column',
  'B'
GO
EXEC sp_addextendedproperty N'MS_Description', N'환자', N'SCHEMA', N'dbo', N'TABLE', N'T',
  NULL, NULL
GO
""",
        encoding="utf-16",
    )
    schema = read_schema(Source.of(path), language="en")

    assert ({one.name: one.comment for one in schema.columns}, schema.problems) == (
        {"A": "환자's 번호", "B": "주민번호"},
        (),
    )


def test_brackets_that_do_not_close_are_named(tmp_path: Path) -> None:
    """They may have swallowed the next table, so nothing of them is taken."""
    path = tmp_path / "schema.sql"
    path.write_text("CREATE TABLE A (X INT\nCREATE TABLE B (JUMIN CHAR(13));\n", encoding="utf-8")
    schema = read_schema(Source.of(path), language="en")

    assert (schema.columns, [each.line for each in schema.problems]) == ((), [1])


def test_a_renamed_copy_of_a_column_keeps_its_comment(tmp_path: Path) -> None:
    """A view that calls a name X holds names; so does what is computed of it."""
    path = tmp_path / "schema.sql"
    view = "CREATE VIEW V AS SELECT PAT_NM AS X, upper(t.PAT_NM || 'a') AS Y FROM T t;"
    path.write_text(TABLES + view, encoding="utf-8")
    schema = read_schema(Source.of(path), language="en")

    assert {one.name: one.comment for one in schema.columns if one.table == "V"} == {
        "X": "환자명",
        "Y": "환자명",
    }


@pytest.mark.parametrize(
    "change",
    [
        "CREATE VIEW V AS SELECT * FROM ELSEWHERE;",
        "CREATE VIEW V AS SELECT ID FROM T UNION SELECT ID FROM U;",
        "CREATE TABLE V AS SELECT SECRET FROM T;",
        "CREATE TABLE V LIKE ELSEWHERE;",
        "ALTER TABLE ELSEWHERE ADD COLUMN TEL CHAR(11);",
        "ALTER TABLE T RENAME COLUMN GONE TO NEW;",
        "ALTER TABLE T ADD CONSTRAINT K PRIMARY KEY (ID), ADD COLUMN TEL WEIRD STUFF (;",
        "INSERT INTO T SELECT * FROM ELSEWHERE;",
        "SELECT * INTO V FROM T;",
        "CREATE FUNCTION f() RETURNS int AS 'select 1';",
    ],
)
def test_what_is_not_understood_is_named_with_its_line(tmp_path: Path, change: str) -> None:
    """Nothing is dropped in silence."""
    path = tmp_path / "schema.sql"
    path.write_text(TABLES + change, encoding="utf-8")

    assert 4 in [problem.line for problem in read_schema(Source.of(path), language="en").problems]


INSERTS = """
CREATE TABLE T (ID INT, JUMIN CHAR(14), MEMO VARCHAR(99));
INSERT INTO T VALUES (1, '850101-1234566', NULL),
  (2, '850101-1234567', 'it''s');
INSERT INTO dbo.T (MEMO, ID) VALUES ('a, b', 3);
REPLACE INTO T VALUES (4, TRIM('x'), "y");
INSERT T (ID) VALUES (-5);
INSERT INTO W VALUES ('w');
INSERT ALL INTO T (ID) VALUES (6) INTO W (A) VALUES ('v') SELECT * FROM dual;
UPDATE T SET MEMO = '010-1234-5678' WHERE ID = 1;
COPY public.t (id, jumin) FROM stdin;
7\t850101-1234566
8\t\\N
\\.
ALTER TABLE T ADD TEL CHAR(13) DEFAULT '02-123-4567';
"""


def test_rows_that_a_script_inserts_are_handed_on(tmp_path: Path) -> None:
    """Each with its line, its values under their columns; from COPY and defaults as well."""
    path = tmp_path / "dump.sql"
    path.write_text(INSERTS, encoding="utf-8")
    schema, tables = read_schema_and_rows(Source.of(path), language="en")

    assert {table.name: [tuple(row) for row in table.numbered_cells] for table in tables} == {
        "dump.sql.t": [
            (12, [("id", "7"), ("jumin", "850101-1234566")]),
            (13, [("id", "8")]),
            (3, [("ID", "1"), ("JUMIN", "850101-1234566")]),
            (4, [("ID", "2"), ("JUMIN", "850101-1234567"), ("MEMO", "it's")]),
            (5, [("MEMO", "a, b"), ("ID", "3")]),
            (6, [("ID", "4"), ("JUMIN", "x"), ("MEMO", "y")]),
            (7, [("ID", "5")]),
            (9, [("ID", "6")]),
            (15, [("TEL", "02-123-4567")]),
        ],
        "dump.sql.W": [(8, [("column 1", "w")]), (9, [("A", "v")])],
        "dump.sql": [(10, [("literals", "010-1234-5678")])],
    }
    assert [problem.line for problem in schema.problems] == [9, 10]
    assert "850101" not in repr(schema)


@pytest.mark.parametrize("encoding", ["utf-16", "cp949", "utf-8-sig"])
def test_a_schema_may_be_in_any_encoding_of_windows(tmp_path: Path, encoding: str) -> None:
    """SQL Server's tools write UTF-16, Korean ones CP949."""
    path = tmp_path / "schema.sql"
    path.write_bytes(ORACLE.encode(encoding))

    assert [one.comment for one in read_schema(Source.of(path), language="en").columns] == [
        "",
        "이메일",
    ]


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """Binary in, a sentence out."""
    path = tmp_path / "schema.sql"
    path.write_bytes(b"\xff\xff\x00\x81")

    with pytest.raises(UnreadableError, match="neither UTF-8 nor CP949"):
        read_schema(Source.of(path), language="ko")
