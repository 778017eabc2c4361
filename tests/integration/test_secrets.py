"""No secret is on record or shown, whichever way it came in and whoever looks (P19).

Each way in has a canary of its own (`leaky_team.CANARIES`); a sink is an entry of `SINKS`.

These hold what the person gave or asked for, by design, and are left out: the answer on standard
output and `--json`, artifacts, and state.db, which keeps the conversation and is searched for the
environment's secrets alone.
"""

import asyncio
import importlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from base64 import b64encode
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus
from urllib.request import urlopen

import copies
import duckdb
import pytest
from chromium import FLAGS
from collector import Collector
from forms import forms
from playwright.sync_api import sync_playwright
from typer.testing import CliRunner, Result

from minerva_observability import build_recorder
from minerva_platform import Platform
from minerva_platform.cli.main import app as command
from minerva_platform.testing import scripted_openai_server
from minerva_platform.testing.model_script import ModelCall, ScriptEndedError

MINERVA = Path(sys.executable).with_name("minerva")
WAYS = "declared message chained quotes repeats unfit asks hostile lost"
"""The members of the team, which are asked by their names."""


def spellings(secret: str) -> Iterator[bytes]:
    """Yield how a sink might spell `secret`, and parts of it that a cut would leave."""
    for text in (secret, secret.strip()[-10:]):
        plain = text.encode()
        yield from (plain, json.dumps(text)[1:-1].encode(), repr(text)[1:-1].encode())
        yield from (quote(plain, safe="").encode(), quote_plus(plain).encode())
        for before in range(3):
            letters = b64encode(bytes(before) + plain).rstrip(b"=")
            if len(text) > 10:
                yield letters[4:-2]
                yield letters[4:-2].replace(b"+", b"-").replace(b"/", b"_")


def leaks(data: bytes, canaries: Mapping[str, str]) -> list[str]:
    """Return the names of the canaries that are in `data`."""
    found = {name for name, secret in canaries.items() for way in spellings(secret) if way in data}
    if b"canary" in data.lower():
        found.add(f"a part: …{data[max(0, data.lower().index(b'canary') - 200) :][:300]!r}")
    return sorted(found)


