"""Follow an expression back to the fields whose values it gives.

Through variables, f-strings, formatters, containers, and functions of the same file. A call that
masks, hashes or counts ends the flow, and so does a slice of a few characters. A call that the text
does not explain may give its arguments in some form: what comes through it is *suspected*.
"""

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from minerva_insilico.core.facts.field_owner import KnownClass, Owner
from minerva_insilico.core.facts.log_calls import callee_name, name_chain
from minerva_insilico.core.facts.receiver_types import CLASS_NAME, leaves_of, owner_of, type_of
from minerva_insilico.core.facts.vocabulary import masks, words
from minerva_insilico.core.flows.assignments import SOME, Steps, values_at, variable_of
from minerva_insilico.core.flows.query import query_of
from minerva_insilico.core.flows.source import LITERAL, Place, Source, SourceKind, Trace
from minerva_insilico.core.visitors.scope import Scope

_MAX_NODES = 1_000
"""Of one sink. Generated code passes tables of thousands of cells."""
_MAX_DEPTH = 12
_MAY_BE_PERSONAL = re.compile(r"[0-9](?:[-. )]{0,3}[0-9]){7}|[^\s@]@[^\s@]+\.")
"""Eight digits or more, or an address with an `@`."""
_MAX_SHOWN = 8
"""Characters: a slice of so few is a masked value (`rrn[:6]`, `card[-4:]`)."""
_MAX_VIA = 80
_MAX_HELD = 8
"""Values of one variable that are followed: branches of one `if`, pieces of one payload."""

Returns = dict[str, list[tuple[ast.expr, Scope]]]
"""What each function of a file returns, by its binding."""


class Function(NamedTuple):
    """A function of the file: its parameters without `self`, with their defaults."""

    parameters: tuple[tuple[str, ast.expr | None], ...]
    scope: Scope


