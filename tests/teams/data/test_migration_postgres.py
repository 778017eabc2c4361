"""Migrations run forth and back in PostgreSQL: names and data are as they were, byte by byte.

PostgreSQL runs in its single-user mode, without a server or a port.
"""

import csv
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from postgres import new_cluster

from minerva_data import standardise
from minerva_data.core.audit.style import Style
from minerva_data.core.standardising.options import Wishes

_SETTINGS = ("-c", "exit_on_error=on", "-c", "log_min_messages=fatal", "-F")


@dataclass(frozen=True, slots=True)
class Postgres:
    """A database in `folder`; `user` are the options that keep PostgreSQL from running as root."""

    programs: Path
    folder: Path
    user: dict[str, Any]

    def run(self, script: str, *, wanted: str) -> list[list[str]]:
        """Run `script`, then return the rows of the query `wanted`, its header first."""
        answer = self.folder / "answer.csv"
        ask = f"COPY ({wanted}) TO '{answer}' (FORMAT csv, HEADER)"
        backend = (self.programs / "bin" / "postgres", "--single", "-j", *_SETTINGS)
        done = subprocess.run(
            (*backend, "-D", self.folder / "data", "postgres"),
            input=f"{script}\n;\n\n{ask};\n\n",
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            **self.user,
        )
        assert done.returncode == 0, done.stderr
        with answer.open(encoding="utf-8", newline="") as file:
            return list(csv.reader(file))


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    """Give a database."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        cluster = new_cluster(Path(folder))
        yield Postgres(cluster.programs, cluster.folder, cluster.user)


SCHEMA = """
DROP SCHEMA IF EXISTS crm CASCADE; DROP SCHEMA IF EXISTS "Sales" CASCADE;
CREATE SCHEMA crm; CREATE SCHEMA "Sales";
CREATE TABLE crm.customer (
    "custNo" varchar(20), "emailAddr" varchar(320), PatName varchar(100), "use at" char(1)
);
CREATE TABLE "Sales"."Customer" (
    "PT_NM" varchar(20), "PT_NO" varchar(100), "order" char(8), emailaddr text, "emailAddr" text
);
COMMENT ON COLUMN crm.customer."custNo" IS '환자번호';
COMMENT ON COLUMN crm.customer."emailAddr" IS '이메일주소';
COMMENT ON COLUMN crm.customer.PatName IS '환자명';
COMMENT ON COLUMN crm.customer."use at" IS '사용여부';
COMMENT ON COLUMN "Sales"."Customer"."PT_NM" IS '환자번호';
COMMENT ON COLUMN "Sales"."Customer"."PT_NO" IS '환자명';
COMMENT ON COLUMN "Sales"."Customer"."order" IS '입원일자';
COMMENT ON COLUMN "Sales"."Customer"."emailAddr" IS '이메일주소';
"""
DATA = """
INSERT INTO crm.customer VALUES ('1', 'a@example.org', '김', 'Y');
INSERT INTO "Sales"."Customer" VALUES ('2', '이', '20260101', 'x', 'b@example.org');
"""
NAMES = """
SELECT table_schema, table_name, column_name FROM information_schema.columns
WHERE table_schema IN ('crm', 'Sales') ORDER BY table_schema DESC, table_name, ordinal_position
"""
ROWS = """
SELECT to_jsonb(array_agg(value ORDER BY place)) AS values FROM (
    SELECT 1 AS place, c::text AS value FROM crm.customer c
    UNION ALL SELECT 2, c::text FROM "Sales"."Customer" c
) both_tables
"""


@pytest.mark.small(1)
@pytest.mark.parametrize(
    ("style", "customer"),
    [
        ("UPPER_SNAKE", ["pt_no", "eml_addr", "pt_nm", "use_yn"]),
        ("camel", ["ptNo", "emlAddr", "ptNm", "useYn"]),
    ],
)
def test_a_migration_and_its_way_back_run(
    postgres: Postgres, tmp_path: Path, style: Style, customer: list[str]
) -> None:
    """Two schemas, names in both cases, reserved ones, and two that change their places."""
    file = tmp_path / "schema.sql"
    file.write_text(SCHEMA, encoding="utf-8")
    with standardise(file, out=tmp_path / "out", wishes=Wishes(style=style)) as done:
        assert (done.tally.problems, done.tally.total) == (0, 9)
    there = (tmp_path / "out" / "migration.sql").read_text(encoding="utf-8")
    back = (tmp_path / "out" / "rollback.sql").read_text(encoding="utf-8")

    before = postgres.run(SCHEMA + DATA, wanted=NAMES)
    data = postgres.run("", wanted=ROWS)
    moved = postgres.run(there, wanted=NAMES)

    assert [name for schema, _, name in moved if schema == "crm"] == customer
    assert [name for schema, _, name in moved if schema == "Sales"][3] == "emailaddr"
    assert len([row for row in moved if row not in before]) == 8
    assert postgres.run("", wanted=ROWS) == data
    assert postgres.run(back, wanted=NAMES) == before
    assert postgres.run("", wanted=ROWS) == data


TIED = """
DROP SCHEMA IF EXISTS "Ward" CASCADE; DROP SCHEMA IF EXISTS pay CASCADE;
CREATE SCHEMA "Ward"
  CREATE TABLE visit ("patNo" varchar(20), patnm varchar(100), zz date) PARTITION BY RANGE (zz)
  CREATE VIEW names AS SELECT "patNo", patnm FROM visit;
