"""What a request costs with a model: calls, prompt characters and CPU, against plain LangGraph.

The work: one request that needs three teams in turn, two workers in each, a model call in each
worker and one for the final answer; eight workers are registered. The model is a scripted
server in a process of its own that answers at once, so what is left is the client's work. The
plain tree is written as LangGraph's tutorial on hierarchical teams writes it: a supervisor asks
the model for the next member until it says FINISH. Workers say the same texts on both sides.

"Plain" keeps nothing, and "plain, saver" keeps checkpoints by AsyncSqliteSaver. "Bare" records and
keeps nothing, "records" records every span, and the other rows keep all, too: the run, its turn,
its lease and its checkpoints, as `minerva` does.

The second table is of work that no plan can hold: free slots, then a booking of the first of them,
by two workers without a model. `plan` and `step` call both, too, but book what the request says.

    python tests/bench/model_calls.py
"""

import asyncio
import json
import multiprocessing
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypedDict

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command

from minerva_data.team import DataTeam
from minerva_governance.team import GovernanceTeam
from minerva_insilico.team import InsilicoTeam
from minerva_observability import NO_RECORDER, JsonlSink, Recorder
from minerva_platform import AgentInput, AgentOutput, BaseAgent, Model, Run, Task, Team, Turn
from minerva_platform.assembly.assemble import Defaults, assemble
from minerva_platform.config.router_spec import TOOL_SPECS, RouterName
from minerva_platform.durable.active_run import run_team
from minerva_platform.models import ModelSpec
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.opening import engine_in_loop
from minerva_platform.storage.ledger.run_start import NewRun, accepted
from minerva_platform.storage.ledger.threads import Conversation
from minerva_platform.storage.ledger.turn import KeptTurn
from minerva_platform.testing import (
    ModelCall,
    Reply,
    ScriptedRouter,
    StubAgent,
    scripted_openai_server,
)

ROUNDS = 20
WARM_UP = 4
CONCURRENT = 16
TEAMS: dict[str, tuple[BaseAgent[Any, Any], ...]] = {
    team.name: team.assembled.agents for team in (DataTeam(), InsilicoTeam(), GovernanceTeam())
}
"""Whose names, descriptions and examples the stand-in workers have."""
ASKED = {
    "data": {
        "retrieval_agent": "환자 식별 컬럼의 표준 약어와 도메인을 알려주고,",
        "post_processor_agent": "답변 표는 도메인 우선순위로 정렬해줘.",
    },
    "insilico": {
        "ast_parser_agent": "순환 import가 있는지 코드 구조를 분석해주고,",
        "docstring_agent": "문서화되지 않은 함수 목록을 뽑아줘.",
    },
    "governance": {
        "policy_agent": "개인정보 처리방침에 보유 기간이 어떻게 적혀 있는지 알려주고,",
        "compliance_agent": "이 CSV에 주민등록번호가 들어 있는지 점검해줘.",
    },
}
"""Two workers of each team, with their part of the request."""
REQUEST = " ".join(part for workers in ASKED.values() for part in workers.values())
ANSWER = "All three teams have done their part, as asked for, and nothing is left open."
ASKS_ALWAYS: tuple[RouterName, ...] = ("plan", "step", "tools", "dispatch")
"""Routers that ask the model about every request."""
WORKER_SYSTEM = "You are a worker of a team. Do your part of the request and say so in a sentence."
WORKER_TEXT = (
    "My part is done as it was asked for, and nothing of it is left open. I looked at everything "
    "that came with the request and found eleven entries that matter. Eight of them are clear and "
    "stand in the table with the place each was found at. Two more follow from a rule rather than "
    "from an entry, so the rule is named beside them and somebody should look at both before they "
    "are used. The last one could not be settled: its name is used in two senses, and choosing one "
    "would have been a guess. It is listed apart, with both readings and what would decide between "
    "them. Nothing was changed, and the same request gives the same answer again."
)
"""A paragraph, as a worker with a model answers; every later prompt of the plain tree holds it."""
FINAL_SYSTEM = "Answer the request in one sentence from what the members said."

