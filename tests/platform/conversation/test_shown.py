"""What answers name, and what the next turn means by it."""

from pathlib import Path
from typing import Any

import pytest

from minerva_observability import build_recorder
from minerva_platform import AgentInput, AgentOutput, BaseAgent, Run, Shown, Task, Team
from minerva_platform.contract.bounds import bounded_shown
from minerva_platform.contract.engine import engine
from minerva_platform.contract.router import ExamplesRouter
from minerva_platform.conversation.listed_names import recall
from minerva_platform.conversation.small_talk import kind_output, small_talk_of
from minerva_platform.durable.active_run import run_team
from minerva_platform.routing import Decision, Goal, RoutingView
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.ledger.threads import Conversation
from minerva_platform.storage.ledger.turn import KeptTurn
from minerva_platform.testing import StubAgent

COLUMNS = (Shown(kind="column", names=("PT.PT_NM", "PT.BRTH_YMD", "VISIT.DGNS_CD")),)


class Clerk(BaseAgent[AgentInput, AgentOutput]):
    """Shows columns; keeps what it was asked."""

    description = "Names columns."
    examples = ("name the columns",)

    def __init__(self, name: str, shown: tuple[Shown, ...] = COLUMNS) -> None:
        self.name, self.shown = name, shown
        self.given: list[AgentInput] = []

    def work(self, given: AgentInput) -> AgentOutput:
        """Answer with the names."""
        self.given.append(given)
        return AgentOutput(summary=f"{self.name} answered", shown=self.shown)


