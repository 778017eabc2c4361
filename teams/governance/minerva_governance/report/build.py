"""Make the document of a review from its findings and from what other teams handed over."""

import datetime as dt
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from minerva_governance.answers.report import TEXTS as REPORT_TEXTS, Report
from minerva_governance.answers.standing import place_of, quoted, standings
from minerva_governance.contracts import (
    CodeUses,
    DeclaredFields,
    DocstringCoverage,
    Findings,
    Migration,
    PolicySet,
    RenamePlan,
)
from minerva_governance.core.detection.entity import category, label
from minerva_governance.core.detection.inventory import by_importance
from minerva_governance.core.detection.mask import mask_model
from minerva_governance.core.detection.table_scan import DataScan
from minerva_governance.core.policy.policy import Rule, Severity
from minerva_governance.core.review.finding import SEVERITIES, Finding
from minerva_governance.core.review.subject import subjects_of_name
from minerva_governance.report.document import (
    Anonymity,
    BreakingUse,
    Changes,
    Code,
    Column,
    Columns,
    Docstrings,
    Document,
    Hint,
    MigrationAsked,
    PersonalColumn,
    PolicyUsed,
    RuleAsked,
    Told,
    WorkerPart,
)
from minerva_governance.report.since import Earlier
from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_governance.report", "document")
GRAVE: Final[frozenset[Severity]] = frozenset({"high", "critical"})
_SENSITIVE_LIMIT: Final = 50_000
_PERSONS_LIMIT: Final = 1_000_000
"""개인정보 보호법 시행령 제35조: persons whose sensitive or unique data, or any, are kept."""
MAX_MISSING: Final = 20


@dataclass(frozen=True)
class Others:
    """What other teams handed over; None means that it did not come."""

    plan: RenamePlan | None = None
    uses: CodeUses | None = None
    docstrings: DocstringCoverage | None = None
    migration: Migration | None = None
    notice_read: bool = False
    givers: Mapping[str, str] = field(default_factory=dict[str, str])
    """kind of hand-off -> the path of who gave it"""
    lost: Mapping[str, str] = field(default_factory=dict[str, str])
    """kind of hand-off -> the path where the failure began that kept it away"""
    scans: Sequence[DataScan] = ()
    today: dt.date = dt.date.min


def build_document(report: Report, others: Others, earlier: Earlier | None = None) -> Document:
    """Return the document; `earlier` is the review that it is compared with."""
    language = report.language
    rules = {rule.id: rule for rule in report.rules}
    findings = tuple(
        _told(finding, rules.get(finding.rule_id), language) for finding in report.findings
    )
    findings, changes = _compared(findings, earlier)
    counts: dict[str, int] = {str(status): count for status, count in report.counts().items()}
    document = Document(
        language=language,
        reviewed_on=others.today,
        opening=tuple(_opening(findings, counts, language)),
        policies=tuple(
            PolicyUsed(id=each.id, version=each.version, sha256=each.sha256, owner=each.owner)
            for each in report.policies
        ),
        baseline=report.is_baseline,
        mistakes=tuple(map(str, report.mistakes)),
        counts=counts,
        total=len(findings),
        rules=tuple(_asked(rule, findings, language) for rule in report.rules),
        findings=findings,
        columns=_columns(others.plan),
        code=_code(others.uses, others.plan),
        columns_looked_at=report.columns_seen,
        inventory=tuple(_inventory(report)),
        flows=tuple(report.flows),
        notice_read=others.notice_read,
        anonymity=tuple(_anonymity(findings)),
        docstrings=_docstrings(others.docstrings),
        migration=_migration(others.migration, findings),
        teams={
            "data": others.plan is not None,
            "insilico": others.uses is not None,
            "governance": True,
        },
        workers=tuple(_workers(others)),
        impact=tuple(_impact(report, others.scans)),
        since=changes,
        not_looked_at=tuple(report.gaps),
        advice=REPORT_TEXTS("no_advice", language).strip("_"),
    )
    return mask_model(document.model_copy(update={"missing": dict(_missing(document))}))


def fingerprint(finding: Finding) -> str:
    """Return what a broken rule at a target is known by from review to review.

    A rule on sets of quasi-identifiers has an answer for each of them at one target.
    """
    parts = [finding.rule_id, finding.target.casefold()]
    if finding.columns:
        parts += [str(finding.predicate), *sorted(map(str.casefold, finding.columns))]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _told(finding: Finding, rule: Rule | None, language: Language) -> Told:
    key = finding.predicate or "other"
    acts = finding.status == "fail"
    return Told(
        **finding.model_dump(),
        title=rule.title_in(language) if rule else "",
        place=place_of(finding, rule, language),
        who=TEXTS(f"who.{key}", language) if acts else "",
        how=TEXTS(f"how.{key}", language, target=finding.target) if acts else "",
        fingerprint=fingerprint(finding),
    )