class Tracer:
    """Traces the expressions of one sink."""

    def __init__(self, functions: dict[str, Function], returns: Returns) -> None:
        self._functions, self._returns = functions, returns
        self._nodes = 0
        self._active_bindings: set[str] = set()

    def trace(self, node: ast.expr | None, place: Place) -> Trace:
        """Return what `node` gives."""
        self._nodes += 1
        if node is None or self._nodes > _MAX_NODES or place.depth > _MAX_DEPTH:
            return Trace(is_opaque=node is not None)
        handler = _HANDLERS.get(type(node))
        if handler is None:
            return Trace()
        return handler(self, node, place._replace(depth=place.depth + 1))

    def all_of(self, nodes: Iterable[ast.expr | None], place: Place) -> Trace:
        """Return what several expressions give together."""
        found = Trace()
        for node in nodes:
            found.add(self.trace(node, place))
        return found

    def of_pair(self, key: str, value: ast.expr, kind: SourceKind, place: Place) -> Trace:
        """Return what `key=value` gives: a value that is followed, else what the key is called."""
        found = self.trace(value, place)
        if found.is_opaque or any(source.kind == "name" for source in found.sources):
            suspect = isinstance(value, ast.Call)
            found.sources.append(_source(key, kind, value, place, suspect=suspect))
        return found

    def of_name(self, node: ast.Name, place: Place) -> Trace:
        """Return what a variable or a parameter holds."""
        for name, value, there, part in reversed(place.bindings):
            if name == node.id:
                inner = there._replace(
                    at=_line(node, place), via=place.via, suspect=place.suspect,
                    depth=place.depth, steps=_more(part, place.steps),
                )  # fmt: skip
                return self.trace(value, inner)
        inner = place._replace(at=_line(node, place), via=place.via or node.id)
        rows = self._rows_of_cursor(node.id, inner)
        if rows is not None:
            return rows
        held = values_at(place.scope.assignments_of(node.id), place.line)
        found = Trace(is_opaque=not held)
        for one in held[-_MAX_HELD:]:
            # Its own name in a new value means the value before: `rrn = mask(rrn)`.
            steps = _more(one.steps, place.steps)
            found.add(self.trace(one.value, inner._replace(line=one.line - 1, steps=steps)))
        if found.is_opaque:
            owner = _owner(node, place)
            found.sources.append(_source(node.id, "name", node, place))
            found.sources.append(_source(node.id, "object", node, place, owner=owner, suspect=True))
        function = "" if held else place.scope.function_with(node.id)
        if function:
            found.sources.append(_source(node.id, "parameter", node, place, owner=function))
        return found

    def of_constant(self, node: ast.Constant, place: Place) -> Trace:
        """Return a text that may hold a number or an address of a person, without the text."""
        text = node.value if isinstance(node.value, str) else ""
        if not _MAY_BE_PERSONAL.search(text):
            return Trace()
        found = _source(LITERAL, "string", node, place)
        via = f":{node.lineno}-{node.end_lineno}"
        return Trace([found._replace(via=via)])

    def of_attribute(self, node: ast.Attribute, place: Place) -> Trace:
        """Return a field, and what an attribute of the object was given."""
        if node.attr == "__dict__":
            return self._whole(node.value, place, is_certain=True)
        if node.attr in words("sinks", "whole", "attributes"):
            found = self._whole(node.value, place, is_certain=False)
        else:
            found = Trace()
        kept = variable_of(node)
        if kept:  # an attribute of the object
            rows = self._rows_of_cursor(kept, place._replace(via=place.via or node.attr))
            if rows is not None:
                return rows
            held = values_at(place.scope.assignments_of(kept), _ANY_LINE)
            inner = place._replace(
                at=_line(node, place), via=place.via or node.attr, line=_ANY_LINE
            )
            for one in held[-3:]:
                if not (isinstance(one.value, ast.Name) and one.value.id == node.attr):
                    found.add(self.trace(one.value, inner))
        if not isinstance(node.value, ast.Name) or node.value.id != "settings":
            owner = _owner(node.value, place)
            found.sources.append(_source(node.attr, "attribute", node, place, owner=owner))
        return found

    def of_subscript(self, node: ast.Subscript, place: Place) -> Trace:
        """Return the field of a key; a cut-out of a few characters is masked."""
        key = node.slice
        if isinstance(key, ast.Slice):
            is_cut = place.has_stars or _is_masking(key)
            return Trace() if is_cut else self.trace(node.value, place)
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            owner = _owner(node.value, place)
            return Trace([_source(key.value, "dict_key", node, place, owner=owner)])
        if isinstance(key, ast.List):  # some columns of a table
            return self.names_in(key, place)
        if place.has_stars:
            return Trace()
        number = _number(key)
        inner = place._replace(steps=_more((SOME if number is None else number,), place.steps))
        return self.trace(node.value, inner)

    def names_in(self, node: ast.expr, place: Place) -> Trace:
        """Return the fields that a list of texts names, as they stand in the code."""
        line = _line(node, place)
        if isinstance(node, ast.Name):
            given = place.scope.assignments_of(node.id)
            held = values_at(given, place.line) or given
            node = held[-1].value if held else node
        items = node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) else []
        names = [one.value for one in items if isinstance(one, ast.Constant)]
        there = place._replace(at=line)
        return Trace(
            [_source(name, "dict_key", node, there) for name in names if isinstance(name, str)],
            is_opaque=not names,
        )

    def _rows_of_cursor(self, name: str, place: Place) -> Trace | None:
        """Return the rows that a cursor gives after its last `execute`."""
        held = values_at(place.scope.executions_of(name), place.line)
        return self.of_query(held[-1].value, place) if held else None

    def of_query(self, node: ast.expr, place: Place) -> Trace | None:
        """Return the columns that the rows of a call hold, or None if it is no known query."""
        query = query_of(node, place.scope, place.line)
        if query is None:
            return None
        outputs, suspected = query.outputs, place.steps is None
        # The first step leads from the rows to one row, the second to a place in it.
        step = place.steps[1] if place.steps and len(place.steps) > 1 else None
        if step == SOME:
            suspected = True
        elif step is not None:
            has_star = any(one.tables for one in outputs)
            suspected = suspected or has_star
            outputs = outputs if has_star else outputs[step : step + 1 or None]
        via = place.via or f"SELECT :{node.lineno}"
        there = place._replace(via=via, suspect=place.suspect or suspected)
        found = Trace()
        for output in outputs:
            is_part = output.suspect
            found.sources += [
                *(_source(n, "sql_string", node, there, suspect=is_part) for n in output.columns),
                *(_source(n, "table", node, there, suspect=is_part) for n in output.tables),
            ]
        return found

    def of_joined(self, node: ast.JoinedStr, place: Place) -> Trace:
        """Return what is filled into an f-string."""
        place = place.transformed()._replace(has_stars=place.has_stars or _has_stars(node))
        parts = [
            part.value if isinstance(part, ast.FormattedValue) else part for part in node.values
        ]
        return self.all_of(parts, place)

    def of_sum(self, node: ast.BinOp, place: Place) -> Trace:
        """Return what is joined by `+` or filled in by `%`."""
        if isinstance(node.op, ast.Mult):
            return Trace()
        place = place.transformed()._replace(has_stars=place.has_stars or _has_stars(node))
        parts = leaves_of(node) if isinstance(node.op, ast.Add) else [node.left, node.right]
        return self.all_of(parts, place)

    def of_either(self, node: ast.IfExp, place: Place) -> Trace:
        """Return what both ways give."""
        return self.all_of((node.body, node.orelse), place)

    def of_any(self, node: ast.BoolOp, place: Place) -> Trace:
        """Return what any part may give."""
        return self.all_of(node.values, place)

    def of_inner(self, node: ast.Await | ast.Starred | ast.NamedExpr, place: Place) -> Trace:
        """Return what stands inside."""
        return self.trace(node.value, place)

    def of_items(self, node: ast.List | ast.Tuple | ast.Set, place: Place) -> Trace:
        """Return what all items give."""
        return self.all_of(node.elts, place.transformed())

    def of_dict(self, node: ast.Dict, place: Place) -> Trace:
        """Return what the values give, and the keys of those that the text does not tell."""
        found, place = Trace(), place.transformed()
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                found.add(self.of_pair(key.value, value, "dict_key", place))
            else:
                found.add(self.trace(value, place))
        return found

    def of_comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, place: Place
    ) -> Trace:
        """Return what each item gives."""
        bindings = place.bindings
        scope = Scope(place.scope)
        for generator in node.generators:
            around = place._replace(steps=())
            if isinstance(generator.target, ast.Name):
                scope.set_type(generator.target.id, type_of(generator.iter, place.scope))
                bindings = (*bindings, (generator.target.id, generator.iter, around, (None,)))
            elif isinstance(generator.target, ast.Tuple) and _is_query(generator.iter, around):
                bindings = (
                    *bindings,
                    *(
                        (one.id, generator.iter, around, (None, number))
                        for number, one in enumerate(generator.target.elts)
                        if isinstance(one, ast.Name)
                    ),
                )
        steps = place.steps[1:] if place.steps else place.steps
        inner = place._replace(bindings=bindings, scope=scope, steps=steps)
        if isinstance(node, ast.DictComp):
            return self.trace(node.value, inner.transformed())
        return self.trace(node.elt, inner)

    def of_call(self, node: ast.Call, place: Place) -> Trace:
        """Return what a call gives: nothing if it masks or counts."""
        function = node.func
        name = callee_name(function)
        if masks(name) or name in words("sinks", "ends", "functions"):
            return Trace()
        found = self.of_query(node, place) or self._rows_of(node, name, place)
        if name not in _KEEPS_ORDER:
            place = place.transformed() if found is None else place
        if found is None:
            found = self._key_of(node, name, place)
        if found is None:
            found = self._whole_call(node, name, place)
        if found is None and isinstance(function, ast.Attribute):
            found = self._method(node, function, place)
        if found is None and name in words("sinks", "passes", "functions"):
            found = self._arguments(node, place)
        if found is None:
            found = self._of_file(node, place)
        return self._unknown(node, name, place) if found is None else found

    def _rows_of(self, node: ast.Call, name: str, place: Place) -> Trace | None:
        """Return the columns in `cursor.fetchall()`, `result.first()`, `cursor.scalar()`."""
        function = node.func
        known = (steps for key, steps in _FETCHES.items() if name in words("sinks", "queries", key))
        steps = next(known, None)
        if steps is None or not isinstance(function, ast.Attribute):
            return None
        inner = place._replace(steps=_more(steps, place.steps))
        found = self.trace(function.value, inner)
        rows = [one for one in found.sources if one.kind in {"sql_string", "table"}]
        return Trace(rows) if rows else None

    def _key_of(self, node: ast.Call, name: str, place: Place) -> Trace | None:
        """Return the field in `row.get("f")`, `getattr(p, "f")`, `rows.values("f")`."""
        function, first = node.func, node.args[0] if node.args else None
        if name == "getattr" and len(node.args) > 1 and isinstance(function, ast.Name):
            key = node.args[1]
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                owner = _owner(node.args[0], place)
                return Trace([_source(key.value, "attribute", node, place, owner=owner)])
            return self._whole(node.args[0], place, is_certain=False)
        if not isinstance(function, ast.Attribute):
            return None
        found: list[tuple[str, SourceKind]] = []
        if name in {"values", "values_list", "only"}:
            texts = [one.value for one in node.args if isinstance(one, ast.Constant)]
            named = [text for text in texts if isinstance(text, str)]
            found = [(text.split("__")[-1], "string") for text in named]
        elif name in {"get", "pop", "setdefault"} and isinstance(first, ast.Constant):
            found = [(first.value, "dict_key")] if isinstance(first.value, str) else []
        elif name.startswith("get_") and name.endswith("_display") and not node.args:
            found = [(name[4:-8], "attribute")]
        owner = _owner(function.value, place)
        sources = [_source(text, kind, node, place, owner=owner) for text, kind in found]
        return Trace(sources) if sources else None

    def _whole_call(self, node: ast.Call, name: str, place: Place) -> Trace | None:
        if name in words("sinks", "whole", "functions") and node.args:
            return self._whole(node.args[-1 if name == "serialize" else 0], place, is_certain=True)
        is_dump = name in words("sinks", "whole", "methods") and not node.args
        if is_dump and isinstance(node.func, ast.Attribute):
            return self._whole(node.func.value, place, is_certain=True)
        return None

    def _whole(self, node: ast.expr, place: Place, *, is_certain: bool) -> Trace:
        """Return all of an object: certain only if its class is known."""
        owner = _owner(node, place)
        known = is_certain and isinstance(owner, KnownClass)
        name = owner.name if isinstance(owner, KnownClass) else callee_name(node)
        found = Trace(
            [_source(name, "object", node, place, owner=owner, suspect=not known)],
            is_opaque=True,
        )
        inner = self.trace(node, place)
        found.sources += [one for one in inner.sources if one.kind == "parameter"]
        if isinstance(node, ast.Dict | ast.ListComp | ast.GeneratorExp):
            found.add(inner)
        return found

    def _method(self, node: ast.Call, function: ast.Attribute, place: Place) -> Trace | None:
        name = function.attr
        if name in words("sinks", "passes", "methods") and not _is_module(function.value, place):
            found = self.trace(function.value, place)
            if name in words("sinks", "passes", "with_arguments"):
                found.add(self._arguments(node, place))
            return found
        if name in words("sinks", "ends", "queries"):
            known = type_of(node, place.scope)
            if known is None:
                return None if name in {"get", "create"} else Trace(is_opaque=True)
            return Trace([_source(known.name, "object", node, place, owner=known, suspect=True)])
        return None

    def _arguments(self, node: ast.Call, place: Place) -> Trace:
        found = self.all_of(node.args, place)
        for keyword in node.keywords:
            if keyword.arg is None:
                found.add(self.trace(keyword.value, place))
            else:
                found.add(self.of_pair(keyword.arg, keyword.value, "keyword", place))
        return found

    def _of_file(self, node: ast.Call, place: Place) -> Trace | None:
        """Return what a function of the same file gives for these arguments."""
        chain = name_chain(node.func)
        binding = place.scope.resolve(chain) if chain else ""
        returned = self._returns.get(binding)
        function = self._functions.get(binding)
        if not returned or function is None or binding in self._active_bindings:
            return None
        self._active_bindings.add(binding)
        bindings = tuple(
            (name, value, place, ())
            for name, value in pair_arguments(node, [name for name, _ in function.parameters])
        )
        found = Trace()
        via = place.via or f"{chain[-1]}()"
        for value, scope in returned:
            inner = place._replace(
                scope=scope, line=value.lineno, at=_line(node, place), via=via[:_MAX_VIA],
                bindings=bindings,
            )  # fmt: skip
            found.add(self.trace(value, inner))
        self._active_bindings.discard(binding)
        return found

    def _unknown(self, node: ast.Call, name: str, place: Place) -> Trace:
        """Return the arguments of a call that the text does not explain, as suspected.

        A class that is made holds what it is given.
        """
        if CLASS_NAME.fullmatch(name):
            found = self._arguments(node, place)
            owner = KnownClass(name)
            found.sources.append(_source(name, "object", node, place, owner=owner, suspect=True))
            return found
        inner = place._replace(suspect=True, via=place.via or f"{name}()"[:_MAX_VIA])
        found = self._arguments(node, inner)
        return Trace([one for one in found.sources if one.kind != "name"], is_opaque=True)


