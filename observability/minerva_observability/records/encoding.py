"""Turn a record into JSON that every JSON reader can parse, whatever values it holds."""

from typing import Any

import orjson

from minerva_observability.records.plain_data import is_mapping, is_several, writable

_OPTIONS = orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY


def to_json(value: Any) -> bytes:
    r"""Return `value` as one line of JSON in UTF-8, without a newline.

    A value that JSON or UTF-8 cannot hold is spelled out and not lost: a lone surrogate as
    `\udc80`, an unknown object as its `str`.
    """
    try:
        return orjson.dumps(value, option=_OPTIONS)
    except TypeError:
        return orjson.dumps(_spelled_out(value), option=_OPTIONS)


def _spelled_out(value: Any) -> Any:
    if isinstance(value, str):
        return writable(value)
    if is_mapping(value):
        return {writable(str(key)): _spelled_out(item) for key, item in value.items()}
    if is_several(value):
        return [_spelled_out(item) for item in value]
    try:
        orjson.dumps(value, option=_OPTIONS)
    except TypeError:
        return writable(str(value))
    return value
