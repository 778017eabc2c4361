"""Replace what people say by what a glossary says, by pairs from a list of words."""

import re
from collections.abc import Callable, Iterable

Rewording = Callable[[str], str]
"""Returns a text with every pair applied, one after the other."""


def rewording(
    pairs: Iterable[tuple[str, ...]], flags: re.RegexFlag = re.RegexFlag.NOFLAG
) -> Rewording:
    """Return what applies `pairs`: a regular expression, and what is put in its place."""
    compiled = [(re.compile(said, flags), meant) for said, meant in pairs]

    def reworded(text: str) -> str:
        for said, meant in compiled:
            text = said.sub(meant, text)
        return text

    return reworded
