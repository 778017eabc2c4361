"""What a model's text claims that can be looked up: identifiers, file names, places, numbers."""

import re

_CLAIM = re.compile(r"[A-Za-z_][\w./:-]*[_./:\d][\w./:-]*\w|\d+(?:[.,]\d+)*")


def unknown_claims(text: str, known: str) -> list[str]:
    """Return the claims of `text` that stand nowhere in `known`, in their order.

    A name may be part of a path there, but of no longer name; a number may stand within a name
    (V20), but in no longer number.
    """
    return [claim for claim in _CLAIM.findall(text) if not _stands_in(claim, known)]


def _stands_in(claim: str, known: str) -> bool:
    neighbour = r"\d" if claim[0].isdigit() else "[A-Za-z0-9_]"  # a noun may touch it (번호V20)
    whole = rf"(?<!{neighbour}){re.escape(claim)}(?!{neighbour})"
    return re.search(whole, known) is not None
