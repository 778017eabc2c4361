"""Check a policy file key by key and turn it into rules.

All mistakes of a file are reported at once, each with the rule's id and the line, because a
typo that is silently ignored is a rule that is not enforced.
"""

import datetime as dt
import hashlib
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast, get_args

from minerva_governance.core.detection.detector import find
from minerva_governance.core.detection.mask import CONTACTS, mask_model, mask_text, use_masks
from minerva_governance.core.kinds.kind import Kind
from minerva_governance.core.kinds.kind_file import KindFileError, read_kinds
from minerva_governance.core.kinds.review_context import current_context, use_kinds
from minerva_governance.core.policy.policy import (
    JURISDICTIONS,
    NOTICE_RULE,
    TEXTS,
    Jurisdiction,
    Masks,
    Policy,
    Rule,
    Severity,
    Waiver,
)
from minerva_governance.core.policy.requirement_check import requirements
from minerva_governance.core.policy.scope_check import scope
from minerva_governance.core.policy.shape_check import Place, ShapeCheck
from minerva_governance.core.reading.problem import Problem
from minerva_governance.core.values.writing import normalised
from minerva_platform.text import Language

if TYPE_CHECKING:
    from minerva_platform.text import YamlFile

API_VERSION = "minerva/v1"
TOP_KEYS = ("apiVersion", "policy", "report", "kinds", "tags", "rules", "waivers")
REPORT_KEYS = ("mask",)
HEADER_KEYS = (
    "id",
    "version",
    "owner",
    "effective",
    "title",
    "description",
    "overrides",
    "jurisdiction",
)
RULE_KEYS = (
    *("id", "title", "description", "severity", "applies_to", "require", "forbid"),
    *("unknown", "authority"),
)
_ASKING = frozenset({"require", "forbid"})
_NOT_YET = "cel"
_OUR_VERSION = re.compile(r"""^\{?\s*["']?apiVersion["']?\s*:\s*["']?minerva/""", re.MULTILINE)
_OUR_SCOPE = re.compile(r"""\bapplies_to["']?\s*:""")
_TOP_KEY = re.compile(r"""^["']?(\w+)["']?\s*:""", re.MULTILINE)
AUTHORITY_KEYS = ("title", "url", "clause")
WAIVER_KEYS = ("rule", "target", "until", "by", "reason")
MASK_WORDS: tuple[Masks, ...] = get_args(Masks)
SEVERITY_WORDS: tuple[Severity, ...] = get_args(Severity)


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


