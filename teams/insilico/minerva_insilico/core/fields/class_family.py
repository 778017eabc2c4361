"""Which classes of a tree are one model's: its own, those below it, and its mirrors.

A mirror is a schema that is read from objects of the model: it says so (`from_attributes`), or it
is named after the model and stands beside it. What a class is called decides, because the code of
applications mostly has one class of a name.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import PurePosixPath
from typing import TypeVar

from minerva_insilico.core.facts.vocabulary import words
from minerva_insilico.core.index.index import Index

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+")
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ROLES_OF_MODELS = frozenset({"db", "entity", "model", "orm", "record", "table"})
"""Ends of a model's name that a schema named after it does not repeat: `RecipeModel`, `Recipe`."""

_SCHEMAS = frozenset[str]().union(
    *(words("models", kind, "bases") for kind in ("pydantic", "sqlmodel", "typed_dict"))
)

_MARKS = "#.:~[-"
"""First letters of the roles that are no class: a table, a relation (`.x`), an attribute (`:x`), an
alias (`~X`), what a generic base is given (`[`), and what a function returns (`->`)."""


def snake_case(name: str) -> str:
    """Return a class's name as variables have it: `order_line`."""
    return _CAPITAL.sub("_", name).lower()


class ClassFamily:
    """Answers about classes by their names, for one index and one field's name."""

    def __init__(self, index: Index, name: str) -> None:
        self._index, self._name = index, name
        ask = index.connection.execute
        classes = ask(_CLASSES).fetchall()
        self.class_names = frozenset(name for name, _ in classes)
        self._with_decorators = {name for name, decorators in classes if decorators}
        self._above, self._below = _both_ways(ask(_BASES))
        rows = ask(_MODELS).fetchall()
        roles = [(role, name, around) for role, name, around in rows if name]
        self._stand_ins, self._stood_for = _both_ways(
            (role, name) for role, name, _ in roles if role[0] not in _MARKS
        )
        self._roles = _both_ways((name, role) for role, name, _ in rows if role[0] in _MARKS)[1]
        self._contents = _both_ways(
            (name, f"{around}{role}") for role, name, around in roles if role[0] in ".:["
        )[1]

    def class_of(self, qualifier: str) -> str:
        """Return the class that is called so, or whose table is. Empty if there is none."""
        lower = qualifier.lower()
        classes = [one for one in self.class_names if one.lower() == lower]
        tables = [one for role, one in self._roles.items() if role.lower() == f"#{lower}"]
        result = sorted(classes, key=lambda one: one != qualifier) or [
            name for names in tables for name in sorted(names)
        ]
        return result[0] if result else self._unparsed_class(qualifier)

    def _unparsed_class(self, name: str) -> str:
        """Return a name if a Python file that does not parse defines a class of it."""
        word = re.compile(rf"^\s*class {re.escape(name)}\b", re.MULTILINE)
        paths = [row[0] for row in self._index.connection.execute(FAILURES).fetchall()]
        texts = ("\n".join(self._index.lines(path)) for path in paths)
        return name if any(map(word.search, texts)) else ""

    def relatives_of(self, *models: str) -> frozenset[str]:
        """Return classes, their subclasses, and what stands for one of them."""
        return _closure(models, self._below, self._stood_for)

    def family_of(self, name: str) -> frozenset[str]:
        """Return a class with all of its bases, by name, and all of its subclasses."""
        return self.bases_of(name) | _closure([name], self._below)

    def bases_of(self, *names: str) -> frozenset[str]:
        """Return classes with all of their bases, by name."""
        return _closure(names, self._above)

    def stands_for_a_model(self, name: str) -> bool:
        """True if the text of the class gives it a model."""
        return name in self._stand_ins

    def readers_of(self, model: str) -> frozenset[str]:
        """Return the schemas that say they are read from objects, and are named after a model."""
        return _closure(
            [one for one in self._readers if self._is_named_after(one, model)], self._below
        )

    def neighbours_of(self, model: str) -> frozenset[str]:
        """Return the classes with the field that are named after a model and stand beside it."""
        rows = self._index.connection.execute(_FILES, (model, model)).fetchall()
        near = {PurePosixPath(row[0]) for row in rows}
        result = [
            name
            for name, path in self._definers
            if self._is_named_after(name, model)
            and self._is_schema(name)
            and any(_is_beside(PurePosixPath(path), one) for one in near)
        ]
        return _closure(result, self._below)

    def _is_schema(self, name: str) -> bool:
        """True for what only describes data: of Pydantic and the like, or made by a decorator."""
        above = self.bases_of(name)
        return name in self._with_decorators or not _SCHEMAS.isdisjoint(above)

    @cached_property
    def definers(self) -> frozenset[str]:
        """The classes which define a field of this name, outside of migrations."""
        return frozenset(name for name, _ in self._definers)

    @cached_property
    def _definers(self) -> set[tuple[str, str]]:
        names = (self._name, self._name.removesuffix("_id"))
        rows = self._index.connection.execute(_DEFINERS, names).fetchall()
        return {
            (qualname.split(".")[-2], path)
            for qualname, path in rows
            if "." in qualname and path not in self.migrations
        }

    @cached_property
    def migrations(self) -> frozenset[str]:
        """The files of Django's and Alembic's migrations, which tell the history of tables."""
        return frozenset(row[0] for row in self._index.connection.execute(_MIGRATIONS))

    def fields_of(self, *models: str) -> frozenset[str]:
        """Return the fields in the bodies of classes, in small letters, `author_id` as well."""
        ask = self._index.connection.execute
        rows = (row for one in models for row in ask(_FIELDS, (one, one)))
        names = {row[0].lower() for row in rows}
        return frozenset(names | {f"{name}_id" for name in names})

    def tables_of(self, model: str) -> frozenset[str]:
        """Return the tables that the text gives a class."""
        return frozenset(
            role[1:].lower()
            for role, names in self._roles.items()
            if role[0] == "#" and model in names
        )

    def alias(self, name: str) -> frozenset[str] | None:
        """Return the classes that an alias, a type variable or an import under another name names.

        None if it is none of these; an empty name stands for any class.
        """
        if not self._named_by(name):
            return None
        result = {name}
        while further := {more for one in result for more in self._named_by(one)} - result:
            result |= further
        return frozenset(one for one in result if not self._named_by(one))

    def _named_by(self, name: str) -> set[str]:
        return self._roles.get(f"~{name}", set()) | self._import_names.get(name, set())

    @cached_property
    def _import_names(self) -> dict[str, set[str]]:
        return _both_ways(self._index.connection.execute(_IMPORT_NAMES))[0]

    def held_by(self, model: str, name: str) -> set[str]:
        """Return the classes of an attribute of one class, as its body says; `[` are arguments."""
        keys = (f"{model}[",) if name == "[" else (f"{model}.{name}", f"{model}:{name}")
        return {one for key in keys for one in self._contents.get(key, ())}

    @cached_property
    def relations(self) -> dict[str, set[str]]:
        """The models that each relation leads to."""
        return self._leads_to(".")

    @cached_property
    def attributes(self) -> dict[str, set[str]]:
        """The classes that each annotated attribute of a class holds, and those of relations."""
        return self._leads_to(".:")

    def _leads_to(self, marks: str) -> dict[str, set[str]]:
        result: dict[str, set[str]] = {}
        for role, names in self._roles.items():
            if role[0] in marks and names - {""}:
                result.setdefault(role[1:].lower(), set()).update(names - {""})
        return result

    @cached_property
    def _readers(self) -> frozenset[str]:
        """The classes that are read from objects: `from_attributes=True`, `orm_mode = True`."""
        speakers = {
            next(part for part in reversed(row[0].split(".")) if part != "Config")
            for row in self._index.connection.execute(_READERS)
        }
        return _closure(speakers, self._below)

    @cached_property
    def _class_words(self) -> dict[tuple[str, ...], set[str]]:
        return _both_ways((_stem(one), one) for one in self.class_names - self._readers)[0]

    def _is_named_after(self, name: str, model: str) -> bool:
        """True if a name begins or ends with a model's, and with no longer name of a class."""
        words = tuple(word.lower() for word in _WORD.findall(name))
        for length in range(len(words), 0, -1):
            for part in (words[:length], words[-length:]):
                if part == _stem(model):
                    return True
                if self._class_words.get(part, set()) - {name}:
                    return False
        return False


