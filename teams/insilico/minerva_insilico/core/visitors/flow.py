"""Visit what gives values to names, and what lets values out: calls, `raise`, a view's `return`.

Sinks are traced when the whole module was read, because a value may come out of a function that
stands further below.
"""

import ast
import re
from collections.abc import Iterable

from minerva_insilico.core.facts.facts import UseKind
from minerva_insilico.core.facts.field_owner import spell_owner
from minerva_insilico.core.facts.log_calls import LEVELS, LOG_CONTEXTS, name_chain
from minerva_insilico.core.facts.receiver_types import origin_of, type_of
from minerva_insilico.core.facts.signature import FunctionNode
from minerva_insilico.core.facts.vocabulary import parts_of, words
from minerva_insilico.core.flows.assignments import SOME, Assignment, Steps, variable_of
from minerva_insilico.core.flows.destination import CONSTANT, address_of, destination_of
from minerva_insilico.core.flows.sink import Names, Sink, call_name, made_by, sink_of
from minerva_insilico.core.flows.source import Place, Source, Trace
from minerva_insilico.core.flows.tracer import Function, Tracer
from minerva_insilico.core.visitors.scope import EXECUTED, Scope, inside
from minerva_insilico.core.visitors.value_binding import note_value
from minerva_insilico.core.visitors.visit_state import Frame, Handler, Pending, Walk, children

_PLACES: dict[str, UseKind] = {
    "attribute": "attribute",
    "dict_key": "dict_key",
    "keyword": "keyword",
    "name": "name",
}
"""Sources that stand in the sink's own expression as a use of a name."""

_CALLS = frozenset(
    name
    for section, lists in {
        "print": ("functions",),
        "file": ("methods", "tables"),
        "http": ("verbs",),
        "queue": ("alone", "methods"),
        "template": ("functions",),
        "queries": ("statements",),
    }.items()
    for one in lists
    for name in words("sinks", section, one)
) | {"write", "writelines", "dump", "safe_dump", "savetxt"} | LEVELS | LOG_CONTEXTS  # fmt: skip


_ADDRESSES = frozenset("address api base domain endpoint host server service uri url".split())
_HOST = re.compile(r"localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+")


def may_sink(walk: Walk, name: str) -> bool:
    """True if a call of this name may be a sink."""
    return name in _CALLS or (walk.has_service and bool(name))


def give(
    target: ast.expr,
    value: ast.expr | None,
    frame: Frame,
    *,
    grows: bool = False,
    steps: Steps = (),
) -> None:
    """Note what a target is given: a variable, an item of one, an attribute of the object.

    `steps` say what of the value it is, where it is not all.
    """
    if value is None:
        return
    if isinstance(target, ast.Name):  # nearly all of them
        line = value.end_lineno or value.lineno
        frame.scope.give(target.id, Assignment(line, frame.block, value, grows, steps))
        return
    if isinstance(target, ast.Tuple | ast.List):
        values = value.elts if isinstance(value, ast.Tuple | ast.List) else None
        if values is not None and len(values) == len(target.elts):
            for one, given in zip(target.elts, values, strict=True):
                give(one, given, frame)
        else:
            has_star = any(isinstance(one, ast.Starred) for one in target.elts)
            for number, one in enumerate(target.elts):
                give(one, value, frame, steps=(*steps, SOME if has_star else number))
        return
    if isinstance(target, ast.Starred):
        target = target.value
    if isinstance(target, ast.Subscript):
        key = target.slice
        value = ast.copy_location(ast.Dict(keys=[key], values=[value]), value)
        target, grows = target.value, True
    name = variable_of(target)
    if name:
        line = value.end_lineno or value.lineno
        frame.scope.give(name, Assignment(line, frame.block, value, grows, steps))


def execute(node: ast.Call, frame: Frame) -> None:
    """Note what `cursor.execute("SELECT …")` puts into the cursor: the rows that it then gives."""
    cursor = variable_of(node.func.value) if isinstance(node.func, ast.Attribute) else ""
    if cursor:
        line = node.end_lineno or node.lineno
        frame.scope.give(f"{cursor}{EXECUTED}", Assignment(line, frame.block, node))


