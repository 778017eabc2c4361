"""Make a team's members from its declaration. The error for a wrong entry says how to write it."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from inspect import getattr_static
from typing import Any, cast, get_args

from minerva_platform.contract.agent import BaseAgent, InputMode, OutputMode
from minerva_platform.contract.handoff import Handoff
from minerva_platform.errors import ContractError
from minerva_platform.source_location import location_of


def make_members(team: str, declared: Any, *, package: str) -> tuple[BaseAgent[Any, Any], ...]:
    """Return the members as instances, in declared order; `package` is the team's.

    Raises:
        ContractError: a class cannot be made without arguments, is abstract, or is no agent.
    """
    kind = cast("type[object]", type(declared))
    if issubclass(kind, type | BaseAgent | str):  # a forgotten comma: one member
        name = _written(declared)
        message = f"the `members` of `{team}` are `{name}` alone; write a tuple: ({name},)."
        raise ContractError(message)
    if not isinstance(declared, Iterable):
        message = f"the `members` of `{team}` are {declared!r}; write a tuple of agents."
        raise ContractError(message)
    several: Iterable[Any] = cast("Any", declared)
    return tuple(_made(team, item, package) for item in several)


def _made(team: str, item: Any, package: str) -> BaseAgent[Any, Any]:
    try:
        agent: Any = item() if isinstance(item, type) else item
    except Exception as error:
        place = location_of(error, package)
        at = f" ({place})" if place else ""
        message = f"a member of `{team}` cannot be made: {error}{at}."
        raise ContractError(message) from error
    kind = cast("type[object]", type(agent))
    if not issubclass(kind, BaseAgent):
        message = f"a member of `{team}` is {item!r}, which is no agent; name its class."
        raise ContractError(message)
    return cast("BaseAgent[Any, Any]", agent)


def refuse_modes(agents: Iterable[BaseAgent[Any, Any]], *, below: str = "") -> None:
    """Refuse agents whose modes cannot be, before any of them works; `below` is their team.

    Raises:
        ContractError: there are some. It names each agent, its mode and what to write.
    """
    found = [
        f"`{below}/{agent.name}`: {problem}" if below else f"`{agent.name}`: {problem}"
        for agent in agents
        for problem in (*mode_problems(agent), *history_problems(agent))
    ]
    if found:
        raise ContractError("\n".join(found))


def mode_problems(agent: BaseAgent[Any, Any]) -> Iterator[str]:
    """Yield what is wrong with the `input_mode` and `output_mode` of a worker or a team."""
    modes = {"input_mode": get_args(InputMode), "output_mode": get_args(OutputMode)}
    for attribute, known in modes.items():
        said: object = getattr(agent, attribute)
        if said not in known:
            written = ", ".join(f'"{mode}"' for mode in known)
            yield f"its {attribute} is {said!r}; write one of {written}."
    if agent.is_team and agent.output_mode in ("data", "history"):
        yield (
            f'it says output_mode = "{agent.output_mode}", and a team answers with a '
            "summary; say it in its workers, for a router of their team."
        )


def history_problems(agent: BaseAgent[Any, Any]) -> Iterator[str]:
    """Yield why a worker has no messages to show, if its `output_mode` is `history`."""
    if agent.output_mode != "history" or agent.is_team:
        return
    if "messages" not in agent.graph.channels:
        yield (
            'it says output_mode = "history", and its graph has no `messages`; write '
            '"data" or "summary".'
        )
    elif agent.isolation == "process":
        yield (
            'it says output_mode = "history", and only an Output leaves its process; '
            'write "data", or isolation = "none".'
        )


def learn_also(agent: BaseAgent[Any, Any], attribute: str, texts: Sequence[str]) -> None:
    """Add configured `texts` to the agent's `examples` or `declines`. Each counts once.

    A team whose requests are its members' derives them again; so its members come first.
    """
    if not texts:
        return
    vars(agent).pop("card", None)
    if isinstance(getattr_static(type(agent), attribute), cached_property):
        vars(agent).pop(attribute, None)
        return
    declared: Sequence[str] = getattr(agent, attribute)
    setattr(agent, attribute, tuple(dict.fromkeys((*declared, *texts))))


def _written(member: object) -> str:
    if isinstance(member, str):
        return repr(member)
    return member.__name__ if isinstance(member, type) else f"{type(member).__name__}()"


def sound_exports(declared: Any) -> tuple[type[Handoff], ...]:
    """Return those exports of a team that can be bound."""
    several: Any = () if isinstance(declared, type) else declared
    return tuple(
        item
        for item in several
        if isinstance(item, type) and issubclass(item, Handoff) and hasattr(item, "kind")
    )
