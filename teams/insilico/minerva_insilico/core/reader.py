"""Read one module: a single pass over its tree, without recursion.

Recursion would make the depth of somebody's source our crash. Every handler
returns the nodes to visit next, each with the frame it stands in.
"""

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from minerva_insilico.core.facts import Call, Facts
from minerva_insilico.core.scope import UNPROVEN, Scope, inside, join, relative_target
from minerva_insilico.core.signature import FunctionNode, parameters_of
from minerva_insilico.core.sink import Sink, flowing_parts, makes_logger, name_chain, sink_of
from minerva_insilico.core.sql import HOLE, read_statement, words_of

_NEWLINE = re.compile("\r\n|\r|\n")
_KEY_METHODS = frozenset({"get", "pop", "setdefault"})
_ATTRIBUTE_FUNCTIONS = frozenset({"delattr", "getattr", "hasattr", "setattr"})
_LOOKUP = re.compile(r"[-+]?([^\W\d]\w*(?:\.[^\W\d]\w*)*)")


class Frame(NamedTuple):
    """Where a node stands."""

    symbol: int
    scope: Scope
    counted: int | None
    """The symbol whose complexity grows here; None in decorators and assertions."""
    sink: Sink | None = None


Pending = list[tuple[ast.AST, Frame]]


def split_lines(text: str) -> list[str]:
    """Split as Python counts lines: not at form feeds or Unicode separators."""
    return _NEWLINE.split(text)


def module_parts(path: str) -> tuple[str, ...]:
    """Return `("pkg", "a")` for `pkg/a.py`, `("pkg",)` for `pkg/__init__.py`."""
    *folders, name = path.removesuffix(".py").split("/")
    return tuple(folders) if name == "__init__" else (*folders, name)


def read_module(tree: ast.Module, *, text: str, path: str) -> dict[str, Any]:
    """Return the rows of facts in a parsed module."""
    return _Reader(text, path).read(tree).rows()


