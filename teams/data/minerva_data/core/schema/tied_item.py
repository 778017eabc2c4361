"""Make the columns of a schema, each with what is built on it.

A column that a table inherits is renamed with that of the table it comes from, so it is read as
that column: the same words, the same name.
"""

from collections.abc import Sequence

from minerva_data.core.schema.record import Dependent, Item
from minerva_reading import Ties


def tied_items(columns: Sequence[Item], ties: Ties, file: str) -> list[Item]:
    """Return the columns of a schema with their `ties`; `file` goes with each line."""
    items = list(columns)
    tables: dict[str, dict[str, Item]] = {}
    for item in items:
        tables.setdefault(item.table_key, {})[item.column_key] = item
    family, targets = _Family(ties.parents, tables), set(ties.references.values())
    for place, item in enumerate(items):
        key = (item.table_key, item.column_key)
        root = next(iter(family.roots(*key)), item)
        origin = (root.table_key, root.column_key)
        facts: dict[str, object] = {
            "dependents": tuple(
                Dependent(**one._asdict(), place=f"{file}:{one.line}")
                for one in ties.dependents.get(key, ())
            ),
            "refers_to": ties.references.get(key),
            "is_referred_to": key in targets,
            "bar": ties.bars.get(origin) or family.bar(*origin),
            "kin": family.kin(root.table_key),
            "schema_key": ties.schemas.get(item.table_key, ""),
        }
        if root is not item:
            own = ("table", "table_path", "exact_path", "line")
            facts |= {name: getattr(item, name) for name in own} | {"parent": root.full_table}
        if any(facts.values()):
            items[place] = root.model_copy(update=facts)
    return items


class _Family:
    """The tables that inherit from each other; `parents` are those of a table, and theirs."""

    def __init__(self, parents: dict[str, list[str]], tables: dict[str, dict[str, Item]]) -> None:
        self._parents, self._tables = parents, tables
        self._relatives: dict[str, set[str]] = {}
        self._clashes: set[tuple[str, str]] = set()
        for heir, ancestors in parents.items():
            self._relatives.setdefault(heir, set()).update(ancestors)
            for parent in ancestors:
                self._relatives.setdefault(parent, set()).add(heir)
                for column in tables.get(parent, ()):
                    roots = self.roots(heir, column)
                    self._clashes |= {(root.table_key, column) for root in roots if len(roots) > 1}

    def roots(self, table: str, column: str) -> list[Item]:
        """Return the columns that a table inherits as its own of this key."""
        parents = dict.fromkeys(self._parents.get(table, ()))  # two ways may lead to one
        found = [one for one in parents if column in self._tables.get(one, ())]
        return [self._tables[one][column] for one in found if not self.roots(one, column)]

    def bar(self, table: str, column: str) -> str:
        """Return why PostgreSQL does not rename a column that some table inherits twice."""
        return "INHERITS of two tables" if (table, column) in self._clashes else ""

    def kin(self, table: str) -> tuple[str, ...]:
        """Return the names of the relatives' columns that the table has not."""
        own, others = self._tables.get(table, {}), dict[str, Item]()
        for relative in self._relatives.get(table, ()):
            others |= self._tables.get(relative, {})
        return tuple(sorted(item.name.casefold() for key, item in others.items() if key not in own))
