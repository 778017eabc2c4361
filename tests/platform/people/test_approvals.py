"""People decide about the tools of a real `create_agent` worker, and answer what workers ask."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    HumanInTheLoopMiddleware,
    ToolErrorMiddleware,
    ToolRetryMiddleware,
)
from langchain_core.tools import BaseTool, tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt
from ledger import Store
from pydantic import AfterValidator, BaseModel, SecretStr

from minerva_platform import (
    AgentInput,
    AgentOutput,
    BaseAgent,
    Interrupt,
    Run,
    Task,
    Team,
    ask_approval,
    ask_person,
)
from minerva_platform.contract.run_object import DecisionBatch
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.run_continuation import advance, resume_team
from minerva_platform.errors import ExpiredInterruptError, InvalidDecisionError, RejectedError
from minerva_platform.langgraph import agent_from_graph, as_graph
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import (
    EachOnceRouter,
    Reply,
    ScriptedOpenAI,
    StubAgent,
    scripted_openai_server,
)
from minerva_platform.validation.team_declarations import find_problems

ONE_KIND = pytest.mark.parametrize("store", ["sqlite"], indirect=True)
"""For what the kind of the database does not change; `test_decisions` is about the ledger."""


def even(amount: int) -> int:
    """Accept an even amount; no JSON Schema can say that."""
    if amount % 2:
        message = "it is odd"
        raise ValueError(message)
    return amount


@dataclass
class Bank:
    """What a tool has paid."""

    paid: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])

    def tool(self) -> BaseTool:
        """Return the tool that pays."""

        @tool
        def pay(to: str, amount: Annotated[int, AfterValidator(even)]) -> str:
            """Pay an amount to somebody."""
            self.paid.append((to, amount))
            return f"paid {amount} to {to}"

        return pay


HITL = HumanInTheLoopMiddleware(interrupt_on={"pay": True}, interrupt_mode="per_call")


def payer(
    bank: Bank, url: str, *, middleware: Sequence[AgentMiddleware[Any, Any, Any]] = (HITL,)
) -> Any:
    """Return a worker made by `create_agent` whose every payment a person decides."""
    model = ChatOpenAI(base_url=url, api_key=SecretStr("none"), model="m", max_retries=0)
    graph: Any = create_agent(model, tools=[bank.tool()], middleware=middleware)
    return agent_from_graph(graph, name="payer", description="Pays.", examples=["pay Kim 10"])


def platform_of(*members: Any) -> Team:
    """Return a team whose one team has these members."""
    finance = Team(name="finance", description="…", members=members, router=EachOnceRouter())
    return Team(name="platform", description="…", members=[finance], router=EachOnceRouter())


@contextmanager
def scripted(*calls: tuple[str, dict[str, Any]]) -> Generator[ScriptedOpenAI]:
    """Give a model that makes these calls at once, then says that it is done."""
    script = [Reply(tool_calls=calls), Reply(text="all done")]
    with scripted_openai_server(script) as server:
        yield server


async def asked(team: Team, options: RunOptions) -> Run:
    """Return the run that waits."""
    run = await run_team(team.assembled, Task(request="pay Kim 10"), options)
    assert run.status == "needs_human"
    return run


EDIT = {"type": "edit", "edited_action": {"name": "pay", "args": {"to": "Lee", "amount": 4}}}
DECISIONS: list[tuple[Any, list[tuple[str, int]], str]] = [
    ("approve", [("Kim", 10)], "paid 10 to Kim"),
    (EDIT, [("Lee", 4)], "paid 4 to Lee"),
    ({"type": "reject", "message": "too much"}, [], "too much"),
    ({"type": "respond", "message": "paid by hand"}, [], "paid by hand"),
]


@pytest.mark.small(4)
@pytest.mark.slow
@pytest.mark.parametrize(("decision", "paid", "heard"), DECISIONS)
async def test_a_person_decides_about_a_tool_of_create_agent(
    store: Store, minerva_home: Path, decision: Any, paid: list[tuple[str, int]], heard: str
) -> None:
    """At depth two, by a model over HTTP: the tool runs as decided, and the model hears of it."""
    bank = Bank()
    with scripted(("pay", {"to": "Kim", "amount": 10})) as server, store.opened() as engine:
        team = platform_of(payer(bank, server.url))
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        run = await asked(team, options)
        (question,) = run.interrupts
        assert (question.kind, question.tool) == ("tool", "pay")
        assert question.arguments == {"to": "Kim", "amount": 10}
        assert question.path == "platform/finance/payer"
        assert question.allowed == ("approve", "edit", "reject", "respond")
        assert question.answer_schema is not None
        assert question.answer_schema["additionalProperties"] is False
        assert bank.paid == []

        ended = await resume_team(
            team.assembled, run.run_id, DecisionBatch({question.id: decision}), options
        )

        assert (ended.status, ended.answer) == ("ok", "all done")
        assert bank.paid == paid
        assert heard in server.calls[-1].prompt


@ONE_KIND
async def test_two_calls_of_one_turn_are_decided_one_by_one(
    store: Store, minerva_home: Path
) -> None:
    """What was approved first runs once, though the worker goes on only when both are decided."""
    bank, calls = Bank(), [("pay", {"to": name, "amount": 2}) for name in ("Kim", "Lee")]
    with scripted(*calls) as server, store.opened() as engine:
        team = platform_of(payer(bank, server.url))
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        run = await asked(team, options)
        by_name = {question.arguments["to"]: question.id for question in run.interrupts}
        assert by_name.keys() == {"Kim", "Lee"}

        run = await resume_team(
            team.assembled, run.run_id, DecisionBatch({by_name["Lee"]: "approve"}), options
        )
        assert run.status == "needs_human"
        assert [question.id for question in run.interrupts] == [by_name["Kim"]]
        run = await resume_team(
            team.assembled, run.run_id, DecisionBatch({by_name["Kim"]: "reject"}), options
        )

        assert run.status == "ok"
        assert bank.paid == [("Lee", 2)]
        assert len(server.calls) == 2


@ONE_KIND
async def test_an_edit_with_an_argument_too_many_is_refused_before_anything_runs(
    store: Store, minerva_home: Path
) -> None:
    """LangChain itself would drop it without a word."""
    bank = Bank()
    with scripted(("pay", {"to": "Kim", "amount": 10})) as server, store.opened() as engine:
        team = platform_of(payer(bank, server.url))
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        run = await asked(team, options)
        args = {"to": "Kim", "amount": 10, "ammount": 4}
        edit = {"type": "edit", "edited_action": {"name": "pay", "args": args}}

        with pytest.raises(InvalidDecisionError, match="'ammount' was unexpected"):
            await resume_team(
                team.assembled, run.run_id, DecisionBatch({run.interrupts[0].id: edit}), options
            )
        assert bank.paid == []


@pytest.mark.small(1)
async def test_what_only_the_tool_refuses_is_asked_anew_with_the_reason(
    store: Store, minerva_home: Path
) -> None:
    """Under a new id, as often as it takes; its neighbour, decided with it, runs once."""
    bank, calls = Bank(), [("pay", {"to": name, "amount": 2}) for name in ("Kim", "Lee")]
    with scripted(*calls) as server, store.opened() as engine:
        team = platform_of(payer(bank, server.url))
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        run = await asked(team, options)
        by_name = {question.arguments["to"]: question.id for question in run.interrupts}
        odd = {"type": "edit", "edited_action": {"name": "pay", "args": {"to": "Kim", "amount": 3}}}

        batch = DecisionBatch({by_name["Kim"]: odd, by_name["Lee"]: "approve"})
        run = await resume_team(team.assembled, run.run_id, batch, options)
        (again,) = run.interrupts
        assert again.id == f"{by_name['Kim']}.2"
        assert "it is odd" in again.refused
        assert again.arguments == {"to": "Kim", "amount": 2}
        assert again.allowed == ("approve", "edit", "reject", "respond")
        assert bank.paid == [("Lee", 2)]

        run = await resume_team(team.assembled, run.run_id, DecisionBatch({again.id: odd}), options)
        (again,) = run.interrupts
        assert again.id == f"{by_name['Kim']}.3"

        run = await resume_team(
            team.assembled, run.run_id, DecisionBatch({again.id: "approve"}), options
        )
        assert run.status == "ok"
        assert bank.paid == [("Lee", 2), ("Kim", 2)]


@ONE_KIND
async def test_a_batched_middleware_can_be_decided_too(store: Store, minerva_home: Path) -> None:
    """Several calls in one question are approved or rejected together."""
    bank, calls = Bank(), [("pay", {"to": name, "amount": 2}) for name in ("Kim", "Lee")]
    batched = HumanInTheLoopMiddleware(interrupt_on={"pay": True})
    with scripted(*calls) as server, store.opened() as engine:
        team = platform_of(payer(bank, server.url, middleware=(batched,)))
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        run = await asked(team, options)
        (question,) = run.interrupts
        assert question.allowed == ("approve", "reject")
        assert question.arguments == {
            "1. pay": {"to": "Kim", "amount": 2},
            "2. pay": {"to": "Lee", "amount": 2},
        }

        await resume_team(
            team.assembled, run.run_id, DecisionBatch({question.id: "approve"}), options
        )
        assert sorted(bank.paid) == [("Kim", 2), ("Lee", 2)]


class Trip(BaseModel):
    """An answer of several fields."""

    city: Literal["Seoul", "Busan"]
    nights: Annotated[int, AfterValidator(even)] = 2


def asker(answer: Any, **more: Any) -> StubAgent:
    """Return a worker that asks a person and says what it heard."""

    def work(_: Any) -> dict[str, str]:
        try:
            heard = ask_person("Where to?", answer=answer, **more)
        except RejectedError as error:
            return {"summary": f"rejected: {error.message}"}
        return {"summary": f"heard {heard!r}"}

    return StubAgent("asker", behave=work)


ANSWERS: list[tuple[Any, Any, str]] = [
    (str, {"type": "respond", "value": "Jeju"}, "heard 'Jeju'"),
    (str, {"type": "respond", "message": "Jeju"}, "heard 'Jeju'"),
    (bool, {"type": "respond", "value": False}, "heard False"),
    (Trip, {"type": "respond", "value": {"city": "Seoul"}}, "heard Trip(city='Seoul', nights=2)"),
    ({"enum": [1, 2]}, {"type": "respond", "value": 2}, "heard 2"),
    (str, {"type": "reject", "message": "nowhere"}, "rejected: nowhere"),
    (str, "reject", "rejected: "),
]


@pytest.mark.small(4)
@ONE_KIND
@pytest.mark.parametrize(("answer", "decision", "heard"), ANSWERS)
async def test_a_worker_asks_a_person(
    store: Store, minerva_home: Path, answer: Any, decision: Any, heard: str
) -> None:
    """By a type, a model or a JSON Schema; a rejection is an exception that it may catch."""
    with store.opened() as engine:
        team, options = (
            platform_of(asker(answer, details={"budget": 3})),
            RunOptions(engine=engine, home=minerva_home, thread_id="t"),
        )
        run = await asked(team, options)
        (question,) = run.interrupts
        assert (question.kind, question.text, question.arguments) == (
            "question",
            "Where to?",
            {"budget": 3},
        )

        run = await resume_team(
            team.assembled, run.run_id, DecisionBatch({question.id: decision}), options
        )
        assert (run.status, run.answer) == ("ok", heard)


@ONE_KIND
async def test_an_answer_that_a_validator_refuses_is_asked_for_again(
    store: Store, minerva_home: Path
) -> None:
    """What no schema can say is said by the worker's own model, in a new question."""
    with store.opened() as engine:
        team = platform_of(asker(Trip))
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        run = await asked(team, options)
        (first,) = run.interrupts
        with pytest.raises(InvalidDecisionError, match="at `city` cannot be taken"):
            await respond(team, run, options, first, {"city": "Paris"})

        run = await respond(team, run, options, first, {"city": "Seoul", "nights": 3})
        (again,) = run.interrupts
        assert again.id != first.id
        assert "it is odd" in again.refused

        run = await respond(team, run, options, again, {"city": "Busan", "nights": 4})
        assert run.answer == "heard Trip(city='Busan', nights=4)"