def pair_arguments(node: ast.Call, parameters: Sequence[str]) -> list[tuple[str, ast.expr]]:
    """Return (parameter, argument) of a call, as far as its text tells."""
    plain = [one for one in node.args if not isinstance(one, ast.Starred)]
    found = list(zip(parameters, plain, strict=False))
    found += [(one.arg, one.value) for one in node.keywords if one.arg]
    return found


_ANY_LINE = 1 << 30
_KEEPS_ORDER = frozenset({"list", "tuple", "sorted", "iter", "reversed"})
_FETCHES: dict[str, Steps] = {"rows": (), "row": (None,), "value": (None, 0)}


def _more(first: Steps, then: Steps | None) -> Steps | None:
    """Return the steps of `first` and those that follow; None if some are not told."""
    return None if then is None else (*first, *then)


def _is_query(node: ast.expr, place: Place) -> bool:
    """True if an expression gives rows of a query that the text tells."""
    if isinstance(node, ast.Name):
        held = values_at(place.scope.executions_of(node.id), place.line)
        held = held or values_at(place.scope.assignments_of(node.id), place.line)
        return bool(held) and query_of(held[-1].value, place.scope, place.line) is not None
    return query_of(node, place.scope, place.line) is not None


def _source(
    name: str,
    kind: SourceKind,
    node: ast.expr,
    place: Place,
    *,
    owner: Owner = "",
    suspect: bool = False,
) -> Source:
    return Source(
        name=name,
        kind=kind,
        line=_line(node, place),
        owner=owner,
        via=place.via,
        suspect=suspect or place.suspect,
        direct=place.at is None,
    )


