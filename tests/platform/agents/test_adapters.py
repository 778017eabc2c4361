"""What people already have becomes an agent: functions and compiled graphs."""

import asyncio
import operator
from typing import Annotated, Any, ClassVar, TypedDict

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import LLM, BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, tool
from langgraph.graph import START, MessagesState, StateGraph

from minerva_observability import MemorySink
from minerva_platform import (
    AgentInput,
    AgentOutput,
    BaseAgent,
    ContractError,
    Handoff,
    OutputError,
    RunLimits,
    Task,
    Team,
    agent,
)
from minerva_platform.durable.active_run import run_team
from minerva_platform.langgraph import agent_from_graph
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import EachOnceRouter, ScriptedRouter, StubAgent, assert_isolated


class Count(Handoff):
    """How many words."""

    kind: ClassVar[str] = "wrap.count"
    words: int


class CountInput(AgentInput):
    """A request and a number."""

    factor: int = 1


class CountOutput(AgentOutput):
    """A summary and a hand-off."""

    count: Count


def shout(request: str) -> str:
    """Repeats a request in capitals."""
    return request.upper()


async def whisper(request: str) -> str:
    """Repeats a request in small letters."""
    return request.lower()


def count(given: CountInput) -> CountOutput:
    """Counts words."""
    words = len(given.request.split()) * given.factor
    return CountOutput(summary=f"{words} words", count=Count(words=words))


def as_dict(given: CountInput) -> dict[str, str]:
    """Answers with a dict."""
    return {"summary": given.language}


def unannotated(request):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201  # people have these, too
    """Answers without annotations."""
    return "fine: " + request


def odd(request: str) -> Any:
    """Answers with a number."""
    return len(request)


async def run(agent: BaseAgent[Any, Any], request: str, sink: MemorySink | None = None) -> Any:
    """Run a team of just `agent`."""
    team = Team(name="t", description="…", members=(agent,), router=ScriptedRouter(agent.name))
    options = RunOptions(recorder=sink) if sink else RunOptions()
    return await run_team(team.assembled, Task(request=request), options)


@pytest.mark.parametrize(
    ("function", "summary"),
    [
        (shout, "TWO WORDS"),
        (whisper, "two words"),
        (count, "2 words"),
        (as_dict, "en"),
        (unannotated, "fine: Two words"),
    ],
)
def test_a_function_becomes_an_agent(function: Any, summary: str) -> None:
    """Sync or async; a text, a model or a dict."""
    worker = agent()(function)

    answer = worker.invoke({"request": "Two words"})

    assert answer["summary"] == summary
    assert worker.name == function.__name__
    assert worker.description == function.__doc__


async def test_a_wrapped_functions_handoff_leaves_it() -> None:
    """Its models are its contract, like any worker's."""
    worker = agent()(count)
    team = Team(name="t", description="…", members=(worker,), exports=(Count,))
    team.router = ScriptedRouter("count")

    answer = await run_team(team.assembled, Task(request="one two three"))

    assert answer.handoffs == {"wrap.count": {"words": 3}}


async def test_a_function_that_answers_nonsense_has_failed() -> None:
    """What it returned is named."""
    with pytest.raises(OutputError, match="returned int, not a text, a model or a dict"):
        await agent()(odd).ainvoke({"request": "x"})

    assert (await run(agent()(odd), "x")).status == "failed"


@pytest.mark.parametrize(
    "function", [lambda: "x", lambda a, b: f"{a}{b}", len, operator.add, _int := (lambda x: x)]
)
def test_a_function_must_take_one_request(function: Any) -> None:
    """Or one Input model; anything else is refused when it is wrapped."""
    if function is _int:
        function.__annotations__ = {"x": int}
    if function == len:
        function = _takes_int
    with pytest.raises(ContractError, match="must take one argument"):
        agent()(function)


@pytest.mark.parametrize("annotation", [int, None, list[str], tuple[str, ...]])
def test_a_function_that_can_only_answer_nonsense_is_refused(annotation: Any) -> None:
    """When it is wrapped, not when somebody asks."""

    def counts(request: str) -> Any:
        return len(request)

    counts.__annotations__["return"] = annotation

    with pytest.raises(ContractError, match=r"`counts` returns `\w+`; let it return the summary"):
        agent()(counts)


@pytest.mark.parametrize("annotation", [str, "str | None", dict[str, str], CountOutput, Any])
def test_a_function_that_may_answer_is_not_refused(annotation: Any) -> None:
    """What it returns in fact is looked at when it does."""

    def says(request: str) -> Any:
        return {"summary": request, "count": Count(words=1)}

    says.__annotations__["return"] = annotation

    assert agent()(says).invoke({"request": "x"})["summary"] == "x"


