"""Columns of a public schema, named with a public standard imported, in the default order.

- `schemas/egov_columns_dev.csv`: table, column and Korean comment of the common components of the
  Korean eGovFrame, from DAToolset/ToolsForDataStandard (BSD-2-Clause, © 2021 Lee Young Min)
- `glossary/standard_terms_2025-11.csv`: the public-sector standard terms (공공데이터 공통표준용어,
  8th edition) of the Korean Ministry of the Interior and Safety (KOGL type 1, attribution)
"""

import csv
import os
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from minerva_data import standardise
from minerva_data.core.glossary.glossary import SEED_NAME
from minerva_data.core.importing.importer import Wanted, import_file
from minerva_data.core.language.text import headline, key
from minerva_data.core.schema.record import Finding, Row
from minerva_data.core.store.store import FILE, GlossaryStore

COLUMNS = "schemas/egov_columns_dev.csv"
STANDARD = "glossary/standard_terms_2025-11.csv"
FOREIGN_ENDING = "IDNTFR"
"""An abbreviation of the bundled hospital's; no name of the public standard ends in it."""

REJECTING = frozenset({"N4", "D3"})
"""Findings that a rename may not leave: no class word at its end, no domain."""

_TARGETS = ("wrong exact", FOREIGN_ENDING, "rejected by audit", "bundled at confidence 1")


def measure(data: Path) -> bool:
    """Print what becomes of the schema's columns; True if no target is missed."""
    columns, standard = data / COLUMNS, data / STANDARD
    missing = [str(path) for path in (columns, standard) if not path.is_file()]
    if missing:
        print(f"not measured, not there: {', '.join(missing)}\n")
        return True
    with imported_home(standard), standardise(columns) as done:
        counts = counted(list(done.rows()), list(done.findings()), exact_names(standard))
    for name, count in counts.items():
        print(f"  {name:<26}{count:>6,}{'   (target 0)' if name in _TARGETS else ''}")
    print()
    return not any(counts[name] for name in _TARGETS)


@contextmanager
def imported_home(*glossaries: Path) -> Generator[Path]:
    """Give a home of its own into which the files are imported as public glossaries."""
    before = os.environ.get("MINERVA_HOME")
    with TemporaryDirectory() as folder:
        os.environ["MINERVA_HOME"] = folder
        try:
            with GlossaryStore(Path(folder) / FILE) as store:
                for path in glossaries:
                    import_file(store, path, Wanted(kind="public"))
            yield Path(folder)
        finally:
            if before is None:
                del os.environ["MINERVA_HOME"]
            else:
                os.environ["MINERVA_HOME"] = before


def exact_names(path: Path) -> dict[str, str]:
    """Return the physical name of each current term by its name, read from the file itself.

    A row is retired where its mark says 폐기 and not 폐기후제정 (made again after that).
    """
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        key(row["공통표준용어명"]): row["공통표준용어영문약어명"]
        for row in rows
        if "폐기" not in f"{row['제정차수']}{row['개정구분명(폐기 또는 변경)']}".replace(
            "폐기후제정", ""
        )
    }  # fmt: skip


def counted(rows: list[Row], findings: list[Finding], exact: dict[str, str]) -> Counter[str]:
    """Count the columns by what became of them, and what no column may become."""
    rejected = {one.place for one in findings if one.rule in REJECTING}
    counts: Counter[str] = Counter({"columns": len(rows)})
    for status in ("renamed", "standard", "unresolved"):
        counts[status] = sum(row.status == status for row in rows)
    counts["unresolved with candidates"] = sum(
        row.status == "unresolved" and bool(row.alternatives) for row in rows
    )
    pairs = [(row, exact.get(key(headline(row.item.comment or "")))) for row in rows]
    of_terms = [(row, name) for row, name in pairs if name is not None]
    counts["exact names"] = len(of_terms)
    counts["right exact"] = sum(row.physical_name == name for row, name in of_terms)
    counts["open exact"] = sum(row.physical_name is None for row, _ in of_terms)
    counts["wrong exact"] = sum(row.physical_name not in {name, None} for row, name in of_terms)
    renamed = [row for row in rows if row.status == "renamed"]
    counts[FOREIGN_ENDING] = sum(_ends_foreign(row) for row in renamed)
    counts["rejected by audit"] = sum(_place(row) in rejected for row in renamed)
    counts["by bundled glossary"] = sum(_is_bundled(row) for row in renamed)
    counts["bundled at confidence 1"] = sum(
        _is_bundled(row) and row.confidence == 1.0 for row in renamed
    )
    return counts


def _place(row: Row) -> str:
    return f"{row.item.table}.{row.item.name}"


def _ends_foreign(row: Row) -> bool:
    return (row.physical_name or "").endswith(FOREIGN_ENDING)


def _is_bundled(row: Row) -> bool:
    """Whether a row of the bundled glossary decides on the name."""
    return any(source.source == SEED_NAME for source in row.citations)
