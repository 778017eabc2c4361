"""What strangers say after an effect, whatever became of the work around it: the full numbers.

`make test` has a part of it, in tests/platform/conversation/test_done_before.py.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import httpx
import pytest
from errand_doer import Doers, running_doers
from errand_office import Fails, Held, Item, Talk, cut_off, errands, first_turn, said
from sqlalchemy import update

from minerva_platform import Decision
from minerva_platform.config.model_spec import ModelSpec
from minerva_platform.models.circuit_breaker import reset_breakers
from minerva_platform.models.model import Model
from minerva_platform.routing import Goal, RoutingView, Tools
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.ledger.schema import threads
from minerva_platform.testing import Fault, ModelCall, Reply, scripted_openai_server

MINERVA = Path(sys.executable).with_name("minerva")
SUPPORT = Path(__file__).parents[1] / "support"
OFFICE = '''
"""The office, whose world is a folder."""

import time
from pathlib import Path

from errand_office import World, errands


class Folder(World):
    """Holds a worker before its deed while there is a file `hold`, and writes deeds to `world`."""

    def before(self, name):
        while Path("hold").exists():
            Path("at-work").touch()
            time.sleep(0.01)

    def do(self, name, words):
        with Path("world").open("a", encoding="utf-8") as file:
            file.write(f"{name}\\t{words!r}\\n")


office = errands(Folder())
'''
FAULTS = ("worker", "sibling", "model", "router", "kill")


class Fallen:
    """A router that calls one member and then fails."""

    def __init__(self, member: str) -> None:
        self.member = member

    async def decide(self, view: RoutingView) -> Decision:
        """Call the member, once."""
        if view.results:
            message = "the router has lost its mind"
            raise RuntimeError(message)
        return Decision(goals=(Goal(member=self.member, request=view.request),), router="fallen")


class Faults:
    """Conversations whose first turn does its deed, and then something fails."""

    def __init__(self, home: Path, options: RunOptions, doers: Doers) -> None:
        self.home, self.options, self.doers = home, options, doers
        self.world = Fails()
        self.talk = Talk(errands(self.world), options, self.world)
        self.first: dict[str, Callable[[Item, str], Any]] = {
            name: getattr(self, name) for name in FAULTS
        }

    async def worker(self, item: Item, thread: str) -> bool:
        """Let the worker that did it fail."""
        self.world.fails_after = True
        told = await first_turn(self.talk, item, thread)
        self.world.fails_after = False
        return told

    async def sibling(self, item: Item, thread: str) -> bool:
        """Let one that works beside it fail."""
        sibling = "room" if item["deed"] != "room" else "mail"
        self.world.failing = {sibling}
        run = await self.talk.say(thread, item["first_request"], (item["deed"], sibling))
        self.world.failing = set()
        assert [hop.status for hop in run.hops].count("failed") == 1
        return self._told(item, run)

    async def model(self, item: Item, thread: str) -> bool:
        """Let a model lead, whose server fails when the deed is done, and for good."""

        def answer(call: ModelCall) -> Reply | Fault:
            if any(message["role"] == "tool" for message in call.messages):
                return Fault("server_error")
            return Reply(tool_calls=[(item["deed"], {"request": item["first_request"]})])

        with scripted_openai_server(answer) as server:
            team = errands(self.world, router=Tools())
            team.model = Model(ModelSpec(name="openai:scripted", base_url=server.url))
            run = await Talk(team, self.options, self.world).say(thread, item["first_request"])
        reset_breakers()
        return self._told(item, run)

    async def router(self, item: Item, thread: str) -> bool:
        """Let the router fail when the deed is done."""
        team = errands(self.world, router=Fallen(item["deed"]))
        run = await Talk(team, self.options, self.world).say(thread, item["first_request"])
        return self._told(item, run)

    async def kill(self, item: Item, thread: str) -> bool:
        """Kill the process in the deed, or right after it; nobody has told anything."""
        at = "in" if len(self.world.deeds) % 2 else "after"
        do = {"request": item["first_request"], "member": item["deed"], "at": at}
        ended = self.doers.do(home=str(self.home), thread=thread, **do)
        assert ended == -signal.SIGKILL
        lines = (self.home / "world").read_text(encoding="utf-8").splitlines()
        self.world.deeds.append(tuple(json.loads(lines[-1])))
        mine = update(threads).where(threads.c.thread_id == thread).values(lease_until=0)
        assert self.options.engine is not None  # as waiting for the lease's end would
        self.options.engine.write(lambda connection: connection.execute(mine))
        return False

    def _told(self, item: Item, run: Any) -> bool:
        assert [each.name for each in run.effects] == [item["deed"]], run
        return run.answer.startswith(("Done: ", "한 일: ")) and f"`{item['deed']}`" in run.answer


@pytest.fixture
def options(minerva_home: Path) -> Generator[RunOptions]:
    """Give a database for all conversations."""
    reset_breakers()
    minerva_home.mkdir()
    with opened_engine(minerva_home / "state.db") as engine:
        yield RunOptions(engine=engine, home=minerva_home)
    reset_breakers()


@pytest.fixture(scope="module")
def doers() -> Generator[Doers]:
    """Give the program in whose processes errands are killed."""
    with running_doers() as found:
        yield found


@pytest.mark.parametrize("fault", FAULTS)
async def test_sixty_deeds_are_told_and_none_is_repeated(
    options: RunOptions, doers: Doers, minerva_home: Path, fault: str
) -> None:
    """With each of five faults after the deed, in Korean and English: 300 runs in all."""
    faults = Faults(minerva_home, options, doers)
    at_once = 0
    for item in said()["after"]:
        before = len(faults.world.deeds)
        told = await faults.first[fault](item, item["id"])
        assert [name for name, _ in faults.world.deeds[before:]] == [item["deed"]]
        at_once += told
        await faults.talk.turns(item, told=told)

    print(f"{fault}: {at_once} told at once, {dict(faults.talk.counts)}")  # noqa: T201  # for the one who runs it
    assert faults.talk.wrong == []
    assert faults.talk.counts["deeds"] == 60
    assert at_once == (0 if fault == "kill" else 60)


async def test_twenty_new_requests_are_carried_out_whatever_failed(
    options: RunOptions, doers: Doers, minerva_home: Path
) -> None:
    """Without a needless question."""
    faults = Faults(minerva_home, options, doers)
    for number, item in enumerate(said()["new"]):
        await faults.first[FAULTS[number % len(FAULTS)]](item, item["id"])
        await faults.talk.request(item)

    print(dict(faults.talk.counts))  # noqa: T201  # for the one who runs it
    assert faults.talk.wrong == []
    assert (faults.talk.counts["requests"], faults.talk.counts["needless"]) == (20, 0)


async def test_twelve_cancelled_tasks_leave_nothing_to_carry_out(options: RunOptions) -> None:
    """`task.cancel()`."""
    world = Held()
    talk = Talk(errands(world), options, world)
    for item in said()["cancelled"]:
        await cut_off(talk, world, item)

    print(dict(talk.counts))  # noqa: T201  # for the one who runs it
    assert talk.wrong == []
    assert talk.counts["cancelled"] == 12


class Place:
    """A folder with the office in a file, and commands that are typed there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "configs").mkdir()
        (folder / "configs/office.py").write_text(OFFICE, encoding="utf-8")
        settings = "keep_state: true\nteams: ['./office.py:office']\n"
        (folder / "configs/platform.yaml").write_text(settings, encoding="utf-8")
        self.talk = Talk(errands(Fails()), RunOptions(), Fails())

    def start(self, *words: str) -> "subprocess.Popen[str]":
        """Start the command."""
        return subprocess.Popen(
            (MINERVA, *words),
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(SUPPORT)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def hold(self) -> None:
        """Let no worker come to its deed."""
        (self.folder / "at-work").unlink(missing_ok=True)
        (self.folder / "hold").touch()

    def until_at_work(self, process: "subprocess.Popen[str]") -> None:
        """Wait for a worker that is held."""
        while not (self.folder / "at-work").exists():
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)

    def let_go(self) -> None:
        """Let everybody do what they are about to do."""
        (self.folder / "hold").unlink()

    def judge(self, item: Item) -> None:
        """Judge what was done since the last time."""
        file = self.folder / "world"
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        file.unlink(missing_ok=True)
        done = [line.partition("\t") for line in text.splitlines()]
        self.talk.judge_cancelled(item, [(name, words) for name, _, words in done])


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Give it."""
    return Place(tmp_path)


def test_twelve_times_ctrl_c_leaves_nothing_to_carry_out(place: Place) -> None:
    """A real process each time, and the words after it in another one."""
    for item in said()["cancelled"]:
        ask = ("ask", "--team", "office", "--thread", item["id"])
        place.hold()
        first = place.start(*ask, item["first_request"])
        place.until_at_work(first)
        first.send_signal(signal.SIGINT)
        _, told = first.communicate()
        assert (first.returncode, "Interrupted" in told) == (130, True), told
        place.let_go()
        then = place.start(*ask, item["words"])
        answer, told = then.communicate()
        assert "Traceback" not in told
        assert answer
        place.judge(item)

    print(dict(place.talk.counts))  # noqa: T201  # for the one who runs it
    assert place.talk.wrong == []
    assert place.talk.counts["cancelled"] == 12


def test_twelve_runs_cancelled_over_http_leave_nothing_to_carry_out(place: Place) -> None:
    """A real server; the worker goes on when the run is cancelled, and comes too late."""
    server = place.start("serve", "--port", "0", "--grace", "1")
    try:
        assert server.stderr is not None
        url = re.findall(r"http://[\w.:]+", server.stderr.readline())[0]
        with httpx.Client(base_url=url, timeout=60) as client:
            for item in said()["cancelled"]:
                cancelled_over_http(place, server, client, item)
    finally:
        server.kill()
        server.communicate()

    print(dict(place.talk.counts))  # noqa: T201  # for the one who runs it
    assert place.talk.wrong == []
    assert place.talk.counts["cancelled"] == 12


def cancelled_over_http(
    place: Place, server: "subprocess.Popen[str]", client: httpx.Client, item: Item
) -> None:
    """Cancel one run, and say the words after it."""

    def body(words: str) -> dict[str, Any]:
        return {"assistant_id": "office", "input": {"request": words}}

    thread = client.post("/threads", json={}).json()["thread_id"]
    place.hold()
    run = client.post(f"/threads/{thread}/runs", json=body(item["first_request"])).json()
    place.until_at_work(server)
    path = f"/threads/{thread}/runs/{run['run_id']}"
    assert client.post(f"{path}/cancel").status_code < 300
    place.let_go()
    assert client.get(path).json()["status"] == "interrupted"
    ended = client.post(f"/threads/{thread}/runs/wait", json=body(item["words"]))
    assert ended.status_code == 200, ended.text
    assert ended.json()["answer"], ended.text
    place.judge(item)
