"""Check a policy file key by key and turn it into rules.

All mistakes of a file are reported at once, each with the rule's id and the line, because a
typo that is silently ignored is a rule that nobody enforces.
"""

import datetime as dt
import hashlib
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast, get_args

from minerva_governance.core.detection.entity import ENTITIES, Entity
from minerva_governance.core.detection.mask import mask_model, mask_text
from minerva_governance.core.policy.requirement_check import requirements
from minerva_governance.core.policy.rule import (
    NOTICE_RULE,
    Policy,
    Rule,
    Severity,
    TargetKind,
    Waiver,
)
from minerva_governance.core.policy.shape_check import Place, ShapeCheck
from minerva_governance.core.report.wording import Language, Problem

if TYPE_CHECKING:
    from minerva_platform.text import YamlFile

API_VERSION = "minerva/v1"
_TOP = ("apiVersion", "policy", "tags", "rules", "waivers")
_POLICY = ("id", "version", "owner", "effective", "title", "description")
_RULE = (
    *("id", "title", "description", "severity", "applies_to", "require", "forbid"),
    *("cel", "unknown", "authority"),
)
_ASKING = frozenset({"require", "forbid", "cel"})
_OUR_VERSION = re.compile(r"""^\{?\s*["']?apiVersion["']?\s*:\s*["']?minerva/""", re.MULTILINE)
_OUR_SCOPE = re.compile(r"""\bapplies_to["']?\s*:""")
_TOP_KEY = re.compile(r"""^["']?(\w+)["']?\s*:""", re.MULTILINE)
_APPLIES_TO = ("kind", "pii", "tag")
_AUTHORITY = ("title", "url", "clause")
_WAIVER = ("rule", "target", "until", "by", "reason")
_SEVERITIES: tuple[Severity, ...] = get_args(Severity)
_KINDS: tuple[TargetKind, ...] = get_args(TargetKind)


