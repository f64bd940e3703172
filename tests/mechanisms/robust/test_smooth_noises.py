"""Noises of private scales: exact loss on all small neighbours, and calibrations at the joint supremum."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import pairwise, product

import numpy as np
import pytest
from flint import arb
from numpy.typing import NDArray
from scipy import special

from discreet.base.errors import ParameterError
from discreet.mechanisms.robust.order_statistic import OrderStatistic
from discreet.mechanisms.robust.smooth_bounds import choose_base
from discreet.mechanisms.robust.smooth_noises import (
    SmoothLaplace,
    SmoothLogNormal,
    SmoothNoise,
    SmoothStudent,
    bound_student_loss,
)
from discreet.mechanisms.robust.trimmed_mean import TrimmedMean
from discreet.privacy import PureLoss, ZcdpLoss
from support import laws
from support.laws import exactly
from support.small_data import RELATIONS, list_pairs, see_pairs

DOMAIN = (0, 1, 9)
MEDIAN = OrderStatistic(Fraction(1, 2), 0, 9)
Floats = NDArray[np.float64]
EDGES = sorted({*range(-60, 70), *(sign * 10**k for k in range(2, 13) for sign in (-1, 1))})


@exactly
def _student_tail(z: arb) -> arb:
    """Return Pr[T > z] at 3 degrees of freedom."""
    w = z / arb(3).sqrt()
    return arb(1) / 2 - (w / (1 + w**2) + w.atan()) / arb.pi()


@exactly
def _laplace_tail(z: arb) -> arb:
    return (-z).exp() / 2 if z >= 0 else 1 - z.exp() / 2


@cache
@exactly
def _law(made: SmoothNoise, value: Fraction, bound: Fraction) -> laws.Law:
    """Return the probabilities of the rounded output between neighbouring edges."""
    scale = bound / Fraction(made.shift)
    tail = _student_tail if isinstance(made, SmoothStudent) else _laplace_tail
    above = [tail(laws.ball((edge - Fraction(1, 2) - value) / scale)) for edge in EDGES]
    return [1 - above[0], *(a - b for a, b in pairwise(above)), above[-1]]


@cache
def _floats(made: SmoothNoise, value: Fraction, bound: Fraction) -> Floats:
    return np.array([float(p) for p in _law(made, value, bound)])


def _list_laws(
    made: SmoothNoise, statistic: OrderStatistic | TrimmedMean, relation: str, most: int
) -> list[tuple[Floats, Floats]]:
    """Return the laws of both of all small neighbours."""
    pairs = see_pairs(
        list_pairs(DOMAIN, most, relation, statistic.rows),
        lambda values: (statistic.value(values), statistic.find_smooth(values, made.base).exact),
    )
    return [(_floats(made, *here), _floats(made, *there)) for here, there in pairs]


STATISTICS = [(MEDIAN, 6), (OrderStatistic(Fraction(0), 0, 9), 6), (OrderStatistic(Fraction(1, 2), 0, 9, 2), 3)]


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("statistic", "most"), STATISTICS, ids=["median", "minimum", "two rows"])
def test_theorem_student_noise_is_pure(relation: str, statistic: OrderStatistic, most: int) -> None:
    made = SmoothStudent(choose_base(0.25, statistic.rows), statistic.rows, 1.5)
    pairs = _list_laws(made, statistic, relation, most)
    worst = max(float(np.abs(np.log(here / there)).max()) for here, there in pairs)
    assert 0.8 * 1.5 < worst <= 1.5 + 1e-12


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("statistic", "most"), STATISTICS, ids=["median", "minimum", "two rows"])
def test_theorem_laplace_noise_exceeds_epsilon_by_delta_at_most(
    relation: str, statistic: OrderStatistic, most: int
) -> None:
    made = SmoothLaplace(choose_base(0.25, statistic.rows), statistic.rows, 1.0, 0.02)
    pairs = _list_laws(made, statistic, relation, most)
    worst = max(float(np.maximum(here - math.e * there, 0).sum()) for here, there in pairs)
    assert 0.1 * 0.02 < worst <= 0.02 + 1e-12


@pytest.mark.parametrize("relation", RELATIONS)
def test_theorem_trimmed_means_lose_no_more(relation: str) -> None:
    statistic = TrimmedMean(Fraction(1, 5), 0, 9, fineness=2, neighbours=relation)
    student, laplace = SmoothStudent(choose_base(0.25), 1, 1.5), SmoothLaplace(choose_base(0.25), 1, 1.0, 0.02)
    pairs = _list_laws(student, statistic, relation, 5)
    assert max(float(np.abs(np.log(here / there)).max()) for here, there in pairs) <= 1.5 + 1e-12
    pairs = _list_laws(laplace, statistic, relation, 5)
    assert max(float(np.maximum(here - math.e * there, 0).sum()) for here, there in pairs) <= 0.02 + 1e-12


def _grid(smoothness: float, shift: float) -> list[tuple[float, float]]:
    """Return dilations and shifts that neighbours can have, the extreme ones among them."""
    dilations = np.linspace(-smoothness, smoothness, 9)
    return [(c, x * shift * min(1, math.exp(c))) for c, x in product(dilations, (-1, -0.5, 1))]


@pytest.mark.parametrize("degrees", [1, 3, 8])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 12.0])
@pytest.mark.parametrize("part", [0.02, 0.5, 0.95])
def test_student_calibration_is_the_joint_supremum(degrees: int, epsilon: float, part: float) -> None:
    made = SmoothStudent(choose_base(part * epsilon / degrees), 1, epsilon, degrees)
    z = np.concatenate([np.linspace(-60, 60, 6_001), [-1e9, 1e9]])
    worst = -math.inf
    for c, x in _grid(made.smoothness, made.shift):
        quotient = (degrees + ((z - x) * math.exp(-c)) ** 2) / (degrees + z**2)
        worst = max(worst, float(np.max(c + (degrees + 1) / 2 * np.log(quotient))))
    assert 0.99 * epsilon <= worst <= epsilon * (1 + 1e-12)
    stated = bound_student_loss(made.shift, made.smoothness, degrees)
    assert worst * (1 - 1e-12) <= stated <= epsilon * (1 + 1e-12)


def _laplace_masses(edges: Floats) -> Floats:
    """Return the probabilities between edges, of which the smallest matter most."""
    below, above = np.exp(-np.abs(edges)) / 2, edges > 0
    inner = np.where(above[:-1], below[:-1] - below[1:], below[1:] - below[:-1])
    return np.where(above[1:] & ~above[:-1], 1 - below[1:] - below[:-1], inner)


def _laplace_delta(c: float, x: float, epsilon: float) -> float:
    """Return the hockey stick of Z and e^c Z + x over narrow cells: a little less than the true one."""
    edges = np.linspace(-60.005, 60.005, 24_003)
    here, there = _laplace_masses(edges), _laplace_masses((edges - x) * math.exp(-c))
    return float(np.maximum(here - math.exp(epsilon) * there, 0).sum())


@pytest.mark.parametrize(("epsilon", "delta", "part"), [(1.0, 1e-6, 1.0), (1.0, 1e-3, 2.0), (0.3, 1e-6, 1.5)])
def test_laplace_calibration_is_the_joint_supremum(epsilon: float, delta: float, part: float) -> None:
    made = SmoothLaplace(choose_base(part * epsilon / (2 * math.log(2 / delta))), 1, epsilon, delta)
    found = [_laplace_delta(c, x, epsilon) for c, x in _grid(made.smoothness, made.shift)]
    assert 0.99 * delta <= max(found) <= delta * (1 + 1e-9)


def test_laplace_allows_more_than_the_textbook() -> None:
    made = SmoothLaplace.calibrate(1.0, 1e-6)
    assert made.smoothness == pytest.approx(1 / (2 * math.log(2e6)), rel=1e-6)
    assert made.shift == pytest.approx(0.693, abs=1e-3)
    wide = SmoothLaplace(choose_base(1e-4), 1, 1.0, 0.4)
    assert wide.shift <= 1.0, "the shift alone loses all of epsilon"
    assert SmoothLaplace(choose_base(0.9), 1, 1.0, 0.49).shift <= (1 - 0.9) * math.exp(0.9) + 1e-6


def _log_density(z: Floats, sigma: float) -> Floats:
    """Return the logarithm of the density of X e^(sigma Y), summed over Y; for |z| up to a thousand."""
    y = np.linspace(-15, 15, 201)
    rates, weights = np.exp(-sigma * y), np.exp(-(y**2) / 2) / np.exp(-(y**2) / 2).sum()
    found: Floats = special.logsumexp(-np.abs(z)[:, None] * rates, axis=1, b=rates * weights / 2)
    return found


@pytest.mark.parametrize("rho", [0.02, 0.5])
def test_theorem_log_normal_noise_keeps_its_rho(rho: float) -> None:
    made = SmoothLogNormal.calibrate(rho)
    side = np.geomspace(1e-7, 1e3, 1_000)
    z = np.concatenate([-side[::-1], side])
    here, worst = _log_density(z, made.sigma), 0.0
    for c, part in product((-made.smoothness, 0.0, made.smoothness), (-1.0, 0.5, 1.0)):
        x = part * made.shift * min(1, math.exp(c))
        there = _log_density((z - x) * math.exp(-c), made.sigma) - c
        for order in (1.1, 2.0, 6.0, 20.0):
            moment = np.trapezoid(np.exp(order * here + (1 - order) * there), z)
            worst = max(worst, math.log(moment) / (order - 1) / order)
    assert 0.2 * rho < worst <= rho


def test_losses_are_what_the_theorems_promise() -> None:
    assert SmoothStudent.calibrate(0.5).loss() == PureLoss(0.5)
    assert SmoothLogNormal.calibrate(0.5).loss() == ZcdpLoss(0.5)
    assert SmoothLaplace.calibrate(0.5, 1e-6).loss().epsilon(1e-6).high == pytest.approx(0.5)


def test_smoothness_is_that_of_all_rows_of_a_unit() -> None:
    made = SmoothStudent(Fraction(9, 10), 3, 2.0)
    assert made.smoothness == pytest.approx(-3 * math.log(0.9))
    assert made.shift < SmoothStudent(Fraction(9, 10), 1, 2.0).shift


def test_log_normal_calibration_is_the_best_sigma() -> None:
    made = SmoothLogNormal.calibrate(0.5)

    def error(sigma: float) -> float:
        return math.exp(sigma**2 / 2) / SmoothLogNormal(made.base, 1, 0.5, sigma).shift

    assert all(error(made.sigma) <= error(made.sigma * off) for off in (0.9, 0.99, 1.01, 1.1))
    t, sigma = made.smoothness, made.sigma
    assert t / sigma + math.exp(1.5 * sigma**2) * made.shift == pytest.approx(1.0, rel=1e-9)


def test_medians_are_released_on_the_grid_near_the_truth() -> None:
    values = np.random.default_rng(2).integers(400, 600, 2_000)
    median = OrderStatistic(Fraction(1, 2), 0, 1000)
    for made in (SmoothLaplace.calibrate(1.0, 1e-6), SmoothStudent.calibrate(1.0), SmoothLogNormal.calibrate(0.5)):
        told = [made.release(median, values) for _ in range(11)]
        assert all(isinstance(each, int) for each in told)
        assert abs(float(np.median(told)) - median.point(values)) < 30
        with pytest.raises(ParameterError, match=r"^rows must be"):
            made.release(OrderStatistic(Fraction(1, 2), 0, 1000, rows=3), values)


def test_a_base_that_leaves_nothing_for_the_shift_is_refused() -> None:
    for make in (
        lambda: SmoothStudent(choose_base(0.34), 1, 1.0),
        lambda: SmoothLaplace(choose_base(1.1), 1, 1.0, 0.1),
        lambda: SmoothLaplace(choose_base(0.1), 1, 1.0, 1e-9),
        lambda: SmoothLogNormal(choose_base(1.0), 1, 0.5, 0.9),
    ):
        with pytest.raises(ParameterError, match=r"^base must be"):
            make()


@pytest.mark.parametrize("value", [0, -1.0, math.nan, math.inf, None, "1"])
def test_senseless_parameters_are_refused(value: float) -> None:
    base = Fraction(9, 10)
    for name, make in (
        ("epsilon", lambda: SmoothStudent(base, 1, value)),
        ("degrees", lambda: SmoothStudent(base, 1, 1.0, value)),  # type: ignore[arg-type]
        ("epsilon", lambda: SmoothLaplace(base, 1, value, 1e-6)),
        ("delta", lambda: SmoothLaplace(base, 1, 1.0, value)),
        ("rho", lambda: SmoothLogNormal(base, 1, value, 1.0)),
        ("sigma", lambda: SmoothLogNormal(base, 1, 1.0, value)),
        ("rows", lambda: SmoothStudent(base, value, 1.0)),  # type: ignore[arg-type]
    ):
        with pytest.raises(ParameterError, match=rf"^{name} must be"):
            make()