TURNS = tuple(Turn(request=f"{REQUEST} ({number})", answer=WORKER_TEXT) for number in range(500))
"""A thousand messages that were said before."""

BOOKED = "book a slot with Kim"
SLOTS = "10:00 or 11:00"
"""What the worker `slots` answers."""

Once = Callable[[str], Awaitable[str]]


# ---- the model


def answer(call: ModelCall) -> Reply:
    """Route rightly, work and conclude, whoever asks."""
    name = call.schema_name
    if call.tools:
        return led(call)
    if name == "Synthesis":
        return Reply(json={"answer": ANSWER})
    if name.endswith("_plan"):
        members = members_of(name.removesuffix("_plan"))
        return Reply(json={"goals": [{"member": item, "request": part(item)} for item in members]})
    if name.endswith("_step"):
        left = [
            m for m in members_of(name.removesuffix("_step")) if f"- {m}: ok" not in call.prompt
        ]
        return Reply(json={"next": left[0] if left else "FINISH", "request": part(*left[:1])})
    if name == "Router":
        return Reply(json={"next": plain_next(call)})
    return Reply(text=ANSWER if FINAL_SYSTEM in call.prompt else WORKER_TEXT)


def led(call: ModelCall) -> Reply:
    """Lead by tools: call who is needed, and speak when they have answered."""
    offered = json.dumps(call.body["tools"])
    owner = next(o for o in ("platform", "office", *ASKED) if f'"{members_of(o)[0]}"' in offered)
    said = [
        json.loads(message["content"]) for message in call.messages if message["role"] == "tool"
    ]
    if owner != "office":
        wanted = [] if said else [(name, part(name)) for name in members_of(owner)]
    elif not said:
        wanted = [("slots", "find slots for Kim")]
    else:
        first, *_ = said[0]["answer"].split()
        wanted = [("booking", f"book {first} with Kim")] if len(said) == 1 else []
    if not wanted:
        return Reply(text=WORKER_TEXT if owner in ASKED else ANSWER)
    if call.tools[0] == "task":
        given = [("task", {"agent_name": name, "description": words}) for name, words in wanted]
        return Reply(tool_calls=given)
    return Reply(tool_calls=[(name, {"request": words}) for name, words in wanted])


def members_of(owner: str) -> list[str]:
    """Return whom a supervisor should call."""
    if owner == "office":
        return ["slots", "booking"]
    return list(ASKED) if owner == "platform" else list(ASKED[owner])


def part(member: str = "") -> str:
    """Return the words of the request that are a member's part."""
    if member in {"slots", "booking"}:
        return BOOKED
    if member in ASKED:
        return " ".join(ASKED[member].values())
    return next((parts[member] for parts in ASKED.values() if member in parts), "nothing")


def plain_next(call: ModelCall) -> str:
    """Return the next member of a plain supervisor, by the names of the messages it sends."""
    owner = next(team for team in ("platform", *ASKED) if f"Supervisor {team}:" in call.prompt)
    said = {message.get("name") for message in call.messages}
    return next((name for name in members_of(owner) if name not in said), "FINISH")


def serve(pipe: Connection) -> None:
    """Serve the model in this process; tell what it was asked when that is asked for."""
    with scripted_openai_server(answer) as server:
        pipe.send(server.url)
        while pipe.recv() == "count":
            pipe.send((len(server.calls), sum(call.prompt_chars for call in server.calls)))
            server.calls.clear()


# ---- the plain tree, as the tutorial writes it


class PlainState(MessagesState):
    """Messages and the supervisor's choice."""

    next: str


