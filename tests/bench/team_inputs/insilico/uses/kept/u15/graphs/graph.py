from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, Union

from .tree import Leaf, Node


class Labelled(Protocol):
    label: str


class Edge(NamedTuple):
    source: Node[str]
    target: Node[str]
    label: str = ""

    def text(self) -> str:
        return f"{self.source.label} -{self.label}-> {self.target.label}"

    def named(self) -> bool:
        return self.label != ""


Item = Union[Node, Edge]


@dataclass
class Graph:
    nodes: dict[str, Node[str]] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)

    def connect(self, source: str, target: str, label: str = "") -> Edge:
        edge = Edge(self.node(source), self.node(target), label=label)
        self.edges.append(edge)
        return edge

    def node(self, label: str) -> Node[str]:
        return self.nodes.setdefault(label, Node(label))

    def labels(self) -> set[str]:
        return {n.label for n in self.nodes.values()} | {e.label for e in self.edges}

    def unnamed(self) -> list[Edge]:
        return [e for e in self.edges if not e.label]


def title(item: Item) -> str:
    if isinstance(item, Edge):
        return item.label or "?"
    return item.label


def any_label(thing: Labelled) -> str:
    return thing.label


def longest(leaves: list[Leaf]) -> Leaf:
    return max(leaves, key=lambda leaf: len(leaf.label))
