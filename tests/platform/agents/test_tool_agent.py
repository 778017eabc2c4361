"""`ToolAgent`: its own tools, what a person must agree to, and how it is declared."""

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest
from front_desk import by_turn
from langchain_core.tools import tool as langchain_tool
from ledger import sqlite_store
from pydantic import ValidationError
from tool_teams import REQUEST, WikiAgent, calls, is_alive, plain_server, told, tool_team

from minerva_observability import MemorySink
from minerva_platform import Run, Task, Team, effect
from minerva_platform.config import McpServerSpec, TeamSettings, find_settings
from minerva_platform.contract.run_object import DecisionBatch
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.run_continuation import resume_team
from minerva_platform.errors import SettingsError
from minerva_platform.langgraph import ToolAgent, as_tool
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import Reply, ScriptedOpenAI, scripted_openai_server
from minerva_platform.validation.team_declarations import find_problems

DONE = Reply(text="done")
DELETED: list[str] = []


@pytest.fixture
def model(request: pytest.FixtureRequest) -> Generator[ScriptedOpenAI]:
    """Give a model that answers as the test's marker says."""
    with scripted_openai_server(by_turn(*request.param)) as server:
        yield server


def says(*replies: Reply) -> pytest.MarkDecorator:
    """Let the model of a test answer so."""
    return pytest.mark.parametrize("model", [replies], indirect=True, ids=[""])


@pytest.fixture(autouse=True)
def _nothing_deleted() -> None:
    DELETED.clear()


@pytest.fixture
def options(minerva_home: Path) -> Generator[RunOptions]:
    """Give options that keep runs."""
    minerva_home.mkdir()
    with sqlite_store(minerva_home) as store, store.opened() as engine:
        yield RunOptions(engine=engine, home=minerva_home, thread_id="t")


def today() -> str:
    """Tells the day."""
    return "Monday"


async def broken(day: str) -> str:
    """Fails."""
    message = f"no {day} in the calendar"
    raise ValueError(message)


def long() -> str:
    """Says much."""
    return "x" * 9000


@langchain_tool
@effect("once")
def delete(page: str) -> str:
    """Deletes a page."""
    DELETED.append(page)
    return f"deleted {page}"


class OwnAgent(ToolAgent):
    """A worker with its own tools alone."""

    name = "wiki_agent"
    description = "Works on the wiki."
    examples = (REQUEST,)
    tools: Sequence[Any] = (today, broken, long, delete)
    instructions = "You keep the wiki."


class CarefulAgent(OwnAgent):
    """A person decides about its deletions."""

    review: Sequence[str] = ("delete",)


@says(calls("today", ("broken", {"day": "Sunday"}), "long", ("delete", {"page": 1})), DONE)
async def test_own_tools_answer_or_fail_one_by_one(model: ScriptedOpenAI) -> None:
    """A failure is a failed call on record, which the model reads; the others keep their answer."""
    sink = MemorySink()
    run = await run_team(
        tool_team(model, OwnAgent()).assembled, Task(request=REQUEST), RunOptions(recorder=sink)
    )

    day, failed, cut, refused = told(model)
    assert (day, failed) == ("Monday", "ValueError: no Sunday in the calendar")
    assert cut == f"{'x' * 8000}\n… (8000 of 9000 characters shown)"
    assert "valid string" in refused
    assert (run.status, run.answer) == ("ok", "done")
    assert sorted((row.node, row.status) for row in sink.records if row.kind == "tool") == [
        ("broken", "failed"),
        ("delete", "failed"),
        ("long", "ok"),
        ("today", "ok"),
    ]
    assert model.calls[0].messages[0] == {"role": "system", "content": "You keep the wiki."}
    assert run.usage.model_calls == 2


@pytest.mark.parametrize("language", ["en", "ko"])
def test_without_a_model_it_says_what_to_set(language: str) -> None:
    """The sentence names worker, team and file; nothing is called."""
    request = REQUEST if language == "en" else "위키에서 1과 2를 더해 줘"
    run = tool_team(None, OwnAgent()).ask(request)

    assert run.status == "failed"
    assert [item.cause for item in run.bypassed] == [
        {
            "en": "`wiki_agent` of team `docs` needs a model, which chooses its tools, and has "
            "none. Set MINERVA_MODEL (openai:gpt-5-mini, with OPENAI_API_KEY), or write `model:` "
            "into configs/teams/docs.yaml.",
            "ko": "팀 `docs`의 `wiki_agent`는 모델이 있어야 도구를 고를 수 있는데, 설정된 모델이 "
            "없습니다. MINERVA_MODEL과 그 키를 설정하거나 configs/teams/docs.yaml에 `model:`을 "
            "쓰세요.",
        }[language]
    ]


async def decided(run: Run, decision: Any, team: Team, options: RunOptions) -> Run:
    """Decide about the one question of a run, and move it on."""
    (question,) = run.interrupts
    return await resume_team(
        team.assembled, run.run_id, DecisionBatch({question.id: decision}), options
    )


DELETE = ("delete", {"page": "leave"})


@pytest.mark.parametrize(
    ("decision", "reads", "deleted"),
    [
        ("approve", "deleted leave", ["leave"]),
        (
            {"type": "edit", "edited_action": {"name": "delete", "args": {"page": "old"}}},
            'A person has changed the arguments to {"page": "old"}; do not repeat the call.\n'
            "deleted old",
            ["old"],
        ),
        (
            {"type": "reject", "message": "not now"},
            "A person rejected it: not now",
            [],
        ),
    ],
)
@says(calls("today", DELETE), DONE)
async def test_a_person_decides_about_a_call(
    model: ScriptedOpenAI, options: RunOptions, decision: Any, reads: str, deleted: list[str]
) -> None:
    """Before it is made; the other calls of the same answer are made at once, and once."""
    team = tool_team(model, CarefulAgent())
    run = await run_team(team.assembled, Task(request=REQUEST), options)

    (question,) = run.interrupts
    assert (run.status, question.path, question.kind) == ("needs_human", "docs/wiki_agent", "tool")
    assert (question.tool, question.arguments) == DELETE
    assert question.text == "May `wiki_agent` call the tool `delete`?"
    assert DELETED == []
    run = await decided(run, decision, team, options)

    done = "".join(f"Done: `delete` (page: {page}).\n\n" for page in deleted)
    assert (run.status, run.answer, DELETED) == ("ok", f"{done}done", deleted)
    assert told(model) == ["Monday", reads]


