"""What a server does in a second, with one, two and four processes, and what a thousand runs leave.

Each run is one call of a worker that does nothing, so the figures are the platform's own: the
request, the queue, the run's rows, its events and the answer. The baseline is the same queue in
one process without HTTP, in the same minute.
"""

import asyncio
import os
import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

SUPPORT = Path(__file__).parents[1] / "support"
sys.path.insert(0, str(SUPPORT))

import httpx  # noqa: E402  # after the path
from ledger import postgres_store  # noqa: E402
from postgres import running_cluster  # noqa: E402
from run_mover import depot  # noqa: E402
from server import ServerProcess, processes  # noqa: E402

from minerva_platform import RunLimits, Task  # noqa: E402
from minerva_platform.durable.incoming_request import submit_team  # noqa: E402
from minerva_platform.durable.worker_process import WorkerProcess  # noqa: E402
from minerva_platform.runtime.run_options import RunOptions  # noqa: E402
from minerva_platform.storage.engine.location import PostgresPlace  # noqa: E402
from minerva_platform.storage.engine.opening import opened_engine  # noqa: E402

AT_ONCE = 16
RUNS = 240
REPEATS = 3
MANY = 1_000


async def throughput(urls: list[str], runs: int, at_once: int) -> tuple[float, int]:
    """Return runs a second with so many clients at once, and how many did not end well."""
    numbers = iter(range(runs))
    failed = 0

    async def client(place: int) -> None:
        nonlocal failed
        url = urls[place % len(urls)]
        async with httpx.AsyncClient(base_url=url, timeout=600) as session:
            for number in numbers:
                body = {"assistant_id": "depot", "input": {"request": f"box {number}"}}
                answer = await session.post("/runs/wait", json=body)
                is_ok = answer.status_code == 200 and answer.json().get("status") == "ok"
                if not is_ok:
                    print(answer.status_code, answer.text[:400], flush=True)
                failed += not is_ok

    began = time.monotonic()
    await asyncio.gather(*(client(place) for place in range(at_once)))
    return runs / (time.monotonic() - began), failed


def memory_of(server: ServerProcess) -> tuple[int, int]:
    """Return resident kibibytes and open descriptors of a server."""
    status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    resident = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(resident.split()[1]), len(os.listdir(f"/proc/{server.process.pid}/fd"))  # noqa: PTH208  # counted


async def alone(folder: Path, address: str) -> float:
    """Return runs a second of the same team and queue without HTTP, in this process."""
    team = depot(folder)
    with opened_engine(PostgresPlace(address)) as engine:
        options = RunOptions(engine=engine, home=folder, limits=RunLimits(seconds=600))
        began = time.monotonic()
        for number in range(RUNS):
            await submit_team(team.assembled, Task(request=f"box {number}"), options)
        await WorkerProcess(lambda _: team.assembled, options, at_once=AT_ONCE).work(
            until_empty=True
        )
        return RUNS / (time.monotonic() - began)


def measured(cluster: Any, count: int) -> float:
    """Return runs a second of so many processes, the median of some tries."""
    rates: list[float] = []
    with (
        TemporaryDirectory() as folder,
        postgres_store(cluster) as store,
        processes(Path(folder), count, url=store.address, at_once=AT_ONCE) as servers,
    ):
        urls = [server.url for server in servers]
        asyncio.run(throughput(urls, AT_ONCE * 2, AT_ONCE))  # everything is imported by then
        for _ in range(REPEATS):
            rate, failed = asyncio.run(throughput(urls, RUNS, AT_ONCE))
            assert failed == 0, failed
            rates.append(rate)
    return statistics.median(rates)


def main() -> int:
    """Print throughput, and what a thousand runs at once leave behind."""
    with running_cluster() as cluster:
        with TemporaryDirectory() as folder, postgres_store(cluster) as store:
            base = asyncio.run(alone(Path(folder), store.address))
        print(f"{RUNS} runs, {AT_ONCE} clients at once, Postgres; medians of {REPEATS}")
        print(f"{'':24}{'runs/s':>8}{'of no HTTP':>12}")
        print(f"{'queue without HTTP':24}{base:8.1f}{1.0:12.2f}")
        for count in (1, 2, 4):
            rate = measured(cluster, count)
            print(f"{f'{count} server processes':24}{rate:8.1f}{rate / base:12.2f}", flush=True)
        with TemporaryDirectory() as folder, postgres_store(cluster) as store:
            wanted = {"url": store.address, "at_once": AT_ONCE}
            with processes(Path(folder), 1, **wanted) as (server,):
                asyncio.run(throughput([server.url], AT_ONCE * 4, AT_ONCE))
                before = memory_of(server)
                for _ in range(2):
                    began = time.monotonic()
                    _, failed = asyncio.run(throughput([server.url], MANY, MANY))
                    took, after = time.monotonic() - began, memory_of(server)
                    print(
                        f"{MANY} clients at once: {failed} failed, {took:.0f} s; resident "
                        f"{before[0] / 1024:.0f} -> {after[0] / 1024:.0f} MiB, "
                        f"descriptors {before[1]} -> {after[1]}",
                        flush=True,
                    )
    return 0
