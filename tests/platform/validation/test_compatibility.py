"""What is found compatible is read without fault, whatever the producer writes."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any, Literal, NamedTuple, NotRequired

import pytest
from hypothesis import given, settings, strategies as st
from pydantic import BaseModel, ConfigDict, Field, create_model
from typing_extensions import TypedDict as StrictTypedDict

from minerva_platform import Handoff
from minerva_platform.validation.compatibility import incompatibilities


def handoff(**fields: Any) -> type[Handoff]:
    """Return a Handoff of the kind `compat.it` with `fields`."""
    named: dict[str, Any] = {
        name: it if isinstance(it, tuple) else (it, ...) for name, it in fields.items()
    }
    model: Any = create_model("It", __base__=Handoff, **named)
    model.kind = "compat.it"
    made: type[Handoff] = model
    return made


class Column(BaseModel):
    """Nested, as the producer writes it."""

    name: str
    status: Literal["renamed", "standard"]
    length: int | None = None


class ColumnReader(BaseModel):
    """Nested, as a consumer reads it."""

    status: Literal["renamed", "standard", "unresolved"]
    length: float | None = None
    note: str = ""


class Closed(BaseModel):
    """A reader that tolerates nothing."""

    model_config = ConfigDict(extra="forbid")
    name: str


class Tree(BaseModel):
    """A model that holds itself."""

    name: str
    below: tuple["Tree", ...] = ()


class TreeReader(BaseModel):
    """It read by somebody else."""

    name: str
    below: list["TreeReader"] = []


class NumberTree(BaseModel):
    """It read wrongly, deep inside."""

    name: str | int
    below: list["NumberTree"] = []
    size: int


class Sometimes(StrictTypedDict):
    """A key that may be left out."""

    key: NotRequired[str]


class Always(StrictTypedDict):
    """A key that must be there."""

    key: str


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (int, int),
        (int, float),
        (int, int | None),
        (str, Any),
        (str, str | int),
        (Literal["a"], Literal["a", "b"]),
        (Literal["a", "b"], str),
        (Column, ColumnReader),
        (tuple[Column, ...], list[ColumnReader]),
        (tuple[int, int], list[int]),
        (tuple[int, str], tuple[float, str]),
        (dict[str, int], dict[str, float]),
        (Column, dict[str, Any]),
        (Tree, TreeReader),
        (date, str),
        (str, Path),
        (Always, Sometimes),
        (int | None, str | int | None),
    ],
)
def test_compatible(written: Any, read: Any) -> None:
    """A wider reader reads a narrower writer."""
    assert incompatibilities(handoff(it=written), handoff(it=read)) == []


@pytest.mark.parametrize(
    ("written", "read", "problems"),
    [
        (str, int, ["`it` is string, expected integer"]),
        (float, int, ["`it` is number, expected integer"]),
        (int | None, int, ["`it` is null, expected integer"]),
        (int | None, int | str, ["`it` is null, expected integer or string"]),
        (Any, str, ["`it` is any, expected string"]),
        (str, Literal["a"], ["`it` may be other than a"]),
        (Literal["a", "c"], Literal["a", "b"], ["`it` may be other than a, b"]),
        (list[str], list[int], ["`it[]` is string, expected integer"]),
        (list[Any], list[int], ["`it[]` is any, expected integer"]),
        (list[int], tuple[int, int], ["`it` has another number of items, expected 2"]),
        (tuple[int, str], tuple[int, int], ["`it[1]` is string, expected integer"]),
        (tuple[int, str], list[int], ["`it[]` is string, expected integer"]),
        (dict[str, str], dict[str, int], ["`it.*` is string, expected integer"]),
        (dict[str, int], Column, ["`it.name` is integer, expected string", "`it.name` is missing"]),
        (Column, dict[str, str], ["`it.length` is integer, expected string"]),
        (Column, Closed, ["`it.status` is not expected", "`it.length` is not expected"]),
        (Tree, NumberTree, ["`it.size` is missing"]),
        (Sometimes, Always, ["`it.key` is missing"]),
        (str, date, ["`it` may be any string, expected date"]),
        (Column, int, ["`it` is object, expected integer"]),
    ],
)
def test_incompatible(written: Any, read: Any, problems: Sequence[str]) -> None:
    """Each difference is told with its place in the payload."""
    found = incompatibilities(handoff(it=written), handoff(it=read))

    assert [problem for problem in found if problem in problems] == list(problems)


def test_a_field_is_needed_only_if_its_reader_requires_it() -> None:
    """A consumer declares just what it reads."""
    producer = handoff(a=int, b=str)

    assert incompatibilities(producer, handoff(a=int)) == []
    assert incompatibilities(producer, handoff(a=int, c=(int, 0))) == []
    assert incompatibilities(producer, handoff(c=int)) == ["`c` is missing"]
    assert incompatibilities(producer, producer) == []


def test_names_are_compared_as_they_are_written_and_read() -> None:
    """A producer's alias is not in its JSON; a consumer's is what it looks for."""
    aliased = handoff(it=(int, Field(alias="other")))

    assert incompatibilities(aliased, handoff(it=int)) == []
    assert incompatibilities(handoff(other=int), aliased) == []
    assert incompatibilities(handoff(it=int), aliased) == ["`other` is missing"]


class Typed(NamedTuple):
    """An annotation and a source of its values."""

    annotation: Any
    values: st.SearchStrategy[Any]


SCALARS = st.sampled_from(
    [
        Typed(int, st.integers(-(2**60), 2**60)),
        Typed(float, st.floats(allow_nan=False, allow_infinity=False)),
        Typed(str, st.text(max_size=5)),
        Typed(bool, st.booleans()),
        Typed(None, st.none()),
        Typed(Literal["a"], st.just("a")),
        Typed(Literal["a", "b"], st.sampled_from(["a", "b"])),
    ]
)


def _generic(origin: Any, *arguments: Any) -> Any:
    """Return `origin[arguments]`, made at run time."""
    return origin[arguments]


def _wrapped(inner: st.SearchStrategy[Typed]) -> st.SearchStrategy[Typed]:
    def several(it: Typed) -> Typed:
        return Typed(
            _generic(tuple, it.annotation, ...), st.lists(it.values, max_size=3).map(tuple)
        )

    def listed(it: Typed) -> Typed:
        return Typed(_generic(list, it.annotation), st.lists(it.values, max_size=3))

    def mapped(it: Typed) -> Typed:
        keys = st.sampled_from(["a", "b", "c"])
        made = _generic(dict, str, it.annotation)
        return Typed(made, st.dictionaries(keys, it.values, max_size=3))

    def optional(it: Typed) -> Typed:
        return Typed(it.annotation | None if it.annotation else None, it.values | st.none())

    def paired(two: tuple[Typed, Typed]) -> Typed:
        values = st.tuples(two[0].values, two[1].values)
        return Typed(_generic(tuple, two[0].annotation, two[1].annotation), values)

    return st.one_of(
        inner.map(several),
        inner.map(listed),
        inner.map(mapped),
        inner.map(optional),
        st.tuples(inner, inner).map(paired),
        st.dictionaries(st.sampled_from("abc"), inner, min_size=1, max_size=3).map(_nested),
    )


def _nested(fields: dict[str, Typed]) -> Typed:
    named: Any = {name: (it.annotation, ...) for name, it in fields.items()}
    model = create_model("Nested", **named)
    return Typed(model, st.fixed_dictionaries({name: it.values for name, it in fields.items()}))


TYPES = st.recursive(SCALARS, _wrapped, max_leaves=4)


@st.composite
def widened(draw: st.DrawFn, it: Typed) -> Any:
    """Draw an annotation that is often, not always, a wider one."""
    other = draw(TYPES).annotation
    wider = it.annotation | None if it.annotation else None
    return draw(st.sampled_from([it.annotation, wider, other, Any, float, dict[str, Any]]))


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(data=st.data(), written=st.dictionaries(st.sampled_from("ab"), TYPES, min_size=1))
def test_what_is_compatible_validates(data: st.DataObject, written: dict[str, Typed]) -> None:
    """If nothing is found, every payload of the producer is read by the consumer."""
    producer = handoff(**{name: it.annotation for name, it in written.items()})
    read: Any = {name: data.draw(widened(it)) for name, it in written.items()}
    consumer = handoff(**read)
    values = {name: data.draw(it.values) for name, it in written.items()}
    payload = producer.model_validate(values).model_dump(mode="json")

    problems = incompatibilities(producer, consumer)

    if not problems:
        consumer.model_validate(payload)
