"""Which classes a graph's state may be read back as.

LangGraph finds the classes that a state's annotations name, but looks into `list`, `tuple`, `set`,
`dict` and unions only. It reads anything else (`Page[Hit]`, `Sequence[Hit]`, `Mapping[str, Hit]`)
back as plain dicts and lists, and says so in the log alone. A worker that goes on after a crash
would fail with them.
"""

import dataclasses
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import lru_cache
from typing import Any, TypeAlias, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from typing_extensions import is_typeddict

ClassNames: TypeAlias = set[tuple[str, ...]]
"""Classes by module and name, as LangGraph's serializer takes them."""


def class_names(schemas: Iterable[Any]) -> ClassNames:
    """Return the dataclasses, models and enums that the annotations of `schemas` name."""
    found: ClassNames = set()
    seen: set[Any] = set()
    unhashable: list[Any] = []  # such as an annotation with a list in its metadata
    waiting = list(schemas)
    while waiting:
        named = waiting.pop()
        try:
            if named in seen:
                continue
            seen.add(named)
        except TypeError:
            if named in unhashable:
                continue
            unhashable.append(named)
        if _is_kept_as_class(named):
            found.add((named.__module__, named.__name__))
        waiting += _inside(named)
    return found


def _is_kept_as_class(annotation: Any) -> bool:
    if not isinstance(annotation, type) or get_args(annotation):
        return False
    kept = cast("type[Any]", annotation)
    return issubclass(kept, BaseModel | Enum) or dataclasses.is_dataclass(kept)


def _inside(annotation: Any) -> Iterator[Any]:
    """Yield the annotations within an annotation: its arguments, its origin, its fields."""
    origin = get_origin(annotation)
    if origin is not None:
        yield origin
        yield from get_args(annotation)
    elif _is_kept_as_class(annotation) or is_typeddict(annotation):
        yield from _annotations(annotation)


@lru_cache(maxsize=1024)  # the workers of a team share most of their classes
def _annotations(annotation: Any) -> tuple[Any, ...]:
    try:
        return tuple(get_type_hints(annotation).values())
    except (NameError, TypeError):  # a name that only type checkers import
        return tuple(getattr(annotation, "__annotations__", {}).values())
