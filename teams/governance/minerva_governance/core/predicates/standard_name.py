"""`standard_name`: does a column bear the name that the data standard gives it."""

from collections.abc import Iterator

from minerva_governance.core.predicates.rule_check import TEXTS, RuleCheck
from minerva_governance.core.review.finding import Finding


def standard_name(check: RuleCheck) -> Iterator[Finding]:
    """Answer whether each column bears the name that the data standard gives it."""
    naming = check.review.naming
    if not naming:
        yield check.not_evaluated("*", TEXTS("standard_name.no_plan", check.language))
        return
    for column in naming:
        if not check.covers(column.table, column.column, is_dataset=False):
            continue
        if check.rule.pii and check.review.entity_of_name(column.column) not in (check.rule.pii):
            continue
        target = f"{column.table}.{column.column}"
        if column.standard is None or not column.is_resolved:
            yield check.not_evaluated(target, TEXTS("standard_name.unknown", check.language))
        elif column.standard.casefold() == column.column.casefold():
            yield check.finding("pass", target, evidence=column.standard, total=1)
        else:
            evidence = f"{column.column} → {column.standard}"
            yield check.finding("fail", target, evidence=evidence, count=1, total=1)