def grow(node: ast.Call, frame: Frame) -> None:
    """Note what `rows.append(…)` and `payload.update(…)` put into a variable."""
    function = node.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        for value in node.args[-1:]:
            give(function.value, value, frame, grows=True)
        if node.keywords:
            made = ast.Dict(
                keys=[ast.Constant(one.arg) if one.arg else None for one in node.keywords],
                values=[one.value for one in node.keywords],
            )
            give(function.value, ast.copy_location(made, node), frame, grows=True)


def define(
    walk: Walk,
    node: FunctionNode,
    scope: Scope,
    qualname: str,
    parameters: Iterable[tuple[str, ast.arg, ast.expr | None]],
) -> None:
    """Note a function with its parameters, without the object of a method."""
    scope.parameters = tuple(
        (one.arg, default) for prefix, one, default in parameters if not prefix
    )
    scope.qualname, scope.binding = qualname, inside(*walk.module, qualname)
    walk.functions[scope.binding] = Function(scope.parameters, scope)
    if node.decorator_list and any(map(_is_route, node.decorator_list)):
        walk.views.add(scope.binding)


def _is_route(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and call_name(node) in words("sinks", "template", "routes")


def note_constant(walk: Walk, target: ast.expr, value: ast.expr | None, frame: Frame) -> None:
    """Note the address that a constant of a module or of a class holds."""
    if frame.scope.parent is not None and not frame.scope.is_class:
        return
    if value is None or not isinstance(target, ast.Name):
        return
    text = value.value if isinstance(value, ast.Constant) else None
    is_address = isinstance(text, str) and "://" in text
    if not is_address and (text is not None or parts_of(target.id).isdisjoint(_ADDRESSES)):
        return
    host = address_of(value, frame.scope, value.end_lineno or value.lineno)
    if host.startswith(CONSTANT) or _HOST.fullmatch(host):
        walk.facts.constants.append([frame.symbol, target.id, host])


def _augmented_assignment(_walk: Walk, node: ast.AugAssign, frame: Frame) -> Pending:
    give(node.target, node.value, frame, grows=True)
    return children(node, frame)


def _named_expression(_walk: Walk, node: ast.NamedExpr, frame: Frame) -> Pending:
    give(node.target, node.value, frame)
    note_value(frame.scope, node.target, node.value)
    return children(node, frame)


def _with(_walk: Walk, node: ast.With | ast.AsyncWith, frame: Frame) -> Pending:
    for item in node.items:
        if item.optional_vars is not None:
            give(item.optional_vars, item.context_expr, frame)
    return children(node, frame)


def _raise(walk: Walk, node: ast.Raise, frame: Frame) -> Pending:
    if node.exc is not None:
        walk.outlets.append((node, frame.scope, frame.symbol))
    return children(node, frame)


def _return(walk: Walk, node: ast.Return, frame: Frame) -> Pending:
    scope = frame.scope
    note_returned(walk, node.value, frame)
    if node.value is not None and scope.binding:
        walk.returns.setdefault(scope.binding, []).append((node.value, scope))
        if scope.binding in walk.views:
            walk.outlets.append((node, scope, frame.symbol))
    return children(node, frame)


def _yield(walk: Walk, node: ast.Yield, frame: Frame) -> Pending:
    note_returned(walk, node.value, frame)
    return children(node, frame)


def note_returned(walk: Walk, value: ast.expr | None, frame: Frame) -> None:
    """Note the class of what a function gives, or the way to it; empty if it is unknown."""
    is_none = value is None or (isinstance(value, ast.Constant) and value.value is None)
    symbol = walk.facts.symbols[frame.symbol]
    if not is_none and "->" not in symbol.signature and symbol.kind != "class":
        class_ = type_of(value, frame.scope)
        way = class_.name if class_ else origin_of(value, frame.scope)
        walk.facts.models.append([frame.symbol, way, "->"])


def settle(walk: Walk) -> None:
    """Trace the sinks of a module that was read."""
    names = Names(walk.loggers, walk.import_targets)
    for node, scope, symbol in walk.outlets:
        sink = _sink(node, scope, names)
        if sink is not None:
            _note(walk, node, sink, scope, symbol)


def arguments(walk: Walk) -> list[list[str | int]]:
    """Return the sources of each argument of the calls that were asked for.

    A row is the call's line, the function's own name, the argument's place (-1 for a keyword), its
    keyword, the symbol around, and the source.
    """
    rows: list[list[str | int]] = []
    for node, scope, symbol in walk.calls:
        line = node.func.end_lineno or node.lineno
        chain = name_chain(node.func)
        binding = scope.resolve(chain) if chain else ""
        function = binding.rpartition(".")[2] or call_name(node)
        place = Place(scope, node.end_lineno or node.lineno)
        plain = [(number, "", one) for number, one in enumerate(node.args)]
        named = [(-1, one.arg, one.value) for one in node.keywords if one.arg]
        for number, keyword, value in (*plain, *named):
            found = Tracer(walk.functions, walk.returns).trace(value, place)
            rows += [
                [line, function, number, keyword, walk.facts.symbols[symbol].qualname, one.name,
                 one.kind, one.via, int(one.suspect), spell_owner(one.owner)]
                for one in _distinct(found.sources)
                if one.kind != "parameter"
            ]  # fmt: skip
    return rows


def _sink(node: ast.AST, scope: Scope, names: Names) -> Sink | None:
    if isinstance(node, ast.Call):
        return sink_of(node, scope, names)
    if isinstance(node, ast.Return) and node.value is not None:
        return None if isinstance(node.value, ast.Call) else Sink("template", (node.value,))
    if isinstance(node, ast.Raise):
        made = made_by(node.exc, scope, node.lineno)
        if made is not None:
            return Sink("exception", tuple(made.args), tuple(made.keywords), host=call_name(made))
    return None


def _note(walk: Walk, node: ast.expr | ast.stmt, sink: Sink, scope: Scope, symbol: int) -> None:
    line = node.end_lineno or node.lineno
    tracer = Tracer(walk.functions, walk.returns)
    place = Place(scope, line)
    found = tracer.all_of(sink.flowing, place)
    for keyword in sink.keywords:
        found.add(_keyword(tracer, keyword, place))
    if sink.fields is not None and found.is_opaque:
        is_told = not isinstance(sink.flowing[0], ast.Call)
        found.add(tracer.names_in(sink.fields, place._replace(suspect=not is_told)))
    if not found.sources:
        return
    destination = destination_of(sink, scope, line)
    for source in _distinct(found.sources):
        owner = spell_owner(source.owner)
        kind = _PLACES.get(source.kind)
        if source.direct and kind and not source.suspect:
            walk.facts.use(
                source.name, kind, source.line, symbol, sink=sink.kind, owner=source.owner
            )
        row = [source.line, symbol, source.name, source.kind, sink.kind, destination]
        walk.facts.flows.append([*row, source.via, int(source.suspect), owner])


def _keyword(tracer: Tracer, keyword: ast.keyword, place: Place) -> Trace:
    is_literal = isinstance(keyword.value, ast.Dict | ast.List | ast.Tuple)
    if keyword.arg is None or is_literal:
        return tracer.trace(keyword.value, place)
    return tracer.of_pair(keyword.arg, keyword.value, "keyword", place)


def _distinct(sources: list[Source]) -> list[Source]:
    """Return each name once a line: what is certain first, what came straight before the rest."""
    ranked = sorted(sources, key=lambda one: (one.suspect, not one.direct))
    found: dict[tuple[str, str, int, str], Source] = {}
    for source in ranked:
        found.setdefault((source.name, source.kind, source.line, spell_owner(source.owner)), source)
    return list(found.values())


HANDLERS: dict[type[ast.AST], Handler] = {
    ast.AsyncWith: _with,
    ast.AugAssign: _augmented_assignment,
    ast.NamedExpr: _named_expression,
    ast.Raise: _raise,
    ast.Return: _return,
    ast.With: _with,
    ast.Yield: _yield,
}
