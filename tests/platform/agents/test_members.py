"""An agent of `create_agent` as the supervisor of agents and teams, by `Members` and `as_tool`."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import copies
import httpx
import pytest
from front_desk import (
    DESK_HOPS,
    DESK_SCRIPT,
    REQUEST,
    URL,
    a,
    by_turn,
    calling,
    chat_at,
    front_desk,
    led_by,
    root_of,
)
from langchain.agents import create_agent
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from ledger import sqlite_store

from minerva_observability import MemorySink
from minerva_platform import (
    AgentInput,
    AgentOutput,
    BaseAgent,
    ContractError,
    Handoff,
    Run,
    RunLimits,
    Task,
    Team,
    agent,
    ask_person,
    effect,
)
from minerva_platform.contract.run_object import DecisionBatch
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.run_continuation import resume_team
from minerva_platform.langgraph import Members, agent_from_graph, as_tool
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import (
    EachOnceRouter,
    Reply,
    ScriptedOpenAI,
    StubAgent,
    scripted_openai_server,
)

THREAD: Any = {"configurable": {"thread_id": "host"}}
DONE = Reply(text="done")


@contextmanager
def model(*replies: Reply) -> Generator[ScriptedOpenAI]:
    """Give a server whose model says `replies` in turn."""
    with scripted_openai_server(by_turn(*replies)) as server:
        yield server


@pytest.fixture
def options(minerva_home: Path) -> Generator[RunOptions]:
    """Give options that keep runs."""
    minerva_home.mkdir()
    with sqlite_store(minerva_home) as store, store.opened() as engine:
        yield RunOptions(engine=engine, home=minerva_home, thread_id="t")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")


@contextmanager
def desk_model() -> Generator[ScriptedOpenAI]:
    """Give the server that the front desk asks."""
    with model(*DESK_SCRIPT) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv(URL, server.url)
        yield server


def log() -> list[str]:
    """Return what the members of the front desk did."""
    return Path("log").read_text().splitlines() if Path("log").exists() else []


def told(answer: Any) -> list[tuple[str, dict[str, str]]]:
    """Return what the model read of its calls: the status of the message, and its words."""
    return [
        (message.status, without_place(str(message.content)))
        for message in answer["messages"]
        if isinstance(message, ToolMessage)
    ]


def without_place(told: str) -> dict[str, str]:
    """Return what is told of a call; of an error not where in this file it arose."""
    said: dict[str, str] = json.loads(told)
    return {name: text.partition(" (")[0] for name, text in said.items()}


def kept(answer: Any) -> list[tuple[str, str]]:
    """Return path and status of what the agent's state keeps."""
    results = (item["result"] for item in answer["member_results"])
    return [(result["path"], result["status"]) for result in results]


def hops(run: Run) -> dict[str, str]:
    """Return the hops of a run by path."""
    return {hop.path: hop.status for hop in run.hops}


def asked(run: Run) -> Any:
    """Return the id of a run's one question."""
    (question,) = run.interrupts
    return question.id


def stub(name: str, **more: Any) -> StubAgent:
    """Return a member that answers."""
    return StubAgent(name, **more)


def broken(given: Any) -> Any:
    """Fail, in English."""
    message = f"cannot: {given.request}"
    raise ValueError(message)


async def test_a_plain_agent_calls_agents_and_teams() -> None:
    """Outside of any team. A failure is an error of its tool and costs no sibling its answer."""
    billing = Team(name="billing", description="Bills.", members=[stub("biller")])
    billing.router = EachOnceRouter()
    calls = calling(("email", "hello"), ("broken", "hurry"), ("billing", "bill it"))
    with model(calls, calling(("email", "more")), DONE) as server:
        members = Members(stub("email"), stub("broken", behave=broken), billing)
        graph: Any = create_agent(chat_at(server.url), middleware=[members])
        answer = await graph.ainvoke({"messages": [("user", "do it")]})

    assert told(answer) == [
        ("success", {"status": "ok", "answer": "email answered"}),
        ("error", {"status": "failed", "cause": "ValueError: cannot: hurry"}),
        ("success", {"status": "ok", "answer": "biller answered"}),
        ("success", {"status": "ok", "answer": "email answered"}),
    ]
    assert kept(answer) == [
        ("email", "ok"),
        ("broken", "failed"),
        ("billing", "ok"),
        ("email#2", "ok"),
    ]
    assert answer["messages"][-1].content == "done"
    assert server.calls[0].tools == ["email", "broken", "billing"]