def plain_level(owner: str, llm: Any, members: dict[str, Any]) -> StateGraph[Any, Any, Any, Any]:
    """Return the graph of one supervisor that asks the model for each next member."""
    names = list(members)
    system = (
        f"Supervisor {owner}: you are tasked with managing a conversation between the following "
        f"workers: {names}. Given the following user request, respond with the worker to act next. "
        "Each worker will perform a task and respond with their results and status. When finished, "
        "respond with FINISH."
    )
    options: Any = Literal[(*names, "FINISH")]  # pyright: ignore[reportInvalidTypeForm]  # made now

    class Router(TypedDict):
        """Worker to route to next. If no workers needed, route to FINISH."""

        next: options  # pyright: ignore[reportInvalidTypeForm]  # made now

    structured = llm.with_structured_output(Router, method="json_schema")

    async def supervise(state: PlainState) -> Command[Any]:
        response = await structured.ainvoke([("system", system), *state["messages"]])
        goto = END if response["next"] == "FINISH" else response["next"]
        return Command(goto=goto, update={"next": goto})

    builder: StateGraph[Any, Any, Any, Any] = StateGraph(PlainState)
    node: Any = supervise
    builder.add_node("supervisor", node, destinations=(*names, END))
    builder.add_edge(START, "supervisor")
    for name, member in members.items():
        builder.add_node(name, member)
        builder.add_edge(name, "supervisor")
    return builder


def plain_worker(name: str, llm: Any) -> Any:
    """Return a worker as the tutorial makes it: an agent that is given the conversation."""
    agent: Any = create_agent(llm, [], system_prompt=WORKER_SYSTEM)

    async def work(state: PlainState) -> dict[str, Any]:
        final = await agent.ainvoke({"messages": state["messages"]})
        said = final["messages"][-1].content
        return {"messages": [HumanMessage(content=said, name=name)]}

    return work


def plain_team(name: str, llm: Any, before: int) -> Any:
    """Return a node that calls a team and answers with its last message.

    The team gets the request alone; `before` messages of the conversation stand before it.
    """
    members = {agent.name: plain_worker(agent.name, llm) for agent in TEAMS[name]}
    graph = plain_level(name, llm, members).compile()

    async def call(state: PlainState) -> dict[str, Any]:
        final = await graph.ainvoke({"messages": [state["messages"][before]]})
        return {"messages": [HumanMessage(content=final["messages"][-1].content, name=name)]}

    return call


def plain_tree(url: str, checkpointer: Any, turns: Sequence[Turn] = ()) -> Once:
    """Return a function that runs the plain hierarchy once and returns the final answer."""
    llm: Any = ChatOpenAI(model="scripted", base_url=url, api_key=lambda: "none")
    earlier = [
        message
        for turn in turns
        for message in (HumanMessage(turn.request), AIMessage(turn.answer))
    ]
    teams = {name: plain_team(name, llm, len(earlier)) for name in TEAMS}
    graph = plain_level("platform", llm, teams).compile(checkpointer=checkpointer)

    async def once(thread_id: str) -> str:
        config: Any = {"configurable": {"thread_id": thread_id}}
        final = await graph.ainvoke({"messages": [*earlier, HumanMessage(REQUEST)]}, config)
        said = await llm.ainvoke([("system", FINAL_SYSTEM), *final["messages"]])
        return str(said.content)

    return once


# ---- the same tree in MINERVA


class WorkerState(TypedDict, total=False):
    """The state of a worker."""

    request: str
    summary: str


class Worker(BaseAgent[AgentInput, AgentOutput]):
    """A worker that makes one call of the model."""

    def __init__(self, name: str, description: str, examples: Sequence[str]) -> None:
        self.name, self.description, self.examples = name, description, examples

    def build_graph(self) -> StateGraph[Any, Any, Any, Any]:
        """Return a graph of one node."""
        builder: StateGraph[Any, Any, Any, Any] = StateGraph(WorkerState)
        builder.add_node("answer", self.answer)
        builder.add_edge(START, "answer")
        return builder

    async def answer(self, state: WorkerState) -> WorkerState:
        """Ask the model to do the part."""
        assert self.model is not None
        return {"summary": await self.model.text(state.get("request", ""), system=WORKER_SYSTEM)}


