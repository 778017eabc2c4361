"""`k_anonymity`: do enough people share each combination in a file that leaves the house."""

from collections.abc import Iterator

from minerva_governance.core.detection.inventory import DataScan
from minerva_governance.core.detection.k_anonymity import (
    KAnonymity,
    TooManyClassesError,
    k_anonymity,
    missing_columns,
)
from minerva_governance.core.detection.scan import open_again
from minerva_governance.core.predicates.question import Question
from minerva_governance.core.report.wording import UnreadableError
from minerva_governance.core.review.finding import Finding, Reference


def k_anonymous(question: Question) -> Iterator[Finding]:
    """Answer whether at least `min` rows share each combination, over the whole file."""
    say, rule = question.say, question.rule
    scans = [
        scan
        for scan in question.review.scans
        if rule.tag is None or question.policy.has_tag(rule.tag, scan.table, is_dataset=True)
    ]
    if not scans:
        reason = say(
            "해당하는 데이터 파일이 없습니다. CSV를 함께 주거나 정책의 `tags:`를 고치세요.",
            "no data file of this tag; attach a CSV, or mend `tags:` in the policy.",
        )
        yield question.not_evaluated("*", reason)
    for scan in scans:
        yield _k_of(question, scan)


def _k_of(question: Question, scan: DataScan) -> Finding:
    say, name = question.say, scan.table
    quasi = tuple(question.requirement.argument["quasi"])
    minimum = int(question.requirement.argument["min"])
    missing = missing_columns([column.name for column in scan.columns], quasi)
    if missing:
        names = ", ".join(missing)
        return question.not_evaluated(
            name, say(f"컬럼이 없습니다: {names}", f"it has no column {names}")
        )
    try:
        result = k_anonymity(open_again(scan), quasi, minimum=minimum)
    except TooManyClassesError:
        return question.not_evaluated(
            name, say("조합이 너무 많아 셀 수 없습니다.", "too many combinations to count.")
        )
    except UnreadableError as error:
        return question.not_evaluated(name, error.reason.said_in(question.review.language))
    if not result.rows:
        return question.not_evaluated(name, say("행이 없습니다.", "it has no rows."))
    return _judged(question, scan, result)


def _judged(question: Question, scan: DataScan, result: KAnonymity) -> Finding:
    """Return the answer for a table whose classes were counted."""
    name = scan.table
    minimum = int(question.requirement.argument["min"])
    text = _k_text(question, result, minimum)
    fields = {
        "evidence": text,
        "count": result.small_rows,
        "total": result.rows,
        "citations": tuple(Reference(source=scan.source, row=row) for row in result.rows_below),
    }
    if result.k >= minimum:
        return question.passed(name, within=name, **fields)
    if result.k + result.unseen_rows < minimum:
        return question.finding("fail", name, **fields)
    reason = question.say(
        f"{text}. 세지 못한 행 {result.unseen_rows}개에 달려 있습니다.",
        f"{text}; it depends on the rows that could not be counted: {result.unseen_rows}.",
    )
    return question.not_evaluated(name, reason, total=result.rows)


def _k_text(question: Question, result: KAnonymity, minimum: int) -> str:
    quasi = ", ".join(result.quasi)
    text = question.say(
        f"k={result.k} (최소 {minimum}): 가장 작은 조합의 크기 {result.k}, "
        f"{quasi} 조합 {result.classes}개, {result.rows}행",
        f"k={result.k} (minimum {minimum}): the smallest class has size {result.k}; classes of "
        f"{quasi}: {result.classes}, rows: {result.rows}",
    )
    if not result.small_classes:
        return text
    return text + question.say(
        f"; {minimum}행 미만인 조합 {result.small_classes}개에 {result.small_rows}행",
        f"; classes below {minimum}: {result.small_classes}, rows in them: {result.small_rows}",
    )