class _Table(AgentOutput):
    seats: int


class _Finder(BaseAgent[AgentInput, _Table]):
    name, description, examples = "finder", "Finds a table.", (REQUEST,)
    output_mode = "data"

    def work(self, given: AgentInput) -> _Table:
        return _Table(summary=f"found for {given.request}", seats=4)


async def test_the_agent_reads_what_a_members_output_mode_lets_out() -> None:
    """By `Members` and by `as_tool` alike."""
    calls = calling(("finder", "Kim"), ("find", "Lee"))
    with model(calls, DONE) as server:
        tools = [as_tool(_Finder(), name="find")]
        graph: Any = create_agent(chat_at(server.url), tools, middleware=[Members(_Finder())])
        answer = await graph.ainvoke({"messages": [("user", "do it")]})

    read = [json.loads(str(m.content)) for m in answer["messages"] if isinstance(m, ToolMessage)]
    assert read == [
        {"status": "ok", "answer": f"found for {name}", "data": {"seats": 4}}
        for name in ("Kim", "Lee")
    ]


@pytest.mark.parametrize("in_loop", [False, True])
async def test_a_hosts_checkpointer_keeps_what_has_finished(*, in_loop: bool) -> None:
    """Two calls of one agent, one fails, one asks: the answer repeats neither that nor a sibling.

    A host with and one without an event loop. The next turn of the thread begins anew.
    """
    script = (*DESK_SCRIPT, calling(("a", "next")), DONE)
    with model(*script) as server, httpx.Client() as client:
        own = ChatOpenAI(model="m", base_url=server.url, http_client=client)
        chat, mail = chat_at(server.url) if in_loop else own, stub("mail")
        graph: Any = create_agent(chat, middleware=[Members(a, mail)], checkpointer=InMemorySaver())

        async def moved(given: Any) -> Any:
            if in_loop:
                return await graph.ainvoke(given, THREAD)
            return await asyncio.to_thread(graph.invoke, given, THREAD)

        paused = await moved({"messages": [("user", REQUEST)]})
        waiting = [item.value["text"] for item in paused["__interrupt__"]]
        done = await moved(Command(resume="7"))
        again = await moved({"messages": [("user", "once more")]})

    assert waiting == ["Which table?"]
    assert kept(done) == [
        ("a", "failed"),
        ("a#2", "ok"),
        ("mail", "ok"),
        ("a#3", "ok"),
        ("a#4", "ok"),
    ]
    assert log() == ["a did lay it", "a has 7", "a did again", "a did next"]
    assert len(mail.calls) == 1
    assert kept(again) == [("a", "ok")]


