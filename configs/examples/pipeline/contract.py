"""What the workers hand to each other, and what they read of other teams' hand-offs."""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from minerva_platform import Handoff


class Value(BaseModel):
    """A value in a hand-off. Of another team's it has only the fields that are read here."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class PlannedColumn(Value):
    """A column and its standard name."""

    table: str
    column: str
    physical_name: str | None = None
    status: str


class RenamePlan(Handoff):
    """What the data team found for each column of the attached schema."""

    kind: ClassVar[str] = "data.rename_plan"

    columns: tuple[PlannedColumn, ...]


class Finding(Value):
    """What a rule came to at one target."""

    rule_id: str
    severity: str
    status: str
    target: str
    predicate: str | None = None
    evidence: str = ""
    reason: str = ""
    count: int = 0
    total: int = 0


class Findings(Handoff):
    """What the governance team found by the attached policy."""

    kind: ClassVar[str] = "governance.findings"

    findings: tuple[Finding, ...]


class Problem(Value):
    """Why the rows may not be loaded. `rows` are the first of `count` rows, from 1."""

    rule: str
    what: str
    rows: tuple[int, ...] = ()
    count: int = 0


class Counted(Value):
    """How many rows there are, and their checksum."""

    rows: int
    checksum: str


class Extracted(Handoff):
    """What was read from the source. `digest` stands for its content."""

    kind: ClassVar[str] = "pipeline.extracted"

    name: str
    """What is read, as it is shown."""
    table: str
    """What the source calls the table."""
    header: tuple[str, ...]
    counted: Counted
    digest: str
    problems: tuple[Problem, ...] = ()


class Mapped(Handoff):
    """The table that gets the rows, and the names of its columns in the order of the source."""

    kind: ClassVar[str] = "pipeline.mapped"

    table: str
    columns: tuple[str, ...]
    unresolved: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


class Verdict(Handoff):
    """True if the rows may be loaded, and under which key."""

    kind: ClassVar[str] = "pipeline.verdict"

    ok: bool
    key: str
    problems: tuple[Problem, ...] = ()
    open_rules: tuple[str, ...] = ()
    """Rules that could not be evaluated."""


class Loaded(Value):
    """What a load came to, read back from the target."""

    key: str
    after: Counted
    is_new: bool
