"""An office whose workers change the world, each by one effect with all the words that it gets.

A worker that is called does its deed, whatever the words: so a deed that nobody asked for is seen.
The words are those of `tests/bench/errands.yaml`, which two strangers wrote.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from minerva_platform import AgentInput, AgentOutput, BaseAgent, Team, effect

WORDS = Path(__file__).parents[1] / "bench" / "errands.yaml"

Fault = Callable[[str], None]
"""Raises after the deed, if the work shall fail then; it is given the worker's name."""


@cache
def said() -> dict[str, Any]:
    """Return what the strangers wrote."""
    words: dict[str, Any] = yaml.safe_load(WORDS.read_text(encoding="utf-8"))
    return words


class Errand(BaseAgent[AgentInput, AgentOutput]):
    """A worker of one deed, with the whole request as its argument."""

    input_mode = "context"

    def __init__(self, name: str, done: Callable[[str, str], None], fault: Fault) -> None:
        self.name = name
        self.description = f"Does it: {name}."
        self.examples = said()["examples"][name]

        def deed(what: str, context: str) -> str:
            done(name, f"{what} ({context})")
            return f"{name}: {what}"

        deed.__name__ = name
        self.deed = effect("once", target="what")(deed)
        self.fault = fault

    def work(self, given: AgentInput) -> AgentOutput:
        """Do it."""
        told = self.deed(given.request, given.context)
        self.fault(self.name)
        return AgentOutput(summary=told)


def errands(done: Callable[[str, str], None], fault: Fault = lambda _: None, **named: Any) -> Team:
    """Return the office; `done` is told each deed with its words."""
    members = [Errand(name, done, fault) for name in said()["examples"]]
    return Team(name="office", description="Runs errands.", members=members, **named)
