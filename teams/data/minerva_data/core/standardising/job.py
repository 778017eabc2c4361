"""Standardise what was given, of any size: read it, name it table by table, audit it.

Memory holds the glossary and one table; everything else lies in the spool until it is written.
"""

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from minerva_data.core.audit.auditing import Uniqueness, row_findings
from minerva_data.core.audit.rule import Standard, order_corrected
from minerva_data.core.audit.table import tables_of_rows
from minerva_data.core.glossary.priority import RowOrder, own_priority, rank
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.lookup.overlap import as_candidate, is_foreign
from minerva_data.core.schema.declaration import dbt_head, dbt_model, odcs_head, odcs_table
from minerva_data.core.schema.migration import (
    BACK,
    HEADER,
    TYPES,
    LooseEnds,
    dialect_line,
    open_dialects,
    table_migration,
)
from minerva_data.core.schema.record import Finding, ReadAs, Recommended, Row, Unparsed
from minerva_data.core.standardising.options import Emitted, StandardiseFault, Wishes
from minerva_data.core.standardising.source import Source
from minerva_data.core.standardising.spool import Spool
from minerva_data.core.standardising.tally import Tally

MIGRATION, ROLLBACK = "migration.sql", "rollback.sql"
CONTRACT, MODELS = "contract.odcs.yaml", "schema.yml"
_TYPES_PART = ".types.part"
STEP = 500
"""Columns between two calls of `on_progress`."""


class TableWriter:
    """Writes each table into the files that are wanted, in `folder`."""

    def __init__(
        self, folder: Path, emit: Sequence[Emitted], *, name: str, dialect: str | None
    ) -> None:
        self._folder, self._emit = folder, emit
        self._name, self._dialect = name, dialect
        self._open = ExitStack()
        self._files: dict[str, IO[str]] = {}
        self._ends = LooseEnds()

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
        fit = () if self._dialect else open_dialects(columns)
        if fit:
            reason = columns[0].item.dialect_reason
            message = (
                f"The migration is another in each of the dialects that fit: {', '.join(fit)} "
                f"({reason}). Name the database's: --dialect NAME; or leave the migration out: "
                "--emit csv,xlsx,odcs,dbt,report"
            )
            raise StandardiseFault(message)
        migration = table_migration(columns, self._dialect)
        self._ends.add(columns)
        head = f"{HEADER}\n{dialect_line(columns[0].item, self._dialect)}\n"
        up, down = self._file(MIGRATION, head), self._file(ROLLBACK, f"{BACK}\n")
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
        """Close the files; what is left to decide on comes after the renames."""
        if MIGRATION in self._files:
            self._files[MIGRATION].writelines(f"{line}\n" for line in self._ends.lines())
        self._open.close()
        types = self._folder / _TYPES_PART
        if _TYPES_PART in self._files:
            with types.open("rb") as source, (self._folder / MIGRATION).open("ab") as target:
                shutil.copyfileobj(source, target)
            types.unlink()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it is; `total` is None while that is not known."""

    doing: str
    done: int
    total: int | None = None


Told = Callable[[Progress], None]


class Job:
    """One standardisation: `read` everything, then `name` it."""

    def __init__(self, wishes: Wishes, spool: Spool, on_progress: Told) -> None:
        self.wishes, self.spool = wishes, spool
        self.tally = Tally()
        self.sources: dict[str, str] = {}
        """Names of what was given, and what kind each is."""
        self.read_as: dict[str, ReadAs] = {}
        self._on_progress = on_progress
        self._count = 0

    def read_sources(self, sources: Iterable[Source]) -> None:
        """Take the columns of everything that was given.

        Raises:
            StandardiseFault: there is none.
        """
        for one in sources:
            self.sources[one.name] = one.kind
            if one.read_as is not None:
                self.read_as[one.name] = one.read_as
            for found in one.columns:
                if isinstance(found, Unparsed):
                    self._report(found)
                    continue
                is_kept, problem = self.spool.add_item(found, one.name)
                if problem is not None:
                    self._report(problem)
                self.tally.left_out += not is_kept
                self._count += is_kept
                if self._count % STEP == 0:
                    self._on_progress(Progress("read", self._count))
        if not self._count:
            first = next(self.spool.problems(limit=1), None)
            why = f" {first.file}, line {first.line}: {first.error}." if first else ""
            where = ", ".join(self.sources) or "what was given"
            message = f"There is nothing to standardise in {where}.{why}"
            raise StandardiseFault(message)

    def _report(self, problem: Unparsed) -> None:
        self.tally.problems += 1
        self.tally.losses += problem.is_loss
        self.spool.add_problem(problem)

    def name(self, lookup: Lookup, writer: TableWriter) -> None:
        """Name every column, audit it, and hand each table to `writer`."""
        priority = own_priority(self.wishes.priority, lookup.glossary.areas)
        self.wishes = replace(self.wishes, priority=priority)
        standard = Standard(lookup, self.wishes.style, self.wishes.max_length)
        unique, order = Uniqueness(lookup.glossary), RowOrder(self.wishes.priority)
        recommendations = map(lookup.recommend, self.spool.items())
        if is_foreign(lookup, self.spool.items()):
            recommendations = map(as_candidate, recommendations)
        for rows in tables_of_rows(self._with_progress(recommendations), style=self.wishes.style):
            for row in rows:
                self.tally.add(row)
                self.spool.add_row(row, rank(row.subject_area, self.wishes.priority))
                order.add(row.subject_area)
                self._find(row_findings(row, standard))
                self._find(unique.add(row))
            writer.write(rows)
        self._find(unique.close())
        self.tally.inversions_given = order.inversions
        if order.inversions:
            self._find([order_corrected(order.inversions, self.wishes.priority)])

    def _find(self, findings: Iterable[Finding]) -> None:
        for found in findings:
            self.tally.add_finding(found)
            self.spool.add_finding(found)

    def _with_progress(self, recommendations: Iterable[Recommended]) -> Iterator[Recommended]:
        for number, found in enumerate(recommendations):
            if number % STEP == 0:
                self._on_progress(Progress("standardised", number, self._count))
            yield found
        self._on_progress(Progress("standardised", self._count, self._count))

    def rows_in_order(self, doing: str) -> Iterator[Row]:
        """Yield the rows in the order of the priority, telling how far it is."""
        for number, row in enumerate(self.spool.rows()):
            if number % STEP == 0:
                self._on_progress(Progress(doing, number, self.tally.total))
            yield row
