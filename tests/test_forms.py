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
