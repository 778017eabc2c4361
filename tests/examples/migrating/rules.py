"""The standard: the end of a column's name says which type it has."""

from collections.abc import Iterable

TYPES = {"NM": "VARCHAR", "YMD": "CHAR", "DT": "TIMESTAMP", "CD": "VARCHAR"}


def audit_text(columns: Iterable[tuple[str, str]]) -> str:
    found: list[str] = []
    for name, kind in columns:
        wanted = TYPES[name.rpartition("_")[2]]
        if not kind.startswith(wanted):
            found.append(f"{name} is {kind}, not {wanted}")
    return "\n".join(found) or "no finding"
