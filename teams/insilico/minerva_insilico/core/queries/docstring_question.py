"""A person's question about docstrings: drafts or not, their style, public symbols only."""

import re
from dataclasses import dataclass
from functools import cache

from minerva_insilico.core.docstrings.coverage import CountRule
from minerva_insilico.core.docstrings.docstyle import STYLES, Style
from minerva_platform.text import read_words

WORDS = read_words("minerva_insilico.core.queries", "docstring_question")


@dataclass(frozen=True)
class DocstringQuestion:
    """The question."""

    drafts: bool
    """True if docstrings are to be drafted, not only counted."""
    rule: CountRule
    """The definitions that need a docstring."""
    style: Style | None
    """The style of the drafts. None for the style in use."""


def read_docstring_question(request: str) -> DocstringQuestion:
    """Read a request in Korean or English."""
    return DocstringQuestion(
        drafts=_says("drafts", request),
        rule=CountRule(public_only=_says("public_only", request)),
        style=next((style for style in STYLES if _says(f"styles.{style}", request)), None),
    )


def _says(key: str, request: str) -> bool:
    return _pattern(key).search(request) is not None


@cache
def _pattern(key: str) -> re.Pattern[str]:
    return re.compile(WORDS.patterns(key), re.IGNORECASE)
