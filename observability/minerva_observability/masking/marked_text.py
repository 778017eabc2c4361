"""Replace parts of a text by marks, cut the text, and say how much was left out."""

import re
from typing import Final

from minerva_observability.masking.hidden_values import Found

MAX_SEARCHED_CHARACTERS: Final = 64_000
"""Characters of a text that are searched for secrets; a longer search would cost too much time."""
MAX_SECRET_CHARACTERS: Final = 4_000
"""Characters before the end of the searched part in which a secret may be cut in two."""
_CUT: Final = re.compile(r" … \([0-9,]{1,20} more characters\)\Z")
_MAX_CUT_CHARACTERS: Final = 50
"""Characters by which the note of an earlier cut may exceed the limit."""


def marked(text: str, found: list[Found], longest: int) -> str:
    """Return `text` with the marks of `found`, cut to `longest` characters.

    A cut text ends with the number of characters that were left out. A text that was cut before
    to the same length is not cut again.
    """
    if longest < len(text) <= longest + _MAX_CUT_CHARACTERS and _CUT.search(text, longest):
        longest = len(text)
    if not found and len(text) <= longest:
        return text
    # a secret that crosses the end of the searched part is not found, so stop well before that end
    end = (
        len(text)
        if len(text) <= MAX_SEARCHED_CHARACTERS
        else MAX_SEARCHED_CHARACTERS - MAX_SECRET_CHARACTERS
    )
    pieces: list[str] = []
    at, room = 0, longest
    for start, stop, mark in _apart(found):
        if start >= end or start - at + len(mark) > room:
            break
        pieces += (text[at:start], mark)
        room -= start - at + len(mark)
        at = stop
    else:
        start = end
    plain = text[at : min(start, end, at + room)]
    pieces.append(plain)
    cut = len(text) - at - len(plain)
    return "".join(pieces) + (f" … ({cut:,} more characters)" if cut else "")


def _apart(found: list[Found]) -> list[Found]:
    """Return `found` in order, with overlapping entries merged under the mark of the longest."""
    apart: list[Found] = []
    longest = 0
    for each in sorted(found, key=lambda item: (item.start, -item.end)):
        if not apart or each.start >= apart[-1].end:
            apart.append(each)
            longest = each.end - each.start
            continue
        last = apart.pop()
        mark, length = last.mark, each.end - each.start
        if length > longest:
            mark, longest = each.mark, length
        apart.append(Found(last.start, max(last.end, each.end), mark))
    return apart
