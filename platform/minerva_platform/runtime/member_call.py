"""Call a member through the firewall, and turn every outcome into a Result; or a worker alone."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, cast

from langgraph.config import get_config
from langgraph.errors import GraphInterrupt, ParentCommand, is_invalid_resume
from pydantic import BaseModel

from minerva_observability import record_span
from minerva_observability.records import Kind, SpanFields
from minerva_observability.tracing import Waiting
from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.bounds import MAX_EFFECTS
from minerva_platform.contract.handoff import Handoffs, addresses_in
from minerva_platform.contract.result import Bypass, ErrorInfo, Hop, Result, Role, current_role
from minerva_platform.contract.router import PLAIN, RouterTraits
from minerva_platform.contract.task import Task
from minerva_platform.contract.values import Effect, Usage, has_happened
from minerva_platform.errors import (
    AgentError,
    AgentTimeoutError,
    BindingError,
    LeaseLostError,
    RunError,
    StateError,
    UnkeptEffectError,
)
from minerva_platform.planning.root_cause import failed_before
from minerva_platform.planning.roster import names_effect
from minerva_platform.planning.situation import narrow
from minerva_platform.routing.shapes.network import Network
from minerva_platform.run_context.context import Meter, OwnRuns, current_run
from minerva_platform.run_context.deadline import within
from minerva_platform.run_context.effect_place import MemberWork, current_work, member_works
from minerva_platform.run_context.failures.error_info import error_to_info, stop_fields
from minerva_platform.run_context.failures.failure_text import to_bypass
from minerva_platform.run_context.failures.source_location import package_of
from minerva_platform.run_context.pause import only_pauses
from minerva_platform.run_context.recorded_failures import mark_failed
from minerva_platform.run_context.usage import BegunCall
from minerva_platform.runtime.attached_files import files_of
from minerva_platform.runtime.border.firewall import (
    Border,
    command_to_result,
    convert_in,
    convert_out,
    hide_sensitive,
    output_to_result,
    read_output,
    task_to_input,
)
from minerva_platform.runtime.border.input_binding import fetch_handoffs
from minerva_platform.runtime.border.transfers import Peers
from minerva_platform.runtime.state import MemberState
from minerva_platform.runtime.update_values import refuse_unkept
from minerva_platform.runtime.visit_result import with_members
from minerva_platform.tools.held import holding

if TYPE_CHECKING:
    from minerva_platform.contract.assembled_team import AssembledTeam

T = TypeVar("T")
_NOBODY_TO_ASK = (
    "`{agent}` asks a person (interrupt), and a worker that is called alone has no person to ask; "
    "let it run in a team: Team(name=…, members=[…])."
)
_RECORDED: Final = {"name", "key", "outcome"}
"""What a record says of an effect; its arguments are in the run object."""


@dataclass(frozen=True, slots=True)
class Lead:
    """A worker that calls members by its own code, as far as a call asks about a team."""

    name: str
    """The name of the worker's team, in which its members work too."""
    substitutes: Mapping[str, str] = field(default_factory=dict[str, str])
    router_traits: RouterTraits = PLAIN


