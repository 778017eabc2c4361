"""A server of tools (MCP) on standard input and output, in Python alone: it starts in no time.

    python tool_server.py [OPTIONS as JSON]

`official_tool_server.py` is one of the official library. This one can also do what that refuses:
bear hostile names, answer with nonsense, hold on to what it has started.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

OPTIONS: dict[str, Any] = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
TOOLS: list[dict[str, Any]] = [
    {"name": name, "description": f"Does {name}.", "inputSchema": {"type": "object"}}
    for name in OPTIONS.get(
        "tools", ("add", "fail", "hang", "given_up", "big", "die", "learn", "secret")
    )
] + OPTIONS.get("more", [])
TEXT = "text"
GIVEN_UP: list[str] = []
"""Why this side's client waits for answers no more."""


def send(**message: Any) -> None:
    """Send a message."""
    sys.stdout.write(f"{json.dumps({'jsonrpc': '2.0', **message})}\n")
    sys.stdout.flush()


def call(name: str, given: dict[str, Any]) -> tuple[str, bool]:  # noqa: PLR0911  # a line a tool
    """Do what a tool does; return its text, and whether that is an error."""
    match name:
        case "add":
            return str(sum(value for value in given.values() if isinstance(value, int))), False
        case "fail":
            return "the wiki is closed", True
        case "given_up":
            return json.dumps(GIVEN_UP), False
        case "big":
            return "x" * 10_000_000, False
        case "die":
            sys.stderr.write("out of paper\n")
            sys.stderr.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        case "learn":
            TOOLS[:] = [tool for tool in TOOLS if tool["name"] != "add"]
            TOOLS.append({"name": "multiply", "inputSchema": {"type": "object"}})
            send(method="notifications/tools/list_changed")
            return "learned", False
        case "secret":
            return f"the key is {os.environ.get('KEY')}", OPTIONS.get("is_error", False)
        case _ if name in {tool["name"] for tool in TOOLS}:
            return json.dumps(given), False
        case _:
            pass
    return f"there is no {name}", True


def answer(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """Return the answer to a request; None for an error."""
    if method == "initialize":
        version = params["protocolVersion"]
        info = {"name": "tools", "version": "1"}
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        text, is_error = call(params["name"], params.get("arguments") or {})
        return {"content": [{"type": TEXT, TEXT: text}], "isError": is_error}
    return None


def main() -> None:
    """Answer until the input ends."""
    with Path(OPTIONS.get("pids", os.devnull)).open("a", encoding="utf-8") as pids:
        pids.write(f"{os.getpid()}\n")
        if OPTIONS.get("has_child"):
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
            pids.write(f"{child.pid}\n")
    if OPTIONS.get("is_stubborn"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["method"] == "notifications/cancelled":
            GIVEN_UP.append(asked["params"]["reason"])
        if "id" not in asked or asked.get("params", {}).get("name") == "hang":
            continue
        said = answer(asked["method"], asked.get("params") or {})
        if said is None:
            send(id=asked["id"], error={"code": -32601, "message": "no such method"})
        else:
            send(id=asked["id"], result=said)
    while OPTIONS.get("is_stubborn"):
        time.sleep(3600)


if __name__ == "__main__":
    main()
