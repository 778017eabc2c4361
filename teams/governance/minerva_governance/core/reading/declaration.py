"""Tables and columns as a file declares them: DDL, a data contract, a list of dbt models."""

from pydantic import BaseModel

from minerva_governance.core.reading.problem import Problem


class SchemaTable(BaseModel, frozen=True):
    """A table as the schema declares it."""

    name: str
    comment: str = ""
    line: int
    tags: tuple[str, ...] = ()
    """What the organisation says of it, in its own words; the classification is one of them."""
    classification: str = ""
    retention_days: int | None = None
    """How long the declaration says that rows are kept (a year is 365 days, a month 30)."""
    retention_quote: str = ""
    """The words that say so."""


class SchemaColumn(BaseModel, frozen=True):
    """A column as the schema declares it."""

    table: str
    name: str
    data_type: str
    comment: str = ""
    line: int
    tags: tuple[str, ...] = ()
    """What the organisation says of it, in its own words; the classification is one of them."""
    classification: str = ""
    declared_encrypted: bool | None = None
    """What the declaration says, in a field of its own; None where it says nothing."""


class Schema(BaseModel, frozen=True):
    """What a file declares, and what of it could not be read."""

    source: str
    """The file, named relative to the input."""
    columns: tuple[SchemaColumn, ...] = ()
    tables: tuple[SchemaTable, ...] = ()
    problems: tuple[Problem, ...] = ()
