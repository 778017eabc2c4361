"""Docstring drafts that state only what the signature proves, as a patched text.

A draft is offered only if the patched module parses to the same tree without
its docstrings; nothing is ever written to the file.
"""

import ast
import difflib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from minerva_insilico.core.signature import (
    Definition,
    FunctionNode,
    own_nodes,
    parameters_of,
    raised_by,
    text_of,
)
from minerva_insilico.core.walk import module_parts, split_lines

_LISTED = 8
_HEAD_COMMENT = re.compile(r"#(?:!|.*coding[:=])")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def draft_module(
    tree: ast.Module, text: str, path: str, wanted: Sequence[str] | None
) -> dict[str, Any]:
    """Return the drafts for `wanted` qualnames (None = all that lack one) and the patch.

    `drafts` are [qualname, docstring]; `refused` are qualnames whose insertion
    would have changed the tree; `patch` is a unified diff.
    """
    chosen = [
        (qualname, node, docstring_for(node, qualname, path))
        # From the bottom, so that the line numbers above an insertion stay true.
        for qualname, node in sorted(_undocumented(tree), key=_position, reverse=True)
        if wanted is None or qualname in wanted
    ]
    before = split_lines(text)
    after, refused = _insert_all(before, chosen, bare=_bare(ast.parse(text)))
    diff = difflib.unified_diff(_ended(before), _ended(after), f"a/{path}", f"b/{path}")
    drafts = [[name, docstring] for name, _, docstring in chosen if name not in refused]
    return {"drafts": drafts[::-1], "refused": refused[::-1], "patch": "".join(map(_marked, diff))}


def _ended(lines: Sequence[str]) -> list[str]:
    """Return `lines` with their ends; only the last may lack one."""
    *whole, last = lines
    return [f"{line}\n" for line in whole] + ([last] if last else [])


def _marked(line: str) -> str:
    """Return a line of a diff, with the mark of one that has no end."""
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _insert_all(
    lines: list[str], chosen: Sequence[tuple[str, Definition, str]], *, bare: str
) -> tuple[list[str], list[str]]:
    """Insert all drafts and check once; only if the tree changed, one by one."""
    patched = lines
    for _, node, docstring in chosen:
        patched = insert(patched, node, docstring)
    if _is_same(patched, bare):
        return patched, []
    patched, refused = lines, list[str]()
    for qualname, node, docstring in chosen:
        tried = insert(patched, node, docstring)
        if _is_same(tried, bare):
            patched = tried
        else:
            refused.append(qualname)
    return patched, refused


def docstring_for(node: Definition, qualname: str, path: str) -> str:
    """Return a google-style docstring: names, annotations, defaults, raises."""
    if isinstance(node, ast.Module):
        title = " ".join(module_parts(path)[-1:]) or "package"
        return _with_members(f"Module {title}.", node)
    if isinstance(node, ast.ClassDef):
        bases = ", ".join(text_of(base) for base in node.bases)
        kind = f" ({bases})" if bases else ""
        return _with_members(f"{_sentence(node.name)}{kind}.", node)
    sections = [f"{_sentence(node.name)}."]
    arguments = list(_arguments(node, is_method="." in qualname))
    if arguments:
        sections.append("Args:\n" + "\n".join(f"    {line}" for line in arguments))
    returned = _returned(node)
    if returned:
        sections.append(returned)
    raised = raised_by(node)
    if raised:
        sections.append("Raises:\n" + "\n".join(f"    {name}: Raised here." for name in raised))
    return "\n\n".join(sections)


def insert(lines: Sequence[str], node: Definition, docstring: str) -> list[str]:
    """Return `lines` with `docstring` as the first statement of `node`."""
    if isinstance(node, ast.Module):
        head = 0
        while head < min(2, len(lines)) and _HEAD_COMMENT.match(lines[head]):
            head += 1
        gap = [""] if any(line.strip() for line in lines[head:]) else []
        return [*lines[:head], *_quoted(docstring, ""), *gap, *lines[head:]]
    first = node.body[0]
    start = min([first.lineno, *(item.lineno for item in getattr(first, "decorator_list", []))])
    line = lines[start - 1]
    column = len(line.encode()[: first.col_offset].decode(errors="ignore"))
    before, after = line[:column], line[column:]
    if not before.strip():  # the body begins on a line of its own
        return [*lines[: start - 1], *_quoted(docstring, before), *lines[start - 1 :]]
    indent = _indent(lines[node.lineno - 1]) + "    "
    opened = [before.rstrip(), *_quoted(docstring, indent), indent + after]
    return [*lines[: start - 1], *opened, *lines[start:]]


