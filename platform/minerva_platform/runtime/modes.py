"""The modes of members, `input_mode` and `output_mode`: what cannot be is refused before a run."""

from collections.abc import Iterable, Iterator
from typing import Any, get_args

from minerva_platform.contract.agent import BaseAgent, InputMode
from minerva_platform.contract.router import OutputMode
from minerva_platform.errors import ContractError


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
