"""What a conversation has done is told to whoever asks, and never done again unasked.

`make chaos` has all the words, with every fault, in tests/chaos/test_errands.py.
"""

import re
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import pytest
from errand_office import Fails, Held, Item, Talk, cut_off, errands, first_turn, said

from minerva_platform import (
    AgentInput,
    AgentOutput,
    Attachment,
    BaseAgent,
    Run,
    Task,
    Team,
    agent,
    effect,
)
from minerva_platform.config.model_spec import ModelSpec
from minerva_platform.durable.incoming_request import ask_team
from minerva_platform.models.model import Model
from minerva_platform.routing import START, Network, Tools, Workflow
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.queue.background_runs import cancel_run
from minerva_platform.testing import Reply, scripted_openai_server

FEW = 6
"""Of the strangers' conversations this one in so many is held here."""


def some(kind: str, every: int = FEW) -> list[Item]:
    """Return some of the strangers' conversations, in both languages."""
    return [*said()[kind]][::every]


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> Generator[RunOptions]:
    """Give a database for all conversations; each has a thread of its own."""
    home = tmp_path_factory.mktemp("home")
    with opened_engine(home / "state.db") as engine:
        yield RunOptions(engine=engine, home=home)


@pytest.mark.small(1)
@pytest.mark.parametrize("fails", [False, True], ids=["done", "failed_after_it"])
async def test_the_turns_after_a_deed_do_nothing_and_it_is_told(
    options: RunOptions, *, fails: bool
) -> None:
    """Ten strangers' conversations, whether or not the worker could report what it did."""
    world = Fails()
    talk = Talk(errands(world), options, world)
    for item in some("after"):
        thread = f"{item['id']}-{fails}"
        world.fails_after = fails
        told = await first_turn(talk, item, thread)
        assert told
        await talk.turns(item, told=told, thread=thread)

    assert talk.wrong == []
    assert talk.counts["deeds"] == 10


async def test_a_new_request_after_a_deed_is_carried_out(options: RunOptions) -> None:
    """Without a question, and to what it names."""
    world = Fails()
    talk = Talk(errands(world), options, world)
    for item in some("new", 3):
        await first_turn(talk, item)
        await talk.request(item)

    assert talk.wrong == []
    assert (talk.counts["requests"], talk.counts["needless"]) == (7, 0)


async def test_words_after_a_cancelled_request_carry_nothing_of_it_out(
    options: RunOptions,
) -> None:
    """Neither does the worker that was at work, whose OS thread goes on."""
    world = Held()
    talk = Talk(errands(world), options, world)
    for item in some("cancelled", 2):
        await cut_off(talk, world, item)

    assert talk.wrong == []
    assert talk.counts["cancelled"] == 6


async def test_a_first_question_goes_to_nobody_who_only_acts(options: RunOptions) -> None:
    """What is wanted to be known is no request to do it."""
    world = Fails()
    talk = Talk(errands(world), options, world)
    for item in some("questions", 3):
        await talk.question(item)

    assert talk.wrong == []
    assert talk.counts["asked_first"] == 4


# Words of our own


class Payer(BaseAgent[AgentInput, AgentOutput]):
    """Pays the last number of its request, and looks for none at the words before."""

    name = "payer"
    description = "Pays invoices."
    input_mode = "context"
    examples: Sequence[str] = (
        *("pay invoice 7", "settle invoice 12", "please pay the bill with number 9"),
        *("transfer the money for invoice 8", "invoice 5 has to be paid, please pay"),
        *("송장 7번 결제해줘", "12번 송장 지급해줘", "송장 5번 납부 부탁해요"),
    )

    def __init__(self, target: Any = "invoice") -> None:
        self.given: list[tuple[str, str]] = []
        self.paid: list[int] = []
        self.fails_before = False

        @effect("once", target=target)
        def pay(invoice: int, words: str) -> str:
            del words
            self.paid.append(invoice)
            return f"paid {invoice}"

        self.pay = pay

    def work(self, given: AgentInput) -> AgentOutput:
        """Pay."""
        self.given.append((given.request, given.context))
        if self.fails_before:
            message = "there is no paper"
            raise RuntimeError(message)
        numbers = re.findall(r"\d+", given.request)
        return AgentOutput(summary=self.pay(int(numbers[-1]), given.request))


@agent(
    examples=[
        *("what is Kim's salary?", "how much does Lee earn", "show the salary of Choi"),
        *("김대리 연봉이 얼마야?", "이과장 급여 알려줘", "박부장 월급 조회"),
    ]
)
def staff(request: str) -> str:
    """Knows salaries."""
    return f"salary: {len(request)}"


