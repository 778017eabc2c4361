"""Wrap: the graph stays as it is, and becomes a worker."""

from asked import show
from step_0 import graph

from minerva_platform import AgentInput
from minerva_platform.langgraph import agent_from_graph

standardiser = agent_from_graph(
    graph,
    name="standardiser",
    description="Finds standard names, makes columns of them, and audits columns.",
    to_output=lambda state: {"summary": state["answer"]},
)


def ask(request: str) -> str:
    return str(standardiser.run(AgentInput(request=request)).summary)


if __name__ == "__main__":
    show(ask)
