"""A member that a model calls as a tool: `Members` and `as_tool`.

Inside a run the call is one of the worker whose model makes it. It passes the firewall by the same
`MemberCall` as a supervisor's call, has its path below the worker's, and counts in the run's
budget. Outside any run it gets a run of its own. Either way a failure is a result that the model
reads, and a question to a person passes through.
"""

from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import StructuredTool
from langgraph.errors import GraphBubbleUp
from langgraph.prebuilt import ToolRuntime
from pydantic import BaseModel, Field

from minerva_observability import RunScope
from minerva_platform.config.limits import RunLimits
from minerva_platform.config.settings import bound_home, home_directory
from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.askable import build_task
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.attachment import Attachment
from minerva_platform.contract.handoff import Handoffs
from minerva_platform.contract.result import Reason, Result
from minerva_platform.contract.router import OutputMode
from minerva_platform.contract.run_object import Run
from minerva_platform.contract.task import Task
from minerva_platform.contract.team import Team
from minerva_platform.contract.values import Usage
from minerva_platform.planning.situation import narrow, result_to_summary
from minerva_platform.routing.tool_router import told_result
from minerva_platform.run_context.budget import DEFAULT_HOPS, Budget
from minerva_platform.run_context.context import RunContext, current_run, run_or_none
from minerva_platform.run_context.effect_place import MemberWork, current_work
from minerva_platform.run_context.failures.failure_text import to_bypass
from minerva_platform.run_context.langchain_callbacks import inside_step, unheard
from minerva_platform.run_context.recorded_failures import record_failure
from minerva_platform.runtime.member_call import Lead, MemberCall
from minerva_platform.runtime.recorded_nodes import has_one_step
from minerva_platform.runtime.resume_answers import host_answers
from minerva_platform.runtime.root_graph import classes_in
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.runtime.state import MEMBER_RESULTS, MemberState, add_handoffs
from minerva_platform.storage.checkpoints.host_checkpointer import has_checkpointer, run_for_host
from minerva_platform.storage.engine.location import find_place
from minerva_platform.storage.ledger.host_effects import host_effects
from minerva_platform.text.language import Language
from minerva_platform.tools.held import holding

Runtime: TypeAlias = ToolRuntime[Any, Any]
NO_RUNTIME: Final[Any] = None
"""In place of the runtime of a node of tools, when the tool is called by hand."""


class ToolInput(BaseModel):
    """What a model says to the tool."""

    request: str = Field(description="What is asked, in words that stand alone.")


class AgentTool(StructuredTool):
    """The tool that calls a member."""

    member: Any = Field(exclude=True, repr=False)
    """The agent."""
    beside: tuple[str, ...] = Field(default=(), exclude=True)
    """The names of all members of the `Members` that it belongs to."""

    @classmethod
    def of(
        cls,
        answer: Callable[[str, RunnableConfig, Runtime | None], Coroutine[Any, Any, Any]],
        **fields: Any,
    ) -> "AgentTool":
        """Return the tool that answers so, in an event loop or without one."""

        async def ask(request: str, config: RunnableConfig, runtime: Runtime = NO_RUNTIME) -> Any:
            return await answer(request, config, runtime)

        def blocking_ask(
            request: str, config: RunnableConfig, runtime: Runtime = NO_RUNTIME
        ) -> Any:
            return run_for_host(lambda own: answer(request, own, runtime), config=config)

        return cls(func=blocking_ask, coroutine=ask, args_schema=ToolInput, **fields)


@dataclass(frozen=True, slots=True)
class CallResult:
    """What came of a call: its result, and the hand-offs that the member gave."""

    result: Result
    handoffs: Handoffs
    language: Language
    mode: OutputMode = "summary"
    """What of the answer the model reads."""

    @property
    def has_failed(self) -> bool:
        """True if the model has to do without an answer."""
        return self.result.status != "ok"

    @property
    def text(self) -> str:
        """What the model reads, as JSON."""
        return told_result(result_to_summary(self.result, self.mode, language=self.language))

    def to_kept(self) -> dict[str, Any]:
        """Return it as plain JSON, for a channel of a graph's state."""
        return {"result": self.result.model_dump(mode="json"), "handoffs": self.handoffs}