@ONE_KIND
async def test_a_plain_interrupt_with_a_model_is_asked_again_too(
    store: Store, minerva_home: Path
) -> None:
    """LangGraph's own `interrupt(value, response_schema=…)`, whose refusal it raises."""

    def work(_: Any) -> dict[str, str]:
        return {"summary": repr(interrupt({"question": "Where to?"}, response_schema=Trip))}

    with store.opened() as engine:
        team = platform_of(StubAgent("asker", behave=work))
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        run = await asked(team, options)
        (first,) = run.interrupts
        run = await respond(team, run, options, first, {"city": "Seoul", "nights": 3})
        (again,) = run.interrupts
        assert (again.id, "it is odd" in again.refused) == (f"{first.id}.2", True)
        run = await respond(team, run, options, again, {"city": "Seoul", "nights": 6})
        assert run.answer == "Trip(city='Seoul', nights=6)"


async def respond(
    team: Team, run: Run, options: RunOptions, question: Interrupt, value: Any
) -> Run:
    """Answer a question."""
    decision = {"type": "respond", "value": value}
    return await resume_team(
        team.assembled, run.run_id, DecisionBatch({question.id: decision}), options
    )


@pytest.mark.small(databases=1)
async def test_a_question_that_nobody_decides_in_time_is_rejected(
    store: Store, minerva_home: Path
) -> None:
    """By whoever touches the run first; what comes later changes nothing."""
    with store.opened() as engine:
        team = platform_of(asker(str, expires_in=1e-6))
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        run = await asked(team, options)
        (question,) = run.interrupts

        with pytest.raises(ExpiredInterruptError):
            await respond(team, run, options, question, "Jeju")
        ended = await advance(team.assembled, run.run_id, options)
        assert (ended.status, ended.answer) == ("ok", "rejected: Nobody decided in time.")


