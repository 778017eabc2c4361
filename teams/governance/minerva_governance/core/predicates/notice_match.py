"""`in_notice`: does the privacy notice name what the columns collect."""

from collections.abc import Iterator, Sequence

from minerva_governance.core.detection.entity import LABELS
from minerva_governance.core.detection.inventory import PiiColumn
from minerva_governance.core.predicates.question import Question, doubt
from minerva_governance.core.review.finding import Finding, Reference
from minerva_governance.core.review.notice import Clause


def in_notice(question: Question) -> Iterator[Finding]:
    """Answer whether the notice's list of collected items names what each column holds."""
    say = question.say
    listing = [clause for clause in question.review.clauses if clause.lists_items]
    if not listing:
        reason = say(
            "수집 항목을 적은 처리방침이 없습니다. 처리방침(*.md)을 함께 주세요.",
            "no notice with a list of collected items; attach the privacy notice (*.md).",
        )
        yield question.not_evaluated("*", reason)
        return
    columns = question.personal_columns()
    if not columns:
        reason = say("개인정보 컬럼을 찾지 못했습니다.", "no personal column was found.")
        yield question.not_evaluated("*", reason)
    for column in columns:
        if column.by == "value" and column.suspected:
            yield question.not_evaluated(column.target, doubt(question, column))
        else:
            yield _named(question, column, listing)


def _named(question: Question, column: PiiColumn, listing: Sequence[Clause]) -> Finding:
    """Return whether one of the clauses in `listing` names what `column` holds."""
    say = question.say
    naming = [clause for clause in listing if clause.names(column.entity)]
    unread = question.unseen_notices()
    if unread and not naming:
        names = ", ".join(unread)
        reason = say(
            f"읽은 처리방침에는 없고, 읽지 못한 문서가 있습니다: {names}",
            f"not in the notice that was read; documents that were not: {names}",
        )
        return question.not_evaluated(column.target, reason)
    item = say(*LABELS[column.entity])
    lead = say(
        f"{item}: 처리방침의 수집 항목에 없음: ",
        f"{item}: not among the items that the notice says are collected: ",
    )
    if naming:
        lead = say(f"{item}: 처리방침에 있음: ", f"{item}: named in the notice: ")
    quoted = naming or listing
    return question.finding(
        "pass" if naming else "fail",
        column.target,
        evidence=lead + "; ".join(f"{clause.id} “{clause.text}”" for clause in quoted),
        count=0 if naming else 1,
        total=1,
        citations=(
            Reference(source=column.source, line=column.line, quote=column.column),
            *(Reference(source=c.source, line=c.line, quote=c.text) for c in quoted),
        ),
    )
