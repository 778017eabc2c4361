"""The model of a class or a function, read from its `Meta`, its decorators and its bases."""

import ast
from collections.abc import Iterable

from minerva_insilico.core.facts.owner import KnownClass
from minerva_insilico.core.facts.receiver_types import called, class_in_sight, type_of
from minerva_insilico.core.visitors.scope import Scope


def sender_of(decorators: Iterable[ast.expr], scope: Scope) -> KnownClass | None:
    """Return `Patient` for a function under `@receiver(post_save, sender=Patient)`."""
    senders = {
        type_of(keyword.value, scope)
        for item in decorators
        if isinstance(item, ast.Call) and called(item.func) == "receiver"
        for keyword in item.keywords
        if keyword.arg == "sender"
    }
    return senders.pop() if len(senders) == 1 else None


def model_of_class(node: ast.ClassDef, scope: Scope) -> KnownClass | None:
    """Return `Patient` for a form, serializer, admin or view that stands for a model.

    If the class itself names no model, a visible base class may.
    """
    found = _own_model(node, scope)
    for base in [] if found else node.bases:
        above = class_in_sight(base, scope)
        if above and above.model:
            return KnownClass(above.model)
    return found


def _own_model(node: ast.ClassDef, scope: Scope) -> KnownClass | None:
    for decorator in node.decorator_list:
        if not isinstance(decorator, ast.Call) or not decorator.args:
            continue
        if called(decorator.func) == "register":
            return type_of(decorator.args[0], scope)
    for statement in node.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            if statement.targets[0].id in {"model", "queryset"}:
                return type_of(statement.value, scope)
        elif isinstance(statement, ast.ClassDef) and statement.name == "Meta":
            found = _own_model(statement, scope)
            if found:
                return found
    return None
