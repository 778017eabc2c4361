"""Prove that a consumer can read what a producer writes (consumer-driven contracts).

Producer and consumer of a kind are different models, often of different teams. The
producer's JSON schema (as serialised: every field is written) has to satisfy the consumer's
(as validated: only its required fields must come).
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, cast

from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.json_schema import GenerateJsonSchema

from minerva_platform.contract.handoff import Handoff

Schema = dict[str, Any]


class _WrittenSchema(GenerateJsonSchema):
    """Marks a field with a default as required, because it is always written."""

    def field_is_required(self, field: Any, total: bool) -> bool:  # noqa: FBT001  # pydantic's signature
        """Return True: the field is in every payload."""
        if field["type"] == "typed-dict-field":
            return super().field_is_required(field, total)
        return field.get("serialization_exclude_if") is None


def incompatibilities(producer: type[Handoff], consumer: type[Handoff]) -> list[str]:
    """Return the obstacles for a consumer, each with its place in the payload.

    An empty list means that every payload of `producer` validates as `consumer`, as far as
    JSON types tell; bounds and patterns are left to validation.
    """
    if producer is consumer:
        return []
    try:
        written, read = _producer_schema(producer), _consumer_schema(consumer)
    except PydanticInvalidForJsonSchema as error:
        return [f"JSON has no form for it, so only the giver's own class can be read ({error})"]
    comparison = _Comparison(written.get("$defs", {}), read.get("$defs", {}))
    return list(comparison.problems(written, read, "", frozenset()))


# One check of the teams asks for each schema many times. Hand-offs are written under their fields'
# names and read under their aliases.


@lru_cache(maxsize=256)
def _producer_schema(producer: type[Handoff]) -> Schema:
    return producer.model_json_schema(
        mode="serialization", by_alias=False, schema_generator=_WrittenSchema
    )


@lru_cache(maxsize=256)
def _consumer_schema(consumer: type[Handoff]) -> Schema:
    return consumer.model_json_schema(mode="validation")


class _Comparison:
    def __init__(self, out_defs: Schema, in_defs: Schema) -> None:
        self.out_defs, self.in_defs = out_defs, in_defs

    def problems(
        self, producer: Schema, consumer: Schema, place: str, seen: frozenset[tuple[str, str]]
    ) -> Iterator[str]:
        pair = (producer.get("$ref", ""), consumer.get("$ref", ""))
        if all(pair) and pair in seen:  # a recursive model: already being compared
            return
        seen |= {pair}
        producer, consumer = _resolve(producer, self.out_defs), _resolve(consumer, self.in_defs)
        wanted = _options(consumer)
        for option in _options(producer):
            if all(list(self._differences(option, each, place, seen)) for each in wanted):
                yield from self._reason(option, consumer, place, seen)

    def _reason(
        self, producer: Schema, consumer: Schema, place: str, seen: frozenset[tuple[str, str]]
    ) -> Iterator[str]:
        options = _options(consumer)
        if len(options) == 1:
            yield from self._differences(producer, options[0], place, seen)
        else:
            wanted = " or ".join(sorted({_type_of(option) for option in options}))
            yield f"`{place or '(whole)'}` is {_type_of(producer)}, expected {wanted}"

    def _differences(
        self, producer: Schema, consumer: Schema, place: str, seen: frozenset[tuple[str, str]]
    ) -> Iterator[str]:
        producer, consumer = _resolve(producer, self.out_defs), _resolve(consumer, self.in_defs)
        if "anyOf" in producer or "anyOf" in consumer:
            yield from self.problems(producer, consumer, place, seen)
            return
        if producer.get("writeOnly"):
            yield f"`{place}` is a secret, which only the giver's own class gets"
            return
        have, want = _type_of(producer), _type_of(consumer)
        if want not in {"any", have} and (have, want) != ("integer", "number"):
            yield f"`{place or '(whole)'}` is {have}, expected {want}"
            return
        allowed = _values(consumer)
        if allowed is not None and not (_values(producer) or {object()}) <= allowed:
            yield f"`{place}` may be other than {', '.join(sorted(map(str, allowed)))}"
        if consumer.get("format", producer.get("format")) not in {producer.get("format"), "path"}:
            yield f"`{place}` may be any {have}, expected {consumer['format']}"
        if want == "object":
            yield from self._object(producer, consumer, place, seen)
            yield from self._open_object(producer, consumer, place, seen)
        elif want == "array":
            yield from self._array(producer, consumer, place, seen)

    def _array(
        self, producer: Schema, consumer: Schema, place: str, seen: frozenset[tuple[str, str]]
    ) -> Iterator[str]:
        given: list[Schema] | None = producer.get("prefixItems")
        expected: list[Schema] | None = consumer.get("prefixItems")
        if expected is None:
            for item in given if given is not None else [producer.get("items", {})]:
                yield from self.problems(item, consumer.get("items", {}), f"{place}[]", seen)
        elif given is None or len(given) != len(expected):
            yield f"`{place}` has another number of items, expected {len(expected)}"
        else:
            for index, (item, wanted) in enumerate(zip(given, expected, strict=True)):
                yield from self.problems(item, wanted, f"{place}[{index}]", seen)

    def _object(
        self, producer: Schema, consumer: Schema, place: str, seen: frozenset[tuple[str, str]]
    ) -> Iterator[str]:
        """Compare the fields that the consumer knows with those that come."""
        gives, others = producer.get("properties", {}), _other_values(producer)
        for name, wanted in consumer.get("properties", {}).items():
            inner = f"{place}.{name}" if place else name
            value = gives.get(name, others)
            if value is not None:
                yield from self.problems(value, wanted, inner, seen)
            if name in consumer.get("required", ()) and name not in producer.get("required", ()):
                yield f"`{inner}` is missing"

    def _open_object(
        self, producer: Schema, consumer: Schema, place: str, seen: frozenset[tuple[str, str]]
    ) -> Iterator[str]:
        """Compare the keys that the consumer does not know by name."""
        known = consumer.get("properties", {})
        unknown = {k: v for k, v in producer.get("properties", {}).items() if k not in known}
        others = _other_values(producer)
        if others is not None:
            unknown["*"] = others
        allowed = consumer.get("additionalProperties", {})  # a tolerant reader says nothing
        for name, value in unknown.items():
            inner = f"{place}.{name}" if place else name
            if allowed is False:
                yield f"`{inner}` is not expected"
            elif isinstance(allowed, dict):
                yield from self.problems(value, cast("Schema", allowed), inner, seen)


def _resolve(schema: Schema, definitions: Schema) -> Schema:
    while "$ref" in schema:
        schema = definitions[schema["$ref"].rsplit("/", 1)[-1]]
    return schema


def _options(schema: Schema) -> list[Schema]:
    return schema.get("anyOf") or schema.get("oneOf") or [schema]


def _other_values(schema: Schema) -> Schema | None:
    """Return what may lie under keys that `schema` does not name; None if there are none."""
    others = schema.get("additionalProperties", False)
    return cast("Schema", others) if isinstance(others, dict) else {} if others else None


def _type_of(schema: Schema) -> str:
    if "type" in schema:
        return str(schema["type"])
    values = _values(schema)
    if values:
        return "string" if all(isinstance(value, str) for value in values) else "any"
    return "any"


def _values(schema: Schema) -> set[Any] | None:
    if "const" in schema:
        return {schema["const"]}
    return set(schema["enum"]) if "enum" in schema else None
