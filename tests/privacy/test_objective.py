"""Objective perturbation: its rho bounds Renyi divergences of exact densities, and is below published bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp
from scipy.stats import norm

from discreet.base.grid import Floats
from discreet.base.rounding import precision, up
from discreet.privacy.objective import bound_replaced_rho, bound_rho, bound_unit_rho

ORDERS = (1.001, 1.5, 2, 4, 10, 40, 300)
NEVER = 10**12
"""So many units are expected that a table never has more."""

Loss = tuple[Callable[[Floats], Floats], Callable[[Floats], Floats], float]


def find_unit_rho(shift: float, curvature: float, rank: int = 1) -> float:
    with precision():
        return up(bound_unit_rho(Fraction(shift), Fraction(curvature), rank))


LOSSES: dict[str, Loss] = {
    "logistic": (lambda z: 1 / (1 + np.exp(-np.clip(z, -500, 500))), lambda z: 0.25 / np.cosh(z / 2) ** 2, 0.25),
    "hinge": (lambda z: -np.clip(1 - z, 0, 1), lambda z: ((z > 0) & (z < 1)).astype(np.float64), 1.0),
    "huber": (lambda z: np.clip(z, -1, 1), lambda z: (np.abs(z) < 1).astype(np.float64), 1.0),
}


def list_divergences(first: Floats, second: Floats) -> list[float]:
    """Return the greater divergence of both directions by its order, for each order, from logarithms of densities."""
    p, q = first - logsumexp(first), second - logsumexp(second)
    return [max(float(logsumexp(k * a + (1 - k) * b)) for a, b in ((p, q), (q, p))) / (k - 1) / k for k in ORDERS]


@pytest.mark.parametrize("name", LOSSES)
def test_one_unit_loses_no_more_than_the_theorem_says(name: str) -> None:
    """In one dimension densities are exact; others' rows and both noises vary."""
    slope, bend, curvature = LOSSES[name]
    rng, tightest = np.random.default_rng(1), 0.0
    for _ in range(15):
        ridge, sigma = 10 ** rng.uniform(-1, 1.5), 10 ** rng.uniform(-0.7, 1)
        w = np.linspace(-1, 1, 20_001) * (20 * sigma / ridge + 20)
        pull, second = ridge * w, np.full_like(w, ridge)
        for x in rng.uniform(-1, 1, rng.integers(0, 6)):
            pull, second = pull + x * slope(x * w), second + x * x * bend(x * w)
        here = -((pull + slope(w)) ** 2) / (2 * sigma**2) + np.log(second + bend(w))
        gone = -(pull**2) / (2 * sigma**2) + np.log(second)
        bound = find_unit_rho(1 / sigma, curvature / ridge)
        worst = max(list_divergences(here, gone))
        assert worst <= bound * (1 + 1e-6)
        tightest = max(tightest, worst / bound)
    assert tightest > 0.9


def test_a_unit_of_two_rows_loses_no_more_than_the_theorem_says() -> None:
    """Two rows of one unit, in two dimensions: a gradient turns, so more than its length counts."""
    slope, bend, _ = LOSSES["huber"]
    for ridge, sigma in ((2.0, 1.0), (10.0, 0.5), (1.0, 3.0)):
        line = np.linspace(-1, 1, 601) * (9 * sigma / ridge + 3)
        x, y = np.meshgrid(line, line, indexing="ij")
        c = 1 / math.sqrt(2)
        pull = -((ridge * x + c * slope(x)) ** 2 + (ridge * y + c * slope(y)) ** 2) / (2 * sigma**2)
        here = pull + np.log(ridge + c * bend(x)) + np.log(ridge + c * bend(y))
        gone = -(ridge**2) * (x**2 + y**2) / (2 * sigma**2)
        bound = find_unit_rho(1 / sigma, 2 * c / ridge, 2)
        assert max(list_divergences(here.ravel(), gone.ravel())) <= bound * (1 + 1e-3)


def weigh(units: int, expected: int) -> float:
    """Return the weight of each unit, from the definition, for an ease of a tenth."""
    half = expected * 6
    return half / (2 * units) if units > half else min(1.0, 1.1 - units / expected / 10)


@pytest.mark.many
@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("expected", [1, 2, 5])
def test_more_units_than_expected_lose_no_more_than_the_theorem_says(name: str, expected: int) -> None:
    """All units weigh less once there are more than N: both the one that leaves and all others change.

    The last unit pulls against all others, with them, or where they bend; every number of units up to beyond the last
    joint of the weights is tried.
    """
    slope, bend, curvature = LOSSES[name]
    for ridge, sigma in ((4.0, 1.0), (0.5, 3.0)):
        bound = bound_rho(Fraction(1 / sigma), Fraction(curvature / ridge), 1, 1, expected, Fraction(1, 10))
        w = np.linspace(-1, 1, 4001) * ((10 * sigma + 4 * expected) / ridge + 4)
        for units in (*range(1, 7 * expected + 2), 20 * expected):
            for there, last in ((3.0, -3.0), (0.0, 0.0), (1.0, 3.0)):
                logs = []
                for present in (1, 0):
                    s = weigh(max(1, units - 1 + present), expected)
                    pull = ridge * w + s * ((units - 1) * slope(w + there) + present * slope(w + last))
                    second = ridge + s * ((units - 1) * bend(w + there) + present * bend(w + last))
                    logs.append(-(pull**2) / (2 * sigma**2) + np.log(second))
                assert max(list_divergences(*logs)) <= bound * (1 + 1e-6)


