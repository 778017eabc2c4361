"""Why a file was not read, and how that is said."""

from dataclasses import dataclass
from typing import Final, Literal

from minerva_platform.text import Language, code_span, read_texts

TEXTS = read_texts("minerva_insilico.core.facts", "unread")

MAX_BYTES: Final = 8 * 1024 * 1024
"""A source file larger than this is skipped: people do not write 8 MiB of Python."""
MAX_FILES: Final = 50_000
"""Sources of one tree beyond these are skipped, and every answer says so first."""

Unread = Literal[
    "changed",
    "link",
    "not_regular",
    "not_text_name",
    "outside",
    "too_large",
    "too_many",
    "wrong_rule",
]
"""Reasons of the tree's boundary to leave a file out. Other reasons are the system's words."""


@dataclass(frozen=True)
class Skipped:
    """A file or directory that was not read, and why."""

    path: str
    reason: Unread | str
    """`link` …, or what the system said: `Permission denied`."""

    @property
    def error(self) -> str:
        """Why, as an English clause."""
        return unread_text(self.reason, "en")


def unread_text(reason: Unread | str, language: Language) -> str:
    """Return why a file was not read, as a clause."""
    if TEXTS.has(reason):
        return TEXTS(reason, language, max_bytes=MAX_BYTES, max_files=MAX_FILES)
    quoted = code_span(reason) if language == "ko" else reason
    return TEXTS("other", language, reason=quoted)
