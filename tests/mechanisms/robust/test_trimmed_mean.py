"""The mean of the middle values: its value, and distances that one unit moves by at most one."""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from discreet.mechanisms.robust.order_gaps import OrderGaps
from discreet.mechanisms.robust.order_statistic import NEVER, OrderStatistic
from discreet.mechanisms.robust.smooth_bounds import LEAST, SmoothBound
from discreet.mechanisms.robust.trimmed_mean import LOCAL, TrimmedMean
from support.small_data import RELATIONS, Values, list_data, list_neighbours, list_pairs, see_pairs

DOMAIN = (0, 1, 9)
TRIMS = [Fraction(0), Fraction(1, 5), Fraction(9, 20)]
CASES = [(1, 6), (2, 3)]
SIZES = [("add-remove", False), ("replace", False), ("replace", True)]


def _mean(values: tuple[int, ...], trim: Fraction) -> Fraction:
    """Return the trimmed mean by the definition: each value weighs as much of its rank as lies inside."""
    if not values:
        return Fraction(4)
    start, end = trim * len(values), (1 - trim) * len(values)
    ranks = [Fraction(at) for at in range(len(values))]
    weights = [max(Fraction(0), min(end, at + 1) - max(start, at)) for at in ranks]
    total = sum((w * v for w, v in zip(weights, sorted(values), strict=True)), Fraction(0))
    return total / sum(weights, Fraction(0))


@pytest.mark.parametrize("trim", TRIMS, ids=str)
def test_values_are_those_of_the_definition(trim: Fraction) -> None:
    for values in list_data(DOMAIN, 6):
        made = TrimmedMean(trim, 0, 9, fineness=7)
        assert made.value(values) == 7 * _mean(values, trim)
        assert abs(made.point(values) - made.value(values)) <= Fraction(1, 2)


@pytest.mark.parametrize("trim", TRIMS, ids=str)
@pytest.mark.parametrize(("relation", "fixed"), SIZES)
def test_theorem_one_value_moves_the_mean_by_at_most_the_local_bound(
    trim: Fraction, relation: str, fixed: bool
) -> None:
    made = TrimmedMean(trim, 0, 9, neighbours=relation, public_size=fixed)

    def see(values: Values) -> tuple[Fraction, Fraction]:
        gaps = made.gaps(made.order(values))
        return _mean(values, trim), made.factor * gaps.find_widest(gaps.unit * LOCAL) / max(1, len(values))

    pairs = see_pairs(list_pairs(DOMAIN, 6, relation, fixed=fixed), see)
    assert all(abs(here - there) <= bound for (here, bound), (there, _) in pairs)
    closest = max(abs(here - there) / bound for (here, bound), (there, _) in pairs if bound)
    assert closest > 0.4


def _costs(gaps: OrderGaps, size: int, trim: Fraction) -> dict[tuple[int, int], Fraction]:
    """Return the least cost of each pair of values, by the definition."""
    found: dict[tuple[int, int], Fraction] = {}
    for u, v in product(range(-1, size + 1), range(size + 3)):
        pair = gaps.ordered.at(u), gaps.ordered.at(v)
        cost = max(Fraction(0), trim * size - u) + max(Fraction(0), v - (1 - trim) * size)
        found[pair] = min(cost, found.get(pair, cost))
    return found


@pytest.mark.parametrize("trim", TRIMS, ids=str)
def test_theorem_each_pair_finds_one_as_wide_for_one_more(trim: Fraction) -> None:
    made = TrimmedMean(trim, 0, 9)
    for values in list_data(DOMAIN, 3):
        near = _costs(made.gaps(made.order(values)), len(values), trim)
        others = {o for relation in RELATIONS for o in list_neighbours(values, DOMAIN, relation)}
        for other in others:
            far = _costs(made.gaps(made.order(other)), len(other), trim)
            for (a, b), cost in near.items():
                assert min(c for (x, y), c in far.items() if x <= a and y >= b) <= cost + 1


@pytest.mark.many
@pytest.mark.parametrize("trim", TRIMS, ids=str)
@pytest.mark.parametrize(("relation", "fixed"), SIZES)
@pytest.mark.parametrize(("rows", "most"), CASES)
def test_theorem_the_distance_moves_by_one_and_vouches_for_the_proposal(
    trim: Fraction, relation: str, fixed: bool, rows: int, most: int
) -> None:
    made, proposals = TrimmedMean(trim, 0, 9, rows, 2, relation, fixed), [1, 3, 9, 30]
    pairs = see_pairs(
        list_pairs(DOMAIN, most, relation, rows, fixed=fixed),
        lambda values: (made.point(values), *(made.distance(values, proposal) for proposal in proposals)),
    )
    for (here, *near), (there, *far) in pairs:
        for proposal, one, other in zip(proposals, near, far, strict=True):
            assert abs(one - other) <= 1
            assert one == 0 or abs(here - there) <= proposal


def test_a_proposal_that_no_data_exceed_is_never_exceeded() -> None:
    made = TrimmedMean(Fraction(1, 4), 0, 9, fineness=10)
    most = 90 * Fraction(3, 4) / Fraction(1, 2)
    assert [made.distance(values, int(most)) for values in ([], [3], [0, 9] * 40)] == [NEVER] * 3
    assert max(made.distance(values, int(most) - 1) for values in ([], [3], [0, 9] * 40)) <= 80
    public = TrimmedMean(Fraction(1, 4), 0, 9, fineness=10, neighbours="replace", public_size=True)
    assert public.distance([0, 9] * 50, 2) == NEVER, "a hundred people, of whom there are always a hundred"


def test_the_size_of_these_data_sets_no_scale_under_add_remove() -> None:
    """Few values away from data with one value the mean moves by the whole range, however many there are now."""
    made = TrimmedMean(Fraction(0), 0, 1000)
    assert [made.distance([500] * size, 999) for size in (1, 10, 100)] == [0, 9, 99]


def test_a_trimmed_mean_of_thousands_is_far_from_sensitive() -> None:
    values = np.random.default_rng(1).normal(5e5, 1e5, 5_000).astype(int)
    made = TrimmedMean(Fraction(1, 10), 0, 10**6)
    assert made.distance(values, 100) > 250
    assert made.distance(values, 10) == 0


@pytest.mark.many
@pytest.mark.parametrize("trim", [1 / 3, 1 / 6, 1 / 7, 0.10000000000000003, 0.123456789012345, 0.4999999])
def test_no_trim_and_no_number_of_values_is_too_much(trim: float) -> None:
    """Were costs in parts of 10^16, whole numbers of 64 bits would end at some number of people: and tell."""
    made, base = TrimmedMean(trim, 0, 1000), Fraction(99, 100)  # type: ignore[arg-type]
    assert abs(made.trim - trim) <= 0.002
    assert made.trim < Fraction(1, 2)
    for size in (900, 1_000, 50_000):
        values = np.full(size, 500)
        assert made.find_smooth(values, base).factor > 0
        assert made.distance(values, 5) > 0


def test_a_million_equal_values_take_no_longer_than_others() -> None:
    made, base = TrimmedMean(Fraction(1, 10), 0, 1000), Fraction(98, 100)
    start = time.process_time()
    assert made.find_smooth(np.full(1_000_000, 500), base) == SmoothBound(LEAST, base, 0)
    assert OrderStatistic(Fraction(1, 2), 0, 1000).find_smooth(np.full(10**6, 500), base).exact == LEAST
    assert time.process_time() - start < 20
