"""The hand-offs that an agent needs, wants and gives: the algebra from which plans follow.

A worker's flow is read from its Input and Output models. A team's flow follows from its members'.
So the same planner serves every level of the tree.
"""

import re
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Annotated, Any, TypeGuard, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from minerva_platform.contract.handoff import Handoff
from minerva_platform.errors import ContractError


class KindlessError(ContractError):
    """A hand-off has no kind, so it cannot be bound."""

    def __init__(self, handoff: type[Handoff]) -> None:
        self.handoff = handoff
        name = handoff.__name__
        team = handoff.__module__.partition(".")[0].removeprefix("minerva_")
        payload = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
        line = f'kind: ClassVar[str] = "{team}.{payload}"'
        super().__init__(f"`{name}` has no `kind`; write in it: {line}")


@dataclass(frozen=True, slots=True)
class Port:
    """One field through which a hand-off enters or leaves an agent."""

    agent: str
    field: str
    model: type[Handoff]
    is_required: bool
    many: bool = False

    @property
    def kind(self) -> str:
        """The kind of hand-off that passes here."""
        return self.model.kind


Ports = Mapping[str, tuple[Port, ...]]
"""Ports by kind."""


@dataclass(frozen=True, slots=True)
class Flow:
    """The kinds of hand-offs that cross an agent's border.

    `needs` must be there before the agent can start. `wants` is used if it is there. `gives` may
    come out. `waits` maps each given kind to the kinds from outside that its production would use.
    A kind that waits for nothing can be made early. `approves` are the kinds about which it asks a
    person once all else is done. `late` comes out of runs in the background alone, so nobody can
    wait for it.
    """

    needs: Ports
    wants: Ports
    gives: Ports
    waits: Mapping[str, frozenset[str]]
    approves: frozenset[str] = frozenset()
    late: Ports = field(default_factory=dict[str, tuple[Port, ...]])

    @property
    def takes(self) -> frozenset[str]:
        """The kinds that may enter."""
        return frozenset(self.needs) | frozenset(self.wants)

    def made_whole(self) -> "Flow":
        """Return the flow of a team that is always gone through from its start: nothing early."""
        waits = dict.fromkeys(self.gives, self.takes | self.gives.keys())
        return replace(self, waits=waits)

    def without(self, kinds: frozenset[str]) -> "Flow":
        """Return the flow without the wanted `kinds`."""
        if not kinds:
            return self
        wants = {kind: ports for kind, ports in self.wants.items() if kind not in kinds}
        waits = {kind: awaited - kinds for kind, awaited in self.waits.items()}
        return replace(self, wants=wants, waits=waits)

    def in_background(self) -> "Flow":
        """Return the flow of a member whose calls come back before its work is done."""
        return Flow(self.needs, self.wants, {}, {}, late={**self.late, **self.gives})

    def in_own_run(self) -> "Flow":
        """Return the flow in the run in which the work is done: nothing of it is late."""
        waits = dict.fromkeys(self.late, self.takes) | dict(self.waits)
        return Flow(self.needs, self.wants, {**self.late, **self.gives}, waits, self.approves)


@dataclass(frozen=True, slots=True)
class LostHandoff:
    """A hand-off that one member gives and another wants, although the models do not fit."""

    kind: str
    giver: str
    taker: str
    cause: str


def worker_flow(name: str, input_model: type[BaseModel], output_model: type[BaseModel]) -> Flow:
    """Return a worker's flow, read from the models of its Input and its Output."""
    entries = tuple(handoff_ports(name, input_model))
    needs = _by_kind(port for port in entries if port.is_required)
    wants = _by_kind(port for port in entries if not port.is_required)
    gives = _by_kind(handoff_ports(name, output_model))
    everything = frozenset(needs) | frozenset(wants)
    return Flow(needs, wants, gives, dict.fromkeys(gives, everything))


