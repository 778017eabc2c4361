"""Make the document of a review from its findings and from what other teams handed over."""

import datetime as dt
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from minerva_governance.answers.finding_context import (
    place_of,
    quoted,
    standings,
    told_clauses,
    told_sinks,
)
from minerva_governance.answers.report.document import (
    Anonymity,
    AppliedPolicy,
    BreakingUse,
    Changes,
    Code,
    Column,
    Columns,
    Docstrings,
    Document,
    Hint,
    Input,
    MigrationQuestion,
    NoRule,
    NoticeRead,
    PersonalColumn,
    ReportFinding,
    RuleCounts,
    WorkerPart,
)
from minerva_governance.answers.report.since import Earlier
from minerva_governance.answers.report.summary import TEXTS as REPORT_TEXTS, Report, describe_gap
from minerva_governance.contracts import (
    CodeUses,
    DeclaredFields,
    DocstringCoverage,
    Findings,
    Migration,
    PolicySet,
    RenamePlan,
)
from minerva_governance.core.detection.ciphertext import may_hold_cipher
from minerva_governance.core.detection.entity import category, label
from minerva_governance.core.detection.inventory import by_importance
from minerva_governance.core.detection.mask import mask_model
from minerva_governance.core.detection.table_scan import DataScan
from minerva_governance.core.policy.policy import Rule, Severity, laws_of
from minerva_governance.core.review.data_subject import subjects_of_name
from minerva_governance.core.review.finding import SEVERITIES, Finding
from minerva_governance.core.review.review import is_test
from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_governance.answers.report", "document")
APART: Final[frozenset[str]] = frozenset({"standard_name", "license"})
"""Predicates of rules that protect nobody's privacy: they stand apart, and head nothing."""
GRAVE: Final[frozenset[Severity]] = frozenset({"high", "critical"})
_SENSITIVE_LIMIT: Final = 50_000
_PERSONS_LIMIT: Final = 1_000_000
"""개인정보 보호법 시행령 제35조: persons whose sensitive or unique data, or any, are kept."""
_NAMES_DIRECTLY: Final = frozenset({"unique_identifier", "contact", "name", "financial"})
"""Categories whose values lead to one person without any other column."""
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
    attachment_names: tuple[str, ...] = ()
    """The names of the folders and files that were given."""
    notices: tuple[NoticeRead, ...] = ()
    inputs: tuple[Input, ...] = ()
    today: dt.date = dt.date.min


