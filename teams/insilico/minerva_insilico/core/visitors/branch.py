"""Visit what branches, and count it by the rule of radon 6.0.1.

Branches also say which imports a program can do without (`Guard`).
"""

import ast
from collections.abc import Sequence

from minerva_insilico.core.facts.facts import Guard
from minerva_insilico.core.facts.log_calls import callee_name
from minerva_insilico.core.facts.receiver_types import CLASS_NAME, set_loop_type, type_of
from minerva_insilico.core.visitors.flow import give
from minerva_insilico.core.visitors.scope import Scope
from minerva_insilico.core.visitors.value_binding import note_value
from minerva_insilico.core.visitors.visit_state import Frame, Handler, Pending, Walk, children

_MISSING_MODULE = frozenset({"ImportError", "ModuleNotFoundError"})


def _branch(walk: Walk, node: ast.If, frame: Frame) -> Pending:
    walk.count(frame, 1)
    is_for_types = callee_name(node.test) == "TYPE_CHECKING"
    inner = _guarded(frame, "type_checking") if is_for_types else _after_test(node.test, frame)
    return [
        (node.test, frame),
        *_branch_body(walk, node.body, inner),
        *_branch_body(walk, node.orelse, frame),
    ]


def _branch_body(walk: Walk, items: Sequence[ast.AST], frame: Frame) -> Pending:
    """Return the statements of a branch, whose assignments may not be made."""
    inner = walk.branch(frame) if items else frame
    return [(item, inner) for item in items]


def _choice(walk: Walk, node: ast.IfExp, frame: Frame) -> Pending:
    walk.count(frame, 1)
    return [(node.test, frame), (node.body, _after_test(node.test, frame)), (node.orelse, frame)]


def _after_test(test: ast.expr, frame: Frame) -> Frame:
    """Return the frame of what runs only if `isinstance(x, Patient)` holds, among other tests."""
    parts = test.values if isinstance(test, ast.BoolOp) else [test]
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return frame
    for part in parts:
        if isinstance(part, ast.Call) and callee_name(part.func) == "isinstance":
            match part.args:
                case [ast.Name(id=name), ast.Name() | ast.Attribute() as shown]:
                    class_ = type_of(shown, frame.scope)
                    if class_ and CLASS_NAME.fullmatch(callee_name(shown)):
                        frame = frame._replace(scope=frame.scope.narrow(name, class_))
                case _:
                    continue
    return frame


def _loop(walk: Walk, node: ast.For | ast.AsyncFor | ast.While, frame: Frame) -> Pending:
    walk.count(frame, 1 + bool(node.orelse))
    if not isinstance(node, ast.While):
        set_loop_type(node.target, node.iter, frame.scope)
        give(node.target, node.iter, frame, steps=(None,))
        note_value(frame.scope, node.target, node.iter, "item")
        head: Pending = [(node.target, frame), (node.iter, frame)]
    else:
        head = [(node.test, frame)]
    return [*head, *_branch_body(walk, node.body, frame), *_branch_body(walk, node.orelse, frame)]


def _try(walk: Walk, node: ast.Try, frame: Frame) -> Pending:
    walk.count(frame, len(node.handlers) + bool(node.orelse))
    inner = _guarded(frame, "fallback") if any(map(_is_for_imports, node.handlers)) else frame
    return [
        *((item, inner) for item in node.body),
        *_branch_body(walk, node.handlers, inner),
        *((item, inner) for item in node.orelse),
        *((item, frame) for item in node.finalbody),
    ]


def _match(walk: Walk, node: ast.Match, frame: Frame) -> Pending:
    takes_all = any(getattr(case.pattern, "pattern", case) is None for case in node.cases)
    walk.count(frame, max(0, len(node.cases) - takes_all))
    return [(node.subject, frame), *((case, walk.branch(frame)) for case in node.cases)]


def _both(walk: Walk, node: ast.BoolOp, frame: Frame) -> Pending:
    walk.count(frame, len(node.values) - 1)
    if isinstance(node.op, ast.Or):
        return children(node, frame)
    found: Pending = []
    for value in node.values:
        found.append((value, frame))
        frame = _after_test(value, frame)
    return found


def _assertion(walk: Walk, node: ast.Assert, frame: Frame) -> Pending:
    walk.count(frame, 1)
    return children(node, frame._replace(complexity_symbol=None))


def _comprehension(
    walk: Walk,
    node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp,
    frame: Frame,
) -> Pending:
    inner = frame._replace(scope=Scope(frame.scope))
    found: Pending = []
    for generator in node.generators:
        walk.count(frame, len(generator.ifs) + 1)
        set_loop_type(generator.target, generator.iter, inner.scope)
        note_value(inner.scope, generator.target, generator.iter, "item")
        found.extend(children(generator, inner))
    shown = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    return [*found, *((item, inner) for item in shown)]


def _guarded(frame: Frame, guard: Guard) -> Frame:
    return frame if frame.guard == "type_checking" else frame._replace(guard=guard)


def _is_for_imports(handler: ast.ExceptHandler) -> bool:
    """True if a handler catches a missing module."""
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(item, ast.Name) and item.id in _MISSING_MODULE for item in caught)


HANDLERS: dict[type[ast.AST], Handler] = {
    ast.Assert: _assertion,
    ast.AsyncFor: _loop,
    ast.BoolOp: _both,
    ast.DictComp: _comprehension,
    ast.For: _loop,
    ast.GeneratorExp: _comprehension,
    ast.If: _branch,
    ast.IfExp: _choice,
    ast.ListComp: _comprehension,
    ast.Match: _match,
    ast.SetComp: _comprehension,
    ast.Try: _try,
    ast.While: _loop,
}
