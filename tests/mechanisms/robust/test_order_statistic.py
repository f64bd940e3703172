"""Medians, quantiles and extremes: values, and distances that one unit moves by at most one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.mechanisms.robust.order_statistic import NEVER, OrderStatistic
from support.small_data import RELATIONS, count_changes, list_data, list_pairs, see_pairs

DOMAIN = (0, 1, 4, 9)
SHARES = [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1)]
CASES = [(1, 6), (2, 3)]
PROPOSALS = (1, 2, 4, 7)


@pytest.mark.many
@pytest.mark.parametrize("share", SHARES, ids=str)
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("rows", "most"), CASES)
def test_theorem_the_distance_moves_by_one_and_vouches_for_the_proposal(
    share: Fraction, relation: str, rows: int, most: int
) -> None:
    made = OrderStatistic(share, 0, 9, rows)
    pairs = see_pairs(
        list_pairs(DOMAIN, most, relation, rows),
        lambda values: (made.point(values), *(made.distance(values, proposal) for proposal in PROPOSALS)),
    )
    for (here, *near), (there, *far) in pairs:
        for proposal, one, other in zip(PROPOSALS, near, far, strict=True):
            assert abs(one - other) <= 1
            assert one == 0 or abs(here - there) <= proposal


def _local(share: Fraction, values: tuple[int, ...], relation: str) -> int:
    """Return how far one value moves the statistic of the rank ceil(share n), at most, by trying all."""
    statistic = OrderStatistic(share, 0, 9)
    own = list(range(10))
    fewer = [values[:at] + values[at + 1 :] for at in range(len(values))]
    more = [(*values, new) for new in own]
    other = [(*rest, new) for rest in fewer for new in own]
    tried = other if relation == "replace" else fewer + more
    return max((abs(statistic.point(values) - statistic.point(each)) for each in tried), default=0)


@pytest.mark.parametrize("share", [Fraction(0), Fraction(1, 2), Fraction(2, 3)], ids=str)
@pytest.mark.parametrize("relation", RELATIONS)
def test_the_distance_is_at_most_the_true_one_and_often_it(share: Fraction, relation: str) -> None:
    statistic, proposal = OrderStatistic(share, 0, 9), 4
    small = (0, 1, 9)
    everything = list_data(small, 6)
    sensitive = [values for values in everything if _local(share, values, relation) > proposal]
    exact = 0
    for values in list_data(small, 4):
        candidates = [other for other in sensitive if relation == "add-remove" or len(other) == len(values)]
        true = min((count_changes(values, other, relation) for other in candidates), default=NEVER)
        assert statistic.distance(values, proposal) <= true
        exact += statistic.distance(values, proposal) == true
    assert exact > 5


def test_values_are_those_of_the_rank() -> None:
    values = [30, 10, 20, 40]
    shares = [Fraction(part, 100) for part in (0, 25, 26, 50, 75, 100)]
    told = [OrderStatistic(share, 0, 100).point(values) for share in shares]
    assert told == [10, 10, 20, 20, 30, 40]
    assert OrderStatistic(Fraction(1, 2), 0, 25).point(values) == 20
    assert OrderStatistic(Fraction(1, 2), 0, 15).value(values) == 15


def test_without_values_the_value_is_a_bound() -> None:
    assert [OrderStatistic(Fraction(part, 2), 2, 7).point([]) for part in range(3)] == [7, 2, 2]
    assert OrderStatistic(Fraction(1, 2), 2, 7).distance([], 4) == 0


def test_a_proposal_of_the_bounds_is_never_exceeded() -> None:
    statistic = OrderStatistic(Fraction(1, 2), 0, 9)
    assert [statistic.distance(values, 9) for values in ([], [3], [0, 9])] == [NEVER] * 3


def test_dense_data_are_far_from_sensitive() -> None:
    values = np.arange(100_000)
    assert OrderStatistic(Fraction(1, 2), 0, 10**6).distance(values, 99) == 99
    assert OrderStatistic(Fraction(1, 2), 0, 10**6, rows=10).distance(values, 99) == 9


def test_units_with_more_rows_are_fewer_units_away() -> None:
    values = list(range(0, 400, 4))
    one, four = (OrderStatistic(Fraction(1, 2), 0, 1000, rows).distance(values, 50) for rows in (1, 4))
    assert (one, four) == (12, 3)


@pytest.mark.parametrize("rows", [0, -1, 1.5, None])
def test_rows_are_whole(rows: object) -> None:
    with pytest.raises(ParameterError, match=r"^rows must be"):
        OrderStatistic(Fraction(1, 2), 0, 1, rows)  # type: ignore[arg-type]
