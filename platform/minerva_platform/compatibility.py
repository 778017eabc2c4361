"""Prove that what a producer writes is what a consumer reads (consumer-driven contracts).

Producer and consumer of a kind are different models, often of different teams. The
producer's JSON schema (as serialised: every field is written) has to satisfy the consumer's
(as validated: only its required fields must come).
"""

from collections.abc import Iterator
from typing import Any

from minerva_platform.contract import Handoff

Schema = dict[str, Any]


def incompatibilities(producer: type[Handoff], consumer: type[Handoff]) -> list[str]:
    """Return what a consumer would stumble over, each with the place in the payload.

    An empty list means that every payload of `producer` validates as `consumer`, as far as
    JSON types tell; bounds and patterns are left to validation.
    """
    if producer is consumer:
        return []
    written = producer.model_json_schema(mode="serialization")
    read = consumer.model_json_schema(mode="validation")
    comparison = _Comparison(written.get("$defs", {}), read.get("$defs", {}))
    return list(comparison.problems(written, read, "", frozenset()))


class _Comparison:
    def __init__(self, written_defs: Schema, read_defs: Schema) -> None:
        self.written_defs, self.read_defs = written_defs, read_defs

    def problems(
        self, written: Schema, read: Schema, place: str, seen: frozenset[tuple[str, str]]
    ) -> Iterator[str]:
        pair = (written.get("$ref", ""), read.get("$ref", ""))
        if all(pair) and pair in seen:  # a recursive model: already being compared
            return
        seen |= {pair}
        written, read = _resolve(written, self.written_defs), _resolve(read, self.read_defs)
        for option in _options(written):
            if not any(self._fits(option, wanted, place, seen) for wanted in _options(read)):
                yield from self._reason(option, read, place, seen)

    def _fits(
        self, written: Schema, read: Schema, place: str, seen: frozenset[tuple[str, str]]
    ) -> bool:
        return not list(self._differences(written, read, place, seen))

    def _reason(
        self, written: Schema, read: Schema, place: str, seen: frozenset[tuple[str, str]]
    ) -> Iterator[str]:
        options = _options(read)
        if len(options) == 1:
            yield from self._differences(written, options[0], place, seen)
        else:
            wanted = " or ".join(sorted({_type_of(option) for option in options}))
            yield f"`{place or '(whole)'}` is {_type_of(written)}, expected {wanted}"

    def _differences(
        self, written: Schema, read: Schema, place: str, seen: frozenset[tuple[str, str]]
    ) -> Iterator[str]:
        written = _resolve(written, self.written_defs)
        read = _resolve(read, self.read_defs)
        if "anyOf" in written or "anyOf" in read:
            yield from self.problems(written, read, place, seen)
            return
        have, want = _type_of(written), _type_of(read)
        if want not in {"any", have} and (have, want) != ("integer", "number"):
            yield f"`{place or '(whole)'}` is {have}, expected {want}"
            return
        allowed = _values(read)
        if allowed is not None and not (_values(written) or {object()}) <= allowed:
            yield f"`{place}` may be other than {', '.join(sorted(map(str, allowed)))}"
        if want == "object":
            yield from self._object(written, read, place, seen)
        elif want == "array" and "items" in read and _items(written) is not None:
            yield from self.problems(_items(written) or {}, read["items"], f"{place}[]", seen)

    def _object(
        self, written: Schema, read: Schema, place: str, seen: frozenset[tuple[str, str]]
    ) -> Iterator[str]:
        gives = written.get("properties", {})
        for name, wanted in read.get("properties", {}).items():
            inner = f"{place}.{name}" if place else name
            if name in gives:
                yield from self.problems(gives[name], wanted, inner, seen)
            elif name in read.get("required", ()):
                yield f"`{inner}` is missing"


def _resolve(schema: Schema, definitions: Schema) -> Schema:
    while "$ref" in schema:
        schema = definitions[schema["$ref"].rsplit("/", 1)[-1]]
    return schema


def _options(schema: Schema) -> list[Schema]:
    return schema.get("anyOf") or schema.get("oneOf") or [schema]


def _items(schema: Schema) -> Schema | None:
    """Return the schema of an array's items; a fixed tuple is taken as any of its places."""
    if "prefixItems" in schema:
        return {"anyOf": schema["prefixItems"]}
    items: Schema | None = schema.get("items")
    return items


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
