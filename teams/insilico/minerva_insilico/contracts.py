"""The values that cross the borders of the insilico team.

`CodeIndex` and `CodeUses` leave the team; `RenamePlan` is our reading of what
the data team exports: only the fields that tell which column gets which name.
"""

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from minerva_insilico.core.fields.declared import DeclaredField
from minerva_insilico.core.parsing.parse_failure import Reason
from minerva_platform import Handoff

MAX_LIMITED = 100
"""Files that a limit has kept out and that a hand-off names; `limited_total` counts them all."""


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class FailedFile(_Value):
    """A source that gave no facts: no answer can speak for it."""

    path: str
    error: str
    line: int | None = None
    reason: Reason = "syntax"
    detail: str = ""
    """What `error` is made of: seconds, bytes, `VERSION SAMPLE` of a newer Python …"""


class CodeIndex(Handoff):
    """The index of a source tree; the facts lie in `database`, a SQLite file."""

    kind: ClassVar[str] = "insilico.code_index"

    root: str
    database: str
    files: int
    parsed: int
    failed: tuple[FailedFile, ...] = ()
    limited: tuple[FailedFile, ...] = Field((), max_length=MAX_LIMITED)
    """The first of the files of which the index holds nothing because of a limit."""
    limited_total: int = 0


class CodeUse(_Value):
    """One use of a name on one line."""

    name: str
    """The name as it was asked for: a column as the schema writes it."""
    path: str
    line: int
    kind: Literal["attribute", "dict_key", "keyword", "name", "sql_string", "string"]
    symbol: str
    """The qualified name of the function, class or module around it."""
    snippet: str = ""
    sink: Literal["exception", "file", "http", "logging", "print", "queue", "template"] | None = (
        None
    )
    """Where the value flows to; `logging` is a log."""
    destination: str = ""
    """The host of a request, else the name of a queue, a template, a file or an exception."""
    via: str = ""
    """What the value passes through on its way: a variable, `line_of()`, `Patient.*`."""
    suspected: bool = False
    """True if the text does not prove that the value itself arrives."""


class CodeUses(Handoff):
    """Where names are used; `total` counts those that were cut, too."""

    kind: ClassVar[str] = "insilico.code_uses"

    uses: tuple[CodeUse, ...] = ()
    total: int = 0
    truncated: bool = False
    unparsed: tuple[str, ...] = ()
    """Paths that could not be parsed: uses in them are not known."""


class UndocumentedDefinition(_Value):
    """A module, class or function without a docstring."""

    qualname: str
    path: str
    line: int


class DocstringCoverage(Handoff):
    """How many definitions have a docstring that says something; `missing` names the first."""

    kind: ClassVar[str] = "insilico.docstring_coverage"

    total: int
    covered: int
    percent: float | None = None
    missing: tuple[UndocumentedDefinition, ...] = Field((), max_length=MAX_LIMITED)


class DeclaredFields(Handoff):
    """The fields of an application's models; `total` counts those that were cut, too."""

    kind: ClassVar[str] = "insilico.declared_fields"

    fields: tuple[DeclaredField, ...] = ()
    total: int = 0
    truncated: bool = False
    unparsed: tuple[str, ...] = ()
    """Paths that could not be parsed: models in them are not known."""


class PlannedColumn(_Value):
    """A column and the name it is to have."""

    table: str = ""
    column: str
    physical_name: str | None = None
    status: str = "unresolved"

    @property
    def is_renamed(self) -> bool:
        """True if code that uses the column has to change; SQL ignores case."""
        new = self.physical_name
        return self.status == "renamed" and bool(new) and new != self.column


class RenamePlan(Handoff):
    """Which column gets which name."""

    kind: ClassVar[str] = "data.rename_plan"

    columns: tuple[PlannedColumn, ...] = ()