def test_a_program_around_a_team_answers_with_the_bare_value() -> None:
    """LangGraph's own `Command(resume=…)` in a host's graph; the question is plain JSON there."""
    team = Team(name="t", description="…", members=[asker(bool)], router=EachOnceRouter())
    graph = as_graph(team, checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "host"}}
    paused = graph.invoke({"request": "go"}, config)
    (pause,) = paused["__interrupt__"]
    assert pause.value["text"] == "Where to?"

    assert graph.invoke(Command(resume=True), config)["answer"] == "heard True"


def whole(_: Any) -> dict[str, str]:
    """Ask for a number, by a type."""
    return {"summary": f"got {ask_person('How much?', answer=int)!r}"}


def by_schema(_: Any) -> dict[str, str]:
    """Ask for a number, by a JSON Schema."""
    return {"summary": f"got {ask_person('How much?', answer={'type': 'integer'})!r}"}


def words(_: Any) -> dict[str, str]:
    """Ask for a text."""
    return {"summary": f"got {ask_person('Who?')!r}"}


def payment(_: Any) -> dict[str, str]:
    """Ask whether a payment may be done."""
    done = ask_approval("Pay?", tool="pay", arguments={"amount": 9})
    return {"summary": f"paid {done['amount']}"}


REJECT = {"type": "reject", "message": "no"}
LESS = {"type": "edit", "edited_action": {"name": "pay", "args": {"amount": 1}}}
REJECTED = "A person rejected it: no"
RESUMED: list[tuple[Any, Any, str]] = [
    (whole, 5, "got 5"),
    (whole, "5", "got 5"),
    (whole, {"type": "respond", "value": 5}, "got 5"),
    (whole, REJECT, REJECTED),
    (by_schema, 5, "got 5"),
    (by_schema, REJECT, REJECTED),
    (words, "reject", "got 'reject'"),
    (words, REJECT, REJECTED),
    (words, {"type": "respond", "message": "Kim"}, "got 'Kim'"),
    (payment, "approve", "paid 9"),
    (payment, True, "paid 9"),
    (payment, LESS, "paid 1"),
    (payment, {"decisions": [LESS]}, "paid 1"),
    (payment, REJECT, REJECTED),
    (payment, "reject", "A person rejected it."),
    (payment, False, "A person rejected it."),
]


