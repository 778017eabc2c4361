from typing import Generic, TypeVar

T = TypeVar("T")

class Node(Generic[T]):
    label: str
    value: T | None
    def path(self) -> str: ...
