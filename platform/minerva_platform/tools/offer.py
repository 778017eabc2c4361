"""What a model gets of the tools that servers list: sound names, short descriptions, no clash.

A server is foreign, and a model reads every word that it says of its tools. What no provider takes,
or what could pass for another tool, is left out with a sentence. Nothing is renamed in silence.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mcp.types import Tool

from minerva_platform.contract.bounds import (
    MAX_SERVER_TOOLS,
    MAX_TOOL_DESCRIPTION,
    MAX_TOOL_SCHEMA_BYTES,
    capped,
)

_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")
"""What providers take as the name of a tool."""
_MAX_NAME_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class ToolListing:
    """What one server lists."""

    prefix: str
    tools: Sequence[Tool]


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool of a server as a model gets it."""

    name: str
    server: str
    own_name: str
    """What the server calls it."""
    description: str
    schema: dict[str, Any]
    """The JSON Schema of its arguments."""


@dataclass(frozen=True, slots=True)
class Offer:
    """The tools that a model gets, and why others are left out, by server."""

    tools: tuple[OfferedTool, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    """Server, and the end of a sentence about it."""
    is_whole: bool = True
    """False if a server could not be asked."""


def to_offer(
    listings: Mapping[str, ToolListing], *, own: Collection[str], blocklist: Collection[str]
) -> Offer:
    """Return what a model gets of the `listings` of several servers.

    `own` are the names of the worker's own tools, `blocklist` those that mean something else.
    """
    left_out: list[tuple[str, str]] = []
    named: list[OfferedTool] = []
    for server, its in listings.items():
        if len(its.tools) > MAX_SERVER_TOOLS:
            left_out.append(
                (server, f"has more than {MAX_SERVER_TOOLS} tools; the first ones count.")
            )
        for tool in its.tools[:MAX_SERVER_TOOLS]:
            one = OfferedTool(
                name=f"{its.prefix}{tool.name}",
                server=server,
                own_name=tool.name,
                description=capped(tool.description or tool.title or "", MAX_TOOL_DESCRIPTION),
                schema=tool.inputSchema,
            )
            reason = _fault(one, own=own, blocklist=blocklist)
            if reason is None:
                named.append(one)
            else:
                left_out.append((server, reason))
    clashes = dict(_clashes(named))
    left_out += [(one.server, clashes[one.name]) for one in named if one.name in clashes]
    return Offer(tuple(one for one in named if one.name not in clashes), tuple(left_out))


def _fault(tool: OfferedTool, *, own: Collection[str], blocklist: Collection[str]) -> str | None:
    """Return why no model may get a tool, as the end of a sentence about its server."""
    shown = shown_name(tool.name)
    if not _NAME.match(tool.name):
        return (
            f"has a tool called {shown}, which no model takes: a name has at most 64 letters, "
            "digits, `_` and `-`."
        )
    if tool.name in own:
        return f"has a tool called {shown}, as the worker itself; {_WAY_OUT}"
    if tool.name in blocklist:
        return f"has a tool called {shown}, which is the name of something else; {_WAY_OUT}"
    if tool.schema.get("type", "object") != "object":
        return f"has a tool called {shown}, whose arguments are no JSON object."
    size = len(json.dumps(tool.schema).encode())
    if size > MAX_TOOL_SCHEMA_BYTES:
        return (
            f"has a tool called {shown}, whose arguments take {size:,} bytes to describe; at most "
            f"{MAX_TOOL_SCHEMA_BYTES:,} may be."
        )
    return None


_WAY_OUT: Final = "give the server a `prefix` in the file."


def _clashes(tools: Sequence[OfferedTool]) -> Iterator[tuple[str, str]]:
    """Yield names that several tools have, with the reason. No model gets any of these tools.

    With one of them, a call could reach another server when the first one is lost.
    """
    counted = Counter(tool.name for tool in tools)
    for name in (name for name, count in counted.items() if count > 1):
        servers = list(dict.fromkeys(tool.server for tool in tools if tool.name == name))
        if len(servers) == 1:
            yield name, f"has several tools called `{name}`."
        else:
            among = " and ".join(f"`{server}`" for server in servers)
            yield name, f"has a tool called `{name}`, as {among} both have; {_WAY_OUT}"


def shown_name(name: str) -> str:
    """Return a foreign name as an error shows it: short, and in characters that can be seen."""
    cut = name if len(name) <= _MAX_NAME_SHOWN else f"{name[:_MAX_NAME_SHOWN]}…"
    return f"`{ascii(cut)[1:-1].replace('`', chr(39))}`" if cut else "``"
