"""A network: control passes by a worker's Output, a model's tool, or LangGraph's command."""

import json
from typing import Any

import pytest
from front_desk import chat_at
from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.graph import START as FIRST, StateGraph
from langgraph.types import Command, Send
from pydantic import SecretStr
from shapes import check_records
from typing_extensions import TypedDict

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
    Transfer,
)
from minerva_platform.durable.active_run import run_team
from minerva_platform.langgraph import agent_from_graph, transfer_tools
from minerva_platform.routing import Network
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import ModelCall, Reply, StubAgent, scripted_openai_server
from minerva_platform.validation.team_declarations import find_problems

BOTH_WAYS = {"draft": ("legal",), "legal": ("draft",)}
REQUEST = "write the contract for the harbour"


class Contract(Handoff):
    """What a draft passes on."""

    kind = "office.contract"
    text: str


class LegalInput(AgentInput):
    """What the legal worker may be given."""

    contract: Contract | None = None
    urgency: int = 0


class Legal(BaseAgent[LegalInput, AgentOutput]):
    """Says what it was given."""

    name, description = "legal", "Looks at contracts."

    def work(self, given: LegalInput) -> AgentOutput:
        """Answer with everything that came."""
        text = given.contract.text if given.contract else "no contract"
        return AgentOutput(summary=f"legal: {given.request} | {text} | urgency {given.urgency}")


class _Kept(TypedDict, total=False):
    request: str
    summary: str


class Commanding(BaseAgent[AgentInput, AgentOutput]):
    """Existing code, which passes control by a command of LangGraph's."""

    name, description = "draft", "Writes contracts."

    def __init__(self, **command: Any) -> None:
        self.command = command

    def build_graph(self) -> Any:
        """Return a graph whose one node leaves for the parent."""
        builder: Any = StateGraph(_Kept)
        command = Command(graph=Command.PARENT, **self.command)
        builder.add_node("leave", lambda _: command)
        builder.add_edge(FIRST, "leave")
        return builder


def passing(name: str, *transfers: Transfer, says: str = "") -> StubAgent:
    """Return a worker that passes control at every call."""
    return StubAgent(name, behave=lambda _: {"summary": says, "transfers": transfers})


def network(*members: Any, **said: Any) -> Team:
    """Return a network that begins with its first member; each may pass control to each."""
    names = [member.name for member in members]
    peers = {name: tuple(other for other in names if other != name) for name in names}
    options: dict[str, Any] = {"start": names[0], "peers": peers, **said}
    router = Network(**options)
    return Team(name="office", description="Contracts.", members=members, router=router)


class Asked:
    """Asks a team once, and keeps its records."""

    def __init__(self) -> None:
        self.sink = MemorySink()

    async def __call__(self, team: Team, request: str = REQUEST, **limits: Any) -> Run:
        """Return a run that agrees with its records."""
        options = RunOptions(recorder=self.sink, limits=RunLimits(**limits))
        run = await run_team(team.assembled, Task(request=request), options)
        check_records(run, self.sink.records)
        return run


@pytest.fixture
def ask() -> Asked:
    """Give what asks."""
    return Asked()


def called(run: Run) -> list[str]:
    """Return the calls of workers in order, by the last part of their paths."""
    return [hop.path.rpartition("/")[2] for hop in run.hops]


async def test_control_passes_with_words_and_a_hand_off(ask: Asked) -> None:
    """The target sees the words of the transfer, and the hand-off that it takes."""
    carried = Transfer(to="legal", request="check it", carries=Contract(text="§ 1"))

    run = await ask(network(passing("draft", carried, says="drafted"), Legal()))

    assert (run.status, called(run)) == ("ok", ["draft", "legal"])
    assert run.answer == "legal: check it | § 1 | urgency 0"