class _Reader:
    def __init__(self, text: str, path: str) -> None:
        self.source = split_lines(text)
        self.module = module_parts(path)
        self.package = self.module if path.endswith("__init__.py") else self.module[:-1]
        self.facts = Facts(lines=len(self.source) - (self.source[-1] == ""))
        self.loggers: set[str] = set()
        self.imported: dict[str, str] = {}
        self._line_words: dict[int, frozenset[str]] = {}

    def read(self, tree: ast.Module) -> Facts:
        scope = Scope()
        number = self.facts.define(tree, qualname="", kind="module", owner=-1)
        pending: Pending = _body(tree, Frame(number, scope, number))[::-1]
        while pending:
            node, frame = pending.pop()
            handler = _HANDLERS.get(type(node))
            found = handler(self, node, frame) if handler else _children(node, frame)
            pending.extend(reversed(found))
        return self.facts

    def count(self, frame: Frame, points: int) -> None:
        if frame.counted is not None:
            self.facts.symbols[frame.counted].complexity += points

    # definitions

    def define(self, node: ast.ClassDef | FunctionNode, frame: Frame, kind: str) -> Frame:
        above = self.facts.symbols[frame.symbol].qualname
        qualname = f"{above}.{node.name}" if above else node.name
        number = self.facts.define(node, qualname=qualname, kind=kind, owner=frame.symbol)
        frame.scope.bind(node.name, inside(*self.module, qualname))
        return Frame(number, Scope(frame.scope, is_class=kind == "class"), number)

    def function(self, node: FunctionNode, frame: Frame) -> Pending:
        inner = self.define(node, frame, "method" if frame.scope.is_class else "function")
        outside = frame._replace(counted=None, sink=None)
        for _, parameter, _ in parameters_of(node):
            inner.scope.bind(parameter.arg)
        return [
            *((item, outside) for item in node.decorator_list),
            (node.args, outside),
            *([(node.returns, outside)] if node.returns else []),
            *_body(node, inner),
        ]

    def class_(self, node: ast.ClassDef, frame: Frame) -> Pending:
        inner = self.define(node, frame, "class")
        outside = frame._replace(counted=None, sink=None)
        around = [*node.decorator_list, *node.bases, *(item.value for item in node.keywords)]
        return [*((item, outside) for item in around), *_body(node, inner)]

    def lambda_(self, node: ast.Lambda, frame: Frame) -> Pending:
        scope = Scope(frame.scope)
        named = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        for parameter in (*named, node.args.vararg, node.args.kwarg):
            if parameter:
                scope.bind(parameter.arg)
        quiet = frame._replace(sink=None)
        return [(node.args, quiet), (node.body, quiet._replace(scope=scope))]

    # bindings

    def import_(self, node: ast.Import, frame: Frame) -> Pending:
        for alias in node.names:
            bound = alias.asname or alias.name.partition(".")[0]
            target = alias.name if alias.asname else bound
            self._bind_import(frame, bound, target)
            self.facts.imports.append((node.lineno, alias.name, "", bound, target))
        return []

    def import_from(self, node: ast.ImportFrom, frame: Frame) -> Pending:
        if node.level:
            base = relative_target(self.package, node.level, node.module)
        else:
            base = node.module
        for alias in node.names:
            if alias.name == "*":
                frame.scope.module.has_star = True
            bound = alias.asname or alias.name
            target = join(base, alias.name) if base and alias.name != "*" else UNPROVEN
            self._bind_import(frame, bound, target)
            written = base or "." * node.level + (node.module or "")
            self.facts.imports.append((node.lineno, written, alias.name, bound, target))
        return []

    def _bind_import(self, frame: Frame, bound: str, target: str) -> None:
        frame.scope.bind(bound, target)
        self.imported[bound] = target

    def name(self, node: ast.Name, frame: Frame) -> Pending:
        if not isinstance(node.ctx, ast.Load):
            frame.scope.bind(node.id)
        elif frame.sink:
            self.facts.use(node.id, "name", node.lineno, frame.symbol, sink=frame.sink)
        return []

    def declare(self, node: ast.Global | ast.Nonlocal, frame: Frame) -> Pending:
        frame.scope.declare(node.names)
        return []

    def handler(self, node: ast.ExceptHandler, frame: Frame) -> Pending:
        if node.name:
            frame.scope.bind(node.name)
        return _children(node, frame)

    def pattern(self, node: ast.MatchAs | ast.MatchStar, frame: Frame) -> Pending:
        if node.name:
            frame.scope.bind(node.name)
        return _children(node, frame)

    def class_pattern(self, node: ast.MatchClass, frame: Frame) -> Pending:
        for name in node.kwd_attrs:
            self.facts.use(name, "attribute", node.lineno, frame.symbol)
        return _children(node, frame)

    def mapping_pattern(self, node: ast.MatchMapping, frame: Frame) -> Pending:
        if node.rest:
            frame.scope.bind(node.rest)
        rest = [(item, frame) for item in node.patterns]
        return [*self._keys(node.keys, frame), *rest]

    # uses

    def assign(self, node: ast.Assign | ast.AnnAssign, frame: Frame) -> Pending:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            if makes_logger(node.value):
                self.loggers.update(name_chain(target)[-1:])
            if isinstance(target, ast.Name) and frame.scope.is_class:
                self.facts.use(target.id, "attribute", target.lineno, frame.symbol)
        return _children(node, frame)

    def attribute(self, node: ast.Attribute, frame: Frame) -> Pending:
        line = node.end_lineno or node.lineno
        self.facts.use(node.attr, "attribute", line, frame.symbol, sink=frame.sink)
        return [(node.value, frame._replace(sink=None))]

    def subscript(self, node: ast.Subscript, frame: Frame) -> Pending:
        keys = node.slice.elts if isinstance(node.slice, ast.List | ast.Tuple) else [node.slice]
        value: Pending = [(node.value, frame._replace(sink=None))]
        return [*value, *self._keys(keys, frame)]

    def dict_(self, node: ast.Dict, frame: Frame) -> Pending:
        keys = self._keys([key for key in node.keys if key is not None], frame)
        return [*keys, *((value, frame) for value in node.values)]

    def _keys(self, keys: Iterable[ast.expr], frame: Frame) -> Pending:
        """Note the keys that are plain text; return the others."""
        others: Pending = []
        for key in keys:
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                self.facts.use(key.value, "dict_key", key.lineno, frame.symbol, sink=frame.sink)
            else:
                others.append((key, frame))
        return others

    def call(self, node: ast.Call, frame: Frame) -> Pending:
        function = node.func
        chain = name_chain(function)
        name = function.attr if isinstance(function, ast.Attribute) else "".join(chain[-1:])
        if name:
            line = function.end_lineno or node.lineno
            self.facts.calls.append(Call(line, frame.symbol, name, chain, frame.scope))
        sink = sink_of(node, self.loggers, self.imported)
        flowing = {id(part) for part in flowing_parts(node)} if frame.sink else set[int]()
        quiet = frame._replace(sink=sink)

        def framed(part: ast.expr) -> tuple[ast.AST, Frame]:
            return part, (frame if id(part) in flowing and not sink else quiet)

        for keyword in node.keywords:
            for part in (keyword.arg or "").split("__"):
                self.facts.use(part, "keyword", keyword.value.lineno, frame.symbol, sink=sink)
        if isinstance(function, ast.Attribute):
            owner = [framed(function.value)]
        else:
            owner = [] if isinstance(function, ast.Name) else [framed(function)]
        arguments = self._literal_names(name, node.args, frame)
        return [*owner, *map(framed, arguments), *(framed(item.value) for item in node.keywords)]

    def _literal_names(
        self, function: str, arguments: Sequence[ast.expr], frame: Frame
    ) -> Sequence[ast.expr]:
        """Note keys and attributes passed as text; return the arguments left."""
        if function in _KEY_METHODS:
            return [item for item, _ in self._keys(arguments[:1], frame)] + list(arguments[1:])
        if function == "itemgetter":
            return [item for item, _ in self._keys(arguments, frame)]
        if function in _ATTRIBUTE_FUNCTIONS and len(arguments) > 1:
            key = arguments[1]
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                self.facts.use(
                    key.value, "attribute", key.lineno, frame.symbol, sink=frame.sink
                )
                return [arguments[0], *arguments[2:]]
        return arguments

    # text

    def constant(self, node: ast.Constant, frame: Frame) -> Pending:
        if not isinstance(node.value, str) or self.statement(node.value, node, frame):
            return []
        match = _LOOKUP.fullmatch(node.value) if len(node.value) <= 80 else None  # noqa: PLR2004
        for part in match.group(1).replace(".", "__").split("__") if match else ():
            self.facts.use(part, "string", node.lineno, frame.symbol)
        return []

    def joined(self, node: ast.JoinedStr, frame: Frame) -> Pending:
        self.statement(_joined_text(node), node, frame)
        return [(part, frame) for part in node.values if isinstance(part, ast.FormattedValue)]

    def sum_(self, node: ast.BinOp, frame: Frame) -> Pending:
        """Read `"SELECT … " + columns + " FROM …"` as one statement."""
        if not isinstance(node.op, ast.Add):
            return _children(node, frame)
        leaves: list[ast.expr] = []
        current: ast.expr = node
        while isinstance(current, ast.BinOp) and isinstance(current.op, ast.Add):
            leaves.append(current.right)
            current = current.left
        leaves = [current, *reversed(leaves)]
        texts = [_literal_text(leaf) for leaf in leaves]
        written = "".join(HOLE if text is None else text for text in texts)
        if any(texts) and self.statement(written, node, frame):
            rest = [leaf for leaf in leaves if not isinstance(leaf, ast.Constant)]
            return [(leaf, frame) for leaf in rest]
        return [(leaf, frame) for leaf in leaves]

    def statement(self, text: str, node: ast.expr, frame: Frame) -> bool:
        """Note the columns of a literal that is SQL, each on the lines it stands on."""
        found = read_statement(text)
        if found is None:
            return False
        tables = " ".join(found.tables)
        numbers = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        for column in found.columns:
            folded = column.lower()
            lines = [number for number in numbers if folded in self._words(number)]
            for line in lines or [node.lineno]:
                self.facts.use(column, "sql_string", line, frame.symbol, tables=tables)
        return True

    def _words(self, number: int) -> frozenset[str]:
        if number not in self._line_words:
            line = self.source[number - 1] if number <= len(self.source) else ""
            self._line_words[number] = frozenset(word.lower() for word in words_of(line))
        return self._line_words[number]

    # complexity, by the rule of radon 6

    def branch(self, node: ast.If, frame: Frame) -> Pending:
        self.count(frame, 1)
        return _children(node, frame)

    def choice(self, node: ast.IfExp, frame: Frame) -> Pending:
        self.count(frame, 1)
        test: Pending = [(node.test, frame._replace(sink=None))]
        return [*test, (node.body, frame), (node.orelse, frame)]

    def loop(self, node: ast.For | ast.AsyncFor | ast.While, frame: Frame) -> Pending:
        self.count(frame, 1 + bool(node.orelse))
        return _children(node, frame)

    def try_(self, node: ast.Try, frame: Frame) -> Pending:
        self.count(frame, len(node.handlers) + len(node.orelse))
        return _children(node, frame)

    def both(self, node: ast.BoolOp, frame: Frame) -> Pending:
        self.count(frame, len(node.values) - 1)
        return _children(node, frame)

    def compare(self, node: ast.Compare, frame: Frame) -> Pending:
        return _children(node, frame._replace(sink=None))

    def assertion(self, node: ast.Assert, frame: Frame) -> Pending:
        self.count(frame, 1)
        return _children(node, frame._replace(counted=None))

    def comprehension(
        self,
        node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp,
        frame: Frame,
    ) -> Pending:
        inner = frame._replace(scope=Scope(frame.scope))
        found: Pending = []
        for generator in node.generators:
            self.count(frame, len(generator.ifs) + 1)
            found.extend(_children(generator, inner._replace(sink=None)))
        shown = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        return [*found, *((item, inner) for item in shown)]


