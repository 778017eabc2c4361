"""What is odd in a file, and why one cannot be read."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_governance.core.reading", "reading")


class Problem(BaseModel):
    """Something odd in a file that does not stop the work."""

    model_config = ConfigDict(frozen=True)

    file: str
    line: int = 1
    message: str

    def __str__(self) -> str:
        """Return `file:line: message`, as editors understand it."""
        return f"{self.file}:{self.line}: {self.message}"


class UnreadableError(Exception):
    """A file that cannot be read; the reason holds none of its content.

    `reason` is a text of `texts/reading.toml` below `unreadable`: a reader of files does not know
    in which language the person asked.
    """

    def __init__(self, *, reason: str, **values: object) -> None:
        self.reason = reason
        self.values: Mapping[str, Any] = values
        super().__init__(self.told("en"))

    def told(self, language: Language) -> str:
        """Return the reason as a sentence."""
        return TEXTS(f"unreadable.{self.reason}", language, **self.values)


def not_opened(error: OSError) -> UnreadableError:
    """Return why a file could not be opened, without its path."""
    kind = type(error).__name__
    if TEXTS.has(f"unreadable.{kind}"):
        return UnreadableError(reason=kind)
    return UnreadableError(reason="not_opened", cause=error.strerror or kind)
