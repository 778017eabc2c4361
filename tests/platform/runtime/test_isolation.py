"""A worker in a process of its own can be ended whatever it does, and answers like any other."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import copies
import pytest
from langgraph.types import interrupt

from minerva_observability import MemorySink
from minerva_platform import BaseAgent, Citation, Model, Run, RunLimits, Task, Team
from minerva_platform.contract.values import StoredArtifact
from minerva_platform.durable.active_run import run_team
from minerva_platform.errors import ReportedError
from minerva_platform.models import ModelSpec
from minerva_platform.runtime.isolation.framing import (
    MAX_MESSAGE_BYTES,
    FrameError,
    Tag,
    areceive,
    pack,
)
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import EachOnceRouter, StubAgent
from minerva_platform.validation.team_declarations import find_problems

HERE = Path(__file__).parent


@pytest.fixture
def risky(monkeypatch: pytest.MonkeyPatch) -> BaseAgent[Any, Any]:
    """The worker of `isolated_workers.py`; its process is shared by these tests."""
    monkeypatch.syspath_prepend(str(HERE))
    agent: BaseAgent[Any, Any] = import_module("isolated_workers").RiskyAgent()
    return agent


async def ask(agent: BaseAgent[Any, Any], request: str, *, sink: MemorySink | None = None) -> Run:
    """Ask the worker, and a sibling in this process, in one run."""
    team = Team(
        name="t",
        description="…",
        members=[agent, StubAgent("sibling")],
        router=EachOnceRouter(),
        substitutes={},
    )
    options = RunOptions(recorder=sink or MemorySink(), limits=RunLimits(seconds=100))
    return await run_team(team.assembled, Task(request=request), options)


async def told(agent: BaseAgent[Any, Any]) -> dict[str, Any]:
    """Return what the worker sees around itself."""
    summary = (await agent.ainvoke({"request": "tell"}))["summary"]
    surroundings: dict[str, Any] = json.loads(summary)
    return surroundings


def until_gone(*pids: int) -> None:
    """Return once none of the processes runs; the hang guard is the only limit."""
    while any(is_running(pid) for pid in pids):
        time.sleep(0.01)


def is_running(pid: int) -> bool:
    """Tell whether a process is there and no zombie."""
    try:
        shown = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return False
    return shown.rpartition(")")[2].split()[0] != "Z"


def when_written(path: Path, is_over: Callable[[], object]) -> list[int]:
    """Return the process ids in `path` once they are there; who writes them may not be over."""
    while not (path.exists() and path.read_text()):
        assert not is_over()
        time.sleep(0.01)
    return [int(pid) for pid in path.read_text().split()]


async def test_everything_of_an_output_crosses(risky: BaseAgent[Any, Any]) -> None:
    """Summary, citation, artifact and hand-off come out as if the worker were in this process."""
    here = import_module("isolated_workers").RiskyAgent()
    type(here).isolation = "none"
    try:
        expected = await here.ainvoke({"request": "값을 알려 줘"})
    finally:
        type(here).isolation = "process"

    assert await risky.ainvoke({"request": "값을 알려 줘"}) == expected
    assert expected["finding"] == {"text": "값을 알려 줘"}


async def test_everything_of_an_input_crosses(risky: BaseAgent[Any, Any], tmp_path: Path) -> None:
    """A file goes by its path, a hand-off as it is."""
    file = tmp_path / "메모.txt"
    file.write_text("from the file")
    given = {"request": "both", "file": str(file), "note": {"text": "from another"}}

    assert (await risky.ainvoke(given))["summary"] == "from the file, from another"


async def test_a_worker_of_one_step_is_isolated_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its Input and Output cross as those of any worker."""
    monkeypatch.syspath_prepend(str(HERE))
    worker: BaseAgent[Any, Any] = import_module("isolated_workers").OneStepAgent()
    answer = await worker.ainvoke({"request": "done"})

    words, _, process = str(answer["summary"]).partition(" in ")
    assert words == "done"
    assert int(process) != os.getpid()


