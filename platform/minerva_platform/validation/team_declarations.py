"""Find declarations that could never run right, before anything runs, for `minerva check`.

All problems are reported at once, each with the path of the agent and what to change.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.dataflow import Flow, KindlessError
from minerva_platform.contract.handoff import Handoff
from minerva_platform.errors import CheckError, ContractError
from minerva_platform.planning.roster import names_effect
from minerva_platform.routing.router_choice import (
    learns_from_examples,
    options_of,
    problem_of,
    shape_problems,
)
from minerva_platform.routing.tool_router import tool_names
from minerva_platform.runtime.isolation.conditions import isolation_obstacles
from minerva_platform.runtime.modes import mode_problems
from minerva_platform.runtime.state import SupervisorState
from minerva_platform.validation.background import background_problems, late_giver, unmet_problem
from minerva_platform.validation.handoffs import crossing_problems, flow_problems
from minerva_platform.validation.worker_declarations import text_problems, worker_problems

RESERVED = frozenset(
    {"FINISH", "finish", "supervisor", "__end__", "__start__"}
    | SupervisorState.__annotations__.keys()
)
"""Names that mean something to a supervisor or to LangGraph: a member is a node of its graph,
and no node may be called like a channel of the state."""

ENOUGH_EXAMPLES = 10
"""Example requests from which the embedded router learns a worker well enough to begin with; with
fewer it can be asked all the same, so `minerva check` warns. Without any it can never be chosen."""

_SNAKE_CASE = re.compile(r"[a-z][a-z0-9_]*")


def check(root: AssembledTeam) -> AssembledTeam:
    """Return `root`, or raise all problems of its tree.

    Raises:
        CheckError: holds all problems.
    """
    problems = find_problems(root)
    if problems:
        raise CheckError(problems)
    return root


def find_problems(root: AssembledTeam, *, alone: bool = False) -> list[str]:
    """Return every problem of the tree below `root`, as sentences.

    `alone` is for a team that runs without the platform: hand-offs that it needs from
    outside come with its task then.
    """
    problems = list(_once(_team_problems(root, root.name)))
    if _flow(root) is not None:
        needed = (port for ports in root.flow.needs.values() for port in ports)
        unmet = (
            unmet_problem(port, root)
            for port in needed
            if not alone or late_giver(port, root) is not None
        )
        problems += dict.fromkeys(unmet)
    return problems


def member_problems(team: AssembledTeam, agent: BaseAgent[Any, Any]) -> list[str]:
    """Return every problem that `agent` would have as a member of `team`, its own members' too."""
    name = _name(agent)
    problems = (
        *_name_problems([name], team.name),
        *_agent_problems(team, agent, f"{team.name}/{name}"),
    )
    return list(_once(problems))


def path_of(problem: str) -> str:
    """Return the path of the agent that a problem of a tree begins with."""
    return problem.split("`", 2)[1]


def _once(problems: Iterable[str]) -> Iterator[str]:
    """Yield the problems without those of members that a team's own problem already covers."""
    said: dict[str, list[str]] = {}
    for problem in problems:
        path, _, text = problem.partition("`: ")
        above = said.setdefault(text, [])
        if not any(path.startswith(f"{other}/") for other in above):
            above.append(path)
            yield problem


def _team_problems(team: AssembledTeam, path: str) -> Iterator[str]:
    try:
        agents = team.agents
    except ContractError as error:
        yield f"`{path}`: {error}"
        return
    if not agents:
        yield f"`{path}` has no members."
        return
    yield from _export_problems(team, path)
    yield from _name_problems([_name(agent) for agent in agents], path)
    yield from _router_problems(team, path)
    flows = {_name(agent): flow for agent in agents if (flow := _flow(agent)) is not None}
    if len(flows) == len(agents):  # what follows goes by name
        yield from _reference_problems(team, path)
        yield from _substitute_problems(team, path)
        yield from flow_problems(team, path, flows)
        if team.starts_runs:
            yield from background_problems(team, path)
    for agent in agents:
        yield from _agent_problems(team, agent, f"{path}/{_name(agent)}")


def _name(agent: BaseAgent[Any, Any]) -> str:
    return getattr(agent, "name", type(getattr(agent, "declaration", agent)).__name__)


def _flow(agent: BaseAgent[Any, Any]) -> Flow | None:
    """Return the agent's flow; None where its own declarations keep it from having one."""
    try:
        return agent.planned_flow
    except (AttributeError, ContractError):
        return None


def _name_problems(names: Sequence[str], path: str) -> Iterator[str]:
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"`{path}` has {names.count(name)} members called `{name}`; names must differ."
    for name in names:
        if name in RESERVED:
            yield f"`{path}/{name}`: the name `{name}` is reserved; choose another."
        elif not _SNAKE_CASE.fullmatch(name):
            yield f"`{path}/{name}`: write the name in snake_case, such as `my_agent`."


