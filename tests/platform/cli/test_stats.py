"""`minerva stats`: the figures are those of the lines, whoever adds them up."""

import asyncio
import csv
import io
import json
import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict

import copies
import numpy as np
import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import RetryPolicy

from minerva_observability import RunScope, build_recorder, record_span
from minerva_platform import AgentInput, AgentOutput, BaseAgent, Task, Team
from minerva_platform.config.model_spec import ModelSpec
from minerva_platform.durable.active_run import run_team
from minerva_platform.models.model import Model
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import EachOnceRouter, Reply, scripted_openai_server

CONFIGS = Path(__file__).parents[3] / "configs"
KEYS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "agent": lambda row: row["agent_name"],
    "node": lambda row: (row["node"], row["agent_name"]) if row["kind"] == "node" else None,
    "team": lambda row: row["team"],
}
WITHOUT_DUCKDB = """
import sys
sys.modules["duckdb"] = None
from minerva_platform.cli import main
main()
"""


def figures_by_hand(rows: list[dict[str, Any]], by: str) -> dict[Any, dict[str, Any]]:
    """Return each group's figures, with nothing but the lines."""
    calls: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    own_ms: Counter[Any] = Counter()
    total_ms: Counter[Any] = Counter()
    whole_ms = sum(row["self_ms"] for row in rows)
    for row in rows:
        group = None if row["kind"] == "wait" else KEYS[by](row)
        if group is None:
            continue
        own_ms[group] += row["self_ms"]
        is_supervisor = row.get("agent_name", "").endswith("_supervisor")
        is_call = row["kind"] == "node" if by == "node" else row["kind"] in {"agent", "run"}
        if is_call and (by != "team" or is_supervisor):
            total_ms[group] += row["ms"]
            if row["status"] not in {"paused", "needs_human"}:  # else it is not over yet
                calls[group].append(row)
    return {
        group: {
            "calls": len(rows),
            "failures": sum(row["status"] == "failed" for row in rows),
            "mean_ms": sum(row["ms"] for row in rows) / len(rows),
            "p50_ms": np.percentile([row["ms"] for row in rows], 50),
            "p95_ms": np.percentile([row["ms"] for row in rows], 95),
            "p99_ms": np.percentile([row["ms"] for row in rows], 99),
            "self_ms": min(own_ms[group], total_ms[group]),  # rounded row by row
            "total_ms": total_ms[group],
            "share": own_ms[group] / whole_ms,
        }
        for group, rows in calls.items()
    }


@pytest.mark.whole
def test_the_figures_of_two_demos_are_those_of_their_lines(
    invoke: Any, recorded: Callable[[], list[dict[str, Any]]]
) -> None:
    """By agent, node and team; routing calls and time of a run; all that `minerva demo` left."""
    for _ in range(2):
        assert invoke("demo", "--config", CONFIGS).exit_code == 0
    rows = recorded()
    routes = [row for row in rows if row["kind"] == "route"]
    runs = [row for row in rows if row["kind"] == "run"]

    for by in ("agent", "node", "team"):
        told = json.loads(invoke("stats", "--json", "--by", by).stdout)
        found = {
            (each["name"], each["agent_name"]) if by == "node" else each["name"]: each
            for each in told["figures"]
        }
        expected = figures_by_hand(rows, by)
        assert expected.keys() <= found.keys()
        assert {found[each]["calls"] for each in found.keys() - expected.keys()} <= {0}
        for group, figures in expected.items():
            shown = {name: found[group][name] for name in figures}
            assert shown == pytest.approx(figures, rel=1e-9)
        assert sum(each["share"] for each in told["figures"]) <= 1 + 1e-9
        totals = told["totals"]
        assert (totals["runs"], totals["statuses"], totals["unfinished"]) == (
            2,
            {"needs_human": 2},
            0,
        )
        assert totals["routing_calls_per_run"] == len(routes) / 2
        assert totals["routing_ms_per_run"] == pytest.approx(sum(row["ms"] for row in routes) / 2)
        whole_ms = sum(row["ms"] for row in runs)
        assert totals["routing_share"] == pytest.approx(sum(row["ms"] for row in routes) / whole_ms)
        assert (told["files"], told["duplicates"], told["bad"]["total"]) == (1, 0, 0)


