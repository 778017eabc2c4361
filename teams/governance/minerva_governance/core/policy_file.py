"""Check a policy file key by key and turn it into rules.

All mistakes of a file are reported at once, each with the rule's id and the line, because a
typo that is silently ignored is a rule that nobody enforces.
"""

import datetime as dt
import hashlib
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args

from minerva_governance.core.entity import ENTITIES, Entity
from minerva_governance.core.mask import mask_model, mask_text
from minerva_governance.core.policy_source import Place, Source, SourceError, load_source
from minerva_governance.core.rule import (
    ANY_ENTITY,
    PREDICATE_KINDS,
    Policy,
    Predicate,
    Requirement,
    Rule,
    Severity,
    TargetKind,
    Waiver,
)
from minerva_governance.core.wording import Problem

API_VERSION = "minerva/v1"
_TOP = ("apiVersion", "policy", "tags", "rules", "waivers")
_POLICY = ("id", "version", "owner", "effective", "title", "description")
_RULE = (
    "id",
    "title",
    "description",
    "severity",
    "applies_to",
    "require",
    "forbid",
    "cel",
    "unknown",
    "authority",
)
_APPLIES_TO = ("kind", "pii", "tag")
_AUTHORITY = ("title", "url", "clause")
_WAIVER = ("rule", "target", "until", "by", "reason")
_REQUIRE = ("encrypted", "in_notice", "standard_name", "retention_days", "k_anonymity")
_FORBID = ("sink", "license")
_SEVERITIES: tuple[Severity, ...] = get_args(Severity)
_KINDS: tuple[TargetKind, ...] = get_args(TargetKind)


