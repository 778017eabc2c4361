"""Check what a rule requires and forbids: known predicates, right arguments, fitting targets."""

from typing import Any, cast

from minerva_governance.core.policy.policy import (
    PREDICATE_KINDS,
    TEXTS,
    Predicate,
    Requirement,
    TargetKind,
)
from minerva_governance.core.policy.shape_check import Place, ShapeCheck, is_count
from minerva_governance.core.policy.sink_name import SINKS, is_sink

FORBID: tuple[Predicate, ...] = ("sink", "license")
REQUIRE: tuple[Predicate, ...] = tuple(name for name in PREDICATE_KINDS if name not in FORBID)
_TRUE_ONLY = frozenset({"encrypted", "in_notice", "standard_name"})


def requirements(
    check: ShapeCheck, rule: dict[str, Any], place: Place, *, who: str, kind: TargetKind
) -> tuple[Requirement, ...]:
    """Return what `rule` asks of targets of `kind`; mistakes go to `check`."""
    found: list[Requirement] = []
    for section, allowed in (("require", REQUIRE), ("forbid", FORBID)):
        asked = check.mapping(rule.get(section, {}), allowed, (*place, section), who)
        for predicate in allowed:
            if predicate in asked:
                at = (*place, section, predicate)
                argument = _argument(check, predicate, asked[predicate], at, who)
                if predicate == "license":
                    # What becomes of a library whose licence is not known.
                    argument["unknown"] = check.choice(
                        rule.get("unknown", "warn"), ("warn", "fail"), (*place, "unknown"), who
                    )
                forbidden = section == "forbid"
                found.append(
                    Requirement(predicate=predicate, forbidden=forbidden, argument=argument)
                )
    for requirement in found:
        kinds = PREDICATE_KINDS[requirement.predicate]
        if kind not in kinds:
            name, fitting = requirement.predicate, " or ".join(kinds)
            message = TEXTS(
                "requirement.kind", check.language, who=who, name=name, fitting=fitting, kind=kind
            )
            check.problem(place, message)
    return tuple(found)


def _argument(
    check: ShapeCheck, predicate: Predicate, value: object, place: Place, who: str
) -> dict[str, Any]:
    if predicate in _TRUE_ONLY:
        if value is not True:
            message = TEXTS("requirement.true_only", check.language, who=who, name=predicate)
            check.problem(place, message)
        return {}
    if predicate in FORBID:
        names = check.names(value, place, who)
        unknown = [name for name in names if not is_sink(name)] if predicate == "sink" else []
        for name in unknown:
            message = TEXTS(
                "requirement.sink", check.language, who=who, name=name, known=", ".join(SINKS)
            )
            check.problem(place, message)
        return {"names": names}
    if predicate == "retention_days":
        return _retention(check, value, place, who)
    return _classes(check, value, place, who, has_sensitive=predicate == "l_diversity")


def _retention(check: ShapeCheck, value: object, place: Place, who: str) -> dict[str, Any]:
    if is_count(value):
        return {"max": value, "min": value}
    limits = check.mapping(value, ("max", "min"), place, who)
    if not limits or not all(is_count(days) for days in limits.values()):
        check.problem(place, TEXTS("requirement.days", check.language, who=who))
        return {}
    return limits


def _classes(
    check: ShapeCheck, value: object, place: Place, who: str, *, has_sensitive: bool
) -> dict[str, Any]:
    keys = ("quasi", "sensitive", "min") if has_sensitive else ("quasi", "min")
    asked = check.mapping(value, keys, place, who)
    found = {"quasi": _sets(check, asked.get("quasi"), (*place, "quasi"), who)}
    if has_sensitive:
        found["sensitive"] = check.names(asked.get("sensitive"), (*place, "sensitive"), who)
        if not found["sensitive"]:
            check.problem(place, TEXTS("requirement.sensitive", check.language, who=who))
    if not is_count(asked.get("min")):
        key = "requirement.min_values" if has_sensitive else "requirement.min"
        check.problem(place, TEXTS(key, check.language, who=who))
    return {**found, "min": asked.get("min")}


def _sets(check: ShapeCheck, value: object, place: Place, who: str) -> list[Any]:
    """Return one list of columns, or a list of such lists; none of them is empty."""
    items: list[object] = []
    if isinstance(value, list):
        items = value = cast("list[object]", value)
    found: list[Any]
    if any(isinstance(item, list) for item in items):
        found = [check.names(item, (*place, at), who) for at, item in enumerate(items)]
        is_whole = all(found)
    else:
        found = check.names(value, place, who)
        is_whole = bool(found)
    if not is_whole:
        check.problem(place, TEXTS("requirement.quasi", check.language, who=who))
    return found