@says(calls(("add", {"a": 1})), DONE)
async def test_a_call_to_a_server_waits_without_a_session(
    model: ScriptedOpenAI, options: RunOptions, tmp_path: Path
) -> None:
    """No process waits for the person; with the answer a new session makes the call."""
    file = tmp_path / "pids"
    worker = WikiAgent()
    worker.review = ("*",)
    team = tool_team(model, worker, wiki=plain_server(pids=str(file)))
    run = await run_team(team.assembled, Task(request=REQUEST), options)

    assert run.status == "needs_human"
    (first,) = map(int, file.read_text().split())
    assert not is_alive(first)
    run = await decided(run, "approve", team, options)

    assert (run.status, told(model)) == ("ok", ["1"])
    assert len(file.read_text().split()) == 2


@says(DONE)
def test_a_name_under_review_that_is_no_tool_degrades_the_run(model: ScriptedOpenAI) -> None:
    """A call of the tool that was meant would be seen by nobody."""
    worker = WikiAgent()
    worker.review = ("delet_page", "add")
    run = tool_team(model, worker, wiki=plain_server()).ask(REQUEST)

    assert run.status == "ok_degraded"
    assert [item.cause for item in run.bypassed] == [
        "`wiki_agent` asks a person before each call of `delet_page`, and has no tool of that "
        "name; mend its `review`."
    ]


def problems(team: Team) -> list[str]:
    """Return what `minerva check` says of a team, but for the number of its examples."""
    return [
        problem
        for problem in find_problems(team.assembled, alone=True)
        if "examples" not in problem
    ]


def test_a_declaration_is_checked_before_any_run() -> None:
    """Each problem names worker, server and file, and what to write."""
    worker = WikiAgent()
    worker.mcp = ("wiki", "othr")
    assert problems(tool_team(None, worker, wiki={"command": ["x"]})) == [
        "`docs/wiki_agent`: it names the MCP server `othr`, which is not in "
        "configs/teams/docs.yaml; write there `mcp: {othr: {command: […]}}`, or `url: …`."
    ]
    own = CarefulAgent()
    own.tools, own.review = (today, today), ("delete", "*")
    assert problems(tool_team(None, own)) == [
        "`docs/wiki_agent`: it has several tools called `today`; rename one.",
        "`docs/wiki_agent`: its `review` names `delete`, which is no tool of it (it has `today`, "
        "`today`).",
    ]
    one = WikiAgent()
    one.mcp = "wiki"
    assert problems(tool_team(None, one)) == [
        '`docs/wiki_agent`: its `mcp` is one text; write a tuple: mcp = ("wiki",).'
    ]
    assert problems(tool_team(None, CarefulAgent())) == []


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ("{}", "a server has either a `command` or a `url`; write one of them"),
        ("{command: [a], url: http://b}", "a server has either a `command` or a `url`"),
        ("{command: [a], headers: {A: B}}", "`headers` belong to a server with a `url`"),
        ("{url: http://a, env: {A: B}}", "`env` belongs to a server with a `command`"),
        ("{url: ftp://a}", "it is no address; write http://… or https://…"),
        ("{url: 'http://me:hunter2@a/'}", "a secret does not belong in a file"),
        (
            "{url: http://a, headers: {A: Bearer hunter2}}",
            "the value of `A` is no name of an environment variable; write the variable's name",
        ),
        ("{command: [a], timeout_seconds: 0}", "greater than 0"),
        ("{comand: [a]}", r"unknown key `mcp\.wiki\.comand`"),
    ],
)
def test_a_wrong_server_in_a_file_is_named_by_file_and_line(
    tmp_path: Path, said: str, complaint: str
) -> None:
    """And no value is shown, which may be a secret in the wrong place."""
    (tmp_path / "teams").mkdir()
    (tmp_path / "platform.yaml").write_text("", encoding="utf-8")
    (tmp_path / "teams" / "docs.yaml").write_text(f"mcp:\n  wiki: {said}\n", encoding="utf-8")

    with pytest.raises(SettingsError, match=complaint) as raised:
        find_settings(tmp_path).team("docs", TeamSettings)

    assert str(raised.value).startswith(f"{tmp_path}/teams/docs.yaml:2: ")
    assert "hunter2" not in str(raised.value)


def test_a_server_shows_neither_its_arguments_nor_its_query() -> None:
    """Both are places where secrets are written by mistake."""
    command = McpServerSpec(command=("uvx", "server", "--key=hunter2"))
    address = McpServerSpec(url="https://wiki.example.org:8443/mcp?key=hunter2")

    assert command.shown == "`uvx`"
    assert address.shown == "https://wiki.example.org:8443/mcp"
    with pytest.raises(ValidationError):
        McpServerSpec(command=("",))


@says(calls("today"), DONE, DONE)
def test_it_is_a_tool_of_a_program_of_ones_own(model: ScriptedOpenAI) -> None:
    """As every worker is."""
    (worker,) = tool_team(model, OwnAgent()).assembled.agents

    assert as_tool(worker).invoke({"request": REQUEST}) == "done"
