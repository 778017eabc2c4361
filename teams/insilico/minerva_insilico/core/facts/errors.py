"""Errors of the core. Each says in Korean and English what to do next.

```text
CoreError
├── UnreadableRootError     the tree cannot be indexed at all
├── UnreadableSourceError   one file cannot be read; the others can
├── UnparsedSourceError     one file that is asked about gave no facts
├── UnusableIndexError      the database is missing, foreign or damaged
├── UnwritableIndexError    there is no place to put it
├── UnknownNameError        nothing in the tree has the name that is asked about
├── WrongQueryError         a pattern that nothing can be searched with
└── MissingExtraError       a library that is not installed
```
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from minerva_insilico.core.facts.unread import unread_text
from minerva_insilico.core.parsing.encoding import well_formed
from minerva_insilico.core.parsing.parse_failure import Reason, error_text
from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_insilico.core.facts", "errors")

RootFault = Literal["missing", "not_directory", "not_text", "unreadable"]
IndexFault = Literal["missing", "unopened", "damaged", "format"]
NameKind = Literal["field", "file", "module", "name", "symbol"]

_MAX_CHARACTERS = 80
"""Characters of a name or a pattern that an error quotes."""


class CoreError(Exception):
    """The core refuses something. The text says what to do next."""

    def __init__(self) -> None:
        super().__init__(self.text("en"))

    def text(self, language: Language) -> str:
        """Return the fault and what to do next."""
        raise NotImplementedError


class UnreadableRootError(CoreError):
    """The root of a source tree is not a directory that can be listed."""

    def __init__(self, root: Path, fault: RootFault, details: Sequence[str] = ()) -> None:
        """Take the fault. `details` are the system's reason, or folders of similar names."""
        self.root, self.fault, self.details = root, fault, tuple(details)
        super().__init__()

    def text(self, language: Language) -> str:  # noqa: D102  # as above
        fault = TEXTS(f"root.{self.fault}", language)
        if self.fault == "missing" and self.details:
            fault = TEXTS("root.nearest", language, fault=fault, names=_quote_names(self.details))
        elif self.details and self.details[0]:
            fault = TEXTS("root.because", language, fault=fault, reason=self.details[0])
        name = well_formed(str(self.root)).replace("\0", "\\0")
        return TEXTS("root.text", language, name=name, fault=fault)


class UnreadableSourceError(CoreError):
    """A file inside the root is not one that may be read."""

    def __init__(self, path: str, reason: str) -> None:
        """Take a reason of `unread.Unread`, or the system's."""
        self.path, self.reason = path, reason
        super().__init__()

    def text(self, language: Language) -> str:  # noqa: D102  # as above
        reason = unread_text(self.reason, language)
        return TEXTS("source", language, path=self.path, reason=reason)


class UnparsedSourceError(CoreError):
    """A file that is asked about gave no facts."""

    def __init__(self, path: str, reason: Reason, detail: str) -> None:
        """Take the reason with its detail, as an index keeps them."""
        self.path, self.detail = path, detail
        self.reason: Reason = reason
        super().__init__()

    def text(self, language: Language) -> str:  # noqa: D102  # as above
        reason = error_text(self.reason, self.detail, language)
        return TEXTS("unparsed", language, path=self.path, reason=reason)


class UnusableIndexError(CoreError):
    """The database of an index cannot be queried."""

    def __init__(self, database: Path, fault: IndexFault, detail: str = "") -> None:
        """Take the fault. `detail` is SQLite's message, or the format that was found."""
        self.database, self.fault, self.detail = database, fault, detail
        super().__init__()

    def text(self, language: Language) -> str:  # noqa: D102  # as above
        fault = TEXTS(f"index.{self.fault}", language, detail=self.detail)
        return TEXTS("index.text", language, database=self.database, fault=fault)


class UnknownNameError(CoreError):
    """Nothing in the tree has the name in question."""

    def __init__(self, kind: NameKind, name: str, nearest: Sequence[str] = ()) -> None:
        self.kind, self.name, self.nearest = kind, name, tuple(nearest)
        super().__init__()

    def text(self, language: Language) -> str:  # noqa: D102  # as above
        shown = " ".join(well_formed(self.name).split())[:_MAX_CHARACTERS]
        said = TEXTS(f"unknown.{self.kind}", language, name=shown)
        if self.nearest:
            return f"{said} {TEXTS('unknown.nearest', language, names=_quote_names(self.nearest))}"
        return f"{said} {TEXTS('unknown.none_near', language)}"


class WrongQueryError(CoreError):
    """A pattern cannot be searched for."""

    def __init__(self, query: str, reason: str) -> None:
        self.query, self.reason = query, reason
        super().__init__()

    def text(self, language: Language) -> str:  # noqa: D102  # as above
        shown = self.query[:_MAX_CHARACTERS]
        return TEXTS("query", language, query=shown, reason=self.reason)


class MissingExtraError(CoreError):
    """A request needs a library that is not installed."""

    def __init__(self, command: str) -> None:
        """Take the command that installs it."""
        self.command = command
        super().__init__()

    def text(self, language: Language) -> str:  # noqa: D102  # as above
        return TEXTS("extra", language, command=self.command)


class UnwritableIndexError(CoreError):
    """The index cannot be written."""

    def __init__(self, database: Path, reason: str) -> None:
        self.database, self.reason = database, reason
        super().__init__()

    def text(self, language: Language) -> str:  # noqa: D102  # as above
        return TEXTS("unwritable", language, database=self.database, reason=self.reason)


def _quote_names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
