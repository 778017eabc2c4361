"""Docstrings that say nothing: a placeholder, or the name once more.

`"Foo."` for `foo`, `"Initialize self."` and `"TODO"` are no documentation, though tools that look
only for a docstring count them.
"""

import re
from functools import cache

from minerva_platform.text import read_words

WORDS = read_words("minerva_insilico.core.docstrings", "filler")

_WORD = re.compile(r"[^\W\d_]+")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")
_SECTION = re.compile(r"(?:^|\n)(?=[ \t]*(?:@param|:\w|(?:Args|Parameters|Returns)\b:?[ \t]*\n))")
"""Before the first section of a docstring, also where no empty line is."""

_EXAMPLE = ">>>"
_ENDINGS = ("", "s", "es", "d", "ed", "ing", "er", "r")


def is_filler(docstring: str, *, name: str, signature: str = "") -> bool:
    """True if a docstring says nothing: every word is filler or from the definition's name.

    The summary may repeat the name and the class around it (`shop.till.Till.total`), what follows
    it the signature, too. An example always says something, and a docstring without words nothing.
    """
    if _EXAMPLE in docstring:
        return False
    around, _, own = name.rpartition(".")
    named = {*_parts(own), *_parts(around.rpartition(".")[2])}
    summary, _, rest = _SECTION.sub("\n\n", docstring.strip() + "\n", count=1).partition("\n\n")
    return _repeats(summary, named) and _repeats(rest, named | _parts(signature))


def _repeats(text: str, parts: set[str]) -> bool:
    return all(
        word in _filler_words() or any(_is_form_of(word, part) for part in parts)
        for word in map(str.lower, _split(text))
    )


def _split(text: str) -> list[str]:
    return [part for word in _WORD.findall(text) for part in _PARTS.findall(word)]


def _parts(text: str) -> set[str]:
    return {part.lower() for part in _split(text)}


def _is_form_of(word: str, part: str) -> bool:
    """True if a word is another's plural or a form of the same verb: `loads`, `loading`."""
    stem = part[:-1] if part.endswith(("e", "y")) and len(part) > 2 else part  # noqa: PLR2004
    return any(word in {part + ending, stem + ending} for ending in _ENDINGS)


@cache
def _filler_words() -> frozenset[str]:
    return frozenset(WORDS["filler"])
