"""Where a visit of a module stands: its frame, what it found, and what is left to visit.

The visit keeps its own stack, because recursion would make the depth of
somebody's source our crash.
"""

import ast
import re
from collections.abc import Callable
from typing import Any, NamedTuple, cast

from minerva_insilico.core.facts.facts import Call, Facts, Guard
from minerva_insilico.core.facts.field_owner import Owner
from minerva_insilico.core.facts.log_calls import callee_name
from minerva_insilico.core.facts.signature import Definition
from minerva_insilico.core.facts.vocabulary import services
from minerva_insilico.core.flows.assignments import TOP
from minerva_insilico.core.flows.tracer import Function, Returns
from minerva_insilico.core.visitors.scope import Scope

_NEWLINE = re.compile("\r\n|\r|\n")


class Frame(NamedTuple):
    """Where a node stands."""

    symbol: int
    scope: Scope
    complexity_symbol: int | None
    """The symbol whose complexity grows here; None in decorators and assertions."""
    guard: Guard = ""
    fields: Owner | None = None
    """The owner of the fields named here: of a query, or of a list such as `ordering`."""
    is_named: bool = False
    """True if a literal here is the name of a field."""
    block: int = TOP
    """The branch around; what is assigned in one may not be assigned at all."""


Pending = list[tuple[ast.AST, Frame]]


def split_lines(text: str) -> list[str]:
    """Split as Python counts lines: not at form feeds or Unicode separators."""
    return _NEWLINE.split(text) if "\r" in text else text.split("\n")


def module_parts(path: str) -> tuple[str, ...]:
    """Return `("pkg", "a")` for `pkg/a.py`, `("pkg",)` for `pkg/__init__.py`."""
    *folders, name = path.removesuffix(".pyi").removesuffix(".py").split("/")
    return tuple(folders) if name == "__init__" else (*folders, name)


class Walk:
    """The visit of one module."""

    def __init__(self, text: str, path: str) -> None:
        self.source = split_lines(text)
        self.module = module_parts(path)
        self.package = (
            self.module if path.endswith(("__init__.py", "__init__.pyi")) else self.module[:-1]
        )
        self.facts = Facts(lines=len(self.source) - (self.source[-1] == ""))
        self.loggers: set[str] = set()
        """Names that were assigned from `getLogger`."""
        self.import_targets: dict[str, str] = {}
        """The target of each imported name."""
        self.outline_names: set[tuple[str, str]] = set()
        """Class and name of the attributes that are noted already."""
        self.copy_owners: dict[int, Owner] = {}
        """The owner of the field that a key is copied to, by the identity of its node."""
        self.aliases: dict[str, set[str]] = {}
        """The tables which the module's SQL gives a short name."""
        self._imports_seen, self._has_service = 0, False
        self.later: list[tuple[str, Callable[..., object], Callable[[], object]]] = []
        """Short name, what to note if it is known when the module was read, and what if not."""

        self.functions: dict[str, Function] = {}
        """The functions by their binding."""
        self.returns: Returns = {}
        self.views: set[str] = set()
        """The bindings of functions that answer a request with what they return."""
        self.outlets: list[tuple[ast.expr | ast.stmt, Scope, int]] = []
        """What may let a value out, with its scope and symbol."""
        self.blocks = TOP
        self.asked: dict[int, bool] = {}
        """Lines whose calls are asked for, with what they are given."""
        self.calls: list[tuple[ast.Call, Scope, int]] = []

    @property
    def has_service(self) -> bool:
        """True if the module imports a library that talks to one service."""
        if self._imports_seen != len(self.import_targets):
            self._imports_seen = len(self.import_targets)
            roots = {target.partition(".")[0] for target in self.import_targets.values()}
            self._has_service = not roots.isdisjoint(services())
        return self._has_service

    def branch(self, frame: Frame) -> Frame:
        """Return the frame of a branch."""
        self.blocks += 1
        return frame._replace(block=self.blocks)

    def count(self, frame: Frame, points: int) -> None:
        """Add to the complexity of the definition around."""
        if frame.complexity_symbol is not None:
            self.facts.symbols[frame.complexity_symbol].complexity += points

    def line(self, number: int) -> str:
        """Return a line of the source."""
        return self.source[number - 1] if number <= len(self.source) else ""


def note_call(walk: Walk, node: ast.expr, frame: Frame) -> None:
    """Note a function that something else calls: `partial`, or Python as a decorator."""
    name = callee_name(node)
    if name:
        line = node.end_lineno or node.lineno
        walk.facts.calls.append(Call(line, frame.symbol, name, node, frame.scope))


Handler = Callable[[Walk, Any, Frame], Pending]
"""Takes a node, notes its facts, and returns the nodes to visit next."""

_UNVISITED = frozenset({"ctx", "op", "ops", "type_comment", "type_ignores", "kind"})
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}


def children(node: ast.AST, frame: Frame) -> Pending:
    """Return all children of a node, in the frame of the node."""
    kind = type(node)
    fields = _FIELDS.get(kind)
    if fields is None:
        fields = _FIELDS[kind] = tuple(name for name in node._fields if name not in _UNVISITED)
    found: Pending = []
    for name in fields:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            found.append((value, frame))
        elif isinstance(value, list):
            items = cast("list[object]", value)
            found.extend((item, frame) for item in items if isinstance(item, ast.AST))
    return found


def body_of(node: Definition, frame: Frame) -> Pending:
    """Return the statements of a definition without its docstring."""
    body: list[ast.stmt] = node.body
    first = body[0] if body else None
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        body = body[1:]
    return [(item, frame) for item in body]
