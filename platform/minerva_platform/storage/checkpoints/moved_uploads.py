"""Paths of uploaded files in a kept state, as they are in the home of who reads it.

A state names the copy of an upload in the home in which it was written: in tasks, and in whatever a
worker keeps of its own while it waits for a person. Another host has the copy elsewhere.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

import ormsgpack

from minerva_platform.config.settings import home_directory
from minerva_platform.contract.attachment import UPLOADS, Attachment

_MARK: Final = re.compile(UPLOADS.encode() + rb"(?:/|\xd9\x40)[0-9a-f]{64}")
"""Where a path may stand: in one text, or in its parts as msgpack writes them."""
_MIN_PARTS: Final = 3
_OPTIONS: Final = ormsgpack.OPT_NON_STR_KEYS


def with_moved_uploads(data: bytes) -> bytes:
    """Return msgpack with each path of an upload leading to the copy in this home, if it is there.

    Nothing that the state names is made or run. What holds no such path comes back as it is.

    Raises:
        ValueError: it is no msgpack.
    """
    return _moved(data, home_directory()) if _MARK.search(data) else data


def _moved(data: bytes, home: Path) -> bytes:
    inner = partial(_moved_inside, home=home)
    value = ormsgpack.unpackb(data, ext_hook=inner, option=_OPTIONS)
    return ormsgpack.packb(_value(value, home), option=_OPTIONS)


def _moved_inside(code: int, data: bytes, home: Path) -> ormsgpack.Ext:
    """Return an object as it is written; its own values are msgpack, too."""
    return ormsgpack.Ext(code, _moved(data, home) if _MARK.search(data) else data)


def _value(value: Any, home: Path) -> Any:
    if isinstance(value, str):
        return _path(value, home) if UPLOADS in value else value
    if isinstance(value, dict):
        named = cast("Mapping[Any, Any]", value)
        return {key: _value(item, home) for key, item in named.items()}
    if isinstance(value, list):
        several = cast("Sequence[Any]", value)
        if len(several) >= _MIN_PARTS and several[-_MIN_PARTS] == UPLOADS and _are_parts(several):
            return list(Path(_path(str(Path(*several)), home)).parts)
        return [_value(item, home) for item in several]
    return value


def _are_parts(several: Sequence[Any]) -> bool:
    return all(isinstance(part, str) for part in several)


def _path(text: str, home: Path) -> str:
    """Return where an upload lies here, if the whole text is its path elsewhere."""
    attachment = Attachment(path=Path(text))
    here = attachment.in_home(home)
    return text if here is attachment else str(here.path)
