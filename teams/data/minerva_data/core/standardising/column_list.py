"""Read the columns that a CSV file or a workbook lists, or that the header of a data file names.

A table whose headers speak of columns (`컬럼명`, `COLUMN_NAME`) lists them, one a row. One cell a
row is a list of names. Of anything else the first row names the columns, and the values below it
are not read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from minerva_data.core.glossary.datatype import read_type
from minerva_data.core.importing.headers import plain
from minerva_data.core.language.text import cleaned
from minerva_data.core.schema.record import Item, Unparsed
from minerva_data.core.schema.spreadsheet import unshielded
from minerva_data.core.standardising.wish import StandardiseFault, Wishes

Cells = tuple[int, list[str]]
"""The cells of a row, and its number."""

Read = Item | Unparsed
"""A column, or why a row gave none."""

_NAMES = {
    "table": "테이블명 테이블 테이블영문명 테이블물리명 테이블id 엔터티명 엔티티명"
    " table tablename entity entityname model",
    "column": "컬럼명 칼럼명 컬럼영문명 칼럼영문명 컬럼물리명 칼럼물리명 컬럼id 필드명 필드영문명"
    " 물리명 물리컬럼명 영문컬럼명 컬럼 칼럼 필드 column columnname columnid field fieldname"
    " physicalname",
    "comment": "컬럼한글명 칼럼한글명 컬럼논리명 칼럼논리명 한글컬럼명 컬럼설명 칼럼설명 한글명"
    " 논리명 속성명 항목명 용어명 코멘트 주석 설명 comment comments columncomment logicalname"
    " businessname description",
    "data_type": "데이터타입 데이터유형 데이터형식 자료형 타입 datatype type columntype"
    " declaredtype",
    "length": "데이터길이 길이 length datalength charactermaximumlength",
    "precision": "precision dataprecision numericprecision",
    "scale": "소수점길이 데이터소수점길이 소수점 scale datascale numericscale",
}
FIELDS = tuple(_NAMES)
"""What `--map HEADER=FIELD` may name."""

_FIELDS = {name: field for field, names in _NAMES.items() for name in names.split()}
_CERTAIN = frozenset(
    "컬럼명 칼럼명 컬럼영문명 칼럼영문명 컬럼물리명 칼럼물리명 컬럼id 물리컬럼명 영문컬럼명"
    " columnname columnid physicalname 컬럼한글명 칼럼한글명 컬럼논리명 칼럼논리명"
    " 한글컬럼명".split()
)
"""Headers each of which says by itself that the rows are columns."""

_NAMING = frozenset(
    "필드명 필드영문명 물리명 컬럼 칼럼 필드 column field fieldname 한글명 논리명 속성명 항목명"
    " 용어명 comment comments columncomment logicalname businessname 코멘트 주석".split()
)
"""Headers that say so beside one of a table or a type, or beside each other."""

_LOOKED_AT = 20
_VALUE = re.compile(r"[-+]?[\d.,:/ -]+%?")
_LOST = "\ufffd"
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class ListLayout:
    """Which cell of a row is what."""

    columns: Mapping[str, int]


def find_list(cells: Sequence[str], named: Mapping[str, str]) -> ListLayout | None:
    """Return how a row of headers lists columns, None if it does not; `named` goes first."""
    headers = [plain(cell) for cell in cells]
    columns: dict[str, int] = {}
    for index, header in enumerate(headers):
        field = named.get(header) or _FIELDS.get(header)
        if field:
            columns.setdefault(field, index)
    if not {"column", "comment"} & set(columns):
        return None
    said = {header for header in headers if header in _FIELDS}
    speaks = bool(said & _CERTAIN) or any(header in named for header in headers)
    together = len(said & _NAMING) + len({"table", "data_type"} & set(columns))
    if speaks or (said & _NAMING and together > 1):
        return ListLayout(columns)
    return None


def read_table(
    rows: Iterable[Cells], name: str, wishes: Wishes, *, stem: str
) -> tuple[str, Iterator[Read]] | None:
    """Return what a table is (`list`, `names` or `data`) and its columns; None if it is empty."""
    left = iter(rows)
    head = [row for row in islice(left, _LOOKED_AT) if any(cell.strip() for cell in row[1])]
    if not head:
        return None
    for place, (_, cells) in enumerate(() if wishes.is_data else head):
        layout = find_list(cells, wishes.named)
        if layout is not None:
            return "list", _listed(chain(head[place + 1 :], left), layout, name, wishes)
    if wishes.named:
        asked = ", ".join(wishes.named)
        message = f"{name}: no row at its top has the headers that --map names ({asked})."
        raise StandardiseFault(message)
    filled = (sum(bool(cell.strip()) for cell in cells) for _, cells in head)
    if not wishes.is_data and max(filled) == 1:
        return "names", _names(chain(head, left), name)
    return "data", _header(head[0], name, stem, wishes)


def _listed(rows: Iterable[Cells], layout: ListLayout, name: str, wishes: Wishes) -> Iterator[Read]:
    for number, cells in rows:
        said = {
            field: unshielded(cells[index])
            for field, index in layout.columns.items()
            if index < len(cells)
        }
        if not any(cell.strip() for cell in cells):
            continue
        problem = _wrong(said)
        if problem:
            yield _unparsed(name, number, problem, cells)
            continue
        column, comment = said.get("column", ""), said.get("comment", "")
        is_column = "column" in layout.columns or "table" in layout.columns
        yield Item(
            name=column or comment,
            comment=(comment if column else "") if is_column else None,
            data_type=_type(said),
            table=said.get("table") or None,
            dialect=wishes.dialect,
            line=number,
        )


def _wrong(said: Mapping[str, str]) -> str:
    if not (_is_name(said.get("column", "")) or _is_name(said.get("comment", ""))):
        return "it names no column"
    lost = next((field for field, value in said.items() if _LOST in value), "")
    return f"`{lost}` holds letters that were lost before it came here ({_LOST})" if lost else ""


def _is_name(text: str) -> bool:
    return any(char.isalnum() for char in text)


def _type(said: Mapping[str, str]) -> str | None:
    """Return a declared type: `VARCHAR2` and a length of 20 in a cell of its own are one."""
    declared = cleaned(said.get("data_type", ""))
    found = read_type(declared) if declared and "(" not in declared else None
    if found is None:
        return declared or None
    if found.family == "NUMERIC":
        sizes = [said.get("precision") or said.get("length", ""), said.get("scale", "")]
        sizes = sizes[:1] if sizes[1] in {"", "0"} else sizes
    elif found.family in {"CHAR", "VARCHAR"}:
        sizes = [said.get("length", "")]
    else:
        return declared
    numbers = [size.removesuffix(".0") for size in sizes]
    return f"{declared}({','.join(numbers)})" if all(map(str.isdecimal, numbers)) else declared


def _names(rows: Iterable[Cells], name: str) -> Iterator[Read]:
    """Yield one name a row; a first row that is a header of lists is none."""
    for place, (number, cells) in enumerate(rows):
        said = next((cell.strip() for cell in cells if cell.strip()), "")
        if not said or (place == 0 and plain(said) in _FIELDS):
            continue
        if _LOST in said or not _is_name(said):
            problem = "it names nothing" if _LOST not in said else f"letters were lost ({_LOST})"
            yield _unparsed(name, number, problem, cells)
        else:
            yield Item(name=unshielded(said), line=number)


def _header(row: Cells, name: str, stem: str, wishes: Wishes) -> Iterator[Read]:
    """Yield the columns that a header row names.

    Raises:
        StandardiseFault: the row holds values.
    """
    number, cells = row
    given = [unshielded(cell) for cell in cells]
    values = sum(_VALUE.fullmatch(cell) is not None for cell in given)
    if values * 2 > len(given):
        message = (
            f"{name}, row {number}: {values} of its {len(given)} cells are values, not names of "
            "columns. Give a file whose first row names them, or a list with a header 컬럼명 "
            "(column_name); --map HEADER=column for other headers."
        )
        raise StandardiseFault(message)
    for place, cell in enumerate(given, start=1):
        if _LOST in cell or not _is_name(cell):
            yield _unparsed(name, number, f"cell {place} of the header names no column", [cell])
        else:
            yield Item(name=cell, comment="", table=stem, dialect=wishes.dialect, line=number)


def _unparsed(name: str, number: int, problem: str, cells: Sequence[str]) -> Unparsed:
    said = " | ".join(cell.strip() for cell in cells if cell.strip())
    return Unparsed(file=name, line=number, error=problem, statement=said[:_SHOWN] or "-")
