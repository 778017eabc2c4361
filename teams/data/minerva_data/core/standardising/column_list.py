"""Read the columns that a CSV file or a workbook lists, or that the header of a data file names.

A table whose headers speak of columns (`컬럼명`, `COLUMN_NAME`) lists them, one a row; in a table
definition (테이블정의서) several such lists stand below each other. One cell a row is a list of
names. Of anything else the first row names the columns, and the values below it are not read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from minerva_data.core.audit.style import is_mixed
from minerva_data.core.glossary.datatype import read_type
from minerva_data.core.importing.headers import plain
from minerva_data.core.language.text import cleaned, is_identifier
from minerva_data.core.schema.record import Item, Unparsed
from minerva_data.core.standardising.options import StandardiseFault, Wishes
from minerva_data.core.standardising.table_title import (
    CODE_LISTS,
    LABELS,
    OTHER_LISTS,
    TableTitle,
    is_other_list,
    names_table,
)
from minerva_platform.text import csv_cell_back, read_words
from minerva_reading import folds_case

Cells = tuple[int, list[str]]
"""The cells of a row, and its number."""

Read = Item | Unparsed
"""A column, or why a row gave none."""

WORDS = read_words("minerva_data.core.standardising", "column_list")

_RANKED = {
    name: (field, int(group == "then"))
    for listed, names in WORDS.table("fields").items()
    for field, _, group in [listed.partition(".")]
    for name in names
}
"""Field and rank of a header; rank 0 goes before 1, wherever they stand."""

FIELDS = tuple(dict.fromkeys(field for field, _ in _RANKED.values()))
"""What `--map HEADER=FIELD` may name."""

_CERTAIN = frozenset(WORDS["certain"])
_NAMING = frozenset(WORDS["naming"])
_DESCRIBED = tuple(map(frozenset, WORDS.table("described").values()))
_IN_BRACKETS = {said: meant for said, (meant,) in WORDS.table("in_brackets").items()}

_MAX_HEAD_ROWS = 20
"""Rows at the top of a table among which its headers are looked for."""
_JOINT = re.compile(r"및|[/&,]|\band\b", re.IGNORECASE)
_REMARK = re.compile(r"\s*(?:[※*#]|주\s*\d*\s*[):]|비고\s*[:：])|.*[다.。]\.?\s*$")
"""A note below a list, by the mark it begins with or the full stop it ends with; an address."""
ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
"""A text that is an address of the web, and no name."""
_VALUE = re.compile(r"[-+]?[\d.,:/ -]+%?")
_LOST = "\ufffd"
_MAX_SHOWN_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class ListLayout:
    """Which cell of a row is what."""

    columns: Mapping[str, int]

    def read_cells(self, cells: Sequence[str]) -> dict[str, str]:
        """Return what the cells of a row say, by field."""
        found = self.columns.items()
        return {field: csv_cell_back(cells[at]) for field, at in found if at < len(cells)}


def find_list(cells: Sequence[str], header_map: Mapping[str, str]) -> ListLayout | None:
    """Return how a row of headers lists columns, None if it does not; `header_map` goes first.

    `컬럼명` is the name in words where another header (`컬럼ID`) has the physical one.
    """
    headers = [plain(cell) for cell in cells]
    ranked: dict[str, tuple[int, int]] = {}
    spare: list[int] = []
    for index, header in enumerate(headers):
        field, rank = _field(header, cells[index], header_map)
        if field == "column" and rank > 0:
            spare.append(index)
        if field and (field not in ranked or rank < ranked[field][0]):
            ranked[field] = (rank, index)
    columns = {field: index for field, (_, index) in ranked.items()}
    words = [index for index in spare if index != columns["column"]]
    if words and ranked.get("comment", (1, 0))[0] > 0:
        columns["comment"] = words[0]
    if not {"column", "comment"} & set(columns):
        return None
    said = {header for header in headers if header in _RANKED}
    speaks = bool(said & _CERTAIN) or any(header in header_map for header in headers)
    together = len(said & _NAMING) + len({"table", "data_type"} & set(columns))
    together += all(said & names for names in _DESCRIBED)
    if speaks or (said & _NAMING and together > 1):
        return ListLayout(columns)
    return None


def _field(header: str, cell: str, header_map: Mapping[str, str]) -> tuple[str, int]:
    """Return the field of a header and its rank, 0 before 1; "" if it has none."""
    if header in header_map:
        return header_map[header], -1
    joint = [plain(part) for part in _JOINT.split(cell)]  # 타입 및 길이
    found = _RANKED.get(header, ("", 0))
    if len(joint) > 1 and all(part in _RANKED for part in joint):
        found = _RANKED[joint[0]]
    bracketed = (name for said, name in _IN_BRACKETS.items() if said in cell and said not in header)
    instead = next(bracketed, "")
    return _RANKED[instead] if instead and found[0] in {"column", "comment"} else found


def read_table(
    rows: Iterable[Cells], name: str, wishes: Wishes, *, stem: str, table: str = ""
) -> tuple[str, Iterator[Read]] | None:
    """Return what a table is (`list`, `names` or `data`) and its columns; None if it is empty.

    `table` is the table whose columns a list names that does not say it, "" if that is unknown.
    """
    left = iter(rows)
    head = [row for row in islice(left, _MAX_HEAD_ROWS) if any(cell.strip() for cell in row[1])]
    if not head:
        return None
    if not wishes.is_data and any(find_list(cells, wishes.header_map) for _, cells in head):
        return "list", _Lists(name, wishes, table).read_rows(chain(head, left))
    if wishes.header_map:
        asked = ", ".join(wishes.header_map)
        message = f"{name}: no row at its top has the headers that --map names ({asked})."
        raise StandardiseFault(message)
    filled = (sum(bool(cell.strip()) for cell in cells) for _, cells in head)
    if not wishes.is_data and max(filled) == 1:
        return "names", _names(chain(head, left), name)
    return "data", _header(head[0], name, stem, wishes)


class _Lists:
    """Reads the lists of columns that stand below each other, each with what names its table."""

    def __init__(self, name: str, wishes: Wishes, table: str) -> None:
        self._name, self._wishes, self._default = name, wishes, table
        self._layout: ListLayout | None = None
        self._header: list[str] = []
        self._title = TableTitle()
        self._above: dict[str, str] = {}
        self._repeated_fields: set[str] = set()
        self._others: list[int] = []
        self._is_below_list = self._is_after_gap = False

    def read_rows(self, rows: Iterable[Cells]) -> Iterator[Read]:
        """Yield each row that names a column, and why another one does not."""
        for number, cells in rows:
            if not any(cell.strip() for cell in cells):
                self._is_after_gap = True
                continue
            layout = find_list(cells, self._wishes.header_map)
            is_other = is_other_list(cells)
            if layout is not None and is_index_list(cells, layout):
                layout, is_other = None, True
            if layout is not None and not self._is_header(cells):
                layout = None
            if layout is not None or self._is_title(cells):
                yield from self._close_others()
                self._layout, self._above, self._repeated_fields = layout, {}, set()
                if layout is not None:
                    self._header = list(map(plain, cells))
                    yield from self._beside(number, cells, layout)
                self._title.take_row(cells, is_header=layout is not None)
                self._is_below_list = False
            elif is_other and (self._layout or self._is_below_list):
                self._layout, self._is_below_list = None, True
                self._others.append(number)
            elif self._layout is not None:
                yield self._column(number, cells, self._layout)
            elif self._is_below_list:
                self._others.append(number)
            self._is_after_gap = False
        yield from self._close_others()

    def _is_header(self, cells: Sequence[str]) -> bool:
        """True if a row that has words of headers is one: below a list it may be a column.

        The cells where the list has its table, name and type are then words of headers, too.
        """
        if self._layout is None or list(map(plain, cells)) == self._header:
            return True
        said = self._layout.read_cells(cells)
        words = [plain(said[field]) for field in ("table", "column", "comment", "data_type")
                if said.get(field, "").strip()]  # fmt: skip
        return len(words) > 1 and all(
            _field(text, text, self._wishes.header_map)[0] for text in words
        )

    def _beside(self, number: int, cells: Sequence[str], layout: ListLayout) -> Iterator[Read]:
        """Report a second list that stands right of the first, beyond an empty cell."""
        name = self._header[next(iter(layout.columns.values()))]
        again = [at for at, text in enumerate(self._header) if text == name][1:]
        if again and not all(cell.strip() for cell in cells[: again[0]]):
            error = f"a second list, from cell {again[0] + 1} on, is not read: put it below"
            yield _problem(self._name, number, error, cells[again[0] :])

    def _is_title(self, cells: Sequence[str]) -> bool:
        """True if a row is about a table; below headers a row with a type is a column."""
        if not names_table(cells):
            return False
        if self._layout is None:
            return True
        said = self._layout.read_cells(cells)
        kind = plain(said.get("data_type", ""))
        return (not kind or kind in LABELS) if "data_type" in said else self._is_after_gap

    def _close_others(self) -> Iterator[Read]:
        if self._others:
            first, last = self._others[0], self._others[-1]
            error = f"rows {first} to {last} list indexes or the like, no columns"
            yield Unparsed(file=self._name, line=first, error=error, statement="-", is_loss=False)
            self._others = []

    def _column(self, number: int, cells: Sequence[str], layout: ListLayout) -> Read:
        texts = layout.read_cells(cells)
        texts["column"] = texts.get("column", "").strip()
        problem = _wrong(texts, has_types="data_type" in layout.columns)
        if problem:
            is_loss = bool(texts.get("data_type", "").strip()) or _LOST in "".join(cells)
            return _problem(self._name, number, problem, cells, is_loss=is_loss)
        for field in ("schema", "table"):
            texts[field] = self._or_above(field, texts.get(field, ""))
        column, comment = texts.get("column", ""), texts.get("comment", "")
        is_column = "column" in layout.columns or "table" in layout.columns
        path = self._path(texts)
        dialect = self._wishes.dialect
        return Item(
            name=column or comment,
            comment=(comment if column else "") if is_column else None,
            data_type=_type(texts),
            table=path[-1] if path else None,
            dialect=dialect,
            line=number,
            table_path=path[:-1],
            is_exact=folds_case(dialect) and is_mixed(column),
            exact_path=tuple(folds_case(dialect) and is_mixed(part) for part in path),
        )

    def _or_above(self, field: str, text: str) -> str:
        """Return what a cell says, or the merged cell above it, which holds its text once.

        A list that has repeated a text from row to row holds no merged cells.
        """
        above = self._above.get(field, "")
        if text and text == above:
            self._repeated_fields.add(field)
        elif text:
            self._above[field] = text
        return text or ("" if field in self._repeated_fields else above)

    def _path(self, texts: Mapping[str, str]) -> tuple[str, ...]:
        """Return the table of a row with its schema, empty if nothing says the table."""
        table = texts["table"] or self._title.table or self._default
        schema = texts["schema"] or self._title.schema
        parts = table.split(".")
        names = tuple(parts) if all(is_identifier(part) for part in parts) else (table,)
        if not table:
            return ()
        return (*schema.split("."), *names) if schema and len(names) == 1 else names


def _wrong(texts: Mapping[str, str], *, has_types: bool) -> str:
    column, comment = texts.get("column", ""), texts.get("comment", "")
    if not (_is_name(column) or _is_name(comment)):
        return "it names no column"
    is_bare = not (comment and column) and not texts.get("data_type", "").strip()
    if is_bare and (_REMARK.match(column or comment) or (has_types and not is_identifier(column))):
        return "it is a remark: it has neither a type nor a name in words"
    lost = next((field for field, value in texts.items() if _LOST in value), "")
    return f"`{lost}` holds letters that were lost before it came here ({_LOST})" if lost else ""


def _is_name(text: str) -> bool:
    return any(char.isalnum() for char in text)


def _type(texts: Mapping[str, str]) -> str | None:
    """Return a declared type: `VARCHAR2` and a length of 20 in a cell of its own are one."""
    declared = cleaned(texts.get("data_type", ""))
    found = read_type(declared) if declared and "(" not in declared else None
    if found is None:
        return declared or None
    if found.family == "NUMERIC":
        length, _, decimals = texts.get("length", "").partition(",")
        sizes = [texts.get("precision") or length, texts.get("scale") or decimals.strip()]
        sizes = sizes[:1] if sizes[1] in {"", "0"} else sizes  # NUMBER(10,0) is NUMBER(10)
    elif found.family in {"CHAR", "VARCHAR"}:
        sizes = [texts.get("length", "")]
    else:
        return declared
    numbers = [size.removesuffix(".0") for size in sizes]  # a workbook's 20 is read as 20.0
    return f"{declared}({','.join(numbers)})" if all(map(str.isdecimal, numbers)) else declared


def _names(rows: Iterable[Cells], name: str) -> Iterator[Read]:
    """Yield one name a row; a first row that is a header of lists is none."""
    for place, (number, cells) in enumerate(rows):
        said = next((cell.strip() for cell in cells if cell.strip()), "")
        if not said or (place == 0 and plain(said) in _RANKED):
            continue
        if _LOST in said or not _is_name(said) or ADDRESS.fullmatch(said):
            problem = "it is an address" if _is_name(said) else "it names nothing"
            problem = problem if _LOST not in said else f"letters were lost ({_LOST})"
            yield _problem(name, number, problem, cells)
        else:
            yield Item(name=csv_cell_back(said), line=number)


def _header(row: Cells, name: str, stem: str, wishes: Wishes) -> Iterator[Read]:
    """Yield the columns that a header row names.

    Raises:
        StandardiseFault: the row holds values.
    """
    number, cells = row
    given = [csv_cell_back(cell) for cell in cells]
    values = sum(_VALUE.fullmatch(cell) is not None for cell in given)
    if values * 2 > len(given):  # a header may hold a year or two, not mostly values
        message = (
            f"{name}, row {number}: {values} of its {len(given)} cells are values, not names of "
            "columns. Give a file whose first row names them, or a list with a header 컬럼명 "
            "(column_name); --map HEADER=column for other headers."
        )
        raise StandardiseFault(message)
    for place, cell in enumerate(given, start=1):
        if _LOST in cell or not _is_name(cell):
            yield _problem(name, number, f"cell {place} of the header names no column", [cell])
        else:
            yield Item(name=cell, comment="", table=stem, dialect=wishes.dialect, line=number)


def _problem(
    name: str, number: int, problem: str, cells: Sequence[str], *, is_loss: bool = True
) -> Unparsed:
    said = " | ".join(cell.strip() for cell in cells if cell.strip())
    statement = said[:_MAX_SHOWN_CHARACTERS] or "-"
    return Unparsed(file=name, line=number, error=problem, statement=statement, is_loss=is_loss)


def is_index_list(cells: Sequence[str], layout: ListLayout) -> bool:
    """True if headers name codes, or something else before the column (인덱스명), and no type."""
    headers = list(map(plain, cells))
    before = headers[: layout.columns.get("column", 0)]
    others = not OTHER_LISTS.isdisjoint(before) or not CODE_LISTS.isdisjoint(headers)
    return "data_type" not in layout.columns and others
