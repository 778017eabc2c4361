"""Check what a rule requires and forbids: known predicates, right arguments, fitting targets."""

from typing import Any

from minerva_governance.core.policy.rule import PREDICATE_KINDS, Predicate, Requirement, TargetKind
from minerva_governance.core.policy.shape_check import Place, ShapeCheck, is_count

_REQUIRE: tuple[Predicate, ...] = (
    "encrypted",
    "in_notice",
    "standard_name",
    "retention_days",
    "k_anonymity",
)
_FORBID: tuple[Predicate, ...] = ("sink", "license")
_TRUE_ONLY = frozenset({"encrypted", "in_notice", "standard_name"})


def requirements(
    check: ShapeCheck, rule: dict[str, Any], place: Place, *, who: str, kind: TargetKind
) -> tuple[Requirement, ...]:
    """Return what `rule` asks of targets of `kind`; mistakes go to `check`."""
    found: list[Requirement] = []
    for section, allowed in (("require", _REQUIRE), ("forbid", _FORBID)):
        asked = check.mapping(rule.get(section, {}), allowed, (*place, section), who)
        for predicate in allowed:
            if predicate in asked:
                at = (*place, section, predicate)
                argument = _argument(check, predicate, asked[predicate], at, who)
                forbidden = section == "forbid"
                found.append(
                    Requirement(predicate=predicate, forbidden=forbidden, argument=argument)
                )
    if "cel" in rule:
        found.append(Requirement(predicate="cel"))
    for requirement in found:
        kinds = PREDICATE_KINDS[requirement.predicate]
        if kind not in kinds:
            name, fitting = requirement.predicate, " or ".join(kinds)
            check.problem(
                place,
                f"{who}`{name}` 조건은 `kind: {fitting}`에 쓰며 `{kind}`에는 쓸 수 없습니다",
                f"{who}`{name}` is about `kind: {fitting}`, not `{kind}`",
            )
    return tuple(found)


def _argument(
    check: ShapeCheck, predicate: Predicate, value: object, place: Place, who: str
) -> dict[str, Any]:
    if predicate in _TRUE_ONLY:
        if value is not True:
            check.problem(
                place,
                f"{who}`{predicate}`의 값은 `true`여야 합니다",
                f"{who}`{predicate}` takes `true`",
            )
        return {}
    if predicate in _FORBID:
        return {"names": check.names(value, place, who)}
    if predicate == "retention_days":
        return _retention(check, value, place, who)
    return _k_anonymity(check, value, place, who)


def _retention(check: ShapeCheck, value: object, place: Place, who: str) -> dict[str, Any]:
    if is_count(value):
        return {"max": value, "min": value}
    limits = check.mapping(value, ("max", "min"), place, who)
    if not limits or not all(is_count(days) for days in limits.values()):
        check.problem(
            place,
            f"{who}`retention_days`에는 `{{max: 3650}}`처럼 일수를 씁니다",
            f"{who}`retention_days` takes days, as `{{max: 3650}}`",
        )
        return {}
    return limits


def _k_anonymity(check: ShapeCheck, value: object, place: Place, who: str) -> dict[str, Any]:
    asked = check.mapping(value, ("quasi", "min"), place, who)
    quasi = check.names(asked.get("quasi"), (*place, "quasi"), who)
    if not quasi:
        check.problem(
            place,
            f"{who}`quasi`에는 컬럼 이름의 목록을 씁니다",
            f"{who}`quasi` takes a list of column names",
        )
    if not is_count(asked.get("min")):
        check.problem(
            place,
            f"{who}`min`에는 허용하는 가장 작은 조합의 크기를 숫자로 씁니다",
            f"{who}`min` takes a number, the smallest class allowed",
        )
    return {"quasi": quasi, "min": asked.get("min")}
