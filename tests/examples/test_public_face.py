"""The public face, used as on a first day; type checkers read this file strictly."""

import runpy
from pathlib import Path
from typing import Annotated, Any, assert_type

import pytest
from pydantic import BaseModel

from minerva_observability import MemorySink
from minerva_platform import (
    AgentInput,
    AgentOutput,
    Attachment,
    BaseAgent,
    BindingError,
    Platform,
    Run,
    RunError,
    RunEvent,
    RunLimits,
    Task,
    Team,
    agent,
)
from minerva_platform.testing import EachOnceRouter, assert_hops

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@agent(examples=["how many words are there", "count the words of this"])
def word_count(request: str) -> str:
    """Counts the words of a request."""
    return f"{len(request.split())} words"


class Text(AgentInput):
    """A text file."""

    file: Annotated[Attachment, Attachment.of("*.txt")]


class Lines(AgentOutput):
    """How many lines it has."""

    lines: int


class LineCount(BaseAgent[Text, Lines]):
    """A worker of one step."""

    name = "line_count"
    description = "Counts the lines of a text file."

    def work(self, given: Text) -> Lines:
        """Read the file in a thread."""
        lines = len(given.file.path.read_text(encoding="utf-8").splitlines())
        return Lines(summary=f"{lines} lines in {given.request!r}", lines=lines)


class Greeter(BaseAgent[AgentInput, AgentOutput]):
    """A worker of one step that waits without a thread."""

    name = "greeter"
    description = "Greets."

    async def work(self, given: AgentInput) -> AgentOutput:
        """Greet in the language of the request."""
        return AgentOutput(summary="안녕하세요" if given.language == "ko" else "Hello")


def office() -> Team:
    """Return a team that asks every member."""
    return Team(
        name="office",
        description="Office chores.",
        members=[word_count, Greeter],
        router=EachOnceRouter(),
    )


def test_hello_world_is_twelve_lines_at_most(capsys: pytest.CaptureFixture[str]) -> None:
    """A function, a team, an answer."""
    source = HERE / "hello_world.py"
    runpy.run_path(str(source))

    assert capsys.readouterr().out == "6 words\n"
    text = source.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 12
    for readme in ("README.md", "platform/README.md"):
        assert f"```python\n{text}```" in (ROOT / readme).read_text(encoding="utf-8")


def test_a_team_answers_with_a_run() -> None:
    """Its type says what can be asked of it."""
    run = office().ask("how many words are in this")

    assert_type(run, Run)
    assert (run.status, run.thread_id) == ("ok", run.run_id)
    assert run.answer == "6 words\n\nHello"
    assert_hops(run, "office/word_count", "office/greeter")


async def test_a_team_is_awaited_and_watched() -> None:
    """The last event of a stream holds the run."""
    run = await office().aask("one two")
    events = [event async for event in office().stream("one two")]

    assert_type(events, list[RunEvent])
    assert events[-1].run is not None
    assert events[-1].run.answer == run.answer == "2 words\n\nHello"
    assert {event.type for event in events} == {"started", "finished", "run"}
    assert office().ask("one two").answer == run.answer  # as in a notebook


def test_a_thread_holds_what_was_said(minerva_home: Path) -> None:
    """With a thread a team keeps the conversation, without one nothing."""

    class Listener(BaseAgent[AgentInput, AgentOutput]):
        name = "listener"
        description = "Repeats the conversation."
        input_mode = "full"

        def work(self, given: AgentInput) -> AgentOutput:
            said = [turn.request for turn in given.conversation]
            return AgentOutput(summary=f"{said} and now {given.request}")

    team = Team(name="t", description="…", members=[Listener], router=EachOnceRouter())
    assert team.ask("first words").answer == "[] and now first words"
    assert not (minerva_home / "state.db").exists()

    team.ask("second words", thread="t1")
    run = team.ask("third words", thread="t1")
    assert (run.thread_id, run.answer) == ("t1", "['second words'] and now third words")


