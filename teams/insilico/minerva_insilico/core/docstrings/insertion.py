"""Insert docstrings into a source and keep every other character of it.

What comes out parses to the same tree without its docstrings, or it does not
come out: `insert` compares both trees.
"""

import ast
import re
from collections.abc import Mapping
from typing import Any

import libcst as cst

from minerva_insilico.core.facts.signature import MODULE, FunctionNode

_TYPE_COMMENT = re.compile(r"#\s*type:")


class InsertionError(Exception):
    """Docstrings cannot be inserted without changing what the source means."""


def insert(source: bytes, docstrings: Mapping[int, str]) -> bytes:
    """Return `source` with a docstring in each of the places.

    Raises:
        InsertionError: the result would not be the same program.
    """
    tree = ast.parse(source)
    try:
        module = cst.parse_module(source)
    except cst.ParserSyntaxError as error:
        message = "its formatting cannot be kept"
        raise InsertionError(message) from error
    places = [node.lineno for node in definitions(tree)]
    inserter = _Inserter(module, places, docstrings)
    after = module.visit(inserter).bytes
    if inserter.visit_count != len(places) or _bare(after) != _bare(source):
        message = "its meaning would change"
        raise InsertionError(message)
    return after


def definitions(tree: ast.Module) -> list[ast.ClassDef | FunctionNode]:
    """Return the classes and functions in the order of their lines: one a line, at most."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef | FunctionNode)]
    return sorted(found, key=lambda node: node.lineno)


def _bare(source: bytes) -> str:
    """Dump a tree without its docstrings, with its type comments where they are valid."""
    try:
        tree = ast.parse(source, type_comments=True)
    except SyntaxError:
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError) as error:
            raise InsertionError(str(error)) from error
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | FunctionNode)
            and ast.get_docstring(node, clean=False) is not None
        ):
            del node.body[0]
    for ignored in tree.type_ignores:
        ignored.lineno = 0  # lines move; the ignored types do not
    return ast.dump(tree)


class _Inserter(cst.CSTTransformer):
    """Put docstrings into definitions, counted in the order of the source."""

    def __init__(
        self, module: cst.Module, places: list[int], docstrings: Mapping[int, str]
    ) -> None:
        super().__init__()
        self.module, self.places, self.docstrings = module, places, docstrings
        self.visit_count = 0
        self._open: list[int] = []
        self._indents: list[str] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Note which definition this is, and how deep its block stands."""
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            place = self.places[self.visit_count] if self.visit_count < len(self.places) else -1
            self._open.append(place)
            self.visit_count += 1
        elif isinstance(node, cst.IndentedBlock):
            self._indents.append(self._indent_of(node))
        return True

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        """Give a definition its docstring: the nodes inside have theirs."""
        if isinstance(original_node, cst.IndentedBlock):
            self._indents.pop()
        elif isinstance(original_node, cst.Module):
            return self._documented_module(updated_node)
        elif isinstance(original_node, cst.FunctionDef | cst.ClassDef):
            text = self.docstrings.get(self._open.pop())
            if text is not None:
                gap = isinstance(original_node, cst.ClassDef)
                body = self._with_docstring(updated_node.body, text, gap=gap)
                return updated_node.with_changes(body=body)
        return updated_node

    def _documented_module(self, module: cst.Module) -> cst.Module:
        text = self.docstrings.get(MODULE)
        if text is None:
            return module
        line, statements = self._line(text, ""), list(module.body)
        if statements and _is_empty_docstring(statements[0]):
            return module.with_changes(body=[line, *statements[1:]])
        # PEP 8: two empty lines above a function or class of a module, else one.
        first = [
            _after_gap(item, 1 + isinstance(item, cst.FunctionDef | cst.ClassDef))
            for item in statements[:1]
        ]
        return module.with_changes(body=[line, *first, *statements[1:]])

    def _indent_of(self, block: cst.IndentedBlock) -> str:
        return self.module.default_indent if block.indent is None else block.indent

    def _with_docstring(self, body: cst.BaseSuite, text: str, *, gap: bool) -> cst.BaseSuite:
        outside = "".join(self._indents)
        if not isinstance(body, cst.IndentedBlock):
            assert isinstance(body, cst.SimpleStatementSuite)  # noqa: S101 - there are two kinds
            line = self._line(text, outside + self.module.default_indent)
            rest = cst.SimpleStatementLine(body.body, trailing_whitespace=body.trailing_whitespace)
            return cst.IndentedBlock([line, *([] if _is_empty_docstring(rest) else [rest])])
        line = self._line(text, outside + self._indent_of(body))
        first, *others = body.body
        if _is_empty_docstring(first):
            return body.with_changes(body=[line, *others])
        typed, plain = _split_comments(first)
        first = first.with_changes(leading_lines=plain)
        first = _after_gap(first, 1) if gap else first
        return body.with_changes(body=[line.with_changes(leading_lines=typed), first, *others])

    def _line(self, text: str, indent: str) -> cst.SimpleStatementLine:
        literal = _literal(text, indent, self.module.default_newline)
        return cst.SimpleStatementLine([cst.Expr(cst.SimpleString(literal))])


def _literal(text: str, indent: str, newline: str) -> str:
    safe = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    first, *rest = safe.split("\n")
    if not rest:
        end = "\\" + first[-1] if first.endswith('"') else first[-1:]
        return f'"""{first[:-1]}{end}"""'
    lines = [f'"""{first}', *(f"{indent}{line}" if line else "" for line in rest), f'{indent}"""']
    return newline.join(lines)


def _is_empty_docstring(statement: cst.BaseStatement) -> bool:
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return False
    small = statement.body[0]
    if not isinstance(small, cst.Expr):
        return False
    value = small.value
    if not isinstance(value, cst.SimpleString | cst.ConcatenatedString):
        return False
    text = value.evaluated_value
    return isinstance(text, str) and not text.strip()


def _split_comments(
    statement: cst.BaseStatement,
) -> tuple[list[cst.EmptyLine], list[cst.EmptyLine]]:
    """Return the type comment of a signature, and the other lines above a statement."""
    lines: list[cst.EmptyLine] = list(getattr(statement, "leading_lines", ()))
    typed = [line for line in lines[:1] if line.comment and _TYPE_COMMENT.match(line.comment.value)]
    return typed, lines[len(typed) :]


def _after_gap(statement: cst.BaseStatement, minimum: int) -> cst.BaseStatement:
    """Return a statement with at least so many empty lines above it and its comments."""
    lines: list[cst.EmptyLine] = list(getattr(statement, "leading_lines", ()))
    there = next((n for n, line in enumerate(lines) if line.comment), len(lines))
    missing = [cst.EmptyLine(indent=False)] * max(0, minimum - there)
    return statement.with_changes(leading_lines=[*missing, *lines])
