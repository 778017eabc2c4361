"""An hour of all that can happen to a run: four figures, counted by hand, are the same everywhere.

The clock is the test's. So waits that this process times take no time, and those that the ledger
knows by their moments are as long as the test sets them.
"""

import asyncio
import time
from pathlib import Path
from typing import Any, Final

import duckdb
import pytest
from busy_office import office, shown
from front_desk import by_turn, calling
from sqlalchemy import update

from minerva_observability import Metrics, SpanStore, build_recorder
from minerva_observability.metrics import PrometheusPage
from minerva_observability.testing import ManualClock
from minerva_platform import Run, Task, Team
from minerva_platform.cli.records.figure_options import StatsOptions
from minerva_platform.cli.records.stats import told_of
from minerva_platform.cli.records.stats_export import report_to_json
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.incoming_request import submit_team
from minerva_platform.durable.worker_process import WorkerProcess
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.ledger.decisions import decide
from minerva_platform.storage.ledger.schema import decisions, runs
from minerva_platform.testing import Reply, scripted_openai_server

ASKED: Final = ("packer", "packer", "lead", "reviewer", "flaky", "guesser", "apart", "broken")
"""Who is asked at once, a run each. Then the queue is worked off, and `asker` asks a person."""
CALLS: Final = {
    # name: calls, and milliseconds of one by the clock
    "packer": (3, 100),  # asked twice, and once through the queue, where it waited for a minute
    "helper": (2, 60),  # both by `lead`, in one run
    "lead": (1, 120),  # its two calls of `helper`; what its model takes is no time here
    "reviewer": (1, 150),  # in a run of its own; the start of that run is no call
    "asker": (1, 110),  # 30 until it asks, and again 30 and 50 once it is answered
    "flaky": (1, 10),
    "spare": (1, 20),  # which took over from `flaky`
    "guesser": (1, 0),
    "apart": (1, 0),  # the process it works in has a clock of its own
    "broken": (1, 10),
}
SLOWEST, MOST_CALLED = "reviewer", "packer"
PAUSED: Final = 'minerva_status="paused"'
RUNS: Final = 11
"""Eight that are asked at once, the reviewer's own, the packer's of the queue, and the asker's."""
ROUTED: Final = 21
"""Two decisions a run: whom to ask, and that it is done. The reviewer's own has its plan whole.

The run that asks a person makes one before it, and one after it.
"""
BYPASSES: Final = 2
"""`flaky`, for whom `spare` stood in, and the model of `guesser`; `broken` ended its run."""
FAILED, ANSWERED = 3, 2
"""Runs in which something failed, and those of them that still had an answer."""
DECIDED_S: Final = 7_200
"""What the person took."""
WAITED_S: Final = 30 + 60 + 45
"""For a process: the reviewer's run, the packer's, and the asker's once it was decided about."""


async def hour(home: Path, engine: Engine, team: Team, day: ManualClock) -> list[Run]:
    """Let all of it happen."""
    recorder = build_recorder(home, environment={})
    options = RunOptions(engine=engine, home=home, recorder=recorder, clock=day.as_clock())
    ended: list[Run] = []

    async def work(*, waited: float) -> None:
        """Work off the queue, in which all runs have waited for so many seconds."""
        since = day.now_ns / 1e9 - waited
        its = update(runs).where(runs.c.status == "queued").values(created=since)
        engine.write(lambda connection: connection.execute(its))

        def keep(_: str, end: Any) -> None:
            ended.append(end)

        await WorkerProcess(lambda _: team.assembled, options, on_end=keep).work(until_empty=True)

    for request in ASKED:
        run = await run_team(team.assembled, Task(request=request), options)
        ended.append(run)
    await work(waited=30)
    await submit_team(team.assembled, Task(request="packer"), options)
    await work(waited=60)
    paused = await run_team(team.assembled, Task(request="asker"), options)
    answer = {paused.interrupts[0].id: {"type": "respond", "value": "yes"}}
    decide(engine, paused.run_id, answer, by="kim", wakes=True)
    at = paused.interrupts[0].asked + DECIDED_S
    engine.write(lambda connection: connection.execute(update(decisions).values(at=at)))
    day.now_ns = round((at + 45) * 1e9)
    await work(waited=0)
    recorder.close()
    return ended


