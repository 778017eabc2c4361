"""Whether a database has the tables of this version, and how it gets them.

Alembic is imported only where tables of an earlier version are changed: it costs 0.08 s of CPU.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from minerva_platform.errors import StateError
from minerva_platform.storage.ledger.schema import SCHEMA, found_schema, make_tables

if TYPE_CHECKING:
    from minerva_platform.storage.engine.location import Place


def is_ready(connection: Connection) -> bool | None:
    """True if the tables are this version's, False if they are an earlier one's or a later one's.

    None means that there are none.
    """
    found = found_schema(connection)
    return None if found is None else found == SCHEMA


def make_ready(connection: Connection, place: "Place") -> Path | None:
    """Make the tables, or change an earlier version's, in the transaction that is open.

    A SQLite database is copied first. The copy's path is returned, to be removed once the
    transaction is in the database.

    Raises:
        StateError: a later version wrote the database.
    """
    found = found_schema(connection)
    if found == SCHEMA:
        return None
    if found is None:
        make_tables(connection)
        return None
    if found > SCHEMA:
        reason = (
            f"was written by a later MINERVA (schema {found}, this one knows {SCHEMA}). "
            "Install that version, or set MINERVA_HOME to a folder of its own."
        )
        raise StateError(place, reason)
    from minerva_platform.storage.migrations.upgrade import kept_copy, upgrade  # noqa: PLC0415  # see above

    copy = kept_copy(place) if isinstance(place, Path) else None
    upgrade(connection)
    return copy
