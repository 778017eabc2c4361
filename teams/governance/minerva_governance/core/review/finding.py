"""What a rule came to at one target, and what was read to say so."""

import datetime as dt
from typing import Literal

from pydantic import BaseModel, ConfigDict

from minerva_governance.core.policy.policy import Predicate, Severity

Status = Literal["pass", "fail", "not_evaluated", "waived"]
"""`not_evaluated` always carries a reason: it is an answer, not a gap."""

STATUSES: tuple[Status, ...] = ("fail", "waived", "not_evaluated", "pass")
SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low")


class Reference(BaseModel):
    """A place that was read: a file with its line or data row, and the (masked) words there."""

    model_config = ConfigDict(frozen=True)

    source: str
    line: int | None = None
    row: int | None = None
    quote: str = ""


class Finding(BaseModel):
    """One rule at one target. `evidence` and `reason` are masked, for people."""

    model_config = ConfigDict(frozen=True)

    rule_id: str
    policy: str = ""
    """The policy that the rule belongs to; empty for the built-in rule."""
    severity: Severity
    status: Status
    target: str
    predicate: Predicate | None = None
    """What of the rule it answers; a rule may ask several things."""
    columns: tuple[str, ...] = ()
    """The set of quasi-identifiers that it is about, where the rule gives sets."""
    evidence: str = ""
    reason: str = ""
    count: int = 0
    """How many of `total` things break the rule (values, uses, rows)."""
    total: int = 0
    measures: dict[str, int] = {}
    """Figures of a rule that counts: `k`, `l`, `classes`, `rows`, …"""
    sampled: bool = False
    """True where `total` is a sample: only the first rows were looked at."""
    until: dt.date | None = None
    """The waiver's last day, also where it has passed."""
    citations: tuple[Reference, ...] = ()
