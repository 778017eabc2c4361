"""Values of a state as msgpack, and back as the same type.

msgpack has numbers of 64 bits, texts, bytes, lists, and dicts; LangGraph's serializer adds some
types and turns others into these without a word. Here a value of any other type is taken apart as
`copy` and `pickle` take it apart (`object.__reduce_ex__`): a class, and values. No code is kept:
what is read back is value only of a class that the graph's types name (`state_classes`), or of one
in `ANY_MAY_HOLD`. What cannot be taken apart so is refused by the name of its type.
"""

import copyreg
import dataclasses
import re
import sys
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import cached_property
from importlib import import_module
from typing import Any, Final, TypeAlias, cast
from zoneinfo import ZoneInfo

import ormsgpack
from langgraph.checkpoint.serde._msgpack import SAFE_MSGPACK_TYPES  # pyright: ignore[reportPrivateUsage]  # nothing public names them

from minerva_platform.errors import ChangedStateError, UnkeptValueError
from minerva_platform.storage.checkpoints.changed_classes import refit, shape_of
from minerva_platform.storage.checkpoints.odd_values import (
    FROM_PARTS,
    parts_of,
    type_name,
    type_of,
    with_parts,
)
from minerva_platform.storage.checkpoints.state_classes import classes_of

ClassName: TypeAlias = tuple[str, str]
"""A class by its module and its name in there."""
Parts: TypeAlias = tuple[Any, ...]

TUPLE: Final = 64
OBJECT: Final = 65
OTHER: Final = 66
"""Codes of msgpack's extensions; LangGraph's own are 0 to 7. What they hold is msgpack, too."""

_STRICTLY: Final = (
    ormsgpack.OPT_PASSTHROUGH_BIG_INT
    | ormsgpack.OPT_PASSTHROUGH_DATACLASS
    | ormsgpack.OPT_PASSTHROUGH_DATETIME
    | ormsgpack.OPT_PASSTHROUGH_ENUM
    | ormsgpack.OPT_PASSTHROUGH_SUBCLASS
    | ormsgpack.OPT_PASSTHROUGH_TUPLE
    | ormsgpack.OPT_PASSTHROUGH_UUID
)
_BINARY: Final = re.compile(rb"[\xc4-\xc6]")
"""The first byte of binary data, which may have been a `bytearray`."""
_PROTOCOL: Final = 4
"""Of `__reduce_ex__`; from it on a datetime keeps its fold."""

ANY_MAY_HOLD: Final = frozenset[tuple[str, ...]](SAFE_MSGPACK_TYPES) | {
    *(("builtins", name) for name in ("bool", "bytes", "complex", "dict", "float", "int", "list")),
    *(("builtins", name) for name in ("range", "slice", "str", "tuple")),
    *(("collections", name) for name in ("Counter", "OrderedDict", "defaultdict")),
    *(("pathlib", name) for name in ("PurePath", "PurePosixPath", "PureWindowsPath")),
    *(("pydantic.types", name) for name in ("ByteSize", "SecretBytes", "SecretStr")),
    ("array", "array"),
    ("datetime", "timezone"),
    ("fractions", "Fraction"),
    ("pydantic_core._pydantic_core", "MultiHostUrl"),
    ("pydantic_core._pydantic_core", "Url"),
    ("types", "SimpleNamespace"),
    ("langgraph.checkpoint.serde.types", "_DeltaSnapshot"),
}
"""Classes that any state may hold; making one of them runs nobody's code."""

_ARGUMENTS: Final[Mapping[type, Callable[[Any], Parts]]] = {
    array: lambda value: (value.typecode, value.tobytes()),
    ZoneInfo: lambda value: (value.key,),
}
"""What a value's class is called with, where `__reduce_ex__` names another function."""
_SETS: Final = frozenset({frozenset, set})
_NEW: Final[Any] = copyreg.__newobj__  # type: ignore[attr-defined]  # typeshed leaves it out
_TOLD_BY_ERRORS: Final = ("__cause__", "__context__", "__suppress_context__")
"""What an error holds beside its state. Its traceback is code, and is not kept."""
_MAX_SHOWN: Final = 60
_NOTHING: Final[Sequence[Any]] = ((), None, (), (), 0)
"""What an object is made of that has no state: arguments, state, items, pairs, shape."""
_MAX_PARTS: Final = 5
"""Of `__reduce_ex__`. A sixth would be a function."""


