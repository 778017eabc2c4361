"""Which of the uses of a name are of one model's field.

`status` may be a patient's or an invoice's. A question that names the model (`Patient.status`,
`tb_patient.status`) sorts the uses: *certain* is what the text proves to be this model's, *left
out* what it proves to be another's, and *possible* all else, because a place that was looked at in
vain costs less than one that breaks. A key or a text without any owner is left out, too, unless the
function or class around it names the model.
"""

import re
from collections.abc import Iterable, Set as AbstractSet
from functools import cached_property
from typing import NamedTuple

from minerva_insilico.core.facts.field_owner import (
    LONE_TEXT,
    CalledFunction,
    KnownClass,
    LoneText,
    Origin,
    Owner,
    Siblings,
    read_owners,
)
from minerva_insilico.core.facts.receiver_types import REQUEST_USER
from minerva_insilico.core.facts.vocabulary import words
from minerva_insilico.core.fields.class_family import ClassFamily, snake_case
from minerva_insilico.core.fields.enclosing import Enclosing
from minerva_insilico.core.fields.value_way import ValueWays
from minerva_insilico.core.fields.verdict import (
    BASE,
    BESIDE,
    BODY,
    CALLED_SO,
    NEAR,
    NEIGHBOUR,
    ONLY_ONE,
    TABLES,
    UNION,
    UNKNOWN,
    Verdict,
    certain,
    left_out,
)
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

_HOLDS_NO_RECORD = words("frameworks", "variables", "without_records")
_HOLDS_RECORDS = words("frameworks", "variables", "with_records")
_MAKES_RECORDS = frozenset({"dict", "evolve", "model_copy", "namedtuple", "replace", "update"})
_USERS = frozenset({"AbstractBaseUser", "AbstractUser", "User"})
_KEYS_OF_ALL = frozenset({"id", "pk", "uuid"})


class FieldUseRow(NamedTuple):
    """A use of a name, as the index has it."""

    name: str
    path: str
    line: int
    kind: str
    tables: str
    owner: str
    symbol: str
    """The qualified name of the definition around it, in its module."""
    symbol_kind: str


