"""`retention_days`: do the rule, the notice and the schema agree how long data is kept.

`max` is a limit: whatever states a longer period breaks it, and a shorter one meets it. `min` asks
for a period at least, and a bare number for just that many days. An end that is no number of days
("until you leave") is quoted and not evaluated.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from minerva_governance.core.predicates.question import Question
from minerva_governance.core.review.finding import Finding, Reference
from minerva_governance.core.review.notice import Clause, kept_periods


@dataclass(frozen=True)
class _Stated:
    """Who states a period, how long, and the words."""

    who: str
    days: tuple[int, ...]
    unclear: str
    quote: str
    place: Reference

    def __str__(self) -> str:
        return f"{self.who}: {', '.join(map(str, self.days))}"


def retention_days(question: Question) -> Iterator[Finding]:
    """Answer for each table of the rule's tag; without tables, for the tag itself."""
    tag = question.rule.tag
    promised = [
        _clause_to_stated(question, clause)
        for clause in question.review.clauses
        if clause.periods or clause.unclear_period
    ]
    tables = [
        (table, comment, Reference(source=schema.source, line=line, quote=comment))
        for schema in question.review.schemas
        for table, comment, line in schema.tables
        if tag is None or question.policy.has_tag(tag, table, is_dataset=False)
    ]
    for table, comment, place in tables:
        kept = kept_periods(comment)
        declared = _Stated(
            question.say("스키마", "schema"), kept.days, kept.unclear, comment, place
        )
        yield _judge(question, table, declared if kept.days or kept.unclear else None, promised)
    if not tables:
        yield _without_tables(question, tag or "*", promised)


def _clause_to_stated(question: Question, clause: Clause) -> _Stated:
    return _Stated(
        question.say(f"처리방침({clause.id})", f"the notice ({clause.id})"),
        clause.periods,
        clause.unclear_period,
        clause.text,
        Reference(source=clause.source, line=clause.line, quote=clause.text),
    )


def _without_tables(question: Question, target: str, promised: Sequence[_Stated]) -> Finding:
    """Judge the notice alone: it may break the rule; that tables keep it was not seen.

    Where tables were seen and none carries the rule's tag, the notice may be about those tables.
    """
    found = _judge(question, target, None, promised)
    if found.status == "fail" and any(schema.tables for schema in question.review.schemas):
        reason = question.say(
            f"이 태그가 붙은 테이블이 스키마에 없습니다. {found.evidence}",
            f"no table of the schema carries this tag. {found.evidence}",
        )
        return question.not_evaluated(target, reason, citations=found.citations)
    if found.status != "pass":
        return found
    reason = question.say(
        f"{found.evidence}. 그러나 해당하는 테이블을 보지 못했습니다. 스키마(*.sql)를 함께 주세요.",
        f"{found.evidence}; but no table of this kind was seen. Attach the schema (*.sql).",
    )
    return question.not_evaluated(target, reason, citations=found.citations)


def _judge(
    question: Question, target: str, declared: _Stated | None, promised: Sequence[_Stated]
) -> Finding:
    rule = question.rule
    stated = [*([declared] if declared else []), *promised]
    cited = (
        Reference(source=rule.source, line=rule.line, quote=rule.title),
        *(each.place for each in stated),
    )
    conflicts = [*_beyond_limits(question, stated), *_beyond_promise(question, declared, promised)]
    if conflicts:
        evidence = "; ".join(dict.fromkeys(conflicts))
        return question.finding(
            "fail", target, evidence=evidence, count=1, total=1, citations=cited
        )
    reason = _unknown(question, declared, stated)
    if reason:
        return question.not_evaluated(target, reason, citations=cited)
    limits = " ".join(f"{key}={days}" for key, days in question.requirement.argument.items())
    evidence = ", ".join([f"{rule.id} {limits}", *map(str, stated)])
    return question.passed(target, evidence=evidence, total=1, citations=cited)


def _beyond_limits(question: Question, stated: Sequence[_Stated]) -> Iterator[str]:
    """Say which stated periods are longer than `max`, and whether all are shorter than `min`."""
    say, rule = question.say, question.rule
    longest, least = (question.requirement.argument.get(key) for key in ("max", "min"))
    for each in stated:
        too_long = [days for days in each.days if longest is not None and days > longest]
        if too_long:
            yield say(
                f"{each.who}: {max(too_long)}일 보존, {rule.id}: 최대 {longest}일: “{each.quote}”",
                f"{each.who} keeps {max(too_long)} days, {rule.id} allows {longest}: "
                f"“{each.quote}”",
            )
    known = [each for each in stated if each.days]
    if least is None or not known:
        return
    most = max(known, key=lambda each: max(each.days))
    if max(most.days) < least:
        yield say(
            f"{rule.id}: {least}일 보존, {most.who}: {max(most.days)}일: “{most.quote}”",
            f"{rule.id}: kept for {least} days; {most.who} says {max(most.days)}: “{most.quote}”",
        )


def _beyond_promise(
    question: Question, declared: _Stated | None, promised: Sequence[_Stated]
) -> Iterator[str]:
    """Say where the schema keeps data longer than any period of the notice."""
    known = [each for each in promised if each.days]
    if declared is None or not declared.days or not known:
        return
    longest = max(known, key=lambda each: max(each.days))
    kept, days = max(declared.days), max(longest.days)
    if kept > days:
        yield question.say(
            f"스키마: {kept}일 보존, {longest.who}: {days}일 약속: “{longest.quote}”",
            f"schema: kept for {kept} days; {longest.who} promises {days}: “{longest.quote}”",
        )


def _unknown(question: Question, declared: _Stated | None, stated: Sequence[_Stated]) -> str:
    """Return why nothing can be said, or ""."""
    say = question.say
    if not any(each.days or each.unclear for each in stated):
        return say(
            "보존기간을 적은 처리방침도, 스키마의 선언도 없습니다. 처리방침(*.md)을 함께 주세요.",
            "neither a notice nor the schema states a period; attach the privacy notice (*.md).",
        )
    unclear = [f"{each.who}: “{each.unclear}”" for each in stated if each.unclear]
    if unclear:
        words = "; ".join(unclear)
        return say(
            f"며칠인지 알 수 없는 기간입니다. {words}", f"how many days that is is unclear: {words}"
        )
    least = question.requirement.argument.get("min")
    kept = max(declared.days) if declared else least
    short = [each.who for each in stated if kept is not None and min(each.days) < kept]
    if short:
        names = ", ".join(dict.fromkeys(short))
        return say(
            f"여러 기간이 적혀 있어({names}이(가) 더 짧음) 어느 것이 해당하는지 알 수 없습니다.",
            f"several periods are stated ({names} shorter); which one holds here cannot be told.",
        )
    return ""
