"""The places where a framework takes the name of a field as text.

The names are Django's, Django REST framework's and SQLAlchemy's, of which applications are made
whose columns get renamed: `order_by("-f")`, `F("f")`, `fields = ["f"]`, `list_display = ("f",)`.
"""

import ast
from typing import Final

from minerva_insilico.core.facts.vocabulary import words

NAMED_BY_CALL: Final = words("frameworks", "calls", "name_fields")
"""Calls whose text arguments are names of fields."""

AROUND_EXPRESSIONS: Final = words("frameworks", "calls", "around_expressions")
"""Calls whose keywords and inner expressions name fields of the object they are called on."""

NAMES_RESULT: Final = frozenset({"aggregate", "alias", "annotate"})
"""Calls whose keywords name a new value, not an existing field."""

KEYWORDS: Final = words("frameworks", "keywords", "name_fields")
"""Keyword arguments whose text is the name of a field in any call."""

LISTS: Final = words("frameworks", "attributes", "list_fields")
"""Attributes of classes which list fields."""

MIGRATIONS: Final = words("frameworks", "migrations", "operations")
_OF_A_WHOLE_MODEL: Final = words("frameworks", "migrations", "of_a_whole_model")
LISTED_SECOND: Final = frozenset({"bulk_update"})
"""Calls whose second argument lists fields of the object they are called on."""

GETTERS: Final = words("frameworks", "calls", "getters")
"""Calls whose keywords name fields of their first argument."""

NAMES_FIELD: Final = frozenset({"order", "order_by", "ordering", "sort", "sort_by"})
"""Keys of a request whose value is a field's name."""

NAME_LISTS: Final = words("frameworks", "attributes", "collections_of_names")
"""Collections that are searched for a field's name: `"f" in form.changed_data`."""

ADDRESSES: Final = words("frameworks", "calls", "addresses")
"""Calls whose text names an address, a template or a message: no field."""

LOOKUPS: Final = words("frameworks", "lookups", "last")
"""Words that may follow the last `__` without being a field."""

RELATIONS: Final = frozenset({"ForeignKey", "ManyToManyField", "OneToOneField", "relationship"})
COLUMN_RELATIONS: Final = frozenset({"ForeignKey", "OneToOneField"})


def split_lookup(text: str) -> list[str]:
    """Return the fields of `patient__status__in`, without the lookup at its end."""
    parts = text.split("__")
    while len(parts) > 1 and parts[-1] in LOOKUPS:
        parts.pop()
    return parts


def model_of_migration(node: ast.Call) -> str | None:
    """Return the model of an operation of a migration, or None if it is none."""
    function = node.func
    if not isinstance(function, ast.Attribute) or function.attr not in MIGRATIONS:
        return None
    values: dict[str | None, ast.expr] = {item.arg: item.value for item in node.keywords}
    named = values.get("model_name") or (
        values.get("name") if function.attr in _OF_A_WHOLE_MODEL else None
    )
    if named is None and node.args:
        named = node.args[0]
    text = named.value if isinstance(named, ast.Constant) else None
    return text if isinstance(text, str) else ""
