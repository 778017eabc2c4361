"""Read the tables, columns and rows of a DDL file that is under review."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from minerva_governance.core.detection.detector import find
from minerva_governance.core.reading.declaration import Schema, SchemaColumn, SchemaTable
from minerva_governance.core.reading.problem import Problem
from minerva_governance.core.reading.source_files import Source
from minerva_governance.core.tables.data_table import ByRows, Omissions, Row
from minerva_platform.text import Language
from minerva_reading import LITERALS, Cells, read_schema, read_text

MAX_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True)
class ScriptRows(ByRows):
    """The rows that a script puts into one table, as a table of data (`DataTable`)."""

    source: Source
    table: str
    columns: Sequence[str]
    numbered_cells: Sequence[tuple[int, Cells]]
    """Each row's line in the script, which is its number, and its cells."""
    unnamed_columns: frozenset[str] = frozenset({LITERALS})
    has_header: bool = True

    @property
    def name(self) -> str:
        """The file's name and the table's: `dump.sql.patient`."""
        return f"{self.source.name}.{self.table}" if self.table else self.source.name

    def rows(self, omissions: Omissions) -> Iterator[Row]:
        """Give the rows; none was left out."""
        del omissions
        return (Row(line, cells) for line, cells in self.numbered_cells)


def read_schema_and_rows(
    source: Source, *, language: Language
) -> tuple[Schema, Sequence[ScriptRows]]:
    """Return what the DDL file declares, and the rows that it puts into tables.

    The rows hold people's data: nobody keeps or shows them.

    Raises:
        UnreadableError: it cannot be opened, is too large, or is no text.
    """
    text = read_text(source.path, max_bytes=MAX_BYTES, takes_utf_16=True).text
    script = read_schema(text, with_rows=True, is_wanted=find, language=language)
    schema = Schema(
        source=source.name,
        columns=tuple(SchemaColumn(**one._asdict()) for one in script.columns),
        tables=tuple(SchemaTable(**one._asdict()) for one in script.tables),
        problems=tuple(
            Problem(file=source.name, line=fault.line, message=fault.error)
            for fault in script.faults
        ),
    )
    rows = [ScriptRows(source, each.table, each.columns, each.rows) for each in script.rows]
    return schema, rows