def _takes_int(number: int) -> str:
    return str(number)


class _Fields(TypedDict, total=False):
    request: str
    summary: str
    log: Annotated[list[str], operator.add]


def fields_graph() -> Any:
    """Return a compiled graph that exchanges fields by name."""
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(_Fields)
    think: Any = lambda _: {"log": ["thought"]}  # noqa: E731  # a node, as people write it
    say: Any = lambda state: {"summary": state["request"][::-1]}  # noqa: E731
    builder.add_node("think", think)
    builder.add_node("say", say)
    builder.add_edge(START, "think")
    builder.add_edge("think", "say")
    return builder.compile()


async def test_a_compiled_graph_becomes_an_agent() -> None:
    """Fields of the same name are exchanged; its nodes are recorded under it."""
    sink = MemorySink()
    agent = agent_from_graph(fields_graph(), name="reverser", description="Reverses.")

    answer = await run(agent, "abc", sink)

    assert (answer.status, answer.answer) == ("ok", "cba")
    nodes = [(r.path, r.agent_name, r.team, r.node) for r in sink.records if r.kind == "node"]
    assert nodes == [
        ("t/reverser", "reverser", "t", "think"),
        ("t/reverser", "reverser", "t", "say"),
    ]


async def test_converters_say_what_the_graph_gets_and_gives() -> None:
    """For graphs whose fields have other names."""

    class Reversed(AgentOutput):
        length: int

    agent = agent_from_graph(
        fields_graph(),
        name="reverser",
        description="Reverses.",
        output_model=Reversed,
        to_state=lambda given: {"request": given.request * 2},
        to_output=lambda state: {"summary": state["summary"], "length": len(state["log"])},
    )

    assert await agent.ainvoke({"request": "ab"}) == {
        "summary": "baba",
        "citations": [],
        "artifacts": [],
        "files": [],
        "unused": [],
        "shown": [],
        "transfers": [],
        "length": 1,
    }


async def test_a_wrapped_graph_that_fails_is_bypassed() -> None:
    """Its node's row has the error."""
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(_Fields)

    def fail(_: _Fields) -> _Fields:
        message = "no such table"
        raise LookupError(message)

    node: Any = fail
    builder.add_node("fail", node)
    builder.add_edge(START, "fail")
    sink = MemorySink()

    answer = await run(
        agent_from_graph(builder.compile(), name="a", description="Fails."), "x", sink
    )

    (node,) = [record for record in sink.records if record.kind == "node"]
    error: Any = node.error
    assert (node.status, error["type"], error["message"]) == (
        "failed",
        "LookupError",
        "no such table",
    )
    assert error["where"].endswith(", in fail")
    (entry,) = answer.bypassed
    assert entry.cause == f"LookupError: no such table ({error['where']})"


class ToolCaller(BaseChatModel):
    """A chat model that calls a tool once, then answers with what the tool said."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> Any:  # noqa: ARG002  # the signature is LangChain's
        """Take the tools; the script knows which one it calls."""
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        usage = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
        said = AIMessage(content=f"The tool says: {messages[-1].content}")
        if messages[-1].type == "human":
            call = {"name": "look_up", "args": {"word": "PT_ID"}, "id": "1"}
            said = AIMessage(content="", tool_calls=[call])
        said.usage_metadata = usage  # type: ignore[assignment]  # a plain dict is a TypedDict's value
        return ChatResult(generations=[ChatGeneration(message=said)])


def look_up_tool(*, fails: bool = False) -> BaseTool:
    """Return a tool that knows one word, or breaks."""

    @tool
    def look_up(word: str) -> str:
        """Look a word up."""
        if fails:
            message = "the dictionary is gone"
            raise LookupError(message)
        return f"{word} is 환자식별자"

    return look_up


def model_agent(*, fails: bool = False) -> BaseAgent[Any, Any]:
    """Return what `create_agent` makes, wrapped."""
    graph = create_agent(ToolCaller(), tools=[look_up_tool(fails=fails)])
    return agent_from_graph(graph, name="helper", description="Looks words up.")


async def test_what_create_agent_makes_becomes_an_agent() -> None:
    """Its last message is the answer; its models, tools and nodes are recorded in their places."""
    sink = MemorySink()

    answer = await run(model_agent(), "what is PT_ID", sink)

    assert (answer.status, answer.answer) == ("ok", "The tool says: PT_ID is 환자식별자")
    names = {record.span_id: record.node or record.kind for record in sink.records}
    rows = [
        (r.kind, r.node, r.prompt_tokens, names.get(r.parent_id or ""), r.status)
        for r in sink.records
        if r.kind in {"node", "model", "tool"}
    ]
    assert rows == [
        ("model", None, 7, "model", "ok"),
        ("node", "model", None, "agent", "ok"),
        ("tool", "look_up", None, "tools", "ok"),
        ("node", "tools", None, "agent", "ok"),
        ("model", None, 7, "model", "ok"),
        ("node", "model", None, "agent", "ok"),
    ]
    assert {r.agent_name for r in sink.records if r.kind in {"node", "model", "tool"}} == {"helper"}
    assert {r.path for r in sink.records if r.kind in {"node", "model", "tool"}} == {"t/helper"}


async def test_what_models_cost_is_in_the_run_object() -> None:
    """Calls and tokens of a wrapped agent are counted."""
    answer = await run(model_agent(), "what is PT_ID")

    assert answer.usage.model_calls == 2
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (14, 6)


async def test_a_tool_that_breaks_is_recorded_and_bypassed() -> None:
    """LangChain's own default lets the exception end the agent; it does not end the run."""
    sink = MemorySink()

    answer = await run(model_agent(fails=True), "what is PT_ID", sink)

    (entry,) = answer.bypassed
    assert entry.cause.startswith("LookupError: the dictionary is gone (")
    assert entry.cause.endswith(", in look_up)")
    assert [r.status for r in sink.records if r.kind == "tool"] == ["failed"]