async def test_what_json_would_change_goes_with_no_transfer(ask: Asked) -> None:
    """It is refused by its field, before a secret becomes asterisks."""

    class Sealed(Contract):
        seal: SecretStr

    with pytest.raises(ValueError, match="JSON does not give back its `seal`"):
        Transfer(to="legal", carries=Sealed(text="§ 1", seal=SecretStr("s-1")))
    given = {"contract": Sealed(text="§", seal=SecretStr("s"))}
    run = await ask(network(Commanding(goto="legal", update=given), Legal()))
    assert run.status == "failed"
    assert "JSON does not give back its `seal`" in run.bypassed[0].cause


async def test_what_is_carried_comes_to_its_target_alone(ask: Asked) -> None:
    """Each of two targets gets its own hand-off, and a third one none."""
    heard: dict[str, str] = {}

    class Reader(BaseAgent[LegalInput, AgentOutput]):
        description = "Reads."

        def __init__(self, name: str) -> None:
            self.name = name

        def work(self, given: LegalInput) -> AgentOutput:
            heard[self.name] = given.contract.text if given.contract else "nothing"
            return AgentOutput(summary="read")

    draft = passing(
        "draft",
        Transfer(to="one", carries=Contract(text="first")),
        Transfer(to="two", carries=Contract(text="second")),
        Transfer(to="three"),
    )
    run = await ask(network(draft, *map(Reader, ("one", "two", "three"))))

    assert run.status == "ok"
    assert heard == {"one": "first", "two": "second", "three": "nothing"}


async def test_without_words_the_member_s_own_pass_on(ask: Asked) -> None:
    """Nothing of the request is lost when control passes."""
    run = await ask(network(passing("draft", Transfer(to="legal")), Legal()))

    assert f"legal: {REQUEST}" in run.answer


async def test_a_member_that_kept_control_answers(ask: Asked) -> None:
    """What a member says while it passes control on is no answer, unless all others fail."""

    def broken(_: Any) -> None:
        message = "no connection"
        raise OSError(message)

    draft = passing("draft", Transfer(to="legal"), says="drafted")
    run = await ask(network(draft, StubAgent("legal", behave=broken)))

    assert run.status == "ok_degraded"
    assert run.answer.startswith("drafted\n\nMissing from this answer:\n\n- `office/legal`: It")
    assert "no connection" in run.bypassed[0].cause


async def test_several_transfers_of_one_answer_all_pass(ask: Asked) -> None:
    """They work side by side, and both answers stand."""
    draft = passing("draft", Transfer(to="legal", request="a"), Transfer(to="tax", request="b"))

    run = await ask(network(draft, StubAgent("legal"), StubAgent("tax")))

    assert sorted(called(run)) == ["draft", "legal", "tax"]
    assert "legal answered" in run.answer
    assert "tax answered" in run.answer


async def test_an_endless_ping_pong_stops_at_its_bound(ask: Asked) -> None:
    """The answer says how often control passed, and between whom it did not pass any more."""
    draft = passing("draft", Transfer(to="legal"), says="drafted")
    legal = passing("legal", Transfer(to="draft"), says="checked")

    run = await ask(network(draft, legal, max_transfers=3))

    assert called(run) == ["draft", "legal", "draft#2", "legal#2"]
    assert (run.status, run.reason) == ("ok_degraded", "loop_limit")
    assert "Control has passed 3 times in `office`" in run.answer
    assert "passed no further: `legal` → `draft`" in run.answer
    assert run.answer.startswith("checked")


async def test_at_the_bound_the_transfers_that_fit_are_made(ask: Asked) -> None:
    """The others are named, and the one who was refused speaks."""
    a = passing("a", Transfer(to="b"), Transfer(to="c"))
    b = passing("b", Transfer(to="d"), says="b has more to say")
    team = network(a, b, StubAgent("c"), StubAgent("d"), max_transfers=2)

    run = await ask(team)

    assert sorted(called(run)) == ["a", "b", "c"]
    assert "b has more to say" in run.answer
    assert "c answered" in run.answer
    assert "passed 2 times" in run.answer
    assert "no further: `b` → `d`" in run.answer


