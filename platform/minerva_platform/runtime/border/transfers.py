"""Turn what a member says about passing control into a checked fact, at its border.

A worker says it in its Output (`Transfer`), a model by a tool (`transfer_tools`), and existing code
by `Command(goto=…, update=…, graph=Command.PARENT)`. Each becomes the same `CheckedTransfer`: to a
peer of the network, with the words and with what the peer's Input declares. The rest is dropped,
and its names are on record.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

import orjson
from langgraph.graph import END
from langgraph.types import Command, Send
from pydantic import BaseModel, TypeAdapter, ValidationError

from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.bounds import MAX_INLINE
from minerva_platform.contract.dataflow import handoff_of
from minerva_platform.contract.handoff import Handoff, Handoffs
from minerva_platform.contract.transfer import (
    TRANSFER,
    CarriedHandoff,
    CheckedTransfer,
    Transfer,
    handoff_to_carried,
    is_transfer,
)
from minerva_platform.errors import AgentError, OutputError, OutputLimitError
from minerva_platform.run_context.recorded_failures import note_without
from minerva_platform.runtime.border.input_binding import WORDS, attachment_pattern
from minerva_platform.runtime.border.output_bounds import OutgoingValues, json_size
from minerva_platform.text.validation_error import validation_text

MAX_REQUEST: Final = 4_000
"""Characters of the words of one transfer."""
MAX_SAID: Final = 300
"""Characters of what a failed tool says that its bypass holds."""
MAX_TRANSFERS: Final = 20
"""Transfers in one answer."""
_MAX_NAMES: Final = 20
_MAX_NAME: Final = 80
"""Dropped names that a record holds, and the characters of each."""


@dataclass(frozen=True, slots=True)
class Peers:
    """The members to which one member may pass control. Outside of a network nobody has some."""

    team: str = ""
    is_network: bool = False
    agents: Mapping[str, BaseAgent[Any, Any]] = field(
        default_factory=dict[str, BaseAgent[Any, Any]]
    )


NOBODY: Final = Peers()


@dataclass(frozen=True, slots=True)
class Statement:
    """A transfer as the member says it."""

    to: object
    update: Mapping[str, Any]
    handoff: CarriedHandoff | None = None


def transfers_in_output(output: BaseModel) -> list[Statement]:
    """Return the transfers of an Output."""
    given: Sequence[Transfer] = getattr(output, "transfers", ())
    return [Statement(one.to, {"request": one.request}, one.carried_handoff) for one in given]


def transfers_in_messages(messages: Iterable[Any]) -> list[Statement]:
    """Return the transfers that a model has made by `transfer_tools`, in a graph's messages."""
    found: list[Statement] = []
    for message in messages:
        if is_transfer(message):
            said: Mapping[str, Any] = message.artifact[TRANSFER]
            found.append(Statement(said.get("to"), {"request": said.get("request")}))
    return found


def note_failed_calls(messages: Sequence[Any]) -> None:
    """Note the calls that failed beside a transfer, of which the ended agent reads no more."""
    for message in reversed(messages):
        if getattr(message, "type", "") != "tool":
            return
        if getattr(message, "status", "") == "error":
            said = " ".join(str(message.text).split())[:MAX_SAID]
            text = f"a call of `{message.name}` beside the transfer failed: {said}"
            note_without(AgentError(text), node=str(message.name))


def transfers_in_command(command: Command[Any], agent: str) -> list[Statement]:
    """Return the transfers that a command of existing code means: one for each `goto`.

    Raises:
        OutputError: the command goes nowhere, or its update has no keys.
    """
    update = _as_mapping(command.update, agent)
    goto: Any = command.goto
    targets: Any = (goto,) if isinstance(goto, str | Send) else goto
    found: list[Statement] = []
    for target in targets:
        if isinstance(target, Send):
            found.append(_statement(target.node, {**update, **_as_mapping(target.arg, agent)}))
        elif target != END:
            found.append(_statement(target, update))
    if not (found or targets):
        raise OutputError(agent, "its Command(graph=…) names nobody; write goto=….")
    return found


