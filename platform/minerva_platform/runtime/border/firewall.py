"""The firewall at every border: it limits what goes into a member and what comes out.

`convert_in` builds a member's first state from the task and the hand-offs that its parent holds.
`convert_out` turns its last state into a `Result` and typed hand-offs. Nothing else crosses: no
messages, keys, names or commands. Outgoing values are bounded, so no member can fill its parent's
state.
"""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Required, TypedDict, Unpack, cast

from pydantic import BaseModel

from minerva_observability.tracing import current_scope
from minerva_platform.contract.agent import AgentOutput, BaseAgent
from minerva_platform.contract.handoff import Handoffs
from minerva_platform.contract.result import Result, Role, TeamOutput
from minerva_platform.contract.task import Task
from minerva_platform.errors import OutputError
from minerva_platform.planning.situation import narrow
from minerva_platform.runtime.border.input_binding import bind
from minerva_platform.runtime.border.output_bounds import OutgoingValues, json_size
from minerva_platform.runtime.border.transfers import (
    NOBODY,
    Peers,
    Statement,
    check_transfers,
    note_failed_calls,
    transfers_in_command,
    transfers_in_messages,
    transfers_in_output,
)

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage, ToolCall
    from langgraph.types import Command

    from minerva_platform.run_context.context import Artifacts

MIN_REQUEST_CHARACTERS = 12
"""The shortest request, in characters, that error messages hide. A shorter one may be any word."""

_TEAM_FIELDS = tuple(name for name in TeamOutput.model_fields if name != "handoffs")


def convert_in(agent: BaseAgent[Any, Any], task: Task, store: "Artifacts") -> dict[str, Any]:
    """Return the first state of `agent`'s graph for `task`.

    Raises:
        BindingError: the task does not give what the agent's Input asks for.
    """
    return agent.input_to_state(task_to_input(agent, task, store))


def task_to_input(agent: BaseAgent[Any, Any], task: Task, store: "Artifacts") -> BaseModel:
    """Return `task` as the Input of `agent`.

    Raises:
        BindingError: the task does not give what the agent's Input asks for.
    """
    hide_request(task)
    if agent.is_team:  # a team takes the task without what its members may not see
        if task.started_by and task.members:  # those of a call inside it, on their way back there
            return task
        handoffs = narrow(task.handoffs, agent.flow.takes)
        return task.model_copy(update={"handoffs": handoffs})
    payload: BaseModel = agent.validate_input(bind(agent, task, store))
    hide_sensitive(agent, payload)
    return payload


class Border(TypedDict, total=False):
    """What a member's border needs to know of its call."""

    path: Required[str]
    role: Required[Role]
    store: Required["Artifacts"]
    peers: Peers
    """To whom it may pass control; nobody, if not said."""
    words: str
    """What it was asked."""


def convert_out(
    agent: BaseAgent[Any, Any], state: Mapping[str, Any], **border: Unpack[Border]
) -> tuple[Result, Handoffs]:
    """Return the result and the hand-offs that may leave `agent`, from its graph's last state.

    Raises:
        OutputError: the state does not fit the agent's Output.
        OutputLimitError: a value that may not be cut is too large (`bounds`).
    """
    output = read_output(agent, state)
    messages = read_messages(agent, state) if agent.output_mode == "history" else ()
    outgoing = OutgoingValues(agent, output, border["store"], messages)
    last = state.get("messages") or ()
    statements = transfers_in_output(output) if getattr(output, "transfers", ()) else []
    if last:
        statements += transfers_in_messages(last)
    if last and statements:
        note_failed_calls(last)
    return _outgoing_to_result(outgoing, statements, border)


def command_to_result(
    agent: BaseAgent[Any, Any], command: "Command[Any]", **border: Unpack[Border]
) -> tuple[Result, Handoffs]:
    """Return the result of a member that passed control by a command of LangGraph's.

    Raises:
        OutputError: the command is for nobody, or for no peer.
    """
    outgoing = OutgoingValues(agent, AgentOutput(summary=""), border["store"])
    return _outgoing_to_result(outgoing, transfers_in_command(command, agent.name), border)