def _line(node: ast.expr, place: Place) -> int:
    return place.at or node.end_lineno or node.lineno


def _owner(node: ast.expr, place: Place) -> Owner:
    return owner_of(node, place.scope)


def _is_module(node: ast.expr, place: Place) -> bool:
    """True for `json` in `json.dumps(…)`: a name that an import binds gives no value."""
    return isinstance(node, ast.Name) and bool(place.scope.resolve((node.id,)))


def _is_masking(key: ast.Slice) -> bool:
    """True for `[:6]` and `[-4:]`, false for `[:200]` and `[:]`."""
    ends = [_number(end) for end in (key.lower, key.upper)]
    return any(number is not None and 0 < abs(number) <= _MAX_SHOWN for number in ends)


def _has_stars(node: ast.expr) -> bool:
    """True if a text is put together with `*`: parts of a value beside them are a masked one."""
    parts = node.values if isinstance(node, ast.JoinedStr) else leaves_of(node)
    return any(
        isinstance(text, ast.Constant) and isinstance(text.value, str) and "*" in text.value
        for part in parts
        for text in (part, *_factors_of(part))
    )


def _factors_of(node: ast.expr) -> tuple[ast.expr, ...]:
    """Return the parts of `"*" * 6`."""
    if isinstance(node, ast.FormattedValue):
        node = node.value
    is_product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
    return (node.left, node.right) if is_product and isinstance(node, ast.BinOp) else ()


