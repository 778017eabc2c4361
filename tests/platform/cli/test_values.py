"""What is typed as a value is read by the type that the argument has."""

from typing import Any

import pytest

from minerva_platform.cli.decide.schema_values import parse_value, property_schema
from minerva_platform.errors import RunError
from minerva_platform.people.answer_schema import kinds_of

OPTIONAL = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
SHARED = {
    "properties": {
        "to": {"$ref": "#/$defs/Account"},
        "loop": {"$ref": "#/$defs/Loop"},
        "gone": {"$ref": "#/$defs/Nobody"},
        "away": {"$ref": "https://example.invalid/schema.json#/a"},
        "deep": {"$ref": "#/$defs/Account/type/x"},
    },
    "$defs": {"Account": {"type": "object"}, "Loop": {"$ref": "#/$defs/Loop"}},
}


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        ("9000", {"type": "integer"}, 9000),
        ("9000.0", {"type": "integer"}, 9000),
        ("9e3", {"type": "number"}, 9000.0),
        ("7", {"type": "number"}, 7),
        ("12", {"type": "string"}, "12"),
        ("", {"type": "string"}, ""),
        ("null", OPTIONAL, None),
        ("5", OPTIONAL, 5),
        ("null", {"type": ["string", "null"]}, "null"),
        ("true", {"type": "boolean"}, True),
        ("아니오", {"type": "boolean"}, False),
        ("Yes", {"type": "boolean"}, True),
        ('["a"]', {"type": "array"}, ["a"]),
        ('{"b": 1}', property_schema(SHARED, "to"), {"b": 1}),
        ("2", {"enum": [1, 2]}, 2),
        ("2", {"enum": ["1", "2"]}, "2"),
        ("anything", {}, "anything"),
        ("12", {}, "12"),
        ("12", property_schema(SHARED, "loop"), "12"),
        ("12", property_schema(SHARED, "gone"), "12"),
        ("12", property_schema(SHARED, "away"), "12"),
        ("12", property_schema(SHARED, "deep"), "12"),
        ("12", {"$id": 5, "$ref": "#/a"}, "12"),
    ],
)
def test_the_schema_decides(text: str, schema: Any, value: Any) -> None:
    """A text stays one where texts are allowed; elsewhere it is JSON."""
    read = parse_value("x", text, schema)

    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(
    ("text", "before", "value"), [("12", 9, 12), ("12", "9", "12"), ("1.5", 2.0, 1.5)]
)
def test_the_value_before_decides_where_no_schema_does(text: str, before: Any, value: Any) -> None:
    """An edit of a number is a number."""
    assert parse_value("x", text, {}, before=before) == value


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("9.5", {"type": "integer"}),
        ("a few", {"type": "integer"}),
        ("true", {"type": "integer"}),
        ("NaN", {"type": "number"}),
        ("[" * 100_000, {"type": "array"}),
        ('"a"', {"type": "object"}),
        ("1" * 5_000, {"type": "integer"}),
    ],
)
def test_what_has_another_type_is_refused(text: str, schema: Any) -> None:
    """By name, with the type that is wanted."""
    with pytest.raises(RunError, match="`amount` is of type `"):
        parse_value("amount", text, schema)


def test_a_schema_that_refers_in_a_circle_says_nothing() -> None:
    """It is no reason to go round for ever."""
    circle: dict[str, Any] = {"anyOf": [{"$ref": "#"}]}

    assert kinds_of(circle) == frozenset()