class PolicyError(Exception):
    """A policy that does not load: all its problems, each with file, line and rule."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(mask_model(problem) for problem in problems)
        lines = "\n".join(f"  - {problem}" for problem in self.problems)
        super().__init__(
            f"The policy does not load:\n{lines}\nMend the lines named, then ask again."
        )


def load_policy(path: Path) -> Policy | None:
    """Return the policy in `path`, or None where the YAML is not a policy at all.

    Raises:
        PolicyError: it is one and has mistakes, or it is not plain YAML.
    """
    try:
        source = load_source(path)
    except SourceError as error:
        raise PolicyError(
            [Problem(file=path.name, line=error.line, message=error.reason)]
        ) from None
    if not isinstance(source.data, dict) or not _looks_like_policy(source.data):
        return None
    return _Checker(source, source.data).policy()


def is_meant_as_policy(path: Path) -> bool:
    """Tell whether a YAML that cannot be loaded calls itself a policy of ours."""
    try:
        with path.open("rb") as stream:
            return b"minerva/v" in stream.read(4096)
    except OSError:
        return False


def _looks_like_policy(data: dict[str, Any]) -> bool:
    version = data.get("apiVersion")
    return (isinstance(version, str) and version.startswith("minerva/")) or (
        "rules" in data and ("policy" in data or "apiVersion" not in data)
    )


class _Checker:
    """Walks one file and collects what is wrong with it."""

    def __init__(self, source: Source, data: dict[str, Any]) -> None:
        self.source, self.data = source, data
        self.problems: list[Problem] = []

    def policy(self) -> Policy:
        self._keys(self.data, _TOP, ())
        if self.data.get("apiVersion", API_VERSION) != API_VERSION:
            self._problem(("apiVersion",), f"`apiVersion` must be `{API_VERSION}`")
        header = self._mapping(self.data.get("policy", {}), ("policy",))
        self._keys(header, _POLICY, ("policy",))
        rules = [
            self._rule(item, ("rules", index))
            for index, item in enumerate(self._list(self.data.get("rules"), ("rules",)))
        ]
        self._unique(rules)
        ids = {rule.id for rule in rules}
        waivers = [
            self._waiver(item, ("waivers", index), ids)
            for index, item in enumerate(self._list(self.data.get("waivers", []), ("waivers",)))
        ]
        tags = self._tags(self._mapping(self.data.get("tags", {}), ("tags",)))
        if self.problems:
            raise PolicyError(self.problems)
        return Policy(
            id=mask_text(str(header.get("id", self.source.path.stem))),
            version=str(header.get("version", "")),
            source=str(self.source.path),
            sha256=hashlib.sha256(self.source.path.read_bytes()).hexdigest(),
            rules=tuple(rules),
            waivers=tuple(waiver for waiver in waivers if waiver is not None),
            tags=tags,
        )

    def _rule(self, item: object, place: Place) -> Rule:
        rule = self._mapping(item, place)
        rule_id = rule.get("id")
        if not isinstance(rule_id, str) or not rule_id.strip():
            rule_id = f"#{int(place[1]) + 1}"
            self._problem(place, f"rule {rule_id}: `id` is missing")
        who = f"rule {rule_id}: "
        self._keys(rule, _RULE, place, who)
        kind, pii, tag = self._applies_to(rule.get("applies_to"), (*place, "applies_to"), who)
        requirements = self._requirements(rule, place, who, kind)
        severity = self._one_of(
            rule.get("severity", "medium"), _SEVERITIES, (*place, "severity"), who
        )
        return Rule(
            id=mask_text(rule_id),
            title=mask_text(str(rule.get("title", ""))),
            severity=severity or "medium",
            kind=kind,
            pii=pii,
            tag=tag,
            requirements=requirements,
            authority=self._authority(rule.get("authority", []), (*place, "authority"), who),
            source=str(self.source.path),
            line=self.source.line(*place),
        )

    def _applies_to(
        self, value: object, place: Place, who: str
    ) -> tuple[TargetKind, tuple[Entity, ...], str | None]:
        if value is None:
            self._problem(
                place, f"{who}`applies_to` is missing; write `applies_to: {{kind: column}}`"
            )
            return "column", (), None
        scope = self._mapping(value, place, who)
        self._keys(scope, _APPLIES_TO, place, who)
        kind = self._one_of(scope.get("kind"), _KINDS, (*place, "kind"), who) or "column"
        tag = scope.get("tag")
        if tag is not None and not isinstance(tag, str):
            self._problem((*place, "tag"), f"{who}`tag` must be one word")
            tag = None
        return kind, self._entities(scope.get("pii"), (*place, "pii"), who), tag

    def _entities(self, value: object, place: Place, who: str) -> tuple[Entity, ...]:
        if value is None:
            return ()
        if value == "any":
            return ANY_ENTITY
        names = [value] if isinstance(value, str) else self._list(value, place, who)
        found = [self._one_of(name, ENTITIES, place, who) for name in names]
        return tuple(entity for entity in found if entity is not None)

    def _requirements(
        self, rule: dict[str, Any], place: Place, who: str, kind: TargetKind
    ) -> tuple[Requirement, ...]:
        found: list[Requirement] = []
        for section, allowed in (("require", _REQUIRE), ("forbid", _FORBID)):
            asked = self._mapping(rule.get(section, {}), (*place, section), who)
            self._keys(asked, allowed, (*place, section), who)
            for predicate in allowed:
                if predicate in asked:
                    at = (*place, section, predicate)
                    argument = self._argument(predicate, asked[predicate], at, who)
                    forbidden = section == "forbid"
                    found.append(
                        Requirement(predicate=predicate, forbidden=forbidden, argument=argument)  # type: ignore[arg-type]  # both tuples are of predicates
                    )
        if "cel" in rule:
            found.append(Requirement(predicate="cel"))
        if not found and not {"require", "forbid"} & rule.keys() and not rule.keys() - set(_RULE):
            self._problem(place, f"{who}asks nothing; give it `require`, `forbid` or `cel`")
        for requirement in found:
            self._fits(requirement.predicate, kind, place, who)
        return tuple(found)

    def _fits(self, predicate: Predicate, kind: TargetKind, place: Place, who: str) -> None:
        if kind not in PREDICATE_KINDS[predicate]:
            kinds = " or ".join(PREDICATE_KINDS[predicate])
            self._problem(place, f"{who}`{predicate}` is about `kind: {kinds}`, not `{kind}`")

    def _argument(self, predicate: str, value: object, place: Place, who: str) -> dict[str, Any]:
        if predicate in ("encrypted", "in_notice", "standard_name"):
            if value is not True:
                self._problem(place, f"{who}`{predicate}` takes `true`")
            return {}
        if predicate in ("sink", "license"):
            names = [value] if isinstance(value, str) else self._list(value, place, who)
            return {"names": [str(name) for name in names]}
        if predicate == "retention_days":
            return self._retention(value, place, who)
        return self._k_anonymity(value, place, who)

    def _retention(self, value: object, place: Place, who: str) -> dict[str, Any]:
        if _is_count(value):
            return {"max": value}
        limits = self._mapping(value, place, who)
        self._keys(limits, ("max", "min"), place, who)
        wrong = [name for name, days in limits.items() if not _is_count(days)]
        if wrong or not limits:
            self._problem(place, f"{who}`retention_days` takes days, as `{{max: 3650}}`")
            return {}
        return limits

    def _k_anonymity(self, value: object, place: Place, who: str) -> dict[str, Any]:
        asked = self._mapping(value, place, who)
        self._keys(asked, ("quasi", "min"), place, who)
        quasi = asked.get("quasi")
        if not isinstance(quasi, list) or not quasi or not all(isinstance(q, str) for q in quasi):
            self._problem(place, f"{who}`quasi` takes a list of column names")
            return {}
        if not _is_count(asked.get("min")):
            self._problem(place, f"{who}`min` takes a number, the smallest class allowed")
            return {}
        return {"quasi": quasi, "min": asked["min"]}

    def _authority(self, value: object, place: Place, who: str) -> tuple[str, ...]:
        titles: list[str] = []
        for index, item in enumerate(self._list(value, place, who)):
            entry = self._mapping(item, (*place, index), who)
            self._keys(entry, _AUTHORITY, (*place, index), who)
            titles.append(mask_text(str(entry.get("title", ""))))
        return tuple(titles)

    def _waiver(self, item: object, place: Place, ids: set[str]) -> Waiver | None:
        waiver = self._mapping(item, place)
        who = f"waiver of {waiver.get('rule', '?')}: "
        self._keys(waiver, _WAIVER, place, who)
        until = waiver.get("until")
        if not isinstance(until, dt.date):
            self._problem((*place, "until"), f"{who}`until` takes a day, as 2026-12-31")
            return None
        if waiver.get("rule") not in ids:
            self._problem((*place, "rule"), f"{who}there is no such rule in this file")
            return None
        return Waiver(
            rule=str(waiver["rule"]),
            target=str(waiver.get("target", "*")),
            until=until,
            by=mask_text(str(waiver.get("by", ""))),
            reason=mask_text(str(waiver.get("reason", ""))),
            line=self.source.line(*place),
        )

    def _tags(self, tags: dict[str, Any]) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for tag, patterns in tags.items():
            names = [patterns] if isinstance(patterns, str) else self._list(patterns, ("tags", tag))
            found[tag] = tuple(str(name) for name in names)
        return found

    def _unique(self, rules: list[Rule]) -> None:
        seen: set[str] = set()
        for index, rule in enumerate(rules):
            if rule.id in seen:
                self._problem(
                    ("rules", index), f"rule {rule.id}: the id is taken by an earlier rule"
                )
            seen.add(rule.id)

    def _keys(
        self, mapping: dict[str, Any], allowed: Iterable[str], place: Place, who: str = ""
    ) -> None:
        for key in mapping:
            if key not in tuple(allowed):
                near = get_close_matches(key, tuple(allowed), n=1)
                hint = f"; did you mean `{near[0]}`?" if near else f"; known: {', '.join(allowed)}"
                self._problem((*place, key), f"{who}unknown key `{key}`{hint}")

    def _one_of(self, value: object, allowed: tuple[Any, ...], place: Place, who: str) -> Any:
        if value in allowed:
            return value
        names = ", ".join(allowed)
        shown = value if isinstance(value, str) else type(value).__name__
        self._problem(place, f"{who}`{place[-1]}: {shown}` is not one of {names}")
        return None

    def _mapping(self, value: object, place: Place, who: str = "") -> dict[str, Any]:
        if isinstance(value, dict):
            return value
        self._problem(place, f"{who}{_named(place)} must be `key: value` lines")
        return {}

    def _list(self, value: object, place: Place, who: str = "") -> list[Any]:
        if isinstance(value, list):
            return value
        self._problem(place, f"{who}{_named(place)} must be a list")
        return []

    def _problem(self, place: Place, text: str) -> None:
        line = self.source.line(*place)
        self.problems.append(Problem(file=self.source.path.name, line=line, message=f"{text}."))


def _named(place: Place) -> str:
    return f"`{next((part for part in reversed(place) if isinstance(part, str)), 'the file')}`"


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
