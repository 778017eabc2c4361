"""Words for people in both languages of MINERVA, and what is odd in a file."""

from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

Language = Literal["ko", "en"]


class Wording(NamedTuple):
    """The same sentence in Korean and in English."""

    ko: str
    en: str

    def said_in(self, language: Language) -> str:
        """Return the sentence in `language`."""
        return self.ko if language == "ko" else self.en


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
    """A file that cannot be read; the reason holds none of its content."""

    def __init__(self, reason: Wording) -> None:
        self.reason = reason
        super().__init__(reason.en)
