from __future__ import annotations

import enum
from typing import Callable, Protocol, runtime_checkable

import attr
import attrs


class Priority(enum.IntEnum):
    LOW = 1
    HIGH = 9


@attr.s(auto_attribs=True, order=False)
class Job:
    name: str
    priority: int = attr.ib(default=Priority.LOW, converter=int)
    tags: frozenset[str] = attr.ib(factory=frozenset, converter=frozenset)

    @priority.validator
    def check(self, attribute, value):
        if not 0 < value < 10:
            raise ValueError(value)

    @classmethod
    def urgent(cls, name: str) -> Job:
        return cls(name, priority=Priority.HIGH)

    def key(self) -> tuple[int, str]:
        return (-self.priority, self.name)


@attrs.frozen
class Message:
    body: str
    priority: str = "normal"

    def header(self) -> dict[str, str]:
        return {"X-Priority": self.priority}


@runtime_checkable
class Ranked(Protocol):
    @property
    def priority(self) -> int: ...


@attrs.define
class RetryJob(Job):
    tries: int = 3

    def lower(self) -> None:
        self.priority = max(1, self.priority - 1)
