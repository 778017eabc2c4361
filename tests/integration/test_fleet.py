"""A real Prometheus asks a process that works; every expression we ship shows something of it."""

import asyncio
import itertools
import json
import math
import re
import socket
import subprocess
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
import yaml
from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.types import interrupt

from minerva_observability import FanOut, RunScope, build_recorder, record_span
from minerva_platform import Task, Team
from minerva_platform.config.model_spec import ModelSpec
from minerva_platform.durable.active_run import run_team
from minerva_platform.langgraph import agent_from_graph
from minerva_platform.models.model import Model
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.testing import EachOnceRouter, Reply, StubAgent, scripted_openai_server

CONFIGS = Path(__file__).parents[2] / "configs"
FOLDER = CONFIGS / "observability"
PATIENCE_S = 300.0
"""Then it is said which expression showed nothing."""
SCRAPE_S = 0.5
ROUNDS = 4
"""So many scrapes are there between one work and the next one."""


@pytest.fixture(autouse=True)
def _programs(program: Callable[[str], Path]) -> None:
    """Say what is missing on this machine, or fail where it must be there."""
    program("prometheus")
    program("promtool")


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def promtool(*arguments: str) -> str:
    """Run promtool; what it says is in the failure, if it fails."""
    run = subprocess.run(["promtool", *arguments], capture_output=True, text=True, check=False)  # noqa: S607  # where it is differs
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


class Prometheus:
    """A running server."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/api/v1"

    def get(self, path: str, **parameters: str) -> Any:
        """Return the data of an answer, or None while the server is starting."""
        try:
            with urlopen(f"{self.url}/{path}?{urlencode(parameters)}") as answer:  # noqa: S310  # http, loopback
                return json.load(answer)["data"]
        except (URLError, ConnectionError):
            return None

    def values(self, expression: str) -> list[float]:
        """Return the numbers that an expression has now."""
        data = self.get("query", query=expression)
        return [float(sample["value"][1]) for sample in data["result"]] if data else []

    def shows(self, expression: str) -> bool:
        """Tell whether an expression has a number, if only zero."""
        return not all(math.isnan(value) for value in self.values(expression))


@contextmanager
def prometheus(folder: Path, target: int) -> Generator[Prometheus]:
    """Run the shipped configuration, but for the target and the pace."""
    config = yaml.safe_load((FOLDER / "prometheus.yaml").read_text())
    scrape = f"{SCRAPE_S * 1_000:.0f}ms"
    config["global"] = {"scrape_interval": scrape, "evaluation_interval": scrape}
    config["rule_files"] = [str(FOLDER / name) for name in config["rule_files"]]
    config["scrape_configs"][0]["static_configs"] = [{"targets": [f"127.0.0.1:{target}"]}]
    file, port = folder / "prometheus.yaml", free_port()
    file.write_text(yaml.safe_dump(config))
    process = subprocess.Popen(
        [  # noqa: S607  # where it is differs
            "prometheus",
            f"--config.file={file}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
            "--log.level=error",
        ],
        cwd=folder,
    )
    try:
        yield Prometheus(port)
    finally:
        process.kill()
        process.wait()


def grafana_expressions() -> Iterator[tuple[str, str]]:
    """Yield each panel's expressions, as Grafana would send them."""
    board = json.loads((FOLDER / "grafana-dashboard.json").read_text())
    for panel in board["panels"]:
        for target in panel["targets"]:
            expression = re.sub(r"\$(team|agent)\b", ".*", target["expr"])
            yield panel["title"], re.sub(r"\$__(rate_interval|range)\b", "1m", expression)


def rule_expressions() -> Iterator[tuple[str, str]]:
    """Yield what each rule computes; of an alert, the side that is compared."""
    rules = yaml.safe_load((FOLDER / "prometheus-rules.yaml").read_text())
    for group in rules["groups"]:
        for rule in group["rules"]:
            if "record" in rule:
                yield rule["record"], rule["expr"]
                yield f"{rule['record']} as recorded", rule["record"]
            else:
                yield rule["alert"], rule["expr"].rpartition(" > ")[0]


def fails(_payload: Any) -> None:
    """Raise what a worker's flaky source would."""
    message = "the table is gone"
    raise LookupError(message)


def troubled_team(chat: Any) -> Team:
    """Return a team with all that can happen: failures, a substitute, a tool, a model."""

    @tool
    def length(text: str) -> int:
        """Count characters."""
        return len(text)

    counter = agent_from_graph(create_agent(chat, [length]), name="counter", description="Counts.")
    stubs = StubAgent("broken", behave=fails), StubAgent("flaky", behave=fails), StubAgent("spare")
    return Team(
        name="trouble",
        description="Shows what can go wrong.",
        members=(*stubs, counter),
        substitutes={"flaky": "spare"},
        router=EachOnceRouter(),
    )


def hopeless_team() -> Team:
    """Return a team whose runs fail."""
    return Team(
        name="hopeless",
        description="Fails.",
        members=(StubAgent("broken", behave=fails),),
        router=EachOnceRouter(),
    )


def asking_team() -> Team:
    """Return a team whose runs wait for a person."""
    return Team(
        name="asking",
        description="Asks.",
        members=(StubAgent("asker", behave=lambda _: {"summary": interrupt("May I?")}),),
        router=EachOnceRouter(),
    )