def hosted(behave: Any) -> Any:
    """Return a function that resumes a host's graph in which a worker has asked."""
    member = StubAgent("asker", behave=behave)
    team = Team(name="t", description="…", members=[member], router=EachOnceRouter())
    graph = as_graph(team, checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "host"}}
    graph.invoke({"request": "go"}, config)
    return lambda resume: graph.invoke(Command(resume=resume), config)


@pytest.mark.small(8)
@pytest.mark.parametrize(("behave", "resume", "heard"), RESUMED)
def test_a_program_around_a_team_decides(behave: Any, resume: Any, heard: str) -> None:
    """By a decision as `Team.resume` takes it, or by the bare answer."""
    done = hosted(behave)(resume)

    assert "__interrupt__" not in done
    causes = " ".join(entry["cause"] for entry in done["bypassed"])
    assert heard in (causes or done["answer"])


REFUSED: list[tuple[Any, Any, str]] = [
    (whole, {"type": "approve"}, "the type `approve` may not be decided here. Allowed: `reject`"),
    (whole, {"type": "respond", "value": "x"}, "'x' is not of type 'integer'"),
    (whole, "x", "valid integer"),
    (by_schema, "foo", "'foo' is not of type 'integer'"),
    (by_schema, {"type": "other"}, "is not of type 'integer'"),
    (payment, {"amount": 1}, "may not be decided here. Allowed: `approve`, `edit`, `reject`"),
    (payment, {"type": "respond", "value": True}, "the type `respond` may not be decided here"),
    (payment, {**LESS, "edited_action": {"name": "sell", "args": {}}}, "may not call `sell`"),
    (payment, 7, "a decision is a JSON object"),
]


