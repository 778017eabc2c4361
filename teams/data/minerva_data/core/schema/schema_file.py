"""Read the columns of a schema file that want their standard names."""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from minerva_data.core.schema.record import Item, ReadAs, Unparsed
from minerva_data.core.schema.tied_item import tied_items
from minerva_reading import (
    FileFault,
    SchemaFault,
    check_encoding,
    encoding_of,
    read_schema as read_declarations,
    read_ties,
)

MAX_CHARACTERS = 20_000_000
"""Characters of a schema file that are read; a larger file is refused."""

_LETTERS = re.compile(r"[A-Za-z]{2}")

Unreadable = Literal["not_opened", "too_large", "encoding", "damaged", "old_workbook"]
"""Why nothing of a file can be read."""


class SchemaError(Exception):
    """A schema file cannot be read at all; says what to do. `reason` is the cause alone."""

    def __init__(self, message: str, *, reason: Unreadable) -> None:
        super().__init__(message)
        self.reason: Unreadable = reason


@dataclass(slots=True)
class Schema:
    """The columns of the tables, in order, and what could not be read.

    `duplicates` are tables and columns defined twice, the later ones of which are not used.
    `tables` are the columns' keys by the key of their table.
    """

    dialect: str
    dialect_reason: str = ""
    other_dialects: tuple[str, ...] = ()
    encoding: str = ""
    columns: list[Item] = field(default_factory=list[Item])
    problems: list[Unparsed] = field(default_factory=list[Unparsed])
    duplicates: list[Unparsed] = field(default_factory=list[Unparsed])
    tables: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])

    def read_as(self, file: str) -> ReadAs:
        """Return how the file of this name is read."""
        return ReadAs(
            file=file,
            encoding=self.encoding,
            dialect=self.dialect,
            dialect_reason=self.dialect_reason,
            other_dialects=self.other_dialects,
        )


def read_schema_file(
    path: Path, *, dialect: str | None = None, encoding: str | None = None
) -> Schema:
    """Return the schema in a file, in whichever encoding it is if that is not given.

    Raises:
        SchemaError: the file is missing, empty, too large, or in no encoding that is known here.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        message = f"{path.name} cannot be read ({error.strerror}). Attach a readable file."
        raise SchemaError(message, reason="not_opened") from error
    if len(content) > MAX_CHARACTERS:
        message = f"{path.name} has {len(content)} bytes; split it below {MAX_CHARACTERS}."
        raise SchemaError(message, reason="too_large")
    text, encoding = _decode(content, path.name, encoding)
    schema = read_schema(text, file=path.name, dialect=dialect)
    schema.encoding = encoding
    return schema


def _decode(content: bytes, name: str, encoding: str | None) -> tuple[str, str]:
    """Return a file's text with plain ends of lines, and its encoding; SQL Server saves UTF-16."""
    try:
        if encoding:
            check_encoding(content, encoding, name=name)
        encoding = encoding or encoding_of(io.BytesIO(content), name=name)
        text = content.decode(encoding)
        why = "" if encoding != "utf-16" or _LETTERS.search(text) else f"{name}: UTF-16 of no text"
    except FileFault as error:
        text, why, encoding = "", str(error), ""
    if why:
        message = f"{name} is neither UTF-8 nor cp949. Save it as UTF-8 and attach it again. {why}"
        raise SchemaError(message, reason="encoding")
    return text.replace("\r\n", "\n").replace("\r", "\n"), encoding


def read_schema(sql: str, *, file: str = "schema.sql", dialect: str | None = None) -> Schema:
    """Return the columns that `sql` creates, with their comments; the dialect is found by marks."""
    schema = read_declarations(sql, dialect=dialect)
    said: dict[str, Any] = {
        "dialect": schema.dialect,
        "dialect_reason": schema.dialect_reason,
        "other_dialects": schema.other_dialects,
    }
    items = [Item(**one._asdict(), **said) for one in schema.columns]
    columns = tied_items(items, read_ties(sql, schema), file)
    tables = {table.key: table.column_keys for table in schema.tables}
    problems, duplicates = _problems(schema.faults, file), _problems(schema.duplicates, file)
    duplicates = [one.model_copy(update={"is_loss": False}) for one in duplicates]
    return Schema(**said, columns=columns, problems=problems, duplicates=duplicates, tables=tables)


def _problems(faults: Sequence[SchemaFault], file: str) -> list[Unparsed]:
    return [Unparsed(**one._asdict(), file=file) for one in faults]
