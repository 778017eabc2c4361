"""The checkable claims of a model's text: identifiers, file names, places, numbers."""

import re
from collections.abc import Iterator

_TOKEN = re.compile(r"[A-Za-z_][\w./:-]*|\d+(?:[.,]\d+)*")
_MARK = re.compile(r"[_./:\d]")
"""Characters that distinguish an identifier or a place from a word."""


def unknown_claims(text: str, source_text: str) -> list[str]:
    """Return the claims of `text` that stand nowhere in `source_text`, in their order.

    A name may be part of a path there, but of no longer name; a number may stand within a name
    (V20), but in no longer number. A plain word is no claim.
    """
    return [claim for claim in _claims(text) if not _stands_in(claim, source_text)]


def _claims(text: str) -> Iterator[str]:
    for found in _TOKEN.finditer(text):
        token = found[0].rstrip("./:-")
        if token[0].isdigit() or (_MARK.search(token) and len(token) > 1):
            yield token


def _stands_in(claim: str, source_text: str) -> bool:
    neighbour = r"\d" if claim[0].isdigit() else "[A-Za-z0-9_]"  # a noun may touch it (번호V20)
    whole = rf"(?<!{neighbour}){re.escape(claim)}(?!{neighbour})"
    return re.search(whole, source_text) is not None
