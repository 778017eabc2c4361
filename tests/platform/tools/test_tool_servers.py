"""Servers of tools (MCP) of a `ToolAgent`: real processes and a real HTTP server, good and bad."""

import asyncio
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from front_desk import by_turn
from tool_teams import (
    REQUEST,
    WikiAgent,
    calls,
    http_server,
    is_alive,
    official_server,
    plain_server,
    told,
    tool,
    tool_team,
    until,
)

from minerva_observability import MemorySink
from minerva_platform import (
    AgentInput,
    AgentOutput,
    BaseAgent,
    Run,
    RunError,
    RunLimits,
    Task,
    Team,
)
from minerva_platform.config import McpServerSpec
from minerva_platform.durable.active_run import run_team
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import (
    EachOnceRouter,
    Reply,
    ScriptedOpenAI,
    StubAgent,
    scripted_openai_server,
)
from minerva_platform.tools.offer import ToolListing, to_offer

DONE = Reply(text="done")
ADD = ("add", {"a": 1, "b": 2})
WIKI = (
    "`wiki_agent` goes on without tools of the MCP server `wiki` of team `docs` (`mcp.wiki` in "
    "configs/teams/docs.yaml). It "
)


@pytest.fixture
def model(request: pytest.FixtureRequest) -> Generator[ScriptedOpenAI]:
    """Give a model that answers as the test's parameter, or marker, says."""
    with scripted_openai_server(by_turn(*request.param)) as server:
        yield server


def says(*replies: Reply) -> pytest.MarkDecorator:
    """Let the model of a test answer so."""
    return pytest.mark.parametrize("model", [replies], indirect=True, ids=[""])


def pids(file: Path) -> list[int]:
    """Return the processes that servers have noted."""
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def tools_on_record(sink: MemorySink) -> list[tuple[str, str]]:
    """Return name and status of the tools' calls on record."""
    return [(str(row.node), row.status) for row in sink.records if row.kind == "tool"]


def causes(run: Run) -> list[str]:
    """Return why a run was bypassed."""
    return [item.cause for item in run.bypassed]


@says(calls(ADD, "fail", "nothing"), DONE)
async def test_a_real_stdio_server_answers_and_fails(model: ScriptedOpenAI) -> None:
    """The official library's: `isError` is a failed call on record, and the model reads why."""
    sink = MemorySink()
    team = tool_team(model, wiki=official_server())

    run = await run_team(team.assembled, Task(request=REQUEST), RunOptions(recorder=sink))

    assert (run.status, run.answer, causes(run)) == ("ok", "done", [])
    assert told(model) == [
        "3",
        "The tool `fail` of the MCP server `wiki` failed: Error executing tool fail: the wiki is "
        "closed",
        "There is no tool 'nothing', or no more; call another one.",
    ]
    assert sorted(tools_on_record(sink)) == [
        ("add", "ok"),
        ("fail", "failed"),
        ("nothing", "failed"),
    ]
    (wait,) = (row for row in sink.records if row.kind == "wait")
    (whole,) = (
        row for row in sink.records if row.path == "docs/wiki_agent" and row.kind == "agent"
    )
    assert (wait.reason, wait.agent_name) == ("server", "wiki_agent")
    assert wait.parent_id != whole.span_id  # it is below the step that waited
    assert whole.idle_ms == pytest.approx(wait.ms)
    assert [hop.ms for hop in run.hops] == [whole.took_ms]
    (failed,) = (row for row in sink.records if row.node == "fail")
    assert (failed.path, failed.agent_name) == ("docs/wiki_agent", "wiki_agent")
    assert failed.error
    assert failed.error["type"] == "McpToolError"


@pytest.fixture(scope="module")
def address() -> Generator[dict[str, Any]]:
    """Give a real server behind an address. The last test that uses it kills it."""
    with http_server() as server:
        yield server


@says(calls("hang"), DONE)
def test_a_call_over_http_that_hangs_ends(model: ScriptedOpenAI, address: dict[str, Any]) -> None:
    """The sentence names server and tool."""
    run = tool_team(model, wiki={**address, "timeout_seconds": 3}).ask(REQUEST)

    assert told(model) == ["The tool `hang` of the MCP server `wiki` gave no answer within 3 s."]
    assert run.status == "ok"


