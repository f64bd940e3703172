"""Any function on disjoint groups of units: one unit changes one value."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.base.grid import Grid
from discreet.mechanisms.robust.order_statistic import OrderStatistic
from discreet.mechanisms.robust.smooth_bounds import choose_base
from discreet.mechanisms.robust.smooth_noises import SmoothStudent
from discreet.mechanisms.robust.stable_value import StableValue
from discreet.mechanisms.robust.subsamples import Subsamples

UNITS = st.lists(st.tuples(st.integers(0, 30), st.integers(-50, 50)), max_size=40)


def _erratic(rows: list[int]) -> Any:
    """Return something wild that depends on every row."""
    total = sum(rows)
    if total % 7 == 0:
        raise RuntimeError("no")
    return {0: math.nan, 1: math.inf, 2: "text", 3: None, 4: 10**400}.get(total % 11, 3.7 * total)


@given(UNITS, st.integers(0, 30))
@settings(max_examples=40, deadline=None)
def test_theorem_a_unit_changes_one_value_whatever_the_function(rows: list[tuple[int, int]], unit: int) -> None:
    made = Subsamples(5)
    results = []
    for data in (rows, [row for row in rows if row[0] != unit]):
        parts = made.split([row[0] for row in data], [row[1] for row in data])
        results.append((made.evaluate(_erratic, parts, Grid(0.5), -100, 100), made.count_votes(_erratic, parts)))
    (values, votes), (others, without) = results
    assert sum(a != b for a, b in zip(values, others, strict=True)) <= made.moved
    assert sum((votes - without).values()) <= made.moved
    assert all(isinstance(value, int) and -100 <= value <= 100 for value in values + others)
    assert sum(votes.values()) == 5


def test_under_replace_a_unit_of_another_name_changes_two() -> None:
    made = Subsamples(50, neighbours="replace")
    here = made.evaluate(sum, made.split(["ann"], [7]), Grid(1), -9, 9)
    there = made.evaluate(sum, made.split(["bob"], [7]), Grid(1), -9, 9)
    assert sum(a != b for a, b in zip(here, there, strict=True)) == made.moved == 2


def test_places_depend_on_the_unit_and_the_key_alone() -> None:
    made, other = Subsamples(1000, b"k"), Subsamples(1000, b"l")
    assert [made.place(unit) for unit in ("a", "b")] == [made.place(unit) for unit in ("a", "b")]
    assert [made.place(n) for n in range(50)] != [other.place(n) for n in range(50)]
    assert made.place("1") != made.place(1)
    places = np.bincount([Subsamples(10).place(n) for n in range(10_000)], minlength=10)
    assert places.min() > 800


def test_a_median_of_means_is_near_the_mean() -> None:
    """A mean of skewed values without any bound on them: 100 groups, and a private median of their means."""
    random = np.random.default_rng(4)
    rows = np.exp(random.normal(3, 1, 8_000)).tolist()
    made, grid = Subsamples(100), Grid(0.01)
    values = made.evaluate(lambda part: sum(part) / len(part), made.split(range(8_000), rows), grid, 0, 10**6)
    median = OrderStatistic(Fraction(1, 2), 0, 10**6, made.moved)
    noise = SmoothStudent(choose_base(1 / 6), 1, 1.0)
    told = [noise.release(median, values) / 100 for _ in range(101)]
    assert abs(float(np.median(told)) - float(np.mean(rows))) < 4, "1.2 below it on average, and deviates by 0.5"


def test_a_vote_of_all_groups_is_told() -> None:
    made, vote = Subsamples(60), StableValue(1.0, 1e-6)
    parts = made.split(range(6_000), [n % 3 for n in range(6_000)])
    votes = made.count_votes(lambda part: max(part), parts)
    assert votes == {2: 60}
    assert vote.release_mode(votes, made.moved, "replace") == 2


def test_what_has_no_hash_or_is_no_number_says_nothing() -> None:
    made = Subsamples(2)
    assert made.count_votes(lambda part: [1], [[], []]) == {None: 2}
    assert made.count_votes(lambda part: math.nan, [[], []]) == {None: 2}
    assert made.evaluate(lambda part: [1], [[], []], Grid(1), 0, 9) == [4, 4]


def test_the_function_cannot_change_the_rows_of_a_group() -> None:
    parts = [[1, 2], [3]]
    Subsamples(2).evaluate(lambda part: part.clear(), parts, Grid(1), 0, 9)
    assert parts == [[1, 2], [3]]


def test_senseless_parameters_are_refused() -> None:
    for groups in (0, 1, 2.5, None):
        with pytest.raises(ParameterError, match=r"^groups must be"):
            Subsamples(groups)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"^key must be"):
        Subsamples(2, "text")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"^units must be"):
        Subsamples(2).split([1], [1, 2])
    with pytest.raises(ParameterError, match=r"^parts must be"):
        Subsamples(3).evaluate(sum, [[1]], Grid(1), 0, 1)
