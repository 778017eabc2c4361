"""`encrypted`: are the values out of sight, declared so or seen so."""

import re
from collections.abc import Iterator

from minerva_governance.core.detection.detector import has_named_form
from minerva_governance.core.detection.inventory import PiiColumn
from minerva_governance.core.predicates.question import Question, doubt
from minerva_governance.core.review.finding import Finding, Reference
from minerva_governance.core.review.review import Review

_DECLARES_CIPHER = re.compile(
    r"암호화|해시|encrypt|cipher|hash(?:ed)?\b|_ENC(?:PT|RPT)?$|^ENC_|_HASH$", re.IGNORECASE
)
_UNDOES = re.compile(
    r"(?:비|미|무)\s*암호|암호화\s*(?:안|하지|되지|전|예정|필요|대상|여부|검토|미)"
    r"|해시\s*(?:안|하지|전|예정|미)"
    r"|\b(?:un|non-?|not |no |without |to be |should be |must be |will be |planned|todo)"
    r"[ \w-]{0,20}(?:encrypt|hash|cipher)"
    r"|\b(?:encrypt|hash)\w*[ :]+(?:no|not|none|false|later|todo)",
    re.IGNORECASE,
)
"""암호화 예정, `not encrypted yet`: the word stands there and says the opposite."""


def encrypted(question: Question) -> Iterator[Finding]:
    """Answer whether the values are out of sight: declared so, or no plain value among them."""
    say, review = question.say, question.review
    if not review.columns_seen and not question.unseen():
        reason = say(
            "데이터나 스키마가 없습니다. CSV나 SQL 파일을 함께 주세요.",
            "no data and no schema; attach a CSV or an SQL file.",
        )
        yield question.not_evaluated("*", reason)
        return
    columns = question.personal_columns()
    if not columns:
        yield from _no_such_column(question)
    for column in columns:
        judge = _declared_cipher if column.declared else _seen_cipher
        yield judge(question, column)


def _no_such_column(question: Question) -> Iterator[Finding]:
    """Pass if everything was looked at; what was not is told file by file (`evaluate`)."""
    say, review, tag = question.say, question.review, question.rule.tag
    if not question.has_target():
        reason = say(
            f"`{tag}` 태그가 붙은 테이블이나 파일이 없습니다. 정책의 `tags:`를 확인하세요.",
            f"no table or file carries the tag `{tag}`; check `tags:` in the policy.",
        )
        yield question.not_evaluated("*", reason)
    elif not question.unseen():
        words = say("해당하는 컬럼이 없습니다", "no column of this kind")
        seen = say(
            f"본 컬럼 {review.columns_seen}개", f"of {review.columns_seen} columns looked at"
        )
        yield question.finding("pass", "*", evidence=f"{words} ({seen})", total=review.columns_seen)


def _declared_cipher(question: Question, column: PiiColumn) -> Finding:
    say = question.say
    place = Reference(
        source=column.source,
        line=column.line,
        quote=f"{column.column} {column.data_type} {column.comment}".strip(),
    )
    words = (column.comment, column.column)
    if any(map(_DECLARES_CIPHER.search, words)) and not any(map(_UNDOES.search, words)):
        evidence = say("스키마가 암호화를 선언합니다", "the schema declares it encrypted")
        return question.passed(column.target, evidence=evidence, citations=(place,))
    reason = say(
        f"스키마({column.data_type})에 암호화 선언이 없고, 이 테이블의 값은 보지 못했습니다.",
        f"the schema ({column.data_type}) declares no encryption, and no values of this table "
        "were attached.",
    )
    return question.not_evaluated(column.target, reason, citations=(place,))


def _seen_cipher(question: Question, column: PiiColumn) -> Finding:
    say = question.say
    numbers = {
        "count": column.hits,
        "total": column.sampled,
        "sampled": _is_sample(question.review, column),
        "citations": tuple(
            Reference(source=column.source, row=hit.row, quote=hit.shown) for hit in column.evidence
        ),
    }
    if column.hits and not column.suspected:
        rows = ", ".join(
            say(f"{hit.row}행 {hit.shown}", f"row {hit.row} {hit.shown}") for hit in column.evidence
        )
        return question.finding("fail", column.target, evidence=rows, **numbers)
    if column.hits:
        reason = doubt(question, column)
        return question.not_evaluated(column.target, reason, **numbers)
    if not column.sampled:
        reason = say("값이 모두 비어 있습니다.", "all its values are empty.")
        return question.not_evaluated(column.target, reason)
    if not has_named_form(column.entity):
        reason = say(
            f"{column.entity}의 값을 알아보는 방법이 없습니다.",
            f"values of {column.entity} cannot be recognised.",
        )
        return question.not_evaluated(column.target, reason, total=column.sampled)
    plain = column.sampled - column.out_of_sight
    if plain:
        reason = say(
            f"값 {column.sampled}개 중 {plain}개는 알려진 평문 형식도, 암호문의 형식도 아닙니다.",
            f"{plain} of {column.sampled} values have neither a known plain form nor that of a "
            "cipher or a mask.",
        )
        return question.not_evaluated(column.target, reason, **numbers)
    evidence = say(
        f"값 {column.sampled}개에 평문 형식이 없습니다",
        f"no plain value among {column.sampled}",
    )
    return question.passed(column.target, within=column.table, evidence=evidence, **numbers)


def _is_sample(review: Review, column: PiiColumn) -> bool:
    return any(scan.more_rows for scan in review.scans if scan.table == column.table)