class PolicyError(Exception):
    """A policy that does not load: all its problems, each with file, line and rule."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(mask_model(problem) for problem in problems)
        super().__init__("; ".join(map(str, self.problems)))


def read_policy(
    source: "YamlFile", name: str | None = None, *, language: Language = "en"
) -> Policy | None:
    """Return the policy that a YAML file holds, or None where it is not a policy at all.

    `name` is what people are told of the file; without it its own name.

    Raises:
        PolicyError: it is one and has mistakes.
    """
    if not isinstance(source.data, dict):
        return None
    data = cast("dict[str, Any]", source.data)
    checker = _Checker(source, data, name or source.path.name, language)
    return checker.policy() if _looks_like_policy(data) else None


def says_policy(text: str, *, is_named: bool) -> bool:
    """Tell whether the text of a YAML, which need not load, calls itself a policy of ours.

    A file that the person named (`is_named`) is taken for one unless its `apiVersion` is another's.
    A file that was met in a folder has to say so: by ours, or by rules in our form.
    """
    if _OUR_VERSION.search(text):
        return True
    keys = set(_TOP_KEY.findall(text))
    if "apiVersion" in keys:
        return {"policy", "rules"} <= keys
    return is_named or ("rules" in keys and ("policy" in keys or bool(_OUR_SCOPE.search(text))))


def _looks_like_policy(data: dict[str, Any]) -> bool:
    version = data.get("apiVersion")
    return (isinstance(version, str) and version.startswith("minerva/")) or (
        "rules" in data and ("policy" in data or "apiVersion" not in data)
    )


def _id_of(item: object) -> object:
    return cast("dict[str, object]", item).get("id") if isinstance(item, dict) else None


class _Checker:
    """Walks one file and collects what is wrong with it."""

    def __init__(
        self, source: "YamlFile", data: dict[str, Any], name: str, language: Language
    ) -> None:
        self.source, self.data, self.name = source, data, name
        self.check = ShapeCheck(source, name, language)

    def policy(self) -> Policy:
        check = self.check
        data = check.mapping(self.data, _TOP, ())
        if data.get("apiVersion", API_VERSION) != API_VERSION:
            check.problem(
                ("apiVersion",),
                f"`apiVersion`은 `{API_VERSION}`이어야 합니다",
                f"`apiVersion` must be `{API_VERSION}`",
            )
        header = check.mapping(data.get("policy", {}), _POLICY, ("policy",))
        rules = [
            self._rule(item, ("rules", index))
            for index, item in enumerate(check.items(data.get("rules"), ("rules",)))
        ]
        self._unique(rules)
        ids = {NOTICE_RULE, *(rule.id for rule in rules)}
        waivers = [
            self._waiver(item, ("waivers", index), ids)
            for index, item in enumerate(check.items(data.get("waivers", []), ("waivers",)))
        ]
        tags = check.mapping(data.get("tags", {}), None, ("tags",))
        named = {tag: tuple(check.names(tags[tag], ("tags", tag))) for tag in tags}
        if check.problems:
            raise PolicyError(check.problems)
        return Policy(
            id=mask_text(str(header.get("id", self.source.path.stem))),
            version=str(header.get("version", "")),
            source=self.name,
            sha256=hashlib.sha256(self.source.path.read_bytes()).hexdigest(),
            rules=tuple(rules),
            waivers=tuple(waiver for waiver in waivers if waiver is not None),
            tags=named,
        )

    def _rule(self, item: object, place: Place) -> Rule:
        check = self.check
        rule_id = _id_of(item)
        if not isinstance(rule_id, str) or not rule_id.strip():
            rule_id = f"#{int(place[1]) + 1}"
            check.problem(
                place,
                f"규칙 {rule_id}: `id`가 없거나 글이 아닙니다",
                f"rule {rule_id}: `id` is missing or no text",
            )
        who = check.who(f"규칙 {rule_id}", f"rule {rule_id}")
        rule = check.mapping(item, _RULE, place, who)
        if not rule.keys() & _ASKING and not rule.keys() - set(_RULE):
            check.problem(
                place,
                f"{who}조건이 없습니다. `require`, `forbid`, `cel` 가운데 하나를 쓰세요",
                f"{who}asks nothing; give it `require`, `forbid` or `cel`",
            )
        severity = rule.get("severity", "medium")
        kind, pii, tag = self._applies_to(rule.get("applies_to"), (*place, "applies_to"), who)
        return Rule(
            id=mask_text(rule_id),
            title=mask_text(self._title(rule.get("title", ""), (*place, "title"), who)),
            severity=check.choice(severity, _SEVERITIES, (*place, "severity"), who) or "medium",
            kind=kind,
            pii=pii,
            tag=tag,
            requirements=requirements(check, rule, place, who=who, kind=kind),
            authority=self._authority(rule.get("authority", []), (*place, "authority"), who),
            source=self.name,
            line=self.source.line_of(place),
        )

    def _title(self, value: object, place: Place, who: str) -> str:
        """Return the title; `{ko: …, en: …}` gives the one in the language of the answer."""
        if not isinstance(value, dict):
            return str(value)
        titles = self.check.mapping(cast("object", value), ("ko", "en"), place, who)
        return str(titles.get(self.check.language) or next(iter(titles.values()), ""))

    def _applies_to(
        self, value: object, place: Place, who: str
    ) -> tuple[TargetKind, tuple[Entity, ...], str | None]:
        check = self.check
        if value is None:
            check.problem(
                place,
                f"{who}`applies_to`가 없습니다. `applies_to: {{kind: column}}`처럼 쓰세요",
                f"{who}`applies_to` is missing; write `applies_to: {{kind: column}}`",
            )
            return "column", (), None
        scope = check.mapping(value, _APPLIES_TO, place, who)
        kind = check.choice(scope.get("kind"), _KINDS, (*place, "kind"), who) or "column"
        tag = scope.get("tag")
        if tag is not None and not isinstance(tag, str):
            check.problem(
                (*place, "tag"), f"{who}`tag`는 한 단어여야 합니다", f"{who}`tag` must be one word"
            )
            tag = None
        return kind, self._entities(scope.get("pii"), (*place, "pii"), who), tag

    def _entities(self, value: object, place: Place, who: str) -> tuple[Entity, ...]:
        if value is None:
            return ()
        if value == "any":
            return ENTITIES
        found: list[Entity] = []
        for name in self.check.names(value, place, who):
            entity = self.check.choice(name, ENTITIES, place, who)
            if entity is not None:
                found.append(entity)
        return tuple(found)

    def _authority(self, value: object, place: Place, who: str) -> tuple[str, ...]:
        entries = [
            self.check.mapping(item, _AUTHORITY, (*place, index), who)
            for index, item in enumerate(self.check.items(value, place, who))
        ]
        return tuple(mask_text(str(entry.get("title", ""))) for entry in entries)

    def _waiver(self, item: object, place: Place, ids: set[str]) -> Waiver | None:
        check = self.check
        waiver = check.mapping(item, _WAIVER, place, check.who("면제", "waiver"))
        rule_id, until = str(waiver.get("rule", "?")), waiver.get("until")
        who = check.who(f"{rule_id}의 면제", f"waiver of {rule_id}")
        if rule_id not in ids:
            check.problem(
                (*place, "rule"),
                f"{who}이 파일에 그런 규칙이 없습니다",
                f"{who}there is no such rule in this file",
            )
        if isinstance(until, dt.datetime):
            until = until.date()
        if not isinstance(until, dt.date):
            check.problem(
                (*place, "until"),
                f"{who}`until`에는 2026-12-31처럼 날짜를 씁니다",
                f"{who}`until` takes a day, as 2026-12-31",
            )
            return None
        return Waiver(
            rule=rule_id,
            target=str(waiver.get("target", "*")),
            until=until,
            by=mask_text(str(waiver.get("by", ""))),
            reason=mask_text(str(waiver.get("reason", ""))),
            line=self.source.line_of(place),
        )

    def _unique(self, rules: list[Rule]) -> None:
        seen: set[str] = set()
        for index, rule in enumerate(rules):
            if rule.id in seen:
                self.check.problem(
                    ("rules", index),
                    f"규칙 {rule.id}: 앞의 규칙이 이미 쓰는 id입니다",
                    f"rule {rule.id}: the id is taken by an earlier rule",
                )
            seen.add(rule.id)
