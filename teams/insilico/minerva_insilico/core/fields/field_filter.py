"""Which of the uses of a name are of one model's field.

`status` may be a patient's or an invoice's. A question that names the model (`Patient.status`,
`tb_patient.status`) leaves out what the text proves to be another's; an attribute that it does not
prove stays in, because a place that was looked at in vain costs less than one that breaks. A key or
a text without any owner stays in where the function or class around it names the model.
"""

import re
from collections.abc import Callable, Iterable, Set as AbstractSet
from functools import cached_property

from minerva_insilico.core.facts.field_owner import (
    LONE_TEXT,
    CalledFunction,
    KnownClass,
    LoneText,
    Owner,
    Siblings,
    read_owners,
)
from minerva_insilico.core.facts.receiver_types import REQUEST_USER
from minerva_insilico.core.facts.vocabulary import words
from minerva_insilico.core.index.index import Index

_STANDS_FOR = re.compile(
    r"""(?: Admin | Inline | (?:Model)?Form | FormSet | Serializer | Schema    # shows its fields
          | ViewSet | (?:List|Detail|Create|Update|Delete)?View                # serves its rows
          | FilterSet | Filter | Table | Resource                              # lists them
          | Manager | QuerySet | Query | Repository                            # finds them
          | Factory | Mixin | Base  # makes or shares them
        )$""",
    re.VERBOSE,
)
"""Ends the name of a class that stands for a model."""

_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_HOLDS_NO_RECORD = words("frameworks", "variables", "without_records")
_HOLDS_RECORDS = words("frameworks", "variables", "with_records")
_MAKES_RECORDS = frozenset({"dict", "evolve", "model_copy", "namedtuple", "replace", "update"})
_USERS = frozenset({"AbstractBaseUser", "AbstractUser", "User"})
_KEYS_OF_ALL = frozenset({"id", "pk", "uuid"})


