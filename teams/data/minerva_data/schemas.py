"""Read the schemas that came with a request, each table once."""

from minerva_data.core.ddl import SchemaError, read_schema_file
from minerva_data.core.record import Item, Unparsed
from minerva_platform import Attachment

_FILE_FAILED = "-"


def read_schemas(
    schemas: tuple[Attachment, ...],
) -> tuple[tuple[Item, ...], tuple[Unparsed, ...]]:
    """Return the columns of all files, each table once, and what could not be read."""
    columns: list[Item] = []
    unparsed: list[Unparsed] = []
    tables: dict[str, str] = {}
    for attachment in schemas:
        name = attachment.name
        try:
            schema = read_schema_file(attachment.path)
        except SchemaError as error:
            unparsed.append(Unparsed(file=name, line=1, error=str(error), statement=_FILE_FAILED))
            continue
        unparsed += [*schema.unparsed, *schema.duplicates]
        for table in schema.tables:
            first = tables.setdefault(table, name)
            if first != name:
                error_text = f"table {table} is in {first} too; that one is used"
                unparsed.append(Unparsed(file=name, line=1, error=error_text, statement=table))
        columns += [column for column in schema.columns if tables[column.table_key] == name]
    return tuple(columns), tuple(unparsed)
