"""Phoenix takes the spans of a served run, and shows them as one trace below its caller's span."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from traced_office import CALLER, TRACE, asked

PACKAGE = "arize-phoenix==20.26.1"
"""It gets an environment of its own: our lock's versions are not the ones that it needs."""
TRIES = 600
"""How often Phoenix is asked for spans that it may still be writing."""
SPANS = "/v1/projects/default/spans"


@contextmanager
def phoenix(folder: Path) -> Generator[str]:
    """Serve Phoenix with a database in `folder`, and give its address once it answers."""
    with (
        socket.create_server(("127.0.0.1", 0)) as one,
        socket.create_server(("127.0.0.1", 0)) as two,
    ):
        port, other = one.getsockname()[1], two.getsockname()[1]
    url, variables = (
        f"http://127.0.0.1:{port}",
        {
            "PHOENIX_HOST": "127.0.0.1",
            "PHOENIX_PORT": str(port),
            "PHOENIX_GRPC_PORT": str(other),
            "PHOENIX_WORKING_DIR": str(folder),
            "PHOENIX_TELEMETRY_ENABLED": "false",
        },
    )
    uv = (sys.executable, "-m", "uv", "tool", "run", "--quiet")
    command = (*uv, "--python", sys.executable, "--from", PACKAGE, "phoenix", "serve")
    with (
        (folder / "phoenix.log").open("wb") as log,
        subprocess.Popen(
            command,
            env=os.environ | variables,
            stdout=log,
            stderr=log,
            start_new_session=True,
        ) as process,
    ):
        try:
            while not answers(url):
                assert process.poll() is None, (folder / "phoenix.log").read_text("utf-8")
                time.sleep(0.2)
            yield url
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # uv has started Phoenix as its child


def answers(url: str) -> bool:
    """True if Phoenix can be asked."""
    try:
        return httpx.get(f"{url}{SPANS}", timeout=60).is_success
    except httpx.TransportError:
        return False


def test_a_run_is_one_trace_in_phoenix(tmp_path: Path) -> None:
    """Every span is there, below the caller's, with the kind by which Phoenix shows it."""
    (tmp_path / "phoenix").mkdir()
    with phoenix(tmp_path / "phoenix") as url:
        model = asked(tmp_path, url)
        spans: list[dict[str, Any]] = []
        for _ in range(TRIES):
            if sum(span["span_kind"] == "LLM" for span in spans) == len(model.calls):
                break
            time.sleep(0.2)  # it writes them a moment after it has taken them
            spans = httpx.get(f"{url}{SPANS}", params={"limit": 100}, timeout=60).json()["data"]

    assert {span["context"]["trace_id"] for span in spans} == {TRACE}
    ids = {span["context"]["span_id"] for span in spans}
    [root] = [span for span in spans if span["parent_id"] not in ids]
    assert (root["parent_id"], root["name"]) == (CALLER, "invoke_agent office: clerk, filer")
    told = {call.headers["traceparent"].split("-")[2] for call in model.calls}
    assert {s["context"]["span_id"] for s in spans if s["span_kind"] == "LLM"} == told
    assert {"AGENT", "CHAIN", "LLM"} <= {span["span_kind"] for span in spans}