class FieldFilter:
    """Decides if a use is of the field `name` of the class or table `qualifier`."""

    def __init__(self, index: Index, qualifier: str, name: str) -> None:
        self._index, self._name = index, name.lower()
        self._enclosing = Enclosing(index)
        self.model = self._class_of(qualifier.rpartition(".")[2])
        """The class, or empty where the index knows no such class or table."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name, and the column's that Django makes of a relation: `author`, `author_id`."""
        models = self._index.connection.execute(_RELATING, (self._name,)).fetchall()
        is_relation = any(row[0] in self._kin for row in models)
        return (self._name, f"{self._name}_id") if is_relation else (self._name,)

    def is_field(self, kind: str, tables: str, owner: str, *, path: str, line: int) -> bool:
        """True if a use may be of this field: no other model is proved."""
        if kind == "sql_string" and tables:
            return any(self._is_table(table) for table in tables.split())
        owners = read_owners(owner)
        found = {self._verdict(one, kind) for one in owners}
        if True in found or None not in found:
            return True in found
        near = self._enclosing.names_one_of(
            path, line, self._own_names, self._names_of_others, alone=owners == (LONE_TEXT,)
        )
        if kind in {"dict_key", "string"} and _HOLDS_RECORDS.isdisjoint(owners):
            return near is True
        return near is not False

    def _verdict(self, owner: Owner, kind: str) -> bool | None:
        """Return True if an owner is this model; None if nothing shows the use's owner."""
        match owner:
            case KnownClass(name, model):
                return self._is_class(name, model)
            case Siblings(names):
                return self._are_fields(names)
            case CalledFunction(name) if name in _MAKES_RECORDS:
                return not self.is_shared
            case CalledFunction(name):
                return self._snake in name.lower()
            case LoneText() | "":
                is_text = kind in {"dict_key", "string"}
                return None if self.is_shared and is_text else True
            case str():
                return self._is_hint(owner, kind)

    def _is_class(self, name: str, model: str) -> bool | None:
        near = model or name
        if near in self._kin or near in self._bases:
            return True
        if name == REQUEST_USER.name:
            return self._is_user
        around = self._family_of(name)
        if model or any(self._ask(_STOOD_FOR, one) for one in around):
            return False
        is_stand_in = any(_STANDS_FOR.search(one) for one in around)
        return None if is_stand_in and self._name not in self._fields_of(name) else False

    def _family_of(self, name: str) -> set[str]:
        """Return a class with all of its bases, by name, and all of its subclasses."""
        above = _closure_of({name}, lambda one: self._names_in(_BASES, one))
        return above | _closure_of({name}, lambda one: self._names_in(_SUBCLASSES, one))

    def _is_hint(self, hint: str, kind: str) -> bool | None:
        """Judge by the name of a variable or relation."""
        word = hint.lower().strip("_")
        targets = self._relations.get(word) or self._relations.get(f"{word}s")
        if targets is not None:
            return bool(targets & self._kin)
        if self._is_called(word, self._snake):
            return True
        if hint in _HOLDS_NO_RECORD:
            return False
        if any(self._is_called(word, one) for one in self._others):
            return False if kind == "string" else None  # a variable's name proves nothing
        if kind == "dict_key" and self.is_shared:
            return None
        return True

    @staticmethod
    def _is_called(word: str, snake: str) -> bool:
        """True if a variable bears a class's name: `patient`, `patients`, `old_patient`.

        Migrations write `OrderLine` or `orderline`.
        """
        names, spellings = {word, word.removesuffix("s")}, {snake, snake.replace("_", "")}
        return bool(names & spellings) or any(name.endswith(f"_{snake}") for name in names)

    def _are_fields(self, names: Iterable[str]) -> bool | None:
        """Judge by the names beside it: they are fields of this model rather than of another."""
        first = (name.lstrip("-+^=@$").lower().partition("__")[0] for name in names)
        others = {*first} - {*self.names}
        if not others:
            return None if self.is_shared else True
        known = len(others & (self._fields | _KEYS_OF_ALL))
        best = max(
            (len(others & (one | _KEYS_OF_ALL)) for one in self._fields_of_others), default=0
        )
        # Half is enough: a dictionary often mixes fields with keys of its own (`total`, `url`).
        return 2 * known >= len(others) and known >= best

    def _is_table(self, table: str) -> bool:
        name = table.lower().rpartition(".")[2]
        if self._tables:
            return name in self._tables or name == self.model.lower()
        own = {self._snake, self.model.lower()}
        return any(
            one == called or one.endswith(f"_{called}")
            for one in (name, name.removesuffix("s"))
            for called in own
        )

    @cached_property
    def _snake(self) -> str:
        return _snake(self.model)

    @cached_property
    def _kin(self) -> frozenset[str]:
        """The class, its subclasses, its bases in the tree, and what stands for one of them."""
        defining = {row[0] for row in self._ask(_BASES, self.model)} & self._definers
        return self._relatives_of(self.model, *defining)

    def _relatives_of(self, *models: str) -> frozenset[str]:
        """Return classes, their subclasses, and what stands for one of them."""
        return frozenset(
            _closure_of(
                models,
                lambda one: self._names_in(_SUBCLASSES, one) | self._names_in(_STAND_INS, one),
            )
        )

    @cached_property
    def _related_to_others(self) -> frozenset[str]:
        return self._relatives_of(*(self._definers - self._kin))

    @cached_property
    def _own_names(self) -> frozenset[str]:
        return self._kin - self._related_to_others

    @cached_property
    def _names_of_others(self) -> frozenset[str]:
        return self._related_to_others - self._kin

    @cached_property
    def _bases(self) -> frozenset[str]:
        """The bases in the tree: a field that their `self` has and they lack is a subclass's."""
        found = _closure_of(
            self._kin,
            lambda one: {n for n in self._names_in(_BASES, one) if self._ask(_CLASSES, n)},
        )
        return frozenset(found - self._definers)

    @cached_property
    def _is_user(self) -> bool:
        """True if `request.user` may be one of these."""
        above = {row[0] for name in self._kin | self._bases for row in self._ask(_BASES, name)}
        return self.model.endswith("User") or bool(above & _USERS)

    @cached_property
    def _definers(self) -> frozenset[str]:
        """The classes which define a field of this name."""
        names = [self._name, *([self._name[:-3]] if self._name.endswith("_id") else [])]
        rows = [row for name in names for row in self._ask(_DEFINERS, name)]
        return frozenset(row[0].split(".")[-2] for row in rows if "." in row[0])

    @cached_property
    def _others(self) -> frozenset[str]:
        """The names, as variables have them, of other classes with a field of this name."""
        others = {_STANDS_FOR.sub("", name) or name for name in self._definers - self._kin}
        return frozenset(_snake(name) for name in others if name != self.model)

    @cached_property
    def is_shared(self) -> bool:
        """True if other classes have a field of this name."""
        return bool(self._others)

    @cached_property
    def _fields(self) -> frozenset[str]:
        return self._fields_of(self.model)

    @cached_property
    def _fields_of_others(self) -> list[frozenset[str]]:
        return [self._fields_of(name) for name in self._definers - self._kin]

    def _fields_of(self, model: str) -> frozenset[str]:
        names = {row[0].lower() for row in self._ask(_FIELDS, model)}
        return frozenset(names | {f"{name}_id" for name in names})

    @cached_property
    def _tables(self) -> frozenset[str]:
        rows = self._ask("SELECT role FROM models WHERE name = ? AND role LIKE '#%'", self.model)
        return frozenset(row[0][1:].lower() for row in rows)

    @cached_property
    def _relations(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for role, name in self._index.connection.execute(
            "SELECT role, name FROM models WHERE role LIKE '.%'"
        ):
            found.setdefault(role[1:].lower(), set()).add(name)
        return found

    def _class_of(self, qualifier: str) -> str:
        """Return the class that is called so, or whose table is."""
        rows = self._ask(
            "SELECT name FROM symbols WHERE name = ? COLLATE NOCASE AND kind = 'class' LIMIT 1",
            qualifier,
        ) or self._ask("SELECT name FROM models WHERE role = ? COLLATE NOCASE", f"#{qualifier}")
        return rows[0][0] if rows else ""

    def _names_in(self, query: str, value: str) -> set[str]:
        return {row[0] for row in self._ask(query, value)}

    def _ask(self, query: str, value: str) -> list[tuple[str]]:
        return self._index.connection.execute(query, (value,)).fetchall()


def _closure_of(names: Iterable[str], near: Callable[[str], set[str]]) -> set[str]:
    """Return `names` and all that is reached from them by `near`, step by step."""
    found = set(names)
    pending = [*found]
    while pending:
        new = near(pending.pop()) - found
        pending += new
        found |= new
    return found


_SUBCLASSES = "SELECT s.name FROM bases AS b JOIN symbols AS s ON s.id = b.symbol WHERE b.name = ?"
_CLASSES = "SELECT name FROM symbols WHERE name = ? COLLATE NOCASE AND kind = 'class' LIMIT 1"
_RELATING = (
    "SELECT s.name FROM models AS m JOIN symbols AS s ON s.id = m.symbol WHERE m.role = '.' || ?"
)
_STOOD_FOR = (
    "SELECT name FROM models WHERE role = ? AND role NOT LIKE '.%' AND role NOT LIKE '#%' LIMIT 1"
)
_BASES = "SELECT b.name FROM bases AS b JOIN symbols AS s ON s.id = b.symbol WHERE s.name = ?"
_STAND_INS = "SELECT role FROM models WHERE name = ? AND role NOT LIKE '.%' AND role NOT LIKE '#%'"
_DEFINERS = "SELECT qualname FROM outline WHERE name = ? COLLATE NOCASE AND kind = 'attribute'"
_FIELDS = (
    "SELECT o.name FROM symbols AS s JOIN outline AS o ON o.file = s.file"
    " AND o.qualname = s.qualname || '.' || o.name WHERE s.name = ? AND s.kind = 'class'"
)


def _snake(name: str) -> str:
    return _CAPITAL.sub("_", name).lower()


_NAME = re.compile(r"[^\W\d]\w*")
_SPANS = (
    "SELECT s.line, s.end_line FROM symbols AS s JOIN files AS f ON f.id = s.file"
    " WHERE f.path = ? AND s.kind <> 'module' ORDER BY s.end_line - s.line"
)


class Enclosing:
    """The definitions around the lines of an index, and the names in their text."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._spans: dict[str, list[tuple[int, int]]] = {}
        self._names: dict[tuple[str, int, int], frozenset[str]] = {}

    def names_one_of(
        self,
        path: str,
        line: int,
        own: AbstractSet[str],
        others: AbstractSet[str],
        *,
        alone: bool = False,
    ) -> bool | None:
        """Return whether the nearest definition that names any of both sets names one of `own`.

        With `alone` it must name none of the others. None if no class or function around the line
        names any: a module that names everything tells nothing.
        """
        for first, last in self._spans_of(path):
            if first <= line <= last:
                names = self._names_in(path, first, last)
                if names & own:
                    return not (alone and names & others)
                if names & others:
                    return False
        return None

    def _spans_of(self, path: str) -> list[tuple[int, int]]:
        if path not in self._spans:
            self._spans[path] = self._index.connection.execute(_SPANS, (path,)).fetchall()
        return self._spans[path]

    def _names_in(self, path: str, first: int, last: int) -> frozenset[str]:
        span = (path, first, last)
        if span not in self._names:
            text = "\n".join(self._index.lines(path)[first - 1 : last])
            self._names[span] = frozenset(_NAME.findall(text))
        return self._names[span]
