"""A team inside somebody's LangGraph or LangChain program."""

import operator
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, cast

import pytest
from langchain import agents
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt
from pydantic import BaseModel, SecretStr
from typing_extensions import TypedDict

from minerva_platform import (
    AgentInput,
    AgentOutput,
    BaseAgent,
    BindingError,
    RunError,
    RunLimits,
    Team,
    agent,
)
from minerva_platform.langgraph import as_graph, as_node, as_tool
from minerva_platform.testing import EachOnceRouter, Reply, scripted_openai_server

create_agent: Any = agents.create_agent  # pyright: ignore[reportUnknownVariableType]  # partly typed
THREAD: Any = {"configurable": {"thread_id": "host"}}


@agent(examples=["how many words are there", "count the words of this"])
def word_count(request: str) -> str:
    """Counts the words of a request."""
    return f"{len(request.split())} words"


class Deleter(BaseAgent[AgentInput, AgentOutput]):
    """Asks a person before it acts."""

    name = "deleter"
    description = "Deletes what a person lets it delete."

    def work(self, given: AgentInput) -> AgentOutput:
        """Ask, then say what was decided."""
        decided = interrupt({"question": f"{given.request}?"})
        return AgentOutput(summary=f"decided: {decided}")


class Broken(BaseAgent[AgentInput, AgentOutput]):
    """Fails."""

    name = "broken"
    description = "Fails."

    def work(self, given: AgentInput) -> AgentOutput:
        """Fail."""
        raise ValueError(given.request)


def team(*members: Any) -> Team:
    """Return a team in a team, which asks every member."""
    inner = Team(name="inner", description="Works.", members=members, router=EachOnceRouter())
    return Team(
        name="office", description="Office chores.", members=[inner], router=EachOnceRouter()
    )


def paths(answer: dict[str, Any]) -> list[str]:
    """Return the hops of an answer."""
    return [hop["path"] for hop in answer["hops"]]


def test_a_graph_takes_a_request() -> None:
    """And gives the run object, with the answer as a message too."""
    answer = as_graph(team(word_count)).invoke({"request": "one two"})

    assert (answer["status"], answer["answer"]) == ("ok", "2 words")
    assert paths(answer) == ["office/inner/word_count"]
    assert [(message.content, message.name) for message in answer["messages"]] == [
        ("2 words", "office")
    ]


async def test_a_graph_takes_messages() -> None:
    """The person's last one is the request."""
    said = [HumanMessage("no"), AIMessage("yes?"), {"role": "user", "content": "one two three"}]
    answer = await as_graph(team(word_count)).ainvoke({"messages": said})

    assert answer["answer"] == "3 words"
    assert [message.content for message in answer["messages"]][-1] == "3 words"
    assert len(answer["messages"]) == 4


def test_a_graph_without_words_says_what_it_takes() -> None:
    """Not that a key is missing."""
    with pytest.raises(BindingError, match="its input `request` is empty, and `messages` hold"):
        as_graph(team(word_count)).invoke({"messages": [AIMessage("hello")]})


def test_a_graph_is_streamed_down_to_its_workers() -> None:
    """Sub-graphs are seen, synchronously too."""
    stream: Iterator[Any] = as_graph(team(word_count)).stream(
        {"request": "one two"}, stream_mode="updates", subgraphs=True
    )
    levels = {tuple(name.split(":")[0] for name in space) for space, _ in stream}

    assert ("office", "inner", "word_count") in levels


async def test_a_graph_is_streamed_in_a_loop() -> None:
    """The same, asynchronously."""
    stream: AsyncIterator[Any] = as_graph(team(word_count)).astream(
        {"request": "one two"}, stream_mode="updates", subgraphs=True
    )
    levels = {tuple(name.split(":")[0] for name in space) async for space, _ in stream}

    assert ("office", "inner", "word_count") in levels


def test_what_a_thread_waits_for_is_seen_down_to_the_worker() -> None:
    """In drawings, and in the state that Studio shows."""
    graph = as_graph(team(Deleter), checkpointer=InMemorySaver())
    graph.invoke({"request": "delete it"}, THREAD)
    (office,) = graph.get_state(THREAD, subgraphs=True).tasks
    subgraphs = cast("Iterator[Any]", graph.get_subgraphs(recurse=True))

    assert set(dict(subgraphs)) == {
        "office",
        "office|inner",
        "office|inner|deleter",
    }
    assert office.state is not None
    assert "deleter" in graph.get_graph(xray=True).draw_mermaid()