async def test_values_that_json_changes_cross_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways; what cannot cross is refused by field and type."""
    monkeypatch.syspath_prepend(str(HERE))
    workers = import_module("isolated_workers")
    agent = workers.ExactAgent()
    sent = workers.Exact(**workers.EXACT)

    output = await agent.arun(agent.Input(request="look", exact=sent))
    assert (output.summary, output.exact) == ("same: True", sent)
    with pytest.raises(
        ReportedError, match="`seen` of its Output holds a value of the type `module`"
    ):
        await agent.arun(agent.Input(request="module", exact=sent))


async def test_a_run_gets_artifacts_and_hand_offs(risky: BaseAgent[Any, Any]) -> None:
    """They are stored by this process, in the run's home."""
    run = await ask(risky, "one report please")

    assert (run.status, run.bypassed) == ("ok", ())
    assert "**one report please** — 네" in run.answer
    (artifact,) = run.artifacts
    assert content(artifact) == "# 보고서\n"


def content(artifact: StoredArtifact) -> str:
    """Return what was stored."""
    return Path(artifact.path).read_text(encoding="utf-8")


async def test_the_process_is_kept_for_the_next_call(risky: BaseAgent[Any, Any]) -> None:
    """Starting one costs a hundred times what a call does."""
    first, second = await told(risky), await told(risky)

    assert first["pid"] == second["pid"] != os.getpid()


async def test_a_process_in_which_something_goes_on_is_not_kept(
    risky: BaseAgent[Any, Any],
) -> None:
    """A node that nobody waits for any more would take the next call's time."""
    left = int((await risky.ainvoke({"request": "leave a thread"}))["summary"])
    await asyncio.to_thread(until_gone, left)

    assert (await told(risky))["pid"] != left


