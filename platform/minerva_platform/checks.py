"""Find what could never run right, before anything runs. `minerva check` prints it.

All problems are reported at once, each with the path of the agent and what to change.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from minerva_platform.agent import BaseAgent
from minerva_platform.binding import unbound_fields
from minerva_platform.compatibility import incompatibilities
from minerva_platform.errors import CheckError, ContractError
from minerva_platform.flow import Flow, Port, handoff_ports
from minerva_platform.state import SupervisorState
from minerva_platform.team import Team

RESERVED = frozenset(
    {"FINISH", "finish", "supervisor", "__end__", "__start__"}
    | SupervisorState.__annotations__.keys()
)
"""Names that mean something to a supervisor or to LangGraph: a member is a node of its graph,
and no node may be called like a channel of the state."""

ENOUGH_EXAMPLES = 10
"""Example requests a worker needs where the embedded router learns from them."""

_SNAKE_CASE = re.compile(r"[a-z][a-z0-9_]*")


def check(root: Team) -> Team:
    """Return `root`, or raise everything that is wrong with its tree.

    Raises:
        CheckError: holds all problems.
    """
    problems = find_problems(root)
    if problems:
        raise CheckError(problems)
    return root


def find_problems(root: Team, *, alone: bool = False) -> list[str]:
    """Return every problem of the tree below `root`, as sentences.

    `alone` is for a team that runs without the platform: hand-offs that it needs from
    outside come with its task then.
    """
    problems = list(_team_problems(root, root.name))
    if not alone and _flow(root) is not None:
        problems += [
            f"`{port.agent}` needs the hand-off `{kind}` (its input `{port.field}`), and nobody "
            "in the tree gives it: add a producer, export it from its team, or make it optional."
            for kind, ports in root.flow.needs.items()
            for port in ports
        ]
    return problems


def _team_problems(team: Team, path: str) -> Iterator[str]:
    try:
        agents = team.agents
    except ContractError as error:
        yield f"`{path}`: {error}"
        return
    if not agents:
        yield f"`{path}` has no members."
    yield from _name_problems([_name(agent) for agent in agents], path)
    flows = {_name(agent): flow for agent in agents if (flow := _flow(agent)) is not None}
    if len(flows) == len(agents):  # what follows goes by name
        yield from _reference_problems(team, path)
        yield from _substitute_problems(team, path)
        yield from _flow_problems(team, path, flows)
    for agent in agents:
        yield from _agent_problems(team, agent, f"{path}/{_name(agent)}")


def _name(agent: BaseAgent[Any, Any]) -> str:
    return getattr(agent, "name", type(agent).__name__)


def _flow(agent: BaseAgent[Any, Any]) -> Flow | None:
    """Return the agent's flow; None where its own declarations keep it from having one."""
    try:
        return agent.flow
    except (AttributeError, ContractError):
        return None


def _flow_problems(team: Team, path: str, flows: Mapping[str, Flow]) -> Iterator[str]:
    cycle = _cycle(flows)
    if cycle:
        yield f"`{path}`: {' -> '.join(cycle)} wait for each other's hand-offs in a circle."
    else:
        yield from _doubled_kinds(team, path, flows)
    yield from _schema_problems(path, flows)


def _name_problems(names: Sequence[str], path: str) -> Iterator[str]:
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"`{path}` has {names.count(name)} members called `{name}`; names must differ."
    for name in names:
        if name in RESERVED:
            yield f"`{path}/{name}`: the name `{name}` is reserved; choose another."
        elif not _SNAKE_CASE.fullmatch(name):
            yield f"`{path}/{name}`: write the name in snake_case, such as `my_agent`."


def _reference_problems(team: Team, path: str) -> Iterator[str]:
    inner = {kind for agent in team.agents for kind in agent.flow.gives}
    for kind in team.export_kinds:
        if kind not in inner:
            yield f"`{path}` exports `{kind}`, which none of its members gives."
    for agent in team.agents:
        for kind in agent.presents:
            if kind not in inner:
                yield f"`{path}/{agent.name}` presents `{kind}`, which no member gives."
    for kind, checker in team.checks.items():
        if checker not in team.by_name:
            yield f"`{path}`: the check of `{kind}` names `{checker}`, which is no member."
        if kind not in inner:
            yield f"`{path}`: the check `{checker}` is for `{kind}`, which no member gives."


def _substitute_problems(team: Team, path: str) -> Iterator[str]:
    for member, other in team.substitutes.items():
        for name in dict.fromkeys((member, other)):
            if name not in team.by_name:
                yield f"`{path}`: the substitute {member} -> {other} names `{name}`, no member."
    for start in team.substitutes:
        trail = [start]
        while (following := team.substitutes.get(trail[-1], "")) not in {"", *trail}:
            trail.append(following)
        if following == start == min(trail):  # each circle is said once
            yield f"`{path}`: the substitutes {' -> '.join([*trail, start])} go in a circle."


def _agent_problems(team: Team, agent: BaseAgent[Any, Any], path: str) -> Iterator[str]:
    if not getattr(agent, "description", "").strip():
        yield f"`{path}` has no description; say what it does and when to choose it."
    if isinstance(agent, Team):
        yield from _team_problems(agent, path)
    else:
        yield from _worker_problems(agent, path)
    if _flow(agent) is None:
        return  # it was said why
    if team.learns_from_examples and len(agent.examples) < ENOUGH_EXAMPLES:
        yield (
            f"`{path}` gives {len(agent.examples)} examples; the embedded router needs "
            f"{ENOUGH_EXAMPLES} requests that should reach it."
        )


def _worker_problems(agent: BaseAgent[Any, Any], path: str) -> Iterator[str]:
    undeclared = [name for name in ("name", "Input", "Output") if not hasattr(agent, name)]
    if undeclared:
        yield f"`{path}` does not say its {', '.join(f'`{name}`' for name in undeclared)}."
        return
    try:
        unbound = unbound_fields(agent.Input)
        list(handoff_ports(agent.name, agent.Output))
    except ContractError as error:
        yield f"`{path}`: {error}"
        return
    for field in unbound:
        yield (
            f"`{path}`: no task can fill its input `{field}`; give it a default, or make it "
            "an Attachment or a Handoff."
        )
    if "summary" not in agent.Output.model_fields:
        yield f"`{path}`: its Output has no `summary`; derive it from AgentOutput."
    try:
        agent.graph  # noqa: B018  # compiling is the check
    except Exception as error:  # noqa: BLE001  # an author's graph may raise anything
        yield f"`{path}`: its graph cannot be compiled: {error}"


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
