"""Find hand-offs that could never pass: circles, kinds given twice, models that do not fit."""

from collections.abc import Iterator, Mapping
from itertools import combinations

from minerva_platform.compatibility import incompatibilities
from minerva_platform.flow import Flow, Port
from minerva_platform.team import Team


def flow_problems(team: Team, path: str, flows: Mapping[str, Flow]) -> Iterator[str]:
    """Yield what is wrong with the flows of a team's members, which go by name."""
    cycle = _cycle(flows)
    if cycle:
        yield f"`{path}`: {' -> '.join(cycle)} wait for each other's hand-offs in a circle."
    else:
        yield from _doubled_kinds(team, path, flows)
    yield from _schema_problems(path, flows)


def _cycle(flows: Mapping[str, Flow]) -> list[str] | None:
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


def _doubled_kinds(team: Team, path: str, flows: Mapping[str, Flow]) -> Iterator[str]:
    pairs = set(team.substitutes.items())
    for one, other in combinations(flows, 2):
        if {(one, other), (other, one)} & pairs:
            continue
        if _depends(flows, one, other) or _depends(flows, other, one):
            continue
        for kind in sorted(flows[one].gives.keys() & flows[other].gives.keys()):
            takers = [port for flow in flows.values() for port in _taking(flow, kind)]
            single = [port for port in takers if not port.many]
            if single or not takers:
                yield (
                    f"`{path}`: `{one}` and `{other}` may give `{kind}` side by side, and it would "
                    "be chance which is read; let its consumers take tuple[…, ...], or rename one."
                )


def _schema_problems(path: str, flows: Mapping[str, Flow]) -> Iterator[str]:
    said: set[str] = set()
    for producing in flows.values():
        for kind, ports in producing.gives.items():
            for consuming in flows.values():
                for taker in _taking(consuming, kind):
                    for giver in ports:
                        for difference in incompatibilities(giver.model, taker.model):
                            text = (
                                f"`{path}`: `{taker.agent}` cannot read the `{kind}` of "
                                f"`{giver.agent}`: {difference}."
                            )
                            if text not in said:
                                said.add(text)
                                yield text


def _taking(flow: Flow, kind: str) -> tuple[Port, ...]:
    return (*flow.needs.get(kind, ()), *flow.wants.get(kind, ()))
