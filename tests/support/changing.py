"""A worker that asks what a file says, so that a test can change it between question and answer.

What it asks is a list of `{"kind", "text", "tool", "arguments"}`. Kinds are `approval`, `person`
and `plain` (LangGraph's own `interrupt`). What was let happen goes to `done`, one JSON line each.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict

from minerva_platform import AgentInput, AgentOutput, BaseAgent, Team, ask_approval, ask_person
from minerva_platform.langgraph import agent_from_graph
from minerva_platform.routing import Network, Workflow
from minerva_platform.testing import EachOnceRouter, StubAgent

Ask = dict[str, Any]
KIM: Ask = {
    "kind": "approval",
    "text": "Pay the invoice?",
    "tool": "pay",
    "arguments": {"to": "Kim", "amount": 100},
}
MALLORY = {"to": "Mallory", "amount": 999_999}


def now(ask: Ask, **changes: Any) -> Ask:
    """Return a question with some of it changed."""
    return {**ask, **changes}


CHANGES: dict[str, Callable[[Ask], list[Ask]]] = {
    "arguments": lambda ask: [now(ask, arguments=MALLORY)],
    "type": lambda ask: [now(ask, arguments={"to": "Kim", "amount": "100"})],
    "tool": lambda ask: [now(ask, tool="delete_all")],
    "words": lambda ask: [now(ask, text="Delete all data?")],
    "put before": lambda ask: [now(ask, text="Delete all?", tool="delete_all"), ask],
}
"""What a release changes while a question waits."""


@dataclass(frozen=True, slots=True)
class Desk:
    """The folder of a worker: what it asks, and what was done."""

    folder: Path

    def asks(self, *asks: Ask) -> None:
        """Let the worker ask this from now on."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "asks.json").write_text(json.dumps(asks), encoding="utf-8")

    @property
    def done(self) -> list[list[Any]]:
        """What was done: name and arguments of each deed."""
        file = self.folder / "done"
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        return [json.loads(line) for line in lines]

    def work(self, _: Any = None) -> dict[str, Any]:
        """Ask all, then do what was let happen."""
        deeds = [self._asked(ask) for ask in json.loads((self.folder / "asks.json").read_text())]
        for name, arguments in filter(None, deeds):
            self.do(name, arguments)
        return {"summary": json.dumps(deeds)}

    def do(self, name: str, arguments: dict[str, Any]) -> None:
        """Do a deed."""
        with (self.folder / "done").open("a", encoding="utf-8") as log:
            log.write(json.dumps([name, arguments]) + "\n")

    def _asked(self, ask: Ask) -> list[Any] | None:
        text, tool, arguments = ask["text"], ask["tool"], ask["arguments"]
        expiry = ask.get("expires_in")
        if ask["kind"] == "approval":
            return [
                tool,
                ask_approval(text, tool=tool, arguments=arguments, expires_in=expiry),
            ]
        details = {"tool": tool, **arguments}
        if ask["kind"] == "person":
            agreed = ask_person(text, answer=bool, details=details, expires_in=expiry)
        else:
            agreed = interrupt({"question": text, **details})
        return [tool, arguments] if agreed else None


class _State(TypedDict, total=False):
    request: str
    summary: str


class _Passing(BaseAgent[AgentInput, AgentOutput]):
    """Asks a person, and then passes its answer on: a step after a step."""

    description, examples = "…", ("pay",)

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.name, self.desk = "payer", desk

    def build_graph(self) -> Any:
        """Return a graph of two steps, of which the first asks."""
        builder: Any = StateGraph(_State)
        builder.add_node("ask", self.desk.work)
        builder.add_node("tell", lambda state: {"summary": state["summary"]})
        builder.add_edge(START, "ask")
        builder.add_edge("ask", "tell")
        return builder


def _inner_graph(desk: Desk) -> Any:
    builder: Any = StateGraph(_State)
    builder.add_node("inner", desk.work)
    builder.add_edge(START, "inner")
    return builder.compile()


class _Around(BaseAgent[AgentInput, AgentOutput]):
    """Calls a compiled graph in its own code, which nothing of ours has made."""

    name, description, examples = "payer", "…", ("pay",)

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.inner = _inner_graph(desk)

    async def work(self, given: AgentInput) -> AgentOutput:
        """Call it."""
        left = await self.inner.ainvoke({"request": given.request})
        return AgentOutput(summary=left["summary"])


def _team(members: Sequence[Any], router: Any = None, name: str = "office") -> Team:
    return Team(name=name, description="…", members=members, router=router or EachOnceRouter())


def payer(desk: Desk) -> StubAgent:
    """Return the worker."""
    return StubAgent("payer", behave=desk.work)


SHAPES: dict[str, Callable[[Desk], Team]] = {
    "worker": lambda desk: _team([payer(desk)]),
    "steps": lambda desk: _team([_Passing(desk)]),
    "nested": lambda desk: _team([_team([_team([payer(desk)], name="c")], name="b")]),
    "parallel": lambda desk: _team([StubAgent("beside"), payer(desk)]),
    "workflow": lambda desk: _team([payer(desk)], Workflow({START: "payer"})),
    "network": lambda desk: _team(
        [payer(desk), StubAgent("beside")], Network(start="payer", peers={"payer": ("beside",)})
    ),
    "foreign graph": lambda desk: _team(
        [agent_from_graph(_inner_graph(desk), name="payer", description="…", examples=["pay"])]
    ),
    "graph in code": lambda desk: _team([_Around(desk)]),
}
"""Where in a team the worker stands."""


def yes_to(ask: Ask) -> Any:
    """Return the decision that lets it happen."""
    return "approve" if ask["kind"] == "approval" else {"type": "respond", "value": True}


def deed(ask: Ask) -> list[Any]:
    """Return what is done if it may happen."""
    return [ask["tool"], ask["arguments"]]


@dataclass(frozen=True, slots=True)
class WrongEdits:
    """Arguments, and edits of them that are wrong, each with the field that is."""

    arguments: dict[str, Any]
    wrong: list[tuple[Any, str]]


_ABOUT: dict[str, Any] = {"tags": ["a"], "rate": 1.5}
_ARGUMENTS: dict[str, Any] = {"to": "Kim", "amount": 100, "fast": True, "about": _ABOUT}
WRONG_EDITS = WrongEdits(
    _ARGUMENTS,
    [
        ({"bad": 1}, "bad"),
        ({**_ARGUMENTS, "bad": 1}, "bad"),
        ({name: value for name, value in _ARGUMENTS.items() if name != "amount"}, "amount"),
        ({**_ARGUMENTS, "amount": "100"}, "`amount`"),
        ({**_ARGUMENTS, "amount": 1.5}, "`amount`"),
        ({**_ARGUMENTS, "amount": True}, "`amount`"),
        ({**_ARGUMENTS, "to": ["Kim"]}, "`to`"),
        ({**_ARGUMENTS, "about": {**_ABOUT, "bad": 1}}, "bad"),
        ({**_ARGUMENTS, "about": {"tags": [1], "rate": 1.5}}, "`about.tags[0]`"),
        ({**_ARGUMENTS, "about": {"tags": [], "rate": "x"}}, "`about.rate`"),
    ],
)
"""Ten of them; at every door each is refused by its field."""
