"""The parts that a docstring must have, as the source of the definition proves them."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from minerva_insilico.core.facts.signature import (
    Definition,
    FunctionNode,
    own_nodes,
    parameters_of,
    text_of,
)

_ANYTHING = frozenset({"BaseException", "Exception"})
_MAX_TEST_CHARACTERS = 60
_MAX_CONDITIONS_SHOWN = 3
_ITERATORS = re.compile(
    r"(?:[\w.]+\.)?(?:Async)?(?:Iterator|Iterable|Generator)\[(?P<item>.+)\]", re.DOTALL
)
_NOTHING = frozenset({"None", "NoReturn", "Never", "typing.NoReturn", "typing.Never"})
_PROPERTIES = frozenset({"cached_property", "property"})


@dataclass(frozen=True)
class RaisedException:
    """An exception, by the name the source gives it."""

    name: str
    when: tuple[str, ...]
    """When, for each of its `raise` statements; `again` where a handler raises what it
    caught; empty if one stands without a condition."""


@dataclass(frozen=True)
class _Place:
    """The place of a statement."""

    when: str = ""
    catches: frozenset[str] = frozenset()
    handles: tuple[str, ...] = ()
    alias: str = ""


def raised_by(node: FunctionNode) -> tuple[RaisedException, ...]:
    """Return the exceptions which a body raises or raises again, in order.

    What it calls may raise more; only what its own text proves counts. An exception that a handler
    around it catches for good does not leave.
    """
    built = _built_by(node)
    found: dict[str, list[str]] = {}
    for statement, place in _raise_places(node):
        again = _is_again(statement, place.alias)
        names = place.handles if again else _named_by(statement, built)
        for name in names:
            if name not in place.catches and not (place.catches & _ANYTHING):
                found.setdefault(name, []).append("again" if again else place.when)
    return tuple(
        RaisedException(name, tuple(dict.fromkeys(whens)) if all(whens) else ())
        for name, whens in found.items()
    )


def _raise_places(node: FunctionNode) -> Iterator[tuple[ast.Raise, _Place]]:
    pending: list[tuple[ast.AST, _Place]] = [(item, _Place()) for item in reversed(node.body)]
    while pending:
        current, place = pending.pop()
        if isinstance(current, ast.Raise):
            yield current, place
        elif not isinstance(current, FunctionNode | ast.ClassDef | ast.expr):
            pending.extend(reversed(list(_inside(current, place))))


def _inside(node: ast.AST, place: _Place) -> Iterator[tuple[ast.AST, _Place]]:
    if isinstance(node, ast.If):
        test = text_of(node.test)
        fits = len(test) <= _MAX_TEST_CHARACTERS and "…" not in test
        inner = replace(place, when=f"if `{test}`" if fits else "")
        other = replace(place, when=f"unless `{test}`" if fits else "")
        yield from ((item, inner) for item in node.body)
        yield from ((item, other) for item in node.orelse)
    elif isinstance(node, ast.Try | ast.TryStar):
        stopped = [
            name for item in node.handlers if not _raises_again(item) for name in _types(item)
        ]
        inner = replace(place, catches=place.catches | frozenset(stopped))
        yield from ((item, inner) for item in node.body)
        for handler in node.handlers:
            types = _types(handler)
            again = tuple(name for name in types if name not in _ANYTHING)
            when = f"on {' or '.join(types)}"
            after = _Place(when, place.catches, again, handler.name or "")
            yield from ((item, after) for item in handler.body)
        yield from ((item, place) for item in (*node.orelse, *node.finalbody))
    else:
        yield from ((item, place) for item in ast.iter_child_nodes(node))


def _is_again(node: ast.Raise, alias: str) -> bool:
    """True if a handler raises the exception that it caught as `alias`."""
    return node.exc is None or (isinstance(node.exc, ast.Name) and node.exc.id == alias)


def _named_by(node: ast.Raise, exception_by_local: Mapping[str, str]) -> list[str]:
    """Return the exception a `raise` names, or built in a local before."""
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    if not isinstance(raised, ast.Name | ast.Attribute):
        return []
    name = text_of(raised)
    if isinstance(node.exc, ast.Name):
        name = exception_by_local.get(name, name)
    return [name] if name.rpartition(".")[2][:1].isupper() else []


def _built_by(node: FunctionNode) -> dict[str, str]:
    """Return {local: exception} for locals that are assigned one kind of exception only."""
    found: dict[str, set[str]] = {}
    for item in own_nodes(node):
        if isinstance(item, ast.Assign):
            call = item.value
            name = text_of(call.func) if isinstance(call, ast.Call) else ""
            for target in item.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, set()).add(name)
    return {local: next(iter(names)) for local, names in found.items() if len(names) == 1}


def _types(handler: ast.ExceptHandler) -> tuple[str, ...]:
    if handler.type is None:
        return ("BaseException",)
    items = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return tuple(text_of(item) for item in items)


def _raises_again(handler: ast.ExceptHandler) -> bool:
    again = (
        node for item in handler.body for node in ast.walk(item) if isinstance(node, ast.Raise)
    )
    return any(_is_again(node, handler.name or "") for node in again)


@dataclass(frozen=True)
class Entry:
    """A named part of a docstring: a parameter, an exception, a result."""

    name: str
    kind: str
    """The annotation as text. Empty without one."""
    text: str = ""


@dataclass(frozen=True)
class RequiredParts:
    """The parts of a docstring, before words are found for them and a style arranges them."""

    title: str = ""
    parameters: tuple[Entry, ...] = ()
    result: Entry | None = None
    """Named `Returns` or `Yields`."""
    raises: tuple[Entry, ...] = field(default=())
    """With the condition in the source as their text, until there are better words."""

    def with_words(self, words: dict[str, Any]) -> "RequiredParts":
        """Return the same parts with words. The names and types stay."""
        parameters, raises = words.get("parameters", {}), words.get("raises", {})
        return replace(
            self,
            title=words["title"],
            parameters=tuple(
                replace(item, text=parameters.get(item.name.lstrip("*"), ""))
                for item in self.parameters
            ),
            result=self.result and replace(self.result, text=words.get("result", "")),
            raises=tuple(
                replace(item, text=raises.get(item.name, item.text)) for item in self.raises
            ),
        )


def describe(node: Definition, *, is_method: bool) -> RequiredParts:
    """Return the parts of a definition that its source proves."""
    if isinstance(node, ast.Module | ast.ClassDef):
        return RequiredParts()
    is_property = any(last_name(item) in _PROPERTIES for item in node.decorator_list)
    return RequiredParts(
        parameters=tuple(_parameters(node, is_method=is_method)),
        result=_result(node, is_property=is_property),
        raises=tuple(Entry(item.name, "", _when(item)) for item in raised_by(node)),
    )


def last_name(decorator: ast.expr) -> str:
    """Return `overload` for `@typing.overload`."""
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    return text_of(target).rpartition(".")[2]


def _parameters(node: FunctionNode, *, is_method: bool) -> Iterator[Entry]:
    is_static = any(last_name(item) == "staticmethod" for item in node.decorator_list)
    for number, (prefix, parameter, _) in enumerate(parameters_of(node)):
        if number == 0 and is_method and not is_static and parameter.arg in {"self", "cls", "mcs"}:
            continue
        yield Entry(f"{prefix}{parameter.arg}", _annotation(parameter.annotation))


def _result(node: FunctionNode, *, is_property: bool) -> Entry | None:
    annotation = _annotation(node.returns)
    nodes = list(own_nodes(node))
    if any(isinstance(item, ast.Yield | ast.YieldFrom) for item in nodes):
        return Entry("Yields", _item_of(annotation))
    if is_property and annotation:
        return None  # a reader takes a property for a value, and the annotation says which
    if annotation in _NOTHING:
        return None
    is_given = any(isinstance(item, ast.Return) and item.value for item in nodes)
    return Entry("Returns", annotation) if annotation or is_given else None


def _annotation(node: ast.expr | None) -> str:
    """Return an annotation as text, without the quotes of a forward reference."""
    if node is None:
        return ""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return " ".join(node.value.split())
    return text_of(node)


def _item_of(annotation: str) -> str:
    """Return `int` for `Iterator[int]` and for `Generator[int, None, None]`."""
    match = _ITERATORS.fullmatch(annotation)
    if match is None:
        return annotation
    try:
        parsed = ast.parse(match["item"], mode="eval").body
    except SyntaxError:  # a quoted annotation may hold anything
        return annotation
    is_generator = "Generator[" in annotation
    return (
        text_of(parsed.elts[0]) if is_generator and isinstance(parsed, ast.Tuple) else match["item"]
    )


def _when(exception: RaisedException) -> str:
    if not exception.when or len(exception.when) > _MAX_CONDITIONS_SHOWN:
        return "Raised here."
    text = ", or ".join(exception.when).replace("again", "raised again")
    return f"{text[:1].upper()}{text[1:]}."
