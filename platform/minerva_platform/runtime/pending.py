"""Whether the teams that are there now can go on with what a run has left to do.

LangGraph ignores a pending call of a node that a graph has not got: the run would end without it.
"""

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from langgraph.checkpoint.base import CheckpointTuple

    from minerva_platform.contract.team import Team

_SENDS: Final = "__pregel_tasks"
"""The channel in which LangGraph keeps the calls of members that are to be made."""
_TRIGGER: Final = "branch:to:"
"""What LangGraph's channels are called that let a node run next."""


class Missing(NamedTuple):
    """A place that a run was to go on at, and what is wrong with it."""

    path: str
    what: str


def classes_in(team: "Team") -> set[tuple[str, ...]]:
    """Return the classes that the states of the team's graphs hold, by module and name."""
    found: set[tuple[str, ...]] = set()
    for agent in _agents_in(team):
        graph: Any = agent.graph
        found |= graph._serde_allowlist or set()  # noqa: SLF001  # nothing public tells it
    return found


def _agents_in(agent: Any) -> Iterator[Any]:
    """Yield the agents below `agent`, at any depth, those that a worker calls by tools, too."""
    below = agent.by_name.values() if agent.is_team else _called_by_tools(agent)
    for one in below:
        yield one
        yield from _agents_in(one)


def _called_by_tools(agent: Any) -> Iterator[Any]:
    """Yield the members that a worker's graph calls by tools, as `create_agent` makes it."""
    if agent.is_one_step or "minerva_platform.member_tool" not in sys.modules:
        return
    for spec in agent.build_graph().nodes.values():
        tools: dict[str, Any] = getattr(spec.runnable, "tools_by_name", {})
        yield from (tool.member for tool in tools.values() if hasattr(tool, "member"))


def find_missing(team: "Team", kept: "Iterable[CheckpointTuple]") -> Missing | None:
    """Return the first place in the `kept` states that is not there any more.

    `kept` are the checkpoints of a run, newest first; of each graph the newest counts.
    """
    seen: set[str] = set()
    for item in kept:
        namespace = item.config["configurable"].get("checkpoint_ns", "")  # pyright: ignore[reportTypedDictNotRequiredAccess]  # LangGraph sets it
        if namespace in seen:
            continue
        seen.add(namespace)
        names = [part.partition(":")[0] for part in namespace.split("|") if part]
        found = _missing_in(team, names, item.checkpoint["channel_values"])
        if found is not None:
            return found
    return None


def _missing_in(team: "Team", names: list[str], values: dict[str, Any]) -> Missing | None:
    """Return what is missing in the graph that `names` lead to, from the channels of its state."""
    agent: Any = team
    for depth, name in enumerate(names):
        if not agent.is_team:
            return None  # a graph inside a worker's own
        if name not in agent.by_name:
            path = "/".join([team.name, *names[: depth + 1]])
            return Missing(path, "is not there any more") if _next_nodes(values) else None
        agent = agent.by_name[name]
    path = "/".join([team.name, *names])
    for node in _next_nodes(values):
        if node not in agent.graph.nodes:
            if agent.is_team:
                return Missing(f"{path}/{node}", "is not there any more")
            return Missing(path, f"has another graph now, without its step `{node}`")
    return None


def _next_nodes(values: dict[str, Any]) -> Iterator[str]:
    """Yield the nodes that a state was to go on with."""
    for send in values.get(_SENDS) or ():
        yield send.node
    for name in values:
        if name.startswith(_TRIGGER):
            yield name.removeprefix(_TRIGGER)
