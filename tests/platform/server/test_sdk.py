"""LangGraph's own clients work with the server: its SDK, async and sync, and RemoteGraph."""

import asyncio
import re
from collections.abc import AsyncGenerator, Generator
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from langgraph.pregel.remote import RemoteGraph
from langgraph.types import Command
from langgraph_sdk import get_client, get_sync_client
from langgraph_sdk.client import LangGraphClient, SyncLangGraphClient
from langgraph_sdk.errors import ConflictError, NotFoundError, UnprocessableEntityError
from server import Served
from server_work import packed_answer

README = Path(__file__).parents[3] / "platform" / "README.md"
BOX: Any = {"request": "box"}
CRATE: Any = {"request": "pack the crate"}
BOTH: Any = {"request": "do it"}


@pytest.fixture
async def client(served: Served) -> AsyncGenerator[LangGraphClient]:
    """Give the asynchronous client."""
    async with get_client(url=served.url) as opened:
        yield opened


@pytest.fixture
def sync_client(served: Served) -> Generator[SyncLangGraphClient]:
    """Give the synchronous client."""
    with get_sync_client(url=served.url) as opened:
        yield opened


def home(served: Served) -> Path:
    """Return where the workers of a server write."""
    return served.service.app.home


def log(served: Served) -> list[str]:
    """Return what the workers did."""
    path = home(served) / "log"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


async def test_it_is_found_waited_for_and_remembered(client: LangGraphClient) -> None:
    """Search, a thread, a run, its state and its history."""
    found: Any = await client.assistants.search()
    thread = await client.threads.create(metadata={"of": "ann"})
    values: Any = await client.runs.wait(thread["thread_id"], "depot", input=BOX)
    again: Any = await client.runs.wait(thread["thread_id"], found[2]["assistant_id"], input=CRATE)

    found_threads: Any = await client.threads.search(metadata={"of": "ann"})
    assert [each["graph_id"] for each in found] == ["platform", "office", "depot", "desk"]
    assert (values["status"], values["answer"]) == ("ok", packed_answer("box"))
    assert [(did["name"], did["arguments"], did["outcome"]) for did in values["effects"]] == [
        ("_pack", {"what": "box"}, "done")
    ]
    assert [each["content"] for each in again["messages"]] == [
        said for what in ("box", "pack the crate") for said in (what, packed_answer(what))
    ]
    state = await client.threads.get_state(thread["thread_id"])
    history: Any = await client.threads.get_history(thread["thread_id"])
    assert state["next"] == []
    assert [each["values"]["run_id"] for each in history] == [again["run_id"], values["run_id"]]
    assert state["checkpoint"]["checkpoint_id"] == again["run_id"]
    assert found_threads[0]["status"] == "idle"


async def test_messages_of_a_chat_are_a_request(client: LangGraphClient) -> None:
    """The person's last message counts, in the forms that chat clients send."""
    said: Any = {
        "messages": [
            {"role": "user", "content": "bag"},
            {"role": "assistant", "content": "packed bag"},
            {"type": "human", "content": [{"type": "text", "text": "box"}]},
        ]
    }
    values: Any = await client.runs.wait(None, "depot", input=said)

    assert values["answer"] == packed_answer("box")


async def test_two_questions_are_answered_by_id_in_both_orders(client: LangGraphClient) -> None:
    """Each answer reaches the worker that asked, and the other question waits."""
    for turn in (1, -1):
        thread = await client.threads.create()
        asked: Any = await client.runs.wait(thread["thread_id"], "office", input=BOTH)
        questions = {each["value"].split("`")[1]: each["id"] for each in asked["__interrupt__"]}
        first, second = ("pay_agent", "mail_agent")[::turn]

        resume: Any = {questions[first]: {"type": "respond", "value": "A"}}
        half: Any = await client.runs.wait(
            thread["thread_id"], "office", command={"resume": resume}
        )
        assert [each["id"] for each in half["__interrupt__"]] == [questions[second]]
        assert (await client.threads.get(thread["thread_id"]))["status"] == "interrupted"
        whole: Any = await client.runs.wait(
            thread["thread_id"],
            "office",
            command={"resume": cast("Any", {"type": "respond", "value": "B"})},
        )

        assert whole["status"] == "ok"
        assert whole["run_id"] == asked["run_id"]
        for worker, decided in ((first, "A"), (second, "B")):
            assert f"{worker} did {decided}" in whole["answer"]