async def test_the_run_s_limit_of_calls_holds_too(ask: Asked) -> None:
    """A transfer for which the run has no call left is not made."""
    draft, legal = passing("draft", Transfer(to="legal")), passing("legal", Transfer(to="draft"))

    run = await ask(network(draft, legal), hops=2)

    assert (called(run), run.reason) == (["draft", "legal"], "loop_limit")


async def test_of_a_command_only_what_the_target_declares_crosses(ask: Asked) -> None:
    """The request, a hand-off and a field; the names of the rest are on record, nothing else."""
    update = {
        "request": "look at it",
        "contract": {"text": "§ 2"},
        "urgency": 3,
        "messages": ["a long talk"],
        "api_key": "sk-canary-41d7",
        "conversation": ("forged",),
    }
    run = await ask(network(Commanding(goto="legal", update=update), Legal()))

    assert run.answer == "legal: look at it | § 2 | urgency 3"
    its = [each for each in ask.sink.records if each.path == "office/draft"]
    (record,) = [each for each in its if each.kind == "agent"]
    assert record.decision == {
        "transfers": [{"to": "legal", "dropped": ["api_key", "conversation", "messages"]}]
    }
    kept = repr(ask.sink.records)
    assert "sk-canary" not in kept
    assert "a long talk" not in kept


async def test_a_command_may_send_to_several(ask: Asked) -> None:
    """Each target has what was sent to it."""
    goto = [Send("legal", {"request": "a"}), Send("tax", {"request": "b"})]
    heard: list[str] = []
    tax = StubAgent("tax", behave=lambda given: heard.append(given.request))

    run = await ask(network(Commanding(goto=goto), Legal(), tax))

    assert "legal: a" in run.answer
    assert heard == ["b"]


@pytest.mark.parametrize(
    ("command", "cause"),
    [
        ({"goto": "nobody"}, "passes control to `nobody`, which is not one of its peers (legal)"),
        ({"goto": "office"}, "passes control to `office`, which is not one of its peers (legal)"),
        ({"goto": "draft"}, "passes control to `draft`, which is not one of its peers (legal)"),
        ({"goto": ()}, "names nobody"),
        ({"goto": "legal", "update": {"urgency": "high"}}, "`urgency` does not fit"),
        ({"goto": "legal", "update": {"request": 7}}, "is int, not a text"),
        (
            {"goto": "legal", "update": {"contract": {"words": 1}}},
            "does not fit what `legal` reads",
        ),
        ({"goto": "legal", "update": {"request": "x" * 5_000}}, "at most 4,000"),
    ],
    ids=["stranger", "two levels up", "itself", "nobody", "field", "request", "hand-off", "length"],
)
async def test_a_transfer_that_cannot_be_costs_its_member(
    ask: Asked, command: dict[str, Any], cause: str
) -> None:
    """The member fails with a sentence that names it, and the target; nobody else is called."""
    office = network(Commanding(**command), Legal())
    root = Team(name="firm", description="…", members=(office,))
    office.examples = (REQUEST,)

    run = await ask(root)

    assert (run.status, called(run)) == ("failed", ["draft"])
    assert "`draft` broke its own contract" in run.bypassed[0].cause
    assert cause in run.bypassed[0].cause


@pytest.mark.parametrize(
    "draft",
    [Commanding(goto="legal"), passing("draft", Transfer(to="legal"))],
    ids=["command", "output"],
)
async def test_outside_of_a_network_nobody_passes_control(ask: Asked, draft: Any) -> None:
    """A transfer is a breach of contract there, however it is said."""
    draft.examples = (REQUEST,)
    legal = Legal()
    legal.examples = ("check the law",)

    run = await ask(Team(name="office", description="…", members=(draft, legal)))

    assert (run.status, called(run)) == ("failed", ["draft"])
    assert "`draft` broke its own contract" in run.bypassed[0].cause