def _statement(to: object, update: Mapping[str, Any]) -> Statement:
    """Return what is said; without a `request` the last words of a person in `messages` count."""
    if update.get("request") is None and update.get("messages"):
        words = _last_words(update["messages"])
        update = {**update, "request": words} if words else update
    return Statement(to, update)


def _last_words(messages: Any) -> str:
    from langchain_core.messages import HumanMessage, convert_to_messages  # noqa: PLC0415  # langchain is heavy

    try:
        several = convert_to_messages(messages)
    except (NotImplementedError, TypeError, ValueError):
        return ""
    said = [str(each.text) for each in several if isinstance(each, HumanMessage)]
    return said[-1] if said else ""


def _as_mapping(update: Any, agent: str) -> dict[str, Any]:
    match update:
        case None:
            return {}
        case Mapping():
            return {str(key): value for key, value in cast("Any", update).items()}
        case BaseModel():
            return {name: getattr(update, name) for name in update.model_fields_set}
        case list() | tuple() if all(_is_pair(item) for item in cast("Iterable[Any]", update)):
            return {str(key): value for key, value in cast("Iterable[tuple[Any, Any]]", update)}
        case _:
            reason = f"the update of its Command(graph=…) is {type(update).__name__}; write a dict."
            raise OutputError(agent, reason)


def _is_pair(item: Any) -> bool:
    return isinstance(item, tuple) and len(cast("Sequence[Any]", item)) == 2  # noqa: PLR2004  # key and value


def check_transfers(
    statements: Sequence[Statement],
    peers: Peers,
    outgoing: OutgoingValues,
    *,
    words: str,
    path: str,
) -> tuple[CheckedTransfer, ...]:
    """Return the transfers as facts. `outgoing` weighs the hand-offs that go with them.

    `words` are those of the member itself; a transfer without a request passes them on.

    Raises:
        OutputError: the target is no peer, or a value does not fit its Input.
        OutputLimitError: there are too many, or one is too large.
    """
    agent = outgoing.agent.name
    if len(statements) > MAX_TRANSFERS:
        reason = (
            f"it passes control {len(statements):,} times at once; at most {MAX_TRANSFERS} may be."
        )
        raise OutputLimitError(agent, reason)
    return tuple(_Border(peers, outgoing, path).check(one, words) for one in statements)


