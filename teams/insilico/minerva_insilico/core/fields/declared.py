"""The fields that an application's models declare, with the table and column of each.

A class is a model because its bases are, followed through the tree as imports prove them; a base
that nothing proves is found by its name if the tree has one class of that name. Fields of abstract
bases and mixins are those of each model below, at the line that declares them.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from minerva_insilico.core.facts.vocabulary import words
from minerva_insilico.core.index.index import Index, Page

Framework = Literal[
    "django", "sqlalchemy", "sqlmodel", "pydantic", "dataclass", "attrs", "typed_dict"
]

_MAX_BASES = 40
"""Classes above one class that are followed."""


@dataclass(frozen=True)
class DeclaredField:
    """A field of a model."""

    model: str
    field: str
    path: str
    line: int
    framework: Framework
    symbol: str
    """The qualified name of the model's class."""
    declared_in: str = ""
    """The abstract base or mixin that declares it; `path` and `line` are there."""
    type: str = ""
    table: str = ""
    """The table that the code names (`db_table`, `__tablename__`), empty if it names none."""
    column: str = ""
    label: str = ""
    comment: str = ""
    max_length: int | None = None
    nullable: bool | None = None
    encrypted: bool = False
    relation: str = ""
    """The model or the column that it refers to."""


@dataclass
class _Row:
    path: str
    line: int
    name: str
    maker: str
    binding: str
    annotation: str
    details: dict[str, Any]


