"""Schemas in six and more dialects: tables and columns that are read, and what is lost unsaid.

`schemas/omop54/*.sql` of the folder is OMOP's Common Data Model 5.4 (OHDSI/CommonDataModel,
Apache-2.0), one file a dialect: 39 tables and 432 columns in each. Beside this file `schemas/` and
`schemas_blind/` hold schemas that another author wrote, who saw no rule of the reader; of the blind
half only totals are printed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from minerva_data.core.schema.record import Item, Unparsed
from minerva_data.core.standardising.options import StandardiseFault, Wishes
from minerva_data.core.standardising.source import open_file
from minerva_reading import FileFault as ImportFault

HERE = Path(__file__).parent
OMOP = "schemas/omop54"
TABLES, COLUMNS = 39, 432
_EXPECTED = ".expect.yaml"


@dataclass(frozen=True, slots=True)
class Measured:
    """What was read of one schema, compared with what it holds.

    `silent` are the columns that are missing and that no reported row, statement or file names.
    """

    name: str
    tables: bool
    columns: bool
    names: bool
    wanted: int
    found: int
    silent: int
    invented: int


def measure(data: Path) -> bool:
    """Print both tables; tell whether all of OMOP is read."""
    holds = _omop(data / OMOP)
    for half in ("schemas", "schemas_blind"):
        files = sorted(
            path for path in (HERE / half).iterdir() if not path.name.endswith(_EXPECTED)
        )
        _print_half(half, [compared(path) for path in files])
    return holds


def _omop(folder: Path) -> bool:
    if not folder.is_dir():
        print(f"no {OMOP} here")
        return True
    print("| OMOP 5.4 | tables | columns | not read |\n| --- | --- | --- | --- |")
    holds = True
    for path in sorted(folder.glob("*.sql")):
        items, problems = read(path)
        tables = {item.table for item in items}
        print(f"| {path.stem} | {len(tables)} | {len(items)} | {len(problems)} |")
        whole = (len(tables), len(items)) == (TABLES, COLUMNS)
        holds = holds and (whole or bool(problems))
    return holds


def read(path: Path) -> tuple[list[Item], list[Unparsed]]:
    """Return the columns of a file and what of it is reported; of a refused file, its error."""
    try:
        found = list(open_file(path, Wishes()).columns)
    except (StandardiseFault, ImportFault) as error:
        return [], [Unparsed(file=path.name, line=1, error=str(error), statement="*")]
    items = [one for one in found if isinstance(one, Item)]
    return items, [one for one in found if isinstance(one, Unparsed)]


def compared(path: Path) -> Measured:
    """Return how what is read of a file compares with the labels beside it."""
    expected: dict[str, Any] = yaml.safe_load(
        path.with_name(path.name + _EXPECTED).read_text(encoding="utf-8")
    )
    items, problems = read(path)
    wanted = set(expected["names"])
    tables = {getattr(item, "full_table", item.table) for item in items} - {None}
    found = {_full_name(item) for item in items}
    return Measured(
        path.name,
        tables=len(tables) == expected["tables"],
        columns=len(items) == expected["columns"],
        names=found == wanted and len(items) == len(wanted),
        wanted=len(wanted),
        found=len(wanted & found),
        silent=sum(not _is_said(name, problems) for name in wanted - found),
        invented=len(found - wanted),
    )


def _full_name(item: Item) -> str:
    table = getattr(item, "full_table", item.table)
    return f"{table}.{item.name}" if table else item.name


def _is_said(name: str, problems: Iterable[Unparsed]) -> bool:
    """Tell whether a report names a column or its table, or refuses the whole file."""
    table, _, column = name.rpartition(".")
    words = {table.rpartition(".")[2].casefold(), column.casefold()}
    said = (f"{one.error} {one.statement}".casefold() for one in problems)
    return any(text.endswith(" *") or any(word in text for word in words) for text in said)


def _print_half(half: str, measured: Sequence[Measured]) -> None:
    count = len(measured)
    wanted = sum(one.wanted for one in measured)
    print(f"\n| {half} | of {count} files |\n| --- | --- |")
    print(f"| tables right | {sum(one.tables for one in measured)} |")
    print(f"| columns right | {sum(one.columns for one in measured)} |")
    print(f"| names right | {sum(one.names for one in measured)} |")
    print(f"| columns found | {sum(one.found for one in measured)} of {wanted} |")
    print(f"| columns lost unsaid | {sum(one.silent for one in measured)} |")
    print(f"| columns that are none | {sum(one.invented for one in measured)} |")
    if not half.endswith("blind"):
        for one in measured:
            if not one.names:
                print(f"  {one.name}: {one.found} of {one.wanted}, {one.invented} that are none")