class MemberCall:
    """The call of one member of a team. A pause passes through it; a failure becomes data."""

    def __init__(self, team: "AssembledTeam | Lead", agent: BaseAgent[Any, Any]) -> None:
        self.agent = agent
        self.team = team
        self.peers = _peers(team, agent.name)

    async def __call__(self, run_graph: Any, state: MemberState) -> dict[str, Any]:
        """Run the member's graph and return an update of its parent's state."""
        task = Task.model_validate(state["task"])
        role, path, starter = _role(state), state["path"], self._starter(task)
        team = self.agent.name if self.agent.is_team else self.team.name
        about = Waiting(path=path, team=team, agent_name=self.agent.record_name)
        async with self._in_turn(about) if starter is None else nullcontext():
            return await self._make(run_graph, task, role, starter, about)

    async def _make(
        self, run_graph: Any, task: Task, role: Role, starter: OwnRuns | None, about: Waiting
    ) -> dict[str, Any]:
        """Make the call now that it has its place, and record it."""
        path, kind = about["path"], "agent" if starter is None else "start"
        with record_span(kind=cast("Kind", kind), role=role, **about) as span:
            handoffs: Handoffs = {}
            meter, run = Meter(), current_run()
            is_visit = self.agent.is_team and starter is None
            call = run.calls.begin(span, Usage if is_visit else meter.read_usage)
            own = MemberWork(path, task, current_work(), about["team"])
            try:
                with meter.bound(), member_works(own):
                    result, handoffs = await (
                        self._in_time(self._work(run_graph, task, path, role), path)
                        if starter is None
                        else starter.start(self.agent, task, path=path, role=role)
                    )
            except (GraphInterrupt, asyncio.CancelledError) as left:
                span.set(**self._effects_at(path))
                _note_pause(left, path)
                raise
            except Exception as error:  # a worker's failure is data
                if run.keeps_state and isinstance(error, LeaseLostError | StateError):
                    mark_failed(span, error)
                    raise  # the run cannot be kept further: later it goes on from what is kept
                again = run.questions.asked_again(error) if is_invalid_resume(error) else None
                if again is not None:
                    pause = GraphInterrupt((again,))
                    _note_pause(pause, path)
                    raise pause from error
                mark_failed(span, error, package_of(self.agent))
                result = self._failure(
                    path, role, error, failed_before(self.agent.name, self.agent.flow, task)
                )
            effects = run.effect_log.of(path)[-MAX_EFFECTS:]
            span.set(**self._record_fields(result, effects))
        files, more_files = files_of(self.agent, task, result)
        bypassed = (*result.bypassed, *self._bypasses(result, effects, task))
        update: dict[str, Any] = {"effects": effects, "files": files, "more_files": more_files}
        if role != "preparation":
            update["given_words"] = task.request or task.context
        if not is_visit:
            took = call.so_far()
            hop = self._hop(result, took)
            update |= {"hops": (hop,), "usage": took.usage, "cut": result.cut + meter.cut}
            bypassed += tuple(meter.to_bypasses(path, task.language))
        result = result.model_copy(update={**update, "bypassed": bypassed})
        if not is_visit:
            result = with_members(result, tuple(own.results.values()))
        return {"results": [result.model_dump(mode="json")], "handoffs": handoffs}

    def _starter(self, task: Task) -> OwnRuns | None:
        """Return what starts a run for a member in the background; None if it works here.

        It works here in that run itself, where nothing is kept, and for a worker's own code, which
        waits for its answer.
        """
        if not self.agent.background or task.started_by or isinstance(self.team, Lead):
            return None
        return current_run().own_runs

    async def _work(
        self, run_graph: Any, task: Task, path: str, role: Role
    ) -> tuple[Result, Handoffs]:
        """Run the member's graph from border to border.

        All of the member's code, its converters included, runs in an asyncio task of its own.
        """
        store = current_run().store
        words = task.request or task.context
        own = Border(path=path, role=role, store=store, peers=self.peers, words=words)
        if not self.agent.is_team:  # each member of a team brings what it takes
            await fetch_handoffs(narrow(task.handoffs, self.agent.flow.takes), store)
        waits = () if self.agent.is_team else current_run().questions.waiting.pop(path, ())
        if waits:
            raise GraphInterrupt(tuple(waits))
        with only_pauses(self.agent.name):
            if self.agent.isolation == "process":
                payload = task_to_input(self.agent, task, store)
                output = await _isolated_output(self.agent, payload, path=path)
                left = output_to_result(self.agent, output, **own)
            else:
                given = convert_in(self.agent, task, store)
                try:
                    left = convert_out(self.agent, await run_graph(given), **own)
                except GraphInterrupt:
                    refuse_unkept(get_config())
                    self._refuse_unkept_effect()
                    raise
                except ParentCommand as leaving:  # outside of a network it is refused below
                    if not self.peers.is_network:
                        raise
                    left = command_to_result(self.agent, cast("Any", leaving.args[0]), **own)
        if not self.agent.is_team:
            await store.asave(_given_digests(*left))
        return left

    def _refuse_unkept_effect(self) -> None:
        """Let nobody approve what could not be done then.

        Raises:
            UnkeptEffectError: the worker names an effect, and nothing keeps what it does.
        """
        run = current_run()
        is_kept = run.effects is not None or not run.may_pause
        if not (is_kept or self.agent.is_team) and names_effect(self.agent):
            raise UnkeptEffectError(self.agent.name)

    @asynccontextmanager
    async def _in_turn(self, about: Waiting) -> AsyncGenerator[None]:
        """Let the block begin when fewer calls are at work than may be: of the team, of the run.

        A team's own work takes no place, its members' does.
        """
        budget, most = current_run().budget, self.team.router_traits.max_at_once
        async with (
            budget.turn(about["path"].rpartition("/")[0], most, about),
            nullcontext() if self.agent.is_team else budget.place(about),
        ):
            yield

    async def _in_time(self, work: Coroutine[Any, Any, T], path: str) -> T:
        """Await `work` until its time is up.

        A worker must keep the run's deadline, which may have passed while it waited for its place.
        A team need not, because its members and its router do; so a team always returns what it
        has. The timeout of an isolated worker begins when its process has started.
        """
        if self.agent.is_team:
            return await within(work, seconds=self.agent.timeout, path=path)
        left = current_run().budget.seconds_left
        own = self.agent.timeout if self.agent.isolation == "none" else None
        limit = left if own is None else min(own, left)
        return await within(work, seconds=limit, path=path)

    def _failure(
        self, path: str, role: Role, error: BaseException, because_of: str | None
    ) -> Result:
        return Result(
            agent=self.agent.name,
            path=path,
            status="timeout" if isinstance(error, AgentTimeoutError) else "failed",
            role=role,
            error=error_to_info(error, package_of(self.agent)),
            because_of=because_of,
        )

    def _action(self, effects: Sequence[Effect]) -> Literal["substituted", "bypassed"]:
        """Return what is done about a failure: nobody does again what has happened."""
        may_stand_in = self.agent.name in self.team.substitutes and not has_happened(effects)
        return "substituted" if may_stand_in else "bypassed"

    def _bypasses(self, result: Result, effects: Sequence[Effect], task: Task) -> Iterator[Bypass]:
        """Yield the entry of a call that failed."""
        if result.status != "ok":
            error = result.error or ErrorInfo(type=result.status, message="")
            yield to_bypass(
                result.path,
                error,
                task.language,
                self._action(effects),
                because_of=result.because_of,
                part="" if "request" in self.agent.sensitive else task.request,
            )

    def _record_fields(self, result: Result, effects: Sequence[Effect]) -> SpanFields:
        """Return the fields of the call's record that its end says."""
        fields: SpanFields = {"status": result.status}
        if result.reason and result.error:  # a stopped visit may still have an answer
            fields |= stop_fields(result.reason, result.error, result.because_of)
        if result.transfers:
            targets = [{"to": one.to, "dropped": [*one.dropped]} for one in result.transfers]
            fields["decision"] = {"transfers": targets}
        of_call = self._effects_at(result.path).get("decision", {})
        if of_call:
            fields["decision"] = {**fields.get("decision", {}), **of_call}
        if self.agent.background and "run_id" in result.output:
            fields["background"] = result.output["run_id"]
        if result.status != "ok":
            fields["action"] = self._action(effects)
            if fields["action"] == "substituted":
                fields["substitute"] = self.team.substitutes[self.agent.name]
            if result.because_of:
                fields["because_of"] = result.because_of
        return fields

    def _effects_at(self, path: str) -> SpanFields:
        """Return the field of a worker's record that says what it did to the world."""
        effects = () if self.agent.is_team else current_run().effect_log.of(path)
        told = [effect.model_dump(include=_RECORDED) for effect in effects]
        return {"decision": {"effects": told}} if told else {}

    def _hop(self, result: Result, took: BegunCall) -> Hop:
        return Hop(
            path=result.path,
            agent_name=self.agent.name,
            team=self.team.name,
            status=result.status,
            ms=took.ms,
            started_ns=took.started_ns,
        )