@dataclass
class _Class:
    id: int
    path: str
    qualname: str
    name: str
    decorators: tuple[str, ...]
    bases: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Name and binding."""
    rows: list[_Row] = field(default_factory=list[_Row])
    options: dict[str, Any] = field(default_factory=dict[str, Any])


def declared_fields(index: Index, *, limit: int) -> Page[DeclaredField]:
    """Return the fields of all models, by path and line."""
    found = sorted(
        _Models(index).fields(), key=lambda one: (one.path, one.line, one.model, one.field)
    )
    return Page(tuple(found[:limit]), len(found))


class _Models:
    """The classes of a tree that may be models."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._frameworks: dict[int, Framework | None] = {}

    def fields(self) -> Iterator[DeclaredField]:
        yield from self._core_tables()
        for one in self._classes.values():
            framework = self._framework_of(one)
            if framework is None or self._is_only_base(one, framework):
                continue
            seen: set[str] = set()
            for above in (one, *self._above(one)):
                if above is not one and self._framework_of(above) is None:
                    continue
                # A concrete parent of Django has a table of its own: its fields are there.
                if above is not one and framework == "django" and not self._is_abstract(above):
                    continue
                for row in above.rows:
                    if row.name not in seen and self._is_field(row, framework):
                        seen.add(row.name)
                        yield self._field(one, above, row, framework)

    @cached_property
    def _classes(self) -> dict[int, _Class]:
        ask = self._index.connection.execute
        found: dict[int, _Class] = {}
        for number, path, qualname, name, decorators in ask(
            "SELECT s.id, f.path, s.qualname, s.name, s.decorators FROM symbols AS s"
            " JOIN files AS f ON f.id = s.file WHERE s.kind = 'class'"
        ):
            parts = tuple(decorators.splitlines())
            found[number] = _Class(number, path, qualname, name, parts)
        for number, name, binding in ask("SELECT symbol, name, binding FROM bases ORDER BY rowid"):
            if number in found:
                found[number].bases.append((name, binding))
        for line, number, path, name, maker, binding, annotation, details in ask(
            "SELECT d.line, d.symbol, f.path, d.name, d.maker, d.binding, d.annotation, d.details"
            " FROM declared AS d JOIN files AS f ON f.id = d.file ORDER BY d.rowid"
        ):
            said = json.loads(details)
            if number not in found or said.get("is_core"):
                continue
            if name:
                row = _Row(path, line, name, maker, binding, annotation, said)
                found[number].rows.append(row)
            else:
                found[number].options |= said
        return found

    @cached_property
    def _by_name(self) -> dict[str, list[_Class]]:
        found: dict[str, list[_Class]] = {}
        for one in self._classes.values():
            found.setdefault(one.name, []).append(one)
        return found

    @cached_property
    def _by_place(self) -> dict[tuple[str, str], _Class]:
        return {(one.path, one.qualname): one for one in self._classes.values()}

    @cached_property
    def _below(self) -> set[int]:
        """The classes from which another of the tree inherits."""
        return {
            above.id
            for one in self._classes.values()
            for name, binding in one.bases
            if (above := self._locate_base(name, binding, one)) is not None
        }

    @cached_property
    def _stars(self) -> dict[str, list[str]]:
        """The files whose names `from x import *` brings into a file."""
        found: dict[str, list[str]] = {}
        for path, target in self._index.connection.execute(
            "SELECT f.path, i.target FROM imports AS i JOIN files AS f ON f.id = i.file"
            " WHERE i.name = '*'"
        ):
            located = self._index.modules.locate(target, path)
            if located is not None and not located[1]:
                found.setdefault(path, []).append(located[0])
        return found

    def _locate_base(self, name: str, binding: str, one: _Class) -> _Class | None:
        """Return the class of the tree that a base names."""
        found: _Class | None = None
        if binding:
            place = self._index.modules.locate(binding, one.path)
            found = self._by_place.get(place) if place else None
            if found is None and place is None:
                return None  # a class outside the tree
        if found is None:
            starred = (self._by_place.get((there, name)) for there in self._stars.get(one.path, ()))
            found = next(filter(None, starred), None)
        if found is None:
            others = [each for each in self._by_name.get(name, []) if each is not one]
            found = others[0] if len(others) == 1 else None
        return None if found is one else found

    def _above(self, one: _Class) -> list[_Class]:
        """Return the bases in the tree, nearest first."""
        found: list[_Class] = []
        pending = [(base, one) for base in one.bases]
        while pending and len(found) < _MAX_BASES:
            (name, binding), below = pending.pop(0)
            above = self._locate_base(name, binding, below)
            if above is not None and above is not one and above not in found:
                found.append(above)
                pending += [(base, above) for base in above.bases]
        return found

    def _framework_of(self, one: _Class) -> Framework | None:
        if one.id not in self._frameworks:
            self._frameworks[one.id] = None  # a circle of bases is no model
            self._frameworks[one.id] = self._read_framework(one)
        return self._frameworks[one.id]

    def _read_framework(self, one: _Class) -> Framework | None:
        bases = [each for above in (one, *self._above(one)) for each in above.bases]
        names = {name for name, _ in bases}
        roots = {binding.partition(".")[0] for _, binding in bases if binding}
        if names & words("models", "sqlmodel", "bases") or "sqlmodel" in roots:
            return "sqlmodel"
        if any(_is_column(row) for row in one.rows) or (
            one.options.get("table") and any("Mapped" in row.annotation for row in one.rows)
        ):
            return "sqlalchemy"
        if any(row.binding.startswith(_DJANGO) for row in one.rows) or self._is_django(bases):
            return "django"
        if names & words("models", "pydantic", "bases") and (
            "pydantic" in roots or "ninja" in roots or "BaseModel" in names
        ):
            return "pydantic"
        if names & words("models", "typed_dict", "bases"):
            return "typed_dict"
        return _by_decorator(one)

    def _is_django(self, bases: list[tuple[str, str]]) -> bool:
        for name, binding in bases:
            if binding.startswith((*_DJANGO, ".")) and name in words("models", "django", "bases"):
                return True
            root = binding.partition(".")[0]
            is_other = root in {"pydantic", "sqlmodel", "sqlalchemy", "odoo", "peewee", "torch"}
            is_named = name in words("models", "django", "bases") or name.endswith("Model")
            if is_named and not is_other and name not in words("models", "django", "no_bases"):
                is_outside = binding and self._index.modules.locate(binding, "") is None
                if is_outside and (root.startswith("django") or name != "Model"):
                    return True
        return False

    def _is_abstract(self, one: _Class) -> bool:
        return (
            bool(one.options.get("abstract"))
            or self._framework_of(one) != "django"
            or (not one.bases)
        )

    def _is_only_base(self, one: _Class, framework: Framework) -> bool:
        """True for an abstract base with models below it: its fields are told with theirs."""
        if one.id not in self._below:
            return False
        if framework == "django":
            return bool(one.options.get("abstract")) or one.name.endswith("Mixin")
        is_mapped = framework == "sqlalchemy" and not one.options.get("table")
        is_base = framework == "sqlmodel" and not one.options.get("is_table")
        return is_mapped or is_base or one.name.endswith(("Mixin", "Base"))

    def _is_field(self, row: _Row, framework: Framework) -> bool:
        if framework == "django":
            parts = row.binding.split(".")
            others = words("models", "django", "others")
            is_form = bool(row.maker) and not others.isdisjoint(parts[:2]) and "db" not in parts
            skipped = words("models", "django", "no_fields")
            return bool(row.maker) and not is_form and row.maker not in skipped
        if framework in {"sqlalchemy", "sqlmodel"}:
            if row.maker in words("models", "sqlalchemy", "relations"):
                return False
            return _is_column(row) or bool(row.annotation)
        return bool(row.annotation) or row.maker in {"ib", "attrib", "field"}

    def _field(self, one: _Class, above: _Class, row: _Row, framework: Framework) -> DeclaredField:
        said = row.details
        module = self._index.modules.names.get(one.path, "")
        return DeclaredField(
            model=one.name,
            field=row.name,
            path=row.path,
            line=row.line,
            framework=framework,
            symbol=f"{module}.{one.qualname}" if module else one.qualname,
            declared_in="" if above is one else above.name,
            type=_type_of(row),
            table=_table_of(one, framework),
            column=_text(said.get("column")) if framework != "dataclass" else "",
            label=_text(said.get("label")),
            comment=_text(said.get("comment")),
            max_length=_whole(said.get("length")),
            nullable=_nullable(row),
            encrypted=bool(said.get("encrypted")),
            relation=_text(said.get("relation")).rpartition(".")[2]
            if framework == "django"
            else _text(said.get("relation")),
        )

    def _core_tables(self) -> Iterator[DeclaredField]:
        """Yield the columns of `Table(…)` calls: the table is the model."""
        rows = self._index.connection.execute(
            "SELECT d.line, f.path, d.name, d.maker, d.binding, d.details, f.module"
            " FROM declared AS d JOIN files AS f ON f.id = d.file"
            " WHERE d.name <> '' AND d.details LIKE '%\"is_core\"%'"
        )
        for line, path, name, maker, binding, details, module in rows.fetchall():
            said = json.loads(details)
            row = _Row(path, line, name, maker, binding, "", said)
            yield DeclaredField(
                model=said["table"], field=name, path=path, line=line, framework="sqlalchemy",
                symbol=module, type=_type_of(row), table=said["table"], column=name,
                comment=_text(said.get("comment")), max_length=_whole(said.get("length")),
                nullable=_nullable(row), encrypted=bool(said.get("encrypted")),
                relation=_text(said.get("relation")),
            )  # fmt: skip


