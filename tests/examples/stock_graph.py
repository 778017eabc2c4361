"""How many pumps are in stock?

A graph as somebody writes it who never saw MINERVA; `minerva new team` makes a team of it.
"""

from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph

STOCK = {"pumps": 3, "valves": 12}


def look_up(state: MessagesState) -> dict[str, list[AIMessage]]:
    """Answer the last message."""
    words = str(state["messages"][-1].content).lower()
    said = [f"{count} {part}" for part, count in STOCK.items() if part in words]
    return {"messages": [AIMessage(", ".join(said) or "no such part")]}


builder = StateGraph(MessagesState)
builder.add_node("look_up", look_up)
builder.add_edge(START, "look_up")
graph = builder.compile()