@pytest.mark.slow
@pytest.mark.model_server
def test_four_figures_of_an_hour_are_what_was_counted_by_hand(
    minerva_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `stats`, the dashboard, Prometheus and SQL over the rows say them."""
    minerva_home.mkdir()
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    day = ManualClock()
    day.now_ns = time.time_ns()
    feed = PrometheusPage(minerva_home)
    script = by_turn(calling(("helper", "a")), calling(("helper", "b")), Reply(text="done"))
    state = minerva_home / "state.db"
    with scripted_openai_server(script) as server, opened_engine(state) as engine:
        ended = asyncio.run(hour(minerva_home, engine, office(day, server.url), day))
    page = feed.text()[0].decode()
    feed.close()

    assert len(ended) == RUNS
    assert sum(run.status == "failed" for run in ended) == FAILED - ANSWERED
    stats_agree()
    dashboard_agrees(minerva_home)
    prometheus_agrees(page)
    sql_agrees(minerva_home / "runs.jsonl")


def stats_agree() -> None:
    """Compare what `minerva stats --json` says."""
    report = report_to_json(told_of(StatsOptions()))
    totals, workers = report["totals"], [each for each in report["figures"] if each["is_worker"]]
    assert {each["name"]: (each["calls"], each["mean_ms"]) for each in workers} == CALLS
    assert (totals["runs"], totals["routing_calls"]) == (RUNS, ROUTED)
    assert totals["routing_calls_per_run"] == ROUTED / RUNS
    assert (totals["bypasses"], totals["runs_with_failure"]) == (BYPASSES, FAILED)
    assert (totals["runs_answered"], totals["unfinished"]) == (ANSWERED, 0)
    assert totals["waits_ms"].keys() == {"queue", "process", "person"}
    assert totals["waits_ms"]["queue"] == pytest.approx(WAITED_S * 1e3)
    assert totals["waits_ms"]["person"] == totals["waited_ms"] == DECIDED_S * 1e3


def dashboard_agrees(home: Path) -> None:
    """Compare what its first page asks for, and its list of runs."""
    with SpanStore(home) as store:
        store.refresh()
        metrics = Metrics(store)
        seen, listed = metrics.overview(), metrics.runs(limit=100)
    assert seen.slowest is not None
    assert (seen.slowest.name, seen.slowest.mean_ms) == (SLOWEST, CALLS[SLOWEST][1])
    assert seen.most_called is not None
    assert (seen.most_called.name, seen.most_called.calls) == (MOST_CALLED, CALLS[MOST_CALLED][0])
    assert sum(each.count for each in seen.bypassed) == BYPASSES
    assert listed.total == RUNS
    assert sum(run.routing_calls for run in listed.runs) == ROUTED
    assert sum(run.workers for run in listed.runs) == sum(calls for calls, _ in CALLS.values())


def prometheus_agrees(page: str) -> None:
    """Compare the page of a Prometheus server."""
    duration, ran = "gen_ai_invoke_agent_duration_seconds", "minerva_run_duration_seconds"
    for name, (calls, ms) in CALLS.items():
        its = f'gen_ai_agent_name="{name}"'
        counted, summed = (
            shown(page, f"{duration}_{what}", its) - shown(page, f"{duration}_{what}", its, PAUSED)
            for what in ("count", "sum")
        )
        assert counted == calls, name
        assert summed == pytest.approx(calls * ms / 1e3), name
    asking = 'minerva_status="needs_human"'
    assert shown(page, f"{ran}_count") - shown(page, f"{ran}_count", asking) == RUNS
    assert shown(page, f"{ran}_count", 'minerva_status="ok_degraded"') == ANSWERED
    assert shown(page, "minerva_routing_duration_seconds_count") == ROUTED
    went_on = ("bypassed", "substituted", "skipped", "left_out")
    labels = [f'minerva_action="{action}"' for action in went_on]
    assert sum(shown(page, "minerva_failures_total", each) for each in labels) == BYPASSES
    queue = 'minerva_reason="queue"'
    assert shown(page, "minerva_wait_duration_seconds_sum", queue) == pytest.approx(WAITED_S)


def sql_agrees(file: Path) -> None:
    """Compare SQL over the rows."""
    rows = f"read_json('{file}', format = 'newline_delimited')"
    calls = "kind = 'agent' AND status NOT IN ('paused', 'skipped') AND agent_name = "
    calls += "regexp_extract(path, '([^/#]+)(#[0-9]+)?$', 1)"
    went_on = "action IN ('bypassed', 'substituted', 'skipped', 'left_out')"

    def ask(question: str) -> list[Any]:
        answer: Any = duckdb.sql(question.replace("ROWS", rows))
        return list(answer.fetchall())

    by_name = f"FROM ROWS WHERE {calls} GROUP BY agent_name ORDER BY"
    mean = "avg(coalesce(took_ms, ms))"
    assert ask(f"SELECT agent_name, {mean} {by_name} 2 DESC LIMIT 1") == [
        (SLOWEST, CALLS[SLOWEST][1])
    ]
    assert ask(f"SELECT agent_name, count(*) {by_name} 2 DESC LIMIT 1") == [
        (MOST_CALLED, CALLS[MOST_CALLED][0])
    ]
    assert ask("SELECT count(*) FILTER (kind = 'route'), count(DISTINCT run_id) FROM ROWS") == [
        (ROUTED, RUNS)
    ]
    assert ask(f"SELECT count(*) FROM ROWS WHERE because_of IS NULL AND {went_on}") == [(BYPASSES,)]  # noqa: S608  # ours
    failed = "(action IS NOT NULL OR status IN ('failed', 'timeout')) AND because_of IS NULL"
    of_runs = f"SELECT run_id, bool_or({failed}) AS failed, max_by(status, timestamp)"
    of_runs += " FILTER (kind = 'run') AS status FROM ROWS GROUP BY run_id"
    answered = "count(*) FILTER (failed AND status LIKE 'ok%')"
    assert ask(f"SELECT count(*) FILTER (failed), {answered} FROM ({of_runs})") == [  # noqa: S608  # ours
        (FAILED, ANSWERED)
    ]