async def _isolated_output(
    agent: BaseAgent[Any, Any], payload: BaseModel, *, path: str
) -> BaseModel:
    from minerva_platform.runtime.isolation.call import isolated_output  # noqa: PLC0415  # most need it not

    return await isolated_output(agent, payload, path=path)


def _note_pause(error: BaseException, path: str) -> None:
    """Take note of who asks a person, if a call was left for that."""
    if isinstance(error, GraphInterrupt):
        current_run().questions.note(error.args[0], path)


def _peers(team: "AssembledTeam | Lead", member: str) -> Peers:
    """Return the members to which `member` may pass control."""
    if isinstance(team, Lead) or not isinstance(team.shape, Network):
        return Peers(team.name)
    stands_for = {other: name for name, other in team.substitutes.items()}
    named = team.shape.peers.get(member) or team.shape.peers.get(stands_for.get(member, ""), ())
    return Peers(team.name, is_network=True, agents={each: team.by_name[each] for each in named})


def _given_digests(result: Result, handoffs: Handoffs) -> set[str]:
    """Return the addresses that a worker's result and hand-offs hold."""
    records = (record for several in handoffs.values() for record in several)
    passed = (one.handoffs.values() for one in result.transfers)
    every = chain(records, *(several for given in passed for several in given))
    by_reference = {digest for record in every for digest in addresses_in(record)}
    return by_reference | {artifact.sha256 for artifact in result.artifacts}


def _role(state: MemberState) -> Role:
    """Return the role in `state`. Checkpoints of earlier versions keep it in an `assignment`."""
    sent: Mapping[str, Any] = state
    return current_role(sent["role"] if "role" in sent else sent["assignment"]["role"])


async def run_standalone(agent: BaseAgent[Any, Any], payload: BaseModel) -> BaseModel:
    """Run a worker without a supervisor. A failure is raised, not turned into data.

    Raises:
        RunError: the agent is a team.
        BindingError: `payload` is not its Input.
    """
    if agent.is_team:
        message = f"`{agent.name}` is a team; ask it: `ask(…)`, or `await aask(…)`."
        raise RunError(message)
    if not isinstance(payload, agent.Input):
        reason = f"is {type(payload).__name__}, not {agent.Input.__name__}; `invoke` takes a dict."
        raise BindingError(agent.name, "(whole)", reason)
    hide_sensitive(agent, payload)
    with record_span(kind="agent", path=agent.name, agent_name=agent.name):
        if agent.isolation == "process":
            return await _isolated_output(agent, payload, path=agent.name)
        work = agent.graph.ainvoke(agent.input_to_state(payload))
        async with holding():
            with only_pauses(agent.name):
                final = await within(work, seconds=agent.timeout, path=agent.name)
        if isinstance(final, Mapping) and "__interrupt__" in final:
            raise AgentError(_NOBODY_TO_ASK.format(agent=agent.name))
        return read_output(agent, final)