class Restless(ToolCaller):
    """A chat model that calls its tool for ever."""

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return super()._generate([HumanMessage(str(len(messages)))])


@pytest.mark.parametrize(
    ("limits", "calls", "cause"),
    [
        (RunLimits(model_calls=3), 3, "the run's 3 model calls are spent"),
        (RunLimits(tokens=35), 4, "the run's 35 tokens are spent"),
        (RunLimits(model_calls=1_000), 50, "GraphRecursionError"),
    ],
)
async def test_an_agent_that_never_ends_is_stopped(
    limits: RunLimits, calls: int, cause: str
) -> None:
    """By the run's model calls and tokens, whosever the model is, or by its own steps."""
    graph = create_agent(Restless(), tools=[look_up_tool(fails=False)])
    agent = agent_from_graph(graph, name="restless", description="Looks words up.")
    team = Team(name="t", description="…", members=[agent, StubAgent("b")], router=EachOnceRouter())
    answer = await run_team(team.assembled, Task(request="go"), RunOptions(limits=limits))

    assert answer.status == "ok_degraded"
    assert answer.usage.model_calls == calls
    assert cause in answer.bypassed[0].cause
    assert "b answered" in answer.answer


class Completer(LLM):
    """A completion model."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _call(self, prompt: str, *_: Any, **__: Any) -> str:
        return f"{prompt} and on"


async def test_a_completion_model_is_held_to_the_limits_too() -> None:
    """Side by side as well: a call is counted when it begins."""

    async def ask(state: MessagesState) -> dict[str, Any]:
        words = str(state["messages"][-1].content)
        said = await asyncio.gather(*(Completer().ainvoke(words) for _ in range(5)))
        return {"messages": [AIMessage(said[0])]}

    builder: StateGraph[Any, Any, Any, Any] = StateGraph(MessagesState)
    builder.add_node("ask", ask)
    builder.add_edge(START, "ask")
    agent = agent_from_graph(builder.compile(), name="a", description="Completes.")
    team = Team(name="t", description="…", members=[agent], router=EachOnceRouter())
    options = RunOptions(limits=RunLimits(model_calls=2))
    answer = await run_team(team.assembled, Task(request="go"), options)

    assert answer.status == "failed"
    assert answer.usage.model_calls == 2
    assert "the run's 2 model calls are spent" in answer.bypassed[0].cause


def test_wrapped_agents_are_isolated() -> None:
    """Their private state stays inside as any worker's."""
    assert_isolated(model_agent(), {"request": "what is PT_ID"})
    assert_isolated(agent()(shout), {"request": "hello"})


async def test_two_runs_of_one_wrapped_agent_do_not_mix() -> None:
    """One listener serves all runs of an agent."""
    import asyncio  # noqa: PLC0415

    agent = model_agent()
    sinks = (MemorySink(), MemorySink())

    await asyncio.gather(*(run(agent, "what is PT_ID", sink) for sink in sinks))

    for sink in sinks:
        assert len({record.run_id for record in sink.records}) == 1
        assert sorted(r.kind for r in sink.records if r.kind in {"model", "tool"}) == [
            "model",
            "model",
            "tool",
        ]
