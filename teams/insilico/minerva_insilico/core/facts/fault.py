"""Errors of the core.

```text
CoreError
├── UnreadableRootError     the tree cannot be indexed at all
├── UnreadableSourceError   one file cannot be read; the others can
├── UnusableIndexError      the database is missing, foreign or damaged
├── UnwritableIndexError    there is no place to put it
├── WrongQueryError         a pattern that nothing can be searched with
└── MissingExtraError       a library that is not installed
```
"""

from pathlib import Path


class CoreError(Exception):
    """Something the core refuses; its text says what to do next."""


class UnreadableRootError(CoreError):
    """The root of a source tree is not a directory that can be listed."""

    def __init__(self, root: Path, reason: str) -> None:
        self.root, self.reason = root, reason
        super().__init__(f"`{root}` {reason}; give the directory that holds the Python sources.")


class UnreadableSourceError(CoreError):
    """A file inside the root is not one that may be read."""

    def __init__(self, path: str, reason: str) -> None:
        self.path, self.reason = path, reason
        super().__init__(f"`{path}` is not read: {reason}.")


class UnusableIndexError(CoreError):
    """The database of an index cannot be queried."""

    def __init__(self, database: Path, reason: str) -> None:
        self.database, self.reason = database, reason
        super().__init__(
            f"The index `{database}` {reason}; index the directory again with `ast_parser_agent`."
        )


class WrongQueryError(CoreError):
    """A pattern cannot be searched for."""

    def __init__(self, query: str, reason: str) -> None:
        self.query, self.reason = query, reason
        super().__init__(f"The pattern `{query[:80]}` cannot be searched for: {reason}.")


class MissingExtraError(CoreError):
    """What is asked for needs a library that is not installed."""

    def __init__(self, what: str, command: str) -> None:
        self.what, self.command = what, command
        super().__init__(f"{what} needs a library that is not installed. Type: {command}")


class UnwritableIndexError(CoreError):
    """The index cannot be written."""

    def __init__(self, database: Path, reason: str) -> None:
        self.database, self.reason = database, reason
        super().__init__(
            f"The index `{database}` cannot be written ({reason}); set MINERVA_HOME to a folder"
            " with room that you may write to."
        )