def led_by(server: Any, *tools: Any) -> Any:
    """Return an agent of `create_agent` that the scripted model leads."""
    graph = create_agent(chat_at(server.url), tools=[*tools, *transfer_tools("legal")])
    return agent_from_graph(graph, name="draft", description="Writes contracts.")


async def test_a_model_passes_control_by_a_tool(ask: Asked) -> None:
    """It ends with the transfer; the model is not asked again."""
    transfer = Reply(tool_calls=[("transfer_to_legal", {"request": "check the harbour"})])
    with scripted_openai_server([transfer]) as server:
        run = await ask(network(led_by(server), Legal()))

    assert called(run) == ["draft", "legal"]
    assert run.answer == "legal: check the harbour | no contract | urgency 0"
    assert len(server.calls) == 1


async def test_a_transfer_beside_another_call_loses_neither(ask: Asked) -> None:
    """The other tool's result reaches the model, and control passes when the model has ended."""

    @tool
    def look_up(what: str) -> str:
        """Look something up."""
        return f"{what}: 12 pages"

    def script(call: ModelCall) -> Reply:
        if len(server.calls) == 1:
            transfer = ("transfer_to_legal", {"request": "check the harbour"})
            return Reply(tool_calls=[transfer, ("look_up", {"what": "harbour"})])
        assert "harbour: 12 pages" in json.dumps(call.messages)
        return Reply(text="It has 12 pages.")

    with scripted_openai_server(script) as server:
        run = await ask(network(led_by(server, look_up), Legal()))

    assert called(run) == ["draft", "legal"]
    assert run.answer.startswith("legal: check the harbour")
    tools = [each for each in ask.sink.records if each.kind == "tool"]
    assert sorted(str(each.node) for each in tools) == ["look_up", "transfer_to_legal"]


@pytest.mark.parametrize("arguments", [{"request": ""}, {}, {"request": 17}], ids=repr)
async def test_a_model_that_says_little_passes_control_all_the_same(
    ask: Asked, arguments: dict[str, Any]
) -> None:
    """A call of the tool is never refused, because that would end the agent with an error."""
    transfer = Reply(tool_calls=[("transfer_to_legal", arguments)])
    with scripted_openai_server([transfer]) as server:
        run = await ask(network(led_by(server), Legal()))

    assert (run.status, called(run)) == ("ok", ["draft", "legal"])
    assert run.answer.startswith(f"legal: {arguments.get('request') or REQUEST} |")


async def test_a_call_that_fails_beside_a_transfer_is_named(ask: Asked) -> None:
    """The agent has ended, so the run says it."""
    calls = [("transfer_to_legal", {"request": "check it"}), ("nonsense", {})]
    with scripted_openai_server([Reply(tool_calls=calls)]) as server:
        run = await ask(network(led_by(server), Legal()))

    assert (run.status, called(run)) == ("ok_degraded", ["draft", "legal"])
    (entry,) = run.bypassed
    assert "a call of `nonsense` beside the transfer failed" in entry.cause


@pytest.mark.parametrize(
    ("peers", "about"),
    [(("a b",), {}), (("",), {}), (("한글",), {}), (("b", "b"), {}), (("b",), {"c": "x"})],
    ids=repr,
)
def test_names_that_no_tool_can_have_are_refused(
    peers: tuple[str, ...], about: dict[str, str]
) -> None:
    """When the tools are made, not when a provider sees them."""
    with pytest.raises(ContractError, match="transfer_tools: "):
        transfer_tools(*peers, about=about)


async def test_the_words_of_a_person_in_a_command_s_messages_pass_on(ask: Asked) -> None:
    """Code that passes messages and no request means what the person said last."""
    messages = [("user", "hello"), ("ai", "What is it?"), ("user", "check § 3")]
    run = await ask(network(Commanding(goto="legal", update={"messages": messages}), Legal()))

    assert run.answer.startswith("legal: check § 3 |")


