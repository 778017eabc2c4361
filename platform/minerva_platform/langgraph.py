"""A team, or the platform, inside another LangGraph or LangChain program.

`as_graph` makes a graph of its own, for LangGraph's servers, Studio and `RemoteGraph`. `as_node`
makes a node for an existing graph. `as_tool` makes a tool for an agent, and `Members` one for each
of several. Nodes hold the team's graph in a closure, so streams and drawings show its supervisors
and workers. The graph around it keeps the state. A question to a person pauses that graph, and
`Command(resume=…)` answers the worker that asked.
"""

import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import EllipsisType
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.messages.utils import convert_to_messages
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_core.tools import StructuredTool
from langgraph.channels import EphemeralValue
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from minerva_observability.lazy import lazy_names
from minerva_platform.agents.graph_agent import agent_from_graph
from minerva_platform.app import Platform
from minerva_platform.config.limits import RunLimits
from minerva_platform.config.settings import home_directory
from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.askable import build_task
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.run_object import Run
from minerva_platform.contract.task import Task
from minerva_platform.contract.team import Team
from minerva_platform.durable.active_run import run_team
from minerva_platform.errors import BindingError, SettingsError
from minerva_platform.runtime.run_options import RunOptions, with_contents
from minerva_platform.storage.checkpoints.host_checkpointer import has_checkpointer, run_for_host
from minerva_platform.storage.engine.location import find_place, to_place
from minerva_platform.storage.ledger.host_effects import host_effects
from minerva_platform.validation.team_declarations import unkept_warnings

# ruff: noqa: PLC0414  # these names are for others, as those of a package

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph

    from minerva_platform.agents.members import Members as Members
    from minerva_platform.agents.tool_agent import ToolAgent as ToolAgent
    from minerva_platform.agents.transfer_tools import transfer_tools as transfer_tools
else:  # only these load `langchain`
    _, __getattr__, _ = lazy_names(__name__)

__all__ = [
    "GraphInput",
    "GraphOutput",
    "Members",
    "ToolAgent",
    "agent_from_graph",
    "as_graph",
    "as_node",
    "as_tool",
    "transfer_tools",
]

Asked: TypeAlias = Team | Platform
_LOG = logging.getLogger(__name__)


class GraphInput(TypedDict, total=False):
    """What the graph takes: a request, or messages of which the person's last one is the request.

    `attachments` are paths of files and folders to work on. The request and its attachments hold
    for one turn.
    """

    messages: Annotated[list[AnyMessage], add_messages]
    request: Annotated[str, EphemeralValue(str)]
    attachments: Annotated[list[str], EphemeralValue(list)]


class GraphOutput(TypedDict, total=False):
    """What the graph gives: the messages, and the run object as `minerva ask --json` prints it."""

    messages: Annotated[list[AnyMessage], add_messages]
    run_id: str
    status: str
    reason: str | None
    answer: str
    hops: list[dict[str, Any]]
    handoffs: dict[str, Any]
    all_handoffs: dict[str, list[dict[str, Any]]]
    bypassed: list[dict[str, Any]]
    unserved: list[str]
    artifacts: list[dict[str, Any]]
    usage: dict[str, int]
    left_out: list[dict[str, Any]]
    cut: int
    files: list[dict[str, Any]]
    more_files: int
    unused: list[str]
    notices: list[dict[str, Any]]
    effects: list[dict[str, Any]]


class _State(GraphInput, GraphOutput):
    pass


def as_graph(
    asked: Asked,
    *,
    limits: RunLimits | None = None,
    checkpointer: "BaseCheckpointSaver[Any] | None" = None,
    storage: "str | EllipsisType | None" = ...,
    attachments_root: "Path | EllipsisType | None" = ...,
) -> "CompiledStateGraph[Any, Any, Any, Any]":
    """Return a compiled graph that takes `GraphInput` and gives `GraphOutput`.

    The answer is also the last of `messages`. `checkpointer` is the host's. A server, or a graph
    around this one, brings its own. `limits` replace the configured ones.

    `storage` is the URL of the database that keeps what workers do by `@effect`, so that no
    repeated step does it twice. By default it is the platform's, or the home's. With None nothing
    is kept. Then a worker whose code has an effect that is not idempotent is warned of, asks
    nobody, and fails.

    Whoever may send a request may name a path. In a program of your own that is you, and any path
    is taken. For a server, give `attachments_root`: only what lies below that folder is taken,
    links followed. With None no path is.

    Raises:
        SettingsError: `attachments_root` is no folder, or `storage` is no URL of a database.
    """
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(
        _State, input_schema=GraphInput, output_schema=GraphOutput
    )
    name = _team(asked).name
    node = as_node(asked, limits=limits, storage=storage, attachments_root=attachments_root)
    builder.add_node(name, node)
    builder.add_edge(START, name)
    return builder.compile(name=name, checkpointer=checkpointer)