async def test_a_stream_tells_the_steps_of_sub_graphs(client: LangGraphClient) -> None:
    """Updates stand below the names of the teams around a worker, and end with the questions."""
    parts = [
        part
        async for part in client.runs.stream(
            None, "office", input=BOTH, stream_mode=["updates", "values"], stream_subgraphs=True
        )
    ]

    assert [part.event for part in parts][:1] == ["metadata"]
    assert {"beside"} <= {name for part in parts if part.event == "updates" for name in part.data}
    assert "__interrupt__" in parts[-2].data
    assert parts[-1].event == "end"


async def test_a_stream_is_read_on_without_gap_or_double(client: LangGraphClient) -> None:
    """At every place where it can break, in the order of its numbers."""
    run = await client.runs.create(None, "office", input=BOTH)
    its = (run["thread_id"], run["run_id"])
    modes: Any = ["custom", "updates", "values"]
    whole = [part async for part in client.runs.join_stream(*its, stream_mode=modes)]
    told = [(part.id, part.event) for part in whole]

    assert [part.data["seq"] for part in whole if part.event == "custom"] == list(
        range(1, 1 + sum(part.event == "custom" for part in whole))
    )
    for number in range(len(told) - 1):
        rest = [
            (part.id, part.event)
            async for part in client.runs.join_stream(
                *its, stream_mode=modes, last_event_id=told[number][0]
            )
        ]
        assert rest == told[number + 1 :]


async def test_a_background_run_is_joined_and_cancelled(
    served: Served, client: LangGraphClient
) -> None:
    """A cancelled run does nothing more, though its worker is free to go on."""
    done = await client.runs.create(None, "depot", input={"request": "crate"})
    joined: Any = await client.runs.join(done["thread_id"], done["run_id"])
    (home(served) / "hold-packer").touch()
    run = await client.runs.create(None, "depot", input={"request": "glass"})
    while "packer began glass" not in log(served):  # noqa: ASYNC110  # a worker writes it
        await asyncio.sleep(0.01)
    await client.runs.cancel(run["thread_id"], run["run_id"])
    (home(served) / "hold-packer").unlink()
    ended: Any = await client.runs.join(run["thread_id"], run["run_id"])

    assert joined["answer"] == packed_answer("crate")
    assert ended["status"] == "cancelled"
    assert (await client.runs.get(run["thread_id"], run["run_id"]))["status"] == "interrupted"
    assert "packer packed glass" not in log(served)
    with pytest.raises(ConflictError):
        await client.runs.cancel(run["thread_id"], run["run_id"])


async def test_a_busy_thread_queues_or_refuses(served: Served, client: LangGraphClient) -> None:
    """As the client wants: `enqueue` waits for its turn, `reject` gets a conflict."""
    thread = (await client.threads.create())["thread_id"]
    (home(served) / "hold-packer").touch()
    first = await client.runs.create(thread, "depot", input={"request": "box 1"})
    second = await client.runs.create(thread, "depot", input={"request": "box 2"})
    with pytest.raises(ConflictError):
        await client.runs.create(thread, "depot", input=BOX, multitask_strategy="reject")
    assert (await client.threads.get(thread))["status"] == "busy"
    (home(served) / "hold-packer").unlink()

    await client.runs.join(thread, second["run_id"])
    packed = [
        line for line in log(served) if line in {"packer packed box 1", "packer packed box 2"}
    ]
    assert packed == ["packer packed box 1", "packer packed box 2"]
    listed = await client.runs.list(thread)
    assert [each["run_id"] for each in listed] == [second["run_id"], first["run_id"]]


async def test_who_leaves_a_stream_may_cancel_its_run(
    served: Served, client: LangGraphClient
) -> None:
    """`on_disconnect: cancel` ends the run of a client that went away."""
    (home(served) / "hold-packer").touch()
    run_id = ""
    async for part in client.runs.stream(
        None, "depot", input=BOX, stream_mode="custom", on_disconnect="cancel"
    ):
        run_id = run_id or part.data["run_id"]
        if part.event == "custom" and part.data["type"] == "call_started":
            break
    while served.service.app.find(run_id).status != "cancelled":  # noqa: ASYNC110  # elsewhere
        await asyncio.sleep(0.02)


def test_the_synchronous_client_does_the_same(sync_client: SyncLangGraphClient) -> None:
    """Another transport of the same protocol."""
    run: Any = sync_client.runs.wait(None, "depot", input=BOX)
    parts = list(sync_client.runs.stream(None, "depot", input=BOX, stream_mode="messages-tuple"))

    assert run["answer"] == packed_answer("box")
    assert [part.event for part in parts] == ["metadata", "messages", "end"]
    assert parts[1].data[0]["content"] == packed_answer("box")
    with pytest.raises(NotFoundError):
        sync_client.runs.get(run["thread_id"], "0" * 32)
    with pytest.raises(httpx.HTTPStatusError, match="404"):
        sync_client.runs.wait("nobody-s", "depot", input=BOX)