class Classes:
    """The classes that a graph's states may hold, beside `ANY_MAY_HOLD`."""

    def __init__(self, names: Iterable[Any] = ()) -> None:
        """Take classes, their modules and names, and modules that name more (`state_classes`)."""
        self.names = frozenset(names)
        self._by_name = {_name(each): each for each in self.names if isinstance(each, type)}
        self._names: set[tuple[str, ...]] = {*self.names} - {*self._by_name.values()}

    def allow(self, kind: type) -> bool:
        """Return whether a value of this class may be kept, and its name leads back to it."""
        return self.find(_name(kind)) is kind

    def find(self, name: tuple[str, ...]) -> Any:
        """Return the class of this name, or None.

        It, or a class above it, is named. Only the module of one that is named is imported.
        """
        module, path = name
        kind = self._by_name.get((module, path))
        if kind is not None:
            return kind
        if name in ANY_MAY_HOLD or name in self._names:
            return _attribute(import_module(module), path)
        kind = _attribute(sys.modules.get(module), path)  # a notebook may have made it anew
        if not isinstance(kind, type) or _name(kind) != (module, path):
            return None  # a module leads to whatever it imports, by another name
        is_error = module == "builtins" and issubclass(kind, BaseException)
        above = {_name(each) for each in kind.__mro__}
        if is_error or (module,) in self._names or not above.isdisjoint(self._by_name):
            return kind
        return None if above.isdisjoint(self._of_modules) else kind

    @cached_property
    def _of_modules(self) -> frozenset[ClassName]:
        """The names of the classes that the modules name."""
        modules = [each[0] for each in self._names if len(each) == 1]
        return frozenset(_name(kind) for one in modules for kind in classes_of(one))


def _attribute(module: Any, path: str) -> Any:
    for part in path.split("."):
        module = getattr(module, part, None)
    return module


def pack(value: Any, classes: Classes | None) -> bytes:
    """Return `value` as msgpack; None for `classes` allows any.

    Raises:
        UnkeptValueError: it is, or holds, what cannot be kept. `.kind` is the type.
    """
    return _Packer(classes).pack(value)


def unpack(data: bytes, classes: Classes | None, other: Callable[[int, bytes], Any]) -> Any:
    """Return the value of msgpack. Without `classes`, an object of an unknown class is its parts.

    `other` reads LangGraph's extensions, which earlier versions wrote.

    Raises:
        ChangedStateError: a class is gone, or has other fields than the one that was written.
        ValueError: it is no msgpack.
    """
    return _Unpacker(classes, other).unpack(data)


class _Packer:
    """Writes one value. ormsgpack hides the errors of what it calls, so they are noted here."""

    def __init__(self, classes: Classes | None) -> None:
        self._classes = classes
        self._error: UnkeptValueError | None = None
        self._looks = False

    def pack(self, value: Any) -> bytes:
        """Return the value as msgpack, or raise what was noted.

        Looking at each value of lists and dicts is slow, so it is done only where msgpack refuses
        one, or may have changed one.
        """
        try:
            data = self._pack(value)
        except (TypeError, RecursionError) as error:
            if self._error is not None:
                raise self._error from error
        else:
            if _BINARY.search(data) is None:
                return data
        self._looks = True
        try:
            return self._pack(value)
        except (TypeError, RecursionError) as error:
            kind = type_of(value)
            refusal = UnkeptValueError(type_name(kind), "it is nested too deeply, or holds itself")
            raise self._error or refusal from error

    def _pack(self, value: Any) -> bytes:
        exact = with_parts(value) if self._looks else value
        return ormsgpack.packb(exact, default=self._extension, option=_STRICTLY)

    def _extension(self, value: Any) -> ormsgpack.Ext:
        try:
            kind = type_of(value)
            if kind is tuple:
                return ormsgpack.Ext(TUPLE, self._pack(list(value)))
            parts = parts_of(value)
            if parts is not None:
                return ormsgpack.Ext(OTHER, self._pack(parts))
            return ormsgpack.Ext(OBJECT, self._pack(self._object_parts(value, kind)))
        except UnkeptValueError as error:
            self._error = self._error or error
            raise TypeError from error

    def _object_parts(self, value: Any, kind: type[Any]) -> list[Any]:
        """Return a class by module and name, how it is made, of what, and what it holds then."""
        if isinstance(value, type):
            return [*self._class_name(value), "class"]
        if isinstance(value, Enum):
            return [*self._class_name(kind), "call", [value._value_]]
        if kind is re.Pattern:
            return ["re", "compile", "call", [value.pattern, value.flags]]
        if kind in _SETS:  # they have no order: equal ones are the same bytes
            items: list[Any] = sorted(cast("Iterable[Any]", value), key=self._pack)
            return [*self._class_name(kind), "call", [items]]
        if (take_apart := _ARGUMENTS.get(kind)) is not None:
            return [*self._class_name(kind), "call", list(take_apart(value))]
        maker, arguments, state, several, pairs = _take_apart(value, kind)
        how = "new" if isinstance(value, BaseException) else "call"
        if maker is _NEW:
            how, (maker, *arguments) = "new", arguments
        if maker is not kind or not _is_made_of(kind, how, arguments):
            raise UnkeptValueError(type_name(kind))
        if isinstance(value, BaseException):
            links = {name: getattr(value, name) for name in _TOLD_BY_ERRORS}
            fields: dict[str, Any] = {**(state or {})}
            state = fields | {name: each for name, each in links.items() if each}
        parts = [
            *self._class_name(kind),
            how,
            list(arguments),
            _as_fields(state, value, kind),
            None if several is None else list(several),
            None if pairs is None else [part for pair in pairs for part in pair],
            shape_of(kind),
        ]
        while not parts[-1]:
            del parts[-1]
        return parts

    def _class_name(self, kind: type) -> ClassName:
        if self._classes is not None and not self._classes.allow(kind):
            reason = "no type that the worker's code names leads to this class"
            raise UnkeptValueError(type_name(kind), reason)
        return _name(kind)


