"""What recording costs: microseconds of CPU a span, beside a plain line of JSON.

Run it: `python tests/bench/recording.py`. The budget is 60 µs a span with
runs.jsonl on.
"""

import json
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from time import process_time
from typing import Any

from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from minerva_observability import FanOut, JsonlSink, MemorySink, RunScope, record_span
from minerva_observability.sinks import OtelMetricsSink, OtelSink

SPANS = 4_000
ROUNDS = 5
BUDGET_US = 60.0


def record_one() -> None:
    """Record a node as the platform does."""
    with record_span(
        kind="node",
        path="platform/data/retrieval_agent",
        team="data",
        agent_name="retrieval_agent",
        node="retrieve",
    ):
        pass


def record_agent() -> None:
    """Record an agent, which metrics count; nodes that go well they do not."""
    with record_span(
        kind="agent",
        path="platform/data/retrieval_agent",
        team="data",
        agent_name="retrieval_agent",
    ):
        pass


def cpu_us(call: Callable[[], object], scope: AbstractContextManager[Any]) -> float:
    """Return the least CPU microseconds a call took, over `ROUNDS` rounds."""
    best = float("inf")
    with scope:
        for _ in range(ROUNDS):
            began = process_time()
            for _ in range(SPANS // ROUNDS):
                call()
            best = min(best, (process_time() - began) / (SPANS // ROUNDS) * 1e6)
    return best


def plain_line_us(folder: Path) -> float:
    """Return the cost of what everybody writes: `json.dumps` and an unbuffered write."""
    sink = MemorySink()
    with RunScope(recorder=sink).bound():
        record_one()
    row = sink.records[0].to_json_dict()
    with (folder / "plain.jsonl").open("ab", buffering=0) as file:
        return cpu_us(lambda: file.write(json.dumps(row).encode() + b"\n"), nullcontext())


def measure() -> dict[str, float]:
    """Return CPU microseconds a span for each way of recording."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        jsonl = JsonlSink(folder / "runs.jsonl")
        otel = OtelSink(InMemorySpanExporter())
        metrics = OtelMetricsSink(InMemoryMetricReader())
        ways: dict[str, AbstractContextManager[Any]] = {
            "no scope": nullcontext(),
            "no recorder": RunScope().bound(),
            "memory": RunScope(recorder=MemorySink()).bound(),
            "runs.jsonl": RunScope(recorder=FanOut(jsonl)).bound(),
            "runs.jsonl and otel": RunScope(recorder=FanOut(jsonl, otel)).bound(),
            "node: metrics": RunScope(recorder=FanOut(metrics)).bound(),
        }
        agents: dict[str, AbstractContextManager[Any]] = {
            "agent: memory": RunScope(recorder=MemorySink()).bound(),
            "agent: metrics": RunScope(recorder=FanOut(metrics)).bound(),
        }
        costs = {"plain json line": plain_line_us(folder)}
        costs |= {way: cpu_us(record_one, scope) for way, scope in ways.items()}
        costs |= {way: cpu_us(record_agent, scope) for way, scope in agents.items()}
        metrics.close()
        otel.close()
        jsonl.close()
    return costs


def main() -> None:
    """Print a line for each way; exit 1 over budget."""
    costs = measure()
    plain = costs["plain json line"]
    for way, cost in costs.items():
        print(f"{way:<20} {cost:6.1f} µs  {cost / plain:5.2f} x")  # its purpose
    if costs["runs.jsonl"] > BUDGET_US:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
