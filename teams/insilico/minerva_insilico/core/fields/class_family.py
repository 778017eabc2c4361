"""Which classes of a tree are one model's: its own, those below it, and its mirrors.

A mirror is a schema that is read from objects of the model: it says so (`from_attributes`), or it
is named after the model and stands beside it. What a class is called decides, because the code of
applications mostly has one class of a name.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import PurePosixPath

from minerva_insilico.core.facts.annotation import class_names
from minerva_insilico.core.facts.receiver_types import GIVES_ITEMS, HOLDS_ROWS
from minerva_insilico.core.index.index import Index

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+")
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ROLES_OF_MODELS = frozenset({"db", "entity", "model", "orm", "record", "table"})
"""Ends of a model's name that a schema named after it does not repeat: `RecipeModel`, `Recipe`."""

_DECORATOR = re.compile(r"@?(?:.*\.)?(\w+)(?:\(.*)?", re.DOTALL)
_KEEP = frozenset(
    {"abstractmethod", "cache", "cached_property", "classmethod", "field", "fixture", "lru_cache"}
    | {"mutation", "override", "property", "staticmethod"}
)
"""Decorators of Python, pytest and strawberry that keep what a function returns."""

_STAND_IN = "role GLOB '[A-Za-z_]*'"
"""Another role than a relation (`.x`), an attribute (`:x`), a table (`#x`) or an alias (`~X`)."""


def snake_case(name: str) -> str:
    """Return a class's name as variables have it: `order_line`."""
    return _CAPITAL.sub("_", name).lower()