class FieldFilter:
    """Decides if a use is of the field `name` of the class or table `qualifier`."""

    def __init__(self, index: Index, qualifier: str, name: str) -> None:
        self._index, self._name = index, name.lower()
        self._enclosing = Enclosing(index)
        self._classes = ClassFamily(index, self._name)
        self._ways = ValueWays(index, self._classes)
        self._verdicts: dict[tuple[str, str], Verdict | None] = {}
        self.model = self._classes.class_of(qualifier.rpartition(".")[2])
        """The class, or empty where the index knows no such class or table."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name, and the column's that Django makes of a relation: `author`, `author_id`."""
        models = self._index.connection.execute(_RELATING, (self._name,)).fetchall()
        is_relation = any(row[0] in self._kin for row in models)
        return (self._name, f"{self._name}_id") if is_relation else (self._name,)

    def judge(self, use: FieldUseRow) -> Verdict:
        """Return how sure it is that a use is of this field, and why."""
        found = self._judge(use)
        is_history = found.score and use.path in self._classes.migrations
        return left_out("migration") if is_history else found

    def _judge(self, use: FieldUseRow) -> Verdict:
        if use.kind == "sql_string" and use.tables:
            return self._of_tables(use.tables.split())
        owners = read_owners(use.owner)
        body = self._in_own_body(use, owners)
        found = [body] if body else [self._verdict(one, use.kind, use.path) for one in owners]
        known = [one for one in found if one is not None]
        best = max(known, default=None, key=lambda one: one.score)
        if best is not None and (best.score or len(known) == len(found)):
            return best
        near = self._enclosing.names_one_of(
            use.path,
            use.line,
            self._own_names,
            self._names_of_others,
            alone=owners == (LONE_TEXT,),
        )
        if near is None and use.kind in {"dict_key", "string"}:
            hints = {one.hint if isinstance(one, Origin) else one for one in owners}
            return UNKNOWN if hints & _HOLDS_RECORDS else left_out("untied")
        return {True: NEAR, None: UNKNOWN, False: left_out("other_near")}[near]

    def _in_own_body(self, use: FieldUseRow, owners: tuple[Owner, ...]) -> Verdict | None:
        """Judge a text in the body of the class itself: `Index("status")`, `("name", "status")`."""
        around = use.symbol.split(".")
        is_own = use.symbol_kind == "class" and not self._kin.isdisjoint(around[-2:])
        if not is_own or use.kind not in {"dict_key", "string", "sql_string"}:
            return None
        match owners:
            case ("",):
                return certain("body")
            case (Siblings(names),):
                return certain("body") if self._are_fields(names) else BODY
            case (LoneText(),):
                return BODY
            case _:
                return None

    def _of_tables(self, tables: list[str]) -> Verdict:
        own = [self._is_table(table) for table in tables]
        if not any(own):
            return left_out("other_table")
        return certain("table") if all(own) or not self.is_shared else TABLES

    def _verdict(self, owner: Owner, kind: str, path: str) -> Verdict | None:
        """Return what an owner shows; None if nothing shows the use's owner."""
        match owner:
            case KnownClass(name, model):
                return self._of_class(name, model)
            case Siblings(names):
                return self._of_siblings(names)
            case CalledFunction(name):
                return self._of_function(name)
            case Origin(way, hint):
                return self._of_way(way, path) or self._of_hint(hint, kind)
            case LoneText() | "":
                is_text = kind in {"dict_key", "string"}
                return None if self.is_shared and is_text else self._of_name_alone(kind)
            case str():
                return self._of_hint(owner, kind)

    def _of_name_alone(self, kind: str) -> Verdict:
        """Judge a use without any owner by the name alone."""
        if self.is_shared:
            return UNKNOWN
        is_read = kind == "attribute" and self._is_only_one and "_" in self._name
        return certain("only_one") if is_read else ONLY_ONE

    def _of_class(self, name: str, model: str) -> Verdict | None:
        if (name, model) not in self._verdicts:
            self._verdicts[name, model] = self._judge_class(name, model)
        return self._verdicts[name, model]

    def _judge_class(self, name: str, model: str) -> Verdict | None:
        near = model or name
        by_family: list[tuple[AbstractSet[str], Verdict]] = [
            (self._mirrors, certain("mirror")),
            (self._kin, certain("class")),
            (self._neighbours, NEIGHBOUR),
            (self._bases, BASE if self.is_shared else certain("base")),
        ]
        if name == REQUEST_USER.name:
            by_family.append(({name}, self._of_request_user))
        for names, verdict in by_family:
            if near in names:
                return verdict
        aliases = self._classes.alias(name) if name not in self._classes.class_names else None
        if aliases is not None:
            return self._of_alias(aliases)
        around = self._classes.family_of(name)
        if model or any(self._classes.stands_for_a_model(one) for one in around):
            return left_out("other_class")
        is_stand_in = any(_STANDS_FOR.search(one) for one in around)
        is_open = is_stand_in and self._name not in self._classes.fields_of(
            *self._classes.bases_of(name)
        )
        if "Protocol" in around and not is_open:
            return BASE  # a class is of a protocol by its attributes alone
        return None if is_open else left_out("other_class")

    def _of_alias(self, names: Iterable[str]) -> Verdict | None:
        """Judge by the classes that an alias or a type variable stands for."""
        members = [self._of_class(name, "") if name else None for name in names]
        if all(one and one.score == 1 for one in members):
            return certain("alias")
        if None in members or any(one.score for one in members if one):
            return UNION if any(members) else None
        return left_out("other_class")

    def _of_way(self, way: str, path: str) -> Verdict | None:
        """Judge by the classes to which attributes and calls lead; None if they lead nowhere."""
        names, is_proved = self._ways.end_of(way, path)
        found = self._of_alias(names) if names else None
        if found is None or is_proved:
            return found and Verdict(found.score, "relation" if found.score else "other_relation")
        return CALLED_SO if found.score == 1 else None

    def _of_hint(self, hint: str, kind: str) -> Verdict | None:
        """Judge by the name of a variable, or of an attribute (`.ward`)."""
        is_attribute = hint.startswith(".")
        word = hint.lower().strip("._")
        leads_to = self._classes.attributes if is_attribute else self._classes.relations
        targets = leads_to.get(word) or leads_to.get(f"{word}s")
        if targets is not None:
            found = self._of_alias(targets) or UNION
            if found.score == 1 and not (is_attribute or self._is_only_one):
                return CALLED_SO
            return Verdict(found.score, "relation" if found.score else "other_relation")
        if self._is_called(word, snake_case(self.model)):
            return certain("only_one") if self._is_only_one else CALLED_SO
        if hint in _HOLDS_NO_RECORD:
            return left_out("no_record")
        is_others = any(self._is_called(word, one) for one in self._others)
        if is_others and kind == "string":
            return left_out("other_text")
        return (
            None
            if is_others or (kind == "dict_key" and self.is_shared)
            else self._of_name_alone(kind)
        )

    @staticmethod
    def _is_called(word: str, snake: str) -> bool:
        """True if a variable bears a class's name: `patient`, `patients`, `old_patient`.

        Migrations write `OrderLine` or `orderline`.
        """
        names, spellings = {word, word.removesuffix("s")}, {snake, snake.replace("_", "")}
        return bool(names & spellings) or any(name.endswith(f"_{snake}") for name in names)

    def _of_function(self, name: str) -> Verdict | None:
        """Judge a keyword of a function that makes no class's object."""
        if name in _MAKES_RECORDS:
            return None if self.is_shared else ONLY_ONE
        is_called = snake_case(self.model) in name.lower()
        signatures = self._index.connection.execute(_SIGNATURES, (name,)).fetchall()
        if signatures and all(_parameter(self._name).search(row[0]) for row in signatures):
            return Verdict(0.5, "called_so") if is_called else left_out("parameter")
        return CALLED_SO if is_called else left_out("other_function")

    def _of_siblings(self, names: Iterable[str]) -> Verdict | None:
        are_fields = self._are_fields(names)
        return BESIDE if are_fields else left_out("other_text") if are_fields is False else None

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
        own = {snake_case(self.model), self.model.lower()}
        return any(
            one == called or one.endswith(f"_{called}")
            for one in (name, name.removesuffix("s"))
            for called in own
        )

    @cached_property
    def _tables(self) -> frozenset[str]:
        return self._classes.tables_of(self.model)

    @cached_property
    def _mirrors(self) -> frozenset[str]:
        """The schemas that are read from objects of the class."""
        return self._classes.readers_of(self.model) - self._own_family

    @cached_property
    def _neighbours(self) -> frozenset[str]:
        """The classes beside it that are named after it and have the field."""
        return self._classes.neighbours_of(self.model) - self._kin

    @cached_property
    def _own_family(self) -> frozenset[str]:
        """The class, its subclasses, its bases in the tree, and what stands for one of them."""
        defining = self._classes.bases_of(self.model) & self._classes.definers
        return self._classes.relatives_of(self.model, *defining)

    @cached_property
    def _kin(self) -> frozenset[str]:
        return self._own_family | self._mirrors

    @cached_property
    def _related_to_others(self) -> frozenset[str]:
        return self._classes.relatives_of(*self._other_definers)

    @cached_property
    def _other_definers(self) -> frozenset[str]:
        return self._classes.definers - self._kin - self._neighbours

    @cached_property
    def _own_names(self) -> frozenset[str]:
        return self._kin - self._related_to_others

    @cached_property
    def _names_of_others(self) -> frozenset[str]:
        return self._related_to_others - self._kin

    @cached_property
    def _bases(self) -> frozenset[str]:
        """The bases in the tree: a field that their `self` has and they lack is a subclass's."""
        found = self._classes.bases_of(*self._kin) & self._classes.class_names
        return found - self._classes.definers

    @cached_property
    def _of_request_user(self) -> Verdict:
        """Judge `request.user`, of which only the settings know the class."""
        if self._classes.bases_of(*self._own_family) & (_USERS - {self.model}):
            return certain("class")
        return CALLED_SO if self.model.endswith("User") else left_out("other_class")

    @cached_property
    def _others(self) -> frozenset[str]:
        """The names, as variables have them, of other classes with a field of this name."""
        others = {_STANDS_FOR.sub("", name) or name for name in self._other_definers}
        return frozenset(snake_case(name) for name in others if name != self.model)

    @cached_property
    def is_shared(self) -> bool:
        """True if other classes have a field of this name."""
        return bool(self._others)

    @cached_property
    def _is_only_one(self) -> bool:
        """True if nothing else in the tree is called so: no field, no method, no `self.x`."""
        around = {
            qualname.split(".")[-2] if "." in qualname else ""
            for (qualname,) in self._index.connection.execute(_SO_CALLED, (self._name,))
        }
        owners = {
            one.model or one.name
            for (owner,) in self._index.connection.execute(_OWNERS, (self._name,))
            for one in read_owners(owner)
            if isinstance(one, KnownClass)
        }
        own = self._kin | self._bases | self._neighbours
        return not (self.is_shared or around - own or owners - own)

    @cached_property
    def _fields(self) -> frozenset[str]:
        """The fields of the class, and of its bases that define this one."""
        defining = self._classes.bases_of(self.model) & self._classes.definers
        return self._classes.fields_of(self.model, *defining)

    @cached_property
    def _fields_of_others(self) -> list[frozenset[str]]:
        return [self._classes.fields_of(name) for name in self._other_definers]


def _parameter(name: str) -> re.Pattern[str]:
    return re.compile(rf"[(\s*]{re.escape(name)}\s*[:=,)]", re.IGNORECASE)


_RELATING = (
    "SELECT s.name FROM models AS m JOIN symbols AS s ON s.id = m.symbol WHERE m.role = '.' || ?"
)
_SIGNATURES = "SELECT signature FROM symbols WHERE name = ? AND kind IN ('function', 'method')"
_SO_CALLED = "SELECT qualname FROM symbols WHERE name = ? COLLATE NOCASE AND kind <> 'module'"
_OWNERS = (
    "SELECT DISTINCT owner FROM uses WHERE name = ? COLLATE NOCASE AND owner LIKE '%=%'"
    " AND kind = 'attribute'"
)
