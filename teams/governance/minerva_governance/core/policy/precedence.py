"""Which of several policies is asked, where two of them have a rule of the same id.

A policy names those that give way to it: `overrides: [house-policy]`. It wins over what these
override in turn. Where no order is declared, or the order runs in a circle, all are asked: two
rules of one id may ask different things, and leaving one out unasked could hide a violation.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pydantic import BaseModel

from minerva_governance.core.policy.policy import Policy, Rule

_MANY: Final = 2
"""Policies of one id are told apart by their files."""


class Overridden(BaseModel, frozen=True):
    """A rule that is not asked, because a policy with precedence has one of its id."""

    rule: Rule
    by: Rule


def told_apart(policies: Sequence[Policy]) -> tuple[Policy, ...]:
    """Return `policies` with each rule naming its policy; one id twice is told apart by file."""
    ids = [policy.id for policy in policies]
    return tuple(
        _named(each, each.id if ids.count(each.id) < _MANY else f"{each.id} ({each.source})")
        for each in policies
    )


def _named(policy: Policy, name: str) -> Policy:
    rules = tuple(rule.model_copy(update={"policy": name}) for rule in policy.rules)
    return policy.model_copy(update={"rules": rules})


def overridden(policies: Sequence[Policy]) -> tuple[Overridden, ...]:
    """Return the rules that give way, in the order of the policies."""
    winning = _closure(policies)
    found: list[Overridden] = []
    for policy in policies:
        for rule in policy.rules:
            by = next(_stronger(policy, rule, policies, winning), None)
            if by is not None:
                found.append(Overridden(rule=rule, by=by))
    return tuple(found)


def _stronger(
    policy: Policy, rule: Rule, policies: Sequence[Policy], winning: Mapping[str, frozenset[str]]
) -> Iterator[Rule]:
    """Give the rules of the same id in policies that override `policy` and not the reverse."""
    for other in policies:
        is_above = policy.id in winning[other.id] and other.id not in winning[policy.id]
        if is_above:
            yield from (theirs for theirs in other.rules if theirs.id == rule.id)


def in_force(policies: Sequence[Policy]) -> tuple[tuple[Policy, Rule], ...]:
    """Return the rules that are asked, each with its policy, in the order of the policies."""
    named = told_apart(policies)
    gone = {(one.rule.policy, one.rule.id) for one in overridden(named)}
    return tuple(
        (policy, rule)
        for policy in named
        for rule in policy.rules
        if (rule.policy, rule.id) not in gone
    )


def asked_twice(policies: Sequence[Policy]) -> tuple[tuple[Rule, Rule], ...]:
    """Return pairs of rules in force that have one id: the first one, and a later one."""
    first: dict[str, Rule] = {}
    pairs: list[tuple[Rule, Rule]] = []
    for _, rule in in_force(policies):
        earlier = first.setdefault(rule.id, rule)
        if earlier is not rule:
            pairs.append((earlier, rule))
    return tuple(pairs)


def _closure(policies: Sequence[Policy]) -> dict[str, frozenset[str]]:
    """Return which policies each one overrides, also through others."""
    direct: dict[str, set[str]] = {}
    for policy in policies:
        direct.setdefault(policy.id, set()).update(policy.overrides)
    closed: dict[str, frozenset[str]] = {}
    for name, below in direct.items():
        reached: set[str] = set()
        waiting = list(below)
        while waiting:
            other = waiting.pop()
            if other not in reached:
                reached.add(other)
                waiting += direct.get(other, ())
        closed[name] = frozenset(reached)
    return closed
