"""Find what is odd in policies that load: nothing here stops a review, all of it is said."""

from collections.abc import Iterator, Sequence
from datetime import date

from minerva_governance.core.policy.policy import TEXTS, Policy
from minerva_governance.core.policy.precedence import asked_twice, overridden, told_apart
from minerva_governance.core.reading.problem import Problem
from minerva_platform.text import Language


def lint(policies: Sequence[Policy], *, today: date, language: Language) -> tuple[Problem, ...]:
    """Return the problems of all policies: file by file, then those of several together."""
    found: list[Problem] = []
    for policy in policies:
        odd = (*_empty(policy, language), *_sets(policy, language))
        for line, message in (*odd, *_waivers(policy, today, language)):
            found.append(Problem(file=policy.source, line=line, message=message))
    return (*found, *_order(policies, language), *_together(told_apart(policies), language))


def _empty(policy: Policy, language: Language) -> Iterator[tuple[int, str]]:
    if not policy.rules and not policy.is_of_reports_only:
        yield 1, TEXTS("odd.no_rules", language)


def _sets(policy: Policy, language: Language) -> Iterator[tuple[int, str]]:
    """Give sets of quasi-identifiers that ask for nothing, or for what no data have."""
    for rule in policy.rules:
        for asked in rule.requirements:
            names = [frozenset(map(str.casefold, each)) for each in asked.quasi_sets]
            sensitive = {name.casefold() for name in asked.argument.get("sensitive", ())}
            told = {"rule": rule.id, "predicate": asked.predicate}
            for each, given in zip(names, asked.quasi_sets, strict=True):
                shown = ", ".join(given)
                if sensitive & each:
                    yield rule.line, TEXTS("odd.sensitive_quasi", language, names=shown, **told)
                if any(each < other for other in names) or names.count(each) > 1:
                    yield rule.line, TEXTS("odd.set_within", language, names=shown, **told)
            if names and asked.argument.get("min") == 1:
                yield rule.line, TEXTS("odd.min_one", language, **told)


def _waivers(policy: Policy, today: date, language: Language) -> Iterator[tuple[int, str]]:
    for waiver in policy.waivers:
        about = {"rule": waiver.rule, "target": waiver.target}
        if waiver.until < today:
            yield waiver.line, TEXTS("odd.waiver_ended", language, until=waiver.until, **about)
        if not waiver.reason:
            yield waiver.line, TEXTS("odd.waiver_reason", language, **about)


def _order(policies: Sequence[Policy], language: Language) -> Iterator[Problem]:
    """Give what is wrong with the ids of the policies and with their order."""
    first: dict[str, Policy] = {}
    for policy in policies:
        earlier = first.setdefault(policy.id, policy)
        if earlier is not policy:
            told = {"policy": policy.id, "other": earlier.source}
            yield Problem(file=policy.source, message=TEXTS("odd.same_policy", language, **told))
    for policy in policies:
        for name in policy.overrides:
            other = first.get(name)
            told = {"policy": policy.id, "other": name}
            if other is None:
                message = TEXTS("odd.overrides_nobody", language, **told)
                yield Problem(file=policy.source, message=message)
            elif policy.id in other.overrides and policy.id < name:
                message = TEXTS("odd.overrides_circle", language, **told)
                yield Problem(file=policy.source, message=message)


def _together(policies: Sequence[Policy], language: Language) -> Iterator[Problem]:
    """Give the rules that two policies have: which one is asked, or that both are."""
    gone = overridden(policies)
    for one in gone:
        told = {"rule": one.rule.id, "other": f"{one.by.source}:{one.by.line}"}
        message = TEXTS("odd.overridden", language, **told)
        yield Problem(file=one.rule.source, line=one.rule.line, message=message)
    for first, later in asked_twice(policies):
        told = {"rule": later.id, "other": f"{first.source}:{first.line}", "policy": first.policy}
        message = TEXTS("odd.twice", language, **told)
        yield Problem(file=later.source, line=later.line, message=message)
    for policy in policies:
        lost = {one.rule.id for one in gone if one.rule in policy.rules}
        for waiver in policy.waivers:
            if waiver.rule in lost:
                message = TEXTS("odd.waiver_unused", language, rule=waiver.rule)
                yield Problem(file=policy.source, line=waiver.line, message=message)