def _fields(item: object) -> tuple[tuple[str, Any], ...]:
    return tuple(cast("dict[str, Any]", item).items()) if isinstance(item, dict) else ()


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
        data = check.mapping(self.data, TOP_KEYS, ())
        if data.get("apiVersion", API_VERSION) != API_VERSION:
            message = TEXTS("file.version", self.language, version=API_VERSION)
            check.problem(("apiVersion",), message)
        header = check.mapping(data.get("policy", {}), HEADER_KEYS, ("policy",))
        policy_id = mask_text(str(header.get("id", self.source.path.stem)))
        owner = str(header.get("owner", ""))
        overrides = self._overrides(header, policy_id)
        jurisdictions = self._jurisdictions(header)
        kinds = self._kinds()
        masks = self._masks(data)
        # A file of kinds alone asks nothing: `pii: any` and its own rules mean what it adds.
        given = data.get("rules", [] if kinds or masks else None)
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
            id=policy_id,
            version=str(header.get("version", "")),
            source=self.name,
            owner=owner,
            overrides=overrides,
            jurisdictions=jurisdictions,
            sha256=hashlib.sha256(self.source.path.read_bytes()).hexdigest(),
            rules=tuple(rules),
            waivers=tuple(waiver for waiver in waivers if waiver is not None),
            tags=named,
            kinds=kinds,
            masks=masks,
        )

    def _masks(self, data: dict[str, Any]) -> Masks | None:
        """Return how values are masked, or None if the file has no `report`."""
        if "report" not in data:
            return None
        report = self.check.mapping(data["report"], REPORT_KEYS, ("report",))
        return self.check.choice(report.get("mask"), MASK_WORDS, ("report", "mask"), "")

    def _kinds(self) -> tuple[Kind, ...]:
        try:
            return read_kinds(self.source, self.name, language=self.language)
        except KindFileError as error:
            self.check.problems += error.problems
            return ()

    def _jurisdictions(self, header: dict[str, Any]) -> tuple[Jurisdiction, ...]:
        """Return the controller's jurisdictions: one, or several."""
        place = ("policy", "jurisdiction")
        given = header.get("jurisdiction", [])
        names = cast("list[object]", given) if isinstance(given, list) else [given]
        choices: list[Jurisdiction | None] = [
            self.check.choice(name, JURISDICTIONS, place, "") for name in names
        ]
        return tuple(name for name in choices if name is not None)

    def _overrides(self, header: dict[str, Any], policy_id: str) -> tuple[str, ...]:
        place = ("policy", "overrides")
        if "overrides" not in header:
            return ()
        names = self.check.names(header["overrides"], place)
        if policy_id in names:
            message = TEXTS("file.overrides_itself", self.language, id=policy_id)
            self.check.problem(place, message)
        return tuple(map(mask_text, names))

    def _rule(self, item: object, place: Place) -> Rule:
        check, language = self.check, self.language
        given = dict(_fields(item)).get("id")
        has_id = isinstance(given, str) and bool(given.strip())
        rule_id = str(given) if has_id else f"#{int(place[1]) + 1}"
        who = TEXTS("who.rule", language, id=rule_id)
        if not has_id:
            check.problem(place, TEXTS("file.rule_id", language, who=who))
        fields = dict(_fields(item))
        asks_cel = fields.pop(_NOT_YET, None) is not None
        rule = check.mapping(fields if fields or asks_cel else item, RULE_KEYS, place, who)
        if asks_cel:
            check.problem((*place, _NOT_YET), TEXTS("file.cel", language, who=who))
        # An unknown key may be a misspelt `require`: naming it is enough.
        elif not rule.keys() - set(RULE_KEYS) and not any(rule.get(key) for key in _ASKING):
            check.problem(place, TEXTS("file.asks_nothing", language, who=who))
        severity = rule.get("severity", "medium")
        about = scope(check, rule.get("applies_to"), (*place, "applies_to"), who)
        return Rule(
            id=mask_text(rule_id),
            title=mask_text(self._title(rule.get("title", ""), (*place, "title"), who)),
            title_other=mask_text(self._other_title(rule.get("title", ""))),
            severity=check.choice(severity, SEVERITY_WORDS, (*place, "severity"), who) or "medium",
            **about,
            requirements=requirements(check, rule, place, who=who, kind=about["kind"]),
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

    def _other_title(self, value: object) -> str:
        """Return the title in the language that is not the answer's, if both are given."""
        titles = cast("dict[str, object]", value) if isinstance(value, dict) else {}
        other = "en" if self.language == "ko" else "ko"
        return str(titles[other]) if titles.get(self.language) and titles.get(other) else ""

    def _authority(self, value: object, place: Place, who: str) -> tuple[str, ...]:
        entries = [
            self.check.mapping(item, AUTHORITY_KEYS, (*place, index), who)
            for index, item in enumerate(self.check.items(value, place, who))
        ]
        return tuple(mask_text(str(entry.get("title", ""))) for entry in entries)

    def _waiver(self, item: object, place: Place, ids: set[str]) -> Waiver | None:
        check, language = self.check, self.language
        waiver = check.mapping(item, WAIVER_KEYS, place, TEXTS("who.waiver", language))
        rule_id, until = str(waiver.get("rule", "?")), waiver.get("until")
        who = TEXTS("who.waiver_of", language, id=rule_id)
        if rule_id not in ids:
            check.problem((*place, "rule"), TEXTS("file.no_such_rule", language, who=who))
        by = str(waiver.get("by", ""))
        if isinstance(until, dt.datetime):
            until = until.date()
        if not isinstance(until, dt.date):
            check.problem((*place, "until"), TEXTS("file.until", language, who=who))
            return None
        return Waiver(
            rule=rule_id,
            target=str(waiver.get("target", "*")),
            until=until,
            by=_with_contact(by),
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


def _with_contact(by: str) -> str:
    """Return who approved a waiver, masked but for an address or phone number.

    Text that holds anything else of a person is no contact, and all of it is masked.
    """
    is_contact = all(match.entity in CONTACTS for match in find(normalised(by)))
    with use_masks(strict=current_context().is_strict, owners=[by] if is_contact else []):
        return mask_text(by)