def output_to_result(
    agent: BaseAgent[Any, Any], output: BaseModel, **border: Unpack[Border]
) -> tuple[Result, Handoffs]:
    """Return the result and the hand-offs that may leave `agent`, from its Output."""
    outgoing = OutgoingValues(agent, output, border["store"])
    return _outgoing_to_result(outgoing, transfers_in_output(output), border)


def _outgoing_to_result(
    outgoing: OutgoingValues, statements: Sequence[Statement], border: Border
) -> tuple[Result, Handoffs]:
    """Return the result and the hand-offs of an Output on its way out; a team's are as they are."""
    agent, output = outgoing.agent, outgoing.output
    path, role, peers = border["path"], border["role"], border.get("peers", NOBODY)
    words = border.get("words", "")
    transfers = (
        check_transfers(statements, peers, outgoing, words=words, path=path) if statements else ()
    )
    if isinstance(output, TeamOutput):
        result = Result(
            agent=agent.name,
            path=path,
            role=role,
            **{name: getattr(output, name) for name in _TEAM_FIELDS},
        )
        return result, narrow(output.handoffs, frozenset({*agent.flow.gives, *agent.flow.late}))
    handoffs = outgoing.handoffs(path)
    files, more_files = outgoing.files()
    result = Result(
        agent=agent.name,
        path=path,
        status="ok",
        role=role,
        summary=outgoing.summary(),
        output=outgoing.own_fields(),
        history=outgoing.history(),
        citations=outgoing.citations(),
        artifacts=outgoing.artifacts(),
        files=files,
        more_files=more_files,
        unused=outgoing.unused(),
        shown=outgoing.shown(),
        transfers=transfers,
        cut=outgoing.cut,  # after all that is cut
    )
    json_size(agent, [result.model_dump(mode="json"), handoffs])
    outgoing.write()
    return result, handoffs


def read_output(agent: BaseAgent[Any, Any], state: Any) -> BaseModel:
    """Return the Output that the last state of `agent`'s graph holds; sensitive fields are hidden.

    Raises:
        OutputError: the state does not hold what the agent declares.
    """
    if not isinstance(state, Mapping):  # a wrapped graph may end with any type
        reason = f"its graph ended with {type(state).__name__}, not with a state."
        raise OutputError(agent.name, reason)
    output: Any = agent.state_to_output(cast("Mapping[str, Any]", state))
    if not isinstance(output, agent.Output):
        reason = f"its Output is {type(output).__name__}, not {agent.Output.__name__}."
        raise OutputError(agent.name, reason)
    fine: BaseModel = output
    hide_sensitive(agent, fine)
    return fine


def read_messages(
    agent: BaseAgent[Any, Any], state: Mapping[str, Any]
) -> tuple[dict[str, Any], ...]:
    """Return who said what in the messages of `agent`'s graph: role, name, text and calls.

    Raises:
        OutputError: its graph has no messages.
    """
    from langchain_core.messages import convert_to_messages  # noqa: PLC0415  # langchain is heavy

    if "messages" not in state:
        reason = 'it says output_mode = "history", and its graph has no `messages`.'
        raise OutputError(agent.name, reason)
    return tuple(map(_message_row, convert_to_messages(state["messages"])))


def _message_row(message: "BaseMessage") -> dict[str, Any]:
    made: Sequence[ToolCall] = getattr(message, "tool_calls", ())  # an answer of the model has them
    calls = [{"name": call["name"], "arguments": _json(call["args"])} for call in made]
    row = {"role": message.type, "name": message.name, "text": message.text, "calls": calls}
    kept: dict[str, Any] = json.loads(_json({key: value for key, value in row.items() if value}))
    return kept


def _json(value: Any) -> str:
    """Return `value` as JSON, without what is no Unicode text."""
    return json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "replace").decode()


def hide_sensitive(agent: BaseAgent[Any, Any], values: BaseModel) -> None:
    """Keep the sensitive fields of `agent` out of every later record of the run."""
    scope = current_scope()
    if scope is None or not agent.sensitive:
        return
    sensitive = values.model_dump(mode="json", include=set(agent.sensitive))
    for name, value in sensitive.items():
        scope.hide(name, value)


def hide_request(task: Task) -> None:
    """Keep the person's words in `task` out of every later record of the run."""
    scope = current_scope()
    if scope is None:
        return
    for words in {task.request, task.context}:
        if len(words) >= MIN_REQUEST_CHARACTERS:
            scope.hide("request", words)
