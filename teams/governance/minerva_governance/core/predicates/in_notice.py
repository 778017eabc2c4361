"""`in_notice`: the privacy notice names what the columns collect."""

from collections.abc import Iterator, Sequence

from minerva_governance.core.detection.entity import label
from minerva_governance.core.detection.inventory import PiiColumn
from minerva_governance.core.kinds.review_context import current_catalogue
from minerva_governance.core.predicates.rule_check import TEXTS, RuleCheck, doubt, told_promises
from minerva_governance.core.review.data_subject import (
    GUARDIAN,
    STAFF,
    addressed_to,
    label_of,
    subjects_of,
    tables_by_name,
)
from minerva_governance.core.review.finding import Finding, Reference
from minerva_governance.core.review.notice import Clause
from minerva_governance.core.review.notice_claims import broken_by_collecting, promises_in


def in_notice(check: RuleCheck) -> Iterator[Finding]:
    """Answer whether the notice's list of collected items names what each column holds."""
    clauses = check.review.clauses
    listing = [clause for clause in clauses if clause.lists_items]
    if not listing:
        yield check.not_evaluated("*", TEXTS("in_notice.no_notice", check.language))
        return
    columns = check.personal_columns()
    yield from check.not_known()
    if not columns and not check.unknown_columns():
        yield check.not_evaluated("*", TEXTS("in_notice.no_column", check.language))
    tables = tables_by_name(check.review.schemas)
    for column in columns:
        if column.by == "value" and column.suspected:
            yield check.not_evaluated(column.target, doubt(check, column))
            continue
        whose = subjects_of(column, tables)
        finding = _judge_item(check, column, listing, whose)
        yield _of_whom(check, finding, whose, listing, column)


def _of_whom(
    check: RuleCheck,
    finding: Finding,
    whose: frozenset[str],
    listing: Sequence[Clause],
    column: PiiColumn,
) -> Finding:
    """Return `finding`, not evaluated where the notice is about the data of others.

    A pass needs a notice for those people; of staff also one that names them. That staff data
    lacks in a notice breaks nothing where the notice is addressed to others.
    """
    if not whose or finding.status not in {"pass", "fail"}:
        return finding
    naming = _naming(column, listing, whose) or list(listing)
    sources = {clause.source for clause in naming}
    told = {
        source: addressed_to(each for each in check.review.clauses if each.source == source)
        for source in sources
    }
    if any(whose <= to for to in told.values()):
        return finding
    named = frozenset[str]().union(*told.values())
    is_pass, is_staff = finding.status == "pass", STAFF in whose
    is_for_others = bool(named) and (is_pass or is_staff)
    if not is_for_others and not (is_pass and is_staff):
        return finding
    key = "in_notice.others" if named else "in_notice.nobody"
    reason = TEXTS(
        key,
        check.language,
        whose=label_of(whose - named or whose, check.language),
        named=label_of(named, check.language),
    )
    evidence = "; ".join(f"{one.id} “{one.text}”" for one in naming)
    return check.not_evaluated(
        column.target, reason, evidence=evidence, citations=finding.citations
    )


def _naming(column: PiiColumn, listing: Sequence[Clause], whose: frozenset[str]) -> list[Clause]:
    """Return the clauses that say that what `column` holds is collected of its people."""
    entity = column.entity
    return [
        clause
        for clause in listing
        if clause.collects(entity)
        or (GUARDIAN in whose and clause.collects(entity, of_guardians=True))
    ]


def _left_open(
    check: RuleCheck, column: PiiColumn, listing: Sequence[Clause], whose: frozenset[str]
) -> Finding | None:
    """Return an open finding where the notice collects it of guardians, or names its category."""
    catalogue, entity = current_catalogue(), column.entity
    theirs = [c for c in listing if not whose and c.collects(entity, of_guardians=True)]
    vague = [clause for clause in listing if catalogue.may_be_in_notice(entity, clause.items)]
    if not (theirs or vague):
        return None
    key, quotes = ("in_notice.guardians", theirs) if theirs else ("in_notice.category", vague)
    return check.not_evaluated(
        column.target,
        TEXTS(key, check.language, item=label(entity, check.language)),
        evidence="; ".join(f"{one.id} “{one.text}”" for one in quotes),
        citations=tuple(Reference(source=c.source, line=c.line, quote=c.text) for c in quotes),
    )


def _judge_item(
    check: RuleCheck, column: PiiColumn, listing: Sequence[Clause], whose: frozenset[str]
) -> Finding:
    """Return a pass if one of the clauses in `listing` names what `column` holds."""
    naming = _naming(column, listing, whose)
    if not naming and (left_open := _left_open(check, column, listing, whose)):
        return left_open
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
    cited = (
        Reference(source=column.source, line=column.line, quote=column.column),
        *(Reference(source=c.source, line=c.line, quote=c.text) for c in quoted),
    )
    fields = {"evidence": evidence, "total": 1, "citations": cited}
    if naming:  # what else the column holds is not known where its table was read in part
        return check.pass_finding(column.target, within=column.table, **fields)
    promises = broken_by_collecting(
        promises_in(check.review.clauses), (clause.source for clause in listing)
    )
    fields["evidence"] = evidence + told_promises(check, promises)
    fields["citations"] = (*cited, *(promise.place for promise in promises))
    return check.finding("fail", column.target, count=1, breaks=promises, **fields)
