"""Words of other people in our Markdown: they stay words, and become no HTML and no link.

A terminal shows the same text, so only what would become markup is escaped: stars of a masked
number stay as they are.
"""

import re
from typing import Final

_MARKUP: Final = re.compile(r"<(?=[A-Za-z/!?])|(?<=\])\(|(?<=\])\[")
"""What begins an HTML tag, the address of a link, and the name of one."""
_BALANCED: Final = re.compile(r"[^`\\]*(?:`[^`]*`[^`\\]*)*")
"""Inline code that ends where it begins, as our own sentences have it."""


def plain_words(text: str) -> str:
    r"""Return `text` with what begins a tag, a link or open code escaped by a backslash.

    Code that does not end would make text of the code behind it, and that code may hold anything.
    """
    if not _BALANCED.fullmatch(text):
        text = text.replace("\\", "\\\\").replace("`", "\\`")
    return _MARKUP.sub(lambda hit: f"\\{hit[0]}", text)
