"""Change the tables of an earlier version, in the transaction that the caller holds open."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from alembic.command import upgrade as run_upgrade
from alembic.config import Config
from sqlalchemy import Connection

from minerva_platform.storage.ledger.schema import SCHEMA

_HERE: Final = Path(__file__).parent


def upgrade(connection: Connection, number: str = SCHEMA) -> None:
    """Change the tables until they are those of `number`."""
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(_HERE).replace("%", "%%"))
    run_upgrade(config, number)


def kept_copy(path: Path) -> Path:
    """Copy a SQLite database as it is before the change, for its owner alone.

    A connection in a transaction cannot be copied from, so another one reads what is committed.
    The copy has its name once it is whole.
    """
    copy = path.with_name(f"{path.stem}.before-{SCHEMA}{path.suffix}")
    part = copy.with_name(f"{copy.name}.part")
    os.close(os.open(part, os.O_CREAT | os.O_TRUNC | os.O_RDWR, 0o600))
    committed = f"{path.absolute().as_uri()}?mode=ro"
    with (
        closing(sqlite3.connect(committed, uri=True)) as source,
        closing(sqlite3.connect(part)) as target,
    ):
        source.backup(target)
    return part.replace(copy)
