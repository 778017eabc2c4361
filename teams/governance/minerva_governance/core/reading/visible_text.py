"""Names and words of other people's files, written so that each character shows as what it is.

A line break in a file's name, a colour code of a terminal, or a sign that turns the direction of
writing (`gpj.exe` for `exe.jpg`) would let one thing look like another. Bytes of a name that are no
text would keep a report from being written at all.
"""

import unicodedata
from typing import Final

_SPACES: Final = "Zs"
"""Spaces of other widths, as Korean and Japanese have them, show as what they are."""


def visible(text: str, *, keeps: str = "") -> str:
    r"""Return `text` with characters that do not show written out: `\n`, `\u202e`, `\udcff`.

    `keeps` are let through. A tab becomes a space.
    """
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() or each in keeps else _written_out(each) for each in text
    )


def _written_out(character: str) -> str:
    if character == "\t":
        return " "
    if unicodedata.category(character) == _SPACES:
        return character
    return character.encode("unicode_escape").decode("ascii")
