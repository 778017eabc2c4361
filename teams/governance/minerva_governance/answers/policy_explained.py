"""Each rule in plain words: what it asks, of what, what passes, what fails, who may be excused."""

from collections.abc import Iterator, Sequence
from typing import Any, cast

from minerva_governance.core.detection.entity import ENTITIES, label
from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.policy.policy import Policy, Requirement, Rule, Waiver
from minerva_governance.core.policy.precedence import in_force, overridden, told_apart
from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_governance.answers", "policy_explained")
PARTS = ("asks", "about", "passes", "fails", "authority", "waivers", "precedence")


def explain_rules(policies: Sequence[Policy], rule_id: str | None, language: Language) -> str:
    """Return the rules of `policies` as Markdown; only `rule_id` if it is given."""
    lines: list[str] = []
    for policy, rule in _choose_rules(policies, rule_id):
        title = rule.title_in(language)
        severity = TEXTS(f"severity.{rule.severity}", language)
        lines += ["", f"## {rule.id} ({severity})" + (f": {title}" if title else "")]
        lines.append(f"{rule.source}:{rule.line}, `{rule.policy or policy.id}`")
        parts = rule_to_words(rule, policy, policies, language)
        lines += [
            f"- {TEXTS(f'part.{name}', language)}: {text}" for name in PARTS for text in parts[name]
        ]
    lines += ["", TEXTS("unseen", language), TEXTS("no_advice", language)]
    return mask_text("\n".join(lines).strip())


def explained_to_json(
    policies: Sequence[Policy], rule_id: str | None, language: Language
) -> dict[str, Any]:
    """Return the same as JSON."""
    return {
        "rules": [
            {
                "policy": rule.policy or policy.id,
                "id": rule.id,
                "title": rule.title_in(language),
                "severity": rule.severity,
                "source": rule.source,
                "line": rule.line,
                **{
                    name: [mask_text(text) for text in texts]
                    for name, texts in rule_to_words(rule, policy, policies, language).items()
                },
            }
            for policy, rule in _choose_rules(policies, rule_id)
        ]
    }


def _choose_rules(policies: Sequence[Policy], rule_id: str | None) -> Iterator[tuple[Policy, Rule]]:
    for policy in told_apart(policies):
        for rule in policy.rules:
            if rule_id in {None, rule.id}:
                yield policy, rule


def rule_to_words(
    rule: Rule, policy: Policy, policies: Sequence[Policy], language: Language
) -> dict[str, list[str]]:
    """Return the sentences on a rule, by the parts of `PARTS`."""
    asked = [(one.predicate, _values(one, language)) for one in rule.requirements]
    said: dict[str, list[str]] = {
        part: [TEXTS(f"{name}.{part}", language, **values) for name, values in asked]
        for part in ("asks", "passes", "fails")
    }
    waivers = [one for one in policy.waivers if one.rule == rule.id]
    return {
        **said,
        "about": [about(rule, language)],
        "authority": list(rule.authority),
        "waivers": [_waiver(one, language) for one in waivers],
        "precedence": list(_precedence(rule, policies, language)),
    }


def about(rule: Rule, language: Language) -> str:
    """Return what a rule is about: its kind, and what narrows it down."""
    parts = [TEXTS(f"kind.{rule.kind}", language)]
    if set(ENTITIES) <= set(rule.pii):
        parts.append(TEXTS("narrowed.any", language))
    elif rule.pii:
        kinds = ", ".join(f"{label(entity, language)} ({entity})" for entity in rule.pii)
        parts.append(TEXTS("narrowed.pii", language, words=kinds))
    for name in ("tags", "classifications", "tables", "columns"):
        words: tuple[str, ...] = getattr(rule, name)
        if words:
            shown = ", ".join(f"`{word}`" for word in words)
            parts.append(TEXTS(f"narrowed.{name}", language, words=shown))
    return TEXTS("narrowed.joint", language).join(parts)


def _values(requirement: Requirement, language: Language) -> dict[str, Any]:
    """Return what the sentences on a predicate name: its numbers and words."""
    argument = requirement.argument
    if requirement.predicate == "retention_days":
        if argument.get("max") == argument.get("min"):
            days = argument["max"]
            return {"limits": TEXTS("retention_days.exactly", language, days=days)}
        limits = [
            TEXTS(f"retention_days.{key}", language, days=argument[key])
            for key in ("max", "min")
            if key in argument
        ]
        return {"limits": ", ".join(limits)}
    values = {
        key: _join_words(cast("list[str]", value)) if isinstance(value, list) else value
        for key, value in argument.items()
        if key != "quasi"
    }
    if requirement.quasi_sets:
        values["quasi"] = _sets(requirement.quasi_sets, language)
    return values


def _sets(sets: Sequence[Sequence[str]], language: Language) -> str:
    """Return sets of columns; several of them in brackets."""
    if len(sets) == 1:
        return _join_words(sets[0])
    texts = (TEXTS("quasi.set", language, words=_join_words(names)) for names in sets)
    return TEXTS("quasi.or", language).join(texts)


def _join_words(words: Sequence[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _waiver(waiver: Waiver, language: Language) -> str:
    who = waiver.by or "-"
    return TEXTS(
        "waiver",
        language,
        target=waiver.target,
        until=waiver.until,
        by=who,
        reason=waiver.reason or "-",
    )


def _precedence(rule: Rule, policies: Sequence[Policy], language: Language) -> Iterator[str]:
    named = told_apart(policies)
    for one in overridden(named):
        if (one.rule.policy, one.rule.id) == (rule.policy, rule.id):
            place = f"{one.by.source}:{one.by.line}"
            yield TEXTS("gives_way", language, policy=one.by.policy, place=place)
        elif (one.by.policy, one.by.id) == (rule.policy, rule.id):
            place = f"{one.rule.source}:{one.rule.line}"
            yield TEXTS("goes_before", language, policy=one.rule.policy, place=place)
    asked = [other for _, other in in_force(policies) if other.id == rule.id]
    if any(other.policy == rule.policy for other in asked):
        for other in asked:
            if other.policy != rule.policy:
                place = f"{other.source}:{other.line}"
                yield TEXTS("both", language, policy=other.policy, place=place)