def _compared(
    findings: tuple[Told, ...], earlier: Earlier | None
) -> tuple[tuple[Told, ...], Changes | None]:
    """Return the broken rules marked as new or remaining, and the counts."""
    if earlier is None:
        return findings, None
    now = {each.fingerprint for each in findings if each.status == "fail"}
    marked = tuple(
        each.model_copy(
            update={"state": "remaining" if each.fingerprint in earlier.failing else "new"}
        )
        if each.status == "fail"
        else each
        for each in findings
    )
    mended = tuple(text for known, text in earlier.failing.items() if known not in now)
    remaining = len(now & earlier.failing.keys())
    return marked, Changes(
        new=len(now) - remaining,
        mended=len(mended),
        remaining=remaining,
        mended_findings=mended,
    )


def _opening(
    findings: Sequence[Told], counts: Mapping[str, int], language: Language
) -> Iterator[str]:
    """Yield how bad it is, the worst place, and what to do first."""
    total, failed, unknown = len(findings), counts["fail"], counts["not_evaluated"]
    broken = sorted(
        (each for each in findings if each.status == "fail"),
        key=lambda each: (SEVERITIES.index(each.severity), -each.count),
    )
    if broken:
        grave = sum(each.severity in GRAVE for each in broken)
        yield TEXTS("opening.fail", language, failed=failed, total=total, grave=grave, open=unknown)
        worst = broken[0]
        severity = TEXTS(f"severity.{worst.severity}", language)
        title = quoted(worst.title, language)
        about = {"target": worst.place, "title": title, "rule": worst.rule_id}
        text = TEXTS(
            "opening.worst", language, **about, severity=severity, evidence=_sentence(worst)
        )
        yield text.strip()
        yield TEXTS("opening.first", language, who=worst.who, how=worst.how)
    elif unknown:
        first = next(each for each in findings if each.status == "not_evaluated")
        yield TEXTS("opening.open", language, total=total, open=unknown)
        about = {"target": first.place, "rule": first.rule_id, "reason": first.reason}
        yield TEXTS("opening.least_known", language, **about)
        yield TEXTS("opening.first_open", language)
    else:
        key = "opening.clean" if total else "opening.nothing"
        yield TEXTS(key, language, total=total, waived=counts["waived"])
        yield TEXTS("opening.no_place", language)
        yield TEXTS("opening.first_clean" if total else "opening.first_open", language)


def _sentence(finding: Finding) -> str:
    text = finding.evidence or finding.reason
    return f"{text}." if text and text[-1] not in ".!?)" else text


def _asked(rule: Rule, findings: Sequence[Told], language: Language) -> RuleAsked:
    mine = Counter(each.status for each in findings if each.rule_id == rule.id)
    return RuleAsked(
        id=rule.id,
        title=rule.title_in(language),
        severity=rule.severity,
        authority=rule.authority,
        fail=mine["fail"],
        waived=mine["waived"],
        not_evaluated=mine["not_evaluated"],
        passed=mine["pass"],
        total=mine.total(),
    )


def _columns(plan: RenamePlan | None) -> Columns | None:
    if plan is None:
        return None
    items = tuple(Column.model_validate(each.model_dump()) for each in plan.columns)
    tally = Counter(item.status for item in items)
    return Columns(
        renamed=tally["renamed"],
        standard=tally["standard"],
        unresolved=len(items) - tally["renamed"] - tally["standard"],
        total=len(items),
        items=items,
    )


def _code(uses: CodeUses | None, plan: RenamePlan | None) -> Code | None:
    if uses is None:
        return None
    renamed = {
        each.column.casefold(): each.physical_name or ""
        for each in (plan.columns if plan else ())
        if each.status == "renamed"
    }
    breaking = tuple(
        BreakingUse(
            column=use.name,
            new_name=renamed[use.name.casefold()],
            path=use.path,
            line=use.line,
            snippet=use.snippet,
        )
        for use in uses.uses
        if use.name.casefold() in renamed
    )
    return Code(
        breaking=tuple(dict.fromkeys(breaking)),
        total=uses.total,
        truncated=uses.truncated,
        unparsed=uses.unparsed,
    )


def _anonymity(findings: Sequence[Told]) -> Iterator[Anonymity]:
    for each in findings:
        if "k" in each.measures:
            yield Anonymity(
                rule_id=each.rule_id,
                target=each.target,
                status=each.status,
                columns=each.columns,
                measures=each.measures,
                evidence=each.evidence,
            )


def _docstrings(found: DocstringCoverage | None) -> Docstrings | None:
    if found is None:
        return None
    places = (f"{each.path}:{each.line} {each.qualname}" for each in found.missing[:MAX_MISSING])
    return Docstrings(
        total=found.total, covered=found.covered, percent=found.percent, missing=tuple(places)
    )


def _migration(found: Migration | None, findings: Sequence[Told]) -> MigrationAsked | None:
    if found is None:
        return None
    lines = tuple(found.sql.splitlines())
    waived = (
        each.target
        for each in findings
        if each.status == "waived" and each.predicate == "standard_name"
    )
    return MigrationAsked(
        renames=found.renames, tables=found.tables, waived=tuple(dict.fromkeys(waived)), sql=lines
    )


