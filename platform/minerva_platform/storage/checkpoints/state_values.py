"""Values of a state as msgpack, and back as the same type.

msgpack has numbers of 64 bits, texts, bytes, lists, and dicts; LangGraph's serializer adds some
types and turns others into these without a word. Here a value of any other type is taken apart as
`copy` and `pickle` take it apart (`object.__reduce_ex__`): a class, and values. No code is kept:
what is read back is made only of a class that the graph's types name (`state_classes`), or of one
in `KNOWN`. What cannot be taken apart so is refused by the name of its type.
"""

import copyreg
import dataclasses
import re
import sys
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from importlib import import_module
from typing import Any, Final, TypeAlias, cast
from zoneinfo import ZoneInfo

import ormsgpack
from langgraph.checkpoint.serde._msgpack import SAFE_MSGPACK_TYPES  # pyright: ignore[reportPrivateUsage]  # nothing public names them

from minerva_platform.errors import ChangedStateError, UnkeptValueError
from minerva_platform.storage.checkpoints.changed_classes import refitted, shape_of
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

KNOWN: Final = frozenset[tuple[str, ...]](SAFE_MSGPACK_TYPES) | {
    *(("builtins", name) for name in ("bool", "bytes", "complex", "dict", "float", "int", "list")),
    *(("builtins", name) for name in ("range", "slice", "str", "tuple")),
    *(("collections", name) for name in ("Counter", "OrderedDict", "defaultdict")),
    *(("pathlib", name) for name in ("PurePath", "PurePosixPath", "PureWindowsPath")),
    *(("pydantic.types", name) for name in ("ByteSize", "SecretBytes", "SecretStr")),
    ("array", "array"),
    ("datetime", "timezone"),
    ("fractions", "Fraction"),
    ("types", "SimpleNamespace"),
    ("langgraph.checkpoint.serde.types", "_DeltaSnapshot"),
}
"""Classes that any state may hold; making one of them runs nobody's code."""

_ARGUMENTS: Final[Mapping[type, Callable[[Any], Parts]]] = {
    array: lambda value: (value.typecode, value.tobytes()),
    ZoneInfo: lambda value: (value.key,),
}
"""What a value's class is called with, where `__reduce_ex__` names another function."""
_NEW: Final[Any] = copyreg.__newobj__  # type: ignore[attr-defined]  # typeshed leaves it out
_MAX_SHOWN: Final = 60
_MAX_PARTS: Final = 5
"""Of `__reduce_ex__`. A sixth would be a function."""


class Classes:
    """The classes that a graph's states may hold, beside `KNOWN`."""

    def __init__(self, named: Iterable[Any] = ()) -> None:
        """Take classes, their modules and names, and modules that name more (`state_classes`)."""
        self.named = frozenset(named)
        self._names = {each for each in self.named if isinstance(each, tuple)}
        self._by_name = {_name(each): each for each in self.named if isinstance(each, type)}
        self._has_all = False

    def allow(self, kind: type) -> bool:
        """Return whether a value of this class may be kept, and its name leads back to it."""
        return self.find(_name(kind)) is kind

    def find(self, name: tuple[str, ...]) -> Any:
        """Return the class of this name, or None.

        It, or a class above it, is named. Only the module of one that is named is imported.
        """
        module, path = name
        found = self._by_name.get((module, path))
        if found is None and (name in KNOWN or name in self._names):
            return _attribute(import_module(module), path)
        if found is None and not self._has_all:
            self._has_all = True
            for one in [each for each in self._names if len(each) == 1]:
                self._by_name.update({_name(kind): kind for kind in classes_of(one[0])})
            found = self._by_name.get((module, path))
        if found is None:
            found = _attribute(sys.modules.get(module), path)
            if not isinstance(found, type):
                return None
            is_error = module == "builtins" and issubclass(found, BaseException)
            known = is_error or any(_name(above) in self._by_name for above in found.__mro__)
            return found if known else None
        return found


def _attribute(module: Any, path: str) -> Any:
    for part in path.split("."):
        module = getattr(module, part, None)
    return module


def packed(value: Any, classes: Classes | None) -> bytes:
    """Return `value` as msgpack; None for `classes` allows any.

    Raises:
        UnkeptValueError: it is, or holds, what cannot be kept. `.kind` is the type.
    """
    return _Packer(classes).pack(value)


