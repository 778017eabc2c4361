"""What a name was given before a line, so that a value is followed through variables.

An assignment takes the place of earlier ones of its own block, and of all of them where it stands
outside of any branch. A value in a branch that may not have run stands beside the earlier ones.
"""

import ast
from collections.abc import Sequence
from typing import NamedTuple

from minerva_insilico.core.facts.log_calls import name_chain

TOP = 0
"""The block of what every call of a function runs through."""

MAX_VALUES = 60
"""Of one name: generated code appends thousands of times."""


Steps = tuple[int | None, ...]
"""What is taken out of a value, step by step: None is any item of it, a number the item there."""

SOME = -1
"""The step of an item whose place is not known: one beside a starred name."""


def variable_of(node: ast.expr) -> str:
    """Return `rows` or `self.rows`, by which assignments are kept, or an empty text."""
    chain = name_chain(node)
    is_own = len(chain) == 2 and chain[0] == "self"  # noqa: PLR2004 - self.name
    return ".".join(chain) if len(chain) == 1 or is_own else ""


class Assignment(NamedTuple):
    """A value that a name was given; `grows` if it was put into what the name held before."""

    line: int
    block: int
    value: ast.expr
    grows: bool = False
    steps: "Steps" = ()
    """What of the value, where it is not all: an item of it in a loop, a part in `a, b = …`."""


def values_at(assignments: Sequence[Assignment], line: int) -> list[Assignment]:
    """Return what a name may hold when `line` is reached, read from top to bottom."""
    held: list[Assignment] = []
    for one in assignments:
        if one.line > line:
            break
        if not one.grows:
            held = [] if one.block == TOP else [each for each in held if each.block != one.block]
        held.append(one)
    return held