@pytest.mark.parametrize(("behave", "resume", "reason"), REFUSED)
def test_what_does_not_fit_is_asked_again(behave: Any, resume: Any, reason: str) -> None:
    """With the reason; the answer after it counts."""
    resumed = hosted(behave)
    (question,) = resumed(resume)["__interrupt__"]

    assert reason in question.value["refused"]
    fits = "approve" if behave is payment else 5
    assert resumed(fits)["answer"] == ("paid 9" if behave is payment else "got 5")


class Wrapping(BaseAgent[AgentInput, AgentOutput]):
    """A worker with an agent of LangChain as one of its nodes."""

    name = "wrapping"
    description = "…"
    examples = ("pay",)

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner

    def build_graph(self) -> Any:
        """Return a graph around it."""
        builder = StateGraph(MessagesAndSummary)
        builder.add_node("inner", self.inner)
        builder.add_edge(START, "inner")
        return builder

    def input_to_state(self, payload: AgentInput) -> dict[str, Any]:
        """Return the first state."""
        return {"messages": [("user", payload.request)]}


class MessagesAndSummary(MessagesState):
    """What it exchanges."""

    summary: str


@pytest.mark.parametrize(
    ("middleware", "hidden_by"),
    [
        ((HITL, ToolRetryMiddleware(), ToolErrorMiddleware(on_error=lambda *_: "x")), ()),
        ((ToolRetryMiddleware(), HITL), ("ToolRetryMiddleware",)),
        (
            (ToolErrorMiddleware(on_error=lambda *_: "x"), ToolRetryMiddleware(), HITL),
            ("ToolErrorMiddleware", "ToolRetryMiddleware"),
        ),
    ],
)
def test_what_hides_a_wrong_answer_is_a_problem(
    middleware: Sequence[AgentMiddleware[Any, Any, Any]], hidden_by: tuple[str, ...]
) -> None:
    """`minerva check` names the middleware that must stand behind the person's."""
    worker = payer(Bank(), "http://127.0.0.1:9/v1", middleware=middleware)
    for member in (worker, Wrapping(worker.compiled_graph)):
        team = Team(name="finance", description="…", members=[member])

        found = [problem for problem in find_problems(team.assembled) if "Middleware" in problem]
        assert [problem.split("`")[3] for problem in found] == list(hidden_by)
        assert all("put `HumanInTheLoopMiddleware` first" in problem for problem in found)