def unpacked(data: bytes, classes: Classes | None, other: Callable[[int, bytes], Any]) -> Any:
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
        except TypeError as error:
            if self._error is not None:
                raise self._error from error
        else:
            if _BINARY.search(data) is None:
                return data
        self._looks = True
        try:
            return self._pack(value)
        except (TypeError, RecursionError) as error:
            nested = UnkeptValueError(_shown(type(value)), "it is nested too deeply")
            raise self._error or nested from error

    def _pack(self, value: Any) -> bytes:
        looked_at = _marked(value) if self._looks else value
        return ormsgpack.packb(looked_at, default=self._extension, option=_STRICTLY)

    def _extension(self, value: Any) -> ormsgpack.Ext:
        try:
            if type(value) is tuple:
                return ormsgpack.Ext(TUPLE, self._pack(list(value)))
            parts = _plain_parts(value)
            if parts is not None:
                return ormsgpack.Ext(OTHER, self._pack(parts))
            return ormsgpack.Ext(OBJECT, self._pack(self._object_parts(value, type(value))))
        except UnkeptValueError as error:
            self._error = self._error or error
            raise TypeError from error

    def _object_parts(self, value: Any, kind: type[Any]) -> list[Any]:
        """Return a class by module and name, how it is made, of what, and what it holds then."""
        if isinstance(value, type):
            return [*self._named(value), "class"]
        if isinstance(value, Enum):
            return [*self._named(kind), "call", [value._value_]]
        if kind is re.Pattern:
            return ["re", "compile", "call", [value.pattern, value.flags]]
        if (take_apart := _ARGUMENTS.get(kind)) is not None:
            return [*self._named(kind), "call", list(take_apart(value))]
        maker, arguments, state, items, pairs = _reduced(value, kind)
        how = "new" if isinstance(value, BaseException) else "call"
        if maker is _NEW:
            how, (maker, *arguments) = "new", arguments
        if maker is not kind or not _is_made_of(kind, how, arguments):
            raise UnkeptValueError(_shown(kind))
        parts = [
            *self._named(kind),
            how,
            list(arguments),
            _as_fields(state, value, kind),
            None if items is None else list(items),
            None if pairs is None else [part for pair in pairs for part in pair],
            shape_of(kind),
        ]
        while not parts[-1]:
            del parts[-1]
        return parts

    def _named(self, kind: type) -> ClassName:
        if self._classes is not None and not self._classes.allow(kind):
            reason = "no type that the worker's code names leads to this class"
            raise UnkeptValueError(_shown(kind), reason)
        return _name(kind)


def _is_made_of(kind: type, how: str, arguments: Sequence[Any]) -> bool:
    """Return whether a class can be called as it says, so that the run does not end there later."""
    if how == "new" or _name(kind) in KNOWN:
        return True
    try:
        kind(*arguments)
    except Exception:  # noqa: BLE001  # a class of anybody
        return False
    return True


class _Marked:
    """What msgpack would refuse, or write as another type: its own name, and its parts."""

    def __init__(self, *parts: Any) -> None:
        self.parts = parts


def _marked(value: Any) -> Any:
    """Return lists and dicts with what msgpack would refuse, or change, marked."""
    kind = cast("type[Any]", type(value))
    if kind is dict:
        if all(type(key) is str and _is_text(key) for key in value):
            return {key: _marked(item) for key, item in value.items()}
        return _Marked("dict", *(part for pair in value.items() for part in pair))
    if kind is list:
        return [_marked(item) for item in value]
    if kind is str and not _is_text(value):
        return _Marked("str", value.encode("utf-8", "surrogatepass"))
    if kind is bytearray:
        return _Marked("bytearray", bytes(value))
    if kind is memoryview:
        return _Marked("memoryview", value)
    return value


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _plain_parts(value: Any) -> list[Any] | None:
    """Return what is neither a class's object nor msgpack: a word, and what it is made of."""
    kind = cast("type[Any]", type(value))
    if kind is _Marked:
        if value.parts[0] == "memoryview":
            raise UnkeptValueError("memoryview")
        return list(value.parts)
    if kind is int:
        return ["int", hex(value)]
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(value, numpy.generic | numpy.ndarray):
        return None
    dtype = value.dtype
    is_number = isinstance(value, numpy.generic)
    if not is_number and dtype == object and kind is numpy.ndarray:
        return ["objects", list(value.flat), list(value.shape)]
    if dtype.hasobject or not (is_number or kind is numpy.ndarray):
        raise UnkeptValueError(_shown(kind))
    described = dtype.descr if dtype.names else dtype.str
    if is_number:
        return ["number", described, value.tobytes()]
    order = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
    return ["numbers", described, value.tobytes(order), list(value.shape), order]


