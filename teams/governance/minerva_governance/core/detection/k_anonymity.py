"""How many people share a combination of quasi-identifiers, at least.

k is the size of the smallest class of rows with equal quasi-identifiers (Sweeney 2002). It is
counted over the whole file: k of a sample says nothing about the file.
"""

from collections import Counter
from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from minerva_governance.core.tables.data_table import DataTable, Skipped

MAX_CLASSES = 2_000_000
"""Beyond it the count is given up, so that memory stays bounded."""


class KAnonymity(BaseModel):
    """The result; `rows_below` are the numbers of the first rows in classes under the minimum."""

    model_config = ConfigDict(frozen=True)

    quasi: tuple[str, ...]
    k: int
    classes: int
    rows: int
    small_classes: int
    small_rows: int
    rows_below: tuple[int, ...] = ()
    uncounted_rows: int = 0
    """Rows that could not be counted; each may belong to any class."""


class TooManyClassesError(Exception):
    """The quasi-identifiers are nearly unique; counting them all would fill the memory."""


def missing_columns(columns: Iterable[str], quasi: tuple[str, ...]) -> tuple[str, ...]:
    """Return the quasi-identifiers that are not among `columns` (compared without case)."""
    names = {name.casefold() for name in columns}
    return tuple(name for name in quasi if name.casefold() not in names)


def k_anonymity(data: DataTable, quasi: tuple[str, ...], *, minimum: int) -> KAnonymity:
    """Count the classes of `quasi` over all rows of `data`.

    A missing value is a value: rows that lack the same one share a class.

    Raises:
        TooManyClassesError: more classes than `MAX_CLASSES`.
        UnreadableError: the file cannot be read to its end.
    """
    wanted = {name.casefold(): at for at, name in enumerate(quasi)}
    sizes: Counter[tuple[str, ...]] = Counter()
    first_row: dict[tuple[str, ...], int] = {}
    skipped, rows = Skipped(), 0
    for number, cells in data.rows(skipped):
        key = [""] * len(quasi)
        for name, cell in cells:
            at = wanted.get(name.casefold())
            if at is not None:
                key[at] = cell.strip()
        combination = tuple(key)
        sizes[combination] += 1
        first_row.setdefault(combination, number)
        rows += 1
        if len(sizes) > MAX_CLASSES:
            raise TooManyClassesError
    small = [key for key, size in sizes.items() if size < minimum]
    return KAnonymity(
        quasi=quasi,
        k=min(sizes.values(), default=0),
        classes=len(sizes),
        rows=rows,
        small_classes=len(small),
        small_rows=sum(sizes[key] for key in small),
        rows_below=tuple(sorted(first_row[key] for key in small)[:5]),
        uncounted_rows=skipped.long_rows + skipped.broken_rows,
    )
