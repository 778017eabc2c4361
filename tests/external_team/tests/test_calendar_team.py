"""The workers alone, and the team without any platform around it."""

from pathlib import Path

import pytest

from minerva_calendar import CalendarTeam, DeadlineAgent, HolidayAgent
from minerva_platform import AgentError
from minerva_platform.testing import ScriptedRouter, assert_hops, assert_isolated


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINERVA_HOME", str(tmp_path / ".minerva"))


@pytest.fixture
def holidays(tmp_path: Path) -> Path:
    """A file with one holiday."""
    file = tmp_path / "holidays.csv"
    file.write_text("date,name\n2026-05-05,어린이날\n", encoding="utf-8")
    return file


def test_a_worker_answers_alone(holidays: Path) -> None:
    """No supervisor, no platform: a worker is a callable with a contract."""
    answer = HolidayAgent().invoke({"request": "5월 공휴일 알려줘", "file": str(holidays)})

    assert answer["holidays"]["days"] == [{"day": "2026-05-05", "name": "어린이날"}]
    assert "| 2026-05-05 | 어린이날 |" in answer["summary"]


def test_the_answer_speaks_the_language_of_the_question() -> None:
    """Only weekends are known here, and the answer says so."""
    answer = DeadlineAgent().invoke(
        {"request": "What date is 10 business days after 2026-05-04?", "holidays": {}}
    )

    assert "is **2026-05-18**" in answer["summary"]
    assert "only weekends" in answer["summary"]


def test_an_unclear_question_is_asked_back() -> None:
    """The error is written for the person who asked."""
    with pytest.raises(AgentError, match="10 working days after 2026-03-02"):
        DeadlineAgent().invoke({"request": "When is it due?", "holidays": {}})


def test_holidays_come_first_because_the_contract_says_so(holidays: Path) -> None:
    """The router names the goal only; the supervisor adds who makes what it needs."""
    team = CalendarTeam(router=ScriptedRouter("deadline_agent"))
    run = team.invoke(
        {
            "request": "2026-05-04부터 10영업일 뒤는?",
            "attachments": [{"path": str(holidays)}],
        }
    )

    assert_hops(run, "calendar/holiday_agent", "calendar/deadline_agent")
    assert "**2026-05-19**" in run["answer"]


def test_nothing_undeclared_crosses_the_workers_borders() -> None:
    """The platform's own assertion, as any team would use it."""
    assert_isolated(HolidayAgent(), {"request": "공휴일"})
