"""The firewall at every border: what goes into a member, and what comes out.

`convert_in` builds a member's first state from the task and the hand-offs its parent holds;
`convert_out` turns its last state into a `Result` and typed hand-offs. Nothing else crosses:
not messages, not keys, not names, not commands. What comes out is bounded, so that no member
can fill its parent's state.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

import orjson
from pydantic import BaseModel

from minerva_observability import current_scope
from minerva_platform.agent import AgentOutput, BaseAgent
from minerva_platform.binding import bind
from minerva_platform.contract import (
    Citation,
    Handoff,
    HandoffRecord,
    Handoffs,
    Result,
    Role,
    Task,
    TeamOutput,
)
from minerva_platform.errors import OutputError
from minerva_platform.flow import handoff_ports

if TYPE_CHECKING:
    from minerva_platform.artifacts import ArtifactStore

MAX_SUMMARY = 64 * 1024
"""Characters of a summary that may enter the parent's state."""

MAX_QUOTE = 2000
"""Characters of a citation's quote that may enter the parent's state."""

MAX_INLINE = 64 * 1024
"""Bytes of JSON that may lie in graph state; a larger hand-off travels by sha-256."""

SHORTEST_REQUEST = 12
"""Characters of a request that is hidden in messages of errors; a word may mean anything."""

_TEAM_FIELDS = tuple(name for name in TeamOutput.model_fields if name != "handoffs")


def convert_in(agent: BaseAgent[Any, Any], task: Task, store: "ArtifactStore") -> dict[str, Any]:
    """Return the first state of `agent`'s graph for `task`.

    Raises:
        BindingError: the task does not give what the agent's Input asks for.
    """
    return agent.input_to_state(task_to_input(agent, task, store))


def task_to_input(agent: BaseAgent[Any, Any], task: Task, store: "ArtifactStore") -> BaseModel:
    """Return `task` as the Input of `agent`.

    Raises:
        BindingError: the task does not give what the agent's Input asks for.
    """
    hide_request(task)
    if agent.is_team:  # a team takes the task, less what its members may not see
        handoffs = narrow(task.handoffs, agent.flow.takes)
        return task.model_copy(update={"handoffs": handoffs})
    payload: BaseModel = agent.validate_input(bind(agent, task, store))
    hide_sensitive(agent, payload)
    return payload


def convert_out(
    agent: BaseAgent[Any, Any],
    state: Mapping[str, Any],
    *,
    path: str,
    role: Role,
    store: "ArtifactStore",
) -> tuple[Result, Handoffs]:
    """Return what may leave `agent` of the last state of its graph.

    Raises:
        OutputError: the state does not fit the agent's Output.
    """
    output = read_output(agent, state)
    return output_to_result(agent, output, path=path, role=role, store=store)


def output_to_result(
    agent: BaseAgent[Any, Any],
    output: BaseModel,
    *,
    path: str,
    role: Role,
    store: "ArtifactStore",
) -> tuple[Result, Handoffs]:
    """Return what may leave `agent` of its Output."""
    if isinstance(output, TeamOutput):
        result = Result(
            agent=agent.name,
            path=path,
            role=role,
            **{name: getattr(output, name) for name in _TEAM_FIELDS},
        )
        return result, narrow(output.handoffs, frozenset(agent.flow.gives))
    result = Result(
        agent=agent.name,
        path=path,
        status="ok",
        role=role,
        summary=capped(str(getattr(output, "summary", "")), MAX_SUMMARY),
        output=own_fields(agent, output),
        citations=_short_citations(getattr(output, "citations", ())),
        artifacts=tuple(store.store(item) for item in getattr(output, "artifacts", ())),
    )
    handoffs = given_handoffs(output, path, store)
    json_size(agent, [result.model_dump(mode="json"), handoffs])
    return result, handoffs


