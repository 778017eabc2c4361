"""Read JSON as rows: one object a line (JSON lines), or a list of objects in one document.

Objects inside objects become columns of their own (`device.owner`), lists are read item by item
under their column. Columns are known only when the rows are read.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, cast

from minerva_governance.core.reading.source_files import Source
from minerva_governance.core.tables.data_table import (
    MAX_CELL_CHARACTERS,
    MIB,
    ByRows,
    Omissions,
    Row,
)
from minerva_reading import UnreadableError, not_opened, read_text

MAX_LINE_BYTES: Final = MIB
MAX_DOCUMENT_BYTES: Final = 32 * MIB
"""A document is read whole, so memory bounds it."""
MAX_DEPTH: Final = 20
"""Of objects inside objects; deeper ones count as rows that are too long."""
_VALUE: Final = "value"
"""The column of what is no object."""
_LINES: Final = frozenset({".jsonl", ".ndjson"})


@dataclass(frozen=True)
class JsonFile(ByRows):
    """A file of JSON; `columns` are those that the first rows have."""

    source: Source
    columns: tuple[str, ...] = ()
    unnamed_columns: frozenset[str] = frozenset({_VALUE})
    has_header: bool = True

    @property
    def name(self) -> str:
        """The file's own name: it holds one table."""
        return self.source.name

    def rows(self, omissions: Omissions) -> Iterator[Row]:
        """Give all rows; a line that is no JSON is a row of one cell."""
        items = (
            self._lines(omissions)
            if self.source.path.suffix.casefold() in _LINES
            else iter(_document(self.source))
        )
        for number, item in enumerate(items, 1):
            try:
                cells = list(json_cells(item, ""))
            except RecursionError:
                omissions.long_rows += 1
                continue
            if any(len(cell) > MAX_CELL_CHARACTERS for _, cell in cells):
                omissions.long_rows += 1
            else:
                yield Row(number, cells)

    def _lines(self, omissions: Omissions) -> Iterator[Any]:
        try:
            with self.source.path.open("rb") as stream:
                while line := stream.readline(MAX_LINE_BYTES):
                    if len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
                        omissions.long_rows += 1
                        while (rest := stream.readline(MIB)) and not rest.endswith(b"\n"):
                            pass
                    elif line.strip():
                        yield _line_to_item(line, omissions)
        except OSError as error:
            raise not_opened(error) from None


def open_json_file(source: Source) -> JsonFile:
    """Return the file, after a look at its first row.

    Raises:
        UnreadableError: empty, not a file, or no JSON.
    """
    omissions = Omissions()
    first = next(JsonFile(source).rows(omissions), None)
    if first is None:
        raise UnreadableError(reason="empty" if not omissions.long_rows else "no_json")
    if omissions.broken_rows or omissions.undecodable:
        raise UnreadableError(reason="no_json")
    columns = tuple(dict.fromkeys(name for name, _ in first.cells))
    return JsonFile(source, columns)


def _line_to_item(line: bytes, omissions: Omissions) -> Any:
    text = line.decode("utf-8-sig", "replace")
    omissions.undecodable += "\ufffd" in text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        omissions.broken_rows += 1
        return text


def _document(source: Source) -> list[object]:
    text = read_text(source.path, max_bytes=MAX_DOCUMENT_BYTES).text
    if not text.strip():
        return []
    try:
        data: Any = json.loads(text)
    except UnicodeDecodeError:
        raise UnreadableError(reason="encoding") from None
    except (ValueError, RecursionError):  # its text quotes the content
        raise UnreadableError(reason="no_json") from None
    return cast("list[object]", data) if isinstance(data, list) else [data]


def json_cells(value: Any, name: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Give the name of the column and the text of each value inside `value`."""
    if depth > MAX_DEPTH:
        raise RecursionError
    if isinstance(value, dict):
        for key, inner in cast("dict[str, object]", value).items():
            yield from json_cells(inner, f"{name}.{key}" if name else key, depth + 1)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from json_cells(inner, name, depth + 1)
    elif value is not None:
        yield name or _VALUE, str(value)
