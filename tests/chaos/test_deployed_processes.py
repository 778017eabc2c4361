"""The server and the workers of configs/server/compose.yaml, as processes on a real Postgres.

Their commands are those of the file. Only what names a container is replaced: the address, the
port, the folders, and the URL of the database.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from deployment import FOLDER, image_environment, service_command, services
from langgraph_sdk import get_sync_client
from ledger import postgres_store
from postgres import Cluster

MINERVA = Path(sys.executable).with_name("minerva")
REQUEST = "환자 입원 일자의 표준 이름은?"
NAME = "PT_HSPTLZ_YMD"


@dataclass(slots=True)
class Host:
    """A machine that the containers share: their folders, their variables, what they said."""

    folder: Path
    environment: dict[str, str]
    started: list[subprocess.Popen[bytes]] = field(default_factory=list[subprocess.Popen[bytes]])

    def start(self, service: str) -> Path:
        """Start a service's command; return the file that it writes to."""
        words = [
            {"0.0.0.0": "127.0.0.1", "8123": "0"}.get(word, word)  # noqa: S104  # a container's
            for word in service_command(service).words
        ]
        log = self.folder / f"{len(self.started)}.log"
        with log.open("wb") as stream:
            process = subprocess.Popen((MINERVA, *words), env=self.environment, stderr=stream)
        self.started.append(process)
        return log

    def run(self, *words: str) -> str:
        """Run a command to its end; return what it printed."""
        done = subprocess.run(
            (MINERVA, *words), env=self.environment, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def wait_for(self, pattern: str, *logs: Path) -> "re.Match[str]":
        """Wait until a process writes what is looked for."""
        while True:
            for log in logs:
                if found := re.search(pattern, log.read_text(encoding="utf-8")):
                    return found
            assert [process.poll() for process in self.started] == [None] * len(self.started)
            time.sleep(0.05)

    def end(self) -> list[int]:
        """Let every process end as `docker stop` does; return their codes."""
        for process in self.started:
            process.send_signal(signal.SIGTERM)
        return [process.wait() for process in self.started]


@contextmanager
def host(folder: Path, url: str) -> Generator[Host]:
    """Give a machine with the folders that compose.yaml mounts; what still runs is killed."""
    environment = {
        name: str(folder / value.strip("/")) if value.startswith("/") else value
        for name, value in image_environment().items()
        if name != "XDG_CACHE_HOME"  # what routers learn is shared by all tests
    }
    for name in ("server", "worker"):
        for volume in services()[name]["volumes"]:
            source, target, *_ = volume.split(":")
            path = folder / target.strip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            if source.startswith(".") and not path.is_symlink():
                path.symlink_to((FOLDER / source).resolve())
    found = Host(folder, {**os.environ, **environment, "MINERVA_STORAGE_URL": url})
    try:
        yield found
    finally:
        for process in found.started:
            process.kill()
            process.wait()


@pytest.fixture
def machine(postgres_server: Cluster, tmp_path: Path) -> Generator[Host]:
    """Give a machine with an empty database."""
    with postgres_store(postgres_server) as store, host(tmp_path / "root", store.address) as found:
        yield found


def test_a_worker_answers_what_a_client_asks_the_server(machine: Host) -> None:
    """As README.md says: a token first, then server and workers; SIGTERM ends all with 0."""
    token = machine.run("token", "create", "first", "--scope", "read,run,approve,admin")
    server = machine.start("server")
    workers = [machine.start("worker") for _ in range(services()["worker"]["deploy"]["replicas"])]
    url = machine.wait_for(r"http://[\w.:]+", server)[0]

    for name in ("ok", "health", "ready"):
        assert httpx.get(f"{url}/{name}").status_code == 200
    assert httpx.get(f"{url}/metrics").status_code == 401
    assert httpx.get(f"{url}/metrics", headers={"X-Api-Key": token}).status_code == 200

    with get_sync_client(url=url, api_key=token) as client:
        asked: list[str] = []
        while not any(is_answered(log, asked) for log in workers):
            asked += [begin(client) for _ in range(4)]
            values: Any = client.runs.wait(None, "platform", input={"request": REQUEST})
            assert (values["status"], NAME in values["answer"]) == ("ok", True)

    assert machine.end() == [0, 0, 0]


def begin(client: Any) -> str:
    """Put a run into the queue; return its id."""
    return str(client.runs.create(None, "platform", input={"request": REQUEST})["run_id"])


def is_answered(log: Path, asked: list[str]) -> bool:
    """True if a worker has said that a run of ours ended well in it."""
    said = log.read_text(encoding="utf-8")
    return any(f"{run_id[:8]} ok" in said for run_id in asked)
