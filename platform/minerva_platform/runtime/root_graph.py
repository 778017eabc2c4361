"""The graph of the team that was asked: begun, gone on with, and read while it waits.

Its state says what comes next. So a run that was cut off anywhere goes on by the same call.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from langgraph.errors import GraphBubbleUp

from minerva_platform.contract.handoff import Handoffs
from minerva_platform.contract.result import Reason, Result, TeamOutput
from minerva_platform.contract.task import Task
from minerva_platform.errors import (
    AgentTimeoutError,
    ChangedStateError,
    LeaseLostError,
    OtherTeamsError,
    StateBusyError,
    StateError,
)
from minerva_platform.people.langgraph_questions import Answer
from minerva_platform.planning.roster import roster_of
from minerva_platform.planning.situation import Situation
from minerva_platform.run_context.context import current_run
from minerva_platform.run_context.deadline import within
from minerva_platform.run_context.failures.error_info import error_to_reason_info
from minerva_platform.run_context.failures.failure_text import to_bypass
from minerva_platform.runtime.border.firewall import convert_in
from minerva_platform.runtime.resume_answers import answering_config, host_answers
from minerva_platform.runtime.state import MEMBER_RESULTS, add_handoffs
from minerva_platform.runtime.visit_result import exports_of, paused_output, with_members
from minerva_platform.storage.checkpoints.state_classes import Names, state_classes

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
    from langgraph.types import Interrupt, PregelTask, StateSnapshot

    from minerva_platform.contract.agent import BaseAgent
    from minerva_platform.contract.assembled_team import AssembledTeam


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a run has come to: its output, so far if questions are `asked`."""

    output: TeamOutput
    asked: "tuple[Interrupt[Any], ...]" = ()
    is_cut_off: bool = False
    """True if its state could not be kept; with a database that works it can go on."""


class RootGraph:
    """The graph of `team` in one run; `run_id` is LangGraph's thread, None inside a host's."""

    def __init__(
        self,
        team: "AssembledTeam",
        checkpointer: "BaseCheckpointSaver[Any] | None",
        run_id: str | None,
    ) -> None:
        classes: Any = classes_in(team)  # a host's checkpointer gets those of each graph
        self.team, self.run_id = team, run_id
        self.graph: Any = team.graph
        if checkpointer is not None:
            checkpointer = checkpointer.with_allowlist(classes)
            self.graph = team.graph.copy({"checkpointer": checkpointer})
        self.checkpointer = checkpointer
        self.config: Any = None if run_id is None else {"configurable": {"thread_id": run_id}}

    async def state(self, *, below: bool = False) -> "StateSnapshot":
        """Return the state as it is kept; `below` says that of the teams below, too."""
        found: StateSnapshot = await self.graph.aget_state(self.config, subgraphs=below)
        return found

    async def begin(self, task: Task, *, seconds: float) -> Stop:
        """Run the graph on `task` until it ends or waits. Its failures are in the output.

        Raises:
            LeaseLostError: another process goes on with this run.
        """
        store = current_run().store
        return await self._run(partial(convert_in, self.team, task, store), task, seconds)

    async def go_on(self, decisions: Mapping[str, Answer], task: Task, *, seconds: float) -> Stop:
        """Go on from the kept state, with what was decided by the ids of its questions.

        Raises:
            LeaseLostError: another process goes on with this run.
            OtherTeamsError: the teams that are there now lack what the run has left to do.
        """
        state = await self.state()
        if state.created_at is None:  # cut off before anything was kept
            return await self.begin(task, seconds=seconds)
        await self._refuse_other_teams()
        if not state.tasks:  # cut off after its last step; `next` leaves out what has written
            return Stop(self.team.state_to_output(state.values))
        asked = {item.id: item for item in state.interrupts if item.id in decisions}
        questions = current_run().questions
        questions.decided_questions = asked
        questions.answers.update(decisions)
        questions.wait_on(state.interrupts, decisions)
        return await self._run(lambda: None, task, seconds)

    async def _refuse_other_teams(self) -> None:
        if self.checkpointer is None or self.run_id is None:
            return
        try:
            kept = [item async for item in self.checkpointer.alist(self.config)]
        except ChangedStateError as error:
            what = f"has changed since: {error.reason}"
            raise OtherTeamsError(self.run_id, error.kind, what) from error
        missing = find_missing(self.team, kept)
        if missing is not None:
            raise OtherTeamsError(self.run_id, missing.path, missing.what)

    async def _run(self, make_input: Callable[[], Any], task: Task, seconds: float) -> Stop:
        team = self.team
        try:
            final = await within(self._invoke(make_input()), seconds=seconds, path=team.name)
            if "__interrupt__" not in final:
                return Stop(team.state_to_output(final))
        except (LeaseLostError, GraphBubbleUp):  # the latter only from an inner run
            raise
        except (AgentTimeoutError, StateBusyError) as error:
            return await self._failure("deadline", error, task)
        except Exception as error:  # noqa: BLE001  # after any failure the person gets a run object
            return await self._failure("internal_error", error, task)
        return await self._waiting(final, task)

    async def _invoke(self, payload: Any) -> Any:
        if self.config is not None:
            has_answers = bool(current_run().questions.answers)
            config = answering_config(self.config) if has_answers else self.config
            return await self.graph.ainvoke(payload, config)
        async with host_answers():
            return await self.graph.ainvoke(payload)

    async def _waiting(self, final: Mapping[str, Any], task: Task) -> Stop:
        asked: Sequence[Interrupt[Any]] = final["__interrupt__"]
        if self.checkpointer is None:
            return Stop(output_so_far(self.team, task, final, ()), tuple(asked))
        state = await self.state(below=True)
        output = output_so_far(self.team, task, state.values, state.tasks)
        return Stop(output, in_order_of_calls(asked, state.tasks))

    async def _failure(self, reason: Reason, error: Exception, task: Task) -> Stop:
        """Return the failure. Questions that were asked beside it are not lost by it.

        A run whose time is up asks nobody: it could do nothing with the answer.
        """
        info = error_to_reason_info(reason, error)
        is_cut_off = isinstance(error, StateError)
        may_ask = self.checkpointer is not None and reason != "deadline"
        if may_ask and not is_cut_off:
            state = await self.state(below=True)
            given = current_run().questions.decided_questions
            asked = tuple(item for item in state.interrupts if item.id not in given)
            if asked:
                output = output_so_far(self.team, task, state.values, state.tasks)
                entry = to_bypass(self.team.name, info, task.language, "bypassed")
                update = {"bypassed": (*output.bypassed, entry)}
                told = output.model_copy(update=update)
                return Stop(told, in_order_of_calls(asked, state.tasks))
        output = TeamOutput(status="failed", reason=reason, error=info)
        return Stop(output, is_cut_off=is_cut_off)


