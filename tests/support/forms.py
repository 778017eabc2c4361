"""The small form of a matrix for `make test`, and the whole of it for `make chaos`.

    @pytest.mark.parametrize(("kind", "size", "way"), forms(product(*AXES), pairs(*AXES)))

`MINERVA_TEST_FORM=whole` gives the whole form, whose cases have the marker `whole`. The marker
`small` gives both forms of a test as it stands, its fixtures' databases included:

    @pytest.mark.small(3)  # of its cases, with equal distances; which is first goes by its name
    @pytest.mark.small("postgres")  # the cases with this word
    @pytest.mark.small(databases=1)  # each case once, and the databases in turn
    @pytest.mark.small  # it looks at `IS_WHOLE` itself
"""

import os
import re
from collections.abc import Iterable, Sequence
from itertools import combinations, cycle, groupby, product
from typing import Any, Final
from zlib import crc32

import pytest

_DATABASE: Final = re.compile("sqlite|postgres")
IS_WHOLE: Final = os.environ.get("MINERVA_TEST_FORM") == "whole"


def forms(whole: Iterable[Any], small: Iterable[Any]) -> list[Any]:
    """Return the small form, or the whole one where that is asked for."""
    if not IS_WHOLE:
        return list(small)
    return [pytest.param(*_values(case), marks=pytest.mark.whole) for case in whole]


def spread(cases: Iterable[Any], count: int) -> list[Any]:
    """Return both forms of a list: all of it, and `count` cases with equal distances."""
    every = list(cases)
    step = max(len(every) / count, 1.0)
    return forms(every, [every[int(step * at)] for at in range(min(count, len(every)))])


def divided(items: Sequence[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Return the tests of a form, and those that are left to the other one."""
    kept: list[pytest.Item] = []
    for _, same in groupby(items, key=_function):
        cases = list(same)
        marker = cases[0].get_closest_marker("small")
        if marker is None:
            kept += [case for case in cases if IS_WHOLE or not case.get_closest_marker("whole")]
        elif IS_WHOLE:
            kept += cases
            for case in cases:
                case.add_marker("whole")
        else:
            kept += _few(cases, *marker.args, **marker.kwargs)
    taken = {id(item) for item in kept}
    return kept, [item for item in items if id(item) not in taken]


def _few(
    cases: list[pytest.Item], wanted: int | str | None = None, *, databases: int = 0
) -> list[pytest.Item]:
    by_name = crc32(_function(cases[0]).encode())
    if databases:
        same: dict[str, list[pytest.Item]] = {}
        for case in cases:
            same.setdefault(_DATABASE.sub("", case.name), []).append(case)
        return [its[(at + by_name) % len(its)] for at, its in enumerate(same.values())]
    if wanted is None:
        return cases
    if isinstance(wanted, str):
        return [case for case in cases if wanted in case.name] or cases
    step = max(len(cases) / wanted, 1.0)
    first = by_name % int(step)
    return [cases[first + int(step * at)] for at in range(min(wanted, len(cases)))]


def _function(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def each_with(few: Iterable[Any], many: Iterable[Any]) -> list[Any]:
    """Return both forms of a product: all of it, and each of `many` once, with `few` in turn."""
    first, second = list(few), list(many)
    return forms(product(first, second), zip(cycle(first), second, strict=False))


def pairs(*axes: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Return few rows in which each value of an axis meets each value of every other one."""
    values = [list(axis) for axis in axes]
    rows = [*product(*(range(len(axis)) for axis in values))]
    missing = {pair for row in rows for pair in _met(row)}
    taken: list[tuple[int, ...]] = []
    while missing:
        best = max(rows, key=lambda row: len(missing & _met(row)))
        missing -= _met(best)
        taken.append(best)
    return [tuple(axis[at] for axis, at in zip(values, row, strict=True)) for row in taken]


def _met(row: Sequence[int]) -> set[tuple[tuple[int, int], ...]]:
    return set(combinations(enumerate(row), 2))


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
