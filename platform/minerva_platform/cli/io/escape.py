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
_LETTERS: Final = (
    "\\x20-\\x7e\u00a1-\u00ac\u00ae-\u02ff\u3131-\u3163\u3165-\u318e\u4e00-\u9fff\uac00-\ud7a3"
)
"""ASCII and the letters that people here write with: they are seen, and are no marks."""
_OTHERS: Final = re.compile(f"[^{_LETTERS}]+")
_JSON_HIDDEN: Final = re.compile(f"[^{_LETTERS}\\n]")


def harmless(text: str, *, breaks: str = "") -> str:
    r"""Return `text` on one line, with all that cannot be seen written out.

    `breaks` follows each `\n`. Backslashes are doubled then, and where one would look like the
    beginning of such a writing. So no text looks like another one.
    """
    doubled = text.replace("\\", "\\\\")
    shown = _OTHERS.sub(lambda match: _written_out(match, breaks), doubled)
    return text if shown == doubled and not _LIKE_WRITTEN_OUT.search(text) else shown


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
    return _JSON_HIDDEN.sub(lambda match: _json_escape(match[0]), text)


def _json_escape(char: str) -> str:
    return json.dumps(char)[1:-1] if _is_hidden(char) or _is_mark(char) else char


def _is_hidden(char: str) -> bool:
    return not char.isprintable() or char in _BLANK


def _is_mark(char: str) -> bool:
    return unicodedata.category(char) in {"Mn", "Me"}


def _written_out(match: re.Match[str], breaks: str) -> str:
    """Return what was found, without what is hidden and marks that are too many on a letter.

    What stands before it is a letter, or nothing, which can bear no mark.
    """
    count = 0 if match.start() else _MAX_MARKS
    shown: list[str] = []
    for char in match[0]:
        is_hidden, is_mark = _is_hidden(char), _is_mark(char)
        if is_mark:
            count += 1
        else:
            count = _MAX_MARKS if is_hidden else 0
        is_shown = not is_hidden and not (is_mark and count > _MAX_MARKS)
        shown.append(char if is_shown else ascii(char)[1:-1] + breaks * (char == "\n"))
    return "".join(shown)
