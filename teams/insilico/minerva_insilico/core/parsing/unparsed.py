"""Why a source gave no facts, as a reason with its detail: words are made of it elsewhere.

A reason in `LIMITS` says nothing about the source but that it took more than it may, so an answer
without the file is incomplete.
"""

import sys
from typing import Final, Literal

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


_TEXTS: Final[dict[Reason, str]] = {
    "crash": "ParserCrash: the parsing process ended with code {0}",
    "files": "the tree has more than {0} sources",
    "memory": "MemoryError: it takes more than {0} bytes to parse",
    "newer_python": (
        "SyntaxError: it needs Python {0} or newer for `{1}`; it was read with Python {own}"
    ),
    "python_2": "SyntaxError: it is written for Python 2, as `{0}` shows",
    "size": "it is larger than {0} bytes",
    "storage": "UnstorableFacts: {0}",
    "syntax": "{0}",
    "time": "TimeoutError: not parsed within {0} s of CPU time",
    "tree_time": "TimeoutError: the {0} s of CPU time for the tree are used up",
}
_QUOTED: Final[frozenset[Reason]] = frozenset({"python_2", "storage", "syntax"})


def error_text(reason: Reason, detail: str) -> str:
    """Return what is wrong with a source, as one English clause.

    Args:
        reason: Why it gave no facts.
        detail: Seconds, bytes, an exit code, `VERSION SAMPLE`, or what the interpreter said.
    """
    return _TEXTS[reason].format(*parts_of(reason, detail), own=OWN_PYTHON)


def parts_of(reason: Reason, detail: str) -> tuple[str, ...]:
    """Return what a sentence about a reason quotes: a number, a version and a sample, a text."""
    if reason in _QUOTED:
        return (detail,)
    first, _, sample = detail.partition(" ")
    return (f"{int(first):,}" if first.isdecimal() else first, sample)
