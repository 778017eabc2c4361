"""What a traced expression gives: names of fields, whole objects, parameters."""

import ast
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Self

from minerva_insilico.core.facts.field_owner import Owner
from minerva_insilico.core.flows.assignments import Steps
from minerva_insilico.core.visitors.scope import Scope

SourceKind = Literal[
    "attribute", "dict_key", "keyword", "name", "object", "parameter", "sql_string", "string",
    "table",
]  # fmt: skip
"""`object` is a whole one, `parameter` what a function is given by who calls it, `sql_string` a
column that a query selects, `table` all columns of one."""


LITERAL = "(literal)"
"""The name of a text in the code that reaches a sink and may be of a person: its place is told, and
who knows what is personal reads it."""


class Source(NamedTuple):
    """A value on its way, as the text names it."""

    name: str
    kind: SourceKind
    line: int
    """Where it stands, or where the variable stands that holds it."""
    owner: Owner = ""
    via: str = ""
    """What it passed through: a variable, a function."""
    suspect: bool = False
    """True if the text does not prove that the value itself arrives."""
    direct: bool = True
    """False if it came through a variable or a function of the file."""


class Place(NamedTuple):
    """Where an expression is read: its scope, the line that is reached, and the way so far."""

    scope: Scope
    line: int
    at: int | None = None
    """The line of the sink's own expression, once a variable or a call was entered."""
    via: str = ""
    suspect: bool = False
    depth: int = 0
    has_stars: bool = False
    """True inside a text with `*` in it: a piece of a value is a masked value there."""
    bindings: "tuple[tuple[str, ast.expr, Place, Steps], ...]" = ()
    """Names that are bound here only: parameters of a call, targets of a comprehension."""
    steps: Steps | None = ()
    """What of the value is asked for; None if it is a part that the text does not tell."""

    def transformed(self) -> Self:
        """Return the place inside something that gives its parts in another order or form."""
        if not self.steps:
            return self
        is_part = any(step is not None for step in self.steps)
        return self._replace(steps=None if is_part else ())


@dataclass
class Trace:
    """The sources of an expression."""

    sources: list[Source] = field(default_factory=list[Source])
    is_opaque: bool = False
    """True if a value arrives of which the text tells nothing."""

    def add(self, other: "Trace") -> None:
        """Take in what another expression gives."""
        self.sources += other.sources
        self.is_opaque = self.is_opaque or other.is_opaque
