"""Source text without the values of persons, before anything of it is kept.

A digit becomes 0 and a letter x, so lines and columns stay, and a parser finds the same names.
"""

import io
import tokenize
from itertools import accumulate
from typing import Final

from minerva_insilico.core.facts.language import PYTHON
from minerva_platform.text import masked

_STANDS_FOR_AT: Final = "\0"
"""No e-mail address has it. Python refuses a source with it, so it is there for no other reason."""


def masked_source(source: bytes, language: str) -> bytes:
    """Return a source with each certain value of a person masked; the same object if it has none.

    In Python `a@b.view` outside of texts and comments is a product of matrices, and stays.
    """
    text = source.decode("utf-8", "surrogateescape")
    shown = masked(text)
    if shown == text:
        return source
    if language == PYTHON and (places := _operators(text)):
        shown = _with_each(_STANDS_FOR_AT, text, places)
        shown = _with_each("@", masked(shown), places)
    return shown.encode("utf-8", "surrogateescape")


def _operators(text: str) -> list[int]:
    """Return where `@` is an operator or begins a decorator; nothing if the text does not parse."""
    if "@" not in text:
        return []
    starts = [0, *accumulate(map(len, io.StringIO(text, newline="")))]
    try:
        return [
            starts[token.start[0] - 1] + token.start[1]
            for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline)
            if token.type == tokenize.OP and token.string[0] == "@"
        ]
    except (tokenize.TokenError, SyntaxError):
        return []


def _with_each(letter: str, text: str, places: list[int]) -> str:
    letters = list(text)
    for place in places:
        letters[place] = letter
    return "".join(letters)