def output_so_far(
    team: "AssembledTeam",
    task: Task,
    values: Mapping[str, Any],
    tasks: "Sequence[PregelTask]",
    path: str | None = None,
) -> TeamOutput:
    """Return the output of a visit so far, from the state of its graph and its open `tasks`.

    A team that waits itself is one of the results, with what its own members have done.
    """
    here = path or team.name
    results = [Result.model_validate(item) for item in values.get("results", ())]
    handoffs: Handoffs = values.get("handoffs", {})
    there = {result.path for result in results}
    for call in tasks:
        made: Any = call.result or {}
        ended = [Result.model_validate(item) for item in made.get("results", ())]
        if ended and there.isdisjoint(result.path for result in ended):
            results += ended  # beside those that wait, and no part of the state yet
            handoffs = add_handoffs(handoffs, made.get("handoffs", {}))
        elif not ended:
            results += _of_waiting(team, call, f"{here}/{call.name}")
    unserved = values.get("progress", {}).get("unserved", ())
    output = paused_output(team, task, results, unserved)
    situation = Situation(
        path=here, members=roster_of(team), task=task, handoffs=handoffs, results=tuple(results)
    )
    return output.model_copy(update={"handoffs": exports_of(team.export_kinds, situation)})


def in_order_of_calls(
    asked: "Sequence[Interrupt[Any]]", tasks: "Sequence[PregelTask]"
) -> "tuple[Interrupt[Any], ...]":
    """Return questions in the order of the calls that ask, which their open `tasks` tell.

    LangGraph gives them in the order in which they were asked, which is another one each time.
    """
    places: dict[str, int] = {}
    for number, leaf in enumerate(_leaves(tasks)):
        for question in leaf.interrupts:
            places.setdefault(question.id, number)
    paths = current_run().questions.paths

    def place(question: "Interrupt[Any]") -> tuple[int, list[tuple[str, int]]]:
        return places.get(question.id, len(places)), _by_number(paths.get(question.id, ""))

    return tuple(sorted(asked, key=place))


def _leaves(tasks: "Sequence[PregelTask]") -> "Iterator[PregelTask]":
    """Yield the tasks, each after those of its own graph."""
    for task in tasks:
        inner: Any = task.state
        yield from _leaves(getattr(inner, "tasks", ()))
        yield task