class _State(TypedDict, total=False):
    request: str
    summary: str


class Fetcher(BaseAgent[AgentInput, AgentOutput]):
    """Fails twice, then asks a model; or always fails."""

    description = "…"

    def __init__(self, name: str, *, fails: int, model: Model | None = None) -> None:
        self.name = name
        self.left, self.asked = fails, model

    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return a graph with one node that is tried three times."""
        builder: StateGraph[Any, Any, Any, Any] = StateGraph(_State)
        policy = RetryPolicy(max_attempts=3, retry_on=OSError, initial_interval=0.001, jitter=False)
        fetch: Any = self.fetch
        builder.add_node("fetch", fetch, retry_policy=policy)
        builder.add_edge(START, "fetch")
        return builder

    async def fetch(self, _: _State) -> _State:
        """Fail as often as it is set to."""
        if self.left:
            self.left -= 1
            message = "connection reset"
            raise OSError(message)
        return {"summary": await self.asked.text("?") if self.asked else "…"}


@pytest.fixture
def degraded(minerva_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Record a run with a worker that is tried again and asks a model, and one that only fails."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    recorder = build_recorder(minerva_home)
    script = [Reply(text="fine", prompt_tokens=1000, completion_tokens=500)]
    with scripted_openai_server(script) as server:
        spec = ModelSpec(
            name="openai:scripted",
            base_url=server.url,
            prompt_price=2.0,
            completion_price=8.0,
        )
        flaky = Fetcher("flaky", fails=2, model=Model(spec))
        members = (flaky, Fetcher("broken", fails=9))
        team = Team(name="t", description="…", members=members, router=EachOnceRouter())
        run = asyncio.run(
            run_team(team.assembled, Task(request="go"), RunOptions(recorder=recorder))
        )
    recorder.close()
    assert run.status == "ok_degraded"
    return minerva_home


@pytest.mark.usefixtures("fresh_models", "degraded")
def test_what_went_wrong_is_counted_where_it_did(invoke: Any) -> None:
    """A failure that was bypassed, tries that were made again, tokens and cost."""
    told = json.loads(invoke("stats", "--json").stdout)
    agents = {each["name"]: each for each in told["figures"]}
    nodes = json.loads(invoke("stats", "--by", "node", "--json").stdout)["figures"]
    [model] = json.loads(invoke("stats", "--by", "model", "--json").stdout)["figures"]
    names = ("calls", "failures", "bypasses", "retries")

    assert [agents["flaky"][name] for name in names] == [1, 0, 0, 2]
    assert [agents["broken"][name] for name in names] == [1, 1, 1, 2]
    assert {each["agent_name"]: [each[name] for name in names] for each in nodes} == {
        "flaky": [3, 2, 0, 2],
        "broken": [3, 3, 0, 2],
    }
    assert (model["name"], model["calls"], model["prompt_tokens"]) == ("openai:scripted", 1, 1000)
    assert model["cost"] == agents["flaky"]["cost"] == pytest.approx(0.006)
    totals = told["totals"]
    assert totals["statuses"] == {"ok_degraded": 1}
    assert (totals["worker_calls"], totals["failures"], totals["bypasses"]) == (2, 1, 1)
    assert (totals["prompt_tokens"], totals["completion_tokens"]) == (1000, 500)


@pytest.mark.usefixtures("fresh_models", "degraded")
def test_people_read_the_answers_in_words_and_then_a_table(invoke: Any) -> None:
    """The four questions, then a row for each agent."""
    done = invoke("stats")
    words = " ".join(done.stdout.split())

    assert done.exit_code == 0
    assert "runs 1 over or waiting · 1 ok_degraded · p50" in words
    assert "slowest flaky, " in words
    assert "failures 1 in all · 1 of 2 calls of workers · 1 bypassed" in words
    assert "a run · " in words
    assert "models 1,000 tokens in, 500 out · cost 0.0060 USD" in words
    assert "name team calls failures bypassed retries mean p50 p95 p99 self" in words
    assert "broken t 1 1 1 2 " in words
    assert done.stderr == "1 file read\n"


def test_arms_and_persons_have_figures_of_their_own(invoke: Any, minerva_home: Path) -> None:
    """The time that a person took is in no other figure."""
    recorder = build_recorder(minerva_home)
    for arm in ("control", "trial", "trial"):
        with RunScope(recorder=recorder).bound():
            who = {"team": "t", "agent_name": "t_team_supervisor"}
            with record_span(kind="run", path="t", **who):  # type: ignore[arg-type]
                with record_span(kind="route", path="t", arm=arm, **who):  # type: ignore[arg-type]
                    pass
                with record_span(kind="pause", path="t", waited_ms=90_000.0, **who):  # type: ignore[arg-type]
                    pass
    recorder.close()
    told = json.loads(invoke("stats", "--by", "arm", "--json").stdout)
    arms = {each["name"]: (each["calls"], each["routing_calls"]) for each in told["figures"]}
    only = json.loads(invoke("stats", "--arm", "control", "--json").stdout)

    assert arms == {"control": (1, 1), "trial": (2, 2)}
    assert told["totals"]["waited_ms"] == 270_000
    assert "waiting 4.5 min for persons" in " ".join(invoke("stats").stdout.split())
    assert (only["totals"]["runs"], only["filter"]) == (1, {"arm": "control"})


def line(number: int, **fields: Any) -> str:
    """Return the line of a worker's call."""
    row = {"schema": 1, "run_id": "r", "span_id": str(number), "path": "t/w", "kind": "agent"}
    row |= {"status": "ok", "ms": 5, "self_ms": 5, "team": "t", "agent_name": "w"}
    row |= {"timestamp": f"2026-01-31T0{number}:00:00.000Z"}
    return json.dumps({**row, **fields})


