"""Read what SQL declares, by the reader of columns or by the one of rows."""

from collections.abc import Callable

from minerva_platform.text import Language
from minerva_reading.ddl.reader import read_columns
from minerva_reading.schema import Schema
from minerva_reading.scripts.reader import read_script


def read_schema(
    sql: str,
    *,
    dialect: str | None = None,
    with_rows: bool = False,
    is_wanted: Callable[[str], object] = bool,
    language: Language = "en",
) -> Schema:
    """Return what the statements of `sql` declare, and the rows that they insert if `with_rows`.

    Without rows the words of a definition are read in one dialect, found by marks if it is not
    given: an unknown clause, a missing `;` or an open quotation mark costs its statement at most.
    With rows each statement is parsed, in five dialects in turn: whatever may hold a column or a
    value and is not understood is a fault, told in `language`, and a value that stands in no row
    counts if it `is_wanted`. The rows hold what the file holds; faults hold none of it.
    """
    if with_rows:
        return read_script(sql, is_wanted=is_wanted, language=language)
    return read_columns(sql, dialect=dialect)
