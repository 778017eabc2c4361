"""The form of a policy file as JSON Schema (draft 2020-12), for editors and other tools.

Made from the lists of keys that the check of a policy uses, so that both know the same ones.
`schemas/policy.schema.json` is this schema, which `minerva policy schema` prints. After a change of
the keys, `python tests/support/policy_schema.py` writes it again.
"""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from minerva_governance.core.kinds.catalogue import bundled_catalogue
from minerva_governance.core.kinds.kind import CATEGORIES
from minerva_governance.core.kinds.kind_file import KIND_KEYS
from minerva_governance.core.policy.policy import JURISDICTIONS, PREDICATE_KINDS, Predicate
from minerva_governance.core.policy.policy_file import (
    API_VERSION,
    AUTHORITY_KEYS,
    HEADER_KEYS,
    MASK_WORDS,
    RULE_KEYS,
    SEVERITY_WORDS,
    TOP_KEYS,
    WAIVER_KEYS,
)
from minerva_governance.core.policy.requirement_check import FORBID, REQUIRE
from minerva_governance.core.policy.scope_check import (
    KINDS,
    MAX_PATTERN_CHARACTERS,
    NARROWED,
    SCOPE_KEYS,
)
from minerva_governance.core.policy.sink_name import ALIASES, SINKS

PUBLISHED: Final = Path(str(files("minerva_governance"))) / "schemas" / "policy.schema.json"

Schema = dict[str, Any]

_TEXT: Final[Schema] = {"type": "string"}
_SCALAR: Final[Schema] = {"type": ["string", "number"]}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 1}
_WORDS: Final[Schema] = {
    "anyOf": [_TEXT, {"type": "array", "items": _TEXT}],
}
_NAMES: Final[Schema] = {
    "anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}],
}
_SETS: Final[Schema] = {
    "anyOf": [_TEXT, {"type": "array", "items": _NAMES, "minItems": 1}],
}
_PATTERN: Final[Schema] = {"type": "string", "pattern": r"\S", "maxLength": MAX_PATTERN_CHARACTERS}
_PATTERNS: Final[Schema] = {
    "anyOf": [_PATTERN, {"type": "array", "items": _PATTERN, "minItems": 1}],
}
_ENTITY: Final[Schema] = {
    "anyOf": [
        {"enum": ["any", *CATEGORIES, *bundled_catalogue().ids]},
        # The ids of kinds that an organisation adds are not known here.
        {"type": "string", "pattern": "^[A-Z][A-Z0-9_]+$"},
    ]
}
_ENTITY_OR_ANY: Final[Schema] = {
    "anyOf": [
        _ENTITY,
        {"type": "array", "items": _ENTITY},
    ]
}
_SINK: Final[Schema] = {"enum": [*SINKS, *ALIASES]}
_SINKS: Final[Schema] = {"anyOf": [_SINK, {"type": "array", "items": _SINK}]}
_TRUE: Final[Schema] = {"const": True}
_TOLD: Final[dict[str, str]] = {
    "apiVersion": "Says that the file is a policy of MINERVA.",
    "kinds": "Kinds of personal data that the bundled tables do not have.",
    "form": "How a value is written anywhere in a text: an expression that RE2 reads.",
    "named": "How a value is written in a column that is named so: an expression that RE2 reads.",
    "report": "How reports look that this policy is used for.",
    "mask": "How many characters of a value stay readable at its start.",
    "overrides": "Ids of policies whose rules give way where they have the same id.",
    "jurisdiction": "Whose law the controller is under; several are a list.",
    "tags": "Which tables and files a `tag:` means; `*` stands for anything.",
    "waivers": "Findings that somebody answers for, until a day (that day included).",
    "pii": "Kinds of personal data, categories, or `any`; without it, any column, personal or not.",
    "tag": "A tag of `tags:`, or one that your contracts and models declare.",
    "classification": "As your contracts classify columns and tables: restricted.",
    "tables": "Patterns of the names of tables and files; `*` stands for anything.",
    "columns": "Patterns of the names of columns; `*` stands for anything.",
    "unknown": "What becomes of a library whose licence is not known: warn or fail.",
    "until": "The last day on which the waiver holds, as 2026-12-31.",
    "quasi": "Columns that tell a person apart together, or a list of such sets; each is counted.",
    "sensitive": "Columns of which each class must hold `min` different values.",
    "authority": "The law or standard that the rule follows.",
}


def _classes(fields: dict[str, Schema]) -> Schema:
    """Return the argument of a predicate that counts classes; all of `fields` are needed."""
    told = {
        key: {"description": _TOLD[key], **each} if key in _TOLD else each
        for key, each in fields.items()
    }
    return {
        "type": "object",
        "properties": told,
        "required": list(fields),
        "additionalProperties": False,
    }


_ARGUMENTS: Final[dict[Predicate, Schema]] = {
    "encrypted": _TRUE,
    "in_notice": _TRUE,
    "standard_name": _TRUE,
    "retention_days": {
        "anyOf": [
            _COUNT,
            {
                "type": "object",
                "properties": {"max": _COUNT, "min": _COUNT},
                "additionalProperties": False,
                "minProperties": 1,
            },
        ]
    },
    "k_anonymity": _classes({"quasi": _SETS, "min": _COUNT}),
    "l_diversity": _classes({"quasi": _SETS, "sensitive": _NAMES, "min": _COUNT}),
    "sink": _SINKS,
    "license": _WORDS,
}