@says(
    calls(ADD, "big", "fail"),
    calls("learn"),
    calls(("multiply", {"a": 3, "b": 4}), "add"),
    calls("die"),
    DONE,
)
def test_a_real_http_server_does_all_of_it(model: ScriptedOpenAI, address: dict[str, Any]) -> None:
    """Long answers are cut, new tools are there at once, hostile names and a kill are named."""
    run = tool_team(model, wiki=address).ask(REQUEST)
    three, long, closed, learned, twelve, gone, died = told(model)
    again = tool_team(model, wiki=address).ask(REQUEST)

    assert (three, learned, twelve) == ("3", "learned", "12")
    assert long == f"{'x' * 8000}\n… (8000 of 10000000 characters shown)"
    assert "the wiki is closed" in closed
    assert gone == "There is no tool 'add', or no more; call another one."
    assert died.startswith(
        "The tool `die` of the MCP server `wiki` failed, because the server broke off"
    )
    assert [call.tools for call in model.calls[:5:2]] == [
        ["add", "fail", "hang", "big", "die", "learn"],
        ["fail", "hang", "big", "die", "learn", "multiply"],
        [],
    ]
    assert run.status == "ok_degraded"
    assert any("called `rm -rf\\n/`, which no model takes" in cause for cause in causes(run))
    assert causes(again) == [f"{WIKI}cannot be reached; start it, or mend its `url`."]


@says(calls("die", ADD), calls(ADD), DONE)
def test_a_server_that_is_killed_in_the_call_is_named(
    model: ScriptedOpenAI, tmp_path: Path
) -> None:
    """The model reads how it ended, has its tools no more, and the run is degraded."""
    worker = WikiAgent()
    worker.tools = (len_of,)
    run = tool_team(model, worker, wiki=plain_server(pids=str(tmp_path / "pids"))).ask(REQUEST)

    died = "was ended by SIGKILL; its last words: `out of paper`."
    assert told(model)[0] == (
        f"The tool `die` of the MCP server `wiki` failed, because the server {died}"
    )
    assert [call.tools for call in model.calls][1:] == [["len_of"], ["len_of"]]
    assert (run.status, causes(run)) == ("ok_degraded", [f"{WIKI}{died}"])
    assert len(pids(tmp_path / "pids")) == 1


def len_of(text: str) -> int:
    """Counts characters."""
    return len(text)


@says(calls("hang"), calls("given_up"), DONE)
def test_a_call_that_hangs_ends_and_names_server_and_tool(
    model: ScriptedOpenAI, tmp_path: Path
) -> None:
    """The server's own limit counts; the server hears of it, and is gone with the run."""
    server = plain_server(timeout_seconds=2, pids=str(tmp_path / "pids"))
    run = tool_team(model, wiki=server).ask(REQUEST)

    assert told(model) == [
        "The tool `hang` of the MCP server `wiki` gave no answer within 2 s.",
        '["timeout"]',
    ]
    assert run.status == "ok"
    assert not any(map(is_alive, pids(tmp_path / "pids")))


@says(calls("hang"), DONE)
def test_the_deadline_of_the_run_ends_a_call(model: ScriptedOpenAI, tmp_path: Path) -> None:
    """The worker has failed then, and nothing of the server is left."""
    team = tool_team(model, wiki=plain_server(pids=str(tmp_path / "pids")))
    run = team.ask(REQUEST, limits=RunLimits(seconds=1.5))

    assert (run.status, run.reason) == ("failed", "deadline")
    assert not any(map(is_alive, pids(tmp_path / "pids")))


@says(calls("big"), DONE)
async def test_ten_megabytes_end_in_no_record(model: ScriptedOpenAI) -> None:
    """Nor in the run object; the model reads 8,000 characters and that there were more."""
    sink = MemorySink()
    team = tool_team(model, wiki=plain_server())
    run = await run_team(team.assembled, Task(request=REQUEST), RunOptions(recorder=sink))

    (text,) = told(model)
    assert text == f"{'x' * 8000}\n… (8000 of 10000000 characters shown)"
    assert len(str(run.to_json_dict())) + len(str(sink.records)) < 20_000


