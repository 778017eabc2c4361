"""Read one module in a single pass over its tree."""

import ast
from typing import Any

from minerva_insilico.core.visitors import (
    argument,
    branch,
    comparison,
    definition,
    mention,
    statement,
)
from minerva_insilico.core.visitors.scope import Scope
from minerva_insilico.core.visitors.walk import Frame, Pending, Walk, body_of, children

_HANDLERS = {
    **definition.HANDLERS,
    **mention.HANDLERS,
    **argument.HANDLERS,
    **branch.HANDLERS,
    **comparison.HANDLERS,
}


def read_module(tree: ast.Module, *, text: str, path: str) -> dict[str, Any]:
    """Return the rows of facts in a parsed module."""
    walk = Walk(text, path)
    number = walk.facts.define(tree, qualname="", kind="module", owner=-1)
    pending: Pending = body_of(tree, Frame(number, Scope(), number))[::-1]
    while pending:
        node, frame = pending.pop()
        handler = _HANDLERS.get(type(node))
        found = handler(walk, node, frame) if handler else children(node, frame)
        pending.extend(reversed(found))
    statement.settle(walk)
    return walk.facts.rows(path)
