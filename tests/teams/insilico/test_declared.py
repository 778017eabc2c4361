"""The fields that models declare, in Django and elsewhere."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from salon import SALON

from minerva_insilico.agents.ast_parser import AstParserAgent
from minerva_insilico.agents.code_search import CodeSearchAgent
from minerva_insilico.core.fields.declared import DeclaredField, declared_fields
from minerva_insilico.core.index.index import Index

Write = Callable[[str, Mapping[str, str | bytes]], Path]
Open = Callable[[Path], Index]


def fields(index: Index) -> dict[tuple[str, str], DeclaredField]:
    """Return the fields by model and name."""
    found = declared_fields(index, limit=1_000).items
    return {(one.model, one.field): one for one in found}


def test_a_django_application_tells_its_fields(write: Write, open_index: Open) -> None:
    """Each concrete model with its own fields and those of its abstract base, at their lines."""
    found = fields(open_index(write("proj", SALON)))

    assert {(model, field, one.path, one.line) for (model, field), one in found.items()} == {
        ("Guest", "first_name", "salon/people/bases.py", 8),
        ("Guest", "email", "salon/people/bases.py", 9),
        ("Guest", "phone_number", "salon/people/bases.py", 10),
        ("Guest", "resident_number", "salon/people/models.py", 8),
        ("Guest", "birth_date", "salon/people/models.py", 9),
        ("Stylist", "first_name", "salon/people/bases.py", 8),
        ("Stylist", "email", "salon/people/bases.py", 9),
        ("Stylist", "phone_number", "salon/people/bases.py", 10),
        ("Stylist", "manager", "salon/people/models.py", 16),
        ("Visit", "guest", "salon/people/models.py", 20),
        ("Visit", "starts_at", "salon/people/models.py", 21),
    }


def test_what_a_declaration_says_of_a_field(write: Write, open_index: Open) -> None:
    """Label, help, length, column, table, relation and encryption, as far as the text has them."""
    found = fields(open_index(write("proj", SALON)))
    email, number = found["Guest", "email"], found["Guest", "resident_number"]

    assert (email.label, email.comment, email.declared_in) == (
        "E-mail",
        "where bills go",
        "Contact",
    )
    assert (number.label, number.max_length, number.encrypted) == ("주민등록번호", 256, True)
    assert (number.type, number.table) == ("EncryptedCharField", "tb_guest")
    assert found["Guest", "birth_date"].column == "BRDT"
    assert found["Stylist", "phone_number"].nullable is True
    assert found["Visit", "guest"].relation == "Guest"
    assert {one.framework for one in found.values()} == {"django"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship\n"
            "class Base(DeclarativeBase): ...\n"
            "class User(Base):\n"
            "    __tablename__ = 'tb_user'\n"
            "    id: Mapped[int] = mapped_column(primary_key=True)\n"
            "    email: Mapped[str | None] = mapped_column(String(80), comment='e-mail')\n"
            "    name: Mapped[str]\n"
            "    orders = relationship('Order')\n",
            {
                ("User", "id", 5, "sqlalchemy", "tb_user"),
                ("User", "email", 6, "sqlalchemy", "tb_user"),
                ("User", "name", 7, "sqlalchemy", "tb_user"),
            },
        ),
        (
            "db = SQLAlchemy()\nclass User(db.Model):\n"
            "    email = db.Column('E_MAIL', db.String(80), nullable=False)\n",
            {("User", "email", 3, "sqlalchemy", "")},
        ),
        (
            "users = Table('users', metadata,\n    Column('email', String(80)),\n"
            "    Column('boss', ForeignKey('users.id')))\n",
            {("users", "email", 2, "sqlalchemy", "users"),
             ("users", "boss", 3, "sqlalchemy", "users")},
        ),
        (
            "from pydantic import BaseModel, Field\nclass User(BaseModel):\n"
            "    email: str = Field(description='mail', max_length=9)\n    age: int = 0\n",
            {("User", "email", 3, "pydantic", ""), ("User", "age", 4, "pydantic", "")},
        ),
        (
            "from sqlmodel import SQLModel, Field\nclass UserBase(SQLModel):\n    email: str\n"
            "class User(UserBase, table=True):\n    id: int = Field(primary_key=True)\n",
            {("User", "email", 3, "sqlmodel", "user"), ("User", "id", 5, "sqlmodel", "user")},
        ),
        (
            "from dataclasses import dataclass, field\nfrom typing import ClassVar\n@dataclass\n"
            "class User:\n    email: str\n    tags: list[str] = field(default_factory=list)\n"
            "    count: ClassVar[int] = 0\n",
            {("User", "email", 5, "dataclass", ""), ("User", "tags", 6, "dataclass", "")},
        ),
        (
            "import attrs\n@attrs.define\nclass User:\n    email: str\n    age = attrs.field()\n",
            {("User", "email", 4, "attrs", ""), ("User", "age", 5, "attrs", "")},
        ),
        (
            "from typing import TypedDict\nclass User(TypedDict):\n    email: str\n",
            {("User", "email", 3, "typed_dict", "")},
        ),
        (
            "from django import forms\nclass F(forms.Form):\n    email = forms.EmailField()\n",
            set[tuple[str, str, int, str, str]](),
        ),
        (
            "from rest_framework import serializers\nclass S(serializers.Serializer):\n"
            "    email = serializers.EmailField()\n",
            set[tuple[str, str, int, str, str]](),
        ),
        ("class A:\n    email: str\n", set[tuple[str, str, int, str, str]]()),
        (
            "class A(B):\n    email: str\nclass B(A):\n    name: str\n",
            set[tuple[str, str, int, str, str]](),
        ),
    ],
)  # fmt: skip
def test_models_of_other_frameworks(
    write: Write, open_index: Open, source: str, expected: set[tuple[str, str, int, str, str]]
) -> None:
    """Forms, serializers and plain classes are none."""
    found = fields(open_index(write("pkg", {"m.py": source})))

    assert {
        (model, field, one.line, one.framework, one.table) for (model, field), one in found.items()
    } == expected


def test_the_fields_leave_with_the_index(write: Write) -> None:
    """The hand-off counts all, and names what could not be read."""
    root = write("proj", {**SALON, "salon/old.py": "print 'x'\n"})
    given = AstParserAgent().invoke({"request": "index this", "source": root})["declared"]

    assert (len(given["fields"]), given["total"], given["truncated"]) == (11, 11, False)
    assert given["unparsed"] == ["salon/old.py"]


def test_the_sinks_of_declared_fields_leave_without_a_plan(write: Write) -> None:
    """A review of code alone gets each field's sink, host and place; a masked one is none."""
    index = AstParserAgent().invoke({"request": "", "source": write("proj", SALON)})["index"]
    given = CodeSearchAgent().invoke({"request": "which code logs?", "index": index})["uses"]
    found = {
        (use["name"], use["sink"], use["destination"], use["path"], use["line"])
        for use in given["uses"]
        if use["sink"] and not use["suspected"]
    }

    assert {
        ("email", "logging", "", "salon/desk/views.py", 12),
        ("first_name", "http", "cards.example.net", "salon/desk/views.py", 13),
        ("first_name", "file", "letters.txt", "salon/desk/views.py", 20),
        ("birth_date", "template", "", "salon/desk/views.py", 22),
    } <= found
    assert "phone_number" not in {name for name, *_ in found}
    suspected = {(use["name"], use["line"]) for use in given["uses"] if use["suspected"]}
    assert ("resident_number", 21) in suspected
