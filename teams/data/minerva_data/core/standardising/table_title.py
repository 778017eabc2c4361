"""Read what stands around a list of columns: its table's name above, lists of others below."""

import re
from collections.abc import Iterator, Sequence

from minerva_data.core.importing.headers import plain
from minerva_data.core.language.text import cleaned, is_identifier
from minerva_platform.text import read_words

TITLE_WORDS = read_words("minerva_data.core.standardising", "table_title")

_TABLE = tuple(map(frozenset, TITLE_WORDS.table("table").values()))
_SCHEMA = frozenset(TITLE_WORDS["labels.schema"])
LABELS = _SCHEMA.union(TITLE_WORDS["labels.about"], *_TABLE)
OTHER_LISTS = frozenset(TITLE_WORDS["other_lists.headers"])
CODE_LISTS = frozenset(TITLE_WORDS["other_lists.codes"])
_MIN_OTHER = 2
"""Headers that make a list one of indexes: a column may be called so, too."""

_IN_ONE = re.compile(r"\s*([^:：]{2,20})[:：]\s*(\S.*)", re.DOTALL)
_LEADING_NAME = re.compile(r"[A-Za-z][\w$#.]*")
NAMING = frozenset(read_words("minerva_data.core.standardising", "column_list")["naming"])


class TableTitle:
    """What the rows above a list say of its table; `table` and `schema` are "" if they do not."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._is_used = False

    def take_row(self, cells: Sequence[str], *, is_header: bool) -> None:
        """Take the labels of a row; after the headers of a list, the next row is of another one."""
        if is_header:
            self._is_used = True
            return
        if self._is_used:
            self._texts, self._is_used = {}, False
        for label, value in _label_pairs(cells):
            self._texts.setdefault(label, value)

    @property
    def table(self) -> str:
        """The table's name, the physical one before others."""
        for labels in _TABLE:
            title = next((value for label, value in self._texts.items() if label in labels), "")
            if title:
                name = _LEADING_NAME.match(title)
                return name.group() if name and is_identifier(name.group()) else cleaned(title)
        return ""

    @property
    def schema(self) -> str:
        """The schema that the table is in."""
        return next((value for label, value in self._texts.items() if label in _SCHEMA), "")


def names_table(cells: Sequence[str]) -> bool:
    """True if a row begins with a label: `테이블ID | TN_FILE`, `테이블명: 첨부파일`."""
    first = next((cell for cell in cells if cell.strip()), "")
    inside = _IN_ONE.fullmatch(first)
    return plain(inside[1] if inside else first) in LABELS


def is_other_list(cells: Sequence[str]) -> bool:
    """True if a row has the headers of a list of indexes, constraints or the like."""
    said = {plain(cell) for cell in cells if cell.strip()}
    others = said & OTHER_LISTS
    return len(others) >= _MIN_OTHER or bool(others and (said == others or said & NAMING))


def _label_pairs(cells: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each label of a row with what stands right of it or behind its colon."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    for place, cell in enumerate(filled):
        inside = _IN_ONE.fullmatch(cell)
        if inside and plain(inside[1]) in LABELS:
            yield plain(inside[1]), inside[2].strip()
            continue
        value = filled[place + 1] if place + 1 < len(filled) else ""
        if plain(cell) in LABELS and value and plain(value) not in LABELS:
            yield plain(cell), value
