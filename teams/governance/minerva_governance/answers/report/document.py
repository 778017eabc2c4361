"""The document of a review: everything that its files say, in one model.

`findings.json` is this model. Every text in it is masked, every path is relative to the input, and
the same input gives the same document.
"""

import datetime as dt
import hashlib
from typing import Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from minerva_governance.contracts import PlannedColumn
from minerva_governance.core.detection.inventory import PiiColumn
from minerva_governance.core.policy.policy import Severity
from minerva_governance.core.review.finding import Finding
from minerva_governance.core.review.personal_flow import PersonalFlow
from minerva_governance.core.review.uncovered import CoverageGap
from minerva_platform.text import Language

SCHEMA = 2
"""The number of this shape; 1 had the findings and the inventory alone."""
State = Literal["new", "remaining"]
"""Of a broken rule, beside an earlier review."""
InputKind = Literal["policy", "notice", "schema", "data", "code", "libraries", "other"]
FileStanding = Literal["read", "partly", "not_read"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class Input(_Part):
    """A file of the input and what became of it."""

    name: str
    kind: InputKind
    standing: FileStanding
    why: str = ""
    """Why not all of it was read."""
    sha256: str = ""
    """Of its bytes, so that it can be told later which file was reviewed."""


class NoticeRead(_Part):
    """A privacy notice that was compared with."""

    source: str
    title: str = ""
    """As it calls itself; empty where it does not."""


class AppliedPolicy(_Part):
    """A policy that was applied."""

    id: str
    version: str
    sha256: str
    source: str = ""
    """The file; empty for the bundled rules."""
    owner: str = ""
    """Whom to ask about it, as the policy says: their address and phone number are not masked."""


class RuleCounts(_Part):
    """A rule with how often it came to each answer."""

    id: str
    policy: str = ""
    title: str
    title_other: str = ""
    """The title in the other language, where the policy gives both."""
    severity: Severity
    authority: tuple[str, ...] = ()
    fail: int = 0
    waived: int = 0
    not_evaluated: int = 0
    passed: int = Field(
        default=0, serialization_alias="pass", validation_alias=AliasChoices("passed", "pass")
    )
    total: int = 0


class ReportFinding(Finding, frozen=True):
    """A finding with who has to act on it, and how; empty where it passes and nobody has to.

    Where it is not evaluated, somebody has to find out, and to decide if it `must_decide`.
    """

    title: str = ""
    place: str = ""
    """`target` for people: in words where it is about no single place."""
    who: str = ""
    how: str = ""
    fingerprint: str = ""
    """The same for the same rule and target, whatever lines and figures became."""
    state: State | None = None


class NoRule(CoverageGap, frozen=True):
    """What no rule is about, in words, with who decides, and what."""

    what: str
    who: str
    how: str


class Column(PlannedColumn):
    """What becomes of a column of the schema."""

    status: str = "unresolved"


class Columns(_Part):
    """Every column of the schema once; the three counts add up to `total`."""

    renamed: int
    standard: int
    unresolved: int
    total: int
    items: tuple[Column, ...]


class PersonalColumn(PiiColumn, frozen=True):
    """A personal column with how it stands with the rules."""

    standing: Literal["fail", "waived", "not_evaluated", "pass", "not_asked"] = "not_asked"
    standing_rules: tuple[str, ...] = ()
    standing_why: str = ""
    """Why it, or what `standing_open` names, was not evaluated."""
    standing_open: tuple[str, ...] = ()
    """Other rules that are not evaluated."""


class WorkerPart(_Part):
    """What a worker of the run handed over, or where the failure began that kept it away."""

    team: str
    worker: str = ""
    """Empty where the run does not say it."""
    gave: str
    """The kind of the hand-off, or the file."""
    state: Literal["came", "bypassed", "not_called"]


class BreakingUse(_Part):
    """A line of code that uses a column which is to be renamed."""

    column: str
    new_name: str
    path: str
    line: int
    snippet: str = ""


class Code(_Part):
    """What the code search found; `unparsed` files were not seen."""

    breaking: tuple[BreakingUse, ...]
    """A line that uses two columns stands there twice."""
    lines: int = 0
    files: int = 0
    """How many lines, in how many files, `breaking` has."""
    total: int
    truncated: bool = False
    unparsed: tuple[str, ...] = ()


class Anonymity(_Part):
    """What counting the classes of a file came to."""

    rule_id: str
    target: str
    status: str
    columns: tuple[str, ...] = ()
    """The quasi-identifiers."""
    measures: dict[str, int]
    evidence: str


class Docstrings(_Part):
    """How much of the code is documented."""

    total: int
    covered: int
    percent: float | None = None
    missing: tuple[str, ...] = ()


class MigrationQuestion(_Part):
    """The renames that a person decides about; nothing is applied."""

    state: Literal["asked", "not_asked", "approved", "edited", "rejected"] = "asked"
    by: str = ""
    """Who decided it."""
    at: str = ""
    """When, in UTC (ISO 8601)."""
    message: str = ""
    """The reason that the person gave."""
    changes: tuple[str, ...] = ()
    """Names that the person wrote in place of the standard's."""
    renames: int
    tables: int
    waived: tuple[str, ...] = ()
    """Columns that a waiver of the policy lets keep their names; the question names them, too."""
    warnings: tuple[str, ...] = ()
    """Types that would cut values, or have no room for the ciphertext that a rule asks for."""
    sql: tuple[str, ...]


class Hint(_Part):
    """Where an impact assessment may be due: a hint with its rule and figure, no verdict."""

    rule: str
    text: str


class Changes(_Part):
    """What became of the broken rules since an earlier review."""

    new: int
    mended: int
    remaining: int
    mended_findings: tuple[str, ...] = ()


class Document(_Part):
    """A review as it is kept."""

    schema_: int = Field(
        default=SCHEMA,
        serialization_alias="schema",
        validation_alias=AliasChoices("schema_", "schema"),
    )
    tool: str = "minerva review"
    language: Language
    reviewed_on: dt.date
    run_id: str = ""
    """The run in which a person decided; empty before, so the same input gives the same."""
    attached: tuple[str, ...] = ()
    """The names of the folders and files that were given."""
    notices: tuple[NoticeRead, ...] = ()
    inputs: tuple[Input, ...] = ()
    opening: tuple[str, ...]
    """How bad it is, the worst place, what to do first."""
    policies: tuple[AppliedPolicy, ...]
    baseline: bool = False
    mistakes: tuple[str, ...] = ()
    counts: dict[str, int]
    total: int
    rules: tuple[RuleCounts, ...]
    findings: tuple[ReportFinding, ...]
    columns: Columns | None = None
    code: Code | None = None
    columns_looked_at: int
    inventory: tuple[PersonalColumn, ...]
    """The most protected kinds first."""
    other_columns: tuple[str, ...] = ()
    """Columns that were looked at and in which nothing personal was found."""
    flows: tuple[PersonalFlow, ...] = ()
    """Where personal values go in the code: logs, files, other hosts."""
    uncovered: tuple[NoRule, ...] = ()
    """What was found and no rule of the policy is about: a person decides."""
    notice_read: bool
    anonymity: tuple[Anonymity, ...] = ()
    docstrings: Docstrings | None = None
    migration: MigrationQuestion | None = None
    teams: dict[str, bool]
    """Whether each team's part came."""
    workers: tuple[WorkerPart, ...] = ()
    """Who gave what; the run's record has times and causes."""
    impact: tuple[Hint, ...] = ()
    since: Changes | None = None
    missing: dict[str, str] = {}
    """part -> what to give so that it is there."""
    not_looked_at: tuple[str, ...]
    advice: str


def digest_of(document: Document) -> str:
    """Return the SHA-256 of findings.json, by which a signature names what was signed."""
    return hashlib.sha256(to_json(document).encode()).hexdigest()


def to_json(document: Document) -> str:
    """Return the document as findings.json: the same for the same input."""
    return document.model_dump_json(by_alias=True, indent=2) + "\n"
