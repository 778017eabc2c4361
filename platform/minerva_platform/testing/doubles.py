"""Stand-ins for routers and workers, and assertions about runs and borders."""

import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NotRequired, TypedDict, cast

from langgraph.graph import START, StateGraph
from pydantic import BaseModel, create_model

from minerva_platform.config.limits import RunLimits
from minerva_platform.contract.agent import AgentInput, AgentOutput, BaseAgent
from minerva_platform.contract.attachment import Attachment
from minerva_platform.contract.handoff import Handoff, HandoffRecord, Handoffs
from minerva_platform.contract.router import Decision, Goal, RoutingView
from minerva_platform.contract.run_object import Run
from minerva_platform.contract.task import Task
from minerva_platform.contract.team import Team
from minerva_platform.contract.values import Content
from minerva_platform.run_context.blocking import run_sync
from minerva_platform.run_context.budget import DEFAULT_HOPS, Budget
from minerva_platform.run_context.context import RunContext
from minerva_platform.runtime.border.firewall import convert_in, convert_out
from minerva_platform.runtime.border.output_bounds import record_of
from minerva_platform.storage.files.artifacts import ArtifactStore

FINISH = "FINISH"
"""In a script: end the visit."""

Answer = str | Sequence[str] | Decision
"""One scripted answer: a member, several members, FINISH, or a whole decision."""


class ScriptedRouter:
    """Answers by its script, then FINISH. `views` keeps the views that it was shown."""

    def __init__(self, *script: Answer, repeat: bool = False) -> None:
        self.script = script
        self.repeat = repeat
        self.views: list[RoutingView] = []

    async def decide(self, view: RoutingView) -> Decision:
        """Return the next answer. With `repeat`, begin again at the end."""
        turn = len(self.views)
        self.views.append(view)
        if not self.script or (turn >= len(self.script) and not self.repeat):
            return Decision(finish=True, router="scripted")
        return _decision(self.script[turn % len(self.script)], view.request)


class EachOnceRouter:
    """Asks every member for the whole request, once."""

    async def decide(self, view: RoutingView) -> Decision:
        """Return all members as goals, as the whole plan."""
        if view.results:
            return Decision(finish=True, router="each_once")
        goals = tuple(Goal(member=card.name, request=view.request) for card in view.members)
        return Decision(goals=goals, finish=True, router="each_once")


def _decision(answer: Answer, request: str) -> Decision:
    if isinstance(answer, Decision):
        return answer
    names = [answer] if isinstance(answer, str) else list(answer)
    goals = tuple(Goal(member=name, request=request) for name in names if name != FINISH)
    return Decision(goals=goals, finish=FINISH in names, router="scripted")


class _StubState(TypedDict):
    payload: dict[str, Any]
    output: NotRequired[dict[str, Any]]
    private: NotRequired[str]