HOSTILE = (
    tool("rm -rf\n\x1b[2J" + "!" * 300),
    tool("think"),
    tool("wiki_agent"),
    tool("neighbour"),
    tool("len_of"),
    tool("huge", inputSchema={"type": "object", "description": "x" * 20_000}),
    tool("list", inputSchema={"type": "array"}),
    tool("twice"),
    tool("twice"),
    tool("wordy", description="y" * 2000),
    tool("odd", inputSchema={"type": "object", "properties": {"self": {}, "config": {}}}),
)
ODD = {"self": 1, "config": 2, "runtime": 3, "state": 4, "callbacks": 5, "run_manager": 6}


@says(calls(("odd", ODD)), DONE)
def test_hostile_tools_are_left_out_by_name(model: ScriptedOpenAI) -> None:
    """One sentence each; arguments may be called as they like; descriptions are cut."""
    worker = WikiAgent()
    worker.tools = (len_of,)
    server = plain_server(tools=(), more=HOSTILE)
    run = tool_team(model, worker, [StubAgent("neighbour")], wiki=server).ask(REQUEST)

    offered = {item["function"]["name"]: item["function"] for item in model.calls[0].body["tools"]}
    assert list(offered) == ["len_of", "wordy", "odd"]
    assert offered["wordy"]["description"] == f"{'y' * 1000}\n… (1000 of 2000 characters shown)"
    assert told(model) == [
        '{"self": 1, "config": 2, "runtime": 3, "state": 4, "callbacks": 5, "run_manager": 6}'
    ]
    way_out = "; give the server a `prefix` in the file."
    assert [cause.removeprefix(WIKI) for cause in causes(run)] == [
        rf"has a tool called `rm -rf\n\x1b[2J{'!' * 49}\u2026`, "
        "which no model takes: a name has at most 64 letters, digits, `_` and `-`.",
        f"has a tool called `think`, which is the name of something else{way_out}",
        f"has a tool called `wiki_agent`, which is the name of something else{way_out}",
        f"has a tool called `neighbour`, which is the name of something else{way_out}",
        f"has a tool called `len_of`, as the worker itself{way_out}",
        "has a tool called `huge`, whose arguments take 20,037 bytes to describe; at most 16,384 "
        "may be.",
        "has a tool called `list`, whose arguments are no JSON object.",
        "has several tools called `twice`.",
    ]


def test_a_name_that_two_servers_have_is_refused_to_both() -> None:
    """Else a call would reach the other server as soon as the first is lost; a prefix helps."""
    from mcp.types import Tool  # noqa: PLC0415  # heavy

    find = [Tool(name="find", inputSchema={"type": "object"})]
    both = to_offer({"a": ToolListing("", find), "b": ToolListing("", find)}, own=(), blocklist=())
    apart = to_offer(
        {"a": ToolListing("", find), "b": ToolListing("b_", find)}, own=(), blocklist=()
    )

    said = "has a tool called `find`, as `a` and `b` both have; give the server a `prefix` in the "
    said += "file."
    assert (both.tools, both.left_out) == ((), (("a", said), ("b", said)))
    assert [(one.name, one.own_name) for one in apart.tools] == [
        ("find", "find"),
        ("b_find", "find"),
    ]


@says(calls("learn"), calls(("multiply", {"a": 3}), "add"), DONE)
def test_a_server_may_change_its_tools(model: ScriptedOpenAI) -> None:
    """The next call of the model has the new ones; a call of one that is gone fails."""
    run = tool_team(model, wiki=plain_server(tools=("add", "learn"))).ask(REQUEST)

    assert [call.tools for call in model.calls] == [
        ["add", "learn"],
        ["learn", "multiply"],
        ["learn", "multiply"],
    ]
    assert told(model)[1:] == ['{"a": 3}', "There is no tool 'add', or no more; call another one."]
    assert run.status == "ok"


