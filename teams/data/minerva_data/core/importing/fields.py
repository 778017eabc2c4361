"""Check the fields of a row, and make the entry that most rows are: a term."""

import re
from typing import NoReturn

from minerva_data.core.glossary.draft import Draft, Place
from minerva_data.core.glossary.glossary import PHYSICAL
from minerva_data.core.language.text import MAX_PHRASE, cleaned

Fields = dict[str, str]
"""A row's cells by field; a cell of `-` is empty."""

NOTHING = "-"
"""What the public standard writes into a cell that holds nothing."""

_SEPARATOR = re.compile(r"[,;\n]")
_YES = frozenset({"y", "yes", "true", "1", "o", "예"})
_RETIRED = frozenset({"폐기", "deprecated", "retired"})
_ISSUE_RETIRED = "(폐기)"
_MAX_SHOWN_CHARACTERS = 60


class RowError(Exception):
    """What is wrong with a row."""


def reject(reason: str) -> NoReturn:
    """Refuse the row.

    Raises:
        RowError: always.
    """
    raise RowError(reason)


def entry_name(fields: Fields) -> str:
    """Return an entry's name.

    Raises:
        RowError: there is none, or it is a text.
    """
    name = cleaned(fields.get("name", "")[: MAX_PHRASE * 4])
    if not any(char.isalnum() for char in name):
        reject("it has no name")
    if len(name) > MAX_PHRASE:
        reject(f"`{name[:20]}…` is too long for a name ({MAX_PHRASE} letters at most)")
    return name


def physical_name(text: str) -> str:
    """Return `text` as a physical name.

    Raises:
        RowError: it is none.
    """
    name = cleaned(text).upper()
    if not name:
        reject("it has no physical name")
    if not PHYSICAL.fullmatch(name):
        reject(
            f"`{name[:_MAX_SHOWN_CHARACTERS]}` is no physical name (Latin letters, digits and _)"
        )
    return name


def several(fields: Fields, name: str) -> list[str]:
    """Return the parts of a list in a cell, each once."""
    parts = (cleaned(part) for part in _SEPARATOR.split(fields.get(name, "")))
    return list(dict.fromkeys(part for part in parts if part and part != NOTHING))


def is_yes(fields: Fields, name: str) -> bool:
    """True if a cell says yes."""
    return fields.get(name, "").casefold() in _YES


def is_retired(fields: Fields) -> bool:
    """True if a term is retired: 제정차수 says `(폐기)`, which `(폐기후제정)` does not."""
    issue = "".join(fields.get("issue", "").split())
    marks = {fields.get(name, "").casefold() for name in ("revision", "retired")}
    return _ISSUE_RETIRED in issue or bool(marks & _RETIRED) or is_yes(fields, "retired")


def term_draft(fields: Fields, place: Place) -> Draft:
    """Return a term.

    Raises:
        RowError: it has no name, or no physical name.
    """
    name = entry_name(fields)
    physical = physical_name(fields.get("physical_name", ""))
    synonyms = several(fields, "synonyms")
    body = {
        "physical_name": physical,
        "domain": fields.get("domain") or None,
        "subject_area": fields.get("subject_area") or None,
        "synonyms": synonyms,
        "replaced_by": fields.get("replaced_by") or None,
        "description": fields.get("description", ""),
    }
    return Draft("term", name, body, place, is_retired(fields), also=(*synonyms, physical))