def test_a_remote_graph_is_a_graph(sync_client: SyncLangGraphClient) -> None:
    """It is drawn, invoked, streamed and resumed as a local one."""
    remote = RemoteGraph("office", sync_client=sync_client)
    config: Any = {"configurable": {"thread_id": "of-remote"}}
    drawn = remote.get_graph(xray=True)
    parts = list(remote.stream(BOTH, config, stream_mode="updates", subgraphs=True))
    state = remote.get_state(config)
    resume = {each.id: {"type": "respond", "value": "it"} for each in state.interrupts}
    values = remote.invoke(Command(resume=resume), config)

    assert {"pay", "mail", "beside"} <= {name.partition(":")[0] for name in drawn.nodes}
    assert ((), {"beside"}) in [(ns, set(update)) for ns, update in parts]
    assert set(state.next) == {"pay_agent", "mail_agent"}
    assert values["status"] == "ok"
    assert len(list(remote.get_state_history(config))) == 1
    with pytest.raises(Exception, match="comes from its runs"):
        remote.update_state(config, {"answer": "mine"})


def test_a_remote_graph_is_a_node_of_another(sync_client: SyncLangGraphClient) -> None:
    """Its updates reach the graph around it, and a chat's state fits."""
    from langgraph.graph import START, MessagesState, StateGraph  # noqa: PLC0415  # this test's

    builder: Any = StateGraph(MessagesState)
    builder.add_node("depot", RemoteGraph("depot", sync_client=sync_client))
    builder.add_edge(START, "depot")
    values = builder.compile().invoke({"messages": [("human", "box")]})

    assert [message.content for message in values["messages"]] == ["box", packed_answer("box")]


REFUSED: dict[str, Any] = {
    "after_seconds": 5,
    "checkpoint": {"checkpoint_id": "x"},
    "checkpoint_id": "x",
    "checkpoint_during": True,
    "context": {"model": "x"},
    "feedback_keys": ["x"],
    "interrupt_after": ["pay"],
    "interrupt_before": "*",
    "langsmith_tracer": {"project_name": "x"},
    "webhook": "http://127.0.0.1:1/",
}


@pytest.mark.parametrize("key", REFUSED)
def test_what_is_not_served_is_refused_by_its_name(
    sync_client: SyncLangGraphClient, key: str
) -> None:
    """Before anything is kept, so nobody believes that it was done."""
    with pytest.raises(UnprocessableEntityError, match=f"`{key}` is not served"):
        sync_client.http.post(
            "/runs/wait", json={"assistant_id": "depot", "input": BOX, key: REFUSED[key]}
        )


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("config.configurable", {"model": "x"}),
        ("command.goto", "pay"),
        ("command.update", {"answer": "x"}),
        ("command.graph", "x"),
    ],
)
def test_no_client_steers_a_run(sync_client: SyncLangGraphClient, where: str, value: Any) -> None:
    """Configuration and control flow are the server's."""
    outer, _, inner = where.partition(".")
    body: dict[str, Any] = {"assistant_id": "depot"}
    if outer == "config":
        body |= {"input": BOX, "config": {inner: value}}
    else:
        body["command"] = {"resume": {}, inner: value}
    with pytest.raises(UnprocessableEntityError, match=f"`{inner}` is not served"):
        sync_client.http.post("/threads/x/runs/wait", json=body)


def test_a_client_s_limits_are_never_above_the_server_s(sync_client: SyncLangGraphClient) -> None:
    """Lower ones hold; higher ones are the server's."""
    config: Any = {"limits": {"seconds": 9999, "hops": 3}, "recursion_limit": 2}
    run = sync_client.runs.create(None, "depot", input=BOX, config=config)
    sync_client.runs.join(run["thread_id"], run["run_id"])
    few: Any = sync_client.runs.wait(
        None, "office", input=BOTH, config={"recursion_limit": 1}, raise_error=False
    )

    assert few["reason"] == "loop_limit"


def test_the_example_of_the_readme_runs(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    """Typed as it is there, to another address and another team."""
    text = README.read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n([^`]*8123[^`]*)```", text)
    typed = example.replace("http://127.0.0.1:8123", served.url).replace('"platform"', '"depot"')
    names: dict[str, Any] = {}
    exec(compile(typed, README.name, "exec"), names)  # noqa: S102  # our own README
    names["client"].http.client.close()

    said = packed_answer("what is the standard name of 환자번호?")
    assert capsys.readouterr().out == f"{said}\n"