class ClassFamily:
    """Answers about classes by their names, for one index and one field's name."""

    def __init__(self, index: Index, name: str) -> None:
        self._index, self._name = index, name

    def class_of(self, qualifier: str) -> str:
        """Return the class that is called so, or whose table is. Empty if there is none."""
        rows = self._ask(
            "SELECT name FROM symbols WHERE name = ? COLLATE NOCASE AND kind = 'class' LIMIT 1",
            qualifier,
        ) or self._ask("SELECT name FROM models WHERE role = ? COLLATE NOCASE", f"#{qualifier}")
        return rows[0][0] if rows else self._unparsed_class(qualifier)

    def _unparsed_class(self, name: str) -> str:
        """Return a name if a Python file that does not parse defines a class of it."""
        word = re.compile(rf"^\s*class {re.escape(name)}\b", re.MULTILINE)
        paths = [row[0] for row in self._all(UNPARSED)]
        texts = ("\n".join(self._index.lines(path)) for path in paths)
        return name if any(map(word.search, texts)) else ""

    def relatives_of(self, *models: str) -> frozenset[str]:
        """Return classes, their subclasses, and what stands for one of them."""
        return frozenset(
            closure_of(
                models,
                lambda one: self.names_in(_SUBCLASSES, one) | self.names_in(_STAND_INS, one),
            )
        )

    def family_of(self, name: str) -> set[str]:
        """Return a class with all of its bases, by name, and all of its subclasses."""
        return self.bases_of(name) | closure_of({name}, lambda one: self.names_in(_SUBCLASSES, one))

    def bases_of(self, *names: str) -> set[str]:
        """Return classes with all of their bases, by name."""
        return closure_of(names, lambda one: self.names_in(_BASES, one))

    def stands_for_a_model(self, name: str) -> bool:
        """True if the text of the class gives it a model."""
        return bool(self._ask(_STOOD_FOR, name))

    def is_class(self, name: str) -> bool:
        """True if the tree has a class of the name."""
        return bool(self._ask(_CLASSES, name))

    def readers_of(self, model: str) -> frozenset[str]:
        """Return the schemas that say they are read from objects, and are named after a model."""
        named = {one for one in self._readers if self._is_named_after(one, model)}
        return frozenset(closure_of(named, lambda one: self.names_in(_SUBCLASSES, one)))

    def neighbours_of(self, model: str) -> frozenset[str]:
        """Return the classes with the field that are named after a model and stand beside it."""
        near = {PurePosixPath(path) for path in self.names_in(_FILES, model)}
        found = {
            name
            for name, path in self._definers
            if self._is_named_after(name, model)
            and not any(map(HOLDS_ROWS.search, self.bases_of(name)))
            and any(_is_beside(PurePosixPath(path), one) for one in near)
        }
        return frozenset(closure_of(found, lambda one: self.names_in(_SUBCLASSES, one)))

    @cached_property
    def definers(self) -> frozenset[str]:
        """The classes which define a field of this name, outside of migrations."""
        return frozenset(name for name, _ in self._definers)

    @cached_property
    def _definers(self) -> set[tuple[str, str]]:
        names = [self._name, *([self._name[:-3]] if self._name.endswith("_id") else [])]
        rows = [row for name in names for row in self._all(_DEFINERS, name)]
        return {
            (row[0].split(".")[-2], row[1])
            for row in rows
            if "." in row[0] and row[1] not in self.migrations
        }

    @cached_property
    def migrations(self) -> frozenset[str]:
        """The files of Django's and Alembic's migrations, which tell the history of tables."""
        return frozenset(row[0] for row in self._all(_MIGRATIONS))

    def fields_of(self, model: str) -> frozenset[str]:
        """Return the fields of a class and of its bases, in small letters, `author_id` as well."""
        rows = (row for one in self.bases_of(model) for row in self._ask(_FIELDS, one))
        names = {row[0].lower() for row in rows}
        return frozenset(names | {f"{name}_id" for name in names})

    def tables_of(self, model: str) -> frozenset[str]:
        """Return the tables that the text gives a class."""
        rows = self._ask("SELECT role FROM models WHERE name = ? AND role GLOB '#*'", model)
        return frozenset(row[0][1:].lower() for row in rows)

    def alias(self, name: str) -> set[str] | None:
        """Return the classes that an alias or a type variable names; None if it is neither."""

        def named_by(one: str) -> set[str]:
            renamed = {row[0] for row in self._all(_RENAMED, one, one)}
            return self.names_in(_NAMED, f"~{one}") | renamed

        return {one for one in closure_of({name}, named_by) - {name} if not named_by(one)} or None

    def at_the_end_of(self, way: str, path: str) -> tuple[set[str], bool]:
        """Return the classes to which a way leads in a file, and True if each step is proved.

        An attribute or a method of an unknown object is looked up by its name in all classes.
        """
        target, _, rest = way.removeprefix("@").rpartition("()") if way[:1] == "@" else ("", "", "")
        if target:
            while "()" in target:  # only the first call is one of an import
                target, _, more = target.rpartition("()")
                rest = f"{more}(){rest}"
            found, is_proved = self._returned_by(target, path), True
        else:
            first, _, rest = way.partition(".")
            found, rest = ({first} if first else set[str]()), f".{rest}"
            is_proved = bool(found)
        for step in rest.split(".")[1:]:
            name, is_call = step.removesuffix("()"), step.endswith("()")
            own = {held for one in found for held in self._held_by(one, name, is_call=is_call)}
            if is_call and not own and name in GIVES_ITEMS and not self._has_method(found, name):
                continue
            is_proved = is_proved and bool(own)
            by_name = self._all_returned(name) if is_call else self.attributes.get(name.lower())
            found = own or by_name or set()
            if not found:
                return set(), False
        return found, is_proved

    def _held_by(self, model: str, name: str, *, is_call: bool) -> set[str]:
        """Return the classes of an attribute, a property or a method's result of one class."""
        around = self.bases_of(model)
        found: set[str] = set()
        for above in around:
            rows = self._all(_RETURNS, name, f"{above}.{name}")
            found |= {one for row in rows for one in _returns(*row, model)}
            if not is_call:
                held = self._all(_HELD, above, f".{name}", f":{name}")
                found |= {row[0] for row in held if row[0]}
        if any(self.names_in(_NAMED, f"~{one}") for one in found):  # a type variable
            given = {row[0] for above in around for row in self._all(_HELD, above, "[", "[")}
            found |= {one for one in given if not self.names_in(_NAMED, f"~{one}")}
            found = {one for one in found if not self.names_in(_NAMED, f"~{one}")} or found
        return found

    def _has_method(self, models: Iterable[str], name: str) -> bool:
        """True if one of some classes defines a method of the name: its result is its own."""
        return any(
            self._all(_RETURNS, name, f"{above}.{name}")
            for one in models
            for above in self.bases_of(one)
        )

    def _all_returned(self, name: str) -> set[str]:
        """Return the classes that functions of a name return; none if one does not say it."""
        rows = [[*_returns(*row)] for row in self._all(_RETURNED, name)]
        return {one for row in rows for one in row} if all(rows) else set()

    def _returned_by(self, target: str, path: str) -> set[str]:
        located = self._index.modules.locate(target, path)
        rows = self._all(_RETURNED_IN, *located) if located else []
        return {one for row in rows for one in _returns(*row)}

    @cached_property
    def relations(self) -> dict[str, set[str]]:
        """The models that each relation leads to."""
        return self._leads_to(".")

    @cached_property
    def attributes(self) -> dict[str, set[str]]:
        """The classes that each annotated attribute of a class holds, and those of relations."""
        found = {name: set(classes) for name, classes in self.relations.items()}
        for name, classes in self._leads_to(":").items():
            found.setdefault(name, set()).update(classes)
        return found

    def _leads_to(self, mark: str) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        query = "SELECT role, name FROM models WHERE substr(role, 1, 1) = ?"
        for role, name in self._all(query, mark):
            if not name:
                continue
            found.setdefault(role[1:].lower(), set()).add(name)
        return found

    @cached_property
    def _readers(self) -> frozenset[str]:
        """The classes that are read from objects: `from_attributes=True`, `orm_mode = True`."""
        said = {
            next(part for part in reversed(row[0].split(".")) if part != "Config")
            for row in self._all(_READERS)
        }
        return frozenset(closure_of(said, lambda one: self.names_in(_SUBCLASSES, one)))

    @cached_property
    def _class_words(self) -> dict[tuple[str, ...], set[str]]:
        found: dict[tuple[str, ...], set[str]] = {}
        for (name,) in self._all("SELECT DISTINCT name FROM symbols WHERE kind = 'class'"):
            if name not in self._readers:
                found.setdefault(_stem(name), set()).add(name)
        return found

    def _is_named_after(self, name: str, model: str) -> bool:
        """True if a name begins or ends with a model's, and with no longer name of a class."""
        words = tuple(word.lower() for word in _WORD.findall(name))
        for length in range(len(words), 0, -1):
            for part in (words[:length], words[-length:]):
                named = self._class_words.get(part, set()) - {name}
                if named or part == _stem(model):
                    return model in named or part == _stem(model)
        return False

    def names_in(self, query: str, value: str) -> set[str]:
        """Return the first column of a query about one name."""
        return {row[0] for row in self._ask(query, value)}

    def _ask(self, query: str, value: str) -> list[tuple[str]]:
        return self._index.connection.execute(query, (value,)).fetchall()

    def _all(self, query: str, *values: str) -> list[tuple[str, str]]:
        return self._index.connection.execute(query, values).fetchall()


