"""What msgpack writes as something else, or refuses: large integers, half characters, NumPy's.

Each is a word, and what it is made of.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Final, cast

from minerva_platform.errors import ChangedStateError, UnkeptValueError


def type_of(value: Any) -> Any:
    """Return the class of a value of which nothing else is known."""
    return cast("Any", type(value))


def type_name(kind: type) -> str:
    """Return a class as errors show it."""
    return (
        kind.__qualname__
        if kind.__module__ == "builtins"
        else f"{kind.__module__}.{kind.__qualname__}"
    )


class Parts:
    """What msgpack would refuse, or write as another type: its own name, and its parts."""

    def __init__(self, *parts: Any) -> None:
        self.parts = parts


def with_parts(value: Any) -> Any:
    """Return lists and dicts with what msgpack would refuse, or change, marked."""
    kind = type_of(value)
    if kind is dict:
        if all(type(key) is str and _is_text(key) for key in value):
            return {key: with_parts(item) for key, item in value.items()}
        return Parts("dict", *(part for pair in value.items() for part in pair))
    if kind is list:
        return [with_parts(item) for item in value]
    if kind is str and not _is_text(value):
        return Parts("str", value.encode("utf-8", "surrogatepass"))
    if kind in (bytearray, memoryview):
        return Parts(kind.__name__, bytes(value) if kind is bytearray else value)
    return value


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def parts_of(value: Any) -> list[Any] | None:
    """Return what is neither a class's object nor msgpack: a word, and what it is made of."""
    kind = type_of(value)
    if kind is Parts:
        if value.parts[0] == memoryview.__name__:
            raise UnkeptValueError(memoryview.__name__)
        return list(value.parts)
    if kind is int:
        return ["int", hex(value)]
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(value, numpy.generic | numpy.ndarray):
        return None
    dtype = value.dtype
    is_number = isinstance(value, numpy.generic)
    if not is_number and dtype.kind == "O" and kind is numpy.ndarray:
        return ["numbers", None, list(value.flat), list(value.shape), "C"]
    if dtype.hasobject or not (is_number or kind is numpy.ndarray):
        raise UnkeptValueError(type_name(kind))
    described = dtype.descr if dtype.names else dtype.str
    if is_number:
        return ["number", described, value.tobytes()]
    order = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
    return ["numbers", described, value.tobytes(order), list(value.shape), order]


def _numbers(parts: Sequence[Any]) -> Any:
    """Return an array of NumPy's from its bytes, or from its objects."""
    try:
        numpy = import_module("numpy")
    except ImportError as error:
        name, reason = "numpy", "it is not installed"
        raise ChangedStateError(name, reason) from error
    described, data, shape, order = parts
    if described is not None:
        return numpy.ndarray(shape, numpy.dtype(described), data, order=order).copy("K")
    made = numpy.empty(len(data), object)
    for place, each in enumerate(data):  # a list would be taken for a row
        made[place] = each
    return made.reshape(shape)


FROM_PARTS: Final[Mapping[str, Callable[[Sequence[Any]], Any]]] = {
    "bytearray": lambda parts: bytearray(parts[0]),
    "dict": lambda parts: dict(zip(parts[::2], parts[1::2], strict=True)),
    "int": lambda parts: int(parts[0], 16),
    "number": lambda parts: _numbers((*parts, 1, "C"))[0],
    "numbers": _numbers,
    "str": lambda parts: parts[0].decode("utf-8", "surrogatepass"),
}
"""What `parts_of` says a value is, and what makes it."""
