"""Why a file cannot be read, told in the language of whoever asks."""

from collections.abc import Mapping
from typing import Any

from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_reading", "unreadable")


class UnreadableError(Exception):
    """A file that cannot be read; the reason holds none of its content.

    `reason` is a text of `texts/unreadable.toml`: a reader of files does not know in which language
    the person asked. Reasons of readers outside this package stand there, too.
    """

    def __init__(self, *, reason: str, **values: object) -> None:
        self.reason = reason
        self.values: Mapping[str, Any] = values
        super().__init__(self.describe("en"))

    def describe(self, language: Language) -> str:
        """Return the reason as a sentence."""
        return TEXTS(self.reason, language, **self.values)


class FileFault(Exception):  # noqa: N818  # the file's fault; a row's is a reason in a report
    """A file cannot be read at all; says in English where it is wrong and what to do."""


def not_opened(error: OSError) -> UnreadableError:
    """Return why a file could not be opened, without its path."""
    kind = type(error).__name__
    if TEXTS.has(kind):
        return UnreadableError(reason=kind)
    return UnreadableError(reason="not_opened", cause=error.strerror or kind)
