"""Sub-graphs: three workers, each with a graph and a state of its own. The if/else still leads."""

from typing import Any, TypedDict

from asked import show
from audit_requests import AUDIT
from langgraph.graph import StateGraph
from naming_requests import COLUMNS, NAMES
from rules import audit_text
from step_0 import wanted
from terms import Term, columns_text, find_terms, make_columns, names_text

from minerva_platform import AgentInput, AgentOutput, BaseAgent, Decision, Team
from minerva_platform.routing import Goal, RoutingView


class State(TypedDict):
    request: str
    terms: list[Term]
    summary: str


class Worker(BaseAgent[AgentInput, AgentOutput]):
    """Finds terms, then tells of them: two nodes."""

    def build_graph(self) -> StateGraph[Any]:
        builder = StateGraph(State)
        builder.add_sequence([self.find, self.tell])
        return builder.set_entry_point("find")

    def find(self, state: State) -> dict[str, Any]:
        return {"terms": find_terms(state["request"])}

    def tell(self, state: State) -> dict[str, Any]:
        return {"summary": self.text(state["terms"])}

    def text(self, terms: list[Term]) -> str:
        raise NotImplementedError


class Names(Worker):
    name = "names_agent"
    description = "Finds standard names."
    examples = NAMES

    def text(self, terms: list[Term]) -> str:
        return names_text(terms)


class Columns(Worker):
    name = "columns_agent"
    description = "Makes a table of columns."
    examples = COLUMNS

    def text(self, terms: list[Term]) -> str:
        return columns_text(make_columns(terms))


class Audit(Worker):
    name = "audit_agent"
    description = "Checks columns against the standard."
    examples = AUDIT

    def text(self, terms: list[Term]) -> str:
        return audit_text(make_columns(terms))


class IfElse:
    async def decide(self, view: RoutingView) -> Decision:
        goal = Goal(member=f"{wanted(view.request)}_agent", request=view.request)
        return Decision(goals=(goal,), finish=True, router="if_else")


class Standard(Team):
    name = "standard"
    description = "Finds standard names, makes columns of them, and audits columns."
    members = (Names, Columns, Audit)


team = Standard(router=IfElse())


def ask(request: str) -> str:
    return team.ask(request).answer


if __name__ == "__main__":
    show(ask)