class _Border:
    """One member's border, for one transfer after another."""

    def __init__(self, peers: Peers, outgoing: OutgoingValues, path: str) -> None:
        self.peers, self.outgoing, self.path = peers, outgoing, path
        self.agent = outgoing.agent

    def check(self, statement: Statement, words: str) -> CheckedTransfer:
        target = self._target(statement.to)
        request = self._request(statement.update.get("request"), target.name) or words
        fields: dict[str, Any] = {}
        handoffs: Handoffs = {}
        dropped: list[str] = []
        for name, value in statement.update.items():
            if name == "request":
                continue
            if not self._crosses(name, value, target, fields, handoffs):
                dropped.append(name[:_MAX_NAME])
        if statement.handoff is not None:
            self._carry(statement.handoff, target, handoffs)
        size = json_size(self.agent, fields)
        if size > MAX_INLINE:
            reason = (
                f"it passes {size:,} bytes of fields on to `{target.name}`; at most {MAX_INLINE:,} "
                "may be. Give what is large as a hand-off."
            )
            raise OutputLimitError(self.agent.name, reason)
        kept = tuple(sorted(dropped)[:_MAX_NAMES])
        return CheckedTransfer(
            to=target.name, request=request, fields=fields, handoffs=handoffs, dropped=kept
        )

    def _target(self, to: object) -> BaseAgent[Any, Any]:
        name, peers = str(to)[:_MAX_NAME], self.peers
        if not peers.is_network:
            reason = (
                f"it passes control to `{name}`, and `{peers.team}` is no network; declare "
                "`router = Network(…)` in the team (minerva_platform.routing), or pass none."
            )
            raise OutputError(self.agent.name, reason)
        if not isinstance(to, str) or to not in peers.agents:
            known = ", ".join(peers.agents) or "none"
            reason = f"it passes control to `{name}`, which is not one of its peers ({known})."
            raise OutputError(self.agent.name, reason)
        return peers.agents[to]

    def _request(self, request: object, target: str) -> str:
        if request is None:
            return ""
        if not isinstance(request, str):
            kind = type(request).__name__
            reason = f"the request that it passes on to `{target}` is {kind}, not a text."
            raise OutputError(self.agent.name, reason)
        if len(request) > MAX_REQUEST:
            reason = (
                f"the request that it passes on to `{target}` has {len(request):,} characters; at "
                f"most {MAX_REQUEST:,} may be."
            )
            raise OutputLimitError(self.agent.name, reason)
        return request.strip()

    def _crosses(
        self,
        name: str,
        value: Any,
        target: BaseAgent[Any, Any],
        fields: dict[str, Any],
        handoffs: Handoffs,
    ) -> bool:
        """Put a value where the target finds it. False if its Input declares no such field."""
        declared = target.Input.model_fields.get(name)
        if declared is None or target.is_team or name in WORDS:
            return False
        handoff, _ = handoff_of(declared)
        if handoff is not None:
            try:
                carried = _carried_as(handoff, value)
            except ValueError as error:
                raise OutputError(self.agent.name, f"{error}") from error
            self._carry(carried, target, handoffs)
            return True
        if attachment_pattern(declared) is not None:
            return False
        try:
            adapter: TypeAdapter[Any] = TypeAdapter(declared.rebuild_annotation())
            fitted = adapter.validate_python(value)
            fields[name] = adapter.dump_python(fitted, mode="json")
            if adapter.validate_json(orjson.dumps(fields[name])) != fitted:
                message = "JSON does not give it back as it is, so give it as a hand-off"
                raise ValueError(message)  # noqa: TRY301  # it is told as the others are
        except (ValidationError, ValueError, TypeError) as error:
            found = error.errors() if isinstance(error, ValidationError) else []
            said = found[0]["msg"] if found else str(error)
            reason = f"what it passes on to `{target.name}` as `{name}` does not fit: {said}."
            raise OutputError(self.agent.name, reason) from error
        return True

    def _carry(
        self, handoff: CarriedHandoff, target: BaseAgent[Any, Any], handoffs: Handoffs
    ) -> None:
        """Add a hand-off that the target takes, after a look with the target's own model."""
        for port in _ports(target, handoff.kind):
            if port.version != handoff.version:
                reason = (
                    f"it carries version {handoff.version} of `{handoff.kind}` to "
                    f"`{target.name}`, which reads version {port.version}."
                )
                raise OutputError(self.agent.name, reason)
            try:
                port.model_validate(handoff.payload)
            except ValidationError as error:
                reason = (
                    f"the hand-off `{handoff.kind}` that it carries does not fit what "
                    f"`{target.name}` reads: {validation_text(error)}"
                )
                raise OutputError(self.agent.name, reason) from error
        if handoff.kind not in target.flow.takes:
            taken = ", ".join(sorted(target.flow.takes)) or "none"
            reason = (
                f"it carries the hand-off `{handoff.kind}` to `{target.name}`, which takes no "
                f"such kind (it takes {taken})."
            )
            raise OutputError(self.agent.name, reason)
        handoffs.setdefault(handoff.kind, []).append(self.outgoing.carry(handoff, self.path))


def _ports(target: BaseAgent[Any, Any], kind: str) -> Iterator[type[Handoff]]:
    for ports in (target.flow.needs, target.flow.wants):
        for port in ports.get(kind, ()):
            yield port.model


def _carried_as(handoff: type[Handoff], value: Any) -> CarriedHandoff:
    """Return a hand-off that existing code put into an update: an object, or plain JSON."""
    if isinstance(value, Handoff):
        return handoff_to_carried(value)
    if isinstance(value, BaseModel):
        kind = str(getattr(value, "kind", handoff.kind))
        version = int(getattr(value, "version", handoff.version))
        return CarriedHandoff(kind=kind, version=version, payload=value.model_dump(mode="json"))
    plain = cast("dict[str, Any]", value if isinstance(value, dict) else {"value": value})
    return CarriedHandoff(kind=handoff.kind, version=handoff.version, payload=plain)