_Key = TypeVar("_Key")


def _both_ways(
    pairs: Iterable[tuple[_Key, str]],
) -> tuple[dict[_Key, set[str]], dict[str, set[_Key]]]:
    """Return what each first has, and what each second has."""
    there: dict[_Key, set[str]] = {}
    back: dict[str, set[_Key]] = {}
    for one, other in pairs:
        there.setdefault(one, set()).add(other)
        back.setdefault(other, set()).add(one)
    return there, back


def _closure(names: Iterable[str], *near: Mapping[str, set[str]]) -> frozenset[str]:
    """Return `names` and all that is reached from them, step by step."""
    result = set(names)
    pending = [*result]
    while pending:
        one = pending.pop()
        new = {more for step in near for more in step.get(one, ())} - result
        pending += new
        result |= new
    return frozenset(result)


def _stem(name: str) -> tuple[str, ...]:
    words = tuple(word.lower() for word in _WORD.findall(name))
    return words[:-1] if len(words) > 1 and words[-1] in _ROLES_OF_MODELS else words


def _is_beside(one: PurePosixPath, other: PurePosixPath) -> bool:
    """True for files of one folder, and for `models/user.py` beside `schemas/user.py`."""
    is_sibling = one.name == other.name and one.parent.parent == other.parent.parent
    return one.parent == other.parent or is_sibling