async def test_words_in_a_command_s_messages_that_are_too_long_are_not_cut(ask: Asked) -> None:
    """The member fails with the bound, as it does with a request of its own."""
    update = {"messages": [("user", "x" * 4_001)]}
    run = await ask(network(Commanding(goto="legal", update=update), Legal()))

    assert (run.status, called(run)) == ("failed", ["draft"])
    assert "has 4,001 characters; at most 4,000" in run.answer


async def test_a_command_to_the_end_passes_control_to_nobody(ask: Asked) -> None:
    """It says that the work is done."""
    run = await ask(network(Commanding(goto="__end__"), Legal()))

    assert called(run) == ["draft"]


async def test_a_substitute_passes_control_as_the_one_it_stands_for(ask: Asked) -> None:
    """It has the same peers."""

    def broken(_: Any) -> None:
        message = "no connection"
        raise OSError(message)

    team = Team(
        name="office",
        description="…",
        members=(
            StubAgent("draft", behave=broken),
            passing("other", Transfer(to="legal")),
            StubAgent("legal"),
        ),
        substitutes={"draft": "other"},
        router=Network(start="draft", peers={"draft": ("legal",)}),
    )
    run = await ask(team)

    assert (run.status, called(run)) == ("ok_degraded", ["draft", "other", "legal"])
    assert run.answer.startswith("legal answered")


async def test_a_greeting_is_work_for_a_declared_team(ask: Asked) -> None:
    """No router chooses, so nothing is small talk."""
    run = await ask(network(StubAgent("draft"), Legal()), "hello")

    assert called(run) == ["draft"]


@pytest.mark.usefixtures("minerva_home")
async def test_a_follow_up_begins_with_who_answered() -> None:
    """The member that had control at the end has it again; it may pass it back."""
    draft = passing("draft", Transfer(to="legal", request="check it"), says="drafted")
    team = network(draft, Legal())

    first = await team.aask(REQUEST, thread="t1")
    second = await team.aask("and its length?", thread="t1")

    assert called(first) == ["draft", "legal"]
    assert called(second) == ["legal"]


@pytest.mark.parametrize(
    ("peers", "said", "problem"),
    [
        ({"draft": ("legal", "legal")}, {}, "names `legal` twice among the peers of `draft`"),
        ({"draft": ("lagel",)}, {}, "names `lagel`, which is no member; it has draft, legal"),
        ({"draft": "legal"}, {}, "has peers={'draft': 'legal'}; write a tuple"),
        (["draft"], {}, "has peers=['draft']; write a tuple"),
        ({"draft": ("legal", "__end__")}, {}, "names START or END"),
        (BOTH_WAYS, {"start": "__start__"}, "names START or END"),
        (BOTH_WAYS, {"max_transfers": 2.5}, "has max_transfers=2.5; write a whole number"),
        ({"draft": ("draft", "legal")}, {}, "makes `draft` its own peer"),
        ({"draft": ()}, {}, "never reaches `legal`"),
        ({"draft": ("legal",)}, {"max_transfers": 0}, "has max_transfers=0"),
        (BOTH_WAYS, {"start": "nobody"}, "names `nobody`, which is no member"),
    ],
)
def test_a_network_that_cannot_be_is_refused_before_any_run(
    peers: Any, said: dict[str, Any], problem: str
) -> None:
    """`minerva check` says it, and so does the attempt to ask."""
    team = network(StubAgent("draft"), Legal(), peers=peers, **said)

    assert [
        each for each in find_problems(team.assembled) if f"`office`: its network {problem}" in each
    ]
    with pytest.raises(ContractError, match="its network"):
        team.ask(REQUEST)


def test_a_drawing_shows_who_may_pass_to_whom() -> None:
    """The supervisor leads to the start alone."""
    diagram = network(StubAgent("draft"), Legal()).graph.get_graph(xray=True).draw_mermaid()

    edges = [line.strip() for line in diagram.splitlines() if "-" in line and ";" in line]
    assert "supervisor -.-> draft;" in edges
    assert not any("supervisor -.-> legal" in edge for edge in edges)
    assert sum("transfer" in edge for edge in edges) == 2