def minerva_tree(  # each is a thing that is varied
    url: str,
    engine: Engine | None,
    recorder: Recorder,
    router: RouterName,
    *,
    padding: int = 0,
    conversation: Conversation | None = None,
) -> Once:
    """Return a function that runs the MINERVA tree once, and keeps all by `engine` if there is one.

    There are `padding` members more at each level; with `conversation` each run is its next turn.
    """
    teams = [
        Team(
            name=name,
            description=f"Takes care of {name}.",
            members=[
                *(Worker(item.name, item.description, item.examples) for item in workers),
                *idle(f"{name}_worker", padding),
            ],
        )
        for name, workers in TEAMS.items()
    ]
    more = [
        Team(
            name=f"idle{n}",
            description="Idle.",
            members=idle(f"idle{n}_worker", padding + 3),
            router=ScriptedRouter(),  # never asked: training it would only take time
        )
        for n in range(padding)
    ]
    platform = Team(name="platform", description="All.", members=[*teams, *more])
    spec = ModelSpec(name="openai:scripted", base_url=url)
    platform.finish_mode = "synthesise"
    led = assemble(platform, Defaults(model=Model(spec), router=router))
    led.prepare()

    async def once(thread_id: str) -> str:
        thread_id = thread_id if conversation is None else conversation.thread_id
        options = RunOptions(recorder=recorder, engine=engine, thread_id=thread_id)
        run = await run_team(led, Task(request=REQUEST), options)
        assert (run.status, len(run.hops)) == ("ok", 6), run
        return run.answer

    return once


def booking_tree(url: str, router: RouterName) -> Once:
    """Return a function that finds slots and books one of them."""
    slots = StubAgent("slots", behave=lambda _: {"summary": SLOTS})
    booking = StubAgent("booking", behave=lambda given: {"summary": f"did: {given.request}"})
    team = Team(name="office", description="…", members=[slots, booking])
    model = Model(ModelSpec(name="openai:scripted", base_url=url))
    led = assemble(team, Defaults(model=model, router=router))
    led.prepare()
    is_led = router in TOOL_SPECS

    async def once(_: str) -> str:
        run = await run_team(led, Task(request=BOOKED), RunOptions())
        assert (run.status, len(run.hops)) == ("ok", 2), run
        booked = booking.calls[-1].request
        assert booked == ("book 10:00 with Kim" if is_led else BOOKED), booked
        return ANSWER

    return once


def idle(prefix: str, count: int) -> list[Worker]:
    """Return registered workers that nobody asks."""
    examples = ("tune the piano", "water the garden", "bake the bread")
    return [
        Worker(f"{prefix}{n}", "Keeps house.", [f"{text} in house {n}" for text in examples])
        for n in range(count)
    ]


# ---- measuring


async def cpu_ms(once: Once, thread_id: str) -> float:
    """Return the CPU milliseconds of one run."""
    started = time.process_time()
    said = await once(thread_id)
    spent = (time.process_time() - started) * 1000
    assert said == ANSWER, said
    return spent


Rounds = list[dict[str, float]]


async def measured(
    subjects: dict[str, Once], *, rounds: int = ROUNDS, warm_up: int = WARM_UP
) -> Rounds:
    """Run the subjects in turn; return the ms of each in each round."""
    rows: Rounds = []
    for turn in range(rounds + warm_up):
        stamp = time.time_ns()
        rows.append({name: await cpu_ms(run, f"{name}-{stamp}") for name, run in subjects.items()})
        if turn < warm_up:
            rows.clear()
    return rows


def median(rows: Rounds, name: str, base: str | None = None) -> float:
    """Return the median ms of a subject, or of its ratio to `base` in the same round."""
    return statistics.median(row[name] / (row[base] if base else 1) for row in rows)


async def runs_per_second(once: Once) -> float:
    """Return how many runs end in a second while `CONCURRENT` go on at once."""
    gate, count = asyncio.Semaphore(CONCURRENT), CONCURRENT * 4

    async def one(number: int) -> None:
        async with gate:
            await once(f"c{time.time_ns()}-{number}")

    started = time.perf_counter()
    await asyncio.gather(*(one(number) for number in range(count)))
    return count / (time.perf_counter() - started)


async def keep(thread: Conversation, turn: KeptTurn) -> None:
    """Add a turn that was asked before."""
    assert isinstance(thread.database, Engine)
    new = NewRun(turn.run_id, thread.thread_id, "platform", Task(request=turn.request))
    async with accepted(thread.database, new, seconds=30) as run:
        run.end(Run(run_id=turn.run_id, thread_id=thread.thread_id, status="ok"), turn)