class Chat:
    """One thread with an office that pays and knows salaries."""

    def __init__(self, options: RunOptions, thread: str, **named: Any) -> None:
        self.payer = Payer(named.pop("target", "invoice"))
        members = (self.payer, staff)
        self.team = Team(name="office", description="An office.", members=members, **named)
        self.options = replace(options, thread_id=thread)

    async def say(self, *words: str, **task: Any) -> Run:
        """Say one thing after the other, and return the last run."""
        runs = [
            await ask_team(self.team.assembled, Task(request=each, **task), self.options)
            for each in words
        ]
        return runs[-1]

    def cancel(self, run: Run) -> None:
        """Cancel a run, as HTTP and `minerva runs cancel` do."""
        assert self.options.engine is not None
        cancel_run(self.options.engine, run.run_id)


@pytest.fixture
def chat(options: RunOptions, request: pytest.FixtureRequest) -> Chat:
    """Give a thread of the test's own."""
    return Chat(options, request.node.name)


@pytest.mark.small(3)
@pytest.mark.parametrize(
    "words",
    [
        "is it paid?",
        "who paid it?",
        "did that go through",
        "when was that",
        "결제됐어?",
        "누가 냈어?",
    ],
)
async def test_a_question_about_a_deed_is_answered_from_what_is_kept(
    chat: Chat, words: str
) -> None:
    """Nobody works; a second question is answered as well as the first."""
    await chat.say("pay invoice 3")
    for _ in range(2):
        run = await chat.say(words)
        assert (run.status, run.reason, run.hops) == ("ok", "about", ())
        told = "에 했습니다." if words[0] > "z" else ": done at 20"
        assert "- `pay` (invoice: 3)" in run.answer
        assert told in run.answer
    assert chat.payer.paid == [3]


@pytest.mark.small(2)
@pytest.mark.parametrize(
    ("first", "words"),
    [
        ("pay invoice 3", "what about 4?"),
        ("pay invoice 3", "and 5 too"),
        ("송장 3번 결제해줘", "4번은?"),
        ("송장 3번 결제해줘", "5번도 똑같이"),
    ],
)
async def test_another_target_is_a_request_of_its_own(chat: Chat, first: str, words: str) -> None:
    """With the old words as context alone: they are no request once more."""
    run = await chat.say(first, words)

    assert (run.status, chat.payer.given[1:]) == ("ok", [(words, f"{first}\n{words}")])
    assert chat.payer.paid == [3, int(re.findall(r"\d+", words)[0])]


async def test_a_whole_request_needs_no_earlier_words(chat: Chat) -> None:
    """It stands alone, beside what was done."""
    words = "pay the bill with number 9"
    run = await chat.say("pay invoice 3", words)

    assert (run.status, chat.payer.given[1:]) == ("ok", [(words, words)])
    assert chat.payer.paid == [3, 9]


@pytest.mark.small(4)
@pytest.mark.parametrize(
    ("first", "words"),
    [
        ("pay invoice 3", "pay invoice 3 again"),
        ("pay invoice 3", "try that again"),
        ("pay invoice 3", "try again"),
        ("송장 3번 결제해줘", "다시 결제해줘"),
    ],
)
@pytest.mark.parametrize("target", ["invoice", ()], ids=["target", "all_arguments"])
async def test_what_may_be_the_same_once_more_asks_first(
    options: RunOptions, first: str, words: str, target: Any
) -> None:
    """Whatever the arguments are this time, if the words bring nothing new."""
    chat = Chat(options, f"{words} {target}", target=target)
    run = await chat.say(first, words)

    assert (run.status, chat.payer.paid) == ("needs_human", [3]), run
    assert run.interrupts[0].kind == "tool"
    run = await chat.say("yes")
    assert (run.status, chat.payer.paid) == ("ok", [3, 3])


async def test_words_beside_an_open_question_are_told_and_decide_nothing(chat: Chat) -> None:
    """Who asks what became of it reads that before the question, which says what it is about."""
    await chat.say("pay invoice 3", "pay invoice 3 again")
    told, unclear = await chat.say("is it paid?"), await chat.say("hm, the boss may know")

    assert (told.reason, unclear.reason) == ("asked_back", "asked_back")
    assert "- `pay` (invoice: 3): done at" in told.answer
    assert "What was done" not in unclear.answer
    for run in (told, unclear):
        assert "this message has done nothing" in run.answer
        assert "`pay` (invoice: 3) was done at" in run.answer
        assert "minerva approve" in run.answer
    assert chat.payer.paid == [3]


