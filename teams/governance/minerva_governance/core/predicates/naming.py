"""`standard_name`: does a column bear the name that the data standard gives it."""

from collections.abc import Iterator

from minerva_governance.core.predicates.question import Question
from minerva_governance.core.review.finding import Finding


def standard_name(question: Question) -> Iterator[Finding]:
    """Answer whether each column bears the name that the data standard gives it."""
    say = question.say
    naming = question.review.naming
    if not naming:
        reason = say(
            "표준 이름 목록이 없습니다. 스키마의 표준화를 함께 요청하세요.",
            "no standard names were handed over; ask for the schema's standardisation as well.",
        )
        yield question.not_evaluated("*", reason)
        return
    for column in naming:
        if question.rule.pii and question.review.entity_of_name(column.column) not in (
            question.rule.pii
        ):
            continue
        target = f"{column.table}.{column.column}"
        if column.standard is None or not column.resolved:
            reason = say("표준에서 이름을 찾지 못했습니다.", "the standard has no name for it.")
            yield question.not_evaluated(target, reason)
        elif column.standard.casefold() == column.column.casefold():
            yield question.finding("pass", target, evidence=column.standard, total=1)
        else:
            evidence = f"{column.column} → {column.standard}"
            yield question.finding("fail", target, evidence=evidence, count=1, total=1)
