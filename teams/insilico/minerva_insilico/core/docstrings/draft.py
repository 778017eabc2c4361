"""Draft docstrings for one source: what they say, how they look, and the patch.

Runs in the process that may be killed. Nothing is written: whoever asked gets
the new content and the difference.
"""

import ast
import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from minerva_insilico.core.docstrings.described import Described, describe
from minerva_insilico.core.docstrings.docstyle import Style, arrange
from minerva_insilico.core.docstrings.insertion import MODULE, InsertionError, definitions, insert
from minerva_insilico.core.facts.signature import Definition, FunctionNode
from minerva_insilico.core.parsing.encoding import decode, encoding_of

NOT_ENCODABLE = "its encoding has no letters for this docstring"
DOCUMENTED = "it has a docstring"


@dataclass
class Drafted:
    """Drafts for one source, by the place of the definition."""

    drafts: dict[int, str] = field(default_factory=dict[int, str])
    described: dict[int, dict[str, Any]] = field(default_factory=dict[int, dict[str, Any]])
    refused: dict[int, str] = field(default_factory=dict[int, str])
    patch: str = ""
    content: bytes = b""


def draft_module(
    source: bytes,
    path: str,
    wanted: Sequence[int] | None = None,
    *,
    style: Style = "google",
    words: Mapping[int, dict[str, Any]] | None = None,
) -> Drafted:
    """Draft for the definitions at the `wanted` places; None = all that lack a docstring.

    `words` replaces what a template would say, by place: see `Described.said`.
    """
    encoding = encoding_of(source)
    tree = ast.parse(source)
    result = Drafted(content=source)
    for place, node, is_method in _undocumented(tree):
        if wanted is not None and place not in wanted:
            continue
        described = _said(describe(node, path, is_method=is_method), (words or {}).get(place))
        text = arrange(described, style)
        if _fits(text, encoding):
            result.drafts[place], result.described[place] = text, asdict(described)
        else:
            result.refused[place] = NOT_ENCODABLE
    for place in set(wanted or ()) - result.drafts.keys() - result.refused.keys():
        result.refused[place] = DOCUMENTED
    _insert(source, path, result)
    return result


def _insert(source: bytes, path: str, result: Drafted) -> None:
    if not result.drafts:
        return
    try:
        result.content = insert(source, result.drafts)
    except InsertionError as error:
        result.refused.update(dict.fromkeys(result.drafts, str(error)))
        result.drafts.clear()
        return
    result.patch = unified(decode(source), decode(result.content), path)


def unified(before: str, after: str, path: str) -> str:
    """Return the difference as `git apply` takes it, line ends included."""
    names = _name(f"a/{path}"), _name(f"b/{path}")
    diff = difflib.unified_diff(_lines(before), _lines(after), *names)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in diff
    )


def _lines(text: str) -> list[str]:
    """Split as git does: a carriage return is a character of its line."""
    *whole, last = text.split("\n")
    return [f"{line}\n" for line in whole] + ([last] if last else [])


def _name(path: str) -> str:
    """Return a path as git writes it: a name with control characters forges no line."""
    if path.isprintable() and not set(path) & {'"', "\\"}:
        return path
    return '"' + "".join(_escaped(byte) for byte in path.encode("utf-8", "surrogateescape")) + '"'


def _escaped(byte: int) -> str:
    return chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\' else f"\\{byte:03o}"  # noqa: PLR2004


def _said(described: Described, words: dict[str, Any] | None) -> Described:
    return described.said(words) if words else described


def _fits(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _undocumented(tree: ast.Module) -> Iterator[tuple[int, Definition, bool]]:
    if not _is_documented(tree):
        yield MODULE, tree, False
    methods = {
        child.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for child in _own(node)
    }
    for node in definitions(tree):
        if not _is_documented(node):
            yield node.lineno, node, node.lineno in methods


def _own(node: ast.ClassDef) -> Iterator[FunctionNode]:
    """Yield the methods of a class, those under an `if` of its body included."""
    pending: list[ast.AST] = list(node.body)
    while pending:
        current = pending.pop()
        if isinstance(current, FunctionNode):
            yield current
        elif not isinstance(current, ast.ClassDef | ast.expr):
            pending.extend(ast.iter_child_nodes(current))


def _is_documented(node: Definition) -> bool:
    return bool((ast.get_docstring(node) or "").strip())
