"""A Prometheus server can ask a process, or whoever follows the records of many."""

import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families

from minerva_observability import FanOut, JsonlSink, RunScope, build_recorder, record_span
from minerva_observability.metrics import PrometheusPage
from minerva_observability.sinks import OtelMetricsSink
from minerva_observability.sinks.prometheus import PrometheusEndpoint
from minerva_observability.sinks.telemetry import exporters

CALLS = "gen_ai_invoke_agent_duration_seconds_count"
HOSTILE = ('a"}\nminerva_up 1\n', "back\\slash", "nul\0", "\ud800", "병원\u2028agent", "{}=,~#")


def settings(port: int, **more: str) -> dict[str, str]:
    """Return an environment that asks for the endpoint."""
    return {
        "OTEL_METRICS_EXPORTER": "prometheus",
        "OTEL_EXPORTER_PROMETHEUS_PORT": str(port),
        **more,
    }


@pytest.fixture
def port() -> int:
    """Return a port that nobody listens on."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        free: int = server.getsockname()[1]
        return free


def run_agents(recorder: FanOut, *names: str) -> None:
    """Record one call of each."""
    with RunScope(recorder=recorder).bound(), record_span(kind="run", path="p"):
        for name in names:
            with record_span(kind="agent", path=f"p/{name}", agent_name=name, team="t"):
                pass


def samples(page: str, name: str) -> dict[str, float]:
    """Return a metric's values by agent; no line of another one is parsed."""
    lines = "".join(line for line in page.splitlines(keepends=True) if line.startswith(name))
    return {
        sample.labels.get("gen_ai_agent_name", ""): sample.value
        for family in text_string_to_metric_families(lines)
        for sample in family.samples
        if sample.name == name
    }


def test_a_process_can_be_asked(tmp_path: Path, port: int) -> None:
    """By OpenTelemetry's own variables; beside `runs.jsonl`, not instead of it."""
    recorder = build_recorder(tmp_path, environment=settings(port))

    run_agents(recorder, "a", "a", "b")
    with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        page = answer.read().decode()
    recorder.close()

    assert samples(page, CALLS) == {"": 1, "a": 2, "b": 1}
    assert (tmp_path / "runs.jsonl").read_bytes().count(b"\n") == 4
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port))


def test_closing_waits_for_nobody_who_asks(tmp_path: Path, port: int) -> None:
    """A client that connects and says nothing holds nothing up."""
    recorder = build_recorder(tmp_path, environment=settings(port))
    with closing(socket.create_connection(("127.0.0.1", port))):
        recorder.close()


def test_a_taken_port_is_said_and_the_run_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Two processes with the same settings: the second one records all the same."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        taken = server.getsockname()[1]
        recorder = build_recorder(tmp_path, environment=settings(taken))
    run_agents(recorder, "a")
    recorder.close()

    assert [type(sink).__name__ for sink in recorder.sinks] == ["JsonlSink"]
    assert len(caplog.records) == 1
    assert "OTEL_EXPORTER_PROMETHEUS_PORT" in caplog.text


