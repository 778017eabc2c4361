"""What a person writes as an answer, read by the type that the question declares.

A choice is taken by its value, its number or its place ("the second one", "3번"), numbers and dates
as people write them ("1,500", "30개", "14 July 2026"). Only a whole answer counts, with the closed
list of words that people put around one. What is not understood stays as it is, so the question's
schema refuses it and says what it takes.
"""

import re
import unicodedata
from calendar import month_abbr, month_name
from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from typing import Any, Final

from minerva_platform.people.answer_schema import (
    MAX_REFERENCES,
    as_mapping,
    follow_reference,
    kinds_of,
)
from minerva_platform.text.words import Words, read_words

WORDS: Final[Words] = read_words("minerva_platform.people", "typed_answers")

MAX_CHARACTERS: Final = 200
"""Characters of an answer of a closed type. A longer one says more."""
_WHOLE: Final = r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)"
_MARKS: Final = "'\"`“”‘’「」"


def typed_answer(answer: Any, schema: Any) -> Any:
    """Return the value of the type of `schema` that `answer` says; `answer` if it says none.

    A text stays as it is where any text is an answer.
    """
    choices = choices_of(schema)
    is_number = isinstance(answer, int) and not isinstance(answer, bool)
    if answer in choices or not (isinstance(answer, str) or (is_number and choices)):
        return answer
    words = " ".join(unicodedata.normalize("NFKC", str(answer)).split())
    if len(words) > MAX_CHARACTERS:
        return answer
    if choices:
        return _choice(words, choices, answer)
    kinds = kinds_of(schema)
    if "string" in kinds or not kinds:
        return (_date(words) if _is_date(schema) else None) or answer
    return _number_or_truth(words, kinds, answer)


def choices_of(schema: Any) -> Sequence[Any]:
    """Return the values of which the answer is one; none if other values are answers, too."""
    return _choices(schema, schema, MAX_REFERENCES) or ()


def _choices(schema: Any, whole: Any, depth: int) -> list[Any] | None:
    """Return the values that a part of a schema lists; None if it takes any of a type."""
    part = follow_reference(schema, whole)
    values: list[Any] | None = [part["const"]] if "const" in part else part.get("enum")
    if isinstance(values, list):
        return values
    branches = [*part.get("anyOf", ()), *part.get("oneOf", ())]
    branches = [each for each in branches if as_mapping(each).get("type") != "null"]
    inner = [_choices(each, whole, depth - 1) for each in branches] if depth > 0 else []
    return None if not inner or None in inner else [value for each in inner for value in each or ()]


def _number_or_truth(words: str, kinds: frozenset[str], answer: Any) -> Any:
    if kinds & {"integer", "number"}:
        units = f"(?: ?(?:{WORDS.patterns('units.ko')}|{WORDS.patterns('units.en')}))?"
        fraction = "" if "number" not in kinds else r"(?:\.\d+)?"
        if match := _find(rf"(?P<n>{_WHOLE}{fraction}){units}", words):
            number = match["n"].replace(",", "")
            return float(number) if "." in number else int(number)
    if "boolean" in kinds:
        for value, key in ((True, "booleans.yes"), (False, "booleans.no")):
            if _find(WORDS.patterns(key), words):
                return value
    return answer


def _choice(words: str, choices: Sequence[Any], answer: Any) -> Any:
    matches = [each for each in choices if _find(re.escape(str(each)), words)]
    if matches:
        longest = max(len(str(each)) for each in matches)
        matches = [each for each in matches if len(str(each)) == longest]
        return matches[0] if len(matches) == 1 else answer
    table = WORDS.table("places").items()
    places = [int(place) for place, forms in table if _find("|".join(forms), words)]
    if not places and all(isinstance(each, str) for each in choices):  # else it may be a value
        places = [int(number["n"]) for number in (_find(r"(?P<n>\d{1,4})", words),) if number]
    place = (len(choices) if places[0] < 0 else places[0]) if places else 0
    return choices[place - 1] if 0 < place <= len(choices) else answer


def _find(pattern: str, text: str) -> re.Match[str] | None:
    """Return the match of `pattern` in all of `text`, but for the words that people put around."""
    before, after = WORDS.patterns("before"), WORDS.patterns("after")
    end = r"[\s,.!~]*"
    whole = rf"(?:(?:{before})\s+)*[{_MARKS}]*(?:{pattern})[{_MARKS}]*{end}(?:(?:{after}){end})*"
    return re.fullmatch(unicodedata.normalize("NFKC", whole), text, re.IGNORECASE)


def _is_date(schema: Any) -> bool:
    part = follow_reference(schema, schema)
    branches = (part, *map(as_mapping, part.get("anyOf", ())))
    return any(each.get("format") == "date" for each in branches)


def _date(text: str) -> str | None:
    forms = (WORDS.patterns(f"dates.{key}") for key in WORDS.table("dates"))
    for match in filter(None, (_find(form, text) for form in forms)):
        month = match["m"].casefold()
        number = int(month) if month.isdigit() else _MONTHS.get(month, 0)
        with suppress(ValueError):  # there is no such day
            return date(int(match["y"]), number, int(match["d"])).isoformat()
    return None


_MONTHS: Final = {
    name.casefold(): number
    for names in (month_name, month_abbr)
    for number, name in enumerate(names)
    if name
}
