import json
from pathlib import Path
from typing import Self


class Cache:
    def __init__(self, path: Path, lazy: bool = True) -> None:
        self.path = path
        self.data: dict = {}
        if not lazy:
            self.load()

    def load(self) -> Self:
        with self.path.open() as file:
            self.data = json.load(file)
        return self

    @property
    def fresh(self) -> dict:
        return self.load().data

    @classmethod
    def at(cls, path: str) -> "Cache":
        return cls(Path(path)).load()


class NetCache(Cache):
    def load(self) -> Self:
        super().load()
        self.data["net"] = True
        return self


class Config:
    def load(self) -> dict:
        return {}
