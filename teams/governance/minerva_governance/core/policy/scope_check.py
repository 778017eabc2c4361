"""Check what a rule is about: `applies_to`."""

from typing import Any, Final, get_args

from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.kinds.review_context import current_catalogue
from minerva_governance.core.policy.policy import TEXTS, TargetKind
from minerva_governance.core.policy.shape_check import Place, ShapeCheck

SCOPE_KEYS: Final = ("kind", "pii", "tag", "classification", "tables", "columns")
KINDS: Final[tuple[TargetKind, ...]] = get_args(TargetKind)
NARROWED: Final[dict[str, tuple[TargetKind, ...]]] = {
    "tag": ("column", "table", "dataset"),
    "classification": ("column", "table"),
    "tables": ("column", "table", "dataset"),
    "columns": ("column",),
}
"""What each key can narrow down."""
MAX_PATTERN_CHARACTERS: Final = 200


def scope(check: ShapeCheck, value: object, place: Place, who: str) -> dict[str, Any]:
    """Return the fields of a rule that `applies_to` gives; mistakes go to `check`."""
    if value is None:
        check.problem(place, TEXTS("file.applies_to", check.language, who=who))
        return {"kind": "column"}
    asked = check.mapping(value, SCOPE_KEYS, place, who)
    kind = check.choice(asked.get("kind"), KINDS, (*place, "kind"), who) or "column"
    words = {key: _words(check, asked, (*place, key), who) for key in NARROWED}
    for key, kinds in NARROWED.items():
        if words[key] and kind not in kinds:
            fitting = " / ".join(kinds)
            told = {"who": who, "key": key, "fitting": fitting, "kind": kind}
            check.problem((*place, key), TEXTS("file.scope_kind", check.language, **told))
    return {
        "kind": kind,
        "pii": _entities(check, asked.get("pii"), (*place, "pii"), who),
        "tags": words["tag"],
        "classifications": words["classification"],
        "tables": words["tables"],
        "columns": words["columns"],
    }


def _words(check: ShapeCheck, asked: dict[str, Any], place: Place, who: str) -> tuple[str, ...]:
    """Return one word or a list of them; an empty list would be about nothing."""
    key = place[-1]
    if key not in asked:
        return ()
    names = check.names(asked[str(key)], place, who)
    if not names or not all(name.strip() for name in names):
        check.problem(place, TEXTS("file.empty_scope", check.language, who=who, key=key))
    if any(len(name) > MAX_PATTERN_CHARACTERS for name in names):
        told = {"who": who, "key": key, "limit": MAX_PATTERN_CHARACTERS}
        check.problem(place, TEXTS("file.long_pattern", check.language, **told))
    return tuple(names)


def _entities(check: ShapeCheck, value: object, place: Place, who: str) -> tuple[Entity, ...]:
    if value is None:
        return ()
    known = current_catalogue()
    found: list[Entity] = []
    for name in check.names(value, place, who):
        entities = known.resolve(name)
        if not entities:
            near = known.nearest(name) or ", ".join(known.ids)
            told = {"who": who, "name": name, "near": near}
            check.problem(place, TEXTS("file.no_such_kind", check.language, **told))
        found += entities
    return tuple(dict.fromkeys(found))
