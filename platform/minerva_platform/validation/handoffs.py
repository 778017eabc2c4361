"""Find hand-offs that could never pass: circles, kinds given twice, models that do not fit."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.dataflow import Flow, Port, handoff_ports
from minerva_platform.errors import ContractError
from minerva_platform.storage.checkpoints.state_classes import classes_named_by
from minerva_platform.validation.compatibility import incompatibilities


@dataclass(frozen=True, slots=True)
class Clash:
    """Two members that may give a kind side by side, of which a consumer takes just one."""

    kind: str
    one: str
    other: str


@dataclass(frozen=True, slots=True)
class Misfit:
    """A consumer that cannot read what a producer writes, and the first reason why."""

    kind: str
    giver: str
    taker: str
    """The members of the supervisor that passes the hand-off; either may be a team."""
    out_port: Port
    in_port: Port
    difference: str


def flow_problems(team: AssembledTeam, path: str, flows: Mapping[str, Flow]) -> Iterator[str]:
    """Yield the problems of the flows of a team's members. `flows` maps names to flows."""
    cycle = find_cycle(flows)
    if cycle:
        yield f"`{path}`: {cycle_text(cycle)}."
    else:
        pairs = frozenset(team.substitutes.items())
        for clash in find_clashes(flows, pairs):
            yield (
                f"`{path}`: {clash_text(clash)}; let its consumers take tuple[…, ...], or "
                "rename one."
            )
    texts = (f"`{path}`: {misfit_text(misfit, team)}." for misfit in misfits(flows))
    yield from dict.fromkeys(texts)


def crossing_problems(agent: BaseAgent[Any, Any], path: str) -> Iterator[str]:
    """Yield the fields of a worker's hand-offs whose types hold what crosses no border."""
    try:
        ports = list(handoff_ports(agent.name, agent.Output))
    except (AttributeError, ContractError):  # told where its flow is read
        return
    for port in ports:
        for name, field in port.model.model_fields.items():
            found = {
                kind.__qualname__
                for kind in classes_named_by([field.annotation])
                if _is_no_data(kind)
            }
            if found:
                yield (
                    f"`{path}`: `{name}` of its hand-off `{port.kind}` may hold a "
                    f"`{min(found)}`, which is no data, so it cannot cross a border; give what "
                    "it is made of."
                )


def _is_no_data(kind: type) -> bool:
    """Return whether a class is code, a place where a program stands, or a thing of its process.

    pydantic reads an `Iterable` as it comes, so a field holds where the reading stands.
    """
    if kind.__module__ == "collections.abc":
        return kind.__name__ in _NO_DATA
    return kind.__module__.partition(".")[0] in _OF_A_PROCESS


_NO_DATA: Final = frozenset(
    {"AsyncGenerator", "AsyncIterable", "AsyncIterator", "Awaitable", "Callable", "Coroutine"}
    | {"Generator", "Iterable", "Iterator"}
)
_OF_A_PROCESS: Final = frozenset(
    {"_io", "_thread", "asyncio", "io", "socket", "sqlite3", "threading"}
)


def cycle_text(cycle: list[str]) -> str:
    """Return which members wait for each other."""
    return f"{' -> '.join(cycle)} wait for each other's hand-offs in a circle"


def clash_text(clash: Clash) -> str:
    """Return which two members give the same kind."""
    return (
        f"`{clash.one}` and `{clash.other}` may give `{clash.kind}` side by side, and it "
        "would be chance which is read"
    )


def misfit_text(misfit: Misfit, team: AssembledTeam) -> str:
    """Return which worker cannot read which, with team and distribution of both, and why."""
    reader = _side(misfit.in_port, misfit.taker, team)
    writer = _side(misfit.out_port, misfit.giver, team)
    return f"{reader} cannot read the `{misfit.kind}` of {writer}: {misfit.difference}"


def _side(port: Port, member: str, team: AssembledTeam) -> str:
    agent = team.by_name.get(member)
    if not isinstance(agent, AssembledTeam):
        return f"`{port.agent}`"
    origin = f" ({agent.origin})" if agent.origin else ""
    return f"`{port.agent}` of `{member}`{origin}"


def find_cycle(flows: Mapping[str, Flow]) -> list[str] | None:
    """Return the members of a circle of hand-offs, or None."""
    done: set[str] = set()

    def walk(name: str, trail: list[str]) -> list[str] | None:
        if name in trail:
            return [*trail[trail.index(name) :], name]
        if name in done:
            return None
        for other, flow in flows.items():
            if other != name and flows[name].takes & flow.gives.keys():
                found = walk(other, [*trail, name])
                if found:
                    return found
        done.add(name)
        return None

    return next((found for name in flows if (found := walk(name, []))), None)


def _depends(flows: Mapping[str, Flow], later: str, earlier: str) -> bool:
    seen: set[str] = set()
    queue = [later]
    while queue:
        name = queue.pop()
        for other, flow in flows.items():
            if other not in seen and other != name and flows[name].takes & flow.gives.keys():
                seen.add(other)
                queue.append(other)
    return earlier in seen


def find_clashes(
    flows: Mapping[str, Flow], substitutes: Collection[tuple[str, str]] = ()
) -> Iterator[Clash]:
    """Yield the kinds that two members may give side by side although one is read."""
    for one, other in combinations(flows, 2):
        if {(one, other), (other, one)} & set(substitutes):
            continue
        if _depends(flows, one, other) or _depends(flows, other, one):
            continue
        for kind in sorted(flows[one].gives.keys() & flows[other].gives.keys()):
            takers = [port for flow in flows.values() for port in taking(flow, kind)]
            if not takers or any(not port.many for port in takers):
                yield Clash(kind, one, other)


def misfits(flows: Mapping[str, Flow]) -> Iterator[Misfit]:
    """Yield every producer that a consumer among the members cannot read, and each reason."""
    for giver, producing in flows.items():
        for kind, ports in producing.gives.items():
            for taker, consuming in flows.items():
                for in_port in taking(consuming, kind):
                    for out_port in ports:
                        for difference in _differences(out_port, in_port):
                            yield Misfit(kind, giver, taker, out_port, in_port, difference)


def _differences(out_port: Port, in_port: Port) -> list[str]:
    """Return why `in_port` cannot take what `out_port` gives.

    A version is a promise about meaning: of different versions the fields do not matter.
    """
    one, other = out_port.model.version, in_port.model.version
    if one != other:
        return [f"version {one} is given, version {other} is read"]
    return incompatibilities(out_port.model, in_port.model)


def taking(flow: Flow, kind: str) -> tuple[Port, ...]:
    """Return the ports through which `kind` may enter."""
    return (*flow.needs.get(kind, ()), *flow.wants.get(kind, ()))