def test_in_two_dimensions_more_units_than_expected_lose_no_more_either() -> None:
    """The others bend both directions, the one that leaves only one of them."""
    slope, bend, curvature = LOSSES["huber"]
    for expected, ridge, sigma in ((1, 3.0, 2.0), (3, 5.0, 1.0)):
        bound = bound_rho(Fraction(1 / sigma), Fraction(curvature / ridge), 1, 2, expected, Fraction(1, 10))
        line = np.linspace(-1, 1, 301) * ((7 * sigma + 4 * expected) / ridge + 1)
        x, y = np.meshgrid(line, line, indexing="ij")
        for units in (2, expected + 1, 3 * expected, 6 * expected, 6 * expected + 1, 20 * expected):
            logs = []
            for present in (1, 0):
                s, half = weigh(max(1, units - 1 + present), expected), (units - 1) / 2
                across = ridge * x + s * (half * slope(x) + present * slope(x - 1))
                along = ridge * y + s * half * slope(y)
                bent = np.log(ridge + s * (half * bend(x) + present * bend(x - 1))) + np.log(ridge + s * half * bend(y))
                logs.append((bent - (across**2 + along**2) / (2 * sigma**2)).ravel())
            assert max(list_divergences(*logs)) <= bound * (1 + 1e-3)


def test_without_curvature_it_is_the_gaussian_mechanism_s() -> None:
    assert find_unit_rho(0.2, 1e-9) == pytest.approx(0.02, rel=1e-9)
    assert find_unit_rho(0.2, 0.0125) == pytest.approx(0.02 + 16 / 9 * math.log(2) * 0.0125**2, rel=1e-9)
    assert bound_replaced_rho(Fraction(1, 5), Fraction(1, 10**9), 1, 5, NEVER, Fraction(1, 10)) == pytest.approx(0.08)
    assert bound_rho(Fraction(1, 5), Fraction(1, 10**9), 1, 5, NEVER, Fraction(1, 10)) == pytest.approx(0.02 * 1.21)


def test_a_replaced_unit_loses_four_times_as_much_as_one_that_leaves() -> None:
    t, a = Fraction(1, 4), Fraction(1, 50)
    assert bound_replaced_rho(t, a, 3, 9, NEVER, Fraction(1, 10)) == pytest.approx(4 * find_unit_rho(0.25, 0.02, 3))
    few = bound_rho(t, a, 1, 10_000, 1, Fraction(1, 10))
    assert bound_replaced_rho(t, a, 1, 10_000, 1, Fraction(1, 10)) == few > 4 * find_unit_rho(0.25, 0.02)


@pytest.mark.parametrize("rank", [1, 2, 3, 7, 40])
def test_the_moments_of_a_chi_are_below_their_bound(rank: int) -> None:
    """E exp(s chi) by numerical integration, less s^2 / 2."""
    for s in (0.01, 0.3, 1.0, 4.0, 20.0):
        r = np.linspace(0, s + 60, 400_001)[1:]
        logs = (rank - 1) * np.log(r) - r**2 / 2 + (1 - rank / 2) * math.log(2) - gammaln(rank / 2) + s * r
        excess = float(logsumexp(logs)) + math.log(r[1] - r[0]) - s * s / 2
        # At a = 3 t / (4 s) the last term of rho is 16/9 a^2 times the bound on the excess.
        far = (find_unit_rho(1.0, 0.75 / s, rank) - 0.5) / (0.75 / s) ** 2 * 9 / 16
        assert excess <= far * (1 + 1e-9) + 1e-9


def test_it_is_below_the_published_theorem() -> None:
    """Redberg, Koskela, Wang 2023, for linear models: the epsilon at delta 1e-6, by the same conversion of orders."""
    orders = np.geomspace(1.05, 500, 400)
    convert = np.log1p(-1 / orders) - (math.log(1e-6) + np.log(orders)) / (orders - 1)
    for t, a in ((0.2, 0.05), (0.2, 0.01), (0.05, 0.01), (1.0, 0.2)):
        published = -math.log1p(-a) + orders * t * t / 2 + np.log(2 * norm.cdf((orders - 1) * t)) / (orders - 1)
        assert (orders * find_unit_rho(t, a) + convert).min() < (published + convert).min()


def test_its_slope_at_order_one_has_no_first_power_of_what_others_bound_point_by_point() -> None:
    """The published bound at order 1 is a + t sqrt(2 / pi) + t^2 / 2: ten and more times as much at usual scales."""
    for t, a in ((0.2, 0.05), (0.05, 0.01)):
        assert find_unit_rho(t, a) < (a + t * math.sqrt(2 / math.pi) + t * t / 2) / 8
