"""Values in order between public bounds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.mechanisms.robust.sorted_values import SortedValues, check_bounds, check_share
from support.small_data import list_data, list_neighbours

DOMAIN = (0, 1, 9)


def _at_all_ranks(values: tuple[int, ...]) -> list[int]:
    ordered = SortedValues.of(values, 0, 9)
    return [ordered.at(rank) for rank in range(-2, 12)]


def test_lemma_one_value_more_moves_every_rank_by_less_than_one() -> None:
    for values in list_data(DOMAIN, 4):
        x = _at_all_ranks(values)
        for more in list_neighbours(values, DOMAIN, "add-remove"):
            y = _at_all_ranks(more)
            if more != values:
                assert all(y[j] <= x[j] <= y[j + 1] for j in range(13))


def test_lemma_one_value_replaced_moves_every_rank_one_way() -> None:
    for values in list_data(DOMAIN, 4):
        x = _at_all_ranks(values)
        for other in list_neighbours(values, DOMAIN, "replace"):
            y = _at_all_ranks(other)
            if len(other) == len(values):
                up = all(x[j] <= y[j] <= x[j + 1] for j in range(13))
                down = all(y[j] <= x[j] <= y[j + 1] for j in range(13))
                assert up or down


def test_ranks_beyond_the_values_have_the_bounds() -> None:
    ordered = SortedValues.of([5, 3, -7, 99], 0, 10)
    assert [ordered.at(rank) for rank in range(-1, 7)] == [0, 0, 0, 3, 5, 10, 10, 10]
    assert ordered.take(np.arange(-1, 7)).tolist() == [0, 0, 0, 3, 5, 10, 10, 10]
    assert ordered.first_rank_above(np.array([-1, 3, 4, 10])).tolist() == [1, 3, 3, 5]


def test_missing_values_and_no_values_are_fine() -> None:
    assert SortedValues.of([None, 3], 1, 10).values.tolist() == [1, 3]
    assert SortedValues.of([], 0, 1).size == 0
    assert SortedValues.of(np.array([10**12, 3]), 0, 5).values.tolist() == [3, 5]
    assert SortedValues.of([10**40, -(10**40)], 0, 5).values.tolist() == [0, 5]


@pytest.mark.parametrize("values", [3, [1.5], ["a"], [[1, 2]], np.array([1.0])])
def test_other_data_is_refused_without_being_quoted(values: Any) -> None:
    with pytest.raises(ParameterError, match=r"^values must be") as caught:
        SortedValues.of(values, 0, 5)
    assert "1.5" not in str(caught.value)


def test_bounds_and_shares_are_checked() -> None:
    for low, high in [(1, 1), (2, 1), (0.5, 3), (0, 2**62), (None, 1)]:
        with pytest.raises(ParameterError):
            check_bounds(low, high)
    assert check_share("share", 0.1) == Fraction(1, 10)
    for share in (-0.1, 1.1, float("nan"), "1/2"):
        with pytest.raises(ParameterError, match=r"^share must be"):
            check_share("share", share)