def _by_number(path: str) -> list[tuple[str, int]]:
    """Return what sorts a path such that `pay#2` comes before `pay#10`."""
    parts = (part.partition("#") for part in path.split("/"))
    return [(name, int(number or 1)) for name, _, number in parts]


def _of_waiting(team: "AssembledTeam", call: "PregelTask", path: str) -> list[Result]:
    """Return what the members of a waiting team, or worker, have done, as a result of its own."""
    member: Any = team.by_name.get(call.name)
    inner: Any = call.state
    if member is None or not hasattr(inner, "tasks"):
        return []
    if not member.is_team:
        kept = inner.values.get(MEMBER_RESULTS) or ()
        called = [Result.model_validate(item["result"]) for item in kept]
        own = Result(agent=member.name, path=path, status="ok")
        return [with_members(own, called)] if called else []
    task = Task.model_validate(inner.values["task"])
    output = output_so_far(member, task, inner.values, inner.tasks, path)
    if not output.hops:
        return []
    told = {name: getattr(output, name) for name in _TOLD}
    return [Result(agent=member.name, path=path, status="ok", **told)]


_TOLD = ("summary", "citations", "artifacts", "usage", "hops", "bypassed", "cut")


_SENDS: Final = "__pregel_tasks"
"""The channel in which LangGraph keeps the calls of members that are to be made."""
_TRIGGER: Final = "branch:to:"
"""What LangGraph's channels are called that let a node run next."""
_INTERNAL: Final = ("__", _TRIGGER, "join:")
"""How LangGraph's own channels begin; those of joins are called by the nodes before."""


class Missing(NamedTuple):
    """A place that a run was to go on at, and what is wrong with it."""

    path: str
    what: str


def classes_in(root: "BaseAgent[Any, Any]") -> Names:
    """Return the classes that the states of an agent's graphs hold (`state_classes`).

    Each graph tells its own to a host's checkpointer from now on.
    """
    if (kept := _NAMES.get(root)) is not None:
        return kept
    found: Names = set()
    for agent in (root, *_agents_in(root)):
        graph: Any = agent.graph
        if graph._serde_allowlist is None:  # noqa: SLF001  # nothing public tells it
            graph._serde_allowlist = state_classes(graph.builder.schemas)  # noqa: SLF001  # as above
        found |= graph._serde_allowlist  # noqa: SLF001  # as above
    _NAMES[root] = found
    return found


_NAMES: "WeakKeyDictionary[BaseAgent[Any, Any], Names]" = WeakKeyDictionary()


def _agents_in(agent: Any) -> Iterator[Any]:
    """Yield the agents below `agent`, at any depth, those that a worker calls by tools, too."""
    below = agent.by_name.values() if agent.is_team else _called_by_tools(agent)
    for one in below:
        yield one
        yield from _agents_in(one)


def _called_by_tools(agent: Any) -> Iterator[Any]:
    """Yield the members that a worker's graph calls by tools, as `create_agent` makes it."""
    if agent.is_one_step or "minerva_platform.agents.member_tool" not in sys.modules:
        return
    for spec in agent.build_graph().nodes.values():
        tools: dict[str, Any] = getattr(spec.runnable, "tools_by_name", {})
        yield from (tool.member for tool in tools.values() if hasattr(tool, "member"))


def find_missing(team: "AssembledTeam", checkpoints: "Iterable[CheckpointTuple]") -> Missing | None:
    """Return the first place in the `checkpoints` states that is not there any more.

    LangGraph ignores a pending call of a node that a graph has not got: the run would end without
    it. `checkpoints` are the checkpoints of a run, newest first; of each graph the newest counts.
    """
    seen: set[str] = set()
    for item in checkpoints:
        namespace = item.config["configurable"].get("checkpoint_ns", "")  # pyright: ignore[reportTypedDictNotRequiredAccess]  # LangGraph sets it
        if namespace in seen:
            continue
        seen.add(namespace)
        names = [part.partition(":")[0] for part in namespace.split("|") if part]
        found = _missing_in(team, names, item.checkpoint["channel_values"])
        if found is not None:
            return found
    return None


def _missing_in(team: "AssembledTeam", names: list[str], values: dict[str, Any]) -> Missing | None:
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
        for key in values:
            if not (key in agent.graph.channels or key.startswith(_INTERNAL)):
                return Missing(path, f"has another state now, without its key `{key}`")
    return None


def _next_nodes(values: dict[str, Any]) -> Iterator[str]:
    """Yield the nodes that a state was to go on with."""
    for send in values.get(_SENDS) or ():
        yield send.node
    for name in values:
        if name.startswith(_TRIGGER):
            yield name.removeprefix(_TRIGGER)