def team_flow(
    members: Iterable[Flow], exports: Iterable[str], approvals: Iterable[str] = ()
) -> Flow:
    """Return a team's flow, derived from its members'.

    A kind that members consume and the team exports is also wanted, because an earlier call may
    have produced it. Of `approvals` those count above that leave the team.
    """
    flows = tuple(members)
    exported = frozenset(exports)
    inner = _merge(flow.gives for flow in flows)
    needed = _merge(flow.needs for flow in flows)
    wanted = _merge(flow.wants for flow in flows)
    needs = _by_kind(
        port
        for flow in flows
        for kind, ports in flow.needs.items()
        for port in ports
        if not any(kind in other.gives for other in flows if other is not flow)
    )
    wants = {kind: ports for kind, ports in wanted.items() if kind not in inner | needs}
    wants |= {
        kind: needed.get(kind, ()) + wanted.get(kind, ())
        for kind in inner
        if kind in exported and (kind in needed or kind in wanted)
    }
    gives = {kind: ports for kind, ports in inner.items() if kind in exported}
    asked = exported.intersection(approvals, gives).union(
        *(flow.approves & gives.keys() for flow in flows)
    )
    waits = {kind: _outside(kind, flows, inner) for kind in gives}
    late = _merge(flow.late for flow in flows)
    late = {kind: ports for kind, ports in late.items() if kind in exported - gives.keys()}
    return Flow(needs, wants, gives, waits, asked, late)


def handoff_ports(agent: str, model: type[BaseModel]) -> Iterator[Port]:
    """Yield the fields of `model` that carry hand-offs."""
    for name, handoff, required, many in _handoff_fields(model):
        yield Port(agent, name, handoff, is_required=required, many=many)


@lru_cache(maxsize=1_000)
def _handoff_fields(model: type[BaseModel]) -> tuple[tuple[str, type[Handoff], bool, bool], ...]:
    """Return name, hand-off, and whether it is required and several, of each such field."""
    found = ((name, field, *handoff_of(field)) for name, field in model.model_fields.items())
    return tuple(
        (name, handoff, field.is_required(), many)
        for name, field, handoff, many in found
        if handoff is not None
    )


def handoff_of(field: FieldInfo) -> tuple[type[Handoff] | None, bool]:
    """Return the Handoff model that `field` carries, if any, and True if the field takes several.

    Raises:
        KindlessError: the model has no kind.
    """
    for option in _options(field.annotation):
        if _is_handoff(option):
            return option, False
        if get_origin(option) in {list, tuple}:
            for item in get_args(option):
                if _is_handoff(item):
                    return item, True
    return None, False


def _is_handoff(annotation: Any) -> TypeGuard[type[Handoff]]:
    if not (isinstance(annotation, type) and issubclass(annotation, Handoff)):
        return False
    if not hasattr(annotation, "kind"):
        raise KindlessError(annotation)
    return True


def _options(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) is Annotated:
        return _options(get_args(annotation)[0])
    if get_origin(annotation) in {Union, types.UnionType}:
        return tuple(inner for arg in get_args(annotation) for inner in _options(arg))
    return (annotation,)


def _by_kind(ports: Iterable[Port]) -> dict[str, tuple[Port, ...]]:
    found: dict[str, tuple[Port, ...]] = {}
    for port in ports:
        found[port.kind] = (*found.get(port.kind, ()), port)
    return found


def _merge(many: Iterable[Ports]) -> dict[str, tuple[Port, ...]]:
    return _by_kind(port for ports in many for group in ports.values() for port in group)


def _outside(kind: str, flows: tuple[Flow, ...], inner: Ports) -> frozenset[str]:
    found: set[str] = set()
    seen: set[str] = set()
    queue = [kind]
    while queue:
        current = queue.pop()
        if current in seen:
            continue
        seen.add(current)
        for flow in flows:
            if current in flow.gives:
                for awaited in flow.waits[current]:
                    (queue.append if awaited in inner else found.add)(awaited)
    return frozenset(found)
