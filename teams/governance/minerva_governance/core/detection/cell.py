"""Find what one cell holds, as it is written and as programs and people rewrite it.

A cell is a value or holds a few, so it may be read in ways that a sentence may not: without what
stands around its value, without its label, by its letters and digits alone.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from minerva_governance.core.detection.ciphertext import decode
from minerva_governance.core.detection.column_name import promised_entity
from minerva_governance.core.detection.detector import (
    MAY_HOLD,
    WITHOUT_CHECK_DIGIT,
    find,
    find_normalised,
)
from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.detection.forms import Detectors, current_detectors
from minerva_governance.core.kinds.catalogue import bundled_catalogue
from minerva_governance.core.kinds.extra import has_extra
from minerva_governance.core.kinds.kind import Kind
from minerva_governance.core.values.phone import phone_region
from minerva_governance.core.values.rewriting import has_enough_digits, rewritings
from minerva_governance.core.values.value_check import CERTAIN, WEAK, score
from minerva_governance.core.values.writing import (
    EXTENSION,
    WORDS_BEFORE,
    bare,
    compact,
    is_masked,
    letters_of,
    normalised,
    split_label,
    squeeze,
)

_MIN_CODE_CHARACTERS = 12
"""Of base64 that holds a phone number."""
_MAX_WEAK_CHARACTERS = 40
_MAX_NAMED_CHARACTERS = 120
"""Of a cell that is a value with words around it, or a list of values."""
_EXTENSION = re.compile(rf"{EXTENSION}$")
_LIST = re.compile(r"[;|,&\n]| / |<br ?/?>")
_BY_FORM = WITHOUT_CHECK_DIGIT | {"KR_RRN", "KR_FRN", "UK_NINO"}
"""Of them no check digit is asked beside a label: there is none, or newer numbers have none."""


WEAK_ALONE: dict[Entity, re.Pattern[str]] = {
    kind.id: re.compile(kind.weak)
    for kind in bundled_catalogue().kinds.values()
    if kind.weak and not kind.form
}
"""Forms that other numbers have as well: a column full of them is suspected, whatever it is called.

