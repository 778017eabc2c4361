"""Teams of one `ToolAgent`, whose model and servers of tools a test has set up."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from langchain_core.tools import BaseTool

from minerva_platform import Team
from minerva_platform.assembly.assemble import Defaults, assemble
from minerva_platform.config import TeamSettings
from minerva_platform.config.model_spec import ModelSpec
from minerva_platform.langgraph import ToolAgent
from minerva_platform.models import Model
from minerva_platform.testing import EachOnceRouter, Reply, ScriptedOpenAI

REQUEST = "add up 1 and 2 for the wiki"
HERE = Path(__file__).parent


class WikiAgent(ToolAgent):
    """A worker with the tools of one server."""

    name = "wiki_agent"
    description = "Works on the wiki."
    examples = (REQUEST,)
    mcp: Sequence[str] = ("wiki",)


def plain_server(**options: Any) -> dict[str, Any]:
    """Return how a team's file names a server of `tool_server.py`, with its own options in `_`."""
    own = {name: options.pop(name) for name in list(options) if name not in _SPEC}
    command = [sys.executable, "-S", str(HERE / "tool_server.py"), json.dumps(own)]
    return {"command": command, **options}


_SPEC = {"env", "prefix", "timeout_seconds"}


def official_server() -> dict[str, Any]:
    """Return how a team's file names the official library's server."""
    return {"command": [sys.executable, str(HERE / "official_tool_server.py"), "stdio"]}


@contextmanager
def http_server() -> Generator[dict[str, Any]]:
    """Give the official library's server behind an address, as a team's file names it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    script = str(HERE / "official_tool_server.py")
    with subprocess.Popen([sys.executable, script, "http", str(port)]) as process:
        try:
            until(lambda: _listens(port) or process.poll() is not None)
            yield {"url": f"http://127.0.0.1:{port}/mcp"}
        finally:
            process.kill()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def until(is_so: Any) -> None:
    """Wait for a condition; pytest ends what waits for ever."""
    while not is_so():
        time.sleep(0.01)


def is_alive(pid: int) -> bool:
    """True if there is such a process; one that nobody has waited for yet has ended."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def tool_team(
    model: ScriptedOpenAI | None,
    worker: ToolAgent | None = None,
    more: Sequence[Any] = (),
    /,
    **servers: Mapping[str, Any],
) -> Team:
    """Return a team of one worker, which knows `servers` from its team's file."""
    agent = worker or WikiAgent()
    team = Team(name="docs", description="…", members=(agent, *more))
    settings = TeamSettings.model_validate({"mcp": servers})
    defaults = Defaults(settings, model=model_at(model) if model is not None else None)
    return Team(
        name="docs",
        description="…",
        members=assemble(team, defaults).agents,
        router=EachOnceRouter(),
    )


def model_at(server: ScriptedOpenAI) -> Model:
    """Return the scripted model."""
    os.environ.setdefault("OPENAI_API_KEY", "none")
    return Model(ModelSpec(name="openai:scripted", base_url=server.url))


def calls(*asked: str | tuple[str, dict[str, Any]]) -> Reply:
    """Return a model's answer that calls tools."""
    return Reply(tool_calls=[(one, {}) if isinstance(one, str) else one for one in asked])


def told(model: ScriptedOpenAI) -> list[str]:
    """Return what the model has read of its calls of tools, in its last conversation."""
    return [str(m["content"]) for m in model.calls[-1].messages if m["role"] == "tool"]


def tool(name: str, **more: Any) -> dict[str, Any]:
    """Return a tool as a server lists it."""
    return {"name": name, "inputSchema": {"type": "object"}, **more}


def own_tool(name: str, made: BaseTool) -> BaseTool:
    """Return `made` under another name."""
    return made.model_copy(update={"name": name})
