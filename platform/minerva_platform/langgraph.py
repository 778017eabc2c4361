"""The platform or a team as one graph that LangGraph's own server and Studio can open.

What they need is a graph with a public input and output. This one holds the team's graph in a
closure, so that its supervisors and workers are seen in streams and drawings; the server keeps
the state, a question to a person pauses its thread, and every run is on record as usual.
"""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NotRequired

from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from minerva_observability import NO_RECORDER, build_recorder
from minerva_platform.app import App, build_task
from minerva_platform.calls.notices import notice
from minerva_platform.config.settings import home_directory
from minerva_platform.contract.team import Team
from minerva_platform.runtime.run import RunOptions, run_team

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph


class Ask(TypedDict):
    """What is typed into the server: a request, and paths of files and folders to work on."""

    request: str
    attachments: NotRequired[list[str]]


class Answer(TypedDict):
    """The run object, as `minerva ask --json` prints it."""

    run_id: str
    status: str
    reason: str | None
    answer: str
    hops: list[dict[str, Any]]
    handoffs: dict[str, Any]
    bypassed: list[dict[str, Any]]
    unserved: list[str]
    artifacts: list[dict[str, Any]]
    usage: dict[str, int]
    left_out: list[dict[str, Any]]
    cut: int


class _State(Ask, Answer):
    pass


def studio_graph(name: str | None = None) -> "CompiledStateGraph[Any, Any, Any, Any]":
    """Return the graph of the platform, or of the installed team called `name`, as configured."""
    app = App(only_team=name)
    for entry in app.team.left_out:
        notice(f"left out: {entry.text}")
    platform = app.settings.platform
    recorder = build_recorder(app.home, segment_bytes=platform.segment_bytes)
    options = RunOptions(recorder=recorder, limits=platform.limits.to_limits(), home=app.home)
    return team_graph(app.team, options)


def team_graph(
    team: Team, options: RunOptions | None = None
) -> "CompiledStateGraph[Any, Any, Any, Any]":
    """Return the graph of any team; without a recorder in `options` it records to its home."""
    given = options or RunOptions()
    home = given.home or home_directory()
    recorder = build_recorder(home) if given.recorder is NO_RECORDER else given.recorder
    inner = replace(given, recorder=recorder, home=home, is_inner=True)
    team.prepare()
    graph = team.graph

    async def answer(state: Ask, config: RunnableConfig) -> dict[str, Any]:
        _ = graph  # LangGraph finds sub-graphs by what the function of a node names
        thread = config.get("configurable", {}).get("thread_id")
        task = build_task(state["request"], [Path(path) for path in state.get("attachments", ())])
        run = await run_team(team, task, replace(inner, thread_id=str(thread) if thread else None))
        kept = run.to_json_dict()
        return {field: kept[field] for field in Answer.__annotations__}

    builder: StateGraph[Any, Any, Any, Any] = StateGraph(
        _State, input_schema=Ask, output_schema=Answer
    )
    node: Any = answer
    builder.add_node(team.name, node)
    builder.add_edge(START, team.name)
    return builder.compile(name=team.name)