FAILURES = "SELECT path FROM files WHERE language = 'python' AND reason NOTNULL ORDER BY path"
_CLASSES = "SELECT DISTINCT name, decorators FROM symbols WHERE kind = 'class'"
_BASES = "SELECT s.name, b.name FROM bases AS b JOIN symbols AS s ON s.id = b.symbol"
_MODELS = "SELECT m.role, m.name, s.name FROM models AS m JOIN symbols AS s ON s.id = m.symbol"
_FILES = (
    "SELECT f.path FROM symbols AS s JOIN files AS f ON f.id = s.file"
    " WHERE s.name = ? COLLATE NOCASE AND s.name = ? AND s.kind = 'class'"
)
_DEFINERS = (
    "SELECT o.qualname, f.path FROM outline AS o JOIN files AS f ON f.id = o.file"
    " WHERE o.name COLLATE NOCASE IN (?, ?) AND o.kind = 'attribute'"
)
_FIELDS = (
    "SELECT o.name FROM symbols AS s JOIN outline AS o ON o.file = s.file"
    " AND o.qualname = s.qualname || '.' || o.name"
    " WHERE s.name = ? COLLATE NOCASE AND s.name = ? AND s.kind = 'class'"
)
_IMPORT_NAMES = "SELECT bound, name FROM imports WHERE name NOT IN ('', '*', bound)"
_READERS = (
    "SELECT s.qualname FROM uses AS u JOIN symbols AS s ON s.id = u.symbol"
    " WHERE u.name COLLATE NOCASE IN ('from_attributes', 'orm_mode') AND s.kind = 'class'"
)
_MIGRATIONS = (
    "SELECT f.path FROM outline AS o JOIN files AS f ON f.id = o.file"
    " WHERE o.qualname = 'down_revision'"
    " UNION SELECT f.path FROM bases AS b JOIN files AS f ON f.id = b.file"
    " WHERE b.name = 'Migration'"
)