def as_node(
    asked: Asked,
    *,
    limits: RunLimits | None = None,
    storage: "str | EllipsisType | None" = ...,
    attachments_root: "Path | EllipsisType | None" = ...,
) -> RunnableLambda[Any, Any]:
    """Return a node for a graph whose state has some keys of `GraphInput` and of `GraphOutput`.

    A state with `messages` gets the answer as one more message. It gets those other keys of
    `GraphOutput` that it declares. `storage` and `attachments_root` are as in `as_graph`.

    Raises:
        SettingsError: `attachments_root` is no folder, or `storage` is no URL of a database.
    """
    if isinstance(attachments_root, Path) and not attachments_root.is_dir():
        message = (
            f"The root of attachments {attachments_root} is no folder. Make it, or name another "
            "one: `server.attachments_root` in platform.yaml."
        )
        raise SettingsError(message)
    answer, team = _door(asked, limits, storage), _team(asked)
    graph = team.graph

    async def node(state: Any, config: RunnableConfig) -> dict[str, Any]:
        run = await answer(_state_to_task(state, team.name, attachments_root), config)
        kept = run.to_json_dict()
        update = {field: kept[field] for field in GraphOutput.__annotations__ if field in kept}
        return {**update, "messages": [AIMessage(run.answer, name=team.name)]}

    def blocking_node(state: Any, config: RunnableConfig) -> dict[str, Any]:
        _ = graph  # LangGraph finds sub-graphs through the names that a node's function uses

        def work(config: RunnableConfig) -> Coroutine[Any, Any, dict[str, Any]]:
            return node(state, config)

        return run_for_host(work, config=config)

    return RunnableLambda(blocking_node, afunc=node, name=team.name)


def as_tool(
    asked: "Asked | BaseAgent[Any, Any]",
    *,
    name: str | None = None,
    description: str | None = None,
    attachments: Sequence[str | Path] = (),
    limits: RunLimits | None = None,
    storage: "str | EllipsisType | None" = ...,
) -> StructuredTool:
    """Return a tool that answers a request, by a team, a platform or one worker.

    Name and description default to the agent's. `attachments` go with every request, because a
    model names no paths. A failure is an error of the tool. `storage` is as in `as_graph`.

    In your own program a team or a platform answers in a run of its own, whose object as a dict is
    the tool's artifact. In a worker of a team the call is a member's, as one of `Members`: its hops
    and bypasses are the run's, the run's limits hold instead of `limits`, and the artifact is the
    result. So it is for a worker alone.
    """
    from minerva_platform.agents.member_tool import tool_of  # noqa: PLC0415  # 0.1 s, and few need tools

    agent = _team(asked) if isinstance(asked, Team | Platform) else asked
    return tool_of(
        agent,
        name=name or agent.name,
        description=description or agent.description,
        attachments=attachments,
        limits=limits,
        root=_door(asked, limits, storage) if isinstance(asked, Team | Platform) else None,
    )


def _team(asked: Asked) -> AssembledTeam:
    return asked.team if isinstance(asked, Platform) else asked.assembled


def _door(
    asked: Asked, limits: RunLimits | None, storage: "str | EllipsisType | None"
) -> Callable[[Task, RunnableConfig], Any]:
    """Return a function that runs a task as a part of the graph that is running."""
    team = _team(asked)
    if isinstance(asked, Platform):
        options = RunOptions(
            recorder=asked.recorder,
            limits=asked.limits,
            home=asked.home,
            artifacts=asked.artifacts,
        )
        url = asked.settings.platform.storage.url
        if isinstance(storage, EllipsisType) and not asked.settings.platform.keep_state:
            storage = None
    else:
        options, url = RunOptions(), None
    place = to_place(storage, "`storage`") if isinstance(storage, str) else storage
    options = replace(options, limits=limits or options.limits, is_inner=True)
    team.prepare()
    for warning in unkept_warnings(team) if place is None else ():
        _LOG.warning("%s", warning)

    async def answer(task: Task, config: RunnableConfig) -> Run:
        thread = config.get("configurable", {}).get("thread_id")
        kept = place
        if isinstance(kept, EllipsisType):
            kept = find_place(options.home or home_directory(), url)
        own = replace(
            options,
            thread_id=str(thread) if thread else None,
            host_keeps=has_checkpointer(config),
            host_effects=host_effects(config, kept, task.request or task.context) if kept else None,
        )
        async with with_contents(own, storage_url=url) as surroundings:
            return await run_team(team, task, surroundings)

    return answer


def _state_to_task(state: Any, name: str, root: "Path | EllipsisType | None") -> Task:
    """Return the task that the state of a graph holds.

    Raises:
        BindingError: the state holds no request, or a path is not there or may not be named.
    """
    request, paths = _read(state, "request"), _read(state, "attachments") or ()
    if not isinstance(root, EllipsisType):
        paths = [_below(root, path, name) for path in paths]
    if not request:
        messages = convert_to_messages(_read(state, "messages") or ())
        said = [message for message in messages if isinstance(message, HumanMessage)]
        if not said:
            reason = "is empty, and `messages` hold none of a person; say what you want."
            raise BindingError(name, "request", reason)
        request = str(said[-1].text)
    return build_task(request, paths, to=name)


def _below(root: Path | None, path: str | Path, name: str) -> Path:
    """Return where a path leads, if that lies below `root`.

    Nothing is said about what lies elsewhere, not even whether it is there.

    Raises:
        BindingError: no path may be named, or this one leads elsewhere.
    """
    if root is None:
        reason = (
            "names a file by its path, and this server takes none. Whoever runs it sets "
            "`server.attachments_root` in platform.yaml to the folder that clients may read."
        )
        raise BindingError(name, "attachments", reason)
    folder = root.resolve()
    try:
        real = (folder / path).resolve()
        is_below = real.is_relative_to(folder)
    except (OSError, RuntimeError, TypeError, ValueError):  # a link to itself, or no path at all
        is_below, real = False, folder
    if not is_below:
        reason = (
            f"names {str(path)!r}, which does not lie below the folder that this server reads. "
            "Name a file in it; a path that does not begin with / begins there."
        )
        raise BindingError(name, "attachments", reason)
    if not real.exists():
        raise BindingError(name, "attachments", f"names {str(path)!r}, which is not there.")
    return real


def _read(state: Any, key: str) -> Any:
    if isinstance(state, Mapping):
        return cast("Mapping[str, Any]", state).get(key)
    return getattr(state, key, None)