def _undocumented(tree: ast.Module) -> Iterator[tuple[str, Definition]]:
    pending: list[tuple[str, ast.AST]] = [("", tree)]
    while pending:
        qualname, node = pending.pop()
        if isinstance(node, ast.Module | ast.ClassDef | FunctionNode) and not _is_documented(node):
            yield qualname, node
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef | FunctionNode):
                name = f"{qualname}.{child.name}" if qualname else child.name
                pending.append((name, child))
            else:
                pending.append((qualname, child))


def _is_documented(node: Definition) -> bool:
    return bool((ast.get_docstring(node) or "").strip())


def _position(item: tuple[str, Definition]) -> tuple[int, int]:
    node = item[1]
    return (0, 0) if isinstance(node, ast.Module) else (node.lineno, node.col_offset)


def _arguments(node: FunctionNode, *, is_method: bool) -> Iterator[str]:
    is_static = any(text_of(item) == "staticmethod" for item in node.decorator_list)
    for number, (prefix, parameter, default) in enumerate(parameters_of(node)):
        if number == 0 and is_method and not is_static and parameter.arg in {"self", "cls"}:
            continue
        kind = f" ({text_of(parameter.annotation)})" if parameter.annotation else ""
        if prefix:
            fact = "Further positional values." if prefix == "*" else "Further named values."
        else:
            fact = f"Default {text_of(default)}." if default else "Required."
        yield f"{prefix}{parameter.arg}{kind}: {fact}"


def _returned(node: FunctionNode) -> str:
    nodes = list(own_nodes(node))
    if any(isinstance(item, ast.Yield | ast.YieldFrom) for item in nodes):
        kind = text_of(node.returns) if node.returns else "Values, one at a time"
        return f"Yields:\n    {kind}."
    if node.returns:
        kind = text_of(node.returns)
        return "" if kind == "None" else f"Returns:\n    {kind}."
    gives = any(isinstance(item, ast.Return) and item.value is not None for item in nodes)
    return "Returns:\n    A value; its type is not annotated." if gives else ""


def _with_members(summary: str, node: ast.Module | ast.ClassDef) -> str:
    members = [item.name for item in node.body if isinstance(item, ast.ClassDef | FunctionNode)]
    public = [name for name in members if not name.startswith("_")]
    if not public:
        return summary
    more = f" and {len(public) - _LISTED} more" if len(public) > _LISTED else ""
    return f"{summary}\n\nDefines: {', '.join(public[:_LISTED])}{more}."


def _sentence(name: str) -> str:
    words = _WORDS.findall(name) or [name]
    sentence = " ".join(word if word.isupper() else word.lower() for word in words)
    return sentence[:1].upper() + sentence[1:]


def _quoted(docstring: str, indent: str) -> list[str]:
    safe = docstring.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    body = safe.split("\n")
    if len(body) == 1:
        return [f'{indent}"""{body[0]}"""']
    rest = [f"{indent}{line}" if line else "" for line in body[1:]]
    return [f'{indent}"""{body[0]}', *rest, f'{indent}"""']


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _bare(tree: ast.Module) -> str:
    """Dump a tree without its docstrings."""
    return ast.dump(_Undocumented().visit(tree))


def _is_same(lines: Sequence[str], bare: str) -> bool:
    try:
        return _bare(ast.parse("\n".join(lines))) == bare
    except (SyntaxError, ValueError):
        return False


class _Undocumented(ast.NodeTransformer):
    """Take docstrings out, so that two trees can be compared."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, ast.Module | ast.ClassDef | FunctionNode):
            has_docstring = ast.get_docstring(node, clean=False) is not None
            node.body = node.body[1:] if has_docstring else node.body
        return node
