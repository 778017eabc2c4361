import json
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Callable, Iterable, Optional, Union

import yaml

from . import cache
from .cache import Cache, Config, NetCache


class Job:
    config = Config()

    def __init__(self, source: Cache, other: Optional[Cache] = None):
        self._source = source
        self._other = other
        self._by_name = {"main": source}

    def run(self) -> None:
        self._source.load()
        if self._other:
            self._other.load()
        self.config.load()
        self._by_name["main"].load()

    def background(self) -> None:
        threading.Thread(target=self._source.load).start()


def everything(caches: Iterable[Cache], net: NetCache) -> None:
    for index, each in enumerate(caches):
        each.load()
    [c.load() for c in caches]
    net.load()


def either(thing: Union[Cache, Config]) -> None:
    if isinstance(thing, Cache):
        thing.load()
    else:
        thing.load()


def pool(caches: list[Cache]) -> None:
    with ThreadPoolExecutor() as executor:
        executor.map(Cache.load, caches)
        executor.submit(partial(caches[0].load))


def others(text: str):
    json.loads(text)
    yaml.safe_load(text)
    return pickle.load(open(text, "rb"))


def qualified() -> None:
    cache.Cache("x").load()
    loader: Callable = cache.Cache.load
    loader(Cache("y"))
