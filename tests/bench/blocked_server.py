"""How long `/ok` takes while a worker blocks its event loop for 20 s, and how long on an idle one.

Both are medians of the same server in the same minute. The block ends by itself; the last line
says when, and when the first `/ok` was answered.
"""

import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

SUPPORT = Path(__file__).parents[1] / "support"
sys.path.insert(0, str(SUPPORT))

import httpx  # noqa: E402  # after the path
from neighbours import body_of, configured, served  # noqa: E402

BLOCK_S = 20
TIMES = 200


def median_ms(client: httpx.Client) -> float:
    """Return the median of `/ok` in milliseconds."""
    took: list[float] = []
    for _ in range(TIMES):
        began = time.perf_counter()
        client.get("/ok").raise_for_status()
        took.append(1000 * (time.perf_counter() - began))
    return statistics.median(took)


def main() -> int:
    """Print the times, and their ratio."""
    with TemporaryDirectory() as folder:
        configs = configured(Path(folder))
        with served(configs, Path(folder) / "home") as server:
            server.client.post("/runs/wait", json=body_of("warm")).raise_for_status()
            idle = median_ms(server.client)
            run = server.client.post("/runs", json=body_of(f"block {BLOCK_S}")).json()
            while not (configs / "block").exists():
                time.sleep(0.01)
            began = time.monotonic()
            server.client.get("/ok").raise_for_status()
            first = time.monotonic() - began
            blocked = median_ms(server.client)
            address = f"/threads/{run['thread_id']}/runs/{run['run_id']}/join"
            status = server.client.get(address).json()["status"]
            ended = time.monotonic() - began
    print(f"{'/ok, median ms':24}{'idle':>8}{'blocked':>10}{'ratio':>8}")
    print(f"{'':24}{idle:8.2f}{blocked:10.2f}{blocked / idle:8.2f}")
    print(
        f"first /ok {1000 * first:.1f} ms into the block, which ended {status} after {ended:.1f} s"
    )
    return 0
