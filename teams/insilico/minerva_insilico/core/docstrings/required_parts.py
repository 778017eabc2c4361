"""The parts that a docstring must have, as the source of the definition proves them."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from minerva_insilico.core.docstrings.raised_exceptions import RaisedException, raised_by
from minerva_insilico.core.facts.signature import (
    Definition,
    FunctionNode,
    own_nodes,
    parameters_of,
    text_of,
)

_MAX_CONDITIONS_SHOWN = 3
_ITERATORS = re.compile(
    r"(?:[\w.]+\.)?(?:Async)?(?:Iterator|Iterable|Generator)\[(?P<item>.+)\]", re.DOTALL
)
_NOTHING = frozenset({"None", "NoReturn", "Never", "typing.NoReturn", "typing.Never"})
_PROPERTIES = frozenset({"cached_property", "property"})


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
