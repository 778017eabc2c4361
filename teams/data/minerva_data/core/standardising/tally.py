"""Count what became of every column, so that the sums can be checked."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, get_args

from minerva_data.core.schema.record import Finding, Method, Reason, Row, Severity, Status


@dataclass(slots=True)
class Tally:
    """Rows by status; the named ones by method, the unresolved ones by reason.

    `total` is the sum of each of these: `by_status`; `named` and `unresolved`. `named` is the
    sum of `by_method`, `unresolved` of `by_reason`, and of `with_candidates` and the rest.
    `columns_read` are the columns of what was given, those `left_out` (twice there) included.
    """

    total: int = 0
    by_status: Counter[Status] = field(default_factory=Counter[Status])
    by_method: Counter[Method] = field(default_factory=Counter[Method])
    by_reason: Counter[Reason] = field(default_factory=Counter[Reason])
    with_candidates: int = 0
    left_out: int = 0
    problems: int = 0
    losses: int = 0
    """Problems by which a table, a column or a comment is lost."""
    by_rule: Counter[str] = field(default_factory=Counter[str])
    by_severity: Counter[Severity] = field(default_factory=Counter[Severity])
    inversions_given: int = 0

    def add(self, row: Row) -> None:
        """Count a row."""
        self.total += 1
        self.by_status[row.status] += 1
        if row.status == "unresolved":
            self.by_reason[row.reason or "unknown_words"] += 1
            self.with_candidates += bool(row.alternatives)
        elif row.method is not None:
            self.by_method[row.method] += 1

    def add_finding(self, finding: Finding) -> None:
        """Count a finding."""
        self.by_rule[finding.rule] += 1
        self.by_severity[finding.severity] += 1

    @property
    def unresolved(self) -> int:
        """Rows without a name."""
        return self.by_status["unresolved"]

    @property
    def named(self) -> int:
        """Rows with a name."""
        return self.total - self.unresolved

    @property
    def findings(self) -> int:
        """Findings of all rules."""
        return self.by_rule.total()

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "total": self.total,
            "by_status": {status: self.by_status[status] for status in get_args(Status)},
            "named": self.named,
            "by_method": dict(self.by_method),
            "unresolved": self.unresolved,
            "with_candidates": self.with_candidates,
            "by_reason": dict(self.by_reason),
            "left_out": self.left_out,
            "problems": self.problems,
            "lost": self.losses,
            "findings": self.findings,
            "by_rule": dict(self.by_rule),
            "by_severity": dict(self.by_severity),
            "inversions_given": self.inversions_given,
        }
