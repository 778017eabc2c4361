"""Tests for the parts of plain data: objects, arrays and texts, in JSON's sense."""

from collections.abc import Collection, Mapping
from typing import Any, TypeGuard


def is_mapping(value: object) -> TypeGuard[Mapping[Any, Any]]:
    """True if `value` is an object in JSON's sense."""
    return isinstance(value, Mapping)


def is_several(value: object) -> TypeGuard[Collection[Any]]:
    """True if `value` is an array in JSON's sense."""
    return isinstance(value, list | tuple | set | frozenset)


def writable(text: str) -> str:
    r"""Return `text` with lone surrogates written as `\udc80`, because UTF-8 cannot hold them."""
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