class StubAgent(BaseAgent[BaseModel, BaseModel]):
    """A worker made from a contract: what it needs and wants, and the hand-offs it gives.

    `behave` (payload -> None, or what to return instead of a valid Output), a function or an
    async one, may raise, sleep or answer nonsense. `calls` keeps the payloads it got.
    """

    def __init__(  # a contract has that many sides
        self,
        name: str,
        *,
        needs: Sequence[type[Handoff]] = (),
        wants: Sequence[type[Handoff]] = (),
        gives: Sequence[Handoff] = (),
        summary: str | None = None,
        behave: Callable[[Any], Any] | None = None,
        timeout: float | None = None,
    ) -> None:
        self.name = name
        self.description = f"Stands in for {name}."
        self.examples = tuple(f"ask {name} for its part number {n}" for n in range(10))
        self.timeout = timeout
        self.gives = tuple(gives)
        self.summary = summary if summary is not None else f"{name} answered"
        self.behave = behave
        self.calls: list[Any] = []
        fields: dict[str, Any] = {_field(kind): (kind, ...) for kind in needs}
        fields |= {_field(kind): (kind | None, None) for kind in wants}
        self.Input = create_model(f"{name}_input", __base__=AgentInput, **fields)
        outputs: dict[str, Any] = {_field(item): (type(item), ...) for item in self.gives}
        self.Output = create_model(f"{name}_output", __base__=AgentOutput, **outputs)

    @classmethod
    def like(cls, agent: BaseAgent[Any, Any], output: Mapping[str, Any]) -> "StubAgent":
        """Return a stub with the name and models of `agent` that always answers `output`."""
        stub = cls(agent.name, behave=lambda _: output)
        stub.description, stub.examples = agent.description, agent.examples
        stub.Input, stub.Output = agent.Input, agent.Output
        return stub

    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return a graph of one node."""
        builder: StateGraph[Any, Any, Any, Any] = StateGraph(_StubState)
        is_async = inspect.iscoroutinefunction(self.behave)
        builder.add_node("answer", self._aanswer if is_async else self._answer)
        builder.add_edge(START, "answer")
        return builder

    def _answer(self, state: _StubState) -> Any:
        payload = self._called_with(state)
        return self._update(self.behave(payload) if self.behave else None)

    async def _aanswer(self, state: _StubState) -> Any:
        payload = self._called_with(state)
        return self._update(await self.behave(payload) if self.behave else None)

    def _called_with(self, state: _StubState) -> BaseModel:
        payload = self.Input.model_validate(state["payload"])
        self.calls.append(payload)
        return payload

    def _update(self, result: Any) -> Any:
        answer: Any = result
        if result is None:
            answer = {"summary": self.summary, **{_field(item): item for item in self.gives}}
        if not isinstance(answer, Mapping):
            return answer  # this stub may return nonsense
        fields = cast("Mapping[str, Any]", answer)
        output = {
            key: value.model_dump(mode="json") if isinstance(value, BaseModel) else value
            for key, value in fields.items()
        }
        return {"output": output, "private": "kept inside"}

    def input_to_state(self, payload: BaseModel) -> dict[str, Any]:
        """Keep the payload as JSON, so that a checkpoint may hold it."""
        return {"payload": payload.model_dump(mode="json")}

    def state_to_output(self, state: Mapping[str, Any]) -> BaseModel:
        """Return the stub's Output, validated like any worker's."""
        return super().state_to_output(state.get("output", {}))


def _field(handoff: Handoff | type[Handoff]) -> str:
    return handoff.kind.replace(".", "_")


def assert_hops(run: Run | Mapping[str, Any], *paths: str) -> None:
    """Assert that a run called just these workers, in this order of start."""
    shown = run.to_json_dict() if isinstance(run, Run) else run
    called = [hop["path"] for hop in shown["hops"]]
    assert called == list(paths), f"called {called}, expected {list(paths)}"  # noqa: S101  # an assertion is its purpose


CANARY = "canary-3f9c1e"
"""A text that appears nowhere by chance."""


def assert_isolated(agent: BaseAgent[Any, Any], payload: Mapping[str, Any]) -> None:
    """Assert that nothing undeclared crosses the agent's border, either way.

    Canaries are planted in what a parent holds (other words, foreign hand-offs) and must not
    be in the agent's first state; then in every private key of its last state, after it ran
    on `payload`, and must not be in what the firewall lets out.
    """
    agent = agent.assembled if isinstance(agent, Team) else agent
    with TemporaryDirectory() as folder:
        limits = RunLimits()
        store = ArtifactStore(Path(folder))
        with RunContext(Budget(limits, DEFAULT_HOPS), store).bound():
            run_sync(_assert_isolated, agent, payload, store)


async def _assert_isolated(
    agent: BaseAgent[Any, Any], payload: Mapping[str, Any], store: ArtifactStore
) -> None:
    agent_input = agent.validate_input(payload)
    held = _held_by_a_parent(agent, agent_input, store)
    _assert_clean(convert_in(agent, held, store), f"the first state of `{agent.name}`")
    final = await agent.graph.ainvoke(agent.input_to_state(agent_input))
    public = {"outcome"} if agent.is_team else _public_keys(agent)
    planted = {key: value if key in public else CANARY for key, value in final.items()}
    planted["undeclared"] = CANARY
    leaving = convert_out(agent, planted, path=agent.name, role="goal", store=store)
    _assert_clean([leaving[0].model_dump(mode="json"), leaving[1]], f"what left `{agent.name}`")


def _held_by_a_parent(agent: BaseAgent[Any, Any], payload: BaseModel, store: ArtifactStore) -> Task:
    """Return a task that gives what `payload` holds, among canaries."""
    foreign: HandoffRecord = {"path": CANARY, "version": 1, "json": {"text": CANARY}}
    handoffs: Handoffs = {"canary.kind": [foreign]}
    attachments: list[Attachment] = []
    for field in type(payload).model_fields:
        value: Any = getattr(payload, field)
        for item in cast("Sequence[Any]", value) if isinstance(value, tuple | list) else (value,):
            if isinstance(item, Handoff):
                content = Content.of(item.model_dump_json())
                store.write(content)
                record = record_of(item, "parent/member", content, may_lie_inline=False)
                handoffs.setdefault(item.kind, []).append(record)
            elif isinstance(item, Attachment):
                attachments.append(item)
    sees_context = agent.input_mode in {"context", "full"} or agent.is_team
    return Task(
        request=str(getattr(payload, "request", "")) or "words",
        context="" if sees_context else CANARY,
        handoffs=handoffs,
        attachments=tuple(attachments),
    )


def _public_keys(agent: BaseAgent[Any, Any]) -> Iterable[str]:
    let_out = {"messages"} if agent.output_mode == "history" else set[str]()
    return {"output", "returned"} | set(agent.Output.model_fields) | let_out


def _assert_clean(value: Any, where: str) -> None:
    text = json.dumps(value, default=str, ensure_ascii=False)
    assert CANARY not in text, f"a canary of somebody else's state is in {where}"  # noqa: S101  # its purpose