CREATE TABLE "Ward".visit_1 PARTITION OF "Ward".visit DEFAULT;
CREATE TABLE "Ward".visit_2 (patnm varchar(100), zz date NOT NULL, "patNo" varchar(20));
ALTER TABLE ONLY "Ward".visit ATTACH PARTITION "Ward".visit_2
  FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
CREATE SCHEMA pay;
SET search_path TO pay, public;
CREATE TABLE person (patno varchar(20), patnm varchar(100));
CREATE TABLE staff (useat char(1)) INHERITS (person);
COMMENT ON COLUMN "Ward".visit."patNo" IS '환자번호';
COMMENT ON COLUMN "Ward".visit.patnm IS '환자명';
COMMENT ON COLUMN pay.person.patno IS '환자번호';
COMMENT ON COLUMN pay.person.patnm IS '환자명';
COMMENT ON COLUMN pay.staff.patnm IS '사용여부';
COMMENT ON COLUMN pay.staff.useat IS '사용여부';
RESET search_path;
"""
TIED_NAMES = """
SELECT table_name, column_name FROM information_schema.columns
WHERE table_schema IN ('Ward', 'pay') AND table_name <> 'names' ORDER BY 1, ordinal_position
"""


@pytest.mark.slow
def test_partitions_heirs_and_elements_of_a_schema_are_renamed_once(
    postgres: Postgres, tmp_path: Path
) -> None:
    """PostgreSQL renames in partitions and heirs by itself, and refuses it there."""
    file = tmp_path / "schema.sql"
    file.write_text(TIED, encoding="utf-8")
    with standardise(file, out=tmp_path / "out", wishes=Wishes(dialect="postgres")):
        there = (tmp_path / "out" / "migration.sql").read_text(encoding="utf-8")
        back = (tmp_path / "out" / "rollback.sql").read_text(encoding="utf-8")

    before = postgres.run(TIED, wanted=TIED_NAMES)
    moved = postgres.run(there, wanted=TIED_NAMES)

    assert {name for table, name in moved if table == "visit_2"} == {"pt_nm", "zz", "pt_no"}
    assert [name for table, name in moved if table == "staff"] == ["pt_no", "pt_nm", "use_yn"]
    assert "--   view Ward.names (schema.sql:5): Ward.visit.patNo -> PT_NO" in there
    assert postgres.run(back, wanted=TIED_NAMES) == before
