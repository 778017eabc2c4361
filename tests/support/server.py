"""A real server over teams that ask, wait and pack: in an OS thread, or as a process of its own.

    python tests/support/server.py '{"home": …, "url": …}'

The process says its address on the first line, and ends with SIGTERM as `minerva serve` does.
"""

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import copies
import httpx
from run_mover import depot, office

from minerva_observability import NO_RECORDER, build_recorder
from minerva_observability.http_access import bind
from minerva_platform import AgentInput, AgentOutput, Artifact, Attachment, BaseAgent, Platform
from minerva_platform.config.settings import Settings
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.team import Team
from minerva_platform.run_context.blocking import run_sync
from minerva_platform.server.app import build_app
from minerva_platform.server.roots import Roots
from minerva_platform.server.service import HEARTBEAT_S, Service, opened_service
from minerva_platform.server.uvicorn_server import QuietServer, build_server
from minerva_platform.storage.server.tokens import NewToken, Scope, create_token
from minerva_platform.testing import EachOnceRouter


class CopyInput(AgentInput):
    """What the copyist takes."""

    text: Annotated[Attachment, Attachment.of("*.txt")]


class Copyist(BaseAgent[CopyInput, AgentOutput]):
    """A worker that gives back the text of an attached file, and says where it found it."""

    name = "copyist"
    description = "Copies a text."

    def work(self, given: CopyInput) -> AgentOutput:
        """Copy the text."""
        words = given.text.path.read_text(encoding="utf-8")
        copy = Artifact(name="copy.txt", content=words)
        return AgentOutput(summary=f"copied {words} from {given.text.path}", artifacts=(copy,))


def desk() -> Team:
    """Return a team with one worker, which copies."""
    members = (Copyist(),)
    return Team(name="desk", description="…", members=members, router=EachOnceRouter())


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a server is to be."""

    home: Path
    """Where records, files and, on SQLite, runs are kept. The teams write `log` there."""
    url: str | None = None
    """Of a Postgres database; None: SQLite in the home."""
    at_once: int = 4
    needs_token: bool = False
    settings: dict[str, Any] = field(default_factory=dict[str, Any])
    """What platform.yaml says beside the storage."""
    is_recorded: bool = False
    head_seconds: float = 10.0
    """In which a request's head has to arrive."""
    heartbeat: float = HEARTBEAT_S
    """Seconds between two signs of life of a long answer."""
    teams: tuple[Team, ...] = ()
    """More teams that can be asked alone."""


def to_app(wanted: Wanted) -> tuple[Platform, Roots]:
    """Return the platform over the two teams, and what can be asked."""
    storage = {"storage": {"url": wanted.url}} if wanted.url else {}
    folder = wanted.home / "configs"
    folder.mkdir(parents=True, exist_ok=True)
    told = json.dumps({**wanted.settings, **storage})  # JSON is YAML
    (folder / "platform.yaml").write_text(told, encoding="utf-8")
    recorder = build_recorder(wanted.home) if wanted.is_recorded else NO_RECORDER
    shop = office(wanted.home)
    app = Platform(settings=Settings(folder), teams=[shop], home=wanted.home, recorder=recorder)
    alone: dict[str, AssembledTeam] = {
        team.name: team.assembled
        for team in (depot(wanted.home), office(wanted.home), desk(), *wanted.teams)
    }
    return app, Roots(app, alone)


@dataclass(slots=True)
class Served:
    """A server that runs in an OS thread."""

    service: Service
    server: QuietServer
    loop: asyncio.AbstractEventLoop
    url: str

    def call(self, work: Callable[[], None]) -> None:
        """Call `work` in the server's loop."""
        self.loop.call_soon_threadsafe(work)


