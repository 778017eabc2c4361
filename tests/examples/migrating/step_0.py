"""The program as it is: one graph, one state for all its parts, and an if/else that supervises."""

from typing import Any, TypedDict

from asked import show
from langgraph.graph import END, START, StateGraph
from rules import audit_text
from terms import Column, Term, columns_text, find_terms, make_columns, names_text

AUDIT = ("audit", "check", "violat", "valid", "감사", "검사", "점검", "위반")
COLUMNS = ("table", "csv", "sort", "script", "표로", "정렬", "정리", "스크립트")


class State(TypedDict):
    request: str
    terms: list[Term]
    columns: list[Column]
    audited: bool
    answer: str


def names(state: State) -> dict[str, Any]:
    terms = find_terms(state["request"])
    return {"terms": terms, "answer": names_text(terms)}


def columns(state: State) -> dict[str, Any]:
    made = make_columns(state["terms"])
    return {"columns": made, "answer": columns_text(made)}


def audit(state: State) -> dict[str, Any]:
    return {"audited": True, "answer": audit_text(state["columns"])}


def wanted(request: str) -> str:
    words = request.lower()
    if any(word in words for word in AUDIT):
        return "audit"
    if any(word in words for word in COLUMNS):
        return "columns"
    return "names"


def supervisor(state: State) -> str:
    goal = wanted(state["request"])
    if "terms" not in state:
        return "names"
    if goal != "names" and "columns" not in state:
        return "columns"
    if goal == "audit" and "audited" not in state:
        return "audit"
    return END


builder: StateGraph[Any] = StateGraph(State)
for node in (names, columns, audit):
    builder.add_node(node.__name__, node)
for place in (START, "names", "columns", "audit"):
    builder.add_conditional_edges(place, supervisor)
graph = builder.compile()


def ask(request: str) -> str:
    return str(graph.invoke({"request": request})["answer"])


if __name__ == "__main__":
    show(ask)
