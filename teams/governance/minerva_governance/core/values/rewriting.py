"""A cell that hides its value behind signs, read once more without them.

People put any sign between the groups of a number, addresses of the web a plus for each blank,
databases quotes and casts around a value, pages their tags. Each way of reading has an expression
of RE2's that fits the cells it is for, so that SQL leaves these to Python and no others.
"""

import re
from collections.abc import Iterator
from typing import Final

from minerva_governance.core.values.writing import EXTENSION

_PLUSSED: Final = r"=[0-9A-Za-z-]{1,16}(?:\+[0-9A-Za-z]{1,16}){1,12}(?:&|$)"
_ELEMENT: Final = r"^ *<[A-Za-z][^<>]{0,60}>[^<>]{7,80}</[A-Za-z][^<>]{0,30}> *$"
_QUOTED: Final = r"^[^'\"0-9]{0,12}['\"][^'\"]{7,60}['\"][^'\"]{0,24}$"
_GROUPED: Final = (
    r"^[^0-9A-Za-z]{0,4}[0-9]{1,9}"
    r"(?: ?(?:[~_|\\+*]|[\])}>] ?[\[({<]) ?[0-9]{1,9}){1,8}[^0-9A-Za-z]{0,4}$"
)
_EXTENDED: Final = rf"^[ ()+0-9./-]{{9,32}}{EXTENSION}$"
_CHAT: Final = r"\bwa\.me/\+?[1-9][0-9]{7,14}(?:[/?]|$)"

ENOUGH_DIGITS: Final = r"^(?:[^0-9]*[0-9]){7}"
"""What every cell has that is read once more."""
STAMP: Final = r"^ *(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}(?:[ T][0-9.:+Z-]*)? *$"
"""What none of them is: columns are full of days and times."""
READ_WHOLE: Final = (_ELEMENT, _QUOTED, _GROUPED, _EXTENDED)
"""What a cell looks like that `rewritings` gives another reading of."""
READ_ANYWHERE: Final = (_PLUSSED, _CHAT)
"""What is somewhere in such a cell."""

_HAS_DIGITS: Final = re.compile(ENOUGH_DIGITS)
_IS_STAMP: Final = re.compile(STAMP)
_HAS_PLUSSED: Final = re.compile(_PLUSSED)
_IS_ELEMENT: Final = re.compile(_ELEMENT)
_IS_QUOTED: Final = re.compile(_QUOTED)
_IS_GROUPED: Final = re.compile(_GROUPED)
_IS_EXTENDED: Final = re.compile(_EXTENDED)
_HAS_CHAT: Final = re.compile(_CHAT)
_TAG: Final = re.compile(r"<[^<>]*>")
_QUOTES: Final = re.compile(r"['\"]")
_AN_EXTENSION: Final = re.compile(f"{EXTENSION}$")
_DIGITS: Final = re.compile(r"[0-9]+")
_BETWEEN: Final = re.compile(r"(?<=[0-9])[^0-9]+(?=[0-9])")


def has_enough_digits(cell: str) -> bool:
    """True if a cell may hold a value that is written in an unusual way."""
    return _HAS_DIGITS.match(cell) is not None and _IS_STAMP.match(cell) is None


def rewritings(cell: str) -> Iterator[str]:
    """Yield other readings of a normalised cell; none of them is the cell itself."""
    if "+" in cell and _HAS_PLUSSED.search(cell):
        yield _HAS_PLUSSED.sub(lambda hit: hit.group().replace("+", " "), cell)
    if "</" in cell and _IS_ELEMENT.search(cell):
        yield _TAG.sub("", cell).strip()
    if ("'" in cell or '"' in cell) and _IS_QUOTED.search(cell):
        yield _QUOTES.split(cell)[1].strip()
    if "wa.me/" in cell and (chat := _HAS_CHAT.search(cell)):
        yield "+" + "".join(_DIGITS.findall(chat.group()))
    if _IS_EXTENDED.search(cell):
        yield _AN_EXTENSION.sub("", cell)
    elif _IS_GROUPED.search(cell):
        yield from _hyphenate(cell)


def _hyphenate(cell: str) -> Iterator[str]:
    """Yield the groups of digits with hyphens between them, if one sign alone separates them."""
    signs = {sign.replace(" ", "") for sign in _BETWEEN.findall(cell)}
    if len(signs) == 1:
        groups = _DIGITS.findall(cell)
        plus = "+" if "+" in cell[: cell.index(groups[0])] else ""
        yield plus + "-".join(groups)


_ELEMENTS: Final = re.compile(r"\[[^]]*\](?:\{[0-9]+(?:,[0-9]+)?\})?")
_REPEAT: Final = re.compile(r"(?P<one>\[[^]]*\])(?P<times>\{[0-9,]+\})?")
_SIGNS: Final = "[^0-9A-Za-z]{0,6}"


def spread(form: str) -> str:
    """Return an expression for the letters and digits of `form` with signs between and around."""
    letters = _ELEMENTS.sub(_with_signs, form.replace("(?P<value>", "(?:"))
    return f"^[^0-9A-Za-z]*(?:{letters})[^0-9A-Za-z]*$"


def _with_signs(element: re.Match[str]) -> str:
    match = _REPEAT.fullmatch(element.group())
    one, times = (match["one"], match["times"] or "") if match else (element.group(), "")
    return f"(?:{one}{_SIGNS}){times}"