def _reduced(value: Any, kind: type) -> tuple[Any, Sequence[Any], Any, Any, Any]:
    """Return what makes a value, of what, its state, its items and its pairs.

    Raises:
        UnkeptValueError: it cannot be taken apart.
    """
    try:
        found = value.__reduce_ex__(_PROTOCOL)
    except Exception as error:
        raise UnkeptValueError(_shown(kind)) from error
    if not isinstance(found, tuple) or len(found) > _MAX_PARTS:
        raise UnkeptValueError(_shown(kind))
    several = cast("tuple[Any, ...]", found)
    maker, arguments, state, items, pairs = (*several, None, None, None)[:_MAX_PARTS]
    return maker, arguments, state, items, pairs


def _as_fields(state: Any, value: Any, kind: type) -> Any:
    """Return a state as a dict by names, unless its class reads it in a way of its own."""
    if dataclasses.is_dataclass(kind):
        if isinstance(state, list):  # as `dataclass(frozen=True, slots=True)` writes it
            return {each.name: getattr(value, each.name) for each in dataclasses.fields(kind)}
    elif hasattr(kind, "__setstate__"):
        return state
    if isinstance(state, tuple):
        in_dict, in_slots = cast("tuple[Any, Any]", state)
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
                return _from_plain_parts(*self.unpack(data))
            if code == OBJECT:
                return self._object(*self.unpack(data))
        except ChangedStateError as error:
            self._error = self._error or error
            raise ValueError from error
        return self._other(code, data)

    def _object(  # as many as pickle has
        self,
        module: str,
        name: str,
        how: str,
        arguments: Sequence[Any] = (),
        state: Any = None,
        items: Iterable[Any] | None = None,
        pairs: Sequence[Any] | None = None,
        shape: int = 0,
    ) -> Any:
        kind = self._classes.find((module, name))
        if kind is None and not self._is_strict:
            return state if state is not None else arguments
        shown = f"{module}.{name}"
        if kind is None:
            raise ChangedStateError(shown, "no type that the worker's code names leads to it")
        if how == "class":
            return kind
        try:
            made = kind(*arguments) if how == "call" else kind.__new__(kind, *arguments)
        except Exception as error:
            reason = f"it takes {_shortened(arguments)} no more ({type(error).__name__})"
            raise ChangedStateError(shown, reason) from error
        if shape and shape != shape_of(kind):
            state = refitted(kind, shown, state)
        _set_state(made, kind, state)
        for item in items or ():
            made.append(item)
        for key, item in zip(*[iter(pairs or ())] * 2, strict=True):
            made[key] = item
        return made


def _from_plain_parts(word: str, *parts: Any) -> Any:
    if word == "dict":
        return dict(zip(parts[::2], parts[1::2], strict=True))
    if word == "int":
        return int(parts[0], 16)
    if word == "str":
        return parts[0].decode("utf-8", "surrogatepass")
    if word == "bytearray":
        return bytearray(parts[0])
    try:
        numpy = import_module("numpy")
    except ImportError as error:
        raise ChangedStateError("numpy", "it is not installed") from error
    if word == "objects":
        made = numpy.empty(len(parts[0]), object)
        for place, each in enumerate(parts[0]):  # a list would be taken for a row
            made[place] = each
        return made.reshape(parts[1])
    dtype = numpy.dtype(parts[0])
    if word == "number":
        return numpy.frombuffer(parts[1], dtype)[0]
    _, data, shape, order = parts
    return numpy.ndarray(shape, dtype, data, order=order).copy("K")


def _set_state(made: Any, kind: type, state: Any) -> None:
    if state is None:
        return
    if hasattr(kind, "__setstate__") and not dataclasses.is_dataclass(kind):
        made.__setstate__(state)
        return
    for name, value in state.items():
        object.__setattr__(made, name, value)


def _name(kind: type) -> ClassName:
    return kind.__module__, kind.__qualname__


def _shown(kind: type) -> str:
    return kind.__qualname__ if kind.__module__ == "builtins" else ".".join(_name(kind))


def _shortened(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