_UNVISITED = frozenset({"ctx", "op", "ops", "type_comment", "type_ignores", "kind"})
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}


def _children(node: ast.AST, frame: Frame) -> Pending:
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
            found.extend((item, frame) for item in value if isinstance(item, ast.AST))
    return found


def _body(node: ast.Module | ast.ClassDef | FunctionNode, frame: Frame) -> Pending:
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


def _joined_text(node: ast.JoinedStr) -> str:
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else HOLE for part in node.values
    )


def _literal_text(node: ast.expr) -> str | None:
    if isinstance(node, ast.JoinedStr):
        return _joined_text(node)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


_HANDLERS: dict[type[ast.AST], Callable[[_Reader, Any, Frame], Pending]] = {
    ast.AnnAssign: _Reader.assign,
    ast.Assert: _Reader.assertion,
    ast.Assign: _Reader.assign,
    ast.AsyncFor: _Reader.loop,
    ast.AsyncFunctionDef: _Reader.function,
    ast.Attribute: _Reader.attribute,
    ast.BinOp: _Reader.sum_,
    ast.BoolOp: _Reader.both,
    ast.Call: _Reader.call,
    ast.ClassDef: _Reader.class_,
    ast.Compare: _Reader.compare,
    ast.Constant: _Reader.constant,
    ast.Dict: _Reader.dict_,
    ast.DictComp: _Reader.comprehension,
    ast.ExceptHandler: _Reader.handler,
    ast.For: _Reader.loop,
    ast.FunctionDef: _Reader.function,
    ast.GeneratorExp: _Reader.comprehension,
    ast.Global: _Reader.declare,
    ast.If: _Reader.branch,
    ast.IfExp: _Reader.choice,
    ast.Import: _Reader.import_,
    ast.ImportFrom: _Reader.import_from,
    ast.JoinedStr: _Reader.joined,
    ast.Lambda: _Reader.lambda_,
    ast.ListComp: _Reader.comprehension,
    ast.MatchAs: _Reader.pattern,
    ast.MatchClass: _Reader.class_pattern,
    ast.MatchMapping: _Reader.mapping_pattern,
    ast.MatchStar: _Reader.pattern,
    ast.Name: _Reader.name,
    ast.Nonlocal: _Reader.declare,
    ast.SetComp: _Reader.comprehension,
    ast.Subscript: _Reader.subscript,
    ast.Try: _Reader.try_,
    ast.While: _Reader.loop,
}
