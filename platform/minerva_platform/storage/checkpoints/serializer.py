"""How states are written and read: msgpack alone, and only classes that the graph names.

A reader that built whatever a checkpoint names would run the code of whoever can write to the
database.
"""

import copy
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final, cast

import ormsgpack
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from minerva_platform.config.settings import home_directory
from minerva_platform.contract.attachment import UPLOADS, Attachment
from minerva_platform.errors import RunError
from minerva_platform.storage.checkpoints.state_values import Classes, pack, unpack
from minerva_platform.storage.files.plain_folder import plain_folder

FORMS: Final = frozenset({"msgpack", "bytes", "bytearray", "null"})
"""What states are written as. LangGraph would also read `json` and `pickle`, which name code."""


@lru_cache(maxsize=256)  # each run of a team has the same
def _classes(names: frozenset[Any]) -> Classes:
    return Classes(names)


class StrictSerializer(JsonPlusSerializer):
    """LangGraph's serializer, but each value keeps its type, and only known classes are made.

    It knows those that LangGraph names by `with_msgpack_allowlist`. Without, it writes any and
    reads the values of an object instead of the object: enough to look at a state.
    """

    def __init__(self) -> None:
        super().__init__(allowed_msgpack_modules=None)
        self.classes: Classes | None = None

    def with_msgpack_allowlist(self, extra_allowlist: Iterable[Any]) -> "StrictSerializer":
        """Return one that knows these classes, too; each is a class, or its module and name."""
        extra = {*extra_allowlist} - (self.classes.names if self.classes else set())
        if not extra and self.classes:
            return self
        known = copy.copy(cast("StrictSerializer", super().with_msgpack_allowlist(extra)))
        names = frozenset({*extra, *(self.classes.names if self.classes else ())})
        known.classes = _classes(names)
        return known

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Return what LangGraph calls the form, and the bytes.

        Raises:
            UnkeptValueError: no checkpoint keeps the value, or one in it.
        """
        if obj is None:
            return "null", b""
        if type(obj) in (bytes, bytearray):
            return type(obj).__name__, bytes(obj)
        return "msgpack", pack(obj, self.classes)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Return what was written.

        Raises:
            RunError: it was written in a form that can name code.
            ChangedStateError: a class in it is not there any more as it was.
        """
        form, written = data
        if form not in FORMS:
            message = f"A checkpoint is written as {form!r}, which MINERVA does not read."
            raise RunError(message)
        if form == "msgpack":
            return unpack(with_moved_uploads(written), self.classes, self._unpack_ext_hook)
        return super().loads_typed(data)


_MARK: Final = re.compile(UPLOADS.encode() + rb"(?:/|\xd9\x40)[0-9a-f]{64}")
"""Where a path may stand: in one text, or in its parts as msgpack writes them."""
_MIN_PARTS: Final = 3
_OPTIONS: Final = ormsgpack.OPT_NON_STR_KEYS


def with_moved_uploads(data: bytes) -> bytes:
    """Return msgpack with each path of an upload leading to the copy in this home, if it is there.

    A state names the copy in the home in which it was written: in tasks, and in whatever a worker
    keeps of its own while it waits for a person. Another host has the copy elsewhere.
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
        is_copy = len(several) >= _MIN_PARTS and several[-_MIN_PARTS] == UPLOADS
        if is_copy and all(isinstance(part, str) for part in several):
            return list(Path(_path(str(Path(*several)), home)).parts)
        return [_value(item, home) for item in several]
    return value


def _path(text: str, home: Path) -> str:
    """Return where an upload lies here, if the whole text is its path elsewhere."""
    attachment = Attachment(path=Path(text))
    here = attachment.in_home(plain_folder(home))
    return text if here is attachment else str(here.path)