def _router_problems(team: AssembledTeam, path: str) -> Iterator[str]:
    """Yield why what was given cannot route, and members that have the name of one of its tools."""
    file, options = f"configs/teams/{team.name}.yaml", options_of(team.router_choice)
    if team.shape is not None:
        yield from (f"`{path}`: {problem}" for problem in shape_problems(team))
        return
    if (problem := problem_of(team)) is not None:
        yield f"`{path}`: {problem}"
    if options is None:
        return
    own = tool_names(options, len(team.agents), starts_runs=team.starts_runs)
    for name in sorted(own & {_name(agent) for agent in team.agents}):
        yield (
            f"`{path}/{name}`: the router `{options.name}` of `{team.name}` has a tool of that "
            f"name; rename the member, or choose another router (in its class, or in {file})."
        )


def _export_problems(team: AssembledTeam, path: str) -> Iterator[str]:
    """Yield the exports that are no hand-off, or that could not be bound."""
    declared: Any = team.declaration.exports
    if isinstance(declared, type):
        name = declared.__name__
        yield f"`{path}`: `exports` is `{name}` alone; write a tuple: exports = ({name},)."
        return
    for item in declared:
        if not (isinstance(item, type) and issubclass(item, Handoff)):
            yield f"`{path}`: it exports {item!r}, which is no Handoff; name the class."
        elif not hasattr(item, "kind"):
            yield f"`{path}`: {KindlessError(item)}"


def _reference_problems(team: AssembledTeam, path: str) -> Iterator[str]:
    inner = {kind for agent in team.agents for kind in agent.flow.gives}
    told = {
        kind
        for agent in team.agents
        if isinstance(agent, AssembledTeam)
        for kind in agent.export_kinds
    }
    for kind in team.export_kinds:
        if kind not in inner | told:  # the member that exports it has a problem of its own
            yield f"`{path}` exports `{kind}`, which none of its members gives."
    for agent in team.agents:
        for kind in agent.presents:
            if kind not in inner:
                yield f"`{path}/{agent.name}` presents `{kind}`, which no member gives."
    for word, named in (("audit", team.audits), ("approval", team.approvals)):
        for kind, member in named.items():
            if member not in team.by_name:
                yield f"`{path}`: the {word} of `{kind}` names `{member}`, which is no member."
            if kind not in inner:
                yield f"`{path}`: the {word} `{member}` is for `{kind}`, which no member gives."


def _substitute_problems(team: AssembledTeam, path: str) -> Iterator[str]:
    for member, other in team.substitutes.items():
        for name in dict.fromkeys((member, other)):
            if name not in team.by_name:
                yield f"`{path}`: the substitute {member} -> {other} names `{name}`, no member."
    for start in team.substitutes:
        trail = [start]
        while (following := team.substitutes.get(trail[-1], "")) not in {"", *trail}:
            trail.append(following)
        if following == start == min(trail):  # each circle is reported once
            yield f"`{path}`: the substitutes {' -> '.join([*trail, start])} go in a circle."


def _agent_problems(team: AssembledTeam, agent: BaseAgent[Any, Any], path: str) -> Iterator[str]:
    if not getattr(agent, "description", "").strip():
        yield f"`{path}` has no description; say what it does and when to choose it."
    if isinstance(agent, AssembledTeam):
        yield from _team_problems(agent, path)
    else:
        yield from worker_problems(agent, path)
        yield from crossing_problems(agent, path)
    yield from text_problems(agent, path)
    yield from (f"`{path}`: {problem}" for problem in mode_problems(agent))
    yield from (f"`{path}`: {obstacle}" for obstacle in isolation_obstacles(agent))
    if _flow(agent) is None or isinstance(agent.examples, str):
        return  # its reason was reported
    if learns_from_examples(team) and _has_fewer_examples(agent, 1):
        yield _examples_text(agent, path)


def example_warnings(team: AssembledTeam, path: str = "") -> Iterator[str]:
    """Yield which members of a sound tree give too few examples to be routed reliably."""
    for agent in team.agents:
        inner = f"{path or team.name}/{agent.name}"
        if learns_from_examples(team) and _has_fewer_examples(agent, ENOUGH_EXAMPLES):
            yield _examples_text(agent, inner)
        if isinstance(agent, AssembledTeam):
            yield from example_warnings(agent, inner)


def unkept_warnings(team: AssembledTeam, path: str = "") -> Iterator[str]:
    """Yield which workers of a sound tree could do an effect only if state were kept."""
    for agent in team.agents:
        inner = f"{path or team.name}/{agent.name}"
        if isinstance(agent, AssembledTeam):
            yield from unkept_warnings(agent, inner)
        elif names_effect(agent):
            yield (
                f"`{inner}` has an `@effect` that may not be repeated, and nothing keeps what it "
                "does (`keep_state: false`, `storage=None`). It is refused before anybody is asked."
            )


def _examples_text(agent: BaseAgent[Any, Any], path: str) -> str:
    count = len(agent.examples)
    given = f"{count} example{'s' * (count != 1)}" if count else "no examples"
    return (
        f"`{path}` gives {given}; the embedded router wants {ENOUGH_EXAMPLES} requests that "
        "should reach it."
    )


def _has_fewer_examples(agent: BaseAgent[Any, Any], enough: int) -> bool:
    """True if `agent` has too few examples of its own; members are warned of by themselves."""
    if isinstance(agent, AssembledTeam) and agent.own_examples is None:
        members = agent.agents
        told = any(_has_fewer_examples(member, enough) for member in members)
        if not members or (learns_from_examples(agent) and told):
            return False
    return len(agent.examples) < enough