def test_without_the_extra_one_line_says_so(tmp_path: Path) -> None:
    """A team alone installs no Prometheus client."""
    program = (
        "import sys; sys.modules['prometheus_client'] = None\n"
        "from minerva_observability import RunScope, build_recorder, record_span\n"
        "recorder = build_recorder(sys.argv[1])\n"
        "with RunScope(recorder=recorder).bound(), record_span(kind='run', path='p'): pass\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        env={"OTEL_METRICS_EXPORTER": "prometheus"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert run.stderr.count("\n") == 1
    assert "minerva-observability[dashboard]" in run.stderr
    assert (tmp_path / "runs.jsonl").read_bytes().count(b"\n") == 1


@pytest.mark.parametrize(
    ("environment", "chosen"),
    [
        ({}, ()),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h"}, ("otlp",)),
        ({"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://h"}, ("otlp",)),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://h"}, ()),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h", "OTEL_METRICS_EXPORTER": "none"}, ()),
        ({"OTEL_METRICS_EXPORTER": " Prometheus, otlp "}, ("otlp", "prometheus")),
    ],
)
def test_the_variables_choose(environment: dict[str, str], chosen: tuple[str, ...]) -> None:
    """As OpenTelemetry says, but for its default: nothing is sent unless it is asked for."""
    assert exporters(environment, "METRICS") == chosen


def test_an_unknown_exporter_is_said(caplog: pytest.LogCaptureFixture) -> None:
    """And the known ones beside it are used."""
    assert exporters({"OTEL_METRICS_EXPORTER": "console,otlp"}, "METRICS") == ("otlp",)
    assert "'console'" in caplog.text


def test_a_switched_off_sdk_serves_nothing(tmp_path: Path, port: int) -> None:
    """`OTEL_SDK_DISABLED` goes before everything else."""
    recorder = build_recorder(tmp_path, environment=settings(port, OTEL_SDK_DISABLED="true"))
    recorder.close()

    assert [type(sink).__name__ for sink in recorder.sinks] == ["JsonlSink"]


def test_a_feed_counts_what_other_processes_write(tmp_path: Path) -> None:
    """From now on, over rotation, whole lines only, each once."""
    recorder = FanOut(JsonlSink(tmp_path / "runs.jsonl"))
    run_agents(recorder, "before")
    feed = PrometheusPage(tmp_path)

    run_agents(recorder, "a")
    first = feed.text()[0].decode()
    torn = b'{"schema":1,"run_id":"r","span_id":"s","path":"p/b","kind":"agent",'
    with (tmp_path / "runs.jsonl").open("ab") as file:
        file.write(torn)
        file.flush()
        second = feed.text()[0].decode()
        file.write(b'"status":"ok","ms":1.5,"agent_name":"b"}\nno row\n')
    rotated = FanOut(JsonlSink(tmp_path / "runs.2.jsonl"))
    run_agents(rotated, "a", "c")
    third = feed.text()[0].decode()
    rotated.close()
    recorder.close()
    feed.close()

    assert samples(first, CALLS) == samples(second, CALLS) == {"": 1, "a": 1}
    assert samples(third, CALLS) == {"": 2, "a": 2, "b": 1, "c": 1}


def test_a_feed_survives_rows_that_are_no_records(tmp_path: Path) -> None:
    """They are counted as rejected; a file that was cut is read from its beginning."""
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"x" * 1_000)
    feed = PrometheusPage(tmp_path)
    row = b'{"schema":1,"run_id":"r","span_id":"s","path":"p/b","kind":"agent","status":"ok","ms":1'
    path.write_bytes(row + b',"agent_name":5}\n' + row + b',"agent_name":"b"}\n')

    page = feed.text()[0].decode()
    path.unlink()

    assert samples(page, CALLS) == {"b": 1}
    assert feed.rejections == 1
    assert samples(feed.text()[0].decode(), CALLS) == {"b": 1}
    feed.close()


def test_hostile_names_cannot_break_the_page(
    tmp_path: Path, port: int, program: Callable[[str], Path]
) -> None:
    """Prometheus' own parser reads each page; no name becomes a metric or a second label."""
    recorder = build_recorder(tmp_path, environment=settings(port))
    run_agents(recorder, *HOSTILE, "x" * 10_000)
    with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        page = answer.read()
    recorder.close()
    check = subprocess.run(
        [program("promtool"), "check", "metrics", "--extended"],
        input=page,
        capture_output=True,
        check=False,
    )

    assert len(samples(page.decode(), CALLS)) == len(HOSTILE) + 2
    assert b"error while linting" not in check.stderr, check.stderr
    assert CALLS.removesuffix("_count").encode() in check.stdout
    assert b"minerva_up" not in check.stdout


@pytest.mark.slow
def test_names_without_end_cost_bounded_memory() -> None:
    """A mistake that makes up an agent for each call ends in one overflow series."""
    endpoint = PrometheusEndpoint(port=0)
    recorder = FanOut(OtelMetricsSink(endpoint.reader, also_close=endpoint.close))
    run_agents(recorder, *(f"agent_{number}" for number in range(2_100)))
    page = endpoint.reader.text()[0].decode()
    recorder.close()

    assert len(samples(page, CALLS)) <= 2_001
    assert 'otel_metric_overflow="true"' in page
