"""The split of a charge: it adds up to the charge, has the least expected error, and rests on the moments it states."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.plan.bounded import Part
from discreet.policy import loads
from discreet.query.price import price
from discreet.query.split import INFLUENCES, split_charge, weigh
from support.hospital import POLICY, bounded, engine_of

PURE = loads(POLICY.replace("delta = 1e-9\n", ""), "p.toml")
SMALL = loads(POLICY, "p.toml")
WEIGHTS = st.lists(st.fractions(Fraction(1, 100), 100), min_size=1, max_size=400).map(tuple)


def shares_of(text: str, **amount: Fraction) -> dict[Part, Fraction]:
    priced = price(bounded(engine_of(), text), SMALL if "rho" in amount else PURE, **amount)
    return {m.part: share for m, share in zip(priced.bounded.plan.measures, priced.shares, strict=True)}


@given(WEIGHTS, st.sampled_from([2, 3]), st.fractions(Fraction(1, 9), 1))
def test_shares_add_up_to_the_whole_and_never_to_more(
    weights: tuple[Fraction, ...], power: int, whole: Fraction
) -> None:
    shares = split_charge(weights, power, whole)
    assert sum(shares) == whole
    assert min(shares) > 0


@given(st.lists(st.fractions(Fraction(1, 9), 9), min_size=2, max_size=6).map(tuple), st.sampled_from([2, 3]))
def test_no_other_split_has_a_smaller_expected_error(weights: tuple[Fraction, ...], power: int) -> None:
    def error(shares: list[float]) -> float:
        return math.fsum(float(w) / s ** (power - 1) for w, s in zip(weights, shares, strict=True))

    shares = [float(each) for each in split_charge(weights, power)]
    for one in range(len(shares)):
        for two in range(len(shares)):
            moved = list(shares)
            moved[one], moved[two] = moved[one] - 0.01 * shares[one], moved[two] + 0.01 * shares[one]
            assert one == two or error(moved) >= error(shares) * (1 - 1e-4)


def test_equal_weights_are_split_evenly() -> None:
    assert set(shares_of("SELECT COUNT(*), SUM(age) FROM visits", epsilon=Fraction(1)).values()) == {Fraction(1, 2)}


def test_a_mean_beside_a_count_gets_more_for_its_sum_than_for_its_count() -> None:
    shares = shares_of("SELECT AVG(age), COUNT(*) FROM visits", epsilon=Fraction(1))
    assert shares[Part.ROWS] == shares[Part.SUM] == Fraction(3713, 10000)
    assert shares[Part.VALUES] == Fraction(2574, 10000), "the cube root of a third, beside two ones"
    shares = shares_of("SELECT AVG(age), COUNT(*) FROM visits", rho=Fraction(1))
    assert float(shares[Part.VALUES] / shares[Part.SUM]) == pytest.approx(math.sqrt(1 / 3), abs=1e-3)


def test_a_count_that_keys_are_chosen_by_weighs_as_much_as_the_rest() -> None:
    made = bounded(engine_of(), "SELECT AVG(cost) FROM visits")
    count = [measure.part for measure in made.plan.measures].index(Part.VALUES)
    assert weigh(made)[count] == Fraction(1, 3)
    assert weigh(made, counted=count) == (Fraction(1), Fraction(1))


def test_influences_are_the_moments_that_are_stated() -> None:
    draw = np.random.default_rng(5)
    size = 2_000_000
    a, b, u, v = draw.uniform(-1, 1, size), draw.uniform(-1, 1, size), draw.random(size), draw.random(size)
    first, second = u * (1 - a**2), v * (1 - b**2)
    c = draw.uniform(-1, 1, size) * np.sqrt(first * second)
    squares = {
        (Part.VALUES, Part.SUM): (a, 1 + 0 * a),
        (Part.DISTINCT, Part.DISTINCT_SUM): (a, 1 + 0 * a),
        (Part.VALUES, Part.SUM, Part.SQUARES): (a**2 - first, 2 * a, 1 + 0 * a),
        (Part.VALUES, Part.SUM, Part.SUM, Part.PRODUCTS): (a * b - c, b, a, 1 + 0 * a),
    }
    for parts, influences in squares.items():
        assert [float(each) for each in INFLUENCES[parts]] == pytest.approx(
            [float(np.mean(each**2)) for each in influences], abs=3e-3
        )
    r, third = draw.uniform(-1, 1, size), 1 / 3
    count = (a * b - r * third) / third - r / 2 * ((a**2 - third) / third + (b**2 - third) / third)
    sums = [-b / third + r * a / third, -a / third + r * b / third]
    made = [count, *sums, 1 / third + 0 * a, -r / 2 / third, -r / 2 / third]
    scale = 1 / third**2
    (correlation,) = (each for each in INFLUENCES.values() if len(each) == len(made))
    assert [float(each) for each in correlation] == pytest.approx(
        [float(np.mean(each**2)) / scale for each in made], abs=3e-3
    )
