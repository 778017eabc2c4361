"""`k_anonymity`: do enough people share each combination in a file that leaves the house."""

from collections.abc import Iterator

from minerva_governance.core.detection.data_file import DataFile
from minerva_governance.core.detection.k_anonymity import (
    KAnonymity,
    TooManyClassesError,
    k_anonymity,
    missing_columns,
)
from minerva_governance.core.predicates.question import Question
from minerva_governance.core.report.wording import UnreadableError
from minerva_governance.core.review.finding import Finding, Reference


def k_anonymous(question: Question) -> Iterator[Finding]:
    """Answer whether at least `min` rows share each combination, over the whole file."""
    say, rule = question.say, question.rule
    files = [
        (data, scan.table)
        for data, scan in question.review.files
        if rule.tag is None or question.policy.has_tag(rule.tag, data.path.name, is_dataset=True)
    ]
    if not files:
        reason = say(
            "해당하는 데이터 파일이 없습니다. CSV를 함께 주거나 정책의 `tags:`를 고치세요.",
            "no data file of this tag; attach a CSV, or mend `tags:` in the policy.",
        )
        yield question.not_evaluated("*", reason)
    for data, name in files:
        yield _k_of(question, data, name)


def _k_of(question: Question, data: DataFile, name: str) -> Finding:
    say = question.say
    quasi = tuple(question.requirement.argument["quasi"])
    minimum = int(question.requirement.argument["min"])
    missing = missing_columns(data, quasi)
    if missing:
        names = ", ".join(missing)
        return question.not_evaluated(
            name, say(f"컬럼이 없습니다: {names}", f"it has no column {names}")
        )
    try:
        result = k_anonymity(data, quasi, minimum=minimum)
    except TooManyClassesError:
        return question.not_evaluated(
            name, say("조합이 너무 많아 셀 수 없습니다.", "too many combinations to count.")
        )
    except UnreadableError as error:
        return question.not_evaluated(name, error.reason.said_in(question.review.language))
    if not result.rows:
        return question.not_evaluated(name, say("행이 없습니다.", "it has no rows."))
    return question.finding(
        "pass" if result.k >= minimum else "fail",
        name,
        evidence=_k_text(question, result, minimum),
        count=result.small_rows,
        total=result.rows,
        citations=tuple(Reference(source=str(data.path), row=row) for row in result.rows_below),
    )


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