_DJANGO = tuple(sorted(words("models", "django", "modules")))


def _is_column(row: _Row) -> bool:
    """True for SQLAlchemy's `Column`, also as `db.Column`, not for one of a shown table."""
    others = words("models", "django", "others")
    is_other = not others.isdisjoint(row.binding.split("."))
    return row.maker in words("models", "sqlalchemy", "columns") and not is_other


def _by_decorator(one: _Class) -> Framework | None:
    for decorator in one.decorators:
        chain = decorator.partition("(")[0].split(".")
        if chain[0] in words("models", "attrs", "modules") or (
            chain[-1] in words("models", "attrs", "decorators") and chain[-1] != "dataclass"
        ):
            return "attrs"
        if chain[-1] in words("models", "dataclass", "decorators"):
            return "dataclass"
    return None


def _table_of(one: _Class, framework: Framework) -> str:
    """Return the table that the class names; a name that a framework makes is not guessed."""
    table = _text(one.options.get("table"))
    if not table and framework == "sqlmodel" and one.options.get("is_table"):
        return one.name.lower()  # sqlmodel's own rule
    return table


def _type_of(row: _Row) -> str:
    return _text(row.details.get("type")) or row.annotation or row.maker


def _nullable(row: _Row) -> bool | None:
    said = row.details.get("nullable")
    if isinstance(said, bool):
        return said
    return True if "None" in row.annotation or "Optional" in row.annotation else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
