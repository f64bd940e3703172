"""Shares add up to exactly 1, and an epsilon never becomes more rho than it allows."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.base.errors import ParameterError
from discreet.privacy import GaussianLoss
from discreet.topdown.spec.allocation import Allocation, convert_epsilon, describe_gap

HALF, ONE, NOTHING = Fraction(1, 2), Fraction(1), Fraction(0)
DELTA = Fraction(1, 10**9)


def test_a_measurement_has_the_product_of_its_shares() -> None:
    shares = Allocation(Fraction(3), DELTA, (HALF, HALF), ({"a": ONE}, {"a": Fraction(1, 3), "b": Fraction(2, 3)}))
    assert shares.find_rho(1, "b") == 1
    assert shares.find_rho(0, "b") == 0
    every = [shares.find_rho(level, query) for level in (0, 1) for query in "ab"]
    assert sum(every) == shares.rho


@pytest.mark.parametrize(
    ("rho", "delta", "levels", "queries", "told"),
    [
        (NOTHING, DELTA, (ONE,), ({"a": ONE},), "rho above 0"),
        (ONE, NOTHING, (ONE,), ({"a": ONE},), "delta between 0 and 1"),
        (ONE, ONE, (ONE,), ({"a": ONE},), "delta between 0 and 1"),
        (ONE, DELTA, (HALF,), ({"a": ONE},), "levels must be shares that add up to exactly 1: 1/2 is missing"),
        (ONE, DELTA, (ONE,), ({"a": ONE, "b": HALF},), "queries of level 0 must .* they are 1/2 too many"),
        (ONE, DELTA, (ONE,), ({},), "queries of level 0 must .* 1 is missing"),
        (ONE, DELTA, (ONE, NOTHING), ({"a": ONE}, {"a": ONE}), "queries of level 1 must be none"),
        (ONE, DELTA, (ONE + HALF, -HALF), ({"a": ONE}, {"a": ONE}), "shares of at least 0"),
        (ONE, DELTA, (ONE,), ({"a": ONE}, {}), "shares and queries for the same levels"),
    ],
)
def test_what_does_not_add_up_is_refused(
    rho: Fraction,
    delta: Fraction,
    levels: tuple[Fraction, ...],
    queries: tuple[dict[str, Fraction], ...],
    told: str,
) -> None:
    with pytest.raises(ParameterError, match=told):
        Allocation(rho, delta, levels, queries)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(1714, 100), Fraction(1, 3)])
def test_an_epsilon_becomes_the_most_rho_that_it_allows_and_no_more(epsilon: Fraction) -> None:
    rho = convert_epsilon(epsilon, DELTA)
    certified = GaussianLoss(Fraction((2 * float(rho)) ** 0.5)).epsilon(DELTA)
    assert certified.high <= float(epsilon) * (1 + 1e-12)
    more = GaussianLoss(Fraction((2 * float(rho) * 1.0001) ** 0.5)).epsilon(DELTA)
    assert more.low > epsilon


def test_an_epsilon_that_is_almost_none_is_refused() -> None:
    with pytest.raises(ParameterError, match="larger: it leaves no rho to share out"):
        convert_epsilon(Fraction(1, 10**10), DELTA)


def test_how_far_shares_are_off_is_told() -> None:
    assert describe_gap(Fraction(4099, 4097)) == "they are 2/4097 too many"
    assert describe_gap(HALF) == "1/2 is missing"
