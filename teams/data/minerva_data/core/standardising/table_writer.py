"""Write what is made table by table: the migration and its way back, a contract, dbt's models.

No file holds more than one table in memory, and none is begun before there is a table.
"""

import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from minerva_data.core.schema.declaration import dbt_head, dbt_model, odcs_head, odcs_table
from minerva_data.core.schema.migration import BACK, HEADER, TYPES, table_migration
from minerva_data.core.schema.record import Row
from minerva_data.core.standardising.options import Emitted

MIGRATION, ROLLBACK = "migration.sql", "rollback.sql"
CONTRACT, MODELS = "contract.odcs.yaml", "schema.yml"
_TYPES_PART = ".types.part"


class TableWriter:
    """Writes each table into the files that are wanted, in `folder`."""

    def __init__(
        self, folder: Path, emit: Sequence[Emitted], *, name: str, dialect: str | None
    ) -> None:
        self._folder, self._emit = folder, emit
        self._name, self._dialect = name, dialect
        self._open = ExitStack()
        self._files: dict[str, IO[str]] = {}

    def write(self, columns: Sequence[Row]) -> None:
        """Write one table; rows of no table leave no trace here."""
        if columns[0].item.table is None:
            return
        if "ddl" in self._emit:
            self._migrate(columns)
        if "odcs" in self._emit:
            file = self._file(CONTRACT, odcs_head(self._name))
            file.write(odcs_table(columns, dialect=self._dialect))
        if "dbt" in self._emit:
            self._file(MODELS, dbt_head()).write(dbt_model(columns, dialect=self._dialect))

    def _migrate(self, columns: Sequence[Row]) -> None:
        migration = table_migration(columns, self._dialect)
        up, down = self._file(MIGRATION, f"{HEADER}\n"), self._file(ROLLBACK, f"{BACK}\n")
        up.writelines(f"{line}\n" for line in migration.renames)
        down.writelines(f"{line}\n" for line in migration.back)
        if migration.types:
            types = self._file(_TYPES_PART, f"{TYPES}\n")
            types.writelines(f"{line}\n" for line in migration.types)

    def _file(self, name: str, head: str) -> IO[str]:
        if name not in self._files:
            path = self._folder / name
            file = self._open.enter_context(path.open("w", encoding="utf-8", newline="\n"))
            file.write(head)
            self._files[name] = file
        return self._files[name]

    def close(self) -> None:
        """Close the files; the types to decide on come after the renames."""
        self._open.close()
        types = self._folder / _TYPES_PART
        if _TYPES_PART in self._files:
            with types.open("rb") as source, (self._folder / MIGRATION).open("ab") as target:
                shutil.copyfileobj(source, target)
            types.unlink()
