"""Choose the reader of a file by its ending."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from minerva_data.core.importing.contract_entries import read_contract
from minerva_data.core.importing.csv_table import read_csv
from minerva_data.core.importing.encoding import find_encoding
from minerva_data.core.importing.headers import Layout
from minerva_data.core.importing.reading import ImportFault, Reading
from minerva_data.core.importing.schema_entries import read_ddl
from minerva_data.core.importing.xlsx_table import read_xlsx


@dataclass(frozen=True, slots=True)
class Opened:
    """A file whose format is known: its rows, and what of it is not read."""

    format: str
    rows: Iterator[Reading]
    notes: tuple[str, ...] = field(default=())


def open_glossary(path: Path, named: Mapping[str, str]) -> Opened:
    """Return the rows of a file; `named` are the fields of headers that are not known here.

    Raises:
        ImportFault: its format is not known, or it holds no glossary.
    """
    found = _READERS.get(path.suffix.casefold())
    if found is None:
        message = (
            f"{path.name}: files of this kind are not read. Give .csv, .tsv, .xlsx, .sql (with "
            "comments), or .yml (dbt, ODCS); save an .xls as .xlsx."
        )
        raise ImportFault(message)
    return found(path, named)


def _csv(path: Path, named: Mapping[str, str]) -> Opened:
    text = find_encoding(path)
    layout, rows = read_csv(text, named)
    _check_named(named, {path.name: layout})
    kind = "OpenMetadata CSV" if layout.kind == "openmetadata" else "CSV"
    return Opened(f"{kind}, {text.encoding}", rows, _ignored({"": layout}))


def _xlsx(path: Path, named: Mapping[str, str]) -> Opened:
    layouts, others, rows = read_xlsx(path, named)
    _check_named(named, layouts)
    skipped = tuple(f"sheet `{name}` holds no table of a glossary" for name in others)
    tables = ", ".join(f"{name}: {layout.kind}s" for name, layout in layouts.items())
    return Opened(f"XLSX ({tables})", rows, (*skipped, *_ignored(layouts)))


def _sql(path: Path, _: Mapping[str, str]) -> Opened:
    return Opened("DDL", read_ddl(path))


def _yaml(path: Path, _: Mapping[str, str]) -> Opened:
    kind, rows = read_contract(path)
    return Opened(kind, rows)


def _check_named(named: Mapping[str, str], layouts: Mapping[str, Layout]) -> None:
    """Refuse a `--map` that names no header: it would be silently without effect."""
    used = {field for layout in layouts.values() for field in layout.columns}
    missing = [f"{header}={name}" for header, name in named.items() if name not in used]
    if missing:
        message = f"--map {missing[0]}: no table has this header, or has such a field."
        raise ImportFault(message)


def _ignored(layouts: Mapping[str, Layout]) -> tuple[str, ...]:
    return tuple(
        f"{f'sheet `{name}`: ' if name else ''}columns not used: {', '.join(layout.ignored)}"
        for name, layout in layouts.items()
        if layout.ignored
    )


_READERS: dict[str, Callable[[Path, Mapping[str, str]], Opened]] = {
    ".csv": _csv,
    ".tsv": _csv,
    ".txt": _csv,
    ".xlsx": _xlsx,
    ".xlsm": _xlsx,
    ".sql": _sql,
    ".ddl": _sql,
    ".yml": _yaml,
    ".yaml": _yaml,
}
