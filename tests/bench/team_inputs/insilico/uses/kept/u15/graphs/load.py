import json
from dataclasses import asdict, replace
from typing import Any

from .graph import Edge, Graph
from .tree import Leaf, Node


def build(data: dict[str, Any]) -> Node[Any]:
    children = [build(c) for c in data.get("children", ())]
    return Node(data["label"], data.get("value"), children)


def leaf(**data: Any) -> Leaf:
    data.setdefault("label", "leaf")
    return Leaf(**data)


def flat(node: Node) -> dict:
    found = asdict(node)
    found["text"] = found.pop("label")
    return found


def clone(node: Node) -> Node:
    return replace(node, label=node.label + "'", children=[])


def edges(graph: Graph, rows: list[dict]) -> list[Edge]:
    return [graph.connect(r["from"], r["to"], label=r.get("label", "")) for r in rows]


def relabel(edge: Edge, label: str) -> Edge:
    return edge._replace(label=label)


def depth(node: Node) -> int:
    match node:
        case Node(label="root"):
            return 0
        case Node(parent=Node() as up):
            return 1 + depth(up)
    return -1
