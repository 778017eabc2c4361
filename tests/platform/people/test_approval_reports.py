"""What users of other systems reported about approvals, one row each: does it happen here?

The numbers are those of the list of public reports in the documentation of the table below. A row
that another test shows names it; the others are shown here.
"""

import asyncio
import os
import signal
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from changing import KIM, Desk, now
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.pregel.remote import RemoteGraph
from langgraph.types import Command, interrupt
from langgraph_sdk import get_sync_client
from langgraph_sdk.errors import ConflictError, UnprocessableEntityError
from ledger import Store
from pydantic import SecretStr
from server import Wanted, serving
from typing_extensions import TypedDict

from minerva_platform import Run, Task, Team, ask_approval, ask_person
from minerva_platform.contract.run_object import DecisionBatch
from minerva_platform.contract.transfer import Transfer
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.incoming_request import ask_team
from minerva_platform.durable.run_continuation import resume_team
from minerva_platform.errors import RejectedError
from minerva_platform.langgraph import agent_from_graph, transfer_tools
from minerva_platform.routing import Network
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.ledger.decisions import decide
from minerva_platform.storage.ledger.questions import (
    KeptDecision,
    OpenQuestion,
    decisions_of,
    open_questions,
)
from minerva_platform.testing import EachOnceRouter, Reply, StubAgent, scripted_openai_server

SHOWN = "people/test_what_was_shown.py::"
REPORTS = {
    1: ("parallel questions share one id", "test_siblings_wait_apart"),
    2: ("RemoteGraph in a foreign graph asks for ever", "test_a_remote_graph_in_a_foreign_graph"),
    3: ("after one answer the siblings run again", "test_siblings_wait_apart"),
    4: (
        "only approve works",
        "people/test_approvals.py::test_a_person_decides_about_a_tool_of_create_agent",
    ),
    5: ("the approval is lost after one more step", "test_a_step_before_the_gated_call"),
    6: (
        "stale questions, results lost",
        SHOWN + "test_what_has_changed_is_asked_anew_and_only_that_is_done",
    ),
    7: ("one of N answers ends the run", "test_siblings_wait_apart"),
    8: (
        "the leader plans anew after an answer",
        "agents/test_members.py::test_a_pause_repeats_nothing_that_has_finished",
    ),
    9: (
        "no REST for it",
        "server/test_decisions_over_http.py::"
        "test_another_decision_under_the_id_of_a_batch_is_refused",
    ),
    10: (
        "a second round of questions fails",
        "durable/test_resume.py::test_a_worker_asks_several_times_in_a_row",
    ),
    11: (
        "a pause inside an agent used as a tool becomes an empty text",
        "agents/test_members.py::test_the_questions_of_one_answer_come_in_the_order_of_its_calls",
    ),
    12: (
        "the confirmation of a nested agent is not resumed",
        SHOWN + "test_what_has_not_changed_is_asked_once_and_done_as_shown",
    ),
    13: (
        "asked again after it was given",
        SHOWN + "test_what_has_not_changed_is_asked_once_and_done_as_shown",
    ),
    14: (
        "a nested flow restarts in silence",
        "durable/test_recovery.py::test_two_questions_in_two_teams_outlive_every_process",
    ),
    15: (
        "a suspended tool's state is gone after a deployment",
        "durable/test_resume.py::test_a_step_that_has_another_name_now_is_told",
    ),
    16: (
        "approval of one tool approves the next",
        "people/test_approvals.py::test_two_calls_of_one_turn_are_decided_one_by_one",
    ),
    17: ("a declined tool ran", "test_a_declined_tool_two_levels_down_never_runs"),
    18: (
        "the answer goes to a wrong id",
        "server/test_decisions_over_http.py::test_an_answer_to_a_wrong_id_decides_nothing",
    ),
    19: ("fails after a restart", "agents/test_members.py::test_a_pause_outlives_its_process"),
    20: ("a gated tool is skipped beside a hand-off", "test_the_question_beside_a_hand_off"),
    21: ("ids differ after a restart", "agents/test_members.py::test_a_pause_outlives_its_process"),
    22: (
        "an approval is consumed by another call of the same tool",
        SHOWN + "test_an_answer_that_was_used_before_is_no_answer_to_something_else",
    ),
    23: (
        "an interrupt in a parallel branch is lost",
        "durable/test_resume.py::test_a_failing_sibling_loses_no_question",
    ),
    24: (
        "an edited argument is ignored",
        "durable/test_agents_deeds.py::test_edited_arguments_are_what_is_done_once",
    ),
    25: (
        "a question about what was done does it again",
        "conversation/test_done_before.py::test_a_question_about_a_deed_is_answered_from_what_is_kept",
    ),
    26: ("the next turn returns to the first agent", "test_the_answer_reaches_who_asked"),
}
"""Each report's symptom, and the test that shows that it does not happen."""


