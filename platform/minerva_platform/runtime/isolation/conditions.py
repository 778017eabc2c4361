"""The conditions for a worker to run in a process of its own.

The process makes the worker again: it imports the class and calls it without arguments. Values that
an instance got otherwise would be missing there, so such a worker is refused beforehand.
"""

import os
import sys
from collections.abc import Iterator
from functools import cached_property
from operator import attrgetter
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from minerva_platform.contract.agent import BaseAgent

Agent = BaseAgent[Any, Any]

MODES = ("none", "process")

_INSTEAD = 'or set isolation = "none"'
_HELD_HERE = frozenset({"declines", "examples", "isolation", "model", "output_mode", "timeout"})
"""Attributes that an instance may be given. The process needs none of them; a model is refused
anyway."""
_PLAIN = (str, int, float, bool, bytes, tuple, frozenset, type(None))


class Address(NamedTuple):
    """The place of a worker's class. `file` is for modules without an importable name."""

    module: str
    qualname: str
    file: str | None


def address_of(agent: Agent) -> Address:
    """Return the place at which the process finds the class of `agent`."""
    kind = type(agent)
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return Address(kind.__module__, kind.__qualname__, file)


def isolation_obstacles(agent: Agent) -> Iterator[str]:
    """Yield why `agent` cannot be isolated as it declares, each with the way out."""
    if agent.isolation not in MODES:
        yield f'its isolation is {agent.isolation!r}; write "none" or "process".'
    elif agent.isolation == "process":
        yield from _process_obstacles(agent)


def _process_obstacles(agent: Agent) -> Iterator[str]:
    if agent.is_team:
        yield 'a team has no process of its own; set isolation = "process" in its workers.'
        return
    if not hasattr(os, "fork"):
        yield f'isolation = "process" needs a system with fork(); use one, {_INSTEAD}.'
        return
    unfound = _why_not_importable(agent)
    if unfound:
        yield unfound
        return
    yield from _instance_obstacles(agent)
    if agent.model is not None:
        yield (
            "a model is set for it, and its process asks none; take it out of `models`, "
            f"{_INSTEAD}."
        )
    yield from _code_obstacles(agent)


def _why_not_importable(agent: Agent) -> str | None:
    module, qualname, _ = address_of(agent)
    if module == "__main__":
        return (
            f"its class `{qualname}` is defined in the script that runs, which its process cannot "
            f"import; move it into a module, {_INSTEAD}."
        )
    try:
        found = attrgetter(qualname)(sys.modules[module])
    except (AttributeError, KeyError):
        found = None
    if found is not type(agent):
        return (
            f"its process cannot import its class as `{module}:{qualname}`; define it at the top "
            f"of a module, {_INSTEAD}."
        )
    return None


def _instance_obstacles(agent: Agent) -> Iterator[str]:
    """Yield the differences between `agent` and the worker that its process would make."""
    name = type(agent).__name__
    try:
        fresh = type(agent)()
        _ = fresh.graph  # building it may set attributes, as it did here
    except Exception as error:  # noqa: BLE001  # an author's constructor may raise anything
        yield (
            f"its process makes it by `{name}()`, which fails: {error}; let its constructor work "
            f"without arguments, {_INSTEAD}."
        )
        return
    made, derived = vars(fresh), _HELD_HERE | _cached_names(type(agent))
    lacking = [
        f"`{attribute}`"
        for attribute, value in vars(agent).items()
        if attribute not in derived
        and (attribute not in made or (isinstance(value, _PLAIN) and value != made[attribute]))
    ]
    if lacking:
        yield (
            f"its process makes it by `{name}()`, which lacks what was set from outside: "
            f"{', '.join(lacking)}; set it in the class or its constructor, {_INSTEAD}."
        )


def _cached_names(kind: type) -> frozenset[str]:
    return frozenset(
        name
        for base in kind.__mro__
        for name, value in vars(base).items()
        if isinstance(value, cached_property)
    )


def _code_obstacles(agent: Agent) -> Iterator[str]:
    """Yield the calls in its own methods that its process cannot serve, as far as they show."""
    for function in _own_methods(type(agent)):
        used = {word for code in _codes(function.__code__) for word in code.co_names}
        name = function.__name__
        if "assist" in used:
            yield f"`{name}` asks a model (assist), and its process asks none; {_NONE}"
        if "interrupt" in used and _is_langgraphs(function.__globals__.get("interrupt")):
            yield (
                f"`{name}` asks a person (interrupt), and its process cannot wait for the "
                f"answer; {_NONE}"
            )


def _own_methods(kind: type) -> Iterator[FunctionType]:
    for base in kind.__mro__:
        if base is BaseAgent:
            return
        yield from (value for value in vars(base).values() if isinstance(value, FunctionType))


_NONE = 'set isolation = "none".'


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield `code` and that of the functions within."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _is_langgraphs(function: Any) -> bool:
    return getattr(function, "__module__", "").partition(".")[0] == "langgraph"
