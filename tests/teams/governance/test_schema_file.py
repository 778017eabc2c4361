"""DDL is read statement by statement; data in it never shows."""

import logging
from pathlib import Path

import pytest

from minerva_governance.core.reading.problem import UnreadableError
from minerva_governance.core.reading.schema_file import read_schema
from minerva_governance.core.reading.source import Source

ORACLE = """
CREATE TABLE T_A (ID VARCHAR2(20) NOT NULL, MAIL VARCHAR2(100));
COMMENT ON TABLE T_A IS '시험 (보존기간 5년)';
COMMENT ON COLUMN T_A.MAIL IS '이메일';
"""
MYSQL = "CREATE TABLE `t_a` (`mail` varchar(100) NOT NULL COMMENT '이메일') COMMENT='시험';\n"


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
    assert [problem.line for problem in schema.problems] == [6, 7, 8]
    assert "850101" not in f"{schema!r}{caplog.text}"


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """Binary in, a sentence out."""
    path = tmp_path / "schema.sql"
    path.write_bytes(b"\xff\xff\x00\x81")

    with pytest.raises(UnreadableError, match="neither UTF-8 nor CP949"):
        read_schema(Source.of(path), language="ko")