@pytest.mark.small(3)
@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("what now?", "`pay` (invoice: 3): done at"),
        ("is it done?", "`pay` (invoice: 3): done at"),
        ("pay it", "`pay` (invoice: 3): done at"),
        ("yes", "The request before was cancelled"),
        ("go on", "The request before was cancelled"),
        ("네", "앞의 요청은 취소되었으며"),
    ],
)
async def test_a_question_that_was_cancelled_is_nobody_s(chat: Chat, words: str, told: str) -> None:
    """The words after it carry nothing of it out, and a yes comes too late."""
    chat.cancel(await chat.say("pay invoice 3", "pay invoice 3 again"))
    run = await chat.say(words)

    assert (run.status, run.hops, chat.payer.paid) == ("ok", (), [3])
    assert told in run.answer


@pytest.mark.small(3)
@pytest.mark.parametrize(
    "words", ["go on", "is it done?", "what about 4?", "try again", "다시 해줘"]
)
async def test_a_turn_that_failed_is_no_subject(chat: Chat, words: str) -> None:
    """The person is asked for a whole sentence."""
    chat.payer.fails_before = True
    await chat.say("pay invoice 3")
    chat.payer.fails_before = False
    run = await chat.say(words)

    assert (run.reason, run.hops, chat.payer.paid) == ("asked_back", (), [])
    assert "whole sentence" in run.answer or "한 문장으로" in run.answer


async def test_a_turn_that_was_rejected_is_no_subject(chat: Chat) -> None:
    """What was done before it still is; what is new is done."""
    refused = await chat.say("pay invoice 3", "pay invoice 3 again", "no")
    told = await chat.say("go on")
    other = await chat.say("what about 4?")

    assert (refused.reason, told.reason, other.status) == ("rejected", "about", "ok")
    assert chat.payer.paid == [3, 4]


async def test_a_question_of_something_else_works(chat: Chat) -> None:
    """And is no subject of the deed; afterwards the deed is not repeated either."""
    run = await chat.say("pay invoice 3", "what is Kim's salary?")
    assert run.answer == "salary: 21"
    await chat.say("was invoice 3 paid?", "thanks", "and Lee's salary?")
    assert chat.payer.paid == [3]


@pytest.mark.parametrize(
    "shape",
    [
        Workflow({START: "payer", "payer": "staff"}),
        Network(start="payer", peers={"payer": ("staff",)}),
    ],
)
async def test_a_declared_order_is_no_excuse(options: RunOptions, shape: Any) -> None:
    """A team that begins with its payer whatever is said tells, asks, and pays what is new."""
    chat = Chat(options, f"of {type(shape).__name__}", router=shape)
    told = await chat.say("pay invoice 3", "is it paid?")
    other = await chat.say("what about 4?")
    again = await chat.say("pay invoice 4 again")

    assert (told.reason, other.status, again.status) == ("about", "ok", "needs_human")
    assert chat.payer.paid == [3, 4]


@pytest.mark.usefixtures("fresh_models")
async def test_a_model_that_leads_is_not_asked_about_deeds(options: RunOptions) -> None:
    """Its members have no examples, so nothing but the kept effects can tell."""
    pay = Reply(tool_calls=[("payer", {"request": "pay invoice 3"})])
    with scripted_openai_server([pay, Reply(text="Paid.")]) as server:
        chat = Chat(options, "led", router=Tools())
        chat.payer.examples = ()
        chat.team.model = Model(ModelSpec(name="openai:scripted", base_url=server.url))
        first = await chat.say("pay invoice 3")
        told = await chat.say("is it paid?")

    assert (first.answer.splitlines()[-1], told.reason) == ("Paid.", "about")
    assert (len(server.calls), chat.payer.paid) == (2, [3])


class WithFile(AgentInput):
    """What a worker gets that cannot work without a file."""

    bills: Annotated[Attachment, Attachment.of("*.txt")]


async def test_the_files_of_the_first_turn_stay(chat: Chat, tmp_path: Path) -> None:
    """They are with the follow-up, though the request is another one."""
    file = tmp_path / "bills.txt"
    file.write_text("3, 4", encoding="utf-8")
    chat.payer.Input = WithFile
    await chat.say("pay invoice 3", attachments=(Attachment(path=file),))
    run = await chat.say("is it paid?", "what about 4?")

    assert (run.status, chat.payer.paid) == ("ok", [3, 4])
