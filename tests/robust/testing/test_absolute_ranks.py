"""The absolute form of Kruskal and Wallis' statistic: how far one person moves it, in all small data sets."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from scipy import stats

from discreet.robust.testing.absolute_ranks import (
    ADD_REMOVE_SENSITIVITY,
    REPLACE_SENSITIVITY,
    find_ranks,
    measure_absolute_ranks,
)

Person = tuple[int, int]
"""A value and a group."""


@cache
def measure(people: tuple[Person, ...]) -> float:
    if len(people) < 2:
        return 0.0
    values, groups = np.array(people).T
    return float(measure_absolute_ranks(find_ranks(values.astype(float)), groups))


@pytest.mark.parametrize("others", [1, 2, 3])
def test_one_person_moves_it_by_less_than_the_theorem_says(others: int) -> None:
    """All sets of so many others with three groups and as many values as there are people, ties among them."""
    possible = list(product(range(others + 1), range(3)))
    replaced, added = 0.0, 0.0
    for rest in combinations_with_replacement(possible, others):
        moved = [measure(tuple(sorted((*rest, one)))) for one in possible]
        replaced = max(replaced, max(moved) - min(moved))
        added = max(added, *(abs(each - measure(rest)) for each in moved))
    count = others + 1
    factor = 4 * (count - 1) / count**2
    assert replaced == pytest.approx(factor * {2: 1, 3: 2, 4: 4}[count])
    assert replaced <= factor * 2 * (count - 1) < REPLACE_SENSITIVITY
    assert added < ADD_REMOVE_SENSITIVITY


def test_larger_samples_are_within_the_theorem_too() -> None:
    rng = np.random.default_rng(7)
    for _ in range(100):
        count = int(rng.integers(5, 60))
        values, groups = rng.integers(0, count, count).astype(float), rng.integers(0, 3, count)
        here = float(measure_absolute_ranks(find_ranks(values), groups))
        fewer = float(measure_absolute_ranks(find_ranks(values[1:]), groups[1:]))
        values[0], groups[0] = rng.choice([-1.0, count]), rng.integers(0, 3)
        there = float(measure_absolute_ranks(find_ranks(values), groups))
        assert abs(here - there) < REPLACE_SENSITIVITY
        assert abs(here - fewer) < ADD_REMOVE_SENSITIVITY


def test_ranks_are_midranks() -> None:
    values = np.random.default_rng(8).integers(0, 6, (4, 20)).astype(float)
    assert find_ranks(values).tolist() == stats.rankdata(values, axis=-1).tolist()