def tool_of(  # each says one thing about the tool
    agent: BaseAgent[Any, Any],
    *,
    name: str,
    description: str,
    attachments: Sequence[str | Path] = (),
    limits: RunLimits | None = None,
    root: Callable[[Task, RunnableConfig], Coroutine[Any, Any, Run]] | None = None,
) -> StructuredTool:
    """Return a tool that calls `agent`. Outside any run `root`, if given, answers instead."""
    member = MemberTool(agent, name=name, limits=limits, attachments=attachments)

    async def answer(
        request: str, config: RunnableConfig, runtime: Runtime | None
    ) -> tuple[Any, dict[str, Any]]:
        if root is not None and run_or_none() is None:
            run = await root(build_task(request, attachments, to=agent.name), config)
            told, has_failed, artifact = run.answer, run.status == "failed", run.to_json_dict()
        else:
            called = await member.call(request, config, runtime)
            has_failed, artifact = called.has_failed, called.result.model_dump(mode="json")
            is_plain = called.mode == "summary" and not has_failed
            told = called.result.summary if is_plain else called.text
        if has_failed and runtime is not None:
            return error_message(told, name, runtime, artifact=artifact), artifact
        return told, artifact

    return AgentTool.of(
        answer,
        name=name,
        description=description,
        response_format="content_and_artifact",
        member=member.agent,
    )


def error_message(
    text: str, tool: str, runtime: Runtime, *, artifact: dict[str, Any] | None = None
) -> ToolMessage:
    """Return what a model reads of a call that failed."""
    return ToolMessage(
        text, name=tool, tool_call_id=runtime.tool_call_id, status="error", artifact=artifact
    )


class MemberTool:
    """An agent behind a tool that is called `name`."""

    def __init__(
        self,
        agent: BaseAgent[Any, Any],
        *,
        name: str,
        attachments: Sequence[str | Path] = (),
        limits: RunLimits | None = None,
    ) -> None:
        agent = agent.assembled if isinstance(agent, Team) else agent
        self.agent, self.name = agent, name
        self.attachments = tuple(Attachment(path=Path(path)) for path in attachments)
        self.limits = limits or RunLimits()
        if isinstance(agent, AssembledTeam):
            agent.prepare()
        self.graph: Any = agent.graph
        classes_in(agent)
        self.durability = "exit" if has_one_step(self.graph) else None

    async def call(
        self, request: str, config: RunnableConfig, runtime: Runtime | None = None
    ) -> CallResult:
        """Call the agent. Its failure is in the result; its question to a person passes.

        `runtime` is that of the node of tools which makes the call, if one does.
        """
        state = _state(runtime)
        earlier = kept_calls(state)
        alone = run_or_none() is None
        own = self._own_run(earlier, config, request) if alone else nullcontext()
        async with own:
            work = current_work()
            note_calls(earlier, work)
            task = self._task(request, work, earlier)
            path = self._path(work, state, runtime)
            called = await self._call_agent(task, path, work)
        if work is not None:
            work.results[path] = called.result
        return called

    async def _call_agent(self, task: Task, path: str, work: MemberWork | None) -> CallResult:
        run, lead = current_run(), Lead(work.team if work else "")
        if not run.calls.has_begun(path):  # else it waited for a person, or was cut off
            reason = run.budget.remainder.limit_for(next_hops=1)
            if reason is not None:
                return CallResult(self._not_made(reason, path, lead, task), {}, task.language)
            run.budget.hops_used += 1
        state = MemberState(task=task.model_dump(mode="json"), path=path, role="goal")
        kept = self.durability if run.keeps_state else None
        run_graph = partial(self.graph.ainvoke, durability=kept)
        with inside_step(), unheard():
            update = await MemberCall(lead, self.agent)(run_graph, state)
        (result,) = update["results"]
        told = Result.model_validate(result)
        return CallResult(told, update["handoffs"], task.language, self.agent.output_mode)

    def _not_made(self, reason: Reason, path: str, lead: Lead, task: Task) -> Result:
        """Return the result of a call for which the run has nothing left, and record it."""
        error = current_run().budget.remainder.error_at(reason)
        record_failure(
            error, "skipped", kind="agent", path=path, team=lead.name, agent_name=self.agent.name
        )
        part = "" if "request" in self.agent.sensitive else task.request
        entry = to_bypass(path, error, task.language, "skipped", part=part)
        return Result(
            agent=self.agent.name,
            path=path,
            status="skipped",
            reason=reason,
            error=error,
            bypassed=(entry,),
            given_words=task.request,
        )

    def _task(self, request: str, work: MemberWork | None, earlier: Sequence[CallResult]) -> Task:
        """Return the task of the call: the model's words, and what its worker was given.

        Siblings that have answered before give it the hand-offs that it takes.
        """
        if work is None:
            may_pause = current_run().may_pause
            around = Task(context=request, approvals="last" if may_pause else "never")
        else:
            around = work.task
        held = around.handoffs
        for one in earlier:
            held = add_handoffs(held, one.handoffs)
        return Task(
            request=request,
            context=around.context,
            language=around.language,
            attachments=tuple(dict.fromkeys((*around.attachments, *self.attachments))),
            handoffs=narrow(held, self.agent.flow.takes),
            meant=around.meant,
            approvals="never" if around.approvals == "never" else "last",
        )

    def _path(
        self, work: MemberWork | None, state: Mapping[str, Any], runtime: Runtime | None
    ) -> str:
        """Return the path of the call: below the worker that makes it, its second one with `#2`.

        The number follows from the state before the step, so it is the same when a call is
        repeated after a pause.
        """
        name = self.agent.name
        path = f"{work.path}/{name}" if work else name
        number = _number(name, self.name, state, runtime.tool_call_id if runtime else None)
        if number is None:  # no model's call: code of the worker makes it
            number = work.next_call(name) if work else 1
        return path if number == 1 else f"{path}#{number}"

    @asynccontextmanager
    async def _own_run(
        self, earlier: Sequence[CallResult], config: RunnableConfig, request: str
    ) -> AsyncGenerator[None]:
        """Make the block a run of its own, with what `earlier` calls have left of the limits."""
        options = RunOptions(limits=self.limits, is_inner=True, host_keeps=has_checkpointer(config))
        hops = self.limits.hops or max(DEFAULT_HOPS, getattr(self.agent, "size", 1))
        budget = Budget(
            self.limits,
            hops,
            hops_used=sum(1 for one in earlier if one.result.status != "skipped"),
            usage=sum((one.result.usage for one in earlier), Usage()),
        )
        scope = RunScope(recorder=options.recorder, control_flow=(GraphBubbleUp,))
        thread = config.get("configurable", {}).get("thread_id")
        scope.thread_id = str(thread) if thread else scope.run_id
        home = options.home or home_directory()
        kept = host_effects(config, find_place(home), request)
        context = RunContext(budget, options.store(), may_pause=options.may_pause, effects=kept)
        with scope.bound(), context.bound(), bound_home(home):
            async with holding(), host_answers():
                yield


