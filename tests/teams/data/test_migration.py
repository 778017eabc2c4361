"""No migration is written before a person has said yes, and then only with the names they want."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from minerva_data import DataTeam
from minerva_platform import Platform, Run

REQUEST = "Standardise the columns of this schema and write the migration"
SCHEMA = """\
CREATE TABLE TB_VISIT (PAT_ID VARCHAR2(20), PAT_NM VARCHAR2(100), ETC_X VARCHAR2(10));
COMMENT ON COLUMN TB_VISIT.PAT_ID IS '환자번호';
COMMENT ON COLUMN TB_VISIT.PAT_NM IS '환자명';
"""


@pytest.fixture
def waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run that asks about the migration."""
    monkeypatch.setenv("MINERVA_HOME", str(tmp_path / "home"))
    schema = tmp_path / "schema.sql"
    schema.write_text(SCHEMA, encoding="utf-8")
    run = Platform(teams=[DataTeam()]).ask(REQUEST, attachments=[schema])
    assert run.status == "needs_human"
    return run


def decided(run: Run, decision: Any) -> Run:
    """Return the run after a decision, by a platform that knows nothing of its process."""
    return Platform(teams=[DataTeam()]).resume(run.run_id, {run.interrupts[0].id: decision})


def edited(**names: str) -> dict[str, Any]:
    """Return an edit of the columns of TB_VISIT."""
    args = {f"TB_VISIT.{column}": name for column, name in names.items()}
    return {"type": "edit", "edited_action": {"name": "write_migration", "args": args}}


def files(run: Run) -> dict[str, str]:
    """Return the contents of the run's artifacts by name."""
    return {one.name: Path(one.path).read_text(encoding="utf-8") for one in run.artifacts}


@pytest.mark.slow
def test_the_plan_is_there_before_the_decision_and_no_migration(waiting: Run) -> None:
    """Everything else is done while the question waits; it names each rename."""
    (question,) = waiting.interrupts

    assert {"mapping.csv", "contract.odcs.yaml"} <= files(waiting).keys()
    assert not {"migration.sql", "rollback.sql"} & files(waiting).keys()
    assert question.arguments == {"TB_VISIT.PAT_ID": "PT_NO", "TB_VISIT.PAT_NM": "PT_NM"}
    assert question.allowed == ("approve", "edit", "reject")


@pytest.mark.slow
def test_approval_writes_the_standard_names(waiting: Run) -> None:
    """The migration and the way back come with the rest."""
    run = decided(waiting, {"type": "approve"})

    assert run.status == "ok"
    assert "RENAME COLUMN PAT_ID TO PT_NO" in files(run)["migration.sql"]
    assert "RENAME COLUMN PT_NO TO PAT_ID" in files(run)["rollback.sql"]


@pytest.mark.slow
def test_an_edit_writes_other_names_and_leaves_out_columns(waiting: Run) -> None:
    """An edited name is one quoted identifier; a column that keeps its name is not renamed."""
    evil = 'x"; DROP TABLE TB_VISIT; --'

    run = decided(waiting, edited(PAT_ID=evil, PAT_NM="PAT_NM"))

    statements = [line for line in files(run)["migration.sql"].splitlines() if line[:2] != "--"]
    assert statements == [
        'ALTER TABLE TB_VISIT RENAME COLUMN PAT_ID TO "x""; DROP TABLE TB_VISIT; --";'
    ]


@pytest.mark.slow
def test_a_name_that_two_columns_would_have_is_asked_again(waiting: Run) -> None:
    """The question waits on, with the reason."""
    again = decided(waiting, edited(PAT_ID="etc_x", PAT_NM="PT_NM"))

    assert again.status == "needs_human"
    assert "two columns would be called `etc_x`" in again.interrupts[0].refused
    assert decided(again, {"type": "approve"}).status == "ok"


@pytest.mark.slow
def test_a_rejection_writes_nothing_and_is_no_failure(waiting: Run) -> None:
    """The answer says so, with the reason that was given."""
    run = decided(waiting, {"type": "reject", "message": "not in this release"})

    assert run.status == "ok"
    assert "migration.sql" not in files(run)
    assert "not in this release" in run.answer


def test_nothing_is_asked_where_nobody_could_answer(tmp_path: Path) -> None:
    """A team that is asked without a platform keeps no state."""
    schema = tmp_path / "schema.sql"
    schema.write_text(SCHEMA, encoding="utf-8")

    run = DataTeam().invoke(
        {"request": "standardise the columns, as a table", "attachments": [str(schema)]}
    )

    assert run["status"] == "ok"
    assert "migration.sql" not in {one["name"] for one in run["artifacts"]}


NARROW = """\
CREATE TABLE TB_VISIT (DEPT_CD VARCHAR2(10), USE_YN VARCHAR2(4), PAT_NM VARCHAR2(100));
COMMENT ON COLUMN TB_VISIT.DEPT_CD IS '진료과코드';
COMMENT ON COLUMN TB_VISIT.USE_YN IS '사용여부';
COMMENT ON COLUMN TB_VISIT.PAT_NM IS '환자명';
"""


@pytest.mark.slow
def test_a_narrower_type_is_named_and_never_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The question, the answer, the mapping, and the migration beside the rename say it."""
    monkeypatch.setenv("MINERVA_HOME", str(tmp_path / "home"))
    schema = tmp_path / "schema.sql"
    schema.write_text(NARROW, encoding="utf-8")
    asked = Platform(teams=[DataTeam()]).ask(REQUEST, attachments=[schema])
    mapping = csv.DictReader(io.StringIO(files(asked)["mapping.csv"]))
    run = decided(asked, {"type": "approve"})
    lines = files(run)["migration.sql"].splitlines()
    at = lines.index("ALTER TABLE TB_VISIT RENAME COLUMN DEPT_CD TO MDDEPT_CD;")

    assert "TB_VISIT.DEPT_CD VARCHAR2(10) → CHAR(3)" in asked.interrupts[0].text
    assert "Narrower than declared: 2" in asked.answer
    assert {each["column"]: each["type_change"] for each in mapping} == {
        "DEPT_CD": "narrower",
        "USE_YN": "narrower",
        "PAT_NM": "",
    }
    assert lines[at - 1].startswith("-- TB_VISIT.DEPT_CD: only the name changes. VARCHAR2(10) has")
    assert sum("NARROWER: values may be cut" in line for line in lines) == 2
    assert all(
        line.startswith(("--", "ALTER TABLE TB_VISIT RENAME COLUMN")) for line in lines if line
    )


@pytest.mark.slow
def test_the_dialect_is_asked_for_where_several_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The renames are asked about in the SQL of the database that the person names."""
    monkeypatch.setenv("MINERVA_HOME", str(tmp_path / "home"))
    schema = tmp_path / "schema.sql"
    schema.write_text("CREATE TABLE TB_VISIT (PAT_ID VARCHAR(20), 환자명 VARCHAR(100));")
    asked = Platform(teams=[DataTeam()]).ask(REQUEST, attachments=[schema])
    assert "fit the schema, and" in asked.interrupts[0].text

    approved = decided(asked, {"type": "respond", "message": "tsql"})
    run = decided(approved, {"type": "approve"})

    assert "EXEC sp_rename N'TB_VISIT.[환자명]', N'PT_NM'" in files(run)["migration.sql"]
