"""Follow-ups told by words: what members say can be asked of a thing, and the forms around it."""

import asyncio
from pathlib import Path

import pytest

from minerva_platform import Task, Team
from minerva_platform.conversation.listed_names import list_things, recall
from minerva_platform.conversation.mentions import replace_thing, with_counted
from minerva_platform.conversation.pointing_words import ReferenceKind, find_reference
from minerva_platform.conversation.small_talk import is_small_talk
from minerva_platform.durable.active_run import run_team
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.testing import EachOnceRouter, StubAgent
from minerva_platform.text import language_of

ASPECTS = frozenset(
    "weight weights price colour type name who sells 무게 가격 색 이름 파는 판매".split()
)
"""What a shop's worker would declare."""


@pytest.mark.parametrize(
    "text",
    [
        "weight?",
        "and the colour",
        "which type?",
        "what about the price",
        "both weights please",
        "the second one's price",
        "is that sold here?",
        "which shops sell that?",
        "무게도 알려줘",
        "색은 뭐야",
        "둘 다 가격이 얼마야?",
        "첫 번째 것의 색은?",
        "가격별로 정렬해줘",
        "거기서 파는 곳은?",
        "누가 판매해?",
    ],
)
def test_what_names_only_aspects_points_back(text: str) -> None:
    """They ask something of a thing, and no thing is there."""
    assert find_reference(text, ASPECTS).kind is ReferenceKind.POINTS


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("what about bicycles?", "bicycles"),
        ("same for the garden chair", "garden chair"),
        ("and BIKE_LOCK?", "BIKE_LOCK"),
        ("자전거는?", "자전거"),
        ("그럼 자전거는요?", "자전거"),
        ("자전거도 알려줘", "자전거"),
        ("BIKE_LOCK은 어때?", "BIKE_LOCK"),
        ("접이식 의자에 대해서는?", "접이식 의자"),
    ],
)
def test_a_bare_thing_stands_for_the_one_before(text: str, thing: str) -> None:
    """The question is the earlier one."""
    said = find_reference(text, ASPECTS)

    assert (said.kind, said.rest) == (ReferenceKind.REPLACES, thing)


@pytest.mark.parametrize(
    "text",
    [
        "only in shop.py",
        "just the red ones please",
        "and in the garden department?",
        "except the bicycles",
        "의자만 보여줘",
        "의자 빼고",
        "창고에서는?",
    ],
)
def test_what_only_narrows_asks_the_same_again(text: str) -> None:
    """It is no other thing to ask about, and no request of its own."""
    said = find_reference(text, ASPECTS)

    assert (said.kind, said.is_filter) == (ReferenceKind.POINTS, True)


@pytest.mark.parametrize(
    "text", ["only tell me the weather", "이번 주만 휴가 신청해줘", "where only?"]
)
def test_a_request_with_more_in_it_narrows_nothing(text: str) -> None:
    """It asks for something."""
    assert not find_reference(text, ASPECTS).is_filter


@pytest.mark.parametrize(
    "text",
    [
        "what is the price of bicycles?",
        "sort the invoices by weight",
        "자전거의 무게는 얼마야?",
        "내일 날씨는?",
        "book a table for two tonight",
        "tell me the weight and price, then mail it to Kim",
    ],
)
def test_what_names_a_thing_and_asks_stands_alone(text: str) -> None:
    """Whatever was said before."""
    assert find_reference(text, ASPECTS).kind is None


@pytest.mark.parametrize(
    ("topic", "thing", "text"),
    [
        (
            "what is the weight of the garden chair?",
            "bicycles",
            "what is the weight of the bicycles?",
        ),
        ("who sells garden_chair?", "bike_lock", "who sells bike_lock?"),
        ("의자 무게 알려줘", "자전거", "자전거 무게 알려줘"),
        ("의자와 책상의 무게 알려줘", "자전거", "자전거의 무게 알려줘"),
        ("GARDEN_CHAIR를 파는 곳을 찾아줘", "BIKE_LOCK", "BIKE_LOCK를 파는 곳을 찾아줘"),
        ("how long is a chair kept after a complaint?", "bicycles", None),
    ],
)
def test_a_thing_takes_the_place_of_another(topic: str, thing: str, text: str | None) -> None:
    """Only where it is plain which words it replaces."""
    assert replace_thing(topic, thing, ASPECTS) == text


def test_what_is_counted_is_found_in_the_earlier_words() -> None:
    """In a list of things; where there is none, the words stay."""
    topic = "weight of the garden chair and the bicycle"

    found = recall("the second one's price", list_things(topic, ASPECTS))
    assert found is not None
    assert with_counted("the second one's price", found.names) == "bicycle's price"
    assert with_counted("두 번째 것의 색은?", "책상") == "책상의 색은?"
    assert with_counted("only the first two", "chair") is None
    assert recall("the third one", list_things(topic, ASPECTS)) is None
    assert list_things("weight of the garden chair", ASPECTS) == ()


