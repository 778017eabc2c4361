"""Compare the type a column declares with the type its domain asks for (rule D2)."""

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from minerva_data.core.glossary.entry import Domain
from minerva_data.core.schema.record import Row, Severity

_TYPE = re.compile(
    r"\s*([A-Za-z][A-Za-z0-9 _]*?)\s*(?:\(\s*(\d+)[^,)]*(?:,\s*(\d+)\s*)?\))?\s*(?:unsigned)?\s*"
)
_FAMILIES = {
    "CHAR": "CHAR NCHAR BPCHAR CHARACTER",
    "VARCHAR": "VARCHAR VARCHAR2 NVARCHAR NVARCHAR2 STRING CHARACTER_VARYING",
    "TEXT": "TEXT CLOB NCLOB LONG LONGTEXT MEDIUMTEXT TINYTEXT",
    "NUMERIC": "NUMERIC NUMBER DECIMAL DEC",
    "INTEGER": "INT INTEGER BIGINT SMALLINT TINYINT MEDIUMINT SERIAL BIGSERIAL",
    "DATETIME": "DATETIME DATETIME2 TIMESTAMP TIMESTAMPTZ TIMESTAMPNTZ TIMESTAMPLTZ",
    "DATE": "DATE",
}
_KINDS = {"text": "CHAR VARCHAR TEXT", "number": "NUMERIC INTEGER", "time": "DATE DATETIME"}
_KIND = {family: kind for kind, families in _KINDS.items() for family in families.split()}
_MAX_TYPES = 4_096
"""Types of columns kept as they were read: a large schema declares few of them, again and again."""

_FAMILY = {name: family for family, names in _FAMILIES.items() for name in names.split()}


_TIME_CHARACTERS = {"DATE": len("20261231"), "DATETIME": len("20261231235959")}
_INTEGER_DIGITS = {"TINYINT": 3, "SMALLINT": 5, "MEDIUMINT": 7, "BIGINT": 19, "BIGSERIAL": 19}
"""Of the largest number; all others have 32 bits and ten digits."""

TypeChange = Literal["", "narrower", "converted", "fits"]
"""What values meet in another type: the same, less room, another kind of values, enough room."""


@dataclass(frozen=True, slots=True)
class DeclaredType:
    """A column's type: its family (`VARCHAR2` is VARCHAR), length and scale."""

    family: str
    length: int | None
    scale: int | None


@lru_cache(_MAX_TYPES)
def read_type(text: str, *, dialect: str | None = None) -> DeclaredType | None:
    """Return what `text` declares, None if it is no type that a domain could ask for.

    Oracle's DATE holds a time of day, so there it is a DATETIME.
    """
    found = _TYPE.fullmatch(text)
    if found is None:
        return None
    name = "_".join(found.group(1).upper().split())
    family = _FAMILY.get(name) or _FAMILY.get(name.split("_")[0])
    if family is None:
        return None
    if family == "DATE" and dialect == "oracle":
        family = "DATETIME"
    has_length = family in {"CHAR", "VARCHAR", "NUMERIC"}
    length = int(found.group(2)) if found.group(2) and has_length else None
    scale = int(found.group(3)) if found.group(3) and has_length else None
    return DeclaredType(family, length, scale)


def difference(type_text: str, domain: Domain, *, dialect: str | None = None) -> Severity | None:
    """Return how far a declared type is from its domain, None if it fits.

    `high`: values must be converted; `medium`: the domain is narrower, values may not fit;
    `low`: the same values fit, only the declaration differs.
    """
    found = read_type(type_text, dialect=dialect)
    if found is None:
        return "medium"
    if found.family == domain.data_type:
        return _length_difference(found, domain)
    if {found.family, domain.data_type} == {"CHAR", "VARCHAR"}:
        return _length_difference(found, domain) or "low"
    if found.family == "TEXT" and domain.data_type == "VARCHAR":
        return "medium"
    if found.family == "INTEGER" and domain.data_type == "NUMERIC" and not domain.scale:
        return "low"
    return "high"


def same_kind(type_text: str, domain: Domain, *, dialect: str | None = None) -> bool:
    """True if a declared type is of the kind of a domain's: numbers, texts or times.

    Times are also kept as text: 연월일C8 is CHAR(8).
    """
    found = read_type(type_text, dialect=dialect)
    if found is None:
        return True
    kinds = (_KIND.get(found.family), _KIND.get(domain.data_type))
    if kinds[0] == kinds[1] or None in kinds:
        return True
    families = {found.family, domain.data_type}
    return "time" in kinds and bool(families & {"CHAR", "VARCHAR"})


def type_change(old_type: str, new_type: str, *, dialect: str | None = None) -> TypeChange:
    """Return what values of the SQL type `old_type` meet in the type `new_type`.

    `narrower`: some may be cut or refused. A time and its text are two forms, whatever room they
    have. A type that is not known is no change.
    """
    old, new = read_type(old_type, dialect=dialect), read_type(new_type)
    if old is None or new is None or old == new:
        return ""
    kinds = {_KIND[old.family], _KIND[new.family]}
    if "time" in kinds and len(kinds) > 1:
        return "converted"
    if _needs(old_type, old, new) > _room(new) or (
        (old.scale or 0) > (new.scale or 0) and (_KIND[new.family] == "number")
    ):
        return "narrower"
    return "fits" if _KIND[old.family] == _KIND[new.family] else "converted"


def row_type_change(row: Row) -> TypeChange:
    """Return what a column's values would meet in the standard's type; nothing where one lacks."""
    if row.item.data_type is None or row.data_type is None:
        return ""
    return type_change(row.item.data_type, row.data_type, dialect=row.item.dialect)


def _room(new: DeclaredType) -> float:
    """Return how many characters, or digits before the point, a type takes."""
    if _KIND[new.family] == "time":
        return _TIME_CHARACTERS[new.family]
    if new.length is None:
        return 1 if new.family == "CHAR" else math.inf
    return new.length - (new.scale or 0)


def _needs(type_text: str, old: DeclaredType, new: DeclaredType) -> float:
    """Return how much of that the longest value takes; text is read as a number."""
    kinds = (_KIND[old.family], _KIND[new.family])
    if kinds[0] == "time":
        return _TIME_CHARACTERS[old.family]
    if kinds[0] == "text":
        return _room(old) if kinds[1] == "text" else 0
    if old.family == "INTEGER":
        name = type_text.strip().upper().partition("(")[0].split()[0]
        return _INTEGER_DIGITS.get(name, 10)
    point = bool(old.scale) and kinds[1] == "text"
    return _room(old) + (old.scale or 0) * (kinds[1] == "text") + point


def _length_difference(column_type: DeclaredType, domain: Domain) -> Severity | None:
    if domain.length is None:
        return None
    if column_type.length is None:
        return "medium" if column_type.family == "NUMERIC" else "low"
    if column_type.length == domain.length and (column_type.scale or 0) == (domain.scale or 0):
        return None
    whole = column_type.length - (column_type.scale or 0) > domain.length - (domain.scale or 0)
    return "medium" if whole or (column_type.scale or 0) > (domain.scale or 0) else "low"
