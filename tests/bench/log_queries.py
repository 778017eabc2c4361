"""What `minerva stats` costs on logs of 1e5, 1e6 and 5e6 rows, before and after `minerva compact`.

The baseline is the loop that anybody would write over the same lines in plain Python, for the
same figures. Every measurement has a process of its own; CPU is user and system time without
DuckDB's import, memory its peak. The figures of all three are compared with each other and with
numpy.
"""

import json
import math
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any, Final

from _generated_log import write_log

SIZES: Final = (100_000, 1_000_000, 5_000_000)
REPEATS: Final = {100_000: 5, 1_000_000: 3, 5_000_000: 1}
MIB: Final = 2**20
_CALL: Final = (
    "import sys; sys.path.insert(0, sys.argv[1]); import log_queries;"
    " log_queries.measured(sys.argv[2], sys.argv[3])"
)


def by_hand(path: Path) -> dict[str, Any]:
    """Return the figures of each agent and of all runs, by the plain loop."""
    seen: set[str] = set()
    agents: dict[tuple[str, str | None], dict[str, Any]] = defaultdict(_nothing_yet)
    runs, began, bad = {}, set(), 0
    with path.open(encoding="utf-8") as file:
        for line in file:
            try:
                row = json.loads(line)
                span, run, kind, status = row["span_id"], row["run_id"], row["kind"], row["status"]
                ms, route = row["ms"], row["path"]
            except (ValueError, KeyError):
                bad += 1
                continue
            if span in seen:
                continue
            seen.add(span)
            began.add(run)
            agent = agents[row["agent_name"], row.get("team")]
            agent["self_ms"] += row["self_ms"]
            if kind in {"agent", "run"} and status not in {"paused", "skipped"}:
                agent["ms"].append(ms)
                agent["failures"] += status in {"failed", "timeout"}
                agent["worker"] = route.split("/")[-1].split("#")[0] == row["agent_name"]
            action = row.get("action")
            agent["bypasses"] += action in {"bypassed", "substituted"}
            agent["retries"] += action == "retried"
            if kind == "route":
                agent["routing_calls"] += 1
                agent["routing_ms"] += ms
            if kind == "run":
                runs[run] = status
    return {
        "runs": len(runs),
        "unfinished": len(began) - len(runs),
        "bad": bad,
        "agents": {name: _figures(agent) for (name, _), agent in agents.items()},
    }


def _nothing_yet() -> dict[str, Any]:
    return {
        "ms": [],
        **dict.fromkeys(("self_ms", "failures", "bypasses", "retries", "routing_calls"), 0),
        "routing_ms": 0.0,
    }


def _figures(agent: dict[str, Any]) -> dict[str, float]:
    ms = sorted(agent["ms"])
    figures = {"calls": len(ms), "mean": sum(ms) / len(ms), "self": agent["self_ms"]}
    for name, part in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99)):
        at = (len(ms) - 1) * part
        low, high = ms[math.floor(at)], ms[math.ceil(at)]
        figures[name] = low + (high - low) * (at - math.floor(at))
    return figures


def by_stats(path: Path) -> dict[str, Any]:
    """Return the same figures as `minerva stats` gets them."""
    from minerva_observability import Metrics, SpanFilter, SpanStore  # noqa: PLC0415  # measured, too
    from minerva_observability.metrics.grouping import columns_for  # noqa: PLC0415

    with SpanStore(path, columns=columns_for("agent", SpanFilter())) as store:
        store.refresh()
        metrics = Metrics(store)
        totals = metrics.totals()
        return {
            "runs": totals.runs,
            "unfinished": totals.unfinished,
            "bad": store.summary.lines.bad,
            "agents": {
                each.name: {
                    "calls": each.calls,
                    "mean": each.mean_ms,
                    "self": each.self_ms,
                    "p50": each.p50_ms,
                    "p95": each.p95_ms,
                    "p99": each.p99_ms,
                }
                for each in metrics.figures("agent")
            },
        }


WAYS: Final[dict[str, Callable[[Path], dict[str, Any]]]] = {"hand": by_hand, "stats": by_stats}