def build_document(report: Report, others: Others, earlier: Earlier | None = None) -> Document:
    """Return the document; `earlier` is the review that it is compared with."""
    language = report.language
    actions = _Actions(report, others.inputs)
    findings = tuple(map(actions.describe, report.findings))
    findings, changes = _compare(findings, earlier)
    counts: dict[str, int] = {str(status): count for status, count in report.counts().items()}
    document = Document(
        language=language,
        reviewed_on=others.today,
        attached=others.attachment_names,
        notices=others.notices,
        inputs=others.inputs,
        opening=tuple(_opening(findings, report)),
        policies=tuple(
            AppliedPolicy.model_validate(each, from_attributes=True) for each in report.policies
        ),
        baseline=report.is_baseline,
        mistakes=tuple(map(str, report.mistakes)),
        counts=counts,
        total=len(findings),
        rules=tuple(_counts_of(rule, findings, language) for rule in report.rules),
        findings=findings,
        columns=_columns(others.plan),
        code=_code(others.uses, others.plan),
        columns_looked_at=report.columns_seen,
        inventory=tuple(_inventory(report)),
        other_columns=tuple(report.other_columns),
        flows=tuple(report.flows),
        uncovered=tuple(_no_rules(report)),
        notice_read=others.notice_read,
        anonymity=tuple(
            Anonymity.model_validate(each, from_attributes=True)
            for each in findings
            if "k" in each.measures
        ),
        docstrings=_docstrings(others.docstrings),
        migration=_migration(others, findings, language),
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


class _Actions:
    """Says of each finding who has to act, and how; a finding that passes asks nobody."""

    def __init__(self, report: Report, inputs: Sequence[Input]) -> None:
        self.language: Language = report.language
        self.laws = laws_of(report.policies)
        self.rules = {(rule.policy, rule.id): rule for rule in report.rules}
        self.waivers = [waiver for policy in report.policies for waiver in policy.waivers]
        self.declared_targets = {each.target for each in report.columns if each.declared}
        self.direct: dict[str, dict[str, None]] = {}
        """table -> its columns that name a person directly"""
        for each in report.columns:
            if category(each.entity) in _NAMES_DIRECTLY:
                self.direct.setdefault(each.table, {})[each.column] = None
        self.unread = {each.name: each.kind for each in inputs if each.standing != "read"}

    def describe(self, finding: Finding) -> ReportFinding:
        """Return the finding with its title and place in words, who acts, and how."""
        rule = self.rules.get((finding.policy, finding.rule_id))
        who, how = self._action(finding)
        text: dict[str, Any] = {
            "evidence": told_sinks(told_clauses(finding.evidence, self.language), self.language),
            "reason": told_clauses(finding.reason, self.language),
        }
        return ReportFinding(
            **{**finding.model_dump(), **text},
            title=rule.title_in(self.language) if rule else "",
            place=place_of(finding, rule, self.language),
            who=who,
            how=how,
            fingerprint=fingerprint(finding),
        )

    def _action(self, finding: Finding) -> tuple[str, str]:
        """Return who has to act, and how.

        Who changes the data or the code acts; what has to be decided first, the text of it says.
        """
        key, about = str(finding.predicate or "other"), {"target": finding.target}
        about["breach"] = _laws("breach", self.laws, self.language)
        match finding.status:
            case "pass":
                return "", ""
            case "fail":
                key, more = self._remedy(finding, key)
                about |= more
                who, how = f"who.{key}", f"how.{key}"
            case "waived":
                covering = [w for w in self.waivers if w.covers(finding.rule_id, finding.target)]
                by = next((w.by for w in covering if w.until == finding.until and w.by), "")
                how = TEXTS("how_waived", self.language, until=finding.until)
                return by or TEXTS("who.other", self.language), how
            case "not_evaluated" if finding.must_decide:
                who, how = f"who_open.{key}", f"how_open.{key}"
            case "not_evaluated" if finding.target in self.unread:
                who, how = f"who_unread.{self.unread[finding.target]}", "how_unread"
            case "not_evaluated":
                who, how = f"who_unknown.{key}", f"how_unknown.{key}"
        return TEXTS(who, self.language), TEXTS(how, self.language, **about)

    def _remedy(self, finding: Finding, key: str) -> tuple[str, dict[str, str]]:
        """Return the key of the text on what mends a broken rule, and what stands in it."""
        if key == "encrypted" and finding.target in self.declared_targets:
            return "encrypted_schema", {}
        if key == "retention_days" and finding.measures.get("rows_past"):
            return "kept_rows", {"count": str(finding.measures["rows_past"])}
        direct = self.direct.get(finding.target, {})
        if key in {"k_anonymity", "l_diversity"} and direct:
            return f"{key}_direct", {"columns": ", ".join(direct)}
        return key, {}


def _no_rules(report: Report) -> Iterator[NoRule]:
    """Yield what no rule is about, with who decides, and what."""
    for each in report.coverage_gaps:
        targets = ", ".join(each.targets)
        yield NoRule(
            **each.model_dump(),
            what=describe_gap(each, report.language),
            who=TEXTS("who.uncovered", report.language),
            how=TEXTS(f"how_uncovered.{each.kind}", report.language, targets=targets),
        )


def _compare(
    findings: tuple[ReportFinding, ...], earlier: Earlier | None
) -> tuple[tuple[ReportFinding, ...], Changes | None]:
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


def _opening(findings: Sequence[ReportFinding], report: Report) -> Iterator[str]:
    """Yield how bad it is, the worst place, and what to do first."""
    language = report.language
    apart = sum(each.status == "fail" and each.predicate in APART for each in findings)
    findings = [each for each in findings if each.predicate not in APART]
    tally = Counter(each.status for each in findings)
    total, failed, unknown = len(findings), tally["fail"], tally["not_evaluated"]
    broken = sorted(
        (each for each in findings if each.status == "fail"),
        key=lambda each: (is_test(each.target), SEVERITIES.index(each.severity), -each.count),
    )
    if broken:
        grave = sum(each.severity in GRAVE for each in broken)
        about = {"failed": failed, "total": total, "grave": grave, "open": unknown}
        bad = TEXTS("opening.fail", language, **about)
        yield f"{bad} {TEXTS('opening.apart', language, count=apart)}" if apart else bad
        worst = broken[0]
        text = TEXTS(
            "opening.worst",
            language,
            target=_with_kind(worst, report),
            title=quoted(worst.title, language),
            rule=worst.rule_id,
            severity=TEXTS(f"severity.{worst.severity}", language),
            evidence=_sentence(worst, language),
        )
        yield text.strip()
        yield TEXTS("opening.first", language, who=worst.who, how=worst.how)
    elif unknown:
        first = next(each for each in findings if each.status == "not_evaluated")
        yield TEXTS("opening.open", language, total=total, open=unknown)
        least = {"target": first.place, "rule": first.rule_id, "reason": first.reason}
        yield TEXTS("opening.least_known", language, **least)
        yield TEXTS("opening.first", language, who=first.who, how=first.how)
    else:
        key = "opening.clean" if total else "opening.nothing"
        yield TEXTS(key, language, total=total, waived=tally["waived"])
        yield TEXTS("opening.no_place", language)
        yield TEXTS("opening.first_clean" if total else "opening.first_open", language)


def _with_kind(finding: ReportFinding, report: Report) -> str:
    """Return where a finding is, with what the column holds."""
    kinds = [each.entity for each in report.columns if each.target == finding.target]
    return f"{finding.place} ({label(kinds[0], report.language)})" if kinds else finding.place


def _sentence(finding: ReportFinding, language: Language) -> str:
    text = finding.evidence or finding.reason
    if finding.predicate == "encrypted" and finding.total > 1 and not finding.sampled:
        share = TEXTS("share", language, count=finding.count, total=finding.total)
        text = f"{share}: {text}"
    return f"{text}." if text and text[-1] not in ".!?)" else text


def _counts_of(rule: Rule, findings: Sequence[ReportFinding], language: Language) -> RuleCounts:
    mine = Counter(
        each.status for each in findings if (each.policy, each.rule_id) == (rule.policy, rule.id)
    )
    title = rule.title_in(language)
    other = rule.title_other or rule.title_in("en" if language == "ko" else "ko")
    return RuleCounts(
        id=rule.id,
        policy=rule.policy,
        title=title,
        title_other=other if other != title else "",
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
    breaking: dict[tuple[str, str, int], BreakingUse] = {}  # a line may use a column twice
    for use in uses.uses:
        if use.kind != "name" and use.name.casefold() in renamed:
            breaking.setdefault(
                (use.name, use.path, use.line),
                BreakingUse(
                    column=use.name,
                    new_name=renamed[use.name.casefold()],
                    path=use.path,
                    line=use.line,
                    snippet=use.snippet,
                ),
            )
    return Code(
        breaking=tuple(breaking.values()),
        lines=len({(path, line) for _, path, line in breaking}),
        files=len({path for _, path, _ in breaking}),
        total=uses.total,
        truncated=uses.truncated,
        unparsed=uses.unparsed,
    )


def _docstrings(coverage: DocstringCoverage | None) -> Docstrings | None:
    if coverage is None:
        return None
    places = (f"{each.path}:{each.line} {each.qualname}" for each in coverage.missing[:MAX_MISSING])
    return Docstrings(
        total=coverage.total,
        covered=coverage.covered,
        percent=coverage.percent,
        missing=tuple(places),
    )


def _migration(
    others: Others, findings: Sequence[ReportFinding], language: Language
) -> MigrationQuestion | None:
    migration = others.migration
    if migration is None:
        return None
    waived = (
        each.target
        for each in findings
        if each.status == "waived" and each.predicate == "standard_name"
    )
    return MigrationQuestion(
        renames=migration.renames,
        tables=migration.tables,
        waived=tuple(dict.fromkeys(waived)),
        warnings=tuple(_warnings(others.plan, findings, language)),
        sql=tuple(migration.sql.splitlines()),
    )


def _warnings(
    plan: RenamePlan | None, findings: Sequence[ReportFinding], language: Language
) -> Iterator[str]:
    """Yield what the standard's types would break: they lie beside names that a person approves."""
    encrypted = {
        each.target.casefold(): each.rule_id
        for each in findings
        if each.predicate == "encrypted" and each.status != "waived"
    }
    for each in plan.columns if plan else ():
        wanted = each.data_type or ""
        name = f"{each.table}.{each.column}"
        about = {
            "column": name if each.status != "renamed" else f"{name} → {each.physical_name}",
            "declared": each.declared_type or "",
            "wanted": wanted,
        }
        rule = encrypted.get(name.casefold())
        if rule and wanted and not may_hold_cipher(wanted):
            yield TEXTS("migration.no_cipher", language, rule=rule, **about)
        if each.type_change == "narrower":
            yield TEXTS("migration.narrower", language, **about)


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

    def describe(self, language: Language) -> str:
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
    persons, laws = _persons(report, scans), laws_of(report.policies)
    if special:
        kinds = dict.fromkeys(label(each.entity, language) for each in special)
        about = {"kinds": ", ".join(kinds), "laws": _laws("impact", laws, language)}
        text = TEXTS("impact.special", language, count=len(special), **about)
        counted = persons.describe(language) if persons else TEXTS("impact.not_counted", language)
        limits = TEXTS("impact.limit", language, limit=f"{_SENSITIVE_LIMIT:,}")
        told = [text, counted, *([limits] if "KR" in laws else [])]
        yield Hint(rule="special_categories", text=" ".join(told))
    limit = _SENSITIVE_LIMIT if special else _PERSONS_LIMIT
    if persons is not None and persons.count >= limit and "KR" in laws:
        text = TEXTS("impact.persons", language, limit=f"{limit:,}")
        yield Hint(rule="persons", text=f"{persons.describe(language)} {text}")


def _laws(about: str, laws: Sequence[str], language: Language) -> str:
    """Return what the laws that may apply are called in a matter, in words."""
    return "; ".join(TEXTS(f"law.{about}.{law}", language) for law in laws)


def is_special(entity: str) -> bool:
    """True if a kind is of a special category (GDPR Article 9; 민감정보)."""
    from minerva_governance.core.kinds.review_context import current_catalogue  # noqa: PLC0415  # as `label` does

    kind = current_catalogue().get(entity)
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