class Work:
    """Real runs: one that waits, one in which much goes wrong, one that fails."""

    def __init__(self, recorder: FanOut, engine: Engine, model_url: str) -> None:
        self.options = RunOptions(recorder=recorder, engine=engine)
        spec = ModelSpec(name="openai:m1", base_url=model_url, prompt_price=1, completion_price=2)
        self.model = Model(spec)
        self.teams = asking_team(), troubled_team(self.model.chat), hopeless_team()

    async def once(self) -> list[str]:
        """Run everything once; return how the runs ended."""
        runs = [
            await run_team(team.assembled, Task(request="환자"), self.options)
            for team in self.teams
        ]
        with (
            RunScope(recorder=self.options.recorder).bound(),
            record_span(kind="pause", path="p/counter", agent_name="counter", waited_ms=90_000),
        ):
            pass
        return [run.status for run in runs]


@pytest.mark.slow
async def test_every_expression_that_is_shipped_shows_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the Grafana dashboard and of the rules, on what a real Prometheus scraped."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    port = free_port()
    settings = {
        "OTEL_METRICS_EXPORTER": "prometheus",
        "OTEL_EXPORTER_PROMETHEUS_PORT": str(port),
    }
    home = tmp_path / ".minerva"
    script = [
        Reply(tool_calls=[("length", {"text": "환자"})], prompt_tokens=100, completion_tokens=10),
        Reply(text="two", prompt_tokens=120, completion_tokens=5),
    ]
    with ExitStack() as stack:
        recorder = build_recorder(home, environment=settings)
        stack.callback(recorder.close)
        server = stack.enter_context(prometheus(tmp_path, port))
        models = stack.enter_context(scripted_openai_server(script * 1_000))
        engine = stack.enter_context(opened_engine(home / "state.db"))
        work = Work(recorder, engine, models.url)
        pending = {*grafana_expressions(), *rule_expressions()}
        count = len(pending)
        deadline = time.monotonic() + PATIENCE_S
        for number in itertools.count():
            if number % ROUNDS == 0:  # what is done twice between two scrapes shows no more
                assert await work.once() == ["needs_human", "ok_degraded", "failed"]
            scraped = server.shows("minerva_run_duration_seconds_count")
            if scraped and number > ROUNDS:  # rates need series that grew between two scrapes
                pending -= {each for each in pending if server.shows(each[1])}
            if not pending or time.monotonic() > deadline:
                break
            await asyncio.sleep(SCRAPE_S)

    assert pending == set()
    assert count > 35


def test_the_rules_file_is_valid() -> None:
    """So says the program that reads it."""
    assert "13 rules found" in promtool("check", "rules", str(FOLDER / "prometheus-rules.yaml"))
    assert "SUCCESS" in promtool("check", "config", str(FOLDER / "prometheus.yaml"))


def series(name: str, values: str, **labels: str) -> dict[str, str]:
    """Return an input series of `promtool test rules`: a value each minute."""
    inside = ", ".join(f'{key}="{value}"' for key, value in labels.items())
    return {"series": f"{name}{{{inside}}}", "values": values}


def test_the_alerts_fire_and_name_who_is_meant(tmp_path: Path) -> None:
    """On a bad half hour of one agent; its neighbour, which is well, is not named."""
    calls, runs = "gen_ai_invoke_agent_duration_seconds", "minerva_run_duration_seconds"
    bad, good = {"gen_ai_agent_name": "bad"}, {"gen_ai_agent_name": "good"}
    bypassed = {"minerva_kind": "agent", "minerva_action": "bypassed", "minerva_status": "failed"}
    skipped = {**bypassed, "minerva_action": "skipped", "minerva_status": "skipped"}
    given = [
        series(f"{calls}_count", "0+30x60", **bad, minerva_status="ok"),
        series(f"{calls}_count", "0+30x60", **bad, minerva_status="failed"),
        series(f"{calls}_count", "0+60x60", **good, minerva_status="ok"),
        series(f"{calls}_bucket", "0+0x60", **bad, minerva_role="worker", le="25.6"),
        series(f"{calls}_bucket", "0+60x60", **bad, minerva_role="worker", le="51.2"),
        series(f"{calls}_bucket", "0+60x60", **bad, minerva_role="worker", le="+Inf"),
        series(f"{calls}_bucket", "0+60x60", **good, minerva_role="worker", le="25.6"),
        series(f"{calls}_bucket", "0+60x60", **good, minerva_role="worker", le="+Inf"),
        series("minerva_failures_total", "0+30x60", **bad, **bypassed),
        series("minerva_failures_total", "0+0x60", **good, **bypassed),
        series("minerva_failures_total", "0+6x60", gen_ai_agent_name="left_out", **skipped),
        series("minerva_routing_duration_seconds_sum", "0+40x60"),
        series(f"{runs}_sum", "0+80x60", minerva_status="ok"),
        series(f"{runs}_count", "0+10x60", minerva_status="ok"),
        series(f"{runs}_count", "0+10x60", minerva_status="failed"),
        series("minerva_records_dropped_total", "0+1x60", minerva_sink="JsonlSink"),
    ]
    firing = {
        "MinervaAgentSlow": {"bad"},
        "MinervaAgentFailing": {"bad"},
        "MinervaFailuresBypassed": {"bad", "left_out"},
        "MinervaRoutingExpensive": {""},
        "MinervaRunsFailing": {""},
        "MinervaRecordsDropped": {""},
    }
    checks = [
        {
            "expr": "count by (gen_ai_agent_name)"
            f'(ALERTS{{alertname="{alert}", alertstate="firing"}})',
            "eval_time": "30m",
            "exp_samples": [
                {"labels": f'{{gen_ai_agent_name="{name}"}}' if name else "{}", "value": 1}
                for name in sorted(names)
            ],
        }
        for alert, names in firing.items()
    ]
    test = {"interval": "1m", "input_series": given, "promql_expr_test": checks}
    file = tmp_path / "test.yaml"
    rules = [str(FOLDER / "prometheus-rules.yaml")]
    file.write_text(yaml.safe_dump({"rule_files": rules, "tests": [test]}))

    promtool("test", "rules", str(file))
