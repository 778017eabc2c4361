"""What a review found: for people as Markdown, for machines as JSON.

Every number has its denominator, every cut list says how much of it is shown, and what was not
looked at is a section of its own.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from minerva_governance.answers.finding_context import (
    TEXTS as STANDING,
    place_of,
    quoted,
    standings,
    told_standing,
    why_open,
)
from minerva_governance.answers.plain_words import plain_words
from minerva_governance.answers.policy_answer import broken_policies
from minerva_governance.core.detection.entity import label
from minerva_governance.core.detection.inventory import PiiColumn, by_importance
from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.policy.policy import Policy, Rule
from minerva_governance.core.reading.problem import Problem
from minerva_governance.core.review.finding import SEVERITIES, STATUSES, Finding, Status
from minerva_governance.core.review.personal_flow import PersonalFlow
from minerva_governance.core.review.uncovered import CoverageGap
from minerva_platform.text import Language, code_span, markdown_table, read_texts

TEXTS = read_texts("minerva_governance.answers.report", "summary")
_MAX_SHOWN_PLACES: Final = 4


@dataclass(frozen=True)
class Report:
    """What one review came to. `gaps` are sentences on what was not looked at."""

    language: Language
    policies: Sequence[Policy]
    rules: Sequence[Rule]
    findings: Sequence[Finding]
    columns: Sequence[PiiColumn]
    columns_seen: int
    other_columns: Sequence[str] = ()
    """Names of the columns that were looked at and in which nothing personal was found."""
    flows: Sequence[PersonalFlow] = ()
    """Where personal values go in the code."""
    coverage_gaps: Sequence[CoverageGap] = ()
    """What was found and no rule of the policies is about."""
    gaps: Sequence[str] = ()
    is_baseline: bool = False
    mistakes: Sequence[Problem] = ()
    """Of policies that were left out."""

    def counts(self) -> dict[Status, int]:
        """Return how many findings there are of each status."""
        tally = Counter(finding.status for finding in self.findings)
        return {status: tally[status] for status in STATUSES}


def report_to_markdown(report: Report, *, limit: int) -> str:
    """Return the summary of the report; lists are cut to `limit` and say so."""
    return mask_text("\n\n".join(_Writer(report, limit).sections()) + "\n")


class _Writer:
    """Writes the sections in one language, cutting lists to one limit."""

    def __init__(self, report: Report, limit: int) -> None:
        self.report, self.limit = report, limit
        self._rules = {rule.id: rule for rule in report.rules}
        self._standings = standings(report.columns, report.findings, report.rules)
        self.language: Language = report.language

    def sections(self) -> Iterable[str]:
        if self.report.mistakes:
            yield broken_policies(self.report.mistakes, self.language)
        yield self._head()
        if self.report.rules:
            yield self._results()
        for rule in self._by_severity():
            yield from self._broken_rule(rule)
        yield from self._unanswered_findings()
        yield from self._waived_findings()
        yield self._inventory()
        yield from self._flows()
        yield from self._coverage_gaps()
        yield self._gaps()
        yield TEXTS("no_advice", self.language)

    def _head(self) -> str:
        report, counts = self.report, self.report.counts()
        parts = ", ".join(f"{self._status(status)} {counts[status]}" for status in STATUSES)
        total = len(report.findings)
        policies = ", ".join(
            f"{code_span(p.id)} v{plain_words(p.version)}" if p.version else code_span(p.id)
            for p in report.policies
        )
        lines = [TEXTS("title", self.language, failed=counts["fail"], total=total)]
        if policies:
            judged = TEXTS(
                "counts",
                self.language,
                policies=policies,
                rules=len(report.rules),
                total=total,
                parts=parts,
            )
            lines.append(judged)
        else:
            lines.append(TEXTS("no_policy", self.language))
        if report.is_baseline:
            lines.append(TEXTS("baseline", self.language))
        return "\n\n".join(lines)

    def _results(self) -> str:
        rows: list[list[str]] = []
        for rule in self._by_severity():
            mine = [finding for finding in self.report.findings if _is_of(finding, rule)]
            tally = Counter(finding.status for finding in mine)
            words = plain_words(quoted(rule.title_in(self.language), self.language))
            title = f"{code_span(self._name(rule))} {words}".strip()
            rows.append(
                [title, rule.severity, *(str(tally[status]) for status in STATUSES), str(len(mine))]
            )
        return markdown_table(TEXTS.row("rules", self.language), rows)

    def _broken_rule(self, rule: Rule) -> Iterable[str]:
        broken = [f for f in self.report.findings if _is_of(f, rule) and f.status == "fail"]
        if not broken:
            return
        groups: dict[tuple[str, str], list[Finding]] = {}
        for finding in broken:
            groups.setdefault((finding.evidence, finding.reason), []).append(finding)
        lines = [self._broken_line(group) for group in groups.values()]
        shown = self._limit_lines(lines)
        name = plain_words(self._name(rule))
        words = plain_words(quoted(rule.title_in(self.language), self.language))
        title = f"#### {name} ({rule.severity}): {words}".rstrip(": ")
        if rule.authority:
            titles = plain_words(quoted(", ".join(rule.authority), self.language))
            shown.append(TEXTS("authority", self.language, titles=titles))
        yield "\n".join([title, "", *shown])

    def _broken_line(self, group: list[Finding]) -> str:
        first = group[0]
        targets = ", ".join(code_span(finding.target) for finding in group)
        text = f"- {targets}: {plain_words(first.evidence)}"
        if len(group) == 1 and first.total > 1:
            text += f" ({self._share(first)})"
        if first.reason:
            text += f". {plain_words(first.reason)}"
        places = _places(first)
        return f"{text} [{plain_words(places)}]" if places else text

    def _share(self, finding: Finding) -> str:
        return TEXTS(
            "share_of_sample" if finding.sampled else "share",
            self.language,
            count=finding.count,
            total=finding.total,
        )

    def _unanswered_findings(self) -> Iterable[str]:
        open_ = [finding for finding in self.report.findings if finding.status == "not_evaluated"]
        if not open_:
            return
        groups: dict[tuple[str, str], list[str]] = {}
        for finding in open_:
            name = self._full_id(finding.policy, finding.rule_id)
            place = place_of(finding, self._rules.get(finding.rule_id), self.language)
            groups.setdefault((name, why_open(finding)), []).append(place)
        lines = [
            f"- {plain_words(rule_id)}: {', '.join(map(code_span, targets))}: {plain_words(reason)}"
            for (rule_id, reason), targets in groups.items()
        ]
        title = TEXTS("unanswered", self.language, count=len(open_))
        yield "\n".join([title, "", *self._limit_lines(lines)])

    def _waived_findings(self) -> Iterable[str]:
        waived = [finding for finding in self.report.findings if finding.status == "waived"]
        if not waived:
            return
        lines = [
            TEXTS(
                "waived_finding",
                self.language,
                rule=plain_words(self._full_id(finding.policy, finding.rule_id)),
                target=code_span(finding.target),
                evidence=plain_words(finding.evidence),
                until=finding.until,
                reason=plain_words(finding.reason),
            )
            for finding in waived
        ]
        title = TEXTS("waived", self.language, count=len(waived))
        yield "\n".join([title, "", *self._limit_lines(lines)])

    def _inventory(self) -> str:
        columns = self.report.columns
        certain = {column.target for column in columns if not column.suspected}
        suspected = {column.target for column in columns} - certain
        title = TEXTS(
            "inventory",
            self.language,
            seen=self.report.columns_seen,
            certain=len(certain),
            suspected=len(suspected),
        )
        if not columns:
            return title
        rows = [self._inventory_row(column) for column in by_importance(columns)]
        shown = rows[: self.limit]
        table = markdown_table(TEXTS.row("columns", self.language), shown)
        note = self._cut_note(len(shown), len(rows))
        return "\n".join([title, "", table, *(["", note] if note else [])])

    def _inventory_row(self, column: PiiColumn) -> list[str]:
        language = self.language
        by = TEXTS(f"known_by.{column.by}", language)
        if column.suspected:
            by = TEXTS("suspected", language, known_by=by)
        if column.declared:
            values = TEXTS("not_seen", language)
        elif column.has_no_shape:
            values = STANDING("no_shape", language, count=column.sampled)
        else:
            values = f"{column.hits}/{column.sampled}"
        shown = ""
        if column.evidence:
            first = column.evidence[0]
            shown = TEXTS("example", language, row=first.row, shown=first.text)
        kind = f"{column.entity} {label(column.entity, language)}"
        stands = plain_words(told_standing(self._standings[column.target], language))
        return [code_span(column.target), kind, stands, by, values, shown]

    def _flows(self) -> Iterable[str]:
        flows = self.report.flows
        if not flows:
            return
        suspected = sum(flow.suspected for flow in flows)
        hosts = ", ".join(sorted({flow.host for flow in flows if flow.host and not flow.suspected}))
        title = plain_words(
            TEXTS("flows", self.language, count=len(flows), suspected=suspected, hosts=hosts or "-")
        )
        rows = [self._flow_row(flow) for flow in flows]
        shown = rows[: self.limit]
        table = markdown_table(TEXTS.row("flow_columns", self.language), shown)
        note = self._cut_note(len(shown), len(rows))
        yield "\n".join([title, "", table, *(["", note] if note else [])])

    def _flow_row(self, flow: PersonalFlow) -> list[str]:
        kind = f"{flow.entity} {label(flow.entity, self.language)}"
        sink = f"{flow.sink} {flow.destination}".strip()
        if flow.suspected:
            sink = TEXTS("suspected", self.language, known_by=sink)
        place = plain_words(f"{flow.path}:{flow.line}")
        broken = plain_words("; ".join(map(str, flow.breaks)))
        return [code_span(flow.name), kind, plain_words(sink), place, plain_words(flow.via), broken]

    def _coverage_gaps(self) -> Iterable[str]:
        if not self.report.coverage_gaps:
            return
        lines = [
            f"- {each.severity}: {plain_words(describe_gap(each, self.language))}"
            for each in self.report.coverage_gaps
        ]
        title = TEXTS("uncovered", self.language, count=len(lines))
        yield "\n".join([title, "", *self._limit_lines(lines)])

    def _gaps(self) -> str:
        title = TEXTS("gaps", self.language)
        return "\n".join([title, "", *(f"- {plain_words(gap)}" for gap in self.report.gaps)])

    def _name(self, rule: Rule) -> str:
        return self._full_id(rule.policy, rule.id)

    def _full_id(self, policy: str, rule_id: str) -> str:
        """Return a rule's id, with its policy before it where another rule has that id, too."""
        twice = sum(rule.id == rule_id for rule in self.report.rules) > 1
        return f"{policy}/{rule_id}" if twice and policy else rule_id

    def _by_severity(self) -> list[Rule]:
        return sorted(self.report.rules, key=lambda rule: SEVERITIES.index(rule.severity))

    def _status(self, status: Status) -> str:
        return TEXTS(f"status.{status}", self.language)

    def _limit_lines(self, lines: list[str]) -> list[str]:
        if len(lines) <= self.limit:
            return list(lines)
        return [*lines[: self.limit], f"- {self._cut_note(self.limit, len(lines))}"]

    def _cut_note(self, shown: int, total: int) -> str:
        if shown >= total:
            return ""
        return TEXTS("cut", self.language, total=total, shown=shown)


def describe_gap(gap: CoverageGap, language: Language) -> str:
    """Return what was found, where, and that no rule is about it."""
    kinds = ", ".join(dict.fromkeys(label(entity, language) for entity in gap.entities))
    sink = f"{TEXTS(f'sink.{gap.sink}', language)} {gap.destination}" if gap.sink else ""
    place = ", ".join(f"{each.source}:{each.line}" for each in gap.places if each.line is not None)
    text = TEXTS(
        f"uncovered.{gap.kind}",
        language,
        kinds=kinds,
        targets=", ".join(gap.targets),
        sink=sink.strip(),
        place=place,
    )
    return TEXTS("suspected", language, known_by=text) if gap.suspected else text


def _is_of(finding: Finding, rule: Rule) -> bool:
    return (finding.rule_id, finding.policy) == (rule.id, rule.policy)


def _places(finding: Finding) -> str:
    cited = finding.citations[:_MAX_SHOWN_PLACES]
    places = [f"{each.source}:{each.line}" for each in cited if each.line is not None]
    return ", ".join(dict.fromkeys(places))