async def test_in_a_worker_of_a_team_the_calls_are_the_runs() -> None:
    """Hops, records, bypasses and usage; a member sees nothing but its words."""
    email, sink = stub("email"), MemorySink()
    calls = calling(("email", "hello"), ("broken", "hurry"), ("email", "bye"))
    with model(calls, DONE) as server:
        team = root_of(led_by(server.url, email, stub("broken", behave=broken)))
        run = await run_team(team.assembled, Task(request="do it all"), RunOptions(recorder=sink))

    assert run.status == "ok_degraded"
    assert run.answer.startswith("done")
    assert hops(run) == {
        "root/sup": "ok",
        "root/sup/email": "ok",
        "root/sup/broken": "failed",
        "root/sup/email#2": "ok",
    }
    assert [(item.path, item.action) for item in run.bypassed] == [("root/sup/broken", "bypassed")]
    recorded = {item.path: item.status for item in sink.records if item.kind == "agent"}
    assert recorded == hops(run)
    assert {hop.path: hop.team for hop in run.hops}["root/sup/email"] == "root"
    assert {row.team for row in sink.records} == {"root"}  # who leads members is no team
    by_id = {row.span_id: row for row in sink.records}
    above = {
        row.path: by_id[row.parent_id or ""].kind
        for row in sink.records
        if row.path in ("root/sup/email", "root/sup/broken") and row.kind == "agent"
    }
    assert above == {"root/sup/email": "tool", "root/sup/broken": "tool"}
    assert (run.usage.model_calls, run.usage.prompt_tokens) == (2, 20)
    assert sorted(given.request for given in email.calls) == ["bye", "hello"]
    assert {given.context for given in email.calls} == {""}


async def test_a_pause_repeats_nothing_that_has_finished(options: RunOptions) -> None:
    """And the run object holds what is done while it waits."""
    with desk_model() as server:
        before, after = front_desk(), front_desk()  # nothing of the first is left in the second
        paused = await run_team(before.assembled, Task(request=REQUEST), options)
        batch = DecisionBatch({asked(paused): {"type": "respond", "value": "7"}})
        run = await resume_team(after.assembled, paused.run_id, batch, options)

    (question,) = paused.interrupts
    assert (paused.status, question.path) == ("needs_human", "root/sup/a#2")
    assert hops(paused) == {
        "root/sup/a": "failed",
        "root/sup/a#3": "ok",
        "root/sup/mail/writer": "ok",
    }
    assert (run.status, set(hops(run).items())) == ("ok_degraded", DESK_HOPS)
    assert [item.path for item in run.bypassed] == ["root/sup/a"]
    assert sorted(log()) == ["a did again", "a did lay it", "a has 7", "writer did to Kim"]
    assert len(server.calls) == run.usage.model_calls == 3


async def test_the_questions_of_one_answer_come_in_the_order_of_its_calls(
    options: RunOptions,
) -> None:
    """Even if they are asked in the opposite one."""
    order = ("zoe", "pay", "alpha", "pay")
    later = [asyncio.Event() for _ in order]

    async def work(given: Any) -> dict[str, str]:
        number = int(given.request)
        if number + 1 < len(later):
            await later[number + 1].wait()
        later[number].set()
        return {"summary": ask_person(given.request)}

    members = [stub(name, behave=work) for name in ("alpha", "pay", "zoe")]
    calls = calling(*((name, str(number)) for number, name in enumerate(order)))
    with model(calls) as server:
        run = await run_team(
            root_of(led_by(server.url, *members)).assembled, Task(request="go"), options
        )

    assert [question.path for question in run.interrupts] == [
        "root/sup/zoe",
        "root/sup/pay",
        "root/sup/alpha",
        "root/sup/pay#2",
    ]


@pytest.mark.parametrize("config", [None, THREAD])
@pytest.mark.parametrize("door", [as_tool, Members])
async def test_without_a_checkpointer_a_question_is_a_failure_of_the_call(
    door: Any, config: Any
) -> None:
    """Nobody could answer, so the model reads why; the other call keeps its answer."""
    asks = stub("pay", behave=lambda _: {"summary": ask_person("Pay?")})
    members = (asks, stub("mail"))
    with model(calling(("pay", "go"), ("mail", "go")), DONE) as server:
        given: Any = (
            {"middleware": [Members(*members)]}
            if door is Members
            else {"tools": [as_tool(each) for each in members]}
        )
        graph: Any = create_agent(chat_at(server.url), **given)
        answer = await graph.ainvoke({"messages": [("user", "go")]}, config)

    assert "__interrupt__" not in answer
    failed, done = (item for item in answer["messages"] if isinstance(item, ToolMessage))
    assert (failed.status, done.status) == ("error", "success")
    assert "`pay` asks a person" in failed.content
    assert "a graph of yours around it needs `checkpointer=…`" in failed.content