def _number(node: ast.expr | None) -> int | None:
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node, sign = node.operand, -1
    value = node.value if isinstance(node, ast.Constant) else None
    return sign * value if isinstance(value, int) else None


_HANDLERS: dict[type[ast.AST], Callable[[Tracer, Any, Place], Trace]] = {
    ast.Attribute: Tracer.of_attribute,
    ast.Await: Tracer.of_inner,
    ast.BinOp: Tracer.of_sum,
    ast.BoolOp: Tracer.of_any,
    ast.Constant: Tracer.of_constant,
    ast.Call: Tracer.of_call,
    ast.Dict: Tracer.of_dict,
    ast.DictComp: Tracer.of_comprehension,
    ast.GeneratorExp: Tracer.of_comprehension,
    ast.IfExp: Tracer.of_either,
    ast.JoinedStr: Tracer.of_joined,
    ast.List: Tracer.of_items,
    ast.ListComp: Tracer.of_comprehension,
    ast.Name: Tracer.of_name,
    ast.NamedExpr: Tracer.of_inner,
    ast.Set: Tracer.of_items,
    ast.SetComp: Tracer.of_comprehension,
    ast.Starred: Tracer.of_inner,
    ast.Subscript: Tracer.of_subscript,
    ast.Tuple: Tracer.of_items,
}