def test_a_hosts_thread_goes_on() -> None:
    """Messages add up; a request holds for its own turn only."""
    graph = as_graph(team(word_count), checkpointer=InMemorySaver())
    graph.invoke({"request": "one two"}, THREAD)
    answer = graph.invoke({"messages": [HumanMessage("one two three")]}, THREAD)

    assert [message.content for message in answer["messages"]] == [
        "2 words",
        "one two three",
        "3 words",
    ]


@pytest.fixture(params=["memory", "sqlite"])
def saver(request: pytest.FixtureRequest) -> Iterator[InMemorySaver | SqliteSaver]:
    """Return a host's saver; SQLite's has no asynchronous methods."""
    if request.param == "memory":
        yield InMemorySaver()
        return
    with SqliteSaver.from_conn_string(":memory:") as sqlite:
        yield sqlite


@pytest.mark.parametrize("by_id", [False, True])
def test_a_hosts_answer_goes_to_the_worker_that_asked(
    saver: InMemorySaver | SqliteSaver, *, by_id: bool
) -> None:
    """`Command(resume=…)`, with the question's id or without; nothing else runs again."""
    graph = as_graph(team(Deleter, word_count), checkpointer=saver)
    paused = graph.invoke({"request": "delete it"}, THREAD)
    (question,) = paused["__interrupt__"]
    answer = graph.invoke(Command(resume={question.id: "yes"} if by_id else "yes"), THREAD)

    assert question.value == {"question": "delete it?"}
    assert (answer["status"], answer["answer"]) == ("ok", "decided: yes\n\n2 words")
    assert sorted(paths(answer)) == ["office/inner/deleter", "office/inner/word_count"]


@pytest.mark.parametrize("config", [None, THREAD])
def test_without_a_checkpointer_nobody_is_asked(config: Any) -> None:
    """Nobody could answer: the worker that asks fails, and the answer says so."""
    answer = as_graph(team(Deleter, word_count)).invoke({"request": "delete it"}, config)

    assert answer["status"] == "ok_degraded"
    (bypass,) = answer["bypassed"]
    assert "`checkpointer=…`" in bypass["cause"]


async def test_a_pause_survives_in_a_loop() -> None:
    """The same, asynchronously."""
    graph = as_graph(team(Deleter), checkpointer=InMemorySaver())
    await graph.ainvoke({"request": "delete it"}, THREAD)
    answer = await graph.ainvoke(Command(resume="no"), THREAD)

    assert answer["answer"] == "decided: no"


class HostState(TypedDict, total=False):
    """A state with messages that are appended without a look, and some keys of an answer."""

    messages: Annotated[list[AnyMessage], operator.add]
    answer: str
    bypassed: list[dict[str, Any]]
    seen: str


class PydanticState(BaseModel):
    """A state of another kind."""

    request: str = ""
    answer: str = ""


def host(node: Any, state: Any = HostState, **more: Callable[..., Any]) -> Any:
    """Return a host's graph around `node`, with nodes after it."""
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(state)
    builder.add_node("office", node)
    builder.add_edge(START, "office")
    for name, function in more.items():
        builder.add_node(name, function)
        builder.add_edge("office", name)
    return builder.compile(checkpointer=InMemorySaver())


@pytest.mark.parametrize("wrap", [as_node, as_graph])
def test_a_node_of_a_hosts_graph(wrap: Callable[[Team], Any]) -> None:
    """The state gets the keys that it has; what failed inside is told."""

    def look(state: HostState) -> HostState:
        return {"seen": state.get("answer", "").splitlines()[0]}

    graph = host(wrap(team(word_count, Broken)), HostState, look=look)
    answer = graph.invoke({"messages": [HumanMessage("one two")]}, THREAD)

    assert answer["seen"] == "2 words"
    assert [entry["path"] for entry in answer["bypassed"]] == ["office/inner/broken"]
    assert answer["messages"][-1].content == answer["answer"]
    assert set(answer) == {"messages", "answer", "bypassed", "seen"}


def test_a_node_of_a_graph_with_a_pydantic_state() -> None:
    """A host chooses the kind of its state."""
    answer = host(as_node(team(word_count)), PydanticState).invoke({"request": "one two"}, THREAD)

    assert answer["answer"] == "2 words"


