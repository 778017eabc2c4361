"""`k_anonymity`: enough people share each combination in a file that leaves the house."""

from collections.abc import Iterator

from minerva_governance.core.detection.file_scan import open_again
from minerva_governance.core.detection.k_anonymity import (
    KAnonymity,
    TooManyClassesError,
    k_anonymity,
    missing_columns,
)
from minerva_governance.core.detection.table_scan import DataScan
from minerva_governance.core.predicates.rule_check import TEXTS, RuleCheck
from minerva_governance.core.reading.problem import UnreadableError
from minerva_governance.core.review.finding import Finding, Reference


def k_anonymous(check: RuleCheck) -> Iterator[Finding]:
    """Answer whether at least `min` rows share each combination, over the whole file."""
    scans = [
        scan
        for scan in check.review.scans
        if scan.is_dataset and check.covers(scan.table, is_dataset=True)
    ]
    if not scans:
        yield check.not_evaluated("*", TEXTS("k_anonymity.no_file", check.language))
    for scan in scans:
        yield _k_of(check, scan)


def _k_of(check: RuleCheck, scan: DataScan) -> Finding:
    name, language = scan.table, check.language
    quasi = tuple(check.requirement.argument["quasi"])
    minimum = int(check.requirement.argument["min"])
    missing = missing_columns([column.name for column in scan.columns], quasi)
    if missing:
        reason = TEXTS("k_anonymity.no_columns", language, names=", ".join(missing))
        return check.not_evaluated(name, reason)
    try:
        result = k_anonymity(open_again(scan), quasi, minimum=minimum)
    except TooManyClassesError:
        return check.not_evaluated(name, TEXTS("k_anonymity.too_many", language))
    except UnreadableError as error:
        return check.not_evaluated(name, error.told(language))
    if not result.rows:
        return check.not_evaluated(name, TEXTS("k_anonymity.no_rows", language))
    return _judged(check, scan, result)


def _judged(check: RuleCheck, scan: DataScan, result: KAnonymity) -> Finding:
    """Return the answer for a table whose classes were counted."""
    name = scan.table
    minimum = int(check.requirement.argument["min"])
    text = _k_text(check, result, minimum)
    fields = {
        "evidence": text,
        "count": result.small_rows,
        "total": result.rows,
        "measures": {
            "k": result.k,
            "minimum": minimum,
            "classes": result.classes,
            "rows": result.rows,
            "small_classes": result.small_classes,
            "small_rows": result.small_rows,
        },
        "citations": tuple(Reference(source=scan.source, row=row) for row in result.rows_below),
    }
    if result.k >= minimum:
        return check.passed(name, within=name, **fields)
    # Uncounted rows could all belong to the smallest class, and so lift k by their number.
    if result.k + result.uncounted_rows < minimum:
        return check.finding("fail", name, **fields)
    reason = TEXTS(
        "k_anonymity.uncounted", check.language, counted=text, rows=result.uncounted_rows
    )
    return check.not_evaluated(name, reason, total=result.rows)


def _k_text(check: RuleCheck, result: KAnonymity, minimum: int) -> str:
    text = TEXTS(
        "k_anonymity.counted",
        check.language,
        k=result.k,
        minimum=minimum,
        quasi=", ".join(result.quasi),
        classes=result.classes,
        rows=result.rows,
    )
    if not result.small_classes:
        return text
    return text + TEXTS(
        "k_anonymity.small",
        check.language,
        minimum=minimum,
        classes=result.small_classes,
        rows=result.small_rows,
    )
