"""Files and folders that come with a request, and what workers did with them."""

import re
from fnmatch import fnmatch
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, field_serializer, field_validator, model_validator

from minerva_platform.contract.values import Frozen
from minerva_platform.text.language import Language
from minerva_platform.text.personal_data import masked, masked_name, masked_path, real_path
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.contract", "attachment")

UPLOADS: Final = "uploads"
"""The folder with copies of uploaded files, each in a folder named by its sha-256. It lies in the
home, or elsewhere if that is encrypted (`storage.files.plain_folder`)."""
SHA256: Final = re.compile(r"[0-9a-f]{64}")

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
        return self.describe("en")

    def describe(self, language: Language) -> str:
        """Return the patterns as a list in `language`."""
        return TEXTS("or", language).join(
            TEXTS("directory", language)
            if pattern == DIRECTORY
            else TEXTS("file", language, pattern=pattern)
            for pattern in self.patterns
        )


class Attachment(Frozen):
    """A file or directory that came with a request. It validates from a plain path.

    `path` opens it, and `name` is shown. Whatever is kept or sent holds the path with the values of
    persons masked; whoever reads that finds the file where it lies.
    """

    path: Path

    @field_validator("path")
    @classmethod
    def _real(cls, path: Path) -> Path:
        return real_path(path) if masked_name(str(path)) == str(path) else path

    @field_serializer("path")
    def _mask_path(self, path: Path) -> Path:
        return masked_path(path)

    @model_validator(mode="before")
    @classmethod
    def _from_path(cls, value: Any) -> Any:
        return {"path": value} if isinstance(value, str | Path) else value

    @property
    def name(self) -> str:
        """The last part of the path, masked: what is shown."""
        return masked_name(self.path.name)

    @property
    def is_dir(self) -> bool:
        """True if the path is a directory now."""
        return self.path.is_dir()

    @property
    def upload_key(self) -> tuple[str, str] | None:
        """The sha-256 and the name of an uploaded file, by where its copy lies; None of others."""
        folder = self.path.parent
        is_copy = folder.parent.name == UPLOADS and SHA256.fullmatch(folder.name) is not None
        return (folder.name, self.path.name) if is_copy else None

    def in_home(self, home: Path) -> "Attachment":
        """Return an uploaded file with the path of its copy below `home`, if it is there.

        A run that was accepted in another home names the copy there. Any other file is returned as
        it is.
        """
        found = self.upload_key
        if found is None:
            return self
        copy = home.absolute() / UPLOADS / found[0] / found[1]
        return Attachment(path=copy) if copy != self.path and copy.is_file() else self

    @staticmethod
    def of(*patterns: str) -> AttachmentPattern:
        """Return the pattern of an `Annotated` field: file names, or `"dir"` for a directory."""
        return AttachmentPattern(patterns)


FileStatus = Literal["used", "unreadable", "not_understood"]
"""What a worker did with an attached file."""


class AttachmentUse(Frozen):
    """What a worker did with an attached file.

    `name` is the name of the attached path, or a path relative to the attached directory. Values of
    persons in it are masked.
    `reason` is one short clause in the language of the run; empty if the file was used.
    """

    name: Annotated[str, AfterValidator(masked_name)]
    status: FileStatus
    reason: Annotated[str, AfterValidator(masked)] = ""
    must_mend: bool = False
    """True if the answer is incomplete until the person mends the file. The command then ends with
    2."""


class FileReport(AttachmentUse):
    """The report of an attached file inside a run."""

    silent: str = ""
    """The member that was given the file and reported nothing about it. Empty if a member did
    report."""
