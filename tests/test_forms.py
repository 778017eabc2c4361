"""A small form loses no value, and no pair of values."""

from itertools import combinations, product

import pytest
from forms import IS_WHOLE, forms, pairs, spread

AXES = ("abcd", (1, 2, 3), (True, False))


def test_each_value_meets_each_of_every_other_axis() -> None:
    """In half of the rows of the product, or less."""
    rows = pairs(*AXES)

    for (one, first), (two, second) in combinations(enumerate(AXES), 2):
        assert {(row[one], row[two]) for row in rows} == set(product(first, second))
    assert len(rows) <= 13


def test_a_small_form_is_part_of_the_whole() -> None:
    """With the first case, and with its order."""
    assert spread(range(10), 3) == [0, 3, 6] or IS_WHOLE
    assert spread("ab", 3) == ["a", "b"] or IS_WHOLE
    assert forms("abc", "b") == ["b"] or IS_WHOLE


@pytest.mark.parametrize("number", forms([1, 2], [1]))
def test_the_whole_form_is_asked_for(number: int) -> None:
    """A case of it is marked, so that `make chaos` finds it."""
    assert number in ((1, 2) if IS_WHOLE else (1,))


@pytest.mark.small(2)
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_some_cases_are_the_small_form(number: int, request: pytest.FixtureRequest) -> None:
    """The others are left to `make chaos`, which has all of them."""
    asked = [item.name for item in request.session.items if "some_cases_are" in item.name]

    assert f"test_some_cases_are_the_small_form[{number}]" in asked
    assert len(asked) == (4 if IS_WHOLE else 2)


@pytest.mark.small("large")
@pytest.mark.parametrize("size", ["large", "other"])
def test_a_word_chooses_the_small_form(size: str) -> None:
    """As a database is chosen by its name."""
    assert size == "large" or IS_WHOLE


@pytest.mark.small(databases=1)
@pytest.mark.parametrize("case", ["a", "b"])
@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_databases_take_turns(database: str, case: str, request: pytest.FixtureRequest) -> None:
    """Each case is there, and each database."""
    asked = [item.name for item in request.session.items if "databases_take_turns" in item.name]

    assert f"test_databases_take_turns[{database}-{case}]" in asked
    assert len(asked) == (4 if IS_WHOLE else 2)
    assert {name.partition("[")[2][:-3] for name in asked} == {"sqlite", "postgres"}