async def counted(once: Once, name: str, pipe: Connection) -> tuple[int, int]:
    """Return the model calls and the prompt characters of one run."""
    assert await once(f"count-{name}") == ANSWER
    pipe.send("count")
    calls, characters = pipe.recv()
    return calls, characters


async def compare(folder: Path, url: str, pipe: Connection) -> None:
    """Measure every subject and print the table."""
    async with AsyncExitStack() as stack:
        recorder = JsonlSink(folder / "runs.jsonl")
        stack.callback(recorder.close)
        plain_db = AsyncSqliteSaver.from_conn_string(str(folder / "plain.db"))
        plain_saver = await stack.enter_async_context(plain_db)
        engine = await stack.enter_async_context(engine_in_loop(folder / "state.db"))
        subjects = {
            "plain": plain_tree(url, None),
            "plain, saver": plain_tree(url, plain_saver),
            "embedded, bare": minerva_tree(url, None, NO_RECORDER, "embedded"),
            "embedded, records": minerva_tree(url, None, recorder, "embedded"),
        }
        routers: tuple[RouterName, ...] = ("embedded", "cascade", *ASKS_ALWAYS)
        subjects |= {name: minerva_tree(url, engine, recorder, name) for name in routers}
        large = minerva_tree(url, engine, recorder, "embedded", padding=27)
        subjects["embedded, 30x30"] = large
        long = Conversation(engine, "long")
        for number, turn in enumerate(TURNS):
            run_id = f"before-{number}"
            kept = KeptTurn(**turn.model_dump(), topic=turn.request, run_id=run_id, status="ok")
            await keep(long, kept)
        longer = {
            "plain, saver": plain_tree(url, plain_saver, TURNS),
            "embedded": minerva_tree(url, engine, recorder, "embedded", conversation=long),
            "plan": minerva_tree(url, engine, recorder, "plan", conversation=long),
        }
        booked = {name: booking_tree(url, name) for name in ASKS_ALWAYS}
        asked = {name: await counted(once, name, pipe) for name, once in subjects.items()}
        asked_to_book = {name: await counted(once, name, pipe) for name, once in booked.items()}
        found = await measured(subjects)
        talked = await measured(longer, rounds=3, warm_up=1)
        rated = [name for name in subjects if "30x30" not in name]
        speed = {name: await runs_per_second(subjects[name]) for name in rated}
    chars = asked["plain"][1]
    print(
        "                      calls   prompt characters     CPU ms a run  of plain  of bare",
        end="",
    )
    print("    runs/s, 16 at once")
    for name in subjects:
        calls, prompt = asked[name]
        rate = f"{speed[name]:>8.1f}{speed[name] / speed['plain']:>7.2f}x" if name in speed else ""
        of_plain, of_bare = median(found, name, "plain"), median(found, name, "embedded, bare")
        print(
            f"{name:<20}{calls:>7}{prompt:>11}{prompt / chars:>7.2f}x"
            f"{median(found, name):>14.1f}{of_plain:>9.2f}x{of_bare:>8.2f}x{rate}"
        )
    print("\nslots, then a booking    calls   prompt characters")
    for name, (calls, prompt) in asked_to_book.items():
        print(f"{name:<23}{calls:>7}{prompt:>11}")
    print(f"\nafter {2 * len(TURNS):,} messages             CPU ms a run")
    for name in longer:
        ratio = median(talked, name, "plain, saver")
        print(f"{name:<34}{median(talked, name):>10.1f}{ratio:>7.3f}x")


def main() -> int:
    """Print the table; exit 0 (a benchmark reports, it does not judge)."""
    pipe, other = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(other,), daemon=True)
    process.start()
    with TemporaryDirectory() as folder:
        asyncio.run(compare(Path(folder), pipe.recv(), pipe))
    pipe.send("stop")
    process.join()
    return 0


if __name__ == "__main__":
    sys.exit(main())
