"""Find what is odd in policies that load: nothing here stops a review, all of it is said."""

from collections.abc import Iterator, Sequence
from datetime import date

from minerva_governance.core.policy.rule import Policy
from minerva_governance.core.report.wording import Language, Problem, Wording

_NOT_AVAILABLE = frozenset({"license", "cel"})


def lint(policies: Sequence[Policy], *, today: date, language: Language) -> tuple[Problem, ...]:
    """Return the problems of all policies, in the order of the files."""
    found: list[Problem] = []
    owner: dict[str, str] = {}
    for policy in policies:
        name = policy.source
        for line, words in (
            *_empty(policy),
            *_not_available(policy),
            *_waivers(policy, today),
            *_twice(policy, owner),
        ):
            found.append(Problem(file=name, line=line, message=words.said_in(language)))
    return tuple(found)


def _empty(policy: Policy) -> Iterator[tuple[int, Wording]]:
    if not policy.rules:
        yield 1, Wording("정책에 규칙이 없습니다.", "the policy has no rules.")


def _not_available(policy: Policy) -> Iterator[tuple[int, Wording]]:
    for rule in policy.rules:
        for requirement in rule.requirements:
            name = requirement.predicate
            if name in _NOT_AVAILABLE:
                yield (
                    rule.line,
                    Wording(
                        f"규칙 {rule.id}: 이 버전은 `{name}`을(를) 점검하지 않습니다 (판정 불가).",
                        f"rule {rule.id}: `{name}` is not looked at in this version; its result "
                        "is not_evaluated.",
                    ),
                )


def _waivers(policy: Policy, today: date) -> Iterator[tuple[int, Wording]]:
    for waiver in policy.waivers:
        if waiver.until < today:
            yield (
                waiver.line,
                Wording(
                    f"{waiver.rule}의 면제({waiver.target})가 {waiver.until}에 끝났습니다.",
                    f"the waiver of {waiver.rule} for `{waiver.target}` ended on {waiver.until}.",
                ),
            )
        if not waiver.reason:
            yield (
                waiver.line,
                Wording(
                    f"{waiver.rule}의 면제({waiver.target})에 사유가 없습니다.",
                    f"the waiver of {waiver.rule} for `{waiver.target}` gives no reason.",
                ),
            )


def _twice(policy: Policy, owner: dict[str, str]) -> Iterator[tuple[int, Wording]]:
    """Remember whose each rule is in `owner`, and name those that another file has too."""
    for rule in policy.rules:
        first = owner.setdefault(rule.id, policy.source)
        if first != policy.source:
            other = first
            yield (
                rule.line,
                Wording(
                    f"규칙 {rule.id}이(가) {other}에도 있습니다.",
                    f"rule {rule.id} stands in {other} too.",
                ),
            )
