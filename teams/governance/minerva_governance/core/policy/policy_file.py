"""Check a policy file key by key and turn it into rules.

All mistakes of a file are reported at once, each with the rule's id and the line, because a
typo that is silently ignored is a rule that is not enforced.
"""

import datetime as dt
import hashlib
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast, get_args

from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.detection.mask import mask_model, mask_text
from minerva_governance.core.kinds.catalogue import catalogue, use_kinds
from minerva_governance.core.kinds.kind import Kind
from minerva_governance.core.kinds.kind_file import KindFileError, read_kinds
from minerva_governance.core.policy.policy import (
    NOTICE_RULE,
    TEXTS,
    Policy,
    Rule,
    Severity,
    TargetKind,
    Waiver,
)
from minerva_governance.core.policy.requirement_check import requirements
from minerva_governance.core.policy.shape_check import Place, ShapeCheck
from minerva_governance.core.reading.problem import Problem
from minerva_platform.text import Language

if TYPE_CHECKING:
    from minerva_platform.text import YamlFile

API_VERSION = "minerva/v1"
_TOP = ("apiVersion", "policy", "kinds", "tags", "rules", "waivers")
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

    Messages call the file `name`; without it by its own name.

    Raises:
        PolicyError: it is one and has mistakes.
    """
    if not isinstance(source.data, dict):
        return None
    data = cast("dict[str, Any]", source.data)
    checker = _Checker(source, data, name or source.path.name, language)
    return checker.policy() if _looks_like_policy(data) else None


def says_policy(text: str, *, is_named: bool) -> bool:
    """True if the text of a YAML, which need not load, calls itself a policy of ours.

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
        self.language: Language = language
        self.check = ShapeCheck(source, name, language)

    def policy(self) -> Policy:
        check = self.check
        data = check.mapping(self.data, _TOP, ())
        if data.get("apiVersion", API_VERSION) != API_VERSION:
            message = TEXTS("file.version", self.language, version=API_VERSION)
            check.problem(("apiVersion",), message)
        header = check.mapping(data.get("policy", {}), _POLICY, ("policy",))
        kinds = self._kinds()
        # A file of kinds alone asks nothing: `pii: any` and its own rules mean what it adds.
        given = data.get("rules", [] if kinds else None)
        with use_kinds(kinds):
            rules = [
                self._rule(item, ("rules", index))
                for index, item in enumerate(check.items(given, ("rules",)))
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
            kinds=kinds,
        )

    def _kinds(self) -> tuple[Kind, ...]:
        try:
            return read_kinds(self.source, self.name, language=self.language)
        except KindFileError as error:
            self.check.problems += error.problems
            return ()

    def _rule(self, item: object, place: Place) -> Rule:
        check, language = self.check, self.language
        given = _id_of(item)
        has_id = isinstance(given, str) and bool(given.strip())
        rule_id = str(given) if has_id else f"#{int(place[1]) + 1}"
        who = TEXTS("who.rule", language, id=rule_id)
        if not has_id:
            check.problem(place, TEXTS("file.rule_id", language, who=who))
        rule = check.mapping(item, _RULE, place, who)
        # An unknown key may be a misspelt `require`: naming it is enough.
        if not rule.keys() & _ASKING and not rule.keys() - set(_RULE):
            check.problem(place, TEXTS("file.asks_nothing", language, who=who))
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
        return str(titles.get(self.language) or next(iter(titles.values()), ""))

    def _applies_to(
        self, value: object, place: Place, who: str
    ) -> tuple[TargetKind, tuple[Entity, ...], str | None]:
        check = self.check
        if value is None:
            check.problem(place, TEXTS("file.applies_to", self.language, who=who))
            return "column", (), None
        scope = check.mapping(value, _APPLIES_TO, place, who)
        kind = check.choice(scope.get("kind"), _KINDS, (*place, "kind"), who) or "column"
        tag = scope.get("tag")
        if tag is not None and not isinstance(tag, str):
            check.problem((*place, "tag"), TEXTS("file.tag", self.language, who=who))
            tag = None
        return kind, self._entities(scope.get("pii"), (*place, "pii"), who), tag

    def _entities(self, value: object, place: Place, who: str) -> tuple[Entity, ...]:
        if value is None:
            return ()
        known = catalogue()
        found: list[Entity] = []
        for name in self.check.names(value, place, who):
            entities = known.resolved(name)
            if not entities:
                near = known.nearest(name) or ", ".join(known.ids)
                message = TEXTS("file.no_such_kind", self.language, who=who, name=name, near=near)
                self.check.problem(place, message)
            found += entities
        return tuple(dict.fromkeys(found))

    def _authority(self, value: object, place: Place, who: str) -> tuple[str, ...]:
        entries = [
            self.check.mapping(item, _AUTHORITY, (*place, index), who)
            for index, item in enumerate(self.check.items(value, place, who))
        ]
        return tuple(mask_text(str(entry.get("title", ""))) for entry in entries)

    def _waiver(self, item: object, place: Place, ids: set[str]) -> Waiver | None:
        check, language = self.check, self.language
        waiver = check.mapping(item, _WAIVER, place, TEXTS("who.waiver", language))
        rule_id, until = str(waiver.get("rule", "?")), waiver.get("until")
        who = TEXTS("who.waiver_of", language, id=rule_id)
        if rule_id not in ids:
            check.problem((*place, "rule"), TEXTS("file.no_such_rule", language, who=who))
        if isinstance(until, dt.datetime):
            until = until.date()
        if not isinstance(until, dt.date):
            check.problem((*place, "until"), TEXTS("file.until", language, who=who))
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
                who = TEXTS("who.rule", self.language, id=rule.id)
                message = TEXTS("file.same_id", self.language, who=who)
                self.check.problem(("rules", index), message)
            seen.add(rule.id)
