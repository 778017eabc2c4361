"""Signatures, parameters and other facts a function states about itself."""

import ast
from collections.abc import Iterator

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
Definition = ast.Module | ast.ClassDef | FunctionNode

MODULE = 0
"""The place of a module. Any other definition has the line of its `def` or `class`."""

_MAX_CHARACTERS = 300


def text_of(node: ast.AST) -> str:
    """Return `node` as source on one line, or `…` where it is too deep or too long."""
    try:
        text = " ".join(ast.unparse(node).split())
    except (RecursionError, ValueError):
        return "…"
    return text if len(text) <= _MAX_CHARACTERS else text[: _MAX_CHARACTERS - 1] + "…"


def signature_of(node: ast.ClassDef | FunctionNode) -> str:
    """Return `(a, b: int = 1) -> str` of a function, `(Base)` of a class."""
    if isinstance(node, ast.ClassDef):
        return f"({', '.join(text_of(base) for base in node.bases)})" if node.bases else ""
    returns = f" -> {text_of(node.returns)}" if node.returns else ""
    return f"({text_of(node.args)}){returns}"


def parameters_of(node: FunctionNode) -> Iterator[tuple[str, ast.arg, ast.expr | None]]:
    """Yield (prefix, parameter, default) in the order of the signature.

    The prefix is `*` or `**` for parameters that collect, else empty.
    """
    args = node.args
    plain = [*args.posonlyargs, *args.args]
    missing: list[ast.expr | None] = [None] * (len(plain) - len(args.defaults))
    for arg, default in zip(plain, missing + list(args.defaults), strict=True):
        yield "", arg, default
    if args.vararg:
        yield "*", args.vararg, None
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        yield "", arg, default
    if args.kwarg:
        yield "**", args.kwarg, None


def own_nodes(node: FunctionNode) -> Iterator[ast.AST]:
    """Yield the nodes of a body, without those of functions and classes inside it."""
    pending: list[ast.AST] = list(reversed(node.body))
    while pending:
        current = pending.pop()
        yield current
        if not isinstance(current, FunctionNode | ast.ClassDef | ast.Lambda):
            pending.extend(reversed(list(ast.iter_child_nodes(current))))