def _is_made_of(kind: type, how: str, arguments: Sequence[Any]) -> bool:
    """Return whether a class can be called as it says, so that the run does not end there later."""
    if how == "new" or _name(kind) in ANY_MAY_HOLD:
        return True
    try:
        kind(*arguments)
    except Exception:  # noqa: BLE001  # a class of anybody
        return False
    return True


def _take_apart(value: Any, kind: type) -> tuple[Any, Any, Any, Any, Any]:
    """Return what makes a value, of what, its state, its items and its pairs.

    Raises:
        UnkeptValueError: it cannot be taken apart.
    """
    try:
        several = cast("tuple[Any, ...] | str", value.__reduce_ex__(_PROTOCOL))
    except Exception as error:
        raise UnkeptValueError(type_name(kind)) from error
    if not isinstance(several, tuple) or len(several) > _MAX_PARTS:
        raise UnkeptValueError(type_name(kind))
    parts: Any = (*several, None, None, None)
    return cast("tuple[Any, Any, Any, Any, Any]", parts[:_MAX_PARTS])


def _as_fields(state: Any, value: Any, kind: Any) -> Any:
    """Return a state as a dict by names, unless its class reads it in a way of its own."""
    if dataclasses.is_dataclass(kind):
        if isinstance(state, list):  # as `dataclass(frozen=True, slots=True)` writes it
            return {each.name: getattr(value, each.name) for each in dataclasses.fields(kind)}
    elif hasattr(kind, "__setstate__"):
        return state
    if isinstance(state, tuple):
        in_dict, in_slots = cast("tuple[dict[str, Any] | None, dict[str, Any]]", state)
        return {**(in_dict or {}), **in_slots}
    return state


class _Unpacker:
    """Reads one value."""

    def __init__(self, classes: Classes | None, other: Callable[[int, bytes], Any]) -> None:
        self._is_strict = classes is not None
        self._classes = classes or Classes()
        self._other = other
        self._error: ChangedStateError | None = None

    def unpack(self, data: bytes) -> Any:
        """Return the value, or raise what was noted."""
        option = ormsgpack.OPT_NON_STR_KEYS  # earlier versions wrote other keys as they are
        try:
            return ormsgpack.unpackb(data, ext_hook=self._value, option=option)
        except ValueError as error:
            raise self._error or error from error

    def _value(self, code: int, data: bytes) -> Any:
        try:
            if code == TUPLE:
                return tuple(self.unpack(data))
            if code == OTHER:
                word, *parts = self.unpack(data)
                return FROM_PARTS[word](parts)
            if code == OBJECT:
                return self._object(*self.unpack(data))
        except ChangedStateError as error:
            self._error = self._error or error
            raise ValueError from error
        return self._other(code, data)

    def _object(self, module: str, name: str, how: str, *made_of: Any) -> Any:
        parts: Any = (*made_of, *_NOTHING[len(made_of) :])
        arguments, state, items, pairs, shape = parts
        kind = self._classes.find((module, name))
        if kind is None and not self._is_strict:
            return arguments if state is None else state
        shown = f"{module}.{name}"
        if kind is None:
            raise ChangedStateError(shown, "no type that the worker's code names leads to it")
        if how == "class":
            return kind
        try:
            value = kind(*arguments) if how == "call" else kind.__new__(kind, *arguments)
        except Exception as error:
            reason = f"it takes {_short_text(arguments)} no more ({type(error).__name__})"
            raise ChangedStateError(shown, reason) from error
        if shape and shape != shape_of(kind):
            state = refit(kind, shown, state)
        _set_state(value, kind, state)
        for item in items or ():
            value.append(item)
        for key, item in zip(*[iter(pairs or ())] * 2, strict=True):
            value[key] = item
        return value


def _set_state(value: Any, kind: type, state: Any) -> None:
    if state is None:
        return
    if hasattr(kind, "__setstate__") and not dataclasses.is_dataclass(kind):
        value.__setstate__(state)
        return
    for name, each in state.items():
        object.__setattr__(value, name, each)


def _name(kind: type) -> ClassName:
    return kind.__module__, kind.__qualname__


def _short_text(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
