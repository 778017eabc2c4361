"""What a rule came to at one target, and what was read to say so."""

import datetime as dt
from typing import Literal

from pydantic import BaseModel

from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.policy.policy import Predicate, Severity

Status = Literal["pass", "fail", "not_evaluated", "waived"]
"""`not_evaluated` always carries a reason: it is an answer, not a gap."""

STATUSES: tuple[Status, ...] = ("fail", "waived", "not_evaluated", "pass")
SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low")


class Reference(BaseModel, frozen=True):
    """A place that was read: a file with its line or data row, and the (masked) words there."""

    source: str
    line: int | None = None
    row: int | None = None
    quote: str = ""


PromiseKind = Literal["no_log", "encrypted", "no_third_party", "no_other_items", "retention"]


class Promise(BaseModel, frozen=True):
    """A sentence of a notice that promises something of all personal data, or of some kinds."""

    kind: PromiseKind
    clause: str
    quote: str
    source: str
    line: int
    entities: tuple[Entity, ...] = ()
    """The kinds that it names; none means all personal data."""

    @property
    def place(self) -> Reference:
        """Where it stands."""
        return Reference(source=self.source, line=self.line, quote=self.quote)

    def is_about(self, entity: Entity) -> bool:
        """True if it promises something of `entity`."""
        return not self.entities or entity in self.entities

    def __str__(self) -> str:
        return f"{self.clause} “{self.quote}” ({self.source}:{self.line})"


class Finding(BaseModel, frozen=True):
    """One rule at one target. `evidence` and `reason` are masked, for people."""

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
    must_decide: bool = False
    """True where something was found that only a person can settle: somebody has to act, too."""
    breaks: tuple[Promise, ...] = ()
    """What the privacy notice promises and this does not keep, or may not keep."""
    until: dt.date | None = None
    """The waiver's last day, also where it has passed."""
    citations: tuple[Reference, ...] = ()
