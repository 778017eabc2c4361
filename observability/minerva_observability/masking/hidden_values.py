"""Values that must not be shown, found in a text in any of their spellings.

Exceptions quote the values that they refuse: plainly, as Python's `repr`, as JSON, as part of an
address, or in base64.
"""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from minerva_observability.records.plain_data import is_mapping, is_several

MASK: Final = "[masked]"
MIN_NUMBER_DIGITS: Final = 4
"""Digits; a shorter sensitive number is too common to be searched for."""
PIECE: Final = 1_000
"""Characters; a longer value is searched for in pieces of this size, because texts are cut."""
MAX_PIECES: Final = 64
"""Pieces of one value that are searched for; records keep no longer text."""
_MIN_LINE_CHARACTERS: Final = 16
"""Characters of a line that is also searched for alone: an error may quote one line of a key."""
_MIN_BASE64_CHARACTERS: Final = 8
"""Letters; a shorter piece of base64 may be an ordinary word."""
_NAME: Final = re.compile(r"[a-z_]+|[ -~]{1,3}")
"""The form of names of teams and nodes. A value of this form stays in names, where it tells nothing
about a person."""


class Hit(NamedTuple):
    """The position of a value in a text, and the mark that replaces it."""

    start: int
    end: int
    mark: str


class HiddenValues:
    """The values of a run's sensitive fields, longest first, each with its field's name."""

    __slots__ = ("_by_length", "_marks", "_texts", "version")

    def __init__(self) -> None:
        self._texts: set[str] = set()
        self._marks: dict[str, str] = {}
        self._by_length: tuple[tuple[str, str, bool], ...] = ()
        self.version = 0
        """Grows by one with each call of `add` that brought a new value."""

    def add(self, name: str, value: Any) -> None:
        """Hide every text inside `value`. Its mark is `[masked NAME]`; without a name, `[masked]`.

        `value` is plain data: a text, a number, or objects and arrays of them.
        """
        before = len(self._marks)
        mark = f"[masked {name}]" if name else MASK
        for text in _texts(value):
            if text in self._texts:  # every call of a member hides the same words again
                continue
            self._texts.add(text)
            for spelling in _spellings(text):
                self._marks.setdefault(spelling, mark)
        if len(self._marks) > before:
            ordered = sorted(self._marks.items(), key=lambda item: -len(item[0]))
            self._by_length = tuple(
                (spelling, mark, not _NAME.fullmatch(spelling)) for spelling, mark in ordered
            )
            self.version += 1

    def without(self, name: str) -> "HiddenValues":
        """Return the values of all fields but `name`."""
        left, mark = HiddenValues(), f"[masked {name}]"
        left._marks = {text: its for text, its in self._marks.items() if its != mark}
        left._by_length = tuple(each for each in self._by_length if each[1] != mark)
        return left

    def find(self, text: str, *, is_name: bool = False) -> Iterator[Hit]:
        """Yield the positions of hidden values in `text`.

        With `is_name`, `text` is a name, and values that have the form of a name are not searched.
        """
        marks: list[tuple[int, int]] | None = None
        for value, mark, is_telling in self._by_length:
            start = text.find(value) if is_telling or not is_name else -1
            while start >= 0:
                end = start + len(value)
                if marks is None:
                    marks = list(self._marks_in(text))
                if not any(first <= start and end <= last for first, last in marks):
                    yield Hit(start, end, mark)
                start = text.find(value, end)

    def _marks_in(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the positions of marks in `text`, because a mark may contain a hidden value."""
        for mark in {MASK, *self._marks.values()}:
            start = text.find(mark)
            while start >= 0:
                yield start, start + len(mark)
                start = text.find(mark, start + len(mark))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if len(value.strip()) > 1:  # a single letter occurs everywhere
            yield value
    elif is_mapping(value):
        for item in value.values():
            yield from _texts(item)
    elif is_several(value):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, int | float) and len(str(value)) >= MIN_NUMBER_DIGITS:
        yield str(value)


def _spellings(text: str) -> Iterator[str]:
    if len(text) > PIECE:
        for start in range(0, min(len(text), PIECE * MAX_PIECES), PIECE):
            yield from _spellings(text[start : start + PIECE])
        return
    yield from filter(None, {text, text.strip(), repr(text)[1:-1], ascii(text)[1:-1]})
    lines = text.splitlines()
    if len(lines) > 1:
        yield from (line.strip() for line in lines if len(line.strip()) >= _MIN_LINE_CHARACTERS)
    data = text.encode("utf-8", "surrogatepass")
    if not text.isalnum() or not text.isascii():
        yield from _escapes(text, data)
    yield from _in_base64(data)


def _escapes(text: str, data: bytes) -> Iterator[str]:
    import json  # noqa: PLC0415  # most runs hide nothing
    from urllib.parse import quote, quote_plus  # noqa: PLC0415  # see above

    yield from (json.dumps(text, ensure_ascii=plain)[1:-1] for plain in (True, False))
    yield from (quote(data, safe=""), quote(data), quote_plus(data))


def _in_base64(data: bytes) -> Iterator[str]:
    """Yield the letters of base64 that encode `data`, for each offset at which it may begin."""
    from base64 import b64encode  # noqa: PLC0415  # most runs hide nothing

    for before in range(3):
        letters = b64encode(bytes(before) + data)
        whole = (before + len(data)) * 8 // 6
        inside = letters[-(-before * 8 // 6) : whole].decode()
        if len(inside) >= _MIN_BASE64_CHARACTERS:
            yield inside
            yield inside.translate(_TO_URL)


_TO_URL: Final = str.maketrans("+/", "-_")
