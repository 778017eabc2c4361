"""The answers of every rule of every policy, and the waivers that cover them."""

from collections.abc import Callable, Iterator, Sequence

from minerva_governance.core.kinds.extra import describe_unchecked
from minerva_governance.core.kinds.review_context import current_catalogue
from minerva_governance.core.policy.policy import (
    NOTICE_RULE,
    Policy,
    Predicate,
    Requirement,
    Rule,
    Waiver,
)
from minerva_governance.core.policy.precedence import in_force
from minerva_governance.core.predicates.classes import k_anonymous, l_diverse
from minerva_governance.core.predicates.encrypted import judge_encryption
from minerva_governance.core.predicates.in_notice import in_notice
from minerva_governance.core.predicates.license import license_allowed
from minerva_governance.core.predicates.retention_days import retention_days
from minerva_governance.core.predicates.rule_check import RuleCheck
from minerva_governance.core.predicates.sink import sink
from minerva_governance.core.predicates.standard_name import standard_name
from minerva_governance.core.review.finding import Finding
from minerva_governance.core.review.review import TEXTS, Review

_VALUE_KINDS = frozenset({"column", "dataset"})
"""What a rule may be about that values prove; code is known by names."""
MAX_NAMED_UNREVIEWED = 20
"""Files that a rule names one by one as not looked at; the report lists all of them."""


def evaluate(review: Review, policies: Sequence[Policy]) -> tuple[Finding, ...]:
    """Return the findings of all rules, in the order of the policies."""
    found: list[Finding] = []
    for policy, rule in in_force(policies):
        for requirement in rule.requirements:
            check = RuleCheck(review, policy, rule, requirement)
            found.extend(_waived(finding, policy.waivers, review) for finding in _answers(check))
    if _adds_notice_rule(review, policies):
        rule = notice_rule(review)
        check = RuleCheck(review, Policy(id="built-in"), rule, rule.requirements[0])
        waivers = [waiver for policy in policies for waiver in policy.waivers]
        found.extend(_waived(finding, waivers, review) for finding in _answers(check))
    return tuple(found)


def _answers(check: RuleCheck) -> list[Finding]:
    """Return what the predicate answers, and one answer for each thing that it could not see."""
    answers = list(PREDICATES[check.requirement.predicate](check))
    unchecked_kinds = describe_unchecked(check.rule.pii, language=check.language)
    if unchecked_kinds and check.rule.kind in _VALUE_KINDS:
        answers.append(check.not_evaluated("*", unchecked_kinds))
    unreviewed = check.unreviewed_parts()
    reasons: dict[str, list[str]] = {}
    for part in unreviewed:
        reasons.setdefault(part.name, []).append(part.reason)
    named = list(reasons)[:MAX_NAMED_UNREVIEWED]
    answers += [check.not_evaluated(name, " ".join(dict.fromkeys(reasons[name]))) for name in named]
    if len(reasons) > len(named):
        more = len(reasons) - len(named)
        reason = TEXTS("rule.more_unreviewed", check.language, count=more)
        answers.append(check.not_evaluated("*", reason))
    if not answers:
        answers.append(check.not_evaluated("*", TEXTS("rule.no_target", check.language)))
    return answers


def rules_asked(review: Review, policies: Sequence[Policy]) -> tuple[Rule, ...]:
    """Return all rules that `evaluate` asks, the built-in one included."""
    rules = tuple(rule for _, rule in in_force(policies))
    return (*rules, notice_rule(review)) if _adds_notice_rule(review, policies) else rules


def notice_rule(review: Review) -> Rule:
    """Return the built-in rule: what is collected stands in the notice."""
    return Rule(
        id=NOTICE_RULE,
        title=TEXTS("rule.notice", review.language),
        severity="medium",
        kind="column",
        pii=current_catalogue().personal_ids,
        requirements=(Requirement(predicate="in_notice"),),
    )


def _adds_notice_rule(review: Review, policies: Sequence[Policy]) -> bool:
    return bool(review.clauses) and not any(
        requirement.predicate == "in_notice"
        for _, rule in in_force(policies)
        for requirement in rule.requirements
    )


def _waived(finding: Finding, waivers: Sequence[Waiver], review: Review) -> Finding:
    """Return `finding`, waived if somebody answers for it today; an old waiver changes nothing."""
    if finding.status != "fail":
        return finding
    covering = [w for w in waivers if w.covers(finding.rule_id, finding.target)]
    if not covering:
        return finding
    last = max(covering, key=lambda waiver: waiver.until)
    if last.until >= review.today:
        reason = f"{last.reason} ({last.by})" if last.by else last.reason
        return finding.model_copy(
            update={"status": "waived", "until": last.until, "reason": reason}
        )
    reason = TEXTS("rule.waiver_ended", review.language, until=last.until)
    return finding.model_copy(update={"until": last.until, "reason": reason})


PREDICATES: dict[Predicate, Callable[[RuleCheck], Iterator[Finding]]] = {
    "encrypted": judge_encryption,
    "in_notice": in_notice,
    "standard_name": standard_name,
    "retention_days": retention_days,
    "k_anonymity": k_anonymous,
    "l_diversity": l_diverse,
    "sink": sink,
    "license": license_allowed,
}
"""What answers each predicate."""
