"""What a docstring of a definition can say because its source proves it."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from minerva_insilico.core.docstrings.raising import Raised, raised_by
from minerva_insilico.core.facts.signature import (
    Definition,
    FunctionNode,
    own_nodes,
    parameters_of,
    text_of,
)
from minerva_insilico.core.parsing.walk import module_parts

_LISTED = 8
_RETURNS_SHOWN = 3
_LONGEST_EXPRESSION = 60
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ITERATORS = re.compile(
    r"(?:[\w.]+\.)?(?:Async)?(?:Iterator|Iterable|Generator)\[(?P<item>.+)\]", re.DOTALL
)
_NOTHING = frozenset({"None", "NoReturn", "Never", "typing.NoReturn", "typing.Never"})
_MAGIC = {
    "__init__": "Initialise the instance.",
    "__new__": "Create the instance.",
    "__repr__": "Return repr(self).",
    "__str__": "Return str(self).",
    "__len__": "Return len(self).",
    "__iter__": "Return iter(self).",
    "__next__": "Return next(self).",
    "__bool__": "Return bool(self).",
    "__hash__": "Return hash(self).",
    "__call__": "Call the instance as a function.",
    "__contains__": "Return whether the item is in self.",
    "__getitem__": "Return self[key].",
    "__setitem__": "Set self[key].",
    "__delitem__": "Delete self[key].",
    "__enter__": "Enter the `with` block.",
    "__exit__": "Leave the `with` block.",
    "__aenter__": "Enter the `async with` block.",
    "__aexit__": "Leave the `async with` block.",
    "__eq__": "Return self == other.",
    "__ne__": "Return self != other.",
    "__lt__": "Return self < other.",
    "__le__": "Return self <= other.",
    "__gt__": "Return self > other.",
    "__ge__": "Return self >= other.",
}
"""What Python's data model defines these methods to do."""


@dataclass(frozen=True)
class Entry:
    """A named part of a docstring: a parameter, an attribute, an exception, a result."""

    name: str
    kind: str
    """Its annotation as text; empty if there is none."""
    text: str


@dataclass(frozen=True)
class Described:
    """The parts of a docstring, before a style arranges them."""

    title: str
    notes: tuple[str, ...] = ()
    parameters: tuple[Entry, ...] = ()
    attributes: tuple[Entry, ...] = ()
    result: Entry | None = None
    """Named `Returns` or `Yields`."""
    raises: tuple[Entry, ...] = field(default=())

    def said(self, words: dict[str, Any]) -> "Described":
        """Return the same parts in other words; the names and types stay."""
        parameters, raises = words.get("parameters", {}), words.get("raises", {})
        return replace(
            self,
            title=words.get("title", self.title),
            parameters=tuple(
                replace(item, text=parameters.get(item.name.lstrip("*"), item.text))
                for item in self.parameters
            ),
            result=self.result and replace(self.result, text=words.get("result", self.result.text)),
            raises=tuple(
                replace(item, text=raises.get(item.name, item.text)) for item in self.raises
            ),
        )


def describe(node: Definition, path: str, *, is_method: bool) -> Described:
    """Return what the source of a definition proves about it."""
    if isinstance(node, ast.Module):
        title = " ".join(module_parts(path)[-1:]) or "package"
        return Described(f"Module {title}.", notes=_members(node))
    if isinstance(node, ast.ClassDef):
        bases = ", ".join(text_of(base) for base in node.bases)
        title = f"{_sentence(node.name)} ({bases})." if bases else f"{_sentence(node.name)}."
        return Described(title, notes=_members(node), attributes=tuple(_attributes(node)))
    is_property = any(_last(item) in _PROPERTIES for item in node.decorator_list)
    return Described(
        title=_MAGIC.get(node.name, f"{_sentence(node.name)}."),
        notes=tuple(_notes(node)),
        parameters=tuple(_parameters(node, is_method=is_method)),
        result=_result(node, is_property=is_property),
        raises=tuple(Entry(item.name, "", _when(item)) for item in raised_by(node)),
    )


