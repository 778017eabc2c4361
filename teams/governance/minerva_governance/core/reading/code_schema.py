"""Schemas that the models of an application declare, as a schema file would.

A model that stands for a table (Django, SQLAlchemy, SQLModel) gives all its fields. A class that
only carries values (Pydantic, dataclass, attrs, TypedDict) gives the fields that no table has: the
others are copies, and to count them again would say that data lies where it does not.
"""

from collections.abc import Collection, Iterable, Sequence

from pydantic import BaseModel

from minerva_governance.core.reading.declaration import Schema, SchemaColumn, SchemaTable

_STORED = frozenset({"django", "sqlalchemy", "sqlmodel"})


class ModelField(BaseModel, frozen=True, extra="ignore"):
    """A field of a model in code, as far as a review reads it."""

    model: str
    field: str
    path: str
    line: int
    framework: str = ""
    type: str = ""
    table: str = ""
    column: str = ""
    label: str = ""
    comment: str = ""
    encrypted: bool = False

    @property
    def is_stored(self) -> bool:
        """True if the model is a table of a database."""
        return self.framework in _STORED

    @property
    def target_table(self) -> str:
        """The table that the code names, else the model: a framework's name is not guessed."""
        return self.table or self.model


def code_schemas(fields: Sequence[ModelField], *, column_names: Collection[str]) -> list[Schema]:
    """Return one schema a file; `column_names` are those of other schemas, in small letters."""
    stored = [one for one in fields if one.is_stored]
    names = {name for one in stored for name in (one.field.casefold(), one.column.casefold())}
    covered = names | set(column_names)
    carried = [one for one in fields if not one.is_stored and one.field.casefold() not in covered]
    by_file: dict[str, list[ModelField]] = {}
    for one in (*stored, *carried):
        by_file.setdefault(one.path, []).append(one)
    return [_schema(path, of_file) for path, of_file in sorted(by_file.items())]


def _schema(path: str, fields: Iterable[ModelField]) -> Schema:
    tables: dict[str, SchemaTable] = {}
    columns: dict[tuple[str, str], SchemaColumn] = {}
    for one in fields:
        table = one.target_table
        tables.setdefault(table, SchemaTable(name=table, line=one.line))
        key = (table, (one.column or one.field).casefold())
        columns.setdefault(
            key,
            SchemaColumn(
                table=table,
                name=one.column or one.field,
                data_type=one.type,
                comment=", ".join(dict.fromkeys(filter(None, (one.label, one.comment)))),
                line=one.line,
                declared_encrypted=True if one.encrypted else None,
            ),
        )
    return Schema(source=path, columns=tuple(columns.values()), tables=tuple(tables.values()))
