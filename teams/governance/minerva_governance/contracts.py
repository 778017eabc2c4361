"""What crosses the team's borders: the hand-offs it gives, and those of others it reads.

The models of other teams' kinds hold only the fields that governance reads; anything else in
them is ignored, so another team may grow its hand-off without asking.
"""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from minerva_governance.core.detection.inventory import PiiColumn
from minerva_governance.core.policy.policy import Policy
from minerva_governance.core.policy.rule_search import RuleHit
from minerva_governance.core.reading.code_schema import ModelField
from minerva_governance.core.reading.problem import Problem
from minerva_governance.core.reading.source_files import FileUse
from minerva_governance.core.review.finding import Finding
from minerva_governance.core.review.notice import Clause
from minerva_governance.core.review.personal_flow import PersonalFlow
from minerva_governance.core.review.review import CodeUse
from minerva_governance.core.review.uncovered import CoverageGap
from minerva_platform import Handoff


class PolicySet(Handoff):
    """The policies and notices that a review applies; stays inside the team."""

    kind: ClassVar[str] = "governance.policy"

    policies: tuple[Policy, ...] = ()
    clauses: tuple[Clause, ...] = ()
    problems: tuple[Problem, ...] = ()
    """What is odd in files that do load."""
    mistakes: tuple[Problem, ...] = ()
    """Of policies that were left out: the person must mend them."""
    documents: tuple[FileUse, ...] = ()
    """What became of each policy and notice."""
    matches: tuple[RuleHit, ...] = ()
    is_baseline: bool = False
    """No policy was attached: the bundled baseline is used."""

    @property
    def has_strict_masks(self) -> bool:
        """True if one of the policies wants nothing of any value shown."""
        return any(policy.masks == "strict" for policy in self.policies)


class StatusCounts(BaseModel, frozen=True):
    """How many findings there are of each status; they add up to `total`."""

    failed: int
    waived: int
    not_evaluated: int
    passed: int
    total: int


class Findings(Handoff):
    """What a review found; every value in it is masked."""

    kind: ClassVar[str] = "governance.findings"

    policies: tuple[str, ...]
    counts: StatusCounts
    findings: tuple[Finding, ...]
    inventory: tuple[PiiColumn, ...]
    flows: tuple[PersonalFlow, ...] = ()
    """Where personal values go in the code."""
    uncovered: tuple[CoverageGap, ...] = ()
    """What was found and no rule of the policies is about."""
    columns_looked_at: int
    not_looked_at: tuple[str, ...]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class PlannedColumn(_Part):
    """A column and the name that the standard gives it."""

    table: str
    column: str
    logical_name: str | None = None
    physical_name: str | None = None
    domain: str | None = None
    data_type: str | None = None
    declared_type: str | None = None
    type_change: str = ""
    """What the values would meet in `data_type`: `narrower` may cut some."""
    subject_area: str | None = None
    status: str
    citation: str = ""


class RenamePlan(Handoff):
    """The data team's plan, as far as naming rules read it."""

    kind: ClassVar[str] = "data.rename_plan"

    columns: tuple[PlannedColumn, ...]


class Migration(Handoff):
    """The renames that a person will be asked about."""

    kind: ClassVar[str] = "data.migration"

    sql: str
    renames: int
    tables: int


class UndocumentedEntry(_Part):
    """A definition without a docstring."""

    qualname: str
    path: str
    line: int


class DocstringCoverage(Handoff):
    """How much of the code is documented."""

    kind: ClassVar[str] = "insilico.docstring_coverage"

    total: int
    covered: int
    percent: float | None = None
    missing: tuple[UndocumentedEntry, ...] = ()


class CodeUses(Handoff):
    """The insilico team's findings, as far as rules on code read them."""

    kind: ClassVar[str] = "insilico.code_uses"

    uses: tuple[CodeUse, ...]
    total: int
    truncated: bool
    unparsed: tuple[str, ...] = ()


class DeclaredFields(Handoff):
    """The fields that the code's models declare, as the insilico team found them."""

    kind: ClassVar[str] = "insilico.declared_fields"

    fields: tuple[ModelField, ...] = ()
    total: int = 0
    truncated: bool = False
    unparsed: tuple[str, ...] = ()
