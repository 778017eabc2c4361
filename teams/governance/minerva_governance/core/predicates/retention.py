"""`retention_days`: do the rule, the notice and the schema agree how long data is kept.

A rule that keeps data longer than the notice promises is a conflict even before anybody looks
at the data: one of the two is wrong.
"""

from collections.abc import Iterator
from pathlib import Path

from minerva_governance.core.predicates.question import Question
from minerva_governance.core.review.finding import Finding, Reference
from minerva_governance.core.review.notice import Clause, retention_days_in


def retention_days(question: Question) -> Iterator[Finding]:
    """Answer for each table of the rule's tag; without tables, for the tag itself."""
    tag = question.rule.tag
    tables = [
        (table, comment, schema.source, line)
        for schema in question.review.schemas
        for table, comment, line in schema.tables
        if tag is None or question.policy.has_tag(tag, table, is_dataset=False)
    ]
    if not tables:
        yield _judge(question, tag or "*", None, ())
    for table, comment, source, line in tables:
        declared = retention_days_in(comment)
        places = (Reference(source=source, line=line, quote=comment),) if declared else ()
        yield _judge(question, table, declared, places)


def _judge(
    question: Question, target: str, declared: int | None, places: tuple[Reference, ...]
) -> Finding:
    promising = [clause for clause in question.review.clauses if clause.retention_days]
    rule = question.rule
    cited = (
        Reference(source=rule.source, line=rule.line, quote=rule.title),
        *places,
        *(Reference(source=c.source, line=c.line, quote=c.text) for c in promising),
    )
    conflicts = _conflicts(question, declared, promising)
    if conflicts:
        return question.finding(
            "fail", target, evidence="; ".join(conflicts), count=1, total=1, citations=cited
        )
    reason = _unknown(question, declared, promising)
    if reason:
        return question.not_evaluated(target, reason, citations=cited)
    return question.finding(
        "pass", target, evidence=_agreement(question, declared, promising), total=1, citations=cited
    )


def _conflicts(question: Question, declared: int | None, promising: list[Clause]) -> list[str]:
    """Return what contradicts what, in words; the clause that promises longest decides."""
    say, limits = question.say, question.requirement.argument
    longest, least = limits.get("max"), limits.get("min")
    found: list[str] = []
    kept = declared if declared is not None else longest
    if declared is not None and longest is not None and declared > longest:
        found.append(
            say(
                f"스키마의 보존기간 {declared}일이 규칙의 {longest}일보다 깁니다",
                f"the schema keeps {declared} days, the rule allows {longest}",
            )
        )
    if declared is not None and least is not None and declared < least:
        found.append(
            say(
                f"스키마의 보존기간 {declared}일이 규칙의 최소 {least}일보다 짧습니다",
                f"the schema keeps {declared} days, the rule asks for {least} at least",
            )
        )
    if not promising:
        return found
    promise = max(promising, key=lambda clause: clause.retention_days or 0)
    days = promise.retention_days or 0
    source = say("스키마", "schema") if declared is not None else question.rule.id
    for limit, breaks in ((kept, kept is not None and kept > days), (least, (least or 0) > days)):
        if breaks:
            found.append(
                say(
                    f"{source}: {limit}일 보존, 처리방침({promise.id}): {days}일 약속: "
                    f"“{promise.text}”",
                    f"{source}: kept for {limit} days; the notice ({promise.id}) promises {days}: "
                    f"“{promise.text}”",
                )
            )
    return found


def _unknown(question: Question, declared: int | None, promising: list[Clause]) -> str:
    """Return why nothing can be said, or ""."""
    say = question.say
    if declared is None and not promising:
        return say(
            "보존기간을 적은 처리방침도, 스키마의 선언도 없습니다. 처리방침(*.md)을 함께 주세요.",
            "neither a notice nor the schema states a period; attach the privacy notice (*.md).",
        )
    longest = question.requirement.argument.get("max")
    kept = declared if declared is not None else longest
    shorter = [c for c in promising if kept is not None and (c.retention_days or 0) < kept]
    if shorter:
        return say(
            f"처리방침이 여러 기간을 적어({', '.join(c.id for c in shorter)}이(가) 더 짧음) "
            "어느 것이 해당하는지 알 수 없습니다.",
            f"the notice names several periods ({', '.join(c.id for c in shorter)} shorter); "
            "which one holds here cannot be told.",
        )
    return ""


def _agreement(question: Question, declared: int | None, promising: list[Clause]) -> str:
    parts = [f"{question.rule.id} {question.requirement.argument}"]
    if declared is not None:
        parts.append(question.say(f"스키마 {declared}일", f"schema {declared} days"))
    parts += [
        f"{Path(clause.source).name} {clause.id}: {clause.retention_days}" for clause in promising
    ]
    return ", ".join(parts)