def kept_calls(state: Mapping[str, Any]) -> list[CallResult]:
    """Return the calls that an agent's state keeps; empty if it has no `Members`."""
    return [
        CallResult(Result.model_validate(item["result"]), item.get("handoffs", {}), "en")
        for item in state.get(MEMBER_RESULTS) or ()
    ]


def taken_name(tools: Iterable[Any], members: Iterable[str] = ()) -> str | None:
    """Return the name of a member whose tool another one of an agent's `tools` has replaced.

    `members` are names that are known beside those that the tools themselves tell of.
    """
    every, others = set(members), set[str]()
    for tool in tools:
        if isinstance(tool, AgentTool):
            every.update(tool.beside)
        else:
            others.add(str(getattr(tool, "name", "")))
    return min(every & others, default=None)


def taken_text(agent: str, member: str) -> str:
    """Return the sentence about a member whose tool another one has replaced."""
    return (
        f"`{agent}` has another tool called `{member}`, so its member `{member}` can never be "
        "called; give one of them another name."
    )


def note_calls(calls: Sequence[CallResult], work: MemberWork | None) -> None:
    """Let the worker at work answer for `calls`, perhaps made before it was resumed here."""
    if work is None:
        return
    for one in calls:
        if one.result.path.startswith(f"{work.path}/"):
            work.results.setdefault(one.result.path, one.result)


def _state(runtime: Runtime | None) -> Mapping[str, Any]:
    state: Any = runtime.state if runtime is not None else None
    return cast("Mapping[str, Any]", state) if isinstance(state, Mapping) else {}


def _number(agent: str, tool: str, state: Mapping[str, Any], call_id: str | None) -> int | None:
    """Return which call of `agent` the model's call `call_id` is; None if no model made it."""
    messages: Sequence[Any] = state.get("messages") or ()
    told = {message.tool_call_id for message in messages if isinstance(message, ToolMessage)}
    answers = [message for message in messages if isinstance(message, AIMessage)]
    if call_id is None or not answers:
        return None
    last = [
        call["id"]
        for call in answers[-1].tool_calls
        if call["name"] == tool and call["id"] not in told
    ]
    if call_id not in last:
        return None
    if MEMBER_RESULTS in state:
        before = sum(item["result"]["agent"] == agent for item in state[MEMBER_RESULTS])
    else:
        earlier = (call for answer in answers[:-1] for call in answer.tool_calls)
        before = sum(call["name"] == tool for call in earlier)
    return int(before) + last.index(call_id) + 1
