"""Several servers on one database: each decision and each effect happens once, nothing is lost."""

import asyncio
import json
import signal
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from forms import IS_WHOLE, forms
from langgraph_sdk import get_client
from ledger import Store, postgres_store
from postgres import Cluster
from run_mover import depot
from server import Served, ServerProcess, processes
from server_work import ask, began, joined, lines, packed, packed_answer, race, until

from minerva_platform import RunLimits, Task
from minerva_platform.durable.incoming_request import submit_team
from minerva_platform.durable.worker_process import WorkerProcess
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.ledger.lease import LeaseTerms

RACES = 5 if IS_WHOLE else 2
LEASE = {"queue": {"lease_seconds": 1}}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two servers on one database of Postgres, whose workers write into one folder."""

    home: Path
    address: str
    servers: list[ServerProcess]

    @property
    def urls(self) -> list[str]:
        """Where they listen."""
        return [server.url for server in self.servers]

    @property
    def hold(self) -> Path:
        """The file that holds the packers while it is there."""
        return self.home / "hold-packer"


@pytest.fixture(scope="module")
def pair(postgres_server: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Generator[Pair]:
    """Give two servers. The last tests end one after the other."""
    home = tmp_path_factory.mktemp("pair")
    with (
        postgres_store(postgres_server) as store,
        processes(
            home, 2, url=store.address, at_once=10, settings=LEASE, heartbeat=0.05
        ) as servers,
    ):
        yield Pair(home, store.address, servers)


@pytest.mark.small
def test_of_two_servers_one_decision_counts(pair: Pair) -> None:
    """Of simultaneous answers one gets 200, and the other 409 with the winner."""
    with ThreadPoolExecutor(2) as pool:
        for _ in range(RACES):
            race(pair.urls, pool)


@pytest.mark.parametrize("waits", forms([40], [8]))
async def test_an_answer_waits_for_a_database_that_is_slow(pair: Pair, waits: int) -> None:
    """The first look may take longer than a heartbeat: each whole body is that of a run at rest."""
    with psycopg.connect(pair.address) as blocker:
        blocker.execute("LOCK TABLE events IN ACCESS EXCLUSIVE MODE")  # nobody learns how runs are
        async with httpx.AsyncClient(timeout=60) as client, asyncio.TaskGroup() as group:
            alive = asyncio.Semaphore(0)
            url = (f"{pair.urls[n % 2]}/runs/wait" for n in range(waits))
            its = [
                group.create_task(waited(client, next(url), f"case {n}", alive))
                for n in range(waits)
            ]
            for _ in range(waits):
                await alive.acquire()
            blocker.rollback()
    values = [each.result() for each in its]

    assert [each["status"] for each in values] == ["ok"] * waits
    assert [each["answer"] for each in values] == [packed_answer(f"case {n}") for n in range(waits)]


async def waited(
    client: httpx.AsyncClient, url: str, what: str, alive: asyncio.Semaphore
) -> dict[str, Any]:
    """Let something be packed; say when the answer has begun, and return its values."""
    body = {"assistant_id": "depot", "input": {"request": what}}
    async with client.stream("POST", url, json=body) as answer:
        parts: list[bytes] = []
        async for part in answer.aiter_bytes():
            if not parts:
                alive.release()
            parts.append(part)
    values: dict[str, Any] = json.loads(b"".join(parts))
    return values


def test_a_key_sends_a_request_once(pair: Pair) -> None:
    """To both servers at once: one run, one effect, and the answer of that run for everybody."""
    body = {"assistant_id": "depot", "input": {"request": "a chest"}}
    key = {"Idempotency-Key": '"8e03978e-40d5-43dd-bc93-6894a57f9324"'}

    def send(url: str) -> httpx.Response:
        return httpx.post(f"{url}/runs/wait", json=body, headers=key, timeout=60)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(send, pair.urls * 4))
    other = {**body, "input": {"request": "a chair"}}
    refused = httpx.post(f"{pair.urls[0]}/runs", json=other, headers=key, timeout=60)

    assert len({answer.json()["run_id"] for answer in answers}) == 1
    assert {answer.json()["answer"] for answer in answers} == {packed_answer("a chest")}
    assert (refused.status_code, refused.json()["error"]) == (422, "key_reused")
    assert (packed(pair.home)["a chest"], packed(pair.home)["a chair"]) == (1, 0)


NUL = "a\0b"
HALF = b'"\\ud800"'
"""Half of a character, as JSON can write it."""


def test_no_text_makes_the_database_fail(pair: Pair) -> None:
    """PostgreSQL takes no NUL, and no encoding half of a character: both are refused, or kept."""
    json, none = {"Content-Type": "application/json"}, "0" * 64
    shown = {"shown_sha256": none, "decision": "approve"}
    resume = {"assistant_id": "office", "command": {"resume": {NUL: "approve"}}}
    with httpx.Client(base_url=pair.urls[0], timeout=60) as client:
        run = ask(pair.urls[0], "bolt")
        answers = [
            client.get("/threads/a%00/runs/b%00"),
            client.get(f"/files/{none}", params={"name": NUL}),
            client.get(f"{run}/stream", headers={"Last-Event-ID": f"{'9' * 40}.1"}),
            client.post("/approvals", json={"run_id": NUL, "decisions": {"x": shown}}),
            client.post(
                "/approvals", json={"run_id": "x", "batch_id": NUL, "decisions": {"x": shown}}
            ),
            client.post(f"{run.rpartition('/')[0]}/wait", json=resume),
            client.post(f"{run.partition('/runs')[0]}/history", json={"before": NUL}),
            client.post("/threads", content=b'{"metadata": {"a": ' + HALF + b"}}", headers=json),
            client.post("/threads", content=b'{"metadata": {"a": NaN}}', headers=json),
        ]
        said = {"assistant_id": "depot", "input": {"request": NUL}}
        values = client.post("/runs/wait", json=said).json()
        thread = client.post("/threads", json={"metadata": {NUL: NUL}}).json()

    assert [each.status_code for each in answers] == [422] * 9
    assert values["messages"][0]["content"] == NUL
    assert thread["metadata"] == {NUL: NUL}


def test_a_run_is_cancelled_from_another_server(pair: Pair) -> None:
    """Nothing happens later, though its worker is free to go on."""
    pair.hold.touch()
    run = ask(pair.urls[0], "glass")
    until(lambda: "packer began glass" in lines(pair.home))
    for url in pair.urls:  # one of them is not at work on it
        told = httpx.post(f"{url}{run}/cancel", timeout=60)
        assert told.status_code == (202 if url == pair.urls[0] else 409)
    values = joined(pair.urls[1], run)
    pair.hold.unlink()
    joined(pair.urls[0], ask(pair.urls[0], "bag"))

    assert values["status"] == "cancelled"
    assert (packed(pair.home)["glass"], packed(pair.home)["bag"]) == (0, 1)


def test_another_server_goes_on_with_the_runs_of_a_killed_one(pair: Pair) -> None:
    """Every run ends, and each effect happened once."""
    before = began(pair.home)
    pair.hold.touch()
    its = [ask(pair.urls[0], f"box {number}") for number in range(6)]
    until(lambda: began(pair.home) >= before + 6)
    pair.servers[0].process.kill()
    pair.hold.unlink()

    assert {joined(pair.urls[1], run)["status"] for run in its} == {"ok"}
    assert {packed(pair.home)[f"box {number}"] for number in range(6)} == {1}


def test_a_signal_leaves_every_run_resumable(pair: Pair) -> None:
    """The server ends with 0; the next one goes on with all that was at work."""
    before, (_, server) = began(pair.home), pair.servers
    pair.hold.touch()
    its = [ask(server.url, f"crate {number}") for number in range(10)]
    until(lambda: began(pair.home) >= before + 10)
    assert server.signal(signal.SIGTERM) == 0
    pair.hold.unlink()
    with processes(pair.home, 1, url=pair.address, at_once=10, settings=LEASE) as (last,):
        assert {joined(last.url, run)["status"] for run in its} == {"ok"}

    assert {packed(pair.home)[f"crate {number}"] for number in range(10)} == {1}


@pytest.mark.small(1)
@pytest.mark.slow
async def test_two_processes_under_one_name_do_nothing_twice(store: Store, tmp_path: Path) -> None:
    """Leases count by their fence; whose name stands in one decides nothing."""
    with store.opened() as engine:
        team = depot(tmp_path)
        options = RunOptions(
            engine=engine,
            home=tmp_path,
            limits=RunLimits(seconds=600),
            terms=LeaseTerms.of(600),  # none ends by itself, however busy the machine is
        )
        for number in range(12):
            await submit_team(team.assembled, Task(request=f"box {number}"), options)
        both = [WorkerProcess(lambda _: team.assembled, options, at_once=4) for _ in range(2)]
        await asyncio.gather(*(process.work(until_empty=True) for process in both))

    assert packed(tmp_path) == {f"box {number}": 1 for number in range(12)}


def count_open() -> int:
    """Return how many descriptors this process has."""
    return len(tuple(Path("/proc/self/fd").iterdir()))


@pytest.mark.parametrize("count", forms([40], [12]))
async def test_many_runs_at_once_leave_nothing_behind(served: Served, count: int) -> None:
    """None fails, and descriptors return to what they were."""
    async with get_client(url=served.url) as client:

        async def one(number: int) -> str:
            values: Any = await client.runs.wait(None, "depot", input={"request": f"bin {number}"})
            return str(values["answer"])

        await one(-1)
        before = count_open()
        answers = await asyncio.gather(*(one(number) for number in range(count)))

    assert sorted(answers) == sorted(packed_answer(f"bin {number}") for number in range(count))
    while count_open() > before:  # noqa: ASYNC110  # the server closes what the client has left
        await asyncio.sleep(0.02)