@pytest.mark.parametrize("number", REPORTS)
def test_each_report_has_its_test(number: int) -> None:
    """The one that is named is there."""
    file, _, name = REPORTS[number][1].rpartition("::")
    path = Path(__file__).parents[1] / file if file else Path(__file__)
    assert f"def {name}(" in path.read_text(encoding="utf-8")


def team_of(*members: Any, router: Any = None, name: str = "office") -> Team:
    """Return a team of these members."""
    return Team(name=name, description="…", members=members, router=router or EachOnceRouter())


def options_of(engine: Any, home: Path) -> RunOptions:
    """Return the options of a run that is kept."""
    return RunOptions(engine=engine, home=home, thread_id="t")


async def answered(team: Team, run: Run, options: RunOptions, decision: Any, n: int = 0) -> Run:
    """Return the run after a decision about its question number `n`."""
    batch = DecisionBatch({run.interrupts[n].id: decision})
    return await resume_team(team.assembled, run.run_id, batch, options)


@pytest.mark.small(databases=1)
async def test_siblings_wait_apart(store: Store, minerva_home: Path) -> None:
    """Three ask at once: own ids, own answers, the others wait, and nobody starts three times."""
    starts = Counter[str]()

    def asker(name: str) -> StubAgent:
        def work(_: Any) -> dict[str, str]:
            starts[name] += 1
            return {"summary": f"{name} heard {ask_person(f'{name}?')}"}

        return StubAgent(name, behave=work)

    team = team_of(*map(asker, "abc"))
    with store.opened() as engine:
        options = options_of(engine, minerva_home)
        run = await run_team(team.assembled, Task(request="go"), options)
        first = {each.id: each.text for each in run.interrupts}
        assert len(first) == 3
        for left in (2, 1, 0):
            said = {"type": "respond", "value": run.interrupts[-1].text}
            run = await answered(team, run, options, said, n=-1)
            assert len(run.interrupts) == left
            assert {each.id: each.text for each in run.interrupts}.items() <= first.items()
    assert starts == {"a": 2, "b": 2, "c": 2}
    assert [f"{each} heard {each}?" in run.answer for each in "abc"] == [True] * 3


class _Asked(TypedDict, total=False):
    request: str
    answer: str


@contextmanager
def _host_of(
    home: Path, desk: Desk, *, is_nested: bool = False
) -> Generator[tuple[Any, Any, Any, Any]]:
    """Give a graph with a team behind HTTP as its node, its config, the client and the server."""
    team = team_of(StubAgent("payer", behave=desk.work), name="clerks")
    with serving(Wanted(home, teams=(team,))) as served, get_sync_client(url=served.url) as client:
        builder: Any = StateGraph(_Asked)
        builder.add_node("clerks", RemoteGraph("clerks", sync_client=client))
        builder.add_edge(START, "clerks")
        around: Any = StateGraph(_Asked)
        around.add_node("inner", builder.compile())
        around.add_edge(START, "inner")
        graph: Any = (around if is_nested else builder).compile(checkpointer=InMemorySaver())
        config: Any = {"configurable": {"thread_id": "00000000-0000-0000-0000-000000000001"}}
        yield graph, config, client, served