@pytest.mark.parametrize(
    "text",
    ["ok", "great, thanks!", "that's all, cheers", "hi", "good morning everyone", "고마워요",
     "네, 감사해요", "아 그렇군요, 알겠습니다", "안녕하세요"],
)  # fmt: skip
def test_small_talk_is_told(text: str) -> None:
    """It thanks, greets or agrees, and nothing else."""
    assert is_small_talk(text)
    assert find_reference(text, ASPECTS).kind is None


@pytest.mark.parametrize("text", ["is it ok?", "thanks, and the weight?", "감사해줘", "great name"])
def test_small_talk_with_a_wish_is_a_request(text: str) -> None:
    """What stands beside it is asked for."""
    assert not is_small_talk(text)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("what is the standard name for 환자주소?", "en"),
        ("same question for 진료과명", "en"),
        ("compare 환자명 and 보호자명", "en"),
        ("PT_ID 도메인 알려줘", "ko"),
        ("date of birth 표준 약어", "ko"),
        ("what 컬럼 이름이 뭐야?", "ko"),
        ("show create table 결과를 표준화해줘", "ko"),
    ],
)
def test_a_name_does_not_change_the_language(text: str, language: str) -> None:
    """The sentence around it does."""
    assert language_of(text) == language


def shop() -> tuple[Team, StubAgent]:
    """Return a team of one worker that declares aspects."""
    worker = StubAgent("catalogue")
    worker.aspects = tuple(ASPECTS)
    team = Team(name="shop", description="…", members=[worker], router=EachOnceRouter())
    return team, worker


async def say(team: Team, home: Path, *turns: str) -> list[str]:
    """Say `turns` in one thread and return the reasons and states of the runs."""
    ended: list[str] = []
    with opened_engine(home / "state.db") as engine:
        for words in turns:
            options = RunOptions(home=home, thread_id="t", engine=engine)
            run = await run_team(team.assembled, Task(request=words, context=words), options)
            ended.append(run.reason or run.status)
    return ended


async def test_old_subjects_do_not_pile_up(minerva_home: Path) -> None:
    """A question of form is not kept, and a new thing replaces the old one."""
    team, worker = shop()
    await say(team, minerva_home, "의자 무게 알려줘", "색은?", "자전거는?", "가격은?")

    assert [call.request for call in worker.calls] == [
        "의자 무게 알려줘",
        "의자 무게 알려줘\n색은?",
        "자전거 무게 알려줘",
        "자전거 무게 알려줘\n가격은?",
    ]


async def test_a_person_may_go_back_to_an_earlier_subject(minerva_home: Path) -> None:
    """The latest turn that names it is meant."""
    team, worker = shop()
    asked = ("weight of the garden chair", "weight of the bicycle", "its colour?")
    await say(team, minerva_home, *asked, "and the chair from before, what is its price?")

    last = worker.calls[-1].request
    assert last.startswith("weight of the garden chair\n")
    assert "bicycle" not in last


async def test_small_talk_runs_nobody_and_changes_no_subject(minerva_home: Path) -> None:
    """It is answered; the next follow-up speaks of what was asked before."""
    team, worker = shop()
    ended = await say(team, minerva_home, "hi", "weight of the chair", "great, thanks!", "colour?")

    assert ended == ["small_talk", "ok", "small_talk", "asked_back"]  # a stub repeats itself
    assert [call.request for call in worker.calls] == [
        "weight of the chair",
        "weight of the chair\ncolour?",
    ]


async def test_a_team_whose_work_is_greeting_greets(minerva_home: Path) -> None:
    """Its examples say so."""
    team, worker = shop()
    worker.examples = ("hello", "good morning")

    assert await say(team, minerva_home, "hello") == ["ok"]
    assert len(worker.calls) == 1


async def test_an_interrupted_turn_is_no_subject(minerva_home: Path) -> None:
    """What was cancelled is not done by the next words, which are asked back."""
    team, worker = shop()
    stopped = asyncio.Event()

    async def wait(_: object) -> None:
        stopped.set()
        await asyncio.sleep(60)

    worker.behave = wait
    turn = asyncio.create_task(say(team, minerva_home, "weight of the chair"))
    await stopped.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    worker.behave = None

    assert await say(team, minerva_home, "its colour?") == ["asked_back"]
    assert [call.request for call in worker.calls] == ["weight of the chair"]
