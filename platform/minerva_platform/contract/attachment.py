"""Files and folders that come with a request, and what workers did with them."""

from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Literal

from pydantic import model_validator

from minerva_platform.contract.values import Frozen
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.contract", "attachment")

DIRECTORY = "dir"
"""The pattern that matches a directory instead of a file name."""


class AttachmentPattern:
    """The file names (or `"dir"`) that an Input field of type `Attachment` takes."""

    def __init__(self, patterns: tuple[str, ...]) -> None:
        self.patterns = patterns

    def takes(self, attachment: "Attachment") -> bool:
        """True if `attachment` may be bound; names are compared without case."""
        if attachment.is_dir:
            return DIRECTORY in self.patterns
        name = attachment.name.casefold()
        return any(fnmatch(name, p.casefold()) for p in self.patterns if p != DIRECTORY)

    def __str__(self) -> str:
        """Return the patterns as an English list."""
        return self.told("en")

    def told(self, language: Language) -> str:
        """Return the patterns as a list in `language`."""
        return TEXTS("or", language).join(
            TEXTS("directory", language)
            if pattern == DIRECTORY
            else TEXTS("file", language, pattern=pattern)
            for pattern in self.patterns
        )


class Attachment(Frozen):
    """A file or directory that came with a request. It validates from a plain path."""

    path: Path

    @model_validator(mode="before")
    @classmethod
    def _from_path(cls, value: Any) -> Any:
        return {"path": value} if isinstance(value, str | Path) else value

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.name

    @property
    def is_dir(self) -> bool:
        """True if the path is a directory now."""
        return self.path.is_dir()

    @staticmethod
    def of(*patterns: str) -> AttachmentPattern:
        """Return the pattern of an `Annotated` field: file names, or `"dir"` for a directory."""
        return AttachmentPattern(patterns)


FileStatus = Literal["used", "unreadable", "not_understood"]
"""What a worker did with an attached file."""


class AttachmentUse(Frozen):
    """What a worker did with an attached file.

    `name` is the name of the attached path, or a path relative to the attached directory.
    `reason` is one short clause in the language of the run; empty if the file was used.
    """

    name: str
    status: FileStatus
    reason: str = ""
    must_mend: bool = False
    """True if the answer is incomplete until the person mends the file. The command then ends with
    2."""


class FileReport(AttachmentUse):
    """The report of an attached file inside a run."""

    silent: str = ""
    """The member that was given the file and reported nothing about it. Empty if a member did
    report."""
