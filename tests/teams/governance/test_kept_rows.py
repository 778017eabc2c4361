"""What the dates of a data file say about a rule on retention."""

import random
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from minerva_governance.agents.compliance import ComplianceAgent
from minerva_governance.agents.policy import PolicyAgent
from minerva_governance.core.counting.ages import DateColumns, ages, date_columns, day_of
from minerva_governance.core.reading.source_files import Source
from minerva_governance.core.tables.data_file import open_data_file

TODAY = date(2026, 11, 24)
POLICY = """
apiVersion: minerva/v1
policy: {id: house, version: 1}
tags: {visit: [TB_VISIT, visits.csv]}
rules:
- {id: RET, applies_to: {kind: table, tag: visit}, require: {retention_days: {max: 1095}}}
"""
SCHEMA = (
    "CREATE TABLE TB_VISIT (PAT_ID CHAR(10), ADM_DT DATE);\nCOMMENT ON TABLE TB_VISIT IS '{}';\n"
)


def review(folder: Path, **files: str) -> dict[str, Any]:
    """Return the answers about TB_VISIT and its files, by target."""
    (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    about = {"language": "en", "request": "review", "attachments": [str(folder)]}
    policy = PolicyAgent().invoke(about)["policy"]
    answer = ComplianceAgent(today=lambda: TODAY).invoke({**about, "policy": policy})
    found = answer["findings"]["findings"]
    return {each["target"]: each for each in found if each["rule_id"] == "RET"}


def visits(*days: str) -> str:
    """Return a file of visits."""
    return "PAT_ID,ADM_DT,BRTH_DT\n" + "".join(
        f"P{at},{d},1950-01-01\n" for at, d in enumerate(days)
    )


def test_rows_past_the_limit_fail_with_year_and_rows(tmp_path: Path) -> None:
    """The schema promises three years; two rows are older, and a birth is no age of a row."""
    found = review(
        tmp_path,
        schema_sql=SCHEMA.format("3년간 보관"),
        visits_csv=visits("2026-01-02", "2019-03-04", "20180506", "2026-02-03"),
    )
    answer = found["visits.csv"]

    assert answer["status"] == "fail"
    assert (answer["count"], answer["total"]) == (2, 4)
    assert answer["measures"]["oldest_year"] == 2018
    assert [each["row"] for each in answer["citations"] if each["row"]] == [2, 3]
    assert "2018-05" not in str(answer)


@pytest.mark.slow
def test_rows_within_the_limit_pass_and_an_unread_date_does_not(tmp_path: Path) -> None:
    """A date that may be in March or in April is not evaluated."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    good = review(tmp_path / "a", visits_csv=visits("2026-01-02", "2025-03-04"))
    unread = review(tmp_path / "b", visits_csv=visits("2026-01-02", "03/04/2025"))

    assert good["visits.csv"]["status"] == "pass"
    assert unread["visits.csv"]["status"] == "not_evaluated"


@pytest.mark.parametrize(
    ("name", "sort"),
    [
        ("ADM_DT", "start"),
        ("created_at", "start"),
        ("퇴원일", "start"),
        ("regDate", "start"),
        ("UPD_DT", "other"),
        ("birth_date", ""),
        ("EXPIRY_DATE", ""),
        ("MEMO", ""),
    ],
)
def test_names_tell_which_dates_count(name: str, sort: str) -> None:
    """A period runs from a start; other days of a row only bound its age."""
    found = date_columns([(name, "")])

    assert found == DateColumns(
        (name,) if sort == "start" else (), (name,) if sort == "other" else ()
    )


def test_the_figures_are_those_of_a_second_implementation(tmp_path: Path) -> None:
    """Random dates, some missing, some unreadable."""
    rng = random.Random(18)  # noqa: S311  # the same rows each time
    days = [TODAY - timedelta(days=rng.randrange(4_000)) for _ in range(500)]
    cells = [rng.choice([each.isoformat(), each.strftime("%Y%m%d"), "", "soon"]) for each in days]
    path = tmp_path / "v.csv"
    path.write_text("ADM_DT\n" + "".join(f'"{each}"\n' for each in cells), encoding="utf-8")
    before = TODAY - timedelta(days=1_095)
    found = ages(open_data_file(Source.of(path)), DateColumns(("ADM_DT",), ()), before=before)
    read = [day for day, cell in zip(days, cells, strict=True) if cell not in {"", "soon"}]

    assert (found.rows, found.undated_rows) == (len(days), len(days) - len(read))
    assert found.past == sum(day < before for day in read)
    assert found.oldest_year == min(read).year
    assert day_of("2026년 3월 4일") == "2026-03-04"
    assert day_of("31-12-2026") == "?"
