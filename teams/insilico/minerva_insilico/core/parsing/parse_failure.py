"""Why a source gave no facts, as a reason with its detail: words are made of it elsewhere.

A reason in `LIMITS` says nothing about the source but that it took more than it may, so an answer
without the file is incomplete.
"""

import sys
from typing import Final, Literal

from minerva_platform.text import Language, code_span, read_texts

TEXTS = read_texts("minerva_insilico.core.parsing", "unparsed")

Reason = Literal[
    "crash", "files", "memory", "newer_python", "python_2", "size", "storage", "syntax", "time",
    "tree_time",
]  # fmt: skip

LIMITS: Final[frozenset[Reason]] = frozenset(
    {"crash", "files", "memory", "size", "time", "tree_time"}
)
"""Reasons that lie in our bounds. The parser's process may crash for want of memory, too."""

OWN_PYTHON: Final = f"{sys.version_info.major}.{sys.version_info.minor}"
"""The Python whose grammar reads the sources."""

_QUOTED: Final[frozenset[Reason]] = frozenset({"python_2", "storage", "syntax"})
"""Reasons whose detail is a text to quote, not a number."""


def error_text(reason: Reason, detail: str, language: Language = "en") -> str:
    """Return what is wrong with a source, as one clause. In Korean, quotes are set as code.

    `detail` is seconds, bytes, an exit code, `VERSION SAMPLE`, or what the interpreter said.
    """
    what, sample = detail, ""
    if reason not in _QUOTED:
        first, _, sample = detail.partition(" ")
        what = f"{int(first):,}" if first.isdecimal() else first
    if language == "ko":
        what, sample = code_span(what) if reason in _QUOTED else what, code_span(sample)
    return TEXTS(reason, language, what=what, sample=sample, own=OWN_PYTHON)
