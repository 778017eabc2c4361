"""A team whose workers ask, pay and are killed: that of the homes which an earlier version left.

It is copied beside a platform.yaml as `office.py`, where whoever goes on with such a home finds it
again. What its effects do to the world is a line each in the file `book` of the home.
"""

import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Required

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.graph import StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict

from minerva_platform import (
    AgentInput,
    AgentOutput,
    Artifact,
    BaseAgent,
    Decision,
    Team,
    ask_approval,
    ask_person,
    effect,
)
from minerva_platform.config import home_directory
from minerva_platform.langgraph import ToolAgent, agent_from_graph
from minerva_platform.routing import Goal, RoutingView

CUT = "EARLIER_CUT"
"""The variable that lets a process be killed once its deed is done, and before that is kept."""


def book(line: str) -> str:
    """Write down what was done, and return it."""
    with (home_directory() / "book").open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    if CUT in os.environ:
        os.kill(os.getpid(), signal.SIGKILL)
    return line


def booked(home: Path) -> list[str]:
    """Return what was done, in order."""
    return (home / "book").read_text(encoding="utf-8").splitlines()


@effect("keyed")
def pay(to: str, amount: int) -> str:
    """Pay somebody."""
    return book(f"paid {to} {amount}")


@effect("once")
def wire(to: str, amount: int) -> str:
    """Pay somebody by a bank that knows no keys."""
    return book(f"wired {to} {amount}")


class Speaker(BaseAgent[AgentInput, AgentOutput]):
    """Answers, and writes a file."""

    name = "speak"
    description = "Answers."
    examples = ("speak of Kim", "speak of Lee")

    def work(self, given: AgentInput) -> AgentOutput:
        """Repeat the request."""
        report = Artifact(name="report.md", media_type="text/markdown", content=given.request)
        return AgentOutput(summary=f"I {given.request}", artifacts=(report,))


class Payer(BaseAgent[AgentInput, AgentOutput]):
    """Pays when a person approves."""

    name = "pay"
    description = "Pays."
    examples = ("pay Kim 100", "pay Lee 200")

    def work(self, given: AgentInput) -> AgentOutput:
        """Ask, then pay what was approved."""
        _, to, amount = given.request.split()
        asked = {"to": to, "amount": int(amount)}
        return AgentOutput(summary=pay(**ask_approval("Pay it?", tool="pay", arguments=asked)))


class Wirer(BaseAgent[AgentInput, AgentOutput]):
    """Pays at once."""

    name = "wire"
    description = "Pays at once."
    examples = ("wire Kim 100", "wire Lee 200")

    def work(self, given: AgentInput) -> AgentOutput:
        """Pay."""
        _, to, amount = given.request.split()
        return AgentOutput(summary=wire(to, int(amount)))


class Packer(BaseAgent[AgentInput, AgentOutput]):
    """Packs in the background."""

    name = "pack"
    description = "Packs."
    examples = ("pack box 1", "pack box 2")
    background = True

    def work(self, given: AgentInput) -> AgentOutput:
        """Pack."""
        return AgentOutput(summary=book(f"packed {given.request.split()[-1]}"))


@dataclass
class Table:
    """What the host finds before it asks."""

    seats: int


class Seating(TypedDict, total=False):
    """The state of the host."""

    request: str
    tables: Required[dict[str, Table]]
    summary: str


class Host(BaseAgent[AgentInput, AgentOutput]):
    """Looks in one step, and asks in the next."""

    name = "seat"
    description = "Seats guests."
    examples = ("seat the guests of Kim", "seat the guests of Lee")

    def build_graph(self) -> StateGraph[Any, Any, Any, Any]:
        """Return a graph of two steps."""
        builder: StateGraph[Any, Any, Any, Any] = StateGraph(Seating)
        builder.add_sequence([self.look, self.seat])
        builder.set_entry_point("look")
        return builder

    def look(self, state: Seating) -> dict[str, Any]:
        """Find the tables."""
        del state
        return {"tables": {"round": Table(4)}}

    def seat(self, state: Seating) -> dict[str, Any]:
        """Ask how many seats are missing."""
        more = ask_person("How many seats more?", answer=int)
        return {"summary": f"{state['tables']['round'].seats + more} seats"}


class Confirmer(BaseAgent[AgentInput, AgentOutput]):
    """Asks as LangGraph does."""

    name = "confirm"
    description = "Confirms."
    examples = ("confirm the offer", "confirm the order")

    def work(self, given: AgentInput) -> AgentOutput:
        """Ask."""
        del given
        return AgentOutput(summary=f"confirmed: {interrupt('Is it right?')}")


class Caller(BaseChatModel):
    """A model that calls its one tool once, with the last word of the request, and repeats it."""

    tool: str

    @property
    def _llm_type(self) -> str:
        return "caller"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> "Caller":
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
        said = str(messages[-1].content).splitlines()[-1]
        call = {"name": self.tool, "args": {"what": said.split()[-1]}, "id": f"call-{self.tool}"}
        is_done = isinstance(messages[-1], ToolMessage)
        answer = AIMessage(said) if is_done else AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=answer)])


@tool
@effect("keyed")
def delete(what: str) -> str:
    """Delete something."""
    return book(f"deleted {what}")


@tool
@effect("keyed")
def mail(what: str) -> str:
    """Mail something."""
    return book(f"mailed {what}")


class Cleaner(ToolAgent):
    """Deletes what a person agrees to."""

    name = "delete"
    description = "Deletes."
    examples = ("delete page 1", "delete page 2")
    tools: Sequence[Any] = (delete,)
    review = ("delete",)

    def chat_model(self) -> BaseChatModel:
        """Return a model that needs no server."""
        return Caller(tool="delete")


def mailer() -> Any:
    """Return a worker of `create_agent` whose one call LangChain's middleware asks about."""
    hitl = HumanInTheLoopMiddleware(interrupt_on={"mail": True}, interrupt_mode="per_call")
    graph: Any = create_agent(Caller(tool="mail"), tools=[mail], middleware=[hitl])
    return agent_from_graph(
        graph, name="mail", description="Mails.", examples=["mail the offer", "mail the order"]
    )


class FirstWord:
    """Calls the member that is called like the first word of the request."""

    async def decide(self, view: RoutingView) -> Decision:
        """Return it, or nobody."""
        name = view.request.partition(" ")[0]
        names = [card.name for card in view.members if card.name == name]
        goals = tuple(Goal(member=name, request=view.request) for name in names)
        return Decision(goals=goals, finish=True, router="words", scores=dict.fromkeys(names, 1.0))


class Office(Team):
    """Asks, pays, mails and packs."""

    name = "office"
    description = "Office work."

    def __init__(self) -> None:
        workers = (Speaker, Payer, Wirer, Packer, Host, Confirmer, Cleaner, mailer())
        super().__init__(members=workers, router=FirstWord())