def policy_schema() -> Schema:
    """Return the schema as JSON."""
    rules = {"type": "array", "items": _rule()}
    top: dict[str, Schema] = {
        "apiVersion": {"const": API_VERSION},
        "policy": _object(HEADER_KEYS, {**_header(), "title": _title()}, _SCALAR),
        "report": {"description": _TOLD["report"], **_report()},
        "kinds": {"type": "array", "items": _kind()},
        "tags": {"type": "object", "additionalProperties": _WORDS},
        "rules": rules,
        "waivers": {"type": "array", "items": _waiver()},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "MINERVA policy",
        "description": "Rules on personal data, checked by `minerva policy check`.",
        **_object(TOP_KEYS, top, _TEXT),
        "anyOf": [{"required": [key]} for key in ("rules", "kinds", "report")],
    }


def schema_text() -> str:
    """Return the schema as the text of its file."""
    return json.dumps(policy_schema(), ensure_ascii=False, indent=2) + "\n"


def _report() -> Schema:
    told = "`strict` shows no character of any value; without it, the start of some stays readable."
    return {
        "type": "object",
        "properties": {"mask": {"description": told, "enum": list(MASK_WORDS)}},
        "required": ["mask"],
        "additionalProperties": False,
    }


def _kind() -> Schema:
    """Return the schema of a kind of personal data that a file adds."""
    fields: dict[str, Schema] = {
        "id": {"type": "string", "pattern": "^[A-Z][A-Z0-9_]{1,39}$"},
        "category": {"enum": list(CATEGORIES)},
        "label": _title(),
        "names": _WORDS,
        "comments": _WORDS,
        "mask": {"type": "integer", "minimum": 0},
    }
    return {**_object(KIND_KEYS, fields, _TEXT), "required": ["id", "category"]}


def _header() -> dict[str, Schema]:
    one: Schema = {"enum": [*JURISDICTIONS]}
    given = {"anyOf": [one, {"type": "array", "items": one}], "description": _TOLD["jurisdiction"]}
    return {"overrides": _WORDS, "jurisdiction": given}


def _rule() -> Schema:
    fields: dict[str, Schema] = {
        "id": {"type": "string", "pattern": r"\S"},
        "title": _title(),
        "severity": {"enum": list(SEVERITY_WORDS)},
        "applies_to": _scope(),
        "require": _requirement(REQUIRE),
        "forbid": _requirement(FORBID),
        "unknown": {"enum": ["warn", "fail"]},
        "authority": {
            "type": "array",
            "items": _object(AUTHORITY_KEYS, {}, _SCALAR),
        },
    }
    # Only license reads it, so it is said but not limited where a rule asks something else.
    return {
        **_object(RULE_KEYS, fields, _TEXT),
        "required": ["id", "applies_to"],
        "anyOf": [{"required": ["require"]}, {"required": ["forbid"]}],
        "allOf": [_about(predicate, kinds) for predicate, kinds in PREDICATE_KINDS.items()],
    }


def _about(predicate: Predicate, kinds: tuple[str, ...]) -> Schema:
    """Return that a rule which asks `predicate` is about one of `kinds`."""
    section = "forbid" if predicate in FORBID else "require"
    asks = {"properties": {section: {"required": [predicate]}}, "required": [section]}
    about = {"properties": {"applies_to": {"properties": {"kind": {"enum": list(kinds)}}}}}
    return {"if": asks, "then": about}


def _requirement(predicates: tuple[Predicate, ...]) -> Schema:
    fields: dict[str, Schema] = {predicate: _ARGUMENTS[predicate] for predicate in predicates}
    return {**_object(tuple(predicates), fields, _TEXT), "minProperties": 1}


def _scope() -> Schema:
    fields: dict[str, Schema] = {"kind": {"enum": list(KINDS)}, "pii": _ENTITY_OR_ANY}
    fields |= dict.fromkeys(NARROWED, _PATTERNS)
    narrowing = [
        {
            "if": {"required": [key]},
            "then": {"properties": {"kind": {"enum": list(kinds)}}},
        }
        for key, kinds in NARROWED.items()
    ]
    return {**_object(SCOPE_KEYS, fields, _TEXT), "required": ["kind"], "allOf": narrowing}


def _waiver() -> Schema:
    until: Schema = {"type": "string", "format": "date"}
    fields: dict[str, Schema] = {"until": until, "rule": _TEXT}
    return {**_object(WAIVER_KEYS, fields, _SCALAR), "required": ["rule", "until"]}


def _title() -> Schema:
    two = _object(("ko", "en"), {}, _TEXT)
    return {"anyOf": [_SCALAR, two]}


def _object(keys: tuple[str, ...], fields: dict[str, Schema], other: Schema) -> Schema:
    """Return an object of `keys` and no others; those not in `fields` are `other`."""
    properties: dict[str, Schema] = {}
    for key in keys:
        told = {"description": _TOLD[key]} if key in _TOLD else {}
        properties[key] = {**told, **fields.get(key, other)}
    return {"type": "object", "properties": properties, "additionalProperties": False}


if __name__ == "__main__":
    PUBLISHED.write_text(schema_text(), encoding="utf-8")
