"""Read a row of OpenMetadata's glossary CSV.

OpenMetadata knows no physical names. A row is a term where its custom properties give one
(`physicalName:PT_NM` in `extension`), or where its name is one and its display name says it in
words; otherwise only its synonyms are of use, for the word or term of its name.
"""

from minerva_data.core.glossary.draft import Draft, Place
from minerva_data.core.glossary.glossary import PHYSICAL
from minerva_data.core.importing.fields import (
    Fields,
    entry_name,
    reject,
    several,
    term_draft,
)

_CLOSED = frozenset({"draft", "in review", "rejected", "unprocessed"})
_PHYSICAL = frozenset({"physicalname", "abbreviation", "columnname"})
_DOMAIN = frozenset({"domain", "datadomain"})


def openmetadata_drafts(fields: Fields, place: Place) -> tuple[Draft, ...]:
    """Return the term of a row, or its synonyms as aliases.

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
