"""Turn a row of cells into an entry, a term in most rows, or say what is wrong with it."""

import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, get_args

from minerva_data.core.glossary.datatype import read_type
from minerva_data.core.glossary.entry import AliasKind, Draft, Place, Reading
from minerva_data.core.glossary.glossary import PHYSICAL
from minerva_data.core.importing.headers import Layout, TableKind
from minerva_data.core.language.text import MAX_PHRASE, cleaned
from minerva_platform.text import csv_cell_back

Fields = dict[str, str]
"""A row's cells by field; a cell of `-` is empty."""

NOTHING = "-"
"""What the public standard writes into a cell that holds nothing."""

_SEPARATOR = re.compile(r"[,;\n]")
_YES = frozenset({"y", "yes", "true", "1", "o", "예"})
_RETIRED = frozenset({"폐기", "deprecated", "retired"})
_ISSUE_RETIRED = "(폐기)"
_MAX_SHOWN_CHARACTERS = 60
_NUMBER = re.compile(r"\d{1,5}")
_LOST = "\ufffd"


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


def row_to_reading(cells: Sequence[str], layout: Layout, place: Place) -> Reading:
    """Return the entries of a row, or why it has none."""
    fields = {
        name: _value(cells[index]) for name, index in layout.columns.items() if index < len(cells)
    }
    try:
        for name, value in fields.items():
            if _LOST in value:
                reject(f"`{name}` holds letters that were lost before it came here (\ufffd)")
        return Reading(place, _DRAFTS[layout.kind](fields, place))
    except RowError as error:
        return Reading(place, reason=str(error))


def _value(cell: str) -> str:
    """Return what a cell says, without the mark that keeps a spreadsheet from running it."""
    text = csv_cell_back(cell)
    return "" if text == NOTHING else text


def _word(fields: Fields, place: Place) -> tuple[Draft, ...]:
    name = entry_name(fields)
    is_class = is_yes(fields, "class_word")
    body: dict[str, Any] = {
        "abbreviation": physical_name(fields.get("abbreviation", "")),
        "english": cleaned(fields.get("english", "")),
        "is_class": is_class,
        "domain_class": fields.get("domain_class") or None if is_class else None,
        "subject_area": fields.get("subject_area") or None,
        "description": fields.get("description", ""),
        "synonym": [text for text in several(fields, "synonyms") if text != name],
        "forbidden": [text for text in several(fields, "forbidden") if text != name],
    }
    also = (body["abbreviation"], body["english"], *body["synonym"], *body["forbidden"])
    return (Draft("word", name, body, place, also=also),)


def _domain(fields: Fields, place: Place) -> tuple[Draft, ...]:
    name = entry_name(fields)
    declared = cleaned(fields.get("data_type", ""))
    found = read_type(declared)
    if found is None:
        reject(f"`{declared[:40]}` is no data type that is known here")
    length, scale = _whole(fields, "length"), _whole(fields, "scale")
    body = {
        "domain_class": fields.get("domain_class") or name,
        "data_type": found.family,
        "length": found.length if length is None else length,
        "scale": found.scale if scale is None else scale,
        "description": fields.get("description", ""),
    }
    return (Draft("domain", name, body, place),)


def _whole(fields: Fields, name: str) -> int | None:
    text = fields.get(name, "").removesuffix(".0")
    if text and not _NUMBER.fullmatch(text):
        reject(f"`{name}` is no whole number: `{text[:20]}`")
    return int(text) if text else None


def _alias(fields: Fields, place: Place) -> tuple[Draft, ...]:
    kind, target = fields.get("kind", ""), fields.get("target", "").split("+")
    if kind not in get_args(AliasKind):
        reject(f"`{kind[:40]}` is no kind of alias; there are {', '.join(get_args(AliasKind))}")
    if not all(target):
        reject("it stands for no word")
    return (Draft("alias", entry_name(fields), {"kind": kind, "target": target}, place),)


def _subject_area(fields: Fields, place: Place) -> tuple[Draft, ...]:
    body = {"english": cleaned(fields.get("english", ""))}
    return (Draft("subject_area", entry_name(fields), body, place),)


_CLOSED = frozenset({"draft", "in review", "rejected", "unprocessed"})
_PHYSICAL = frozenset({"physicalname", "abbreviation", "columnname"})
_DOMAIN = frozenset({"domain", "datadomain"})


def openmetadata_drafts(fields: Fields, place: Place) -> tuple[Draft, ...]:
    """Return the term of a row of OpenMetadata's glossary, or its synonyms as aliases.

    OpenMetadata knows no physical names. A row is a term where its custom properties give one
    (`physicalName:PT_NM` in `extension`), or where its name is one and its display name says it in
    words; otherwise only its synonyms are of use, for the word or term of its name.

    Raises:
        RowError: the term is not approved, or nothing of it is of use.
    """
    status = fields.get("status", "").casefold()
    if status in _CLOSED:
        reject(f"its status is {fields['status']}, not Approved")
    custom = _custom(fields.get("extension", ""))
    name = fields.get("name", "")
    shown = fields.get("display_name") or name
    physical = next((custom[key] for key in _PHYSICAL if key in custom), "")
    if not physical and PHYSICAL.fullmatch(name) and shown != name:
        physical = name
    given: Fields = {**fields, "name": shown, "physical_name": physical, "retired": status}
    given["domain"] = next((custom[key] for key in _DOMAIN if key in custom), "")
    if physical:
        return (term_draft(given, place),)
    word = entry_name(given)
    aliases = [text for text in several(fields, "synonyms") if text != word]
    if not aliases:
        reject("it has neither a physical name (extension `physicalName:…`) nor synonyms")
    return tuple(_synonym(text, word, place) for text in aliases)


def _synonym(text: str, word: str, place: Place) -> Draft:
    kind = "gloss" if text.isascii() else "synonym"
    return Draft("alias", entry_name({"name": text}), {"kind": kind, "target": [word]}, place)


def _custom(extension: str) -> dict[str, str]:
    """Return custom properties, `name:value` divided by `;`, by name in lower case."""
    pairs = (part.partition(":") for part in extension.split(";"))
    return {name.strip().casefold(): value.strip() for name, _, value in pairs if value.strip()}


_DRAFTS: dict[TableKind, Callable[[Fields, Place], tuple[Draft, ...]]] = {
    "term": lambda fields, place: (term_draft(fields, place),),
    "word": _word,
    "domain": _domain,
    "alias": _alias,
    "subject_area": _subject_area,
    "openmetadata": openmetadata_drafts,
}
