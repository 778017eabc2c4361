from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import Generic, Optional, TypeVar

T = TypeVar("T")
N = TypeVar("N", bound="Node")


@dataclass
class Node(Generic[T]):
    label: str
    value: Optional[T] = None
    children: list[Node[T]] = field(default_factory=list)
    parent: Node[T] | None = field(default=None, repr=False)

    def add(self, label: str, value: T | None = None) -> Node[T]:
        child = Node(label=label, value=value, parent=self)
        self.children.append(child)
        return child

    def walk(self) -> Iterator[Node[T]]:
        yield self
        for child in self.children:
            yield from child.walk()

    def path(self) -> str:
        if self.parent is None:
            return self.label
        return f"{self.parent.path()}/{self.label}"

    def find(self, label: str) -> Node[T] | None:
        for node in self.walk():
            if node.label == label:
                return node
        return None

    def __lt__(self, other: Node[T]) -> bool:
        return self.label < other.label


@dataclass
class Leaf(Node[int]):
    _: KW_ONLY
    colour: str = "green"

    def shown(self) -> str:
        return self.label.upper() + self.colour


def rename(node: N, label: str) -> N:
    node.label = label
    return node