def test_a_nodes_pause_is_the_hosts() -> None:
    """The host resumes it as its own."""
    graph = host(as_node(team(Deleter)))
    paused = graph.invoke({"messages": [HumanMessage("delete it")]}, THREAD)
    answer = graph.invoke(Command(resume="yes"), THREAD)

    assert [item.value for item in paused["__interrupt__"]] == [{"question": "delete it?"}]
    assert [message.content for message in answer["messages"]] == ["delete it", "decided: yes"]


def test_limits_hold_inside_a_host() -> None:
    """As for a run of its own."""
    graph = as_graph(team(word_count), limits=RunLimits(hops=1))

    assert graph.invoke({"request": "one two"})["reason"] == "loop_limit"


def calling(request: str) -> list[Reply]:
    """Return what a scripted model says that calls the tool once."""
    return [Reply(tool_calls=[("office", {"request": request})]), Reply(text="done")]


def test_a_tool_of_an_agent() -> None:
    """The model reads the answer; the run object is the tool's artifact."""
    with scripted_openai_server(calling("one two")) as server:
        model = ChatOpenAI(model="m", base_url=server.url, api_key=SecretStr("k"))
        host_agent = create_agent(model, [as_tool(team(word_count))])
        answer = host_agent.invoke({"messages": [HumanMessage("count")]})

    (told,) = [item for item in answer["messages"] if isinstance(item, ToolMessage)]
    assert told.content == "2 words"
    assert paths(told.artifact) == ["office/inner/word_count"]
    assert answer["messages"][-1].content == "done"


@contextmanager
def deleting_agent() -> Generator[Any]:
    """Open a host's agent whose tool asks a person."""
    with scripted_openai_server(calling("delete it")) as server:
        model = ChatOpenAI(model="m", base_url=server.url, api_key=SecretStr("k"))
        tools = [as_tool(team(Deleter))]
        yield create_agent(model, tools, checkpointer=InMemorySaver())
        assert len(server.calls) == 2  # the model was not asked again before the tool


def told_by_tool(answer: dict[str, Any]) -> tuple[Any, str]:
    """Return what the tool said, and how its run ended."""
    (told,) = [item for item in answer["messages"] if isinstance(item, ToolMessage)]
    return told.content, told.artifact["status"]


def test_a_tools_pause_is_the_agents() -> None:
    """The agent's caller answers the worker."""
    with deleting_agent() as host_agent:
        paused = host_agent.invoke({"messages": [HumanMessage("delete")]}, THREAD)
        answer = host_agent.invoke(Command(resume="yes"), THREAD)

    assert [item.value for item in paused["__interrupt__"]] == [{"question": "delete it?"}]
    assert told_by_tool(answer) == ("decided: yes", "ok")


async def test_a_tools_pause_survives_in_a_loop() -> None:
    """The same, asynchronously."""
    with deleting_agent() as host_agent:
        await host_agent.ainvoke({"messages": [HumanMessage("delete")]}, THREAD)
        answer = await host_agent.ainvoke(Command(resume="no"), THREAD)

    assert told_by_tool(answer) == ("decided: no", "ok")


def test_a_tool_is_called_by_hand() -> None:
    """Outside of any graph, too."""
    assert as_tool(team(word_count), name="count").invoke({"request": "one two"}) == "2 words"


@pytest.mark.parametrize("given", [{"request": "x"}, {"messages": [HumanMessage("x")]}, {}])
async def test_a_teams_own_graph_says_how_it_is_asked(given: dict[str, Any]) -> None:
    """One sentence names every door."""
    graph = team(word_count).graph
    told = r"`team\.ask\(…\)`.*`as_graph`, `as_node` or `as_tool` of minerva_platform\.langgraph"

    with pytest.raises(RunError, match=told):
        graph.invoke(given)
    with pytest.raises(RunError, match=told):
        await graph.ainvoke(given)


class Office(MessagesState):
    """A state as LangGraph's own tutorials have it."""


def test_a_node_beside_tutorials() -> None:
    """A MessagesState is enough."""
    graph = host(as_node(team(word_count)), Office)
    answer = graph.invoke({"messages": [{"role": "user", "content": "one two"}]}, THREAD)

    assert answer["messages"][-1].content == "2 words"
