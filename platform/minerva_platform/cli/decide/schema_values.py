"""What a person types as a value, read by the JSON Schema of the argument."""

import json
from typing import Any, Final, NoReturn

from minerva_platform.cli.io.escape import harmless
from minerva_platform.errors import RunError
from minerva_platform.people.answer_schema import as_mapping, follow_reference, kind_of, kinds_of
from minerva_platform.people.typed_answer import choices_of, typed_answer
from minerva_platform.text.texts import read_texts
from minerva_platform.text.words import Words, read_words

TEXTS = read_texts("minerva_platform.cli.decide", "typed")
WORDS: Final[Words] = read_words("minerva_platform.cli.decide", "decisions")
_MAX_SHOWN = 80
"""Characters of a wrong value in an error, and of the values that are allowed."""


def parse_value(name: str, text: str, schema: Any, *, before: Any = None) -> Any:
    """Return the value that `text` means for the argument `name`.

    The schema's types decide (`typed_answer`): text stays text where a text is allowed, else it is
    read as JSON. If the schema says nothing, the type of the value `before` decides, and without
    one it is a text.

    Raises:
        RunError: the schema allows no text, and it is no JSON of an allowed type.
    """
    if (answer := typed_answer(text, schema)) is not text:
        return answer
    kinds = kinds_of(schema) or _kind_before(before)
    if not kinds or "string" in kinds:
        return text
    value = _read_json(name, text, kinds)
    kind = kind_of(value)
    if kind in kinds or (kind == "integer" and "number" in kinds):
        return value
    if isinstance(value, float) and value.is_integer() and "integer" in kinds:
        return int(value)
    return _refuse_kind(name, text, kinds)


def checked_value(name: str, text: str, schema: Any, *, before: Any = None) -> Any:
    """Return the value that `text` means, which is one of the schema's values if it lists them.

    Raises:
        RunError: it is of a wrong type, or not one of them.
    """
    value = parse_value(name, text, schema, before=before)
    values = choices_of(schema)
    if values and value not in values:
        shown = {"name": harmless(name), "value": harmless(text[:_MAX_SHOWN])}
        refuse_input("not_listed", **shown, choices=allowed_values(schema))
    return value


def refuse_input(key: str, **values: str) -> NoReturn:
    """Refuse what was typed; `key` is the text that says why, in both languages.

    Raises:
        RunError: always.
    """
    error = RunError(TEXTS(key, "en", **values))
    error.korean = TEXTS(key, "ko", **values)
    raise error


def _read_json(name: str, text: str, kinds: frozenset[str]) -> Any:
    try:
        return json.loads(text, parse_constant=lambda _: _refuse_kind(name, text, kinds))
    except (ValueError, RecursionError):
        _refuse_kind(name, text, kinds)


def _refuse_kind(name: str, text: str, kinds: frozenset[str]) -> NoReturn:
    shown = {
        "name": harmless(name),
        "value": harmless(text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"),
    }
    if kinds == frozenset({"boolean"}):
        refuse_input("no_boolean", **shown)
    names = [f"`{kind}`" for kind in sorted(kinds)]
    refuse_input("wrong_type", **shown, kinds=" / ".join(names))


def is_object(schema: Any) -> bool:
    """True if a schema allows objects alone."""
    return kinds_of(schema) == frozenset({"object"})


def is_closed(schema: Any) -> bool:
    """True if a schema refuses properties that it does not name."""
    whole = follow_reference(schema, schema)
    return bool(whole.get("properties")) and whole.get("additionalProperties") is False


def property_schema(schema: Any, name: str) -> Any:
    """Return the schema of one property, with the definitions that it may refer to."""
    whole = follow_reference(schema, schema)
    inner = as_mapping(whole.get("properties")).get(name, {})
    shared = {key: schema[key] for key in ("$defs", "definitions") if key in as_mapping(schema)}
    return {**as_mapping(inner), **shared}


def property_names(schema: Any) -> tuple[str, ...]:
    """Return the names of an object's properties, if its schema says them."""
    return tuple(as_mapping(follow_reference(schema, schema).get("properties")))


def allowed_values(schema: Any) -> str:
    """Return what a value may be, harmless to show: `blue / green`, `integer`; empty if any text.

    At most 80 characters of it are given.
    """
    values, kinds = choices_of(schema), kinds_of(schema)
    if values:
        told = " / ".join(harmless(str(value)) for value in values)
    else:
        told = "" if "string" in kinds else " / ".join(sorted(kinds))
    return told if len(told) <= _MAX_SHOWN else f"{told[:_MAX_SHOWN]}…"


def required_names(schema: Any) -> frozenset[str]:
    """Return the names of the properties that an object must have."""
    return frozenset(follow_reference(schema, schema).get("required", ()))


def _kind_before(value: Any) -> frozenset[str]:
    if value is None or isinstance(value, str):
        return frozenset()
    return frozenset({"number"}) if isinstance(value, float) else frozenset({kind_of(value)})
