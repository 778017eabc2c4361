r"""Show foreign text to a person who decides by it: nothing in it can act, hide or pretend.

What cannot be seen is written as Python writes it: `\x1b`, `\u202e`, `\n`. Line breaks count, too:
with one, a value could look like another line of the question.
"""

import json
import re
import unicodedata
from typing import Any, Final

_BLANK: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
"""Characters that count as letters, marks or symbols, and show as nothing."""
_MAX_MARKS = 3
"""Marks over one letter. More of them cover the lines above and below."""
_LIKE_WRITTEN_OUT: Final = re.compile(r"\\[\\nrtxuU]")
_JSON_HIDDEN: Final = re.compile(
    "[^\\x20-\\x7e\\n\u00a1-\u00ac\u00ae-\u02ff\u3130-\u3163\u3165-\u318e\u4e00-\u9fff\uac00-\ud7a3]"
)
"""In JSON: all but ASCII and the letters that people here write with."""


def harmless(text: str, *, breaks: str = "") -> str:
    r"""Return `text` on one line, with all that cannot be seen written out.

    `breaks` follows each `\n`. Backslashes are doubled then, and where one would look like the
    beginning of such a writing. So no text looks like another one.
    """
    if text.isascii() and text.isprintable() and not _LIKE_WRITTEN_OUT.search(text):
        return text
    marks = _excess_marks(text)
    shown = [
        _escape(char) if _is_hidden(char) or place in marks else char
        for place, char in enumerate(text)
    ]
    if all(len(char) == 1 for char in shown) and not _LIKE_WRITTEN_OUT.search(text):
        return text
    doubled = ("\\\\" if char == "\\" else char for char in shown)
    return "".join(f"\\n{breaks}" if char == "\\n" else char for char in doubled)


def has_hidden(text: str) -> bool:
    """True if `harmless` writes a part of `text` in another way."""
    return harmless(text) != text


def harmless_json(value: Any, *, indent: int | None = None) -> str:
    r"""Return `value` as JSON that a terminal shows as it is: what cannot be seen is `\u202e`.

    A parser reads the same value from it; a lone surrogate stays one.
    """
    return escaped_json(json.dumps(value, ensure_ascii=False, indent=indent))


def escaped_json(text: str) -> str:
    """Return JSON text with all that cannot be seen as JSON's own escapes."""
    return _JSON_HIDDEN.sub(lambda found: _json_escape(found[0]), text)


def _json_escape(char: str) -> str:
    return json.dumps(char)[1:-1] if _is_hidden(char) or _is_mark(char) else char


def _is_hidden(char: str) -> bool:
    return not char.isprintable() or char in _BLANK


def _is_mark(char: str) -> bool:
    return unicodedata.category(char) in {"Mn", "Me"}


def _excess_marks(text: str) -> frozenset[int]:
    """Return the places of marks that have no letter, or are too many on one."""
    found: set[int] = set()
    count = _MAX_MARKS  # nothing stands before the first character
    for place, char in enumerate(text):
        if char <= "\u02ff" or not _is_mark(char):
            count = 0 if not _is_hidden(char) else _MAX_MARKS
            continue
        count += 1
        if count > _MAX_MARKS:
            found.add(place)
    return frozenset(found)


def _escape(char: str) -> str:
    return ascii(char)[1:-1]