def test_files_are_attached_by_path(tmp_path: Path) -> None:
    """One path, or several; one that is not there is named before anything runs."""
    (tmp_path / "poem.txt").write_text("one\ntwo\n", encoding="utf-8")
    team = Team(name="t", description="…", members=[LineCount], router=EachOnceRouter())

    run = team.ask("count them", attachments=[tmp_path / "poem.txt"])
    assert run.answer.startswith("2 lines in 'count them'")
    assert team.ask("count them", attachments=str(tmp_path)).status == "ok"
    with pytest.raises(BindingError, match=r"`t` cannot start: its input `attachments` names"):
        team.ask("count them", attachments=["nowhere.txt"])


def test_limits_of_one_run() -> None:
    """They go before those configured."""
    run = office().ask("one two", limits=RunLimits(hops=1))

    assert (run.status, run.reason) == ("failed", "loop_limit")


def test_a_task_is_taken_as_it_is() -> None:
    """For programs that know more than the words."""
    run = office().ask(Task(request="one two", language="ko"))

    assert run.answer == "2 words\n\n안녕하세요"


def test_a_worker_runs_alone_and_typed(tmp_path: Path) -> None:
    """Input and Output come from the type parameters; nothing is declared twice."""
    file = tmp_path / "poem.txt"
    file.write_text("one\ntwo\n", encoding="utf-8")
    worker = LineCount()
    lines = worker.run(Text(request="count", file=Attachment(path=file)))

    assert_type(lines, Lines)
    assert (lines.lines, worker.Input, worker.Output) == (2, Text, Lines)
    assert worker.invoke({"request": "count", "file": str(file)})["lines"] == 2
    assert_type(word_count.run(AgentInput(request="one")), AgentOutput)


async def test_a_worker_is_awaited() -> None:
    """The synchronous door works beside a running loop, too."""
    answer = await Greeter().arun(AgentInput(request="안녕"))

    assert_type(answer, AgentOutput)
    assert answer.summary == "안녕하세요"
    assert Greeter().run(AgentInput(request="안녕")) == answer


class Sum(BaseModel):
    """What is added."""

    left: int = 2
    right: int = 3


class Total(AgentOutput):
    """What comes of it."""

    total: int


@agent(name="adder", description="Adds.", examples=["add two and three"])
async def add(given: Sum) -> Total:
    """Add."""
    return Total(summary=f"{given.left + given.right}", total=given.left + given.right)


def test_a_functions_models_are_its_contract() -> None:
    """Sync or async; the editor knows both."""
    total = add.run(Sum(left=4))

    assert_type(add, BaseAgent[Sum, Total])
    assert_type(total, Total)
    assert (add.name, total.total) == ("adder", 7)


def test_type_parameters_reach_through_a_class_between() -> None:
    """A base of one's own may leave one of them open."""

    class Counting(BaseAgent[Text, Lines]):
        description = "Counts."

    class Named(Counting):
        name = "named"

    class Overriding(Counting):
        Input = AgentInput  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]  # what is set goes before the parameter

    assert (Named().Input, Named().Output) == (Text, Lines)
    assert (Overriding().Input, Overriding().Output) == (AgentInput, Lines)


def test_a_wrong_input_is_refused_by_name() -> None:
    """The typed door takes no dict."""
    given: Any = {"request": "x"}

    with pytest.raises(BindingError, match="is dict, not AgentInput; `invoke` takes a dict"):
        Greeter().run(given)
    with pytest.raises(RunError, match=r"`office` is a team; ask it: `ask\(…\)`"):
        office().run(Task(request="x"))


@pytest.mark.slow
def test_the_platform_is_asked_as_configured(minerva_home: Path) -> None:
    """One line: the installed teams, their settings, records and threads."""
    with Platform.from_config(only_team="data") as platform:
        run = platform.ask("환자 식별 컬럼의 표준 약어를 알려줘", thread="t1")

    assert_type(run, Run)
    assert (run.status, run.thread_id) == ("ok", "t1")
    assert "PT_ID" in run.answer
    assert (minerva_home / "runs.jsonl").exists()
    assert (minerva_home / "state.db").exists()


async def test_a_platform_of_teams_given_in_code(minerva_home: Path) -> None:
    """They are recorded as installed ones are."""
    sink = MemorySink()
    platform = Platform(teams=[office()], recorder=sink, home=minerva_home)
    events = [event async for event in platform.stream("how many words has note 7")]

    assert events[-1].run is not None
    assert events[-1].run.status == "ok"
    assert {record.path for record in sink.records} >= {"platform", "platform/office/greeter"}
