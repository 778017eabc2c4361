"""Which classes a graph's state may be read back as.

A class is known if an annotation of the state names it, at any depth, or the module of a worker's
own code: what stands behind `Any` there is most likely one of these. LangGraph looks into `list`,
`tuple`, `set`, `dict` and unions of annotations only.
"""

import dataclasses
import sys
from collections.abc import Collection, Iterable, Iterator
from enum import Enum
from functools import lru_cache
from typing import Any, Final, TypeAlias, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from typing_extensions import is_typeddict

Names: TypeAlias = set[type | tuple[str, ...]]
"""Classes, and modules: a tuple of one name."""

_NOT_THE_WORKERS: Final = frozenset(
    {"builtins", "collections", "langchain", "langchain_core", "langchain_openai"}
    | {"langgraph", "minerva_platform", "typing"}
)
"""Packages whose names say nothing of what a worker's state holds."""


def state_classes(schemas: Collection[Any], code: Iterable[Any] = ()) -> Names:
    """Return the classes that the annotations of `schemas` name, and modules that may name more.

    These are the modules of `schemas`, and of `code`: a worker's functions and classes.
    """
    modules = {getattr(each, "__module__", None) or "" for each in (*schemas, *code)}
    own = {(each,) for each in modules if each and each.partition(".")[0] not in _NOT_THE_WORKERS}
    return classes_named_by(schemas) | own


@lru_cache(maxsize=1024)
def classes_of(module: str) -> frozenset[type]:
    """Return the classes of a loaded module: its own, imported ones of data, what these name."""
    loaded = sys.modules.get(module)
    named = vars(loaded).values() if loaded else ()
    classes = [each for each in named if isinstance(each, type)]
    return frozenset(
        classes_named_by(each for each in classes if each.__module__ == module or _is_data(each))
    )


def classes_named_by(annotations: Iterable[Any]) -> set[type]:
    """Return the classes that annotations name at any depth, without those of the language."""
    found: set[type] = set()
    seen: set[Any] = set()
    unhashable: list[Any] = []  # such as an annotation with a list in its metadata
    waiting = list(annotations)
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
        if _is_of_values(named):
            found.add(named)
        waiting += _inside(named)
    return found


def _is_of_values(annotation: Any) -> bool:
    """Return whether an annotation is a class whose objects a state may hold."""
    if not isinstance(annotation, type) or get_origin(annotation) is not None:
        return False
    return annotation.__module__ not in ("builtins", "typing") and not is_typeddict(annotation)


def _is_data(kind: Any) -> bool:
    if issubclass(kind, BaseModel | Enum):
        return True
    return hasattr(kind, "_fields") or dataclasses.is_dataclass(kind)  # the first: a named tuple


def _inside(annotation: Any) -> Iterator[Any]:
    """Yield the annotations within an annotation: its arguments, its origin, its fields."""
    origin = get_origin(annotation)
    if origin is not None:
        yield origin
        yield from get_args(annotation)
    elif getattr(annotation, "__module__", "").partition(".")[0] == "pydantic":
        return  # its own attributes are no fields
    elif _is_of_values(annotation) or is_typeddict(annotation):
        yield from _annotations(annotation)


@lru_cache(maxsize=1024)  # the workers of a team share most of their classes
def _annotations(annotation: Any) -> tuple[Any, ...]:
    try:
        return tuple(get_type_hints(annotation).values())
    except (NameError, TypeError):  # a name that only type checkers import
        return tuple(getattr(annotation, "__annotations__", {}).values())