def read_output(agent: BaseAgent[Any, Any], state: Any) -> BaseModel:
    """Return the Output that the last state of `agent`'s graph holds; sensitive fields are hidden.

    Raises:
        OutputError: it is something else than the agent declares.
    """
    if not isinstance(state, Mapping):  # a wrapped graph may end with anything
        reason = f"its graph ended with {type(state).__name__}, not with a state."
        raise OutputError(agent.name, reason)
    output: Any = agent.state_to_output(cast("Mapping[str, Any]", state))
    if not isinstance(output, agent.Output):
        reason = f"its Output is {type(output).__name__}, not {agent.Output.__name__}."
        raise OutputError(agent.name, reason)
    fine: BaseModel = output
    hide_sensitive(agent, fine)
    return fine


def json_size(agent: BaseAgent[Any, Any], values: Any) -> int:
    """Return the bytes that `values` take as JSON.

    Raises:
        OutputError: a checkpoint would alter them (lone surrogates) or choke on them (numbers
            over 64 bits).
    """
    try:
        return len(orjson.dumps(values))
    except TypeError as error:
        reason = f"what it returned cannot be written as JSON: {error}."
        raise OutputError(agent.name, reason) from error


def hide_sensitive(agent: BaseAgent[Any, Any], values: BaseModel) -> None:
    """Keep the fields that `agent` calls sensitive out of every later record of the run."""
    scope = current_scope()
    if scope is None or not agent.sensitive:
        return
    sensitive = values.model_dump(mode="json", include=set(agent.sensitive))
    for name, value in sensitive.items():
        scope.hide(name, value)


def hide_request(task: Task) -> None:
    """Keep the words of `task` out of every later record of the run: they are a person's."""
    scope = current_scope()
    if scope is None:
        return
    for words in {task.request, task.context}:
        if len(words) >= SHORTEST_REQUEST:
            scope.hide("request", words)


def capped(text: str, limit: int) -> str:
    """Return `text`, cut to `limit` characters; the cut says so."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n… ({limit} of {len(text)} characters shown)"


def record_of(handoff: Handoff, path: str, store: "ArtifactStore") -> HandoffRecord:
    """Return `handoff` as it may lie in graph state; a large payload goes to the store."""
    text = handoff.model_dump_json()
    if len(text.encode()) > MAX_INLINE:
        return {"path": path, "version": handoff.version, "sha256": store.write_text(text)}
    payload = handoff.model_dump(mode="json")
    return {"path": path, "version": handoff.version, "json": payload}


def given_handoffs(output: BaseModel, path: str, store: "ArtifactStore") -> Handoffs:
    """Return the hand-offs that an Output carries, by kind."""
    found: Handoffs = {}
    for port in handoff_ports("", type(output)):
        value: Any = getattr(output, port.field)
        several = cast("Iterable[Handoff | None]", value) if port.many and value else (value,)
        for handoff in several:
            if handoff:
                found.setdefault(handoff.kind, []).append(record_of(handoff, path, store))
    return found


def own_fields(agent: BaseAgent[Any, Any], output: BaseModel) -> dict[str, Any]:
    """Return what an Output says beyond summary, citations, artifacts and hand-offs.

    It must be small; what is larger than a hand-off may be is left out, with its size.
    """
    known = set(AgentOutput.model_fields) | {p.field for p in handoff_ports("", type(output))}
    fields = output.model_dump(mode="json", exclude=known)
    size = json_size(agent, fields)
    return fields if size <= MAX_INLINE else {"truncated": True, "total_bytes": size}


def narrow(handoffs: Mapping[str, list[HandoffRecord]], kinds: frozenset[str]) -> Handoffs:
    """Return only the hand-offs of `kinds`."""
    return {kind: list(records) for kind, records in handoffs.items() if kind in kinds}


def _short_citations(citations: Iterable[Citation]) -> tuple[Citation, ...]:
    return tuple(
        citation
        if len(citation.quote) <= MAX_QUOTE
        else citation.model_copy(update={"quote": capped(citation.quote, MAX_QUOTE)})
        for citation in citations
    )