def test_what_is_left_out_is_told(invoke: Any, tmp_path: Path) -> None:
    """Bad lines with their causes, doubles, unfinished lines: beside the table or in the object."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "runs.jsonl").write_text(f"{line(1)}\nnot json\n{line(2)}\n{line(1)}\n")
    (tmp_path / "a" / "runs.2.jsonl").write_text(f"{line(3)}\n{line(4)[:30]}")
    done = invoke("stats", "--source", "a")
    told = json.loads(invoke("stats", "--source", "a", "--json").stdout)

    assert done.stderr == (
        "2 files read; 1 line without a record passed over: 1 not_json; 1 last line unfinished;"
        " 1 row found twice\n"
    )
    assert told["figures"][0]["calls"] == 3
    assert (told["files"], told["duplicates"], told["unfinished_lines"]) == (2, 1, 1)
    assert told["bad"] == {
        "total": 1,
        "causes": {"not_json": 1},
        "lines": [{"line": 2, "cause": "not_json", "detail": "not json", "file": "a/runs.jsonl"}],
        "truncated": False,
    }


@pytest.mark.parametrize(
    ("options", "calls"),
    [
        (["--since", "2026-01-31T02:00Z"], 3),
        (["--since", "2026-01-31T02:00:00+00:00", "--until", "2026-01-31T04:00Z"], 2),
        (["--until", "2026-01-31T01:00Z"], None),
        (["--agent", "w", "--team", "t"], 4),
        (["--team", "other"], None),
        (["--version", "minerva-team-t 1.0", "--host", "one", "--pid", "42"], 4),
        (["--version", "minerva-team-t 1"], None),
        (["--host", "two"], None),
        (["--pid", "4"], None),
        (["--source", "*/runs*.jsonl"], 4),
        (["--source", "a/runs.jsonl"], 4),
    ],
)
def test_figures_can_be_narrowed(
    invoke: Any, tmp_path: Path, options: list[str], calls: int | None
) -> None:
    """By time, team, agent, version, place and source; nothing found is no error."""
    (tmp_path / "a").mkdir()
    root = {**json.loads(line(4)), "kind": "run", "span_id": "0", "agent_name": None}
    root |= {"versions": {"t": "minerva-team-t 1.0"}, "host": "one", "pid": 42}
    lines = (json.dumps(root), *map(line, (1, 2, 3, 4)))
    (tmp_path / "a" / "runs.jsonl").write_text("\n".join(lines) + "\n")
    where = [] if "--source" in options else ["--source", "a"]
    done = invoke("stats", "--json", *where, *options)
    figures = json.loads(done.stdout)["figures"]

    assert done.exit_code == 0
    assert [each["calls"] for each in figures] == ([] if calls is None else [calls])
    if calls is None:
        shown = invoke("stats", *where, *options)
        assert (shown.exit_code, shown.stdout) == (0, "")
        assert "No record in a is among those that were asked for." in shown.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--since", "yester\x1b[2Jday"], "--since `yester\\x1b[2Jday` is no time that could"),
        (["--since", "9999999999d"], "30m, 24h, 7d; or when: 2026-01-31"),
        (["--since", "1h", "--until", "2h"], "--until 2h is not after --since 1h."),
        (["--source", "nowhere"], "There is no nowhere. --source takes a file (runs.jsonl)"),
        (["--source", "no*where/*.jsonl"], "No file of records matches no*where/*.jsonl."),
        (["--json", "--csv"], "Type either --json or --csv."),
    ],
)
def test_a_wrong_option_says_what_is_right(invoke: Any, options: list[str], told: str) -> None:
    """Nothing is printed that could be taken for figures."""
    done = invoke("stats", *options)

    assert (done.exit_code, done.stdout) == (2, "")
    assert told in done.stderr


@pytest.mark.parametrize("option", [[], ["--json"], ["--csv"]])
def test_before_the_first_run_it_says_what_to_type(invoke: Any, option: list[str]) -> None:
    """An empty home is no error."""
    done = invoke("stats", *option)

    assert done.exit_code == 0
    if option == ["--json"]:
        assert json.loads(done.stdout)["totals"]["runs"] == 0
    else:
        assert ' ask "…"' in done.stderr


HOSTILE = (
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2",
    "@SUM(A1)",
    "\t=1",
    "＝1",
    'a,"b"\r\nc',
    "\x1b[2J\x07",
)


@pytest.fixture
def hostile(minerva_home: Path) -> None:
    """Records of agents whose names want to be more than names."""
    minerva_home.mkdir()
    lines = [line(n, agent_name=name, path=f"t/{n}") for n, name in enumerate(HOSTILE)]
    lines.append(line(9, agent_name="[bold]x[/nope]", path="t/9", team="\u202egnihton"))
    (minerva_home / "runs.jsonl").write_text("\n".join(lines) + "\n")


@pytest.mark.usefixtures("hostile")
def test_csv_is_plain_and_runs_in_no_spreadsheet(invoke: Any) -> None:
    """RFC 4180, numbers as they are; what a spreadsheet would run begins with an apostrophe."""
    text = invoke("stats", "--csv").stdout_bytes.decode()
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))

    assert text.endswith("\r\n")
    assert text.count("\r\n") == len(HOSTILE) + 2
    assert text.splitlines()[0].startswith("name,team,agent_name,is_worker,calls,failures,bypasses")
    assert {row["name"] for row in rows} == {
        "'=cmd|' /C calc'!A0",
        "'+1+1",
        "'-2",
        "'@SUM(A1)",
        "\\t=1",
        "'＝1",
        'a,"b"\\r\\nc',
        "\\x1b[2J\\x07",
        "[bold]x[/nope]",
    }
    assert {(row["calls"], row["mean_ms"], row["cost"]) for row in rows} == {("1", "5.0", "")}


@pytest.mark.usefixtures("hostile")
def test_no_name_moves_the_cursor(invoke: Any) -> None:
    """A name is one cell of one line, whatever is in it."""
    done = invoke("stats")

    [table] = done.stdout.split("times in ms\n")[1:]
    assert len(table.splitlines()) == len(HOSTILE) + 2
    assert not {"\x1b", "\x07", "\r", "\t", "\u202e"} & set(done.stdout)
    assert "[bold]x[/nope]" in done.stdout


@pytest.mark.parametrize("columns", [200, 100, 60, 30])
def test_a_narrow_terminal_loses_columns_and_no_digit(
    invoke: Any, minerva_home: Path, columns: int
) -> None:
    """What is not shown is named, with what shows it."""
    from minerva_platform.cli.io.console import to_plain_text  # noqa: PLC0415  # rich is not free
    from minerva_platform.cli.records.figure_options import StatsOptions  # noqa: PLC0415  # see above
    from minerva_platform.cli.records.stats import told_of  # noqa: PLC0415  # see above
    from minerva_platform.cli.views.stats import draw_stats  # noqa: PLC0415  # see above

    minerva_home.mkdir()
    many = [
        line(1, span_id=str(n), ms=1_234_567, agent_name="a_rather_long_name") for n in range(9)
    ]
    (minerva_home / "runs.jsonl").write_text("\n".join(many) + "\n")
    text = to_plain_text(draw_stats(told_of(StatsOptions()), columns), columns)
    header = next(each for each in text.splitlines() if each.startswith("name"))

    assert all(len(each) <= columns for each in text.splitlines())
    dearest = ("calls", "p95") if columns < 60 else ("calls", "failures", "mean", "p95")
    assert all(word in header for word in dearest)
    assert text.count("1,234,567") >= len(dearest) - 2
    assert ("No room for" in text) == (columns < 200)
    assert invoke("stats").exit_code == 0


def test_what_was_not_read_is_not_shown_as_nothing(minerva_home: Path) -> None:
    """Of a very large log sums are missing, not zero, and the object says which."""
    from minerva_platform.cli.records.figure_options import StatsOptions  # noqa: PLC0415  # see above
    from minerva_platform.cli.records.stats import told_of  # noqa: PLC0415  # rich is not free
    from minerva_platform.cli.records.stats_export import figures_to_csv, report_to_json  # noqa: PLC0415

    minerva_home.mkdir()
    (minerva_home / "runs.jsonl").write_text(f"{line(1, prompt_tokens=5)}\n")
    told = told_of(StatsOptions(), large_bytes=1)
    as_json = report_to_json(told)
    [row] = csv.DictReader(io.StringIO(figures_to_csv(told)))

    assert as_json["not_read"] == [
        "waits_ms",
        "waited_ms",
        "prompt_tokens",
        "completion_tokens",
        "cost",
    ]
    for figures in (as_json["figures"][0], as_json["totals"]):
        assert (
            not {"waits_ms", "waited_ms", "prompt_tokens", "completion_tokens", "cost"}
            & figures.keys()
        )
    assert (row["calls"], row["prompt_tokens"], row["waited_ms"]) == ("1", "", "")


def test_without_duckdb_it_says_what_to_install(minerva_home: Path) -> None:
    """A team alone has no need of it; one clear line, no traceback. `tail` and `runs` work."""
    minerva_home.mkdir()
    (minerva_home / "runs.jsonl").write_text(line(1) + "\n")
    command = [sys.executable, "-c", WITHOUT_DUCKDB]
    stats = copies.run([*command, "stats"], capture_output=True, text=True, check=False)
    runs = copies.run([*command, "runs"], capture_output=True, text=True, check=False)

    assert (stats.returncode, stats.stdout) == (2, "")
    assert "pip install " in stats.stderr
    assert "'minerva-observability[dashboard]'" in stats.stderr
    assert len(stats.stderr.splitlines()) == 1
    assert (runs.returncode, runs.stderr) == (0, "")


def test_a_damaged_parquet_file_is_named(invoke: Any, minerva_home: Path) -> None:
    """It is an error in words: figures without its rows would be wrong."""
    (minerva_home / "runs").mkdir(parents=True)
    (minerva_home / "runs" / "2026-01-31.parquet").write_bytes(b"PAR1 no more")
    done = invoke("stats")

    assert (done.exit_code, done.stdout) == (2, "")
    assert "2026-01-31.parquet" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_ctrl_c_ends_a_long_reading_and_leaves_no_file(
    start: Any, minerva_home: Path, tmp_path: Path
) -> None:
    """At once, with 130 and without a word."""
    minerva_home.mkdir()
    passing = tmp_path / "passing"
    passing.mkdir()
    with (minerva_home / "runs.jsonl").open("w") as file:
        file.writelines(f"{line(1, span_id=str(number))}\n" for number in range(20_000))
    os.mkfifo(minerva_home / "runs.2.jsonl")  # who opens it waits for ever
    run = start("stats", TMPDIR=str(passing))
    wait_for_a_file(passing, run)
    run.send_signal(2)
    stdout, stderr = run.communicate()

    assert (run.returncode, stdout, stderr) == (130, b"", b"")
    assert list(passing.iterdir()) == []


def wait_for_a_file(folder: Path, run: "subprocess.Popen[bytes]") -> None:
    """Return when the process has begun to read."""
    while not list(folder.glob("*/spans.duckdb*")):
        assert run.poll() is None, "nothing was read"
        time.sleep(0.01)