@pytest.mark.small(1)
@pytest.mark.parametrize(
    ("answer", "done"),
    [(True, 1), (False, 0), ({"type": "respond", "value": True}, 1)],
)
def test_a_remote_graph_in_a_foreign_graph(tmp_path: Path, answer: Any, done: int) -> None:
    """It pauses the graph around it, and its answer by the question's id counts, once.

    A bare value is not in what LangGraph's client sends: it is refused before a run begins.
    """
    desk = Desk(tmp_path)
    desk.asks(now(KIM, kind="plain"))
    nested = answer is True
    with _host_of(tmp_path / "home", desk, is_nested=nested) as (graph, config, client, served):
        (asked,) = graph.invoke({"request": "pay"}, config)["__interrupt__"]
        with pytest.raises(UnprocessableEntityError, match=r"Command\(resume=\{interrupt\.id"):
            graph.invoke(Command(resume=True), config)
        nothing: tuple[OpenQuestion, ...] = ()
        (waits,) = served.service.engine.read(open_questions, empty=nothing)
        assert (waits.interrupt.id, desk.done) == (asked.id, [])
        values = graph.invoke(Command(resume={asked.id: answer}), config)
        assert "__interrupt__" not in values
        assert ("Kim" in values["answer"], len(desk.done)) == (done == 1, done)
        assert len(client.runs.list(config["configurable"]["thread_id"])) == 1
        assert served.service.engine.read(open_questions, empty=nothing) == ()


def test_a_remote_graph_is_not_asked_twice(tmp_path: Path) -> None:
    """What was settled elsewhere is told there: the same answer, another one, and none."""
    desk = Desk(tmp_path)
    desk.asks(now(KIM, kind="plain"))
    with _host_of(tmp_path / "home", desk) as (graph, config, client, _):
        (asked,) = graph.invoke({"request": "pay"}, config)["__interrupt__"]
        thread_id = config["configurable"]["thread_id"]
        resume: Any = {"resume": {asked.id: {"type": "respond", "value": True}}}
        client.runs.wait(thread_id, "clerks", command=resume)
        with pytest.raises(ConflictError, match="decided"):
            graph.invoke(Command(resume={asked.id: False}), config)
        values = graph.invoke(None, config)
        assert ("Kim" in values["answer"], len(desk.done)) == (True, 1)
        assert len(client.runs.list(thread_id)) == 1


def test_a_remote_graph_after_a_question_of_the_graph_around_it(tmp_path: Path) -> None:
    """That graph goes on, and calls the node for the first time."""
    desk = Desk(tmp_path)
    desk.asks(now(KIM, kind="plain"))

    def wants(_: _Asked) -> _Asked:
        return {"request": interrupt("What?")}

    with _host_of(tmp_path / "home", desk) as (_, config, client, _):
        builder: Any = StateGraph(_Asked)
        builder.add_node("wants", wants)
        builder.add_node("clerks", RemoteGraph("clerks", sync_client=client))
        builder.add_edge(START, "wants")
        builder.add_edge("wants", "clerks")
        graph = builder.compile(checkpointer=InMemorySaver())
        graph.invoke({}, config)
        (asked,) = graph.invoke(Command(resume="pay"), config)["__interrupt__"]
        graph.invoke(Command(resume={asked.id: True}), config)
    assert len(desk.done) == 1


def paying(url: str, paid: list[Any], *more: Any) -> Any:
    """Return an agent of LangChain that asks a person before it pays."""

    @tool
    def pay(to: str, amount: int) -> str:
        """Pay an amount to somebody."""
        paid.append((to, amount))
        return f"paid {amount} to {to}"

    @tool
    def look_up(what: str) -> str:
        """Look something up."""
        return f"{what}: 12 pages"

    gated = HumanInTheLoopMiddleware(interrupt_on={"pay": True}, interrupt_mode="per_call")
    model = ChatOpenAI(base_url=url, api_key=SecretStr("none"), model="m", max_retries=0)
    graph: Any = create_agent(model, tools=[pay, look_up, *more], middleware=[gated])
    return agent_from_graph(graph, name="payer", description="Pays.", examples=["pay Kim 10"])


PAY = ("pay", {"to": "Kim", "amount": 10})


async def test_a_step_before_the_gated_call(minerva_home: Path) -> None:
    """The model looks something up first, and once more beside the call: asked once, paid once."""
    paid: list[Any] = []
    look = ("look_up", {"what": "Kim"})
    script = [Reply(tool_calls=[look]), Reply(tool_calls=[look, PAY]), Reply(text="done")]
    with scripted_openai_server(script) as server, opened_engine(minerva_home / "s.db") as engine:
        team, options = team_of(paying(server.url, paid)), options_of(engine, minerva_home)
        run = await run_team(team.assembled, Task(request="pay"), options)
        run = await answered(team, run, options, "approve")
    assert (run.status, paid, len(server.calls)) == ("ok", [("Kim", 10)], 3)


