"""What a scripted month of model calls cost is what a person adds up by hand."""

import asyncio
import json
from pathlib import Path
from typing import Any, Final

import duckdb
import pytest
from langchain.agents import create_agent

from minerva_observability import Metrics, RunScope, SpanStore, build_recorder, record_span
from minerva_observability.metrics import PrometheusPage
from minerva_platform.config.model_spec import ModelSpec
from minerva_platform.errors import ModelError
from minerva_platform.models.model import Model
from minerva_platform.run_context.context import Meter
from minerva_platform.run_context.langchain_callbacks import GraphListener
from minerva_platform.testing import Fault, Reply, scripted_openai_server

pytestmark = pytest.mark.usefixtures("fresh_models")

PRICED: Final[dict[str, float]] = {"prompt_price": 2.0, "completion_price": 8.0}
WHOLE = Reply(text="fine", prompt_tokens=1_000, completion_tokens=100)
"""0.0028 dollars."""
CUT = Reply(text="half an ans", prompt_tokens=500, completion_tokens=50, finish_reason="length")
"""0.0014 dollars."""
BROKEN = Reply(tool_calls=[("pay", "{")], prompt_tokens=500, completion_tokens=50)
"""An answer that cannot be used; 0.0014 dollars."""
MONTH: Final[tuple[tuple[str, dict[str, float], Any, str], ...]] = (
    # a model's name, its prices, what it answers, and who asks in which way
    ("openai:large", PRICED, WHOLE, "worker"),
    ("openai:large-2026-01-31", PRICED, WHOLE, "worker"),
    ("openai:large-20260131", PRICED, WHOLE, "graph"),
    ("openai:large", PRICED, CUT, "worker"),
    ("openai:large", PRICED, CUT, "stream"),
    ("openai:large", PRICED, CUT, "graph"),
    ("openai:large", PRICED, BROKEN, "worker"),
    ("openai:large", PRICED, Fault("unauthorized"), "worker"),
    ("openai:large", PRICED, WHOLE, "router"),
    ("openai:large", PRICED, Fault("cut_stream"), "stream"),
    ("openai:small", {}, WHOLE, "worker"),
    ("openai:small", {}, WHOLE, "router"),
    ("openai:small", {}, CUT, "graph"),
)
COST: Final = 4 * 0.0028 + 4 * 0.0014
BY_HAND: Final[dict[str, Any]] = {
    "openai:large": (10, 4 * 1_000 + 4 * 500, 4 * 100 + 4 * 50, COST, 1),
    "openai:small": (3, 2 * 1_000 + 500, 2 * 100 + 50, None, 3),
}
"""Calls, tokens in and out, cost, and calls without a price: all of one, and a stream that broke
before its tokens were told. What was refused costs nothing."""
ROUTING: Final[Any] = (2 * 1_100, 0.0028, 1)


async def asked(name: str, prices: dict[str, float], answer: Any, way: str) -> None:
    """Let a model be asked, in one of the ways that a run does."""
    with scripted_openai_server([answer]) as server:
        spec = {"name": name, "base_url": server.url, "timeout": 10.0, **prices}
        model = Model(ModelSpec.model_validate(spec))
        try:
            if way == "stream":
                async for _ in model.chat.astream("?"):
                    pass
            elif way == "graph":
                graph: Any = create_agent(model.chat, [])
                told = {"callbacks": [GraphListener("agent")]}
                await graph.ainvoke({"messages": [("human", "?")]}, told)
            else:
                await model.text("?")
        except ModelError:
            assert answer is not WHOLE


async def played(home: Path) -> Meter:
    """Record the month; return what its runs charged."""
    recorder, meter = build_recorder(home), Meter()
    for name, prices, answer, way in MONTH:
        with (
            RunScope(recorder=recorder).bound(),
            record_span(kind="run", path="t", team="t", agent_name="t_supervisor"),
            meter.bound(),
        ):
            if way == "router":
                with record_span(kind="route", path="t", agent_name="t_supervisor", router="plan"):
                    await asked(name, prices, answer, way)
            else:
                with record_span(kind="agent", path="t/worker", team="t", agent_name="worker"):
                    await asked(name, prices, answer, way)
    recorder.close()
    return meter


@pytest.fixture(autouse=True)
def _home(minerva_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    minerva_home.mkdir()


def test_every_sum_of_a_month_is_that_of_a_hand(minerva_home: Path) -> None:
    """In the run object, in figures, in the metrics, in SQL over the file, and in its lines."""
    tokens_in, tokens_out, unpriced = (
        sum(each[at] for each in BY_HAND.values()) for at in (1, 2, 4)
    )
    usage = asyncio.run(played(minerva_home)).usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (tokens_in, tokens_out)
    assert (usage.model_calls, usage.unpriced_calls) == (len(MONTH), unpriced)

    with SpanStore(minerva_home) as store:
        store.refresh()
        metrics = Metrics(store)
        totals = metrics.totals()
        models = {each.name: each for each in metrics.figures("model")}
        runs = metrics.runs(limit=100).runs
    assert (totals.prompt_tokens, totals.completion_tokens) == (tokens_in, tokens_out)
    assert totals.cost == pytest.approx(COST)
    assert totals.unpriced_calls == unpriced
    assert (totals.routing_tokens, totals.routing_unpriced_calls) == (ROUTING[0], ROUTING[2])
    assert totals.routing_cost == pytest.approx(ROUTING[1])
    assert models.keys() == BY_HAND.keys()
    for name, (calls, sent, received, paid, without) in BY_HAND.items():
        found = models[name]
        assert (found.calls, found.prompt_tokens, found.completion_tokens) == (
            calls,
            sent,
            received,
        )
        assert found.cost == (None if paid is None else pytest.approx(paid))
        assert found.unpriced_calls == without
    assert sum(run.cost or 0.0 for run in runs) == pytest.approx(COST)
    assert sum(run.unpriced_calls for run in runs) == unpriced

    file = minerva_home / "runs.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert sum(row.get("cost", 0) for row in rows) == pytest.approx(COST)
    table: Any = duckdb.sql(
        "SELECT sum(prompt_tokens), sum(cost), count(*) FILTER (kind = 'model' AND cost IS NULL)"  # noqa: S608
        f" FROM read_json('{file}', format = 'newline_delimited')"
    )
    assert table.fetchall() == [(tokens_in, pytest.approx(COST), unpriced)]


def test_the_metrics_of_a_month_are_that_of_a_hand(minerva_home: Path) -> None:
    """What Prometheus is shown, over all labels."""
    feed = PrometheusPage(minerva_home)
    asyncio.run(played(minerva_home))
    page = feed.text()[0].decode()
    feed.close()

    def total(name: str) -> float:
        lines = (line for line in page.splitlines() if line.startswith(f"{name}{{"))
        return sum(float(line.rpartition(" ")[2]) for line in lines)

    assert total("minerva_cost_total") == pytest.approx(COST)
    assert total("minerva_unpriced_calls_total") == sum(each[4] for each in BY_HAND.values())
    assert total("gen_ai_client_token_usage_sum") == sum(
        each[1] + each[2] for each in BY_HAND.values()
    )