async def _serve(wanted: Wanted, begun: Callable[[Served], None]) -> None:
    app, roots = to_app(wanted)
    with bind("127.0.0.1", 0) as bound:
        url = f"http://127.0.0.1:{bound.getsockname()[1]}"
        opened = opened_service(app, roots, at_once=wanted.at_once, needs_token=wanted.needs_token)
        async with opened as service:
            service.heartbeat_s = wanted.heartbeat
            loop = asyncio.get_running_loop()

            def answers() -> None:
                begun(Served(service, server, loop, url))

            served = build_app(service)
            server = build_server(served, answers=answers, head_seconds=wanted.head_seconds)
            await server.serve(sockets=[bound])
            served.state.metrics.close()
    app.close()


@contextmanager
def serving(wanted: Wanted) -> Generator[Served]:
    """Serve in an OS thread during the block."""
    begun: list[Served] = []
    is_there = threading.Event()
    failed: list[BaseException] = []

    def have_begun(served: Served) -> None:
        begun.append(served)
        is_there.set()

    def work() -> None:
        try:
            run_sync(_serve, wanted, have_begun)
        except BaseException as error:  # noqa: BLE001  # raised in the test
            failed.append(error)
        finally:
            is_there.set()

    thread = threading.Thread(target=work)
    thread.start()
    is_there.wait()
    if failed:
        raise failed[0]
    try:
        yield begun[0]
    finally:
        begun[0].server.should_exit = True
        thread.join()


class Guarded:
    """A server that needs tokens, and what makes them."""

    def __init__(self, served: Served) -> None:
        self.served, self.url = served, served.url

    def token(self, name: str, tenant: str, *scopes: Scope, roots: tuple[str, ...] = ()) -> str:
        """Make a token."""
        new = NewToken(name, tenant, scopes, roots or None)
        engine = self.served.service.engine
        return engine.write(partial(create_token, new=new, now=time.time()))

    def client(self, token: str | None) -> httpx.Client:
        """Return a client with a token."""
        headers = {} if token is None else {"X-Api-Key": token}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60)


class ServerProcess:
    """A server that is a process of its own."""

    def __init__(self, home: Path, **wanted: Any) -> None:
        told = json.dumps({"home": str(home), **wanted})
        self.process = copies.Popen(
            (sys.executable, __file__, told),
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "MINERVA_HOME": str(home)},
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()

    def signal(self, number: int) -> int:
        """Send a signal, and wait for the process to end; return its code."""
        self.process.send_signal(number)
        return self.process.wait()

    def close(self) -> None:
        """End it, however."""
        self.process.kill()
        self.process.communicate()


@contextmanager
def processes(home: Path, count: int, **wanted: Any) -> Generator[list[ServerProcess]]:
    """Give servers in processes of their own; each has a home, and `home` is where they work."""
    started: list[ServerProcess] = []
    try:
        started.extend(ServerProcess(home, **wanted) for _ in range(count))
        yield started
    finally:
        for server in started:
            server.close()


def main() -> None:
    """Serve until SIGTERM, as `minerva serve` does."""
    from minerva_platform.cli.background.shutdown import Ending  # noqa: PLC0415  # the process's alone

    told = json.loads(sys.argv[1])
    wanted = Wanted(home=Path(told.pop("home")), is_recorded=True, **told)

    async def served() -> None:
        app, roots = to_app(wanted)
        with bind("127.0.0.1", 0) as bound:
            opened = opened_service(
                app, roots, at_once=wanted.at_once, needs_token=wanted.needs_token
            )
            async with opened as service:
                service.heartbeat_s = wanted.heartbeat
                url = f"http://127.0.0.1:{bound.getsockname()[1]}"

                def answers() -> None:
                    os.write(1, f"{url}\n".encode())

                def begins() -> None:
                    service.is_draining = True

                def ends() -> None:
                    server.should_exit = True

                server = build_server(build_app(service), answers=answers)
                ending = Ending(service.process, told.get("grace", 0.0), "en", begins, ends)
                with ending.by_signals():
                    await server.serve(sockets=[bound])

    run_sync(served)


if __name__ == "__main__":
    main()
