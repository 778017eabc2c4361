"""Find out what a table holds by its headers, however they are spelled.

White space, line breaks, case, brackets and the prefix of the standard (`공통표준`) do not
count: `공통표준 용어명` with a line break in it is `용어명`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from minerva_data.core.language.text import cleaned
from minerva_platform.text import read_words
from minerva_reading import FileFault

TableKind = Literal["term", "word", "domain", "alias", "subject_area", "openmetadata"]

_PREFIX = re.compile(r"^(?:공통표준|행정표준|기관표준|사내표준|표준)(?=.)")
_BRACKETS = re.compile(r"[(\[（].*?[)\]）]")
_DROPPED = re.compile(r"[\s_*·.\-]+")
_MAX_SHOWN_HEADERS = 12

WORDS = read_words("minerva_data.core.importing", "headers")

_REQUIRED: dict[TableKind, tuple[str, ...]] = {  # the first that fits is taken
    "openmetadata": ("parent", "name", "display_name", "synonyms"),
    "term": ("name", "physical_name"),
    "word": ("name", "abbreviation"),
    "alias": ("name", "kind", "target"),
    "domain": ("name", "data_type"),
    "subject_area": ("name", "english"),
}
_FIELDS: dict[TableKind, dict[str, str]] = {
    kind: {name: field for field, names in WORDS.table(kind).items() for name in names}
    for kind in _REQUIRED
}
FIELDS = tuple(dict.fromkeys(name.partition(".")[2] for name in WORDS.lists))
"""What `--map HEADER=FIELD` may name."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Which column of a table holds which field."""

    kind: TableKind
    columns: Mapping[str, int]
    unread_headers: tuple[str, ...]
    """Headers that nothing reads."""


def plain(header: str) -> str:
    """Return what two spellings of one header share."""
    text = _DROPPED.sub("", _BRACKETS.sub("", cleaned(header.replace("\n", " ")))).casefold()
    return _PREFIX.sub("", text)


def read_map(pairs: Sequence[str], *, fields: Sequence[str] = FIELDS) -> dict[str, str]:
    """Return `--map` options (`용어명=name`) as `fields` by plain header.

    Raises:
        FileFault: a pair names no field.
    """
    found: dict[str, str] = {}
    for pair in pairs:
        header, _, name = pair.rpartition("=")
        if not header.strip() or name.strip() not in fields:
            message = f"--map {pair}: write HEADER=FIELD, a field is one of {', '.join(fields)}."
            raise FileFault(message)
        found[plain(header)] = name.strip()
    return found


def find_layout(cells: Sequence[str], header_map: Mapping[str, str]) -> Layout | None:
    """Return what a row of headers says, None if it is no such row; `header_map` goes first."""
    headers = [plain(cell) for cell in cells]
    for kind, required in _REQUIRED.items():
        columns: dict[str, int] = {}
        for index, header in enumerate(headers):
            field = header_map.get(header) or _FIELDS[kind].get(header)
            if field and f"{kind}.{field}" in WORDS.lists:
                columns.setdefault(field, index)
        if all(field in columns for field in required):
            used = set(columns.values())
            unread_headers = [c for i, c in enumerate(cells) if c.strip() and i not in used]
            return Layout(kind, columns, tuple(cleaned(cell) for cell in unread_headers))
    return None


def missing_headers(where: str, cells: Sequence[str]) -> FileFault:
    """Return the error of a table none of whose first rows names what a glossary holds."""
    shown = [f"`{cleaned(cell)}`" for cell in cells if cell.strip()][:_MAX_SHOWN_HEADERS]
    return FileFault(
        f"{where}: no row at its top has the headers of terms (용어명, 영문약어명), words "
        "(단어명, 영문약어명) or domains (도메인명, 데이터타입). "
        f"It begins with: {', '.join(shown) or 'nothing'}. "
        'Name the columns, such as: --map "용어명=name" --map "영문약어명=physical_name" '
        "(for words: name and abbreviation)."
    )