_PROPERTIES = frozenset({"cached_property", "property"})


def _last(decorator: ast.expr) -> str:
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    return text_of(target).rpartition(".")[2]


def _notes(node: FunctionNode) -> Iterator[str]:
    names = {_last(item) for item in node.decorator_list}
    is_generator = any(isinstance(item, ast.Yield | ast.YieldFrom) for item in own_nodes(node))
    if names & {"abstractmethod"}:
        yield "Abstract: subclasses implement it."
    if names & {"contextmanager", "asynccontextmanager"}:
        kind = "async with" if "asynccontextmanager" in names else "with"
        yield f"A context manager: use it in `{kind}`."
    elif isinstance(node, ast.AsyncFunctionDef):
        yield "An asynchronous generator." if is_generator else "A coroutine: await it."


def _members(node: ast.Module | ast.ClassDef) -> tuple[str, ...]:
    members = [item.name for item in node.body if isinstance(item, ast.ClassDef | FunctionNode)]
    public = list(dict.fromkeys(name for name in members if not name.startswith("_")))
    if not public:
        return ()
    more = f" and {len(public) - _LISTED} more" if len(public) > _LISTED else ""
    return (f"Defines: {', '.join(public[:_LISTED])}{more}.",)


def _attributes(node: ast.ClassDef) -> Iterator[Entry]:
    """Yield the annotated public attributes of a class body, as dataclasses have."""
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            name = item.target.id
            if not name.startswith("_"):
                text = f"Default {text_of(item.value)}." if item.value else "Required."
                yield Entry(name, _annotation(item.annotation), text)


def _parameters(node: FunctionNode, *, is_method: bool) -> Iterator[Entry]:
    is_static = any(_last(item) == "staticmethod" for item in node.decorator_list)
    for number, (prefix, parameter, default) in enumerate(parameters_of(node)):
        if number == 0 and is_method and not is_static and parameter.arg in {"self", "cls", "mcs"}:
            continue
        kind = _annotation(parameter.annotation)
        if prefix:
            fact = "Further positional values." if prefix == "*" else "Further named values."
        else:
            fact = f"Default {text_of(default)}." if default else "Required."
        yield Entry(f"{prefix}{parameter.arg}", kind, fact)


def _result(node: FunctionNode, *, is_property: bool) -> Entry | None:
    annotation = _annotation(node.returns)
    nodes = list(own_nodes(node))
    if any(isinstance(item, ast.Yield | ast.YieldFrom) for item in nodes):
        return Entry("Yields", _item_of(annotation), "Values, one at a time.")
    if is_property and annotation:
        return None  # a reader takes a property for a value, and the annotation says which
    if annotation in _NOTHING:
        return None
    given = [item.value for item in nodes if isinstance(item, ast.Return) and item.value]
    texts = list(dict.fromkeys(text_of(item) for item in given))
    shown = [text for text in texts if len(text) <= _LONGEST_EXPRESSION and "`" not in text]
    if texts and len(shown) == len(texts) <= _RETURNS_SHOWN:
        return Entry("Returns", annotation, f"{' or '.join(f'`{text}`' for text in texts)}.")
    if annotation:
        return Entry("Returns", annotation, "The result.")
    return Entry("Returns", "", "A value; its type is not annotated.") if given else None


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


def _when(raised: Raised) -> str:
    if not raised.when or len(raised.when) > _RETURNS_SHOWN:
        return "Raised here."
    text = ", or ".join(raised.when).replace("again", "raised again")
    return f"{text[:1].upper()}{text[1:]}."


def _sentence(name: str) -> str:
    words = _WORDS.findall(name) or [name]
    sentence = " ".join(word if word.isupper() else word.lower() for word in words)
    return sentence[:1].upper() + sentence[1:]
