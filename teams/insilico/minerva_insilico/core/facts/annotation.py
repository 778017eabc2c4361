"""The class that an annotation names, for one object or several."""

import ast
from collections.abc import Iterator

from minerva_insilico.core.facts.field_owner import KnownClass
from minerva_insilico.core.facts.log_calls import callee_name
from minerva_insilico.core.facts.receiver_types import CLASS_NAME, HOLDS_ROWS
from minerva_insilico.core.facts.vocabulary import words
from minerva_insilico.core.visitors.scope import Shape

_MAPPINGS = words("frameworks", "types", "mappings")

_CONTAINERS = words("frameworks", "types", "containers")


def type_of_annotation(node: ast.expr | None) -> KnownClass | None:
    """Return `Patient` for `Patient`, `"Patient"`, `Patient | None` and `list[Patient]`.

    Of a mapping it is the class of the values: `dict[Ward, Patient]`.
    """
    if isinstance(node, ast.Name):  # most annotations: a walk over one node would cost four times
        is_class = node.id not in _CONTAINERS and CLASS_NAME.fullmatch(node.id)
        return KnownClass(node.id) if is_class else None
    if isinstance(node, ast.Subscript) and _is_mapping(node) and isinstance(node.slice, ast.Tuple):
        node = node.slice.elts[-1]
    names = dict.fromkeys(class_names(node)) if node is not None else {}
    return KnownClass(next(iter(names))) if len(names) == 1 else None


def class_names(node: ast.expr) -> Iterator[str]:
    """Yield the names of classes in an annotation, those in texts as well."""
    for current in ast.walk(node):
        if isinstance(current, ast.Name):
            name = current.id
        elif isinstance(current, ast.Attribute):
            name = current.attr
        elif isinstance(current, ast.Constant) and isinstance(current.value, str):
            name = current.value.rpartition(".")[2]
        else:
            continue
        if name not in _CONTAINERS and CLASS_NAME.fullmatch(name):
            yield name


def shape_of_annotation(node: ast.expr | None) -> Shape:
    """Return how a value holds objects of the class that `type_of_annotation` gives."""
    if _is_mapping(node):
        return "mapping"
    return "one" if _is_one(node) else "rows"


def _is_mapping(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Subscript) and callee_name(node.value) in _MAPPINGS


def _is_one(node: ast.expr | None) -> bool:
    """True for `Shelf`, `"Shelf"` and `Shelf | None`, false for `list[Shelf]`."""
    if isinstance(node, ast.Name):
        known = type_of_annotation(node)
        return known is not None and not HOLDS_ROWS.search(known.name)
    if node is None or any(isinstance(part, ast.Subscript) for part in ast.walk(node)):
        return False
    texts = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
    found = type_of_annotation(node)
    is_quoted_list = any(isinstance(text, str) and "[" in text for text in texts)
    return found is not None and not is_quoted_list and not HOLDS_ROWS.search(found.name)
