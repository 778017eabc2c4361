"""Find out what a table holds by its headers, however they are spelled.

White space, line breaks, case, brackets and the prefix of the standard (`공통표준`) do not
count: `공통표준 용어명` with a line break in it is `용어명`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from minerva_data.core.importing.reading import ImportFault
from minerva_data.core.language.text import cleaned

TableKind = Literal["term", "word", "domain", "alias", "subject_area", "openmetadata"]

_PREFIX = re.compile(r"^(?:공통표준|행정표준|기관표준|사내표준|표준)(?=.)")
_BRACKETS = re.compile(r"[(\[（].*?[)\]）]")
_DROPPED = re.compile(r"[\s_*·.\-]+")
_SHOWN = 12

_NAMES: dict[TableKind, dict[str, str]] = {
    "openmetadata": {
        "parent": "parent",
        "name": "name",
        "display_name": "displayname",
        "description": "description",
        "synonyms": "synonyms",
        "extension": "extension",
        "status": "glossarystatus status entitystatus",
    },
    "term": {
        "name": "용어명 용어 한글용어명 용어한글명 논리명 컬럼한글명 컬럼논리명 속성명"
        " term logicalname",
        "physical_name": "용어영문약어명 용어약어명 영문약어명 물리명 컬럼영문명 컬럼물리명 컬럼명"
        " physicalname columnname",
        "domain": "도메인명 도메인 domain domainname",
        "subject_area": "주제영역 주제영역명 subjectarea",
        "synonyms": "용어이음동의어목록 이음동의어목록 이음동의어 동의어 synonyms",
        "retired": "폐기여부 retired",
        "issue": "제정차수",
        "revision": "개정구분명",
        "replaced_by": "대체용어명 대체용어 replacedby",
        "description": "용어설명 설명 description",
    },
    "word": {
        "name": "단어명 단어 한글단어명 단어한글명 word",
        "abbreviation": "단어영문약어명 단어약어명 영문약어명 영문약어 약어 abbreviation",
        "english": "단어영문명 영문명 영문 english",
        "class_word": "형식단어여부 형식단어 classword",
        "domain_class": "도메인분류명 도메인분류 domainclass",
        "subject_area": "주제영역 주제영역명 subjectarea",
        "synonyms": "이음동의어목록 단어이음동의어목록 이음동의어 동의어 synonyms",
        "forbidden": "금칙어목록 금칙어 forbidden",
        "description": "단어설명 설명 description",
    },
    "domain": {
        "name": "도메인명 도메인 domain domainname",
        "data_type": "데이터타입 자료형 타입 datatype",
        "domain_class": "도메인분류명 도메인분류 분류명 domainclass",
        "length": "데이터길이 길이 length",
        "scale": "소수점길이 데이터소수점길이 소수점 scale",
        "description": "도메인설명 설명 description",
    },
    "alias": {"name": "alias", "kind": "kind", "target": "target"},
    "subject_area": {
        "name": "주제영역 주제영역명 subjectarea",
        "english": "주제영역영문명 영문명 english",
    },
}
_REQUIRED: dict[TableKind, tuple[str, ...]] = {
    "openmetadata": ("parent", "name", "display_name", "synonyms"),
    "term": ("name", "physical_name"),
    "word": ("name", "abbreviation"),
    "alias": ("name", "kind", "target"),
    "domain": ("name", "data_type"),
    "subject_area": ("name", "english"),
}
_FIELDS: dict[TableKind, dict[str, str]] = {
    kind: {name: field for field, names in fields.items() for name in names.split()}
    for kind, fields in _NAMES.items()
}
FIELDS = tuple(dict.fromkeys(field for fields in _NAMES.values() for field in fields))
"""What `--map HEADER=FIELD` may name."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Which column of a table holds which field."""

    kind: TableKind
    columns: Mapping[str, int]
    ignored: tuple[str, ...]
    """Headers that nothing reads."""


def plain(header: str) -> str:
    """Return what two spellings of one header share."""
    text = _DROPPED.sub("", _BRACKETS.sub("", cleaned(header.replace("\n", " ")))).casefold()
    return _PREFIX.sub("", text)


def read_map(pairs: Sequence[str], *, fields: Sequence[str] = FIELDS) -> dict[str, str]:
    """Return `--map` options (`용어명=name`) as `fields` by plain header.

    Raises:
        ImportFault: a pair names no field.
    """
    found: dict[str, str] = {}
    for pair in pairs:
        header, _, name = pair.rpartition("=")
        if not header.strip() or name.strip() not in fields:
            message = f"--map {pair}: write HEADER=FIELD, a field is one of {', '.join(fields)}."
            raise ImportFault(message)
        found[plain(header)] = name.strip()
    return found


def find_layout(cells: Sequence[str], named: Mapping[str, str]) -> Layout | None:
    """Return what a row of headers says, None if it is no such row; `named` goes first."""
    headers = [plain(cell) for cell in cells]
    for kind, required in _REQUIRED.items():
        columns: dict[str, int] = {}
        for index, header in enumerate(headers):
            field = named.get(header) or _FIELDS[kind].get(header)
            if field in _NAMES[kind]:
                columns.setdefault(field, index)
        if all(field in columns for field in required):
            used = set(columns.values())
            ignored = [c for i, c in enumerate(cells) if c.strip() and i not in used]
            return Layout(kind, columns, tuple(cleaned(cell) for cell in ignored))
    return None


def missing_headers(where: str, cells: Sequence[str]) -> ImportFault:
    """Return the error of a table none of whose first rows names what a glossary holds."""
    shown = [f"`{cleaned(cell)}`" for cell in cells if cell.strip()][:_SHOWN]
    return ImportFault(
        f"{where}: no row at its top has the headers of terms (용어명, 영문약어명), words "
        "(단어명, 영문약어명) or domains (도메인명, 데이터타입). "
        f"It begins with: {', '.join(shown) or 'nothing'}. "
        'Name the columns, such as: --map "용어명=name" --map "영문약어명=physical_name" '
        "(for words: name and abbreviation)."
    )
