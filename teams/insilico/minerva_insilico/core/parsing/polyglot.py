"""The definitions in languages other than Python, by their own tree-sitter grammars.

A grammar comes inside its wheel: nothing is fetched. What does not parse still has an outline,
because tree-sitter goes on behind a fault.
"""

import importlib
from collections.abc import Iterator
from functools import cache
from typing import Any

from minerva_insilico.core.facts.identifier_words import symbol_words
from minerva_insilico.core.facts.language import GRAMMARS, has_grammar

_KINDS: dict[str, str] = {
    "abstract_class_declaration": "class",
    "class_declaration": "class",
    "constructor_declaration": "method",
    "create_function": "function",
    "create_index": "index",
    "create_materialized_view": "view",
    "create_table": "table",
    "create_view": "view",
    "enum_declaration": "enum",
    "function_declaration": "function",
    "generator_function_declaration": "function",
    "interface_declaration": "interface",
    "method_declaration": "method",
    "method_definition": "method",
    "record_declaration": "class",
    "type_alias_declaration": "type",
    "type_spec": "type",
}
_FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "generator_function"})
_MAX_NAME_CHARACTERS = 200
_MAX_SIGNATURE = 200
"""Characters."""


def read_outline(source: bytes, language: str, path: str) -> dict[str, Any]:
    """Return the definitions in a source, or nothing where the grammar is not installed."""
    if not has_grammar(language):
        return {"is_parsed": 0, "outline": []}
    outline: list[list[Any]] = []
    words: list[tuple[str, str, str]] = []
    for kind, above, node, name in _definitions(_parser(language).parse(source).root_node):
        qualname = ".".join((*above, name))
        line, end = node.start_point[0] + 1, node.end_point[0] + 1
        outline.append([qualname, name, kind, line, end, _signature(node)])
        words.append(symbol_words(qualname, path, None))
    return {"is_parsed": 1, "outline": outline, "outline_words": words}


@cache
def _parser(language: str) -> Any:
    from tree_sitter import Language, Parser  # noqa: PLC0415 - an extra

    module, function = GRAMMARS[language]
    grammar: Any = getattr(importlib.import_module(module), function)()
    return Parser(Language(grammar))  # pyright: ignore[reportDeprecated]  # a capsule, or a number of old


def _definitions(root: Any) -> Iterator[tuple[str, tuple[str, ...], Any, str]]:
    """Yield (kind, names of the definitions around, node, name) in the order of the text."""
    pending: list[tuple[Any, tuple[str, ...]]] = [(root, ())]
    while pending:
        node, above = pending.pop()
        kind = _kind(node)
        name = _name(node) if kind else ""
        if kind and name:
            yield kind, above, node, name
            above = (*above, name)
        pending.extend((child, above) for child in reversed(node.named_children))


def _kind(node: Any) -> str | None:
    if node.type == "variable_declarator":
        value = node.child_by_field_name("value")
        return "function" if value is not None and value.type in _FUNCTION_VALUES else None
    return _KINDS.get(node.type)


def _name(node: Any) -> str:
    named = node.child_by_field_name("name")
    if named is None:  # SQL has no fields: its first reference is what is created
        named = next((one for one in node.named_children if one.type == "object_reference"), None)
    text = named.text.decode("utf-8", "replace") if named is not None else ""
    return text.strip('"`[]') if len(text) <= _MAX_NAME_CHARACTERS else ""


def _signature(node: Any) -> str:
    parameters = node.child_by_field_name("parameters")
    text = parameters.text.decode("utf-8", "replace") if parameters is not None else ""
    flat = " ".join(text[: _MAX_SIGNATURE * 2].split())
    return flat if len(flat) <= _MAX_SIGNATURE else flat[: _MAX_SIGNATURE - 1] + "…"