def _inventory(report: Report) -> Iterator[PersonalColumn]:
    """Yield the personal columns by importance, each with how it stands."""
    stand = standings(report.columns, report.findings, report.rules)
    for column in by_importance(report.columns):
        status, rules, why, still_open = stand[column.target]
        yield PersonalColumn(
            **column.model_dump(),
            standing=status,
            standing_rules=rules,
            standing_why=why,
            standing_open=still_open,
        )


_HANDED_OVER: Final[tuple[str, ...]] = (
    RenamePlan.kind, Migration.kind, CodeUses.kind, DeclaredFields.kind, DocstringCoverage.kind,
)  # fmt: skip


def _workers(others: Others) -> Iterator[WorkerPart]:
    """Yield who gave what: other teams' workers by their paths, then this team's own."""
    for kind in _HANDED_OVER:
        state: Literal["came", "bypassed", "not_called"] = "not_called"
        path = ""
        if kind in others.givers:
            state, path = "came", others.givers[kind]
        elif kind in others.lost:
            state, path = "bypassed", others.lost[kind]
        names = [part for part in path.split("/") if part not in {"", "platform"}]
        team = names[0].partition("#")[0] if names else kind.partition(".")[0]
        worker = names[-1].partition("#")[0] if len(names) > 1 else ""
        yield WorkerPart(team=team, worker=worker, gave=kind, state=state)
    yield WorkerPart(team="governance", worker="policy_agent", gave=PolicySet.kind, state="came")
    yield WorkerPart(team="governance", worker="compliance_agent", gave=Findings.kind, state="came")


@dataclass(frozen=True)
class _Persons:
    """How many persons a data file holds at least, and what was counted."""

    count: int
    table: str
    key: str = ""
    """The column whose different values were counted; empty where rows were."""

    def told(self, language: Language) -> str:
        name = "impact.counted_keys" if self.key else "impact.counted_rows"
        return TEXTS(name, language, count=f"{self.count:,}", table=self.table, key=self.key)


def _persons(report: Report, scans: Sequence[DataScan]) -> _Persons | None:
    """Return the file with the most persons, or None if no data file has personal columns.

    Different values of a unique identifier are persons. Of another key only one that its name calls
    a person's is; else rows are counted.
    """
    tables = {each.table for each in report.columns if not each.declared}
    counted = [_persons_in(scan) for scan in scans if scan.table in tables and scan.is_dataset]
    return max(counted, key=lambda each: each.count, default=None)


def _persons_in(scan: DataScan) -> _Persons:
    keys = [
        (
            category(column.promised) == "unique_identifier",
            column.distinct,
            column.name,
        )
        for column in scan.columns
        if column.promised is not None
        and column.distinct
        and (category(column.promised) == "unique_identifier" or subjects_of_name(column.name))
    ]
    if keys:
        _, count, name = max(keys)
        return _Persons(count, scan.table, name)
    return _Persons(scan.rows, scan.table)


def _impact(report: Report, scans: Sequence[DataScan]) -> Iterator[Hint]:
    """Yield hints where an impact assessment may be due, with the number of persons."""
    language = report.language
    special = [each for each in report.columns if is_special(each.entity)]
    persons = _persons(report, scans)
    if special:
        kinds = dict.fromkeys(label(each.entity, language) for each in special)
        text = TEXTS("impact.special", language, count=len(special), kinds=", ".join(kinds))
        counted = persons.told(language) if persons else TEXTS("impact.not_counted", language)
        about = TEXTS("impact.limit", language, limit=f"{_SENSITIVE_LIMIT:,}")
        yield Hint(rule="special_categories", text=f"{text} {counted} {about}")
    limit = _SENSITIVE_LIMIT if special else _PERSONS_LIMIT
    if persons is not None and persons.count >= limit:
        text = TEXTS("impact.persons", language, limit=f"{limit:,}")
        yield Hint(rule="persons", text=f"{persons.told(language)} {text}")


def is_special(entity: str) -> bool:
    """True if a kind is of a special category (GDPR Article 9; 민감정보)."""
    from minerva_governance.core.kinds.catalogue import catalogue  # noqa: PLC0415  # as `label` does

    kind = catalogue().get(entity)
    return kind is not None and kind.category in {"health", "special"}


def _missing(document: Document) -> Iterator[tuple[str, str]]:
    """Yield the parts that the document lacks, each with what to give."""
    there = {
        "columns": document.columns is not None,
        "code": document.code is not None,
        "notice": document.notice_read,
        "anonymity": bool(document.anonymity),
        "docstrings": document.docstrings is not None,
        "migration": document.migration is not None,
    }
    for part, is_there in there.items():
        if not is_there:
            yield part, TEXTS(f"missing.{part}", document.language)