@pytest.mark.small(4)
@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        (
            {"command": ["no-such-program"]},
            "cannot be started (No such file or directory); install `no-such-program`, or mend its "
            "`command`.",
        ),
        ({"command": ["false"]}, "ended with exit code 1."),
        (
            {"command": ["sh", "-c", "echo hello; echo bad key secret-key >&2; exit 3"]},
            "ended with exit code 3; its last words: `bad key secret-key`.",
        ),
        (
            {"command": ["sh", "-c", "echo $KEY >&2; exit 3"], "env": {"KEY": "WIKI_KEY"}},
            "ended with exit code 3; its last words: `[masked]`.",
        ),
        (
            {"command": ["cat"], "env": {"KEY": "WIKI_KEY_OF_NOBODY"}},
            "needs the environment variable `WIKI_KEY_OF_NOBODY`, which is not set; set it, or "
            "take it out of the file.",
        ),
        (
            {"command": ["sleep", "3600"], "timeout_seconds": 0.2},
            "gave no answer within 0.2 s.",
        ),
        (
            {"url": "http://127.0.0.1:9/mcp?key=1"},
            "cannot be reached; start it, or mend its `url`.",
        ),
    ],
)
@says(DONE)
def test_a_server_that_is_not_there_costs_its_tools_alone(
    model: ScriptedOpenAI, spec: dict[str, Any], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence names worker, team and file, and no secret."""
    monkeypatch.setenv("WIKI_KEY", "secret-of-wiki")
    worker = WikiAgent()
    worker.tools = (len_of,)
    run = tool_team(model, worker, wiki=spec).ask(REQUEST)

    assert model.calls[0].tools == ["len_of"]
    assert (run.status, causes(run)) == ("ok_degraded", [f"{WIKI}{reason}"])
    assert run.bypassed[0].path == "docs/wiki_agent"
    assert run.bypassed[0].action == "bypassed"


@says(DONE)
async def test_a_missing_server_has_one_row_on_record(model: ScriptedOpenAI) -> None:
    """It says why the run is degraded, and counts as no call."""
    sink = MemorySink()
    team = tool_team(model, wiki={"command": ["false"]})
    await run_team(team.assembled, Task(request=REQUEST), RunOptions(recorder=sink))

    (row,) = (row for row in sink.records if row.kind == "tool")
    assert (row.node, row.status, row.action) == ("wiki", "skipped", "bypassed")
    assert (row.path, row.team, row.agent_name) == ("docs/wiki_agent", "docs", "wiki_agent")
    assert row.error
    assert row.error["type"] == "McpServerError"


class OtherAgent(WikiAgent):
    """Has the same server."""

    name = "other_agent"


@says(calls(ADD), calls(ADD), DONE)
def test_a_run_has_one_session_with_a_server(model: ScriptedOpenAI, tmp_path: Path) -> None:
    """All calls of all its workers share it; the next run has its own. No process is left."""
    server = plain_server(pids=str(tmp_path / "pids"))
    team = tool_team(model, WikiAgent(), [OtherAgent()], wiki=server)
    run = team.ask(REQUEST)
    assert [hop.status for hop in run.hops] == ["ok", "ok"]
    assert len(pids(tmp_path / "pids")) == 1

    team.ask(REQUEST)
    assert len(set(pids(tmp_path / "pids"))) == 2
    assert not any(map(is_alive, pids(tmp_path / "pids")))


@pytest.mark.parametrize("how", [{}, {"is_stubborn": True}])
@says(DONE)
def test_nothing_that_a_server_has_started_is_left(
    model: ScriptedOpenAI, tmp_path: Path, how: dict[str, bool]
) -> None:
    """Even if it ignores the end of its input and SIGTERM."""
    server = plain_server(pids=str(tmp_path / "pids"), has_child=True, **how)
    run = tool_team(model, wiki=server).ask(REQUEST)

    assert run.status == "ok"
    assert len(pids(tmp_path / "pids")) == 2
    until(lambda: not any(map(is_alive, pids(tmp_path / "pids"))))


@says(calls("hang"), DONE)
async def test_a_cancelled_run_leaves_no_process(model: ScriptedOpenAI, tmp_path: Path) -> None:
    """It is cancelled in the middle of a call."""
    file = tmp_path / "pids"
    team = tool_team(model, wiki=plain_server(pids=str(file)))
    run = asyncio.create_task(run_team(team.assembled, Task(request=REQUEST)))
    while not model.calls:  # noqa: ASYNC110  # a server in an OS thread is asked
        await asyncio.sleep(0.01)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run

    assert not any(map(is_alive, pids(file)))


@says(calls("secret"), DONE)
@pytest.mark.parametrize("how", [{}, {"is_error": True}])
def test_a_server_may_tell_no_secret(
    model: ScriptedOpenAI, how: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gets the value of the variable that the file names; the model, and no record, does."""
    monkeypatch.setenv("WIKI_KEY", "secret-of-wiki")
    server = plain_server(env={"KEY": "WIKI_KEY"}, **how)
    run = tool_team(model, wiki=server).ask(REQUEST)

    assert told(model)[0].endswith("the key is [masked]")
    assert "secret-of-wiki" not in str(run) + str(model.calls)


@says(calls(ADD), DONE)
def test_a_worker_alone_has_its_server(model: ScriptedOpenAI, tmp_path: Path) -> None:
    """`run` holds the session for its one call."""
    server = plain_server(pids=str(tmp_path / "pids"))
    (worker,) = tool_team(model, wiki=server).assembled.agents

    assert worker.invoke({"request": REQUEST})["summary"] == "done"
    assert told(model) == ["3"]
    assert not any(map(is_alive, pids(tmp_path / "pids")))


class BossAgent(BaseAgent[AgentInput, AgentOutput]):
    """Calls another worker twice by its own blocking code, in an event loop of its own."""

    name, description, examples = "boss", "Lets others work.", (REQUEST,)
    inner: BaseAgent[Any, Any] = WikiAgent()

    def work(self, given: AgentInput) -> AgentOutput:
        """Return both answers."""
        both = [self.inner.invoke({"request": given.request})["summary"] for _ in range(2)]
        return AgentOutput(summary=" ".join(both))


@says(calls(ADD), DONE)
def test_a_worker_that_is_called_by_another_shares_the_runs_session(
    model: ScriptedOpenAI, tmp_path: Path
) -> None:
    """The session stays in the event loop of the run."""
    boss, file = BossAgent(), tmp_path / "pids"
    (boss.inner,) = tool_team(
        model, WikiAgent(), wiki=plain_server(pids=str(file))
    ).assembled.agents
    run = Team(name="root", description="…", members=[boss], router=EachOnceRouter()).ask(REQUEST)

    assert (run.status, run.answer) == ("ok", "done done")
    assert len(pids(file)) == 1
    assert not any(map(is_alive, pids(file)))


@says(calls(ADD), DONE)
def test_a_graph_that_is_called_by_hand_says_what_to_do(model: ScriptedOpenAI) -> None:
    """Nobody would close its sessions."""
    (worker,) = tool_team(model, wiki=plain_server()).assembled.agents

    with pytest.raises(RunError, match=r"Only a run can hold sessions"):
        asyncio.run(worker.graph.ainvoke({"messages": [("user", REQUEST)]}))


@says(calls(ADD), DONE)
def test_servers_may_be_given_in_code(model: ScriptedOpenAI) -> None:
    """Without a file; one that nobody has named costs its tools."""
    worker = WikiAgent()
    worker.mcp = ("wiki", "other")
    worker.servers = {"wiki": McpServerSpec.model_validate(plain_server())}
    team = tool_team(model, worker)
    run = team.ask(REQUEST)

    assert told(model) == ["3"]
    assert causes(run) == [
        "`wiki_agent` goes on without tools of the MCP server `other`. It is not in "
        "configs/teams/docs.yaml; write there `mcp: {other: {command: […]}}`, or `url: …`."
    ]
