"""Find what is odd in policies that load: nothing here stops a review, all of it is said."""

from collections.abc import Iterator, Sequence
from datetime import date

from minerva_governance.core.policy.policy import TEXTS, Policy
from minerva_governance.core.reading.problem import Problem
from minerva_platform.text import Language

_NOT_AVAILABLE = frozenset({"cel"})


def lint(policies: Sequence[Policy], *, today: date, language: Language) -> tuple[Problem, ...]:
    """Return the problems of all policies, in the order of the files."""
    found: list[Problem] = []
    owner: dict[str, str] = {}
    for policy in policies:
        for line, message in (
            *_empty(policy, language),
            *_not_available(policy, language),
            *_waivers(policy, today, language),
            *_twice(policy, owner, language),
        ):
            found.append(Problem(file=policy.source, line=line, message=message))
    return tuple(found)


def _empty(policy: Policy, language: Language) -> Iterator[tuple[int, str]]:
    if not policy.rules:
        yield 1, TEXTS("odd.no_rules", language)


def _not_available(policy: Policy, language: Language) -> Iterator[tuple[int, str]]:
    for rule in policy.rules:
        for requirement in rule.requirements:
            name = requirement.predicate
            if name in _NOT_AVAILABLE:
                yield (
                    rule.line,
                    TEXTS("odd.not_available", language, rule=rule.id, predicate=name),
                )


def _waivers(policy: Policy, today: date, language: Language) -> Iterator[tuple[int, str]]:
    for waiver in policy.waivers:
        about = {"rule": waiver.rule, "target": waiver.target}
        if waiver.until < today:
            yield waiver.line, TEXTS("odd.waiver_ended", language, until=waiver.until, **about)
        if not waiver.reason:
            yield waiver.line, TEXTS("odd.waiver_reason", language, **about)


def _twice(policy: Policy, owner: dict[str, str], language: Language) -> Iterator[tuple[int, str]]:
    """Remember whose each rule is in `owner`, and name those that another file has too."""
    for rule in policy.rules:
        first = owner.setdefault(rule.id, policy.source)
        if first != policy.source:
            yield rule.line, TEXTS("odd.twice", language, rule=rule.id, other=first)
