"""Make a team's members from its declaration. The error for a wrong entry says how to write it."""

from collections.abc import Iterable
from typing import Any, cast

from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.handoff import Handoff
from minerva_platform.errors import ContractError
from minerva_platform.run_context.failures.source_location import location_of


def make_members(team: str, members: Any, *, package: str) -> tuple[BaseAgent[Any, Any], ...]:
    """Return the members as instances, in declared order; `package` is the team's.

    Raises:
        ContractError: a class cannot be made without arguments, is abstract, or is no agent.
    """
    kind = cast("type[object]", type(members))
    if issubclass(kind, type | BaseAgent | str):  # a forgotten comma: one member
        name = _format_member(members)
        message = f"the `members` of `{team}` are `{name}` alone; write a tuple: ({name},)."
        raise ContractError(message)
    if not isinstance(members, Iterable):
        message = f"the `members` of `{team}` are {members!r}; write a tuple of agents."
        raise ContractError(message)
    several: Iterable[Any] = cast("Any", members)
    return tuple(_make_member(team, item, package) for item in several)


def _make_member(team: str, item: Any, package: str) -> BaseAgent[Any, Any]:
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


def _format_member(member: object) -> str:
    if isinstance(member, str):
        return repr(member)
    return member.__name__ if isinstance(member, type) else f"{type(member).__name__}()"


def sound_exports(exports: Any) -> tuple[type[Handoff], ...]:
    """Return those exports of a team that can be bound."""
    several: Any = () if isinstance(exports, type) else exports
    return tuple(
        item
        for item in several
        if isinstance(item, type) and issubclass(item, Handoff) and hasattr(item, "kind")
    )