class First:
    """A router that chooses the first member, and keeps the words that it saw."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def decide(self, view: RoutingView) -> Decision:
        """Choose the first member once."""
        self.seen.append(view.request)
        goal = Goal(member=view.members[0].name, request=view.request)
        return Decision(goals=(goal,), finish=True)


def office() -> tuple[Team, Clerk, Clerk, First, First]:
    """Return a team of a team of two clerks, with the routers of both levels."""
    one, two, above, below = Clerk("one"), Clerk("two"), First(), First()
    team = Team(name="naming", description="…", members=[one, two], router=below)
    return (
        Team(name="office", description="…", members=[team], router=above),
        one,
        two,
        above,
        below,
    )


async def say(team: Any, home: Path, *turns: str) -> list[Run]:
    """Say `turns` in one thread."""
    led = engine().assembled_team(team)
    with opened_engine(home / "state.db") as database:
        recorder = build_recorder(home)
        options = RunOptions(home=home, thread_id="t", engine=database, recorder=recorder)
        runs = [await run_team(led, Task(request=words), options) for words in turns]
        recorder.close()
        return runs


def kept(home: Path) -> KeptTurn:
    """Return the latest turn of the thread."""
    with opened_engine(home / "state.db") as database:
        turn = Conversation(database, "t").latest()
    assert turn is not None
    return turn


def recorded(home: Path) -> str:
    """Return all records as they were written."""
    files = [path.read_text(encoding="utf-8") for path in home.rglob("runs*.jsonl")]
    assert files
    return "".join(files)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("the second one", ["PT.BRTH_YMD"]),
        ("세 번째 거는?", ["VISIT.DGNS_CD"]),
        ("the last one", ["VISIT.DGNS_CD"]),
        ("둘 중 어느 게 더 길어?", ["PT.BRTH_YMD", "VISIT.DGNS_CD"]),
        ("put both in a table", ["PT.BRTH_YMD", "VISIT.DGNS_CD"]),
        ("only VISIT", ["VISIT.DGNS_CD"]),
        ("visit만 따로", ["VISIT.DGNS_CD"]),
        ("brth_ymd는 왜?", ["PT.BRTH_YMD"]),
    ],
)
def test_a_request_refers_to_what_was_shown(text: str, names: list[str]) -> None:
    """It counts, says both, or writes a name or a part of it."""
    found = recall(text, COLUMNS)
    assert found is not None
    assert [name for one in found.shown for name in one.names] == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("what does the second rule say?", ["R-2"]),
        ("두 번째 파일은?", ["b.csv"]),
        ("which ones are unresolved?", ["PT.X"]),
        ("미해결은 왜 남았어?", ["PT.X"]),
        ("the first one", ["a.csv"]),
        ("the third one", ["R-3"]),
    ],
)
def test_a_kind_that_is_said_is_the_one_that_counts(text: str, names: list[str]) -> None:
    """Else the first kind with enough names; a group only by what it is called."""
    kinds = {"unresolved": ("PT.X",), "file": ("a.csv", "b.csv"), "rule": ("R-1", "R-2", "R-3")}
    found = recall(text, [Shown(kind=kind, names=of_kind) for kind, of_kind in kinds.items()])
    assert found is not None
    assert [name for one in found.shown for name in one.names] == names


@pytest.mark.parametrize("text", ["the sixth one", "what is the weather?", "both PT_ID and X_ID"])
def test_what_was_not_shown_is_not_meant(text: str) -> None:
    """A number beyond the list, other words, a list of its own."""
    assert recall(text, COLUMNS) is None


async def test_a_follow_up_reaches_who_answered_with_what_is_meant(minerva_home: Path) -> None:
    """At every level; no router reads its words or the names."""
    team, one, two, above, below = office()
    await say(team, minerva_home, "name the columns", "the second one")

    assert (len(one.given), two.given) == (2, [])
    assert one.given[-1].meant == (Shown(kind="column", names=("PT.BRTH_YMD",)),)
    assert one.given[-1].request.splitlines()[0] == "PT.BRTH_YMD"
    assert above.seen == below.seen == ["name the columns"]


async def test_what_is_shown_is_bounded_and_harmless(minerva_home: Path) -> None:
    """Names are single lines, at most fifty, none of them a secret; records hold none."""
    token = "ghp_" + "a1B2" * 9
    names = ("a\x1b[31m\nb\u202e", token, *(f"N{number}" for number in range(60)))
    clerk = Clerk("one", (Shown(kind="column", names=names),))
    team = Team(name="naming", description="…", members=[clerk], router=First())
    (run,) = await say(team, minerva_home, "name the columns")

    (shown,) = kept(minerva_home).shown
    assert shown.names == ("a[31m b", *(f"N{number}" for number in range(49)))
    assert run.cut == 1
    assert "N48" not in recorded(minerva_home)


async def test_only_what_is_lost_counts_as_cut(minerva_home: Path) -> None:
    """A kind without names, and a name said twice, lose nothing."""
    shown = (Shown(kind="unresolved", names=()), Shown(kind="column", names=("A", "A")))
    team = Team(name="naming", description="…", members=[Clerk("one", shown)], router=First())
    (run,) = await say(team, minerva_home, "name the columns")

    assert run.cut == 0
    assert kept(minerva_home).shown == (Shown(kind="column", names=("A",)),)


def test_the_latest_names_are_kept() -> None:
    """A name that is shown again moves to the end."""
    again = (Shown(kind="column", names=("A", "B")), Shown(kind="column", names=("A",)))
    assert bounded_shown(again, newest=True) == (Shown(kind="column", names=("B", "A")),)
    assert bounded_shown(again) == (Shown(kind="column", names=("A", "B")),)


def test_a_turn_kept_before_there_were_names_can_be_read() -> None:
    """It shows nothing."""
    old: dict[str, Any] = {"request": "r", "answer": "a", "topic": "r", "run_id": "1"}
    turn = KeptTurn.model_validate({**old, "status": "ok", "members": ["naming"]})
    assert turn.shown == ()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("what can you do?", "able"),
        ("너 뭐 할 수 있어?", "able"),
        ("도움말", "able"),
        ("Which teams are there?", "able"),
        ("Which teams can I send a request to here?", "able"),
        ("여기 어떤 팀이 있어?", "able"),
        ("who answered that?", "who"),
        ("방금 누가 대답한 거야?", "who"),
        ("오 고마워요 ㅎㅎ", "courtesy"),
        ("can you show that as a table?", None),
        ("what can you find about PT_NM?", None),
        ("이 함수 누가 호출해?", None),
    ],
)
def test_questions_about_the_system_are_told(text: str, kind: str | None) -> None:
    """They hold no word of anything else."""
    assert small_talk_of(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        "Who scored for the home team in last night's match?",
        "How many team members does a volleyball side have?",
        "Ask a travel agent for a tour to Okinawa",
        "Let the experts laugh at the retirement dinner",
        "구내식당 오늘 점심 메뉴 뭐 나와요?",
        "팀장님 생신 선물 추천 좀 해줘",
        "시설 담당자 전화번호 아시는 분",
    ],
)
def test_other_teams_and_members_are_not_the_system_s(text: str) -> None:
    """Such a request gets no list of what can be asked: it is for the router."""
    members = [StubAgent("naming"), StubAgent("paying")]
    team = Team(name="desk", description="…", members=members)

    assert isinstance(team.assembled.router, ExamplesRouter)
    assert kind_output(team.assembled, Task(request=text), None) is None


async def test_a_question_about_the_members_runs_nobody(minerva_home: Path) -> None:
    """Of the platform or of a team alone; the subject stays."""
    team, one, *_ = office()
    runs = await say(
        team, minerva_home, "what can you do?", "name the columns", "who answered that?", "도움말"
    )
    (alone,) = await say(
        team.assembled.by_name["naming"], minerva_home / "alone", "너 뭐 할 수 있어?"
    )

    assert [run.reason for run in (*runs, alone)] == ["about", None, "about", "about", "about"]
    assert "name the columns" in runs[0].answer
    assert "naming/one" in runs[2].answer
    assert len(one.given) == 1
    assert kept(minerva_home).shown == COLUMNS