@dataclass
class Ran:
    """What the runs left."""

    folder: Path
    environment: dict[str, str]
    canaries: Mapping[str, str]
    secrets: Mapping[str, str]
    """Of the environment: no file at all may hold them."""
    collector: Collector
    stderr: dict[str, bytes] = field(default_factory=dict[str, bytes])
    prometheus: bytes = b""
    spans: str = ""

    @property
    def home(self) -> Path:
        """Where the records are."""
        return self.folder / ".minerva"

    def minerva(self, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[bytes]":
        """Run the command."""
        return copies.run(
            [MINERVA, *arguments],
            cwd=self.folder,
            env={**self.environment, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )

    def typed(self, *arguments: str) -> Result:
        """Call the command in this process, in the environment of those of their own."""
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            for name, value in self.environment.items():
                patch.setenv(name, value)
            return CliRunner().invoke(command, arguments, prog_name="minerva")

    def shown(self, *arguments: str) -> bytes:
        """Return what a command shows."""
        done = self.typed(*arguments)
        assert done.exit_code == 0, done.output
        return done.stdout_bytes + done.stderr_bytes

    def listed(self, *arguments: str) -> bytes:
        """Return what a list of runs shows where it keeps the words of requests out."""
        quiet = self.folder / "quiet"
        quiet.mkdir(exist_ok=True)
        (quiet / "platform.yaml").write_text("record_text: false\n", encoding="utf-8")
        return self.shown("runs", *arguments, "--config", str(quiet))

    def run_ids(self) -> list[str]:
        """Return the runs on record."""
        listed: list[dict[str, Any]] = json.loads(self.typed("runs", "--json").stdout)["runs"]
        return [each["run_id"] for each in listed]


def files(*patterns: str) -> Callable[[Ran], bytes]:
    """Return a sink: what is in files below the folder, names included."""

    def read(ran: Ran) -> bytes:
        found = [path for pattern in patterns for path in sorted(ran.folder.glob(pattern))]
        assert found
        return b"".join(str(path).encode() + path.read_bytes() for path in found if path.is_file())

    return read


def parquet(ran: Ran) -> bytes:
    """Compact a copy of the records; return its rows and all its bytes."""
    copy = ran.folder / "copy"
    if not copy.exists():
        copy.mkdir()
        for path in ran.home.glob("runs*.jsonl"):
            shutil.copy(path, copy)
        with (copy / "runs.jsonl").open("a") as file:
            file.write("no record\n")
        ran.shown("compact", str(copy))
    assert (copy / "runs" / "rejected.txt").exists()
    query = f"SELECT * FROM '{copy}/runs/*.parquet'"  # noqa: S608  # a folder of ours
    rows = duckdb.connect().execute(query).fetchall()
    assert len(rows) > 20
    raw = b"".join(path.read_bytes() for path in (copy / "runs").iterdir())
    return str(rows).encode() + json.dumps(rows, default=str).encode() + raw


def each_run(*options: str) -> Callable[[Ran], bytes]:
    """Return a sink: every run, as `minerva runs ID` shows it."""
    return lambda ran: b"".join(ran.listed(each, *options) for each in ran.run_ids())


def tailed(ran: Ran) -> bytes:
    """Return what `minerva tail` shows of the newest records."""
    tail: subprocess.Popen[bytes] = copies.Popen(
        [MINERVA, "tail"], cwd=ran.folder, env=ran.environment, stdout=subprocess.PIPE
    )
    assert tail.stdout is not None
    shown = b"".join(tail.stdout.readline() for _ in range(10))
    tail.send_signal(signal.SIGINT)
    return shown + tail.communicate()[0]


SINKS: dict[str, Callable[[Ran], bytes]] = {
    "runs.jsonl and its segments": files(".minerva/runs*.jsonl"),
    "Parquet and rejected.txt": parquet,
    "OTLP spans": lambda ran: ran.collector.bodies["/v1/traces"],
    "OTLP metrics": lambda ran: ran.collector.bodies["/v1/metrics"],
    "Prometheus": lambda ran: ran.prometheus,
    "live spans and records of a stream": lambda ran: ran.spans.encode(),
    "stderr, JSON logs": lambda ran: ran.stderr["json"],
    "stderr, console logs": lambda ran: ran.stderr["console"],
    "stderr, refused options": lambda ran: ran.stderr["refused"],
    "minerva runs": lambda ran: ran.listed(),
    "minerva runs --json": lambda ran: ran.listed("--json"),
    "minerva runs ID": each_run(),
    "minerva runs ID --json": each_run("--json"),
    "minerva stats": lambda ran: b"".join(
        ran.shown("stats", "--by", by, *form)
        for by, form in (("agent", ()), ("agent", ("--csv",)), ("node", ("--json",)), ("model", ()))
    ),
    "minerva tail": tailed,
    "what routers have learned": files("cache/**/*"),
}
"""Each place where records, or what is said beside an answer, can be read."""


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Generator[Ran]:
    """Run the team by the command, twice, and within this process."""
    folder = tmp_path_factory.mktemp("secrets")
    installed = folder / "installed"
    metadata = installed / "leaky_team-1.0.dist-info"
    metadata.mkdir(parents=True)
    shutil.copy(Path(__file__).with_name("leaky_team.py"), installed)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: leaky-team\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[minerva.teams]\nleaky = leaky_team:LeakyTeam\n")
    collector = Collector()
    threading.Thread(target=collector.serve_forever, args=(0.05,), daemon=True).start()

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(installed))
        leaky = importlib.import_module("leaky_team")

        def repeats(call: ModelCall) -> Any:
            message = f"Incorrect key {call.headers['authorization']} for {call.prompt}"
            raise ScriptEndedError(message)

        with scripted_openai_server(repeats) as server:
            environment = {
                **os.environ,
                **leaky.ENVIRONMENT,
                "PYTHONPATH": str(installed),
                "MINERVA_HOME": str(folder / ".minerva"),
                "XDG_CACHE_HOME": str(folder / "cache"),
                "LEAKY_MODEL": server.url,
            }
            done = Ran(folder, environment, leaky.CANARIES, leaky.ENVIRONMENT, collector)
            by_command(done)
            for name in (*leaky.ENVIRONMENT, "LEAKY_MODEL"):
                patch.setenv(name, environment[name])
            patch.setenv("LATE_SECRET", "")  # a worker sets it: put it back
            asyncio.run(within_this_process(done))
        yield done
    collector.shutdown()
    collector.server_close()


def wish(ran: Ran) -> tuple[str, Path]:
    """Return the request and a file to go with it."""
    file = ran.folder / f"{ran.canaries['file name']}.txt"
    file.write_text(f"{ran.canaries['attachment']} is inside")
    return f"{WAYS} {ran.canaries['request']} {ran.canaries['message']}", file


def by_command(ran: Ran) -> None:
    """Ask as people do, with spans and metrics sent out."""
    request, file = wish(ran)
    asked = ("ask", request, "-i", str(file), "--team", "leaky")
    endpoint = f"http://127.0.0.1:{ran.collector.server_port}"
    for form in ("json", "console"):
        thread = ("--thread", ran.canaries["thread"]) if form == "json" else ()
        done = ran.minerva(
            *asked,
            *thread,
            "--json",
            MINERVA_LOG=form,
            OTEL_EXPORTER_OTLP_ENDPOINT=endpoint,
            OTEL_EXPORTER_OTLP_COMPRESSION="gzip" if form == "json" else "none",
        )
        assert done.stdout, done.stderr.decode()
        run = json.loads(done.stdout)
        assert {hop["path"].split("/")[1] for hop in run["hops"]} >= set(WAYS.split()) - {"lost"}
        assert run["status"] == "ok_degraded", run
        ran.stderr[form] = done.stderr
    option = ran.canaries["option"]
    refused = [
        ran.typed("ask", "x", "--router", option),
        ran.typed("ask", "x", "--team", option),
        ran.typed("ask", "x", "--thread", f"{option}/"),
        ran.typed("ask", "x", "-i", option),
        ran.typed("ask", "x", "--config", option),
        ran.typed("runs", option),
    ]
    assert all(done.exit_code for done in refused)
    learned = ran.typed("ask", f"환자 식별 컬럼은? {ran.canaries['message']}", "--team", "data")
    ran.stderr["refused"] = b"".join(done.stderr_bytes for done in (*refused, learned))


async def within_this_process(ran: Ran) -> None:
    """Stream a run, in small files, and ask for its metrics; watch spans while they are open."""
    request, file = wish(ran)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    recorder = build_recorder(
        ran.home,
        environment={
            "OTEL_METRICS_EXPORTER": "prometheus",
            "OTEL_EXPORTER_PROMETHEUS_PORT": str(port),
        },
        segment_bytes=4_000,
    )
    app = Platform(only_team="leaky", recorder=recorder, home=ran.home)
    seen: list[str] = []
    open_spans: list[Any] = []
    async for event in app.stream(request, attachments=[file]):
        if event.span is not None:
            open_spans.append(event.span)
        if event.record is not None:
            seen.append(f"{event.record} {event.record.to_json_dict()}")
        seen += [f"{event.path} {span.path} {span.fields}" for span in open_spans]
    ran.spans = "\n".join(seen)
    ran.prometheus = await asyncio.to_thread(page, f"http://127.0.0.1:{port}/metrics")
    recorder.close()
    assert (ran.home / "runs.2.jsonl").exists()


def page(url: str) -> bytes:
    """Return what a Prometheus server gets."""
    with urlopen(url) as answer:  # noqa: S310  # http, loopback
        body: bytes = answer.read()
    return body


PAGES = {
    "": "asks",
    "agents": "hostile",
    "calls": "hostile",
    "routing": "leaky",
    "failures": "[masked]",
    "runs": "leaky",
    "teams/leaky": "hostile",
    "runs/ID": "[masked]",
}
"""Each page of the dashboard, and a text that it has once it is whole."""


@contextmanager
def dashboard(ran: Ran) -> Generator[str]:
    """Run `minerva dashboard`; give its address."""
    served = copies.Popen(
        [MINERVA, "dashboard", "--port", "0"],
        cwd=ran.folder,
        env=ran.environment,
        stderr=subprocess.PIPE,
    )
    assert served.stderr is not None
    try:
        said = re.search(r"http://\S+", served.stderr.readline().decode())
        assert said
        yield said[0]
    finally:
        served.send_signal(signal.SIGINT)
        served.communicate()


@pytest.mark.parametrize("paths", forms([(tuple(PAGES),)], [("runs/ID",)]))
def test_no_canary_is_on_any_page(
    ran: Ran, paths: tuple[str, ...], program: Callable[[str], Path]
) -> None:
    """In what the browser was sent, what is drawn, and what stands in attributes."""
    executable, newest = program("chromium"), ran.run_ids()[0]
    sent: list[bytes] = []

    def keep(payload: str | bytes) -> None:
        sent.append(payload if isinstance(payload, bytes) else payload.encode())

    with dashboard(ran) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        tab = browser.new_page(reduced_motion="reduce")
        tab.on("websocket", lambda socket: socket.on("framereceived", keep))
        for path in paths:
            tab.goto(f"{address}{path.replace('ID', newest)}")
            tab.get_by_text(PAGES[path]).first.wait_for(state="attached", timeout=300_000)
            sent.append(tab.content().encode())
        browser.close()

    assert leaks(b"\n".join(sent), ran.canaries) == []


@pytest.mark.slow
@pytest.mark.parametrize("sink", SINKS)
def test_no_canary_is_in_any_sink(ran: Ran, sink: str) -> None:
    """In no spelling, nor a part of one; and the sink is not empty."""
    data = SINKS[sink](ran)

    assert len(data) > 50
    assert leaks(data, ran.canaries) == []


def test_the_state_of_runs_holds_no_secret_of_the_environment(ran: Ran) -> None:
    """It keeps the person's own words and files, on purpose, but nothing of the machine's."""
    assert leaks_of_environment(ran, "state.db*") == []


def leaks_of_environment(ran: Ran, pattern: str) -> list[str]:
    """Return which of the environment's secrets are in the files of the home."""
    data = b"".join(path.read_bytes() for path in ran.home.glob(pattern))
    secrets = {
        name: value.partition("://me:")[2][:-5] or value for name, value in ran.secrets.items()
    }
    assert data
    return [name for name, value in secrets.items() for way in spellings(value) if way in data]


def test_records_still_say_what_happened(ran: Ran) -> None:
    """A mask over everything would be safe and worthless."""
    rows = [
        json.loads(line)
        for path in ran.home.glob("runs*.jsonl")
        for line in path.read_text().splitlines()
    ]
    errors = {row["error"]["message"] for row in rows if "error" in row}

    assert "[masked] is refused" in errors
    assert any("[masked history]" in error for error in errors)
    assert {"leaky/hostile", "leaky/quotes", "leaky/lost"} <= {row["path"] for row in rows}
    assert {row["kind"] for row in rows} >= {"run", "route", "agent", "node", "model", "tool"}


def test_the_search_finds_what_it_looks_for() -> None:
    """Or all of the above would pass on a sink that leaks."""
    secret = "sk-Canari-0123456789"  # noqa: S105  # no password
    for way in spellings(secret):
        assert leaks(b"x" + way + b"y", {"it": secret}) == ["it"]
    for before in (b"", b"a", b"ab"):
        assert leaks(b64encode(before + secret.encode() + b"xyz"), {"it": secret}) == ["it"]