def test_event_loops_that_come_and_go_share_the_process(risky: BaseAgent[Any, Any]) -> None:
    """Each `invoke` has a loop of its own, and threads call at once: each gets its own answer."""
    answers: dict[str, str] = {}

    def call(request: str) -> None:
        answers[request] = risky.invoke({"request": request})["summary"]

    threads = [threading.Thread(target=call, args=(f"say {n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert answers == {f"say {n}": f"**say {n}** — 네" for n in range(6)}


async def test_a_call_that_is_called_off_while_it_waits_lets_the_others_on(
    risky: BaseAgent[Any, Any],
) -> None:
    """Whoever gives up in the queue may neither block it nor let two in."""
    calls = [asyncio.create_task(risky.ainvoke({"request": f"say {n}"})) for n in range(5)]
    await asyncio.sleep(0)
    calls[1].cancel()
    calls[3].cancel()
    done = await asyncio.gather(*calls, return_exceptions=True)

    summaries = [item["summary"] if isinstance(item, dict) else type(item) for item in done]
    cancelled = asyncio.CancelledError
    assert summaries == [
        "**say 0** — 네", cancelled, "**say 2** — 네", cancelled, "**say 4** — 네",
    ]  # fmt: skip


async def test_it_works_where_the_run_does(
    risky: BaseAgent[Any, Any],
    minerva_home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In its home, its folder and its environment, and as a group of its own."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    await told(risky)
    monkeypatch.setenv("ISOLATED_VARIABLE", "set later")
    seen = await told(risky)

    assert (seen["home"], seen["folder"]) == (str(minerva_home), str(folder))
    assert seen["variable"] == "set later"
    assert seen["stdin"] == ""
    assert seen["group"] == seen["pid"]


async def test_it_inherits_no_file_of_this_process(
    risky: BaseAgent[Any, Any], tmp_path: Path
) -> None:
    """An open database or a lock in another process would do harm there."""
    with (tmp_path / "state.db").open("w") as file:
        os.set_inheritable(file.fileno(), True)  # noqa: FBT003  # the signature is Python's
        seen = await told(risky)

    assert "-" not in seen["descriptors"]


async def test_its_spans_are_rows_of_the_run(risky: BaseAgent[Any, Any]) -> None:
    """They lie below the worker's own row, and with its self time make up the whole."""
    sink = MemorySink()
    await ask(risky, "two nodes please", sink=sink)
    rows = [row for row in sink.records if row.path == "t/risky"]
    (agent,) = (row for row in rows if row.kind == "agent")
    nodes = [row for row in rows if row.kind == "node"]
    waits = [row for row in rows if row.kind == "wait"]

    assert [(row.node, row.status, row.attempt) for row in nodes] == [
        ("begin", "ok", 1),
        ("work", "ok", 1),
    ]
    assert {(row.parent_id, row.run_id, row.thread_id, row.team) for row in nodes} == {
        (agent.span_id, agent.run_id, agent.thread_id, "t")
    }
    assert {row.reason for row in waits} <= {"process"}
    inside = sum(row.duration_ns for row in (*nodes, *waits))
    assert agent.self_ns + inside == agent.duration_ns


async def test_an_error_tells_class_text_and_place(risky: BaseAgent[Any, Any]) -> None:
    """The way to the line is not lost between two processes."""
    sink = MemorySink()
    run = await ask(risky, "raise it", sink=sink)
    (bypass,) = run.bypassed

    assert bypass.cause.startswith("LookupError: no table (isolated_workers.py:")
    (node,) = (row for row in sink.records if row.node == "work")
    assert (node.status, node.error and node.error["type"]) == ("failed", "LookupError")


async def test_an_effect_that_may_not_be_repeated_is_refused(risky: BaseAgent[Any, Any]) -> None:
    """Its process may be killed at any time, and nothing is kept there."""
    run = await ask(risky, "pay the orders of May")

    (entry,) = run.bypassed
    assert "`pay` is an effect that is once" in entry.cause
    assert 'not in a worker with `isolation = "process"`' in entry.cause


async def test_a_request_that_an_error_quotes_is_masked(risky: BaseAgent[Any, Any]) -> None:
    """The rules of this run's records hold for what another process says."""
    sink = MemorySink()
    run = await ask(risky, "quote the resident 850101-1234567", sink=sink)

    assert run.bypassed[0].cause.startswith("LookupError: [masked request] (")
    assert not any("850101" in str(row) for row in sink.records)


HELD = ["regex", "loop", "hold"]


@pytest.mark.small(1)
@pytest.mark.parametrize("request_", HELD)
async def test_what_holds_the_interpreter_is_killed_at_its_deadline(
    request_: str, risky: BaseAgent[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run ends, the sibling's answer is there, the process is gone, the next call works."""
    before = (await told(risky))["pid"]
    monkeypatch.setattr(risky, "timeout", 0.5)
    sink = MemorySink()
    run = await ask(risky, request_, sink=sink)
    await asyncio.to_thread(until_gone, before)
    monkeypatch.setattr(risky, "timeout", None)

    assert (run.status, run.bypassed[0].cause) == (
        "ok_degraded",
        "`t/risky` gave no answer within 0.5 s.",
    )
    assert "sibling answered" in run.answer
    assert [row.status for row in sink.records if row.kind == "agent"].count("timeout") == 1
    assert (await told(risky))["pid"] != before


async def test_the_run_s_own_deadline_kills_it_too(risky: BaseAgent[Any, Any]) -> None:
    """A worker without a limit has what is left of the run."""
    before = (await told(risky))["pid"]
    team = Team(name="t", description="…", members=[risky], router=EachOnceRouter())
    run = await run_team(
        team.assembled, Task(request="regex"), RunOptions(limits=RunLimits(seconds=0.5))
    )
    await asyncio.to_thread(until_gone, before)

    assert run.status == "failed"


async def test_what_it_has_started_ends_with_it(
    risky: BaseAgent[Any, Any], minerva_home: Path
) -> None:
    """A run that is called off takes the process along, and a program that ignores SIGTERM."""
    run = asyncio.create_task(ask(risky, "program"))
    pids = await asyncio.to_thread(when_written, minerva_home / "pids", run.done)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run

    await asyncio.to_thread(until_gone, pids[0], pids[2])


ENDINGS = {
    "exit": "The process of `t/risky` ended with exit code 3 before it answered.",
    "crash": "The process of `t/risky` was ended by SIGSEGV before it answered.",
    "exec": "The process of `t/risky` closed its channel before it answered "
    "(did it start another program?).",
    "garbage": "The process of `t/risky` sent b'what no frame' is the beginning of no message.",
    "end": "`risky` tried to end the process (sys.exit(4)).",
    "refuse": "못 찾음",
    "ask": "`risky` asks a person (interrupt), and a worker in a process of its own cannot wait "
    'for the answer; give it isolation = "none".',
    "surrogate": "`risky` broke its own contract: what it returned cannot be written as JSON: ",
    "model": "`unknown`, asked by `t/risky`: its worker runs in a process of its own; ",
}


@pytest.mark.parametrize("request_", ENDINGS)
async def test_however_it_fails_the_run_says_so(request_: str, risky: BaseAgent[Any, Any]) -> None:
    """One sentence for each end; the sibling's answer is there, and the next call works."""
    run = await ask(risky, request_)

    assert run.status == "ok_degraded"
    assert run.bypassed[0].cause.startswith(ENDINGS[request_])
    assert "sibling answered" in run.answer
    assert (await ask(risky, "once more please")).status == "ok"


async def test_a_worker_may_kill_the_server(
    risky: BaseAgent[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then it is killed from here, and the next call starts a new server."""
    before = await told(risky)
    monkeypatch.setattr(risky, "timeout", 1.0)
    run = await ask(risky, "server")
    await asyncio.to_thread(until_gone, before["pid"], before["server"])
    monkeypatch.setattr(risky, "timeout", None)

    assert run.status == "ok_degraded"
    assert (await told(risky))["server"] != before["server"]


async def test_large_outputs_are_cut_by_the_firewall(risky: BaseAgent[Any, Any]) -> None:
    """What crosses between processes is bounded as all that crosses a border."""
    run = await ask(risky, "large")

    assert "characters shown" in run.answer
    assert len(run.answer) < 100_000


async def test_a_message_that_is_too_large_is_not_even_read() -> None:
    """A frame's head is enough to refuse it."""
    here, there = socket.socketpair()
    with here, there:
        here.settimeout(0)
        there.sendall(pack(Tag.OUTPUT, b"")[:5] + (MAX_MESSAGE_BYTES + 1).to_bytes(8, "big"))
        with pytest.raises(FrameError, match="256 MiB may pass"):
            await areceive(here)
    with pytest.raises(FrameError, match="256 MiB may pass"):
        pack(Tag.OUTPUT, bytes(MAX_MESSAGE_BYTES + 1))


PROGRAM = """
import os, sys, threading
from isolated_workers import RiskyAgent

def main():
    print(RiskyAgent().invoke({"request": sys.argv[1]})["summary"])

main()
"""
"""A script without a guard against being imported."""


def test_a_program_that_ends_has_its_answer_and_nothing_outlives_it() -> None:
    """What the worker prints is no answer; no process and no warning is left, without stdin too."""
    script = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM, "print"],
        env={**os.environ, "PYTHONPATH": str(HERE)},
        text=True,
        capture_output=True,
        check=False,
        preexec_fn=lambda: os.close(0),
    )
    seen = json.loads(script.stdout)

    assert script.returncode == 0
    assert sorted(script.stderr.splitlines()) == ["noise from print", "noise from the descriptor"]
    until_gone(seen["pid"], seen["server"])


def test_nothing_outlives_a_program_that_is_killed(minerva_home: Path) -> None:
    """Not even a worker that holds the interpreter's lock, nor what it has started."""
    script = copies.Popen(
        [sys.executable, "-c", PROGRAM, "program"],
        env={**os.environ, "PYTHONPATH": str(HERE)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    pids = when_written(minerva_home / "pids", lambda: script.poll() is not None)
    script.kill()
    script.wait()

    until_gone(*pids)


def test_a_forked_process_has_processes_of_its_own(risky: BaseAgent[Any, Any]) -> None:
    """A server that forks its own workers (gunicorn) may have called one before."""
    first = json.loads(risky.invoke({"request": "tell"})["summary"])
    reading, writing = os.pipe()
    with warnings.catch_warnings():  # Python 3.12 warns of threads, which do nothing here
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        try:
            seen = json.loads(risky.invoke({"request": "tell"})["summary"])
            os.write(writing, json.dumps(seen).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        forked = json.loads(answer.read())
    os.waitpid(pid, 0)

    assert forked["server"] != first["server"]
    assert json.loads(risky.invoke({"request": "tell"})["summary"])["pid"] == first["pid"]
    until_gone(forked["pid"], forked["server"])


class Plain(StubAgent):
    """Could be isolated, but for what the tests do to it."""

    isolation = "process"

    def __init__(self, name: str = "plain") -> None:
        super().__init__(name)


class Asker(Plain):
    """Asks a person from a method of its own."""

    def _answer(self, state: Any) -> Any:
        return {"output": {"summary": f"{interrupt('May I?')}{state}"}}


class Helped(Plain):
    """Lets a model help."""

    async def _aanswer(self, state: Any) -> Any:
        return await self.assist("…", schema=Citation, instead=Citation(source=str(state)))


class Needy(Plain):
    """Cannot be made without an argument."""

    def __init__(self, name: str) -> None:
        super().__init__(name)


def given_a_model() -> BaseAgent[Any, Any]:
    """Return a worker that configuration has given a model."""
    agent = Plain()
    agent.model = Model(ModelSpec(name="openai:m"))
    return agent


def given_a_shelf() -> BaseAgent[Any, Any]:
    """Return a worker that its team has given something."""
    agent: Any = Plain()
    agent.shelf = {}
    return cast("BaseAgent[Any, Any]", agent)


def of_a_function() -> BaseAgent[Any, Any]:
    """Return a worker whose class is inside of a function."""

    class Inner(Plain):
        pass

    return Inner()


def of_the_script() -> BaseAgent[Any, Any]:
    """Return a worker as a script defines it."""
    agent: Any = type("Scripted", (Plain,), {"__module__": "__main__"})()
    return cast("BaseAgent[Any, Any]", agent)


def misspelled() -> BaseAgent[Any, Any]:
    """Return a worker with another word for its isolation."""
    agent: Any = type("Misspelled", (Plain,), {"isolation": "proces"})()
    return cast("BaseAgent[Any, Any]", agent)


PROBLEMS: dict[str, tuple[Callable[[], BaseAgent[Any, Any]], str]] = {
    "a model": (given_a_model, "a model is set for it, and its process asks none; take it out of"),
    "a shelf": (given_a_shelf, "which lacks what was set from outside: `shelf`; set it in the"),
    "another name": (lambda: Plain("other"), "which lacks what was set from outside: `name`, "),
    "an argument": (lambda: Needy("needy"), "makes it by `Needy()`, which fails: "),
    "a function's class": (of_a_function, "cannot import its class as `"),
    "a script's class": (of_the_script, "is defined in the script that runs"),
    "a question": (Asker, "`_answer` asks a person (interrupt), and its process cannot wait"),
    "a model's help": (Helped, "`_aanswer` asks a model (assist), and its process asks none"),
    "a typing error": (misspelled, 'its isolation is \'proces\'; write "none" or "process".'),
}


@pytest.mark.parametrize("problem", PROBLEMS)
def test_what_cannot_be_isolated_is_refused(problem: str) -> None:
    """`minerva check` says why, before any run finds out."""
    make, text = PROBLEMS[problem]
    team = Team(name="t", description="…", members=[make()], router=EachOnceRouter())
    (found,) = find_problems(team.assembled, alone=True)

    assert found.startswith("`t/")
    assert text in found


def test_a_team_is_not_isolated() -> None:
    """Its workers are, each by itself."""

    class Walled(Team):
        isolation = "process"

    inner = Walled(name="inner", description="…", members=[Plain()], router=EachOnceRouter())
    outer = Team(name="t", description="…", members=[inner], router=EachOnceRouter())

    assert find_problems(outer.assembled, alone=True) == [
        '`t/inner`: a team has no process of its own; set isolation = "process" in its workers.'
    ]


def test_a_worker_that_can_be_isolated_has_no_problem(risky: BaseAgent[Any, Any]) -> None:
    """Also after its graph was built and its limit was configured."""
    assert risky.graph
    risky.timeout = 3.0
    risky.examples = (*risky.examples, "one more from the configuration")
    team = Team(name="t", description="…", members=[risky, Plain()], router=EachOnceRouter())

    assert find_problems(team.assembled, alone=True) == []


def test_the_platform_s_model_is_not_for_a_process_of_its_own() -> None:
    """It is for every worker that can use one; this one cannot."""
    beside = StubAgent("beside")
    team = Team(name="t", description="…", members=[Plain(), beside], router=EachOnceRouter())
    model = Model(ModelSpec(name="openai:m"))
    team.model = model

    assert [agent.model for agent in team.assembled.agents] == [None, model]


async def test_without_a_check_the_run_refuses_it() -> None:
    """A team that is run from a script was never checked."""
    run = await ask(of_a_function(), "go on then")

    assert run.status == "ok_degraded"
    assert "cannot import its class as `" in run.bypassed[0].cause