def measured(way: str, path: str) -> None:
    """Print the figures, the CPU seconds, the wall seconds and the peak memory as JSON."""
    if way == "stats":
        import_module("minerva_observability.metrics.metrics")  # once a process, 0.12 s
    cpu, wall = time.process_time(), time.perf_counter()
    found = WAYS[way](Path(path))
    print(
        json.dumps(
            {
                "found": found,
                "cpu": time.process_time() - cpu,
                "wall": time.perf_counter() - wall,
                "mib": _peak_mib(),
            }
        )
    )


def _peak_mib() -> float:
    """Return the most memory this process has held; `getrusage` would tell the parent's, too."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def measure(way: str, path: Path, repeats: int) -> dict[str, Any]:
    """Run one way in fresh processes; return the median of each cost and what it found."""
    here = str(Path(__file__).parent)
    seen = []
    for _ in range(repeats):
        command = (sys.executable, "-c", _CALL, here, way, str(path))
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        seen.append(json.loads(done.stdout))
    costs = {name: median(each[name] for each in seen) for name in ("cpu", "wall", "mib")}
    return {**costs, "found": seen[0]["found"]}


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Tell whether two ways found the same, sums to 12 digits."""
    return all(one[name] == other[name] for name in ("runs", "unfinished", "bad")) and all(
        math.isclose(value, other["agents"][agent][name], rel_tol=1e-12)
        for agent, figures in one["agents"].items()
        for name, value in figures.items()
    )


def as_numpy_has_it(path: Path, found: dict[str, Any]) -> bool:
    """Tell whether the percentiles are numpy's on the same rows, exactly."""
    import numpy as np  # noqa: PLC0415  # not in the processes that are measured

    calls: dict[str, list[float]] = defaultdict(list)
    with path.open("rb") as file:
        for line in file:
            if b'"kind":"agent"' in line or b'"kind":"run"' in line:
                row = json.loads(line)
                calls[row["agent_name"]].append(row["ms"])
    return all(
        np.allclose(
            np.percentile(ms, [50, 95, 99]),
            [found["agents"][agent][name] for name in ("p50", "p95", "p99")],
            rtol=1e-14,
        )
        for agent, ms in calls.items()
    )


def report(rows: int, folder: Path) -> bool:
    """Measure one size and print its line; return whether all ways agree."""
    from minerva_observability.compaction import compact_records  # noqa: PLC0415  # as above

    log, repeats = folder / "runs.jsonl", REPEATS[rows]
    write_log(log, rows)
    size = log.stat().st_size
    hand, stats = measure("hand", log, repeats), measure("stats", log, repeats)
    exact = as_numpy_has_it(log, stats["found"])
    began = time.process_time()
    done = compact_records(folder)
    compacting = time.process_time() - began
    after = measure("stats", folder, max(repeats, 3))
    agree = exact and same(hand["found"], stats["found"]) and same(hand["found"], after["found"])
    print(
        f"{rows:>9,} {size / MIB:>7,.0f} {hand['cpu']:>8.2f} {stats['cpu']:>7.2f}"
        f" {hand['cpu'] / stats['cpu']:>6.1f}x {stats['wall']:>6.2f} {stats['mib']:>5.0f}"
        f" {done.bytes_after / MIB:>9,.0f} {compacting:>8.1f} {after['cpu']:>7.2f}"
        f" {stats['cpu'] / after['cpu']:>6.1f}x {after['mib']:>5.0f}   {'yes' if agree else 'NO'}",
        flush=True,
    )
    return agree


def main(sizes: Sequence[int] = SIZES) -> int:
    """Print a line for each size; a disagreement is a failure."""
    print("CPU seconds; `less` is how many times less CPU than the column before it.")
    print(
        f"{'rows':>9} {'MiB':>7} {'by hand':>8} {'stats':>7} {'less':>7} {'wall s':>6} {'MiB':>5}"
        f" {'compacted':>9} {'CPU s':>8} {'stats':>7} {'less':>7} {'MiB':>5}   agree"
    )
    agree = True
    for rows in sizes:
        with tempfile.TemporaryDirectory() as name:
            agree = report(rows, Path(name)) and agree
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main([int(size) for size in sys.argv[1:]] or SIZES))
