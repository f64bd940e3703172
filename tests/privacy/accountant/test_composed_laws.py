"""Laws of all releases on one grid: tilted masses, cumulants, and what lies above the grid."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.privacy.accountant.composed_laws import ComposedLaws
from discreet.privacy.accountant.grid_law import GridReach, make_optimistic, make_pessimistic
from discreet.privacy.accountant.pairs import DominatingPair, make_atomic, make_gaussian, make_pure

STEP = 0.125


def make_example() -> DominatingPair:
    """Return losses -1, 0, 1 and 4 with P-masses that Q's add up with."""
    return make_atomic([-1.0, 0.0, 1.0, 4.0], [0.2, 0.4, 0.3, 0.1])


def compose(releases: list[tuple[DominatingPair, int]], top: float = math.inf) -> ComposedLaws:
    return ComposedLaws(releases, STEP, GridReach(1e-20, top=top), make_pessimistic)


@pytest.mark.parametrize("tilt", [-2.0, 0.0, 0.7, 5.0])
def test_cumulants_are_those_of_the_sum(tilt: float) -> None:
    laws = compose([(make_example(), 3), (make_pure(0.5), 2)])
    found = laws.find_cumulants(tilt)
    expected = np.zeros(3)
    for pair, count in ((make_example(), 3), (make_pure(0.5), 2)):
        weights = pair.masses[0] * np.exp(tilt * pair.atoms[0])
        mean = float(weights @ pair.atoms[0] / weights.sum())
        spread = float(weights @ (pair.atoms[0] - mean) ** 2 / weights.sum())
        expected += count * np.array([math.log(weights.sum()), mean, spread])
    assert found[:2] == pytest.approx(expected[:2].tolist(), rel=1e-9, abs=1e-11)
    assert expected[2] * (1 - 1e-9) <= found[2] <= expected[2] + 5 * STEP**2 / 16


def test_composed_masses_are_tilted_and_normalised() -> None:
    laws, tilt = compose([(make_example(), 2)]), 0.3
    law = laws.compose(tilt)
    losses = STEP * (law.first + np.arange(len(law.masses)))
    assert float(law.masses.sum()) == pytest.approx(1.0)
    assert float(law.masses[np.isclose(losses, 8.0)][0]) == pytest.approx(
        0.01 * math.exp(8 * tilt - law.log_scale), rel=1e-9
    )


@pytest.mark.parametrize("counts", [(1, 0), (3, 0), (2, 5)])
def test_what_lies_above_the_top_is_exact(counts: tuple[int, int]) -> None:
    """Some release above the top: 1 - (1 - p)^k under P, and likewise under Q."""
    plain, other = make_example(), make_atomic([-0.5, 2.0], [0.75, 0.25])
    laws = compose([(pair, count) for pair, count in ((plain, counts[0]), (other, counts[1])) if count], top=1.5)
    above = {0: (0.1, 0.1 * math.exp(-4)), 1: (0.25, 0.25 * math.exp(-2))}
    none_p = none_q = Fraction(1)
    for place, count in enumerate(counts):
        p, q = above[place]
        none_p, none_q = none_p * (1 - Fraction(p)) ** count, none_q * (1 - Fraction(q)) ** count
    assert laws.beyond_q == pytest.approx(float(1 - none_q), rel=1e-10)
    assert laws.beyond_excess == pytest.approx(float(none_q - none_p), rel=1e-10)
    assert laws.infinite == 0


def test_a_tail_above_the_grid_counts_as_infinite() -> None:
    laws = ComposedLaws([(make_gaussian(1.0), 4)], 0.01, GridReach(1e-6), make_pessimistic)
    assert laws.beyond_q == 0
    assert 1e-7 <= laws.infinite <= 4e-6


def test_what_is_beyond_is_rounded_to_either_side() -> None:
    releases = [(make_example(), 3)]
    reach = GridReach(1e-20, top=1.5)
    upper, lower = (ComposedLaws(releases, STEP, reach, maker) for maker in (make_pessimistic, make_optimistic))
    assert upper.beyond_q <= lower.beyond_q
    assert upper.beyond_excess >= lower.beyond_excess
    assert lower.beyond_excess == pytest.approx(upper.beyond_excess, rel=1e-9)


@pytest.mark.parametrize("drop", [-1.0, 0.0, 1.0, 3.0])
def test_the_lower_tail_is_bounded(drop: float) -> None:
    """Two of three releases under Q, none above: E[(1 - e^(S - d))+] summed over all outcomes."""
    pair = make_example()
    laws = compose([(pair, 3)], top=1.5)
    losses, q = pair.atoms[0][:3], pair.masses[0][:3] * np.exp(-pair.atoms[0][:3])
    truth = sum(q[i] * q[j] * max(0.0, -math.expm1(losses[i] + losses[j] + drop)) for i in range(3) for j in range(3))
    bound = min(math.exp(value - theta * drop) for theta, value in laws.find_lower_tail(1.0))
    assert truth <= bound


def test_what_lies_below_the_grid_is_bounded() -> None:
    laws = ComposedLaws([(make_example(), 3)], STEP, GridReach(1e-20, bottom=-0.25), make_pessimistic)
    assert laws.below_lack == pytest.approx(3 * 0.2 * math.expm1(1.0), rel=1e-6)
