"""`minerva serve` over a team whose worker waits, blocks its event loop, or ends its process."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import copies
import httpx

TEAM = """
import asyncio
import os
import signal
import time
from pathlib import Path

from minerva_platform import AgentInput, AgentOutput, BaseAgent, Team
from minerva_platform.testing import EachOnceRouter

HERE = Path(__file__).parent


class Clerk(BaseAgent[AgentInput, AgentOutput]):
    name, description = "clerk", "Answers."

    async def work(self, given: AgentInput) -> AgentOutput:
        what, _, seconds = given.request.partition(" ")
        (HERE / what).touch()
        if what == "poison":
            os.kill(os.getpid(), signal.SIGKILL)
        until = time.monotonic() + float(seconds or 0)
        while what == "block" and not (HERE / "go").exists() and time.monotonic() < until:
            time.sleep(0.01)
        while what == "hold":
            await asyncio.sleep(60)
        return AgentOutput(summary=f"answered {given.request}")


class Office(Team):
    name, description, members, router = "office", "Answers.", (Clerk(),), EachOnceRouter()
"""


def configured(folder: Path, more: str = "") -> Path:
    """Write the team and its platform.yaml; return their folder."""
    configs = folder / "configs"
    configs.mkdir()
    (configs / "office.py").write_text(TEAM, encoding="utf-8")
    told = f'teams: ["./office.py:Office"]\n{more}'
    (configs / "platform.yaml").write_text(told, encoding="utf-8")
    return configs


def body_of(words: str) -> dict[str, object]:
    """Return the body of a request to the team."""
    return {"assistant_id": "office", "input": {"request": words}}


@dataclass(frozen=True, slots=True)
class Server:
    """A server that runs."""

    client: httpx.Client
    lines: list[str]
    """What it and its workers said after the first line."""
    process: "subprocess.Popen[str]"


@contextmanager
def served(configs: Path, home: Path, *options: str, **variables: str) -> Generator[Server]:
    """Serve the team by `minerva serve` during the block; SIGKILL ends it."""
    command = (Path(sys.executable).with_name("minerva"), "serve", "--port", "0")
    process = copies.Popen(
        (*command, "--team", "office", "--grace", "0", "--config", configs, *options),
        env={**os.environ, "MINERVA_HOME": str(home), **variables},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    stream, lines = process.stderr, list[str]()
    url = re.findall(r"http://[\w.:]+", stream.readline())[0]
    reading = threading.Thread(target=lambda: lines.extend(stream))
    reading.start()
    try:
        with httpx.Client(base_url=url, timeout=300) as client:
            yield Server(client, lines, process)
    finally:
        process.kill()
        process.wait()
        reading.join()  # until each of its processes has closed the stream
        stream.close()
