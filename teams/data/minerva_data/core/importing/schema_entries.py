"""Read terms from a schema: a column is a physical name, its comment the name in words."""

from collections.abc import Iterator
from pathlib import Path

from minerva_data.core.glossary.draft import Place, Reading
from minerva_data.core.importing.fields import RowError, term_draft
from minerva_data.core.language.text import headline
from minerva_data.core.schema.record import Item
from minerva_data.core.schema.schema_file import SchemaError, read_schema_file
from minerva_reading import FileFault

_NO_NAME = "has no comment that says its name in words"


def read_ddl(path: Path) -> Iterator[Reading]:
    """Yield the columns of a schema in Oracle's, MySQL's or PostgreSQL's SQL.

    Raises:
        FileFault: the file cannot be read, or creates no table.
    """
    try:
        schema = read_schema_file(path)
    except SchemaError as error:
        raise FileFault(str(error)) from error
    if not schema.columns and not schema.problems:
        message = f"{path.name} creates no table. Give the DDL: CREATE TABLE …, with comments."
        raise FileFault(message)
    for column in schema.columns:
        yield column_to_reading(column, Place(column.line or 1, column.table or ""))
    for problem in (*schema.problems, *schema.duplicates):
        yield Reading(Place(problem.line), reason=f"{problem.error}: {problem.statement}")


def column_to_reading(column: Item, place: Place) -> Reading:
    """Return a column as a term, or why it is none. Its type stands for a domain."""
    name = headline(column.comment or "")
    if not name:
        return Reading(place, reason=f"`{column.name}` {_NO_NAME}")
    fields = {"name": name, "physical_name": column.name, "domain": column.data_type or ""}
    try:
        return Reading(place, (term_draft(fields, place),))
    except RowError as error:
        return Reading(place, reason=str(error))
