"""Teams that pay and write, and the bank and the post of a test: files in the current folder."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, tool

from minerva_platform import Team, effect, effect_key
from minerva_platform.langgraph import agent_from_graph
from minerva_platform.testing import EachOnceRouter, kill_point

BOOK = "book.jsonl"
"""Where what happens is booked, in the current folder."""
REQUEST = "pay Kim ten and write to Kim"


def book(what: str, key: str = "", **details: Any) -> None:
    """Book what happens for good, and come to a point at which a crash hurts most."""
    row = json.dumps({"what": what, "key": key, **details})
    with Path(BOOK).open("a", encoding="utf-8") as file:
        file.write(f"{row}\n")
    kill_point(f"booked: {what}")


def booked(home: Path) -> list[dict[str, Any]]:
    """Return all that happened, in order."""
    file = home / BOOK
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def happened(home: Path) -> list[dict[str, Any]]:
    """Return what happened as a bank sees it that knows repetitions by their key."""
    once = {(row["key"], row["what"]): row for row in booked(home)}
    return sorted(
        ({name: value for name, value in row.items() if name != "key"} for row in once.values()),
        key=lambda row: str(row["what"]),
    )


class Teller(BaseChatModel):
    """A model that calls its tool once, and then says what the tool said."""

    called: str
    args: dict[str, Any]

    @property
    def _llm_type(self) -> str:
        return "teller"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> "Teller":
        """Return itself."""
        del tools
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **_: Any,
    ) -> ChatResult:
        del stop, run_manager
        last = messages[-1]
        if isinstance(last, ToolMessage):
            answer = AIMessage(f"done: {str(last.content).splitlines()[-1]}")
        else:
            call = {"name": self.called, "args": self.args, "id": f"call-{self.called}"}
            answer = AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=answer)])


@effect("keyed")
@tool
def pay(to: str, amount: int) -> str:
    """Pay an amount to somebody."""
    book("pay", effect_key(), to=to, amount=amount)
    return f"paid {amount} to {to}"


@effect("keyed")
@tool
def write(to: str, text: str) -> str:
    """Write to somebody."""
    book("write", effect_key(), to=to, text=text)
    return f"wrote {text} to {to}"


def clerk(name: str, called: BaseTool, **args: Any) -> Any:
    """Return a worker of `create_agent` whose one call a person decides."""
    hitl = HumanInTheLoopMiddleware(interrupt_on={called.name: True}, interrupt_mode="per_call")
    model = Teller(called=called.name, args=args)
    graph: Any = create_agent(model, tools=[called], middleware=[hitl])
    return agent_from_graph(graph, name=name, description="…", examples=[REQUEST])


def office() -> Team:
    """Return a team of two teams, in each of which a worker asks before it acts."""
    teams = [
        Team(name="finance", description="…", members=[clerk("payer", pay, to="Kim", amount=10)]),
        Team(name="post", description="…", members=[clerk("writer", write, to="Kim", text="hi")]),
    ]
    for team in teams:
        team.router = EachOnceRouter()
    return Team(name="office", description="…", members=teams, router=EachOnceRouter())
