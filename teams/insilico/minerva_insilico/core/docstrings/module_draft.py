"""Draft docstrings for one source from words that a model found: their look, and the patch.

Runs in the process that may be killed. Nothing is written: the answer is the new content and the
difference.
"""

import ast
import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from minerva_insilico.core.docstrings.docstyle import Style, arrange
from minerva_insilico.core.docstrings.insertion import InsertionError, definitions, insert
from minerva_insilico.core.docstrings.required_parts import describe, last_name
from minerva_insilico.core.facts.signature import MODULE, Definition, FunctionNode
from minerva_insilico.core.parsing.encoding import decode, encoding_of

NOT_ENCODABLE = "its encoding has no letters for this docstring"
DOCUMENTED = "it has a docstring"
OVERLOAD = "it is an `@overload`, whose docstring nobody sees"


@dataclass
class ModuleDraft:
    """Drafts for one source, by the place of the definition."""

    drafts: dict[int, str] = field(default_factory=dict[int, str])
    """Of the places for which words were given."""
    described: dict[int, dict[str, Any]] = field(default_factory=dict[int, dict[str, Any]])
    refused: dict[int, str] = field(default_factory=dict[int, str])
    patch: str = ""
    content: bytes = b""


def draft_module(
    source: bytes,
    path: str,
    places: Sequence[int] | None = None,
    *,
    style: Style = "google",
    words: Mapping[int, dict[str, Any]] | None = None,
) -> ModuleDraft:
    """Describe the definitions at `places` (None: all that lack a docstring).

    Those at a place of `words` get a draft that says so: see `RequiredParts.with_words`.
    """
    encoding = encoding_of(source)
    tree = ast.parse(source)
    result = ModuleDraft(content=source)
    for place, node, is_method in _find_undocumented(tree):
        if places is not None and place not in places:
            continue
        if isinstance(node, FunctionNode) and any(
            last_name(item) == "overload" for item in node.decorator_list
        ):
            result.refused[place] = OVERLOAD
            continue
        described = describe(node, is_method=is_method)
        result.described[place] = asdict(described)
        said = (words or {}).get(place)
        text = arrange(described.with_words(said), style) if said else ""
        if not _fits(text, encoding):
            result.refused[place] = NOT_ENCODABLE
        elif text:
            result.drafts[place] = text
    for place in set(places or ()) - result.described.keys() - result.refused.keys():
        result.refused[place] = DOCUMENTED
    _insert(source, path, result)
    return result


def _insert(source: bytes, path: str, result: ModuleDraft) -> None:
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
    return '"' + "".join(_escape(byte) for byte in path.encode("utf-8", "surrogateescape")) + '"'


def _escape(byte: int) -> str:
    return chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\' else f"\\{byte:03o}"  # noqa: PLR2004


def _fits(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _find_undocumented(tree: ast.Module) -> Iterator[tuple[int, Definition, bool]]:
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