def closure_of(names: Iterable[str], near: Callable[[str], set[str]]) -> set[str]:
    """Return `names` and all that is reached from them by `near`, step by step."""
    found = set(names)
    pending = [*found]
    while pending:
        new = near(pending.pop()) - found
        pending += new
        found |= new
    return found


def _returns(signature: str, decorators: str, own: str = "") -> Iterator[str]:
    """Yield the classes in what a signature says it returns; `Self` is the class around.

    A decorator may change what is returned.
    """
    if any(_DECORATOR.sub(r"\1", one) not in _KEEP for one in decorators.splitlines()):
        return
    said = signature.rpartition("->")[2] if "->" in signature else ""
    try:
        tree = ast.parse(said.strip(), mode="eval").body if said else None
    except SyntaxError:
        return
    for name in class_names(tree) if tree else ():
        yield own if name == "Self" else name


def _stem(name: str) -> tuple[str, ...]:
    words = tuple(word.lower() for word in _WORD.findall(name))
    return words[:-1] if len(words) > 1 and words[-1] in _ROLES_OF_MODELS else words


def _is_beside(one: PurePosixPath, other: PurePosixPath) -> bool:
    """True for files of one folder, and for `models/user.py` beside `schemas/user.py`."""
    is_sibling = one.name == other.name and one.parent.parent == other.parent.parent
    return one.parent == other.parent or is_sibling


