"""Read one module in a single pass over its tree."""

import ast
from collections.abc import Iterable
from typing import Any

from minerva_insilico.core.visitors import (
    argument,
    branch,
    comparison,
    definition,
    field_mentions,
    flow,
    statement,
)
from minerva_insilico.core.visitors.scope import Scope
from minerva_insilico.core.visitors.visit_state import Frame, Pending, Walk, body_of, children

_HANDLERS = {
    **definition.HANDLERS,
    **field_mentions.HANDLERS,
    **argument.HANDLERS,
    **branch.HANDLERS,
    **comparison.HANDLERS,
    **flow.HANDLERS,
}


def read_arguments(
    tree: ast.Module, *, text: str, path: str, lines: Iterable[int]
) -> list[list[str | int]]:
    """Return what the calls on `lines` are given: a row for each field that an argument holds."""
    walk = Walk(text, path)
    walk.asked = dict.fromkeys(lines, True)
    _visit(walk, tree)
    return flow.arguments(walk)


def read_module(tree: ast.Module, *, text: str, path: str) -> dict[str, Any]:
    """Return the rows of facts in a parsed module."""
    walk = Walk(text, path)
    _visit(walk, tree)
    statement.settle(walk)
    flow.settle(walk)
    return walk.facts.rows(path)


def _visit(walk: Walk, tree: ast.Module) -> None:
    number = walk.facts.define(tree, qualname="", kind="module", owner=-1)
    scope = Scope()
    walk.facts.scopes.append(("", scope))
    pending: Pending = body_of(tree, Frame(number, scope, number))[::-1]
    while pending:
        node, frame = pending.pop()
        handler = _HANDLERS.get(type(node))
        found = handler(walk, node, frame) if handler else children(node, frame)
        pending.extend(reversed(found))