Korean passports begin with the letter of their kind, licences with the region that issued them.
"""


def weak_forms(text: str) -> list[tuple[Entity, float]]:
    """Return the kinds that the whole cell may be, by form and check digit."""
    cell = normalised(text).strip()
    if len(cell) > _MAX_NAMED_CHARACTERS:
        return []
    detectors = current_detectors()
    for reading in _readings(cell):
        if len(reading) <= _MAX_WEAK_CHARACTERS and detectors.any_weak.fullmatch(reading):
            return _weak_values(reading, detectors)
    return _of_list(cell, detectors) if has_enough_digits(cell) else []


def _of_list(cell: str, detectors: Detectors) -> list[tuple[Entity, float]]:
    """Return the kinds that all parts of a list are values of."""
    first, *others = [_value_alone(bare(part), detectors) for part in _parts(cell)] or [[]]
    return [each for each in first if all(each[0] in dict(other) for other in others)]


def _value_alone(cell: str, detectors: Detectors) -> list[tuple[Entity, float]]:
    """Return the kinds that a part of a list is a value of."""
    if detectors.any_weak.fullmatch(cell):
        return _weak_values(cell, detectors)
    return [(match.entity, WEAK) for match in find_normalised(cell, detectors)]


def _readings(cell: str) -> Iterator[str]:
    """Yield a cell as it is, without what stands around its value, and without words beside it."""
    yield cell
    inner = _EXTENSION.sub("", bare(cell))
    yield inner
    if has_enough_digits(cell):
        yield from _among_words(_EXTENSION.sub("", cell))


def _among_words(cell: str) -> Iterator[str]:
    """Yield the number of a cell that has one: digits in groups, with words beside them."""
    found = _ONE_NUMBER.fullmatch(cell)
    if found is not None and not found["value"].isdigit():
        yield found["value"].removeprefix("(") if ")" not in found["value"] else found["value"]


_MINUTE = re.compile(
    r"20[0-4][0-9](?:0[1-9]|1[0-2])(?:[0-2][0-9]|3[01])(?:[01][0-9]|2[0-3])[0-5][0-9]"
)
"""The year, month, day, hour and minute: columns are full of them."""
_ONE_NUMBER = re.compile(
    rf"(?:{WORDS_BEFORE})?"
    r"(?P<value>\+? ?\(?[0-9][^A-Za-z]{7,30}[0-9])(?![0-9A-Za-z])[^0-9]{0,30}"
)
"""Between words, digits alone are anything: there must be signs between them."""


def _weak_values(cell: str, detectors: Detectors) -> list[tuple[Entity, float]]:
    """Return the kinds that a cell may be which is nothing but a value."""
    if _MINUTE.fullmatch(cell):
        return []
    found: list[tuple[Entity, float]] = []
    for entity, form in detectors.weak.items():
        kind = detectors.kinds[entity]
        if form.fullmatch(cell) and (not kind.needs or has_extra(kind.needs)):
            sure = score(kind, cell, is_named=False)
            if sure is not None:
                # What is certain of the kind has the form that is believed anywhere.
                found.append((entity, WEAK if kind.form else sure))
    proved = [each for each in found if each[0] not in WITHOUT_CHECK_DIGIT]
    # A number plan proves as much as a check digit that one number in ten has.
    plan = [each for each in found if each[0] == "PHONE" and not _IN_BLANKS.fullmatch(cell)]
    return [*proved, *plan] if proved else found


_IN_BLANKS = re.compile(r"[0-9]{3} [0-9]{3} [0-9]{4}")
"""As health services write their numbers, and few people a phone number."""


def region_of(cell: str) -> str:
    """Return the country whose plan the phone number of a cell follows, or "" if none tells."""
    for text in (cell, decode(cell) or ""):
        for match in find(text):
            if match.entity == "PHONE":
                return match.region
    return phone_region(normalised(cell).strip()) or ""


def has_named_form(entity: Entity) -> bool:
    """True if values of `entity` can be recognised at all, given a telling name."""
    return entity in current_detectors().named_forms


def find_in_cell(text: str, entity: Entity | None) -> list[tuple[Entity, float]]:
    """Return what one cell holds, each entity once with its best score.

    `entity` is what the column's name promises; it admits weak forms that fill the cell. What
    base64 or hexadecimal encodes is looked at, too.
    """
    found = _find_in_text(text, entity)
    if found or len(text) < _MIN_CODE_CHARACTERS:
        return found
    inner = decode(text)
    return _find_in_text(inner, entity) if inner is not None else found


def _find_in_text(text: str, entity: Entity | None) -> list[tuple[Entity, float]]:
    detectors = current_detectors()
    best: dict[Entity, float] = {}
    if detectors.has_own or MAY_HOLD.search(text):
        text = normalised(text)
        for match in find_normalised(text, detectors):
            best[match.entity] = max(match.score, best.get(match.entity, 0.0))
    elif entity is None:
        return []
    if entity is None:
        return list(best.items()) if best else _rewritten(text)
    if entity in best:
        return list(best.items())
    value = _named_value(text.strip(), entity, detectors)
    if value is None and (sibling := detectors.kinds[entity].sibling) and sibling not in best:
        entity, value = sibling, _named_value(text.strip(), sibling, detectors)
    if value is None:
        return list(best.items()) if best else _rewritten(text)
    # `national_id` tells no country: the check digit may.
    more = weak_forms(value.text) if entity == "NATIONAL_ID" else []
    # A name whose values are checked says more than a form that several kinds share.
    others = () if detectors.kinds[entity].check else best.items()
    return list({**dict(more), **dict(others), entity: value.score}.items())


class NamedValue(NamedTuple):
    """What a cell of a column named so holds of the kind."""

    text: str
    score: float


def named_value(text: str, entity: Entity) -> NamedValue | None:
    """Return the value of `entity` that a cell holds whose column is named so.

    First as it stands; then without quotes and the like; then its letters and digits alone, with a
    label before it, or as one of a list; then among other words, where its check digit proves it.
    """
    return _named_value(normalised(text).strip(), entity, current_detectors())


def _named_value(cell: str, entity: Entity, detectors: Detectors) -> NamedValue | None:
    form = detectors.named_forms.get(entity)
    if form is None:
        return None
    kind = detectors.kinds[entity]
    sure = score(kind, cell, is_named=True) if form.fullmatch(cell) else None
    if sure is not None:
        return NamedValue(cell, sure)
    inner = bare(cell)
    sure = score(kind, inner, is_named=True) if form.fullmatch(inner) else None
    if sure is not None:
        return NamedValue(inner, sure)
    plain = detectors.plain.get(entity)
    if plain is None or len(cell) > _MAX_NAMED_CHARACTERS:
        return None
    values = (_plain_value(kind, plain, part) for part in (cell, *_parts(cell)))
    value = next((value for value in values if value is not None), None)
    value = value or _proved_value(cell, *detectors.among_words[entity])
    if value is None and has_enough_digits(cell):
        readings = (_named_value(reading, entity, detectors) for reading in rewritings(cell))
        is_free = entity in _BY_FORM
        value = next((v for v in readings if v and (is_free or v.score == CERTAIN)), None)
    return value


def _proved_value(cell: str, kind: Kind, pattern: re.Pattern[str]) -> NamedValue | None:
    """Return the first value among other words that the check of `kind` proves."""
    for hit in pattern.finditer(cell) if kind.check else ():
        if score(kind, hit.group(), is_named=False) == CERTAIN:
            return NamedValue(hit.group(), CERTAIN)
    return None


def _parts(cell: str) -> list[str]:
    """Return the parts of a list in one cell; nothing if it is none."""
    parts = _LIST.split(cell)
    return parts if len(parts) > 1 else []


def _plain_value(kind: Kind, plain: re.Pattern[str], cell: str) -> NamedValue | None:
    found = plain.fullmatch(compact(bare(cell))) or plain.fullmatch(compact(cell))
    if found is None:
        return None
    value = found["value"]
    sure = score(kind, value, is_named=True)
    has_more = value != found.group() and kind.id not in _BY_FORM
    return None if sure is None or (has_more and sure != CERTAIN) else NamedValue(value, sure)


def _rewritten(text: str) -> list[tuple[Entity, float]]:
    """Return what a cell holds that names its kind itself, or writes a value in an unusual way."""
    if text.isdigit() or len(text) > _MAX_NAMED_CHARACTERS:
        return []
    cell = text.strip()
    if ("E" in text or "e" in text) and _FLOAT_IN.search(text):
        digits = bare(text)
        if digits.isdigit():
            return [(match.entity, match.score) for match in find(digits)]
    found = _of_label(cell) if _MAY_BE_LABELLED.search(cell) else []
    if found:
        return found
    value = squeeze(cell)
    if value is not None:
        return _reread(value)
    return _of_readings(cell) if has_enough_digits(cell) else []


def _of_readings(cell: str) -> list[tuple[Entity, float]]:
    """Return what the letters and digits of a cell are, or what another reading of it holds."""
    found = _of_letters(cell)
    if any(sure == CERTAIN for _, sure in found) or cell.isalnum():
        return found
    if found:
        return list(dict([*weak_forms(cell), *found]).items())
    for rewriting in rewritings(cell):
        if reread := _reread(rewriting):
            return reread
    return []


def _reread(cell: str) -> list[tuple[Entity, float]]:
    """Return what another reading of a cell holds; a birth alone proves nothing in it."""
    matches = find(cell)
    found = {m.entity: m.score for m in matches if m.score == CERTAIN or m.entity not in _BY_BIRTH}
    return list(found.items()) or weak_forms(cell) or _of_letters(cell)


_BY_BIRTH = frozenset({"KR_RRN", "KR_FRN"})
_MAY_BE_LABELLED = re.compile(r"[:=#)]")
_FLOAT_IN = re.compile(r"[0-9][.,][0-9]{5,}[eE]")


def _of_label(cell: str) -> list[tuple[Entity, float]]:
    pair = split_label(cell)
    named = promised_entity(pair[0]) if pair else None
    if pair is None or named not in current_detectors().plain:
        return []
    value = named_value(pair[1], named)
    if value is None or (value.score != CERTAIN and named not in _BY_FORM):
        return []
    return [(named, value.score)]


def _of_letters(cell: str) -> list[tuple[Entity, float]]:
    """Return the kinds whose check proves the letters and digits of a cell, whatever is between.

    A check of two digits decides alone. One number in ten or in twenty-three has one digit or
    letter by chance, so these are believed where they fill a column.
    """
    detectors = current_detectors()
    letters = letters_of(cell)
    found = _of_joined(cell, letters, detectors) if detectors.any_joined.fullmatch(letters) else []
    return found or ([] if letters.isdigit() else _of_letter(cell, detectors))


def _of_joined(cell: str, letters: str, detectors: Detectors) -> list[tuple[Entity, float]]:
    if _FAR_APART.search(cell) or is_masked(cell) or (":" in cell and letters.isdigit()):
        return []  # a time has a colon
    found: list[tuple[Entity, float]] = []
    for entity, form in detectors.joined_forms.items():
        hit = form.fullmatch(letters)
        kind = detectors.kinds[entity]
        if hit and score(kind, hit["value"], is_named=False) == CERTAIN:
            is_alone = bool(kind.form) and entity not in _BY_BIRTH
            found.append((entity, CERTAIN if is_alone else WEAK))
    return found


_FAR_APART = re.compile(r"[0-9A-Za-z][^0-9A-Za-z]{7,}[0-9A-Za-z]")
"""More signs than anybody puts between the groups of one value."""


def _of_letter(cell: str, detectors: Detectors) -> list[tuple[Entity, float]]:
    """Return the kinds that a letter behind digits proves, among other words."""
    return [
        (kind.id, WEAK)
        for kind, pattern in detectors.lettered_forms
        for hit in pattern.finditer(cell)
        if score(kind, hit.group(), is_named=False) == CERTAIN
    ][:1]