UNPARSED = "SELECT path FROM files WHERE language = 'python' AND reason NOTNULL ORDER BY path"
_SUBCLASSES = "SELECT s.name FROM bases AS b JOIN symbols AS s ON s.id = b.symbol WHERE b.name = ?"
_CLASSES = "SELECT name FROM symbols WHERE name = ? COLLATE NOCASE AND kind = 'class' LIMIT 1"
_FILES = (
    "SELECT f.path FROM symbols AS s JOIN files AS f ON f.id = s.file"
    " WHERE s.name = ? AND s.kind = 'class'"
)
_STOOD_FOR = f"SELECT name FROM models WHERE role = ? AND {_STAND_IN} LIMIT 1"  # noqa: S608 - ours
_BASES = "SELECT b.name FROM bases AS b JOIN symbols AS s ON s.id = b.symbol WHERE s.name = ?"
_NAMED = "SELECT name FROM models WHERE role = ?"
_RENAMED = "SELECT name FROM imports WHERE bound = ? AND name NOT IN ('', '*', ?)"
_HELD = (
    "SELECT m.name FROM models AS m JOIN symbols AS s ON s.id = m.symbol"
    " WHERE s.name = ? AND s.kind = 'class' AND m.role IN (?, ?)"
)
_RETURNED = (
    "SELECT signature, decorators FROM symbols WHERE name = ? AND kind IN ('function', 'method')"
)
_RETURNS = f"{_RETURNED} AND '.' || qualname LIKE '%.' || ?"
_RETURNED_IN = (
    "SELECT s.signature, s.decorators FROM symbols AS s JOIN files AS f ON f.id = s.file"
    " WHERE f.path = ? AND s.qualname = ? AND s.kind IN ('function', 'method')"
)
_STAND_INS = f"SELECT role FROM models WHERE name = ? AND {_STAND_IN}"  # noqa: S608 - ours
_DEFINERS = (
    "SELECT o.qualname, f.path FROM outline AS o JOIN files AS f ON f.id = o.file"
    " WHERE o.name = ? COLLATE NOCASE AND o.kind = 'attribute'"
)
_FIELDS = (
    "SELECT o.name FROM symbols AS s JOIN outline AS o ON o.file = s.file"
    " AND o.qualname = s.qualname || '.' || o.name WHERE s.name = ? AND s.kind = 'class'"
)
_READERS = (
    "SELECT s.qualname FROM uses AS u JOIN symbols AS s ON s.id = u.symbol"
    " WHERE u.name IN ('from_attributes', 'orm_mode') AND s.kind = 'class'"
)
_MIGRATIONS = (
    "SELECT f.path FROM outline AS o JOIN files AS f ON f.id = o.file"
    " WHERE o.qualname = 'down_revision'"
    " UNION SELECT f.path FROM bases AS b JOIN files AS f ON f.id = b.file"
    " WHERE b.name = 'Migration'"
)