KILLED = """
import asyncio, sys
from pathlib import Path
from front_desk import REQUEST, front_desk
from minerva_platform import Task
from minerva_platform.durable.active_run import run_team
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.opening import opened_engine
home = Path(sys.argv[1])
with opened_engine(home / "state.db") as engine:
    options = RunOptions(engine=engine, home=home, thread_id="t")
    run = asyncio.run(run_team(front_desk().assembled, Task(request=REQUEST), options))
    print(run.run_id, run.interrupts[0].id, flush=True)
    sys.stdin.read()
"""


def killed_while_it_waits(home: Path) -> tuple[str, str]:
    """Return run and question of the front desk, whose process is gone."""
    process = copies.Popen(
        [sys.executable, "-c", KILLED, str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    run_id, question = process.stdout.readline().split()
    process.kill()
    process.communicate()
    return run_id, question


async def test_a_pause_outlives_its_process(options: RunOptions) -> None:
    """Killed while it waits, the run goes on in another; `make chaos` kills it everywhere."""
    assert options.home is not None
    with desk_model() as server:
        run_id, question = killed_while_it_waits(options.home)
        batch = DecisionBatch({question: {"type": "respond", "value": "7"}})
        run = await resume_team(front_desk().assembled, run_id, batch, options)

    assert (run.status, set(hops(run).items())) == ("ok_degraded", DESK_HOPS)
    assert sorted(log()) == ["a did again", "a did lay it", "a has 7", "writer did to Kim"]
    assert len(server.calls) == 3


async def test_the_readmes_example_leads_members() -> None:
    """In a plain agent and in a worker of a team, as it stands there."""
    page = Path(__file__).parents[3] / "platform" / "README.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    (example,) = (block for block in blocks if "Members(" in block)
    billing = Team(name="billing_team", description="Bills.", members=[stub("biller")])
    billing.router = EachOnceRouter()
    calls = calling(("calendar_agent", "1"), ("email_agent", "2"), ("billing_team", "3"))
    with model(calls, DONE) as server:
        names: dict[str, Any] = {
            "model": chat_at(server.url),
            "calendar_agent": stub("calendar_agent"),
            "email_agent": stub("email_agent"),
            "billing_team": billing,
        }
        exec(compile(example, page.name, "exec"), names)  # noqa: S102  # our own README
        answer = await names["supervisor"].ainvoke({"messages": [("user", "go")]})
        run = await run_team(root_of(names["assistant"]).assembled, Task(request="go"))

    assert kept(answer) == [("calendar_agent", "ok"), ("email_agent", "ok"), ("billing_team", "ok")]
    assert hops(run) == dict.fromkeys(
        [
            "root/assistant",
            "root/assistant/calendar_agent",
            "root/assistant/email_agent",
            "root/assistant/billing_team/biller",
        ],
        "ok",
    )


async def test_members_of_members() -> None:
    """Each level is one of the run's, and a place is lent while members work: one is enough."""
    inner_says = [calling(("low", "deep"), ("low", "deeper")), Reply(text="inner done")]
    low = stub("low")
    with model(*inner_says) as inner, model(calling(("inner", "go")), DONE) as outer:
        nested = led_by(inner.url, low, name="inner")
        team = root_of(led_by(outer.url, nested))
        options = RunOptions(limits=RunLimits(concurrency=1, seconds=60))
        run = await run_team(team.assembled, Task(request="do it"), options)

    assert (run.status, run.usage.model_calls) == ("ok", 4)
    assert hops(run) == dict.fromkeys(
        ["root/sup", "root/sup/inner", "root/sup/inner/low", "root/sup/inner/low#2"], "ok"
    )


async def test_a_run_without_hops_left_says_so_to_the_model() -> None:
    """The calls beyond the limit are not made, and the run names the limit."""
    email = stub("email")
    calls = calling(("email", "1"), ("email", "2"), ("email", "3"))
    with model(calls, DONE) as server:
        team = root_of(led_by(server.url, email))
        options = RunOptions(limits=RunLimits(hops=3))
        run = await run_team(team.assembled, Task(request="do it"), options)

    assert (run.status, run.reason, len(email.calls)) == ("ok_degraded", "loop_limit", 2)
    assert [(item.path, item.action) for item in run.bypassed] == [("root/sup/email#3", "skipped")]
    assert "hops" in server.calls[1].prompt
    assert sorted(hops(run)) == ["root/sup", "root/sup/email", "root/sup/email#2"]


async def test_a_call_that_waited_counts_once(options: RunOptions) -> None:
    """It is made again with the answer, and takes no second hop of the limit."""
    limits = RunLimits(hops=7)  # as many calls as are made, the team's included
    options = RunOptions(engine=options.engine, home=options.home, thread_id="t", limits=limits)
    with desk_model():
        before, after = front_desk(), front_desk()  # nothing of the first is left in the second
        paused = await run_team(before.assembled, Task(request=REQUEST), options)
        batch = DecisionBatch({asked(paused): {"type": "respond", "value": "7"}})
        run = await resume_team(after.assembled, paused.run_id, batch, options)

    assert (run.reason, run.answer.startswith("Kim has a table.")) == (None, True), run


async def test_members_that_hang_or_answer_nonsense_fail_alone() -> None:
    """The others' answers stay."""

    async def hang(_: Any) -> Any:
        await asyncio.Event().wait()

    slow = stub("slow", behave=hang, timeout=0.05)
    odd = stub("odd", behave=lambda _: {"nothing": 1})
    calls = calling(("slow", "1"), ("odd", "2"), ("fine", "3"))
    with model(calls, DONE) as server:
        run = await run_team(
            root_of(led_by(server.url, slow, odd, stub("fine"))).assembled, Task(request="x")
        )

    assert hops(run) == {
        "root/sup": "ok",
        "root/sup/slow": "timeout",
        "root/sup/odd": "failed",
        "root/sup/fine": "ok",
    }
    assert run.status == "ok_degraded"


async def test_a_worker_that_fails_afterwards_keeps_its_members_hops() -> None:
    """What was done is said, whatever becomes of the answer."""
    with scripted_openai_server([calling(("email", "hello"))]) as server:  # and no second answer
        run = await run_team(
            root_of(led_by(server.url, stub("email"))).assembled, Task(request="x")
        )

    assert hops(run) == {"root/sup": "failed", "root/sup/email": "ok"}
    assert run.status == "failed"


async def test_a_deed_of_a_member_that_asks_afterwards_is_done_once(options: RunOptions) -> None:
    """Its call is made again with the answer, below the worker and in its own place."""
    paid: list[str] = []

    @effect("once")
    def pay(to: str) -> str:
        paid.append(to)
        return f"paid {to}"

    @agent(examples=["pay"])
    def payer(request: str) -> str:
        """Pays, and asks whether to tell it."""
        return f"{pay(request)}, {ask_person('Tell it?')}"

    calls = calling(("payer", "Kim"), ("payer", "Lee"))
    with model(calls, DONE) as server:
        team = root_of(led_by(server.url, payer))
        run = await run_team(team.assembled, Task(request="pay both"), options)
        assert {question.path for question in run.interrupts} == {
            "root/sup/payer",
            "root/sup/payer#2",
        }
        for question in run.interrupts:
            batch = DecisionBatch({question.id: {"type": "respond", "value": "yes"}})
            run = await resume_team(team.assembled, run.run_id, batch, options)

    assert (run.status, sorted(paid)) == ("ok", ["Kim", "Lee"])
    assert len(server.calls) == 2


class Count(Handoff):
    """How many words."""

    kind: ClassVar[str] = "desk.count"
    words: int


async def test_what_one_member_gives_another_takes() -> None:
    """Typed hand-offs pass between members; the model sees none."""
    counter = stub("counter", gives=(Count(words=3),))
    teller = stub("teller", needs=(Count,))
    early = calling(("teller", "tell"))
    with model(early, calling(("counter", "count")), early, DONE) as server:
        run = await run_team(
            root_of(led_by(server.url, counter, teller)).assembled, Task(request="x")
        )

    assert hops(run) == {
        "root/sup": "ok",
        "root/sup/teller": "failed",
        "root/sup/counter": "ok",
        "root/sup/teller#2": "ok",
    }
    (given,) = teller.calls
    assert given.desk_count == Count(words=3)
    assert "desk.count" in server.calls[1].prompt  # what was missing
    assert '"words"' not in server.calls[-1].prompt


async def test_one_tool_of_one_agent_is_a_call_of_the_run_too() -> None:
    """`as_tool` is the same code: in `create_agent`, and called by a worker's own hand."""
    email = stub("email")
    tool_of_email = as_tool(email)

    @agent(examples=["do it"])
    async def by_hand(request: str) -> str:
        """Asks by its own code."""
        first = await tool_of_email.ainvoke({"request": request})
        return f"{first}; {await tool_of_email.ainvoke({'request': 'again'})}"

    calls = calling(("email", "hello"), ("broken", "hurry"), ("email", "bye"))
    with model(calls, DONE) as server:
        tools = [tool_of_email, as_tool(stub("broken", behave=broken))]
        graph: Any = create_agent(chat_at(server.url), tools)
        worker = agent_from_graph(graph, name="sup", description="…", examples=[REQUEST])
        run = await run_team(root_of(worker, by_hand).assembled, Task(request="do it"))

    assert hops(run) == {
        "root/sup": "ok",
        "root/sup/email": "ok",
        "root/sup/broken": "failed",
        "root/sup/email#2": "ok",
        "root/by_hand": "ok",
        "root/by_hand/email": "ok",
        "root/by_hand/email#2": "ok",
    }
    assert run.status == "ok_degraded"
    assert "cannot: hurry" in server.calls[1].prompt


def test_one_agent_is_a_tool_of_ones_own_program() -> None:
    """Outside of any run; a failure is said as data, because nobody is there to catch it."""
    assert as_tool(stub("email")).invoke({"request": "hello"}) == "email answered"
    failed = as_tool(stub("broken", behave=broken)).invoke({"request": "hurry"})
    assert without_place(failed) == {"status": "failed", "cause": "ValueError: cannot: hurry"}


def test_members_whose_tools_would_be_one_are_refused() -> None:
    """By name; a member that no tool can be, and nobody at all, too."""
    with pytest.raises(ContractError, match=r"`Members\(a, a\)` has two members called `a`"):
        Members(a, stub("a"))
    with pytest.raises(ContractError, match=r"the member `메일` of `Members\(메일\)` cannot be"):
        Members(stub("메일"))
    with pytest.raises(ContractError, match=r"`Members\(\)` has no members"):
        Members()
    with pytest.raises(ContractError, match="a member of `Members` is 'x', which is no agent"):
        Members("x")  # type: ignore[arg-type]  # what a newcomer tries


async def test_a_tool_with_a_members_name_is_refused() -> None:
    """When the worker is made; in a plain agent, before its model is asked."""

    @tool
    def email(to: str) -> str:
        """Take a member's place."""
        return to

    with model(DONE) as server:
        graph: Any = create_agent(
            chat_at(server.url), [email], middleware=[Members(stub("email"), stub("other"))]
        )
        with pytest.raises(ContractError, match="`sup` has another tool called `email`, so its"):
            agent_from_graph(graph, name="sup", description="…", examples=[REQUEST])
        with pytest.raises(ContractError, match="`Members` has another tool called `email`"):
            await graph.ainvoke({"messages": [("user", "x")]})

    assert server.calls == []
