"""Ask every rule of every policy, then let waivers speak."""

from collections.abc import Callable, Iterator, Sequence

from minerva_governance.core.detection.entity import ENTITIES
from minerva_governance.core.policy.rule import (
    NOTICE_RULE,
    Policy,
    Predicate,
    Requirement,
    Rule,
    Waiver,
)
from minerva_governance.core.predicates.code_sink import sink
from minerva_governance.core.predicates.encryption import encrypted
from minerva_governance.core.predicates.export_class import k_anonymous
from minerva_governance.core.predicates.naming import standard_name
from minerva_governance.core.predicates.notice_match import in_notice
from minerva_governance.core.predicates.question import Question
from minerva_governance.core.predicates.retention import retention_days
from minerva_governance.core.review.finding import Finding
from minerva_governance.core.review.review import Review

MAX_UNSEEN_NAMED = 20
"""Files that a rule names one by one as not looked at; the report lists all of them."""


def evaluate(review: Review, policies: Sequence[Policy]) -> tuple[Finding, ...]:
    """Return the findings of all rules, in the order of the policies."""
    found: list[Finding] = []
    for policy in policies:
        for rule in policy.rules:
            for requirement in rule.requirements:
                question = Question(review, policy, rule, requirement)
                found.extend(
                    _waived(finding, policy.waivers, review) for finding in _answers(question)
                )
    if _adds_notice_rule(review, policies):
        rule = notice_rule(review)
        question = Question(review, Policy(id="built-in"), rule, rule.requirements[0])
        waivers = [waiver for policy in policies for waiver in policy.waivers]
        found.extend(_waived(finding, waivers, review) for finding in _answers(question))
    return tuple(found)


def _answers(question: Question) -> list[Finding]:
    """Return what the predicate answers, and one answer for each thing that it could not see."""
    answers = list(PREDICATES[question.requirement.predicate](question))
    unseen = question.unseen()
    reasons: dict[str, list[str]] = {}
    for part in unseen:
        reasons.setdefault(part.name, []).append(part.reason)
    named = list(reasons)[:MAX_UNSEEN_NAMED]
    answers += [
        question.not_evaluated(name, " ".join(dict.fromkeys(reasons[name]))) for name in named
    ]
    if len(reasons) > len(named):
        more = len(reasons) - len(named)
        reason = question.say(
            f"그 밖에 보지 못한 것이 {more}개 있습니다.", f"{more} more were not looked at."
        )
        answers.append(question.not_evaluated("*", reason))
    if not answers:
        reason = question.say(
            "이 규칙에 해당하는 것을 찾지 못했습니다.", "nothing that the rule is about was found."
        )
        answers.append(question.not_evaluated("*", reason))
    return answers


def rules_asked(review: Review, policies: Sequence[Policy]) -> tuple[Rule, ...]:
    """Return all rules that `evaluate` asks, the built-in one included."""
    rules = tuple(rule for policy in policies for rule in policy.rules)
    return (*rules, notice_rule(review)) if _adds_notice_rule(review, policies) else rules


def notice_rule(review: Review) -> Rule:
    """Return the built-in rule: what is collected stands in the notice."""
    return Rule(
        id=NOTICE_RULE,
        title=review.say(
            "수집하는 항목은 처리방침에 적는다", "What is collected stands in the privacy notice"
        ),
        severity="medium",
        kind="column",
        pii=ENTITIES,
        requirements=(Requirement(predicate="in_notice"),),
    )


def _adds_notice_rule(review: Review, policies: Sequence[Policy]) -> bool:
    return bool(review.clauses) and not any(
        requirement.predicate == "in_notice"
        for policy in policies
        for rule in policy.rules
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
    reason = review.say(f"면제가 {last.until}에 끝났습니다", f"its waiver ended on {last.until}")
    return finding.model_copy(update={"until": last.until, "reason": reason})


def _not_available(question: Question) -> Iterator[Finding]:
    name = question.requirement.predicate
    reason = question.say(
        f"이 버전은 `{name}` 조건을 점검하지 않습니다.", f"this version does not look at `{name}`."
    )
    yield question.not_evaluated(question.rule.source or "*", reason)


PREDICATES: dict[Predicate, Callable[[Question], Iterator[Finding]]] = {
    "encrypted": encrypted,
    "in_notice": in_notice,
    "standard_name": standard_name,
    "retention_days": retention_days,
    "k_anonymity": k_anonymous,
    "sink": sink,
    "license": _not_available,
    "cel": _not_available,
}
"""What answers each predicate."""
