from __future__ import annotations

import contextlib
from collections import defaultdict
from typing import Callable


class Bus:
    _default: Bus | None = None

    def __init__(self) -> None:
        self.handlers: dict[str, list[Callable]] = defaultdict(list)

    @classmethod
    def default(cls) -> Bus:
        cls._default = cls._default or cls()
        return cls._default

    def on(self, name: str):
        def wrap(function):
            self.handlers[name].append(function)
            return function

        return wrap

    def publish(self, name: str, **data) -> None:
        for handler in self.handlers[name]:
            handler(**data)

    def publish_all(self, *names: str) -> None:
        for name in names:
            self.publish(name)

    @contextlib.contextmanager
    def around(self, name: str):
        self.publish(name + ".start")
        yield self
        self.publish(name + ".end")


class LoudBus(Bus):
    def shout(self, name: str) -> None:
        self.publish(name.upper())


class QuietBus(Bus):
    def publish(self, name: str, **data) -> None:
        if name != "noise":
            super().publish(name, **data)