async def test_the_question_beside_a_hand_off(minerva_home: Path) -> None:
    """The model pays and passes control in one turn: the question comes first, then both happen."""
    paid: list[Any] = []
    transfer = ("transfer_to_legal", {"request": "check it"})
    script = [Reply(tool_calls=[transfer, PAY]), Reply(text="done")]
    legal = StubAgent("legal", behave=lambda _: {"summary": f"legal after {paid}"})
    with scripted_openai_server(script) as server, opened_engine(minerva_home / "s.db") as engine:
        router = Network(start="payer", peers={"payer": ("legal",)})
        payer = paying(server.url, paid, *transfer_tools("legal"))
        team, options = team_of(payer, legal, router=router), options_of(engine, minerva_home)
        run = await run_team(team.assembled, Task(request="pay"), options)
        assert [(each.tool, paid) for each in run.interrupts] == [("pay", [])]
        run = await answered(team, run, options, "approve")
    assert (run.status, paid) == ("ok", [("Kim", 10)])
    assert "legal after [('Kim', 10)]" in run.answer


def test_a_declined_tool_two_levels_down_never_runs(tmp_path: Path) -> None:
    """Declined, killed with that, restarted, declined again: it is done by nobody."""
    done, kills = tmp_path / "done", tmp_path / "kills"

    def work(_: Any) -> dict[str, str]:
        try:
            ask_approval("Delete it?", tool="delete", arguments={"page": 1})
        except RejectedError:
            if kills.exists():
                kills.unlink()
                os.kill(os.getpid(), signal.SIGKILL)
            raise
        done.write_text("deleted", encoding="utf-8")
        return {"summary": "deleted"}

    def team() -> Team:
        return team_of(team_of(team_of(StubAgent("wiki", behave=work)), name="b"), name="a")

    async def go(run_id: str | None) -> Run:
        with opened_engine(tmp_path / "s.db") as engine:
            options = options_of(engine, tmp_path)
            if run_id is None:
                return await run_team(team().assembled, Task(request="delete"), options)
            return await resume_team(team().assembled, run_id, DecisionBatch({}), options)

    waiting = asyncio.run(go(None))
    given = {waiting.interrupts[0].id: "reject"}
    with opened_engine(tmp_path / "s.db") as engine:
        decide(engine, waiting.run_id, given, by="ann", batch_id="b")
    kills.touch()
    child = os.fork()
    if child == 0:
        asyncio.run(go(waiting.run_id))
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    with opened_engine(tmp_path / "s.db") as engine:
        decide(engine, waiting.run_id, given, by="ann", batch_id="b")
    ended = asyncio.run(go(waiting.run_id))
    assert (ended.status, done.exists()) == ("failed", False)
    with opened_engine(tmp_path / "s.db") as engine:
        none: dict[str, KeptDecision] = {}
        kept = engine.read(lambda c: decisions_of(c, waiting.run_id), empty=none)
    assert [each.decision["type"] for each in kept.values()] == ["reject"]


async def test_the_answer_reaches_who_asked(minerva_home: Path) -> None:
    """In a network the one to whom control was passed asks; the next words are its answer."""
    calls: list[str] = []

    def front(_: Any) -> dict[str, Any]:
        calls.append("front")
        return {"summary": "", "transfers": (Transfer(to="back", request="pay"),)}

    def back(_: Any) -> dict[str, Any]:
        ask_approval("Pay?", tool="pay", arguments={"to": "Kim"})
        calls.append("back paid")
        return {"summary": "paid"}

    members = (StubAgent("front", behave=front), StubAgent("back", behave=back))
    team = team_of(*members, router=Network(start="front", peers={"front": ("back",)}))
    with opened_engine(minerva_home / "s.db") as engine:
        options = options_of(engine, minerva_home)
        waits = await ask_team(team.assembled, Task(request="pay Kim", context="pay Kim"), options)
        run = await ask_team(team.assembled, Task(request="yes", context="yes"), options)
    assert waits.interrupts[0].path == "office/back"
    assert (run.run_id, run.status, calls) == (waits.run_id, "ok", ["front", "back paid"])
