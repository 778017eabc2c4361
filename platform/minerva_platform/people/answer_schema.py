"""JSON Schemas of questions: what they refer to, what fits them, which one a value implies."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

MAX_REFERENCES: Final = 20
"""References that are followed; more of them lead in a circle."""


def follow_reference(schema: Any, whole: Any) -> Mapping[str, Any]:
    """Return the part of `whole` that `schema` refers to, else `schema` itself.

    Nothing is looked up beyond `whole`; of a reference that leads nowhere, the part is empty.
    """
    part = as_mapping(schema)
    if not isinstance(part.get("$ref"), str):
        return part
    from referencing import Registry  # noqa: PLC0415  # few runs ask a person
    from referencing.exceptions import Unresolvable  # noqa: PLC0415
    from referencing.jsonschema import DRAFT202012  # noqa: PLC0415

    nothing: Registry[Any] = Registry()
    try:
        resolver = nothing.resolver_with_root(DRAFT202012.create_resource(whole))
        for _ in range(MAX_REFERENCES):
            reference = part.get("$ref")
            if not isinstance(reference, str):
                break
            target = resolver.lookup(reference)
            part, resolver = as_mapping(target.contents), target.resolver
    except (Unresolvable, AttributeError, LookupError, TypeError, ValueError):
        return {}  # a worker wrote the schema, and the library takes it to be one
    return part


def as_mapping(value: Any) -> Mapping[str, Any]:
    """Return `value` if it is an object; else an empty one."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def schema_validator(schema: Mapping[str, Any]) -> "Validator":
    """Return what validates by `schema`; it looks nothing up beyond the schema itself."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415  # few runs ask a person
    from referencing import Registry  # noqa: PLC0415

    nothing: Registry[Any] = Registry()  # jsonschema's own would fetch what a `$ref` names
    checker = Draft202012Validator.FORMAT_CHECKER
    return Draft202012Validator(schema, registry=nothing, format_checker=checker)


def closed(schema: Any) -> Any:
    """Return `schema` such that it refuses fields that it does not name.

    An object that says itself which other fields it takes stays as it is, and so do the parts of
    an `allOf`, each of which knows only some of the fields.
    """
    if isinstance(schema, list):
        return [closed(part) for part in cast("Sequence[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    mapping = cast("dict[str, Any]", schema)
    made = {key: part if key in _NO_SCHEMAS else _inner(key, part) for key, part in mapping.items()}
    says = {"additionalProperties", "unevaluatedProperties", "patternProperties", "allOf"}
    if isinstance(mapping.get("properties"), dict) and says.isdisjoint(mapping):
        made["additionalProperties"] = False
    return made


def schema_of(value: Any) -> dict[str, Any]:
    """Return the schema of values like `value`, as plain JSON: of its types, with all its fields.

    Of null, and of the items of an empty list, it says nothing.
    """
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, Any]", value)
        return {
            "type": "object",
            "properties": {str(name): schema_of(part) for name, part in fields.items()},
            "required": [str(name) for name in fields],
            "additionalProperties": False,
        }
    if isinstance(value, list | tuple):
        kinds = [schema_of(item) for item in cast("Sequence[Any]", value)]
        several = [kind for number, kind in enumerate(kinds) if kind not in kinds[:number]]
        return {"type": "array", "items": {"anyOf": several} if several else {}}
    kind = next((name for name, of in _JSON_TYPES if isinstance(value, of)), None)
    return {} if kind is None else {"type": kind}


_JSON_TYPES: Final = (("boolean", bool), ("integer", int), ("number", float), ("string", str))

_NO_SCHEMAS = frozenset({"allOf", "default", "examples", "const", "enum", "required", "not", "if"})


def _inner(key: str, part: Any) -> Any:
    if key in {"properties", "$defs", "definitions"} and isinstance(part, dict):
        schemas = cast("dict[str, Any]", part)
        return {name: closed(schema) for name, schema in schemas.items()}
    return closed(part)


def kinds_of(schema: Any) -> frozenset[str]:
    """Return the JSON types that a schema allows; empty if it does not say."""
    return _kinds(schema, schema, MAX_REFERENCES)


def _kinds(schema: Any, whole: Any, depth: int) -> frozenset[str]:
    part = follow_reference(schema, whole)
    if depth <= 0:
        return frozenset()
    names = part.get("type")
    if isinstance(names, str):
        return frozenset({names})
    if isinstance(names, list):
        return frozenset(map(str, cast("Sequence[Any]", names)))
    values = [part["const"]] if "const" in part else part.get("enum")
    if isinstance(values, list):
        return frozenset(map(kind_of, cast("Sequence[Any]", values)))
    kinds: set[str] = set()
    for key in ("anyOf", "oneOf", "allOf"):
        for branch in part.get(key, ()):
            kinds |= _kinds(branch, whole, depth - 1)
    return frozenset(kinds)


def kind_of(value: Any) -> str:
    """Return the JSON type of a value."""
    return _TYPE_NAMES.get(cast("type[object]", type(value)), "string")


_TYPE_NAMES: Final[Mapping[type, str]] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
    type(None): "null",
}
