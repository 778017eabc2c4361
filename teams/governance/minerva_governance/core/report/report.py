"""Tell what a review found: for people as Markdown, for machines as JSON.

Every number has its denominator, every cut list says how much of it is shown, and what was not
looked at is a section of its own.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from minerva_governance.core.detection.entity import LABELS
from minerva_governance.core.detection.inventory import PiiColumn
from minerva_governance.core.detection.mask import mask_text, mask_values
from minerva_governance.core.policy.rule import Policy, Rule
from minerva_governance.core.report.policy_answer import broken_policies
from minerva_governance.core.report.wording import Language, Problem
from minerva_governance.core.review.finding import SEVERITIES, STATUSES, Finding, Status

_STATUS_NAMES: dict[Status, tuple[str, str]] = {
    "fail": ("위반", "fail"),
    "waived": ("면제", "waived"),
    "not_evaluated": ("판정 불가", "not evaluated"),
    "pass": ("준수", "pass"),
}
_BY_NAMES = {
    "value": ("값", "value"),
    "name": ("이름", "name"),
    "both": ("이름과 값", "name and value"),
}


@dataclass(frozen=True)
class Report:
    """What one review came to. `gaps` are sentences on what was not looked at."""

    language: Language
    policies: Sequence[Policy]
    rules: Sequence[Rule]
    findings: Sequence[Finding]
    columns: Sequence[PiiColumn]
    columns_seen: int
    gaps: Sequence[str] = ()
    is_baseline: bool = False
    mistakes: Sequence[Problem] = ()
    """Of policies that were left out."""

    def counts(self) -> dict[Status, int]:
        """Return how many findings there are of each status."""
        tally = Counter(finding.status for finding in self.findings)
        return {status: tally[status] for status in STATUSES}


def report_to_markdown(report: Report, *, limit: int | None = None) -> str:
    """Return the report; with `limit`, lists are cut to it and say so."""
    return mask_text("\n\n".join(_Writer(report, limit).sections()) + "\n")


def report_to_json(report: Report) -> str:
    """Return everything as JSON, the same for the same input."""
    content = {
        "schema": 1,
        "policies": [
            {"id": policy.id, "version": policy.version, "sha256": policy.sha256}
            for policy in report.policies
        ],
        "baseline": report.is_baseline,
        "counts": report.counts(),
        "total": len(report.findings),
        "mistakes": [str(mistake) for mistake in report.mistakes],
        "findings": [finding.model_dump(mode="json") for finding in report.findings],
        "columns_looked_at": report.columns_seen,
        "inventory": [column.model_dump(mode="json") for column in report.columns],
        "not_looked_at": list(report.gaps),
    }
    return json.dumps(mask_values(content), ensure_ascii=False, indent=2) + "\n"


class _Writer:
    """Writes the sections in one language, cutting lists to one limit."""

    def __init__(self, report: Report, limit: int | None) -> None:
        self.report, self.limit = report, limit

    def say(self, ko: str, en: str) -> str:
        return ko if self.report.language == "ko" else en

    def sections(self) -> Iterable[str]:
        if self.report.mistakes:
            yield broken_policies(self.report.mistakes, self.report.language)
        yield self._head()
        if self.report.rules:
            yield self._results()
        for rule in self._by_severity():
            yield from self._broken(rule)
        yield from self._unanswered()
        yield from self._waived()
        yield self._inventory()
        yield self._gaps()
        yield (
            "_"
            + self.say(
                "이 보고는 법률 자문이 아닙니다. 규칙과 자료에 적힌 것만 대조합니다.",
                "This is not legal advice: it compares what the rules and the material say.",
            )
            + "_"
        )

    def _head(self) -> str:
        report, counts = self.report, self.report.counts()
        parts = ", ".join(f"{self._status(status)} {counts[status]}" for status in STATUSES)
        total = len(report.findings)
        policies = ", ".join(
            f"`{p.id}` v{p.version}" if p.version else f"`{p.id}`" for p in report.policies
        )
        lines = [
            self.say(
                f"### 개인정보 점검: 위반 {counts['fail']}/{total}건",
                f"### Privacy review: {counts['fail']} of {total} checks fail",
            ),
            self.say(
                f"정책 {policies}의 규칙 {len(report.rules)}개로 {total}건을 판정: {parts}.",
                f"Rules of {policies}: {len(report.rules)}; answers: {total}, of which {parts}.",
            )
            if policies
            else self.say(
                "쓸 수 있는 정책이 없어 정책의 규칙을 판정하지 못했습니다.",
                "No policy could be used, so no rule of a policy was evaluated.",
            ),
        ]
        if report.is_baseline:
            lines.append(
                self.say(
                    "정책 파일을 받지 못해 내장된 기본 규칙으로 점검했습니다.",
                    "No policy file was attached: the bundled baseline rules were used.",
                )
            )
        return "\n\n".join(lines)

    def _results(self) -> str:
        heads = [self.say("규칙", "Rule"), self.say("심각도", "Severity")]
        heads += [self._status(status) for status in STATUSES] + [self.say("합계", "Of")]
        rows: list[list[str]] = []
        for rule in self._by_severity():
            mine = [finding for finding in self.report.findings if finding.rule_id == rule.id]
            tally = Counter(finding.status for finding in mine)
            label = f"`{rule.id}` {rule.title_in(self.report.language)}".strip()
            rows.append(
                [label, rule.severity, *(str(tally[status]) for status in STATUSES), str(len(mine))]
            )
        return _table(heads, rows)

    def _broken(self, rule: Rule) -> Iterable[str]:
        broken = self._of(rule.id, "fail")
        if not broken:
            return
        groups: dict[tuple[str, str], list[Finding]] = {}
        for finding in broken:
            groups.setdefault((finding.evidence, finding.reason), []).append(finding)
        lines = [self._broken_line(group) for group in groups.values()]
        shown = self._cut(lines)
        title = f"#### {rule.id} ({rule.severity}): {rule.title_in(self.report.language)}".rstrip(
            ": "
        )
        if rule.authority:
            shown.append(self.say("- 근거: ", "- authority: ") + ", ".join(rule.authority))
        yield "\n".join([title, "", *shown])

    def _broken_line(self, group: list[Finding]) -> str:
        first = group[0]
        targets = ", ".join(f"`{finding.target}`" for finding in group)
        text = f"- {targets}: {first.evidence}"
        if len(group) == 1 and first.total > 1:
            text += f" ({self._share(first)})"
        if first.reason:
            text += f". {first.reason}"
        places = _places(first)
        return f"{text} [{places}]" if places else text

    def _share(self, finding: Finding) -> str:
        sampled = self.say(", 표본", ", a sample") if finding.sampled else ""
        return self.say(
            f"{finding.total} 가운데 {finding.count}{sampled}",
            f"{finding.count} of {finding.total}{sampled}",
        )

    def _unanswered(self) -> Iterable[str]:
        open_ = [finding for finding in self.report.findings if finding.status == "not_evaluated"]
        if not open_:
            return
        groups: dict[tuple[str, str], list[str]] = {}
        for finding in open_:
            groups.setdefault((finding.rule_id, finding.reason), []).append(finding.target)
        lines = [
            f"- {rule_id}: {', '.join(f'`{target}`' for target in targets)}: {reason}"
            for (rule_id, reason), targets in groups.items()
        ]
        title = self.say(f"#### 판정 불가 {len(open_)}건", f"#### Not evaluated: {len(open_)}")
        yield "\n".join([title, "", *self._cut(lines)])

    def _waived(self) -> Iterable[str]:
        waived = [finding for finding in self.report.findings if finding.status == "waived"]
        if not waived:
            return
        lines = [
            self.say(
                f"- {f.rule_id} `{f.target}`: {f.evidence}. {f.until}까지 면제: {f.reason}",
                f"- {f.rule_id} `{f.target}`: {f.evidence}. Waived until {f.until}: {f.reason}",
            )
            for f in waived
        ]
        title = self.say(f"#### 면제 {len(waived)}건", f"#### Waived: {len(waived)}")
        yield "\n".join([title, "", *self._cut(lines)])

    def _inventory(self) -> str:
        report = self.report
        title = self.say(
            f"#### 개인정보 목록: 본 컬럼 {report.columns_seen}개 가운데 {self._personal()}",
            f"#### Personal data: {self._personal()} of {report.columns_seen} columns looked at",
        )
        if not report.columns:
            return title
        heads = self.say(
            "컬럼|종류|근거|값|예 (가림)", "Column|Kind|Known by|Values|Example (masked)"
        )
        rows = [self._inventory_row(column) for column in report.columns]
        shown = rows if self.limit is None else rows[: self.limit]
        table = _table(heads.split("|"), shown)
        note = self._cut_note(len(shown), len(rows))
        return "\n".join([title, "", table, *(["", note] if note else [])])

    def _personal(self) -> str:
        columns = {column.target for column in self.report.columns if not column.suspected}
        suspected = {column.target for column in self.report.columns} - columns
        return self.say(
            f"확인 {len(columns)}개, 의심 {len(suspected)}개",
            f"{len(columns)} certain, {len(suspected)} suspected",
        )

    def _inventory_row(self, column: PiiColumn) -> list[str]:
        index = 0 if self.report.language == "ko" else 1
        by = _BY_NAMES[column.by][index]
        if column.suspected:
            by += self.say(" (의심)", " (suspected)")
        values = self.say("값을 보지 못함", "values not seen")
        if not column.declared:
            values = f"{column.hits}/{column.sampled}"
        example = column.evidence[0] if column.evidence else None
        shown = (
            self.say(f"{example.row}행 {example.shown}", f"row {example.row} {example.shown}")
            if example
            else ""
        )
        return [
            f"`{column.target}`",
            f"{column.entity} {LABELS[column.entity][index]}",
            by,
            values,
            shown,
        ]

    def _gaps(self) -> str:
        title = self.say("#### 보지 않은 것", "#### What was not looked at")
        return "\n".join([title, "", *(f"- {gap}" for gap in self.report.gaps)])

    def _of(self, rule_id: str, status: Status) -> list[Finding]:
        return [f for f in self.report.findings if f.rule_id == rule_id and f.status == status]

    def _by_severity(self) -> list[Rule]:
        return sorted(self.report.rules, key=lambda rule: SEVERITIES.index(rule.severity))

    def _status(self, status: Status) -> str:
        return _STATUS_NAMES[status][0 if self.report.language == "ko" else 1]

    def _cut(self, lines: list[str]) -> list[str]:
        if self.limit is None or len(lines) <= self.limit:
            return list(lines)
        return [*lines[: self.limit], f"- {self._cut_note(self.limit, len(lines))}"]

    def _cut_note(self, shown: int, total: int) -> str:
        if shown >= total:
            return ""
        return self.say(
            f"전체 {total}건 가운데 {shown}건을 보였습니다. 나머지는 report.md에 있습니다.",
            f"{shown} of {total} shown; the rest is in report.md.",
        )


def _places(finding: Finding) -> str:
    places = [f"{c.source}:{c.line}" for c in finding.citations[:4] if c.line is not None]
    return ", ".join(dict.fromkeys(places))


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    lines += ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
