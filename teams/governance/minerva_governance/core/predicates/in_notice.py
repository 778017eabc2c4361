"""`in_notice`: the privacy notice names what the columns collect."""

from collections.abc import Iterator, Sequence

from minerva_governance.core.detection.entity import label
from minerva_governance.core.detection.inventory import PiiColumn
from minerva_governance.core.predicates.rule_check import TEXTS, RuleCheck, doubt
from minerva_governance.core.review.finding import Finding, Reference
from minerva_governance.core.review.notice import Clause


def in_notice(check: RuleCheck) -> Iterator[Finding]:
    """Answer whether the notice's list of collected items names what each column holds."""
    listing = [clause for clause in check.review.clauses if clause.lists_items]
    if not listing:
        yield check.not_evaluated("*", TEXTS("in_notice.no_notice", check.language))
        return
    columns = check.personal_columns()
    yield from check.not_known()
    if not columns and not check.unknown_columns():
        yield check.not_evaluated("*", TEXTS("in_notice.no_column", check.language))
    for column in columns:
        if column.by == "value" and column.suspected:
            yield check.not_evaluated(column.target, doubt(check, column))
        else:
            yield _named(check, column, listing)


def _named(check: RuleCheck, column: PiiColumn, listing: Sequence[Clause]) -> Finding:
    """Return a pass if one of the clauses in `listing` names what `column` holds."""
    naming = [clause for clause in listing if clause.names(column.entity)]
    unread = check.unread_notices()
    if unread and not naming:
        reason = TEXTS("in_notice.unread", check.language, names=", ".join(unread))
        return check.not_evaluated(column.target, reason)
    quoted = naming or listing
    evidence = TEXTS(
        "in_notice.named" if naming else "in_notice.missing",
        check.language,
        item=label(column.entity, check.language),
        clauses="; ".join(f"{clause.id} “{clause.text}”" for clause in quoted),
    )
    return check.finding(
        "pass" if naming else "fail",
        column.target,
        evidence=evidence,
        count=0 if naming else 1,
        total=1,
        citations=(
            Reference(source=column.source, line=column.line, quote=column.column),
            *(Reference(source=c.source, line=c.line, quote=c.text) for c in quoted),
        ),
    )
