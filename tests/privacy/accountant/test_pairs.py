"""The pairs behind the losses: masses, atoms and curves against exact laws and direct integration."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import arb
from scipy import integrate, stats

from discreet.privacy import (
    ApproximateLoss,
    BoundedRangeLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PureLoss,
    RandomizedResponseLoss,
    SampledLoss,
    ZcdpLoss,
)
from discreet.privacy.accountant.pairs import ERROR, DominatingPair
from support import laws
from support.laws import Law, ball, exactly

WITH_PAIRS: list[Loss] = [
    PureLoss(0.7),
    PureLoss(1e-6),
    PureLoss(40.0),
    ApproximateLoss(0.5, 1e-6),
    ApproximateLoss(0.0, 0.25),
    BoundedRangeLoss(1.3),
    BoundedRangeLoss(1e-4),
    GaussianLoss(0.8),
    GaussianLoss(1e-3),
    GaussianLoss(8.0),
    LaplaceLoss(1.1),
    LaplaceLoss(1e-5),
    DiscreteLaplaceLoss(scale=2.5, sensitivity=3),
    DiscreteLaplaceLoss(scale=0.5, sensitivity=50),
    DiscreteGaussianLoss(sigma=2.0, sensitivity=2),
    DiscreteGaussianLoss(sigma=0.3, sensitivity=1),
    DiscreteGaussianLoss(sigma=33.0, sensitivity=7),
    RandomizedResponseLoss(lie=0.2, categories=4),
    RandomizedResponseLoss(lie=0.25),
]
each_loss = pytest.mark.parametrize("loss", WITH_PAIRS, ids=repr)


def only(loss: Loss) -> DominatingPair:
    (pair,) = loss.list_pairs() or []
    return pair


def curve(pair: DominatingPair, epsilon: float) -> float:
    """Return delta(epsilon) as the pair's tails, atoms and infinite mass give it."""
    total = pair.infinite
    if pair.above is not None:
        over_p, over_q, _ = (side.ravel() for side in pair.above(np.array([epsilon])))
        total += float(over_p[0] - math.exp(epsilon) * over_q[0])
    ahead = pair.atoms > epsilon
    return total + float(np.sum(pair.masses[ahead] * -np.expm1(epsilon - pair.atoms[ahead])))


def mass(pair: DominatingPair) -> float:
    """Return the whole P-mass."""
    continuous = 0.0 if pair.below is None else float(pair.below(np.array([np.inf])).p.max())
    return continuous + float(pair.masses.sum()) + pair.infinite


@each_loss
def test_the_whole_mass_is_one(loss: Loss) -> None:
    assert mass(only(loss)) == pytest.approx(1.0, abs=1e-13)


@each_loss
@pytest.mark.parametrize("epsilon", [0.0, 1e-7, 0.01, 0.3, 0.69, 1.0, 1.25, 4.0])
def test_the_pair_has_the_curve_of_its_loss(loss: Loss, epsilon: float) -> None:
    assert curve(only(loss), epsilon) == pytest.approx(loss.delta(epsilon).high, abs=1e-10)


@each_loss
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.2])
def test_both_directions_have_one_curve(loss: Loss, epsilon: float) -> None:
    """Swapping P and Q takes delta(e) to 1 - e^e + e^e delta(-e): a pair for both directions is its own swap."""
    forth, back = curve(only(loss), epsilon), curve(only(loss), -epsilon)
    assert forth == pytest.approx(1 - math.exp(epsilon) + math.exp(epsilon) * back, abs=1e-10)


def test_zcdp_has_no_pair() -> None:
    assert ZcdpLoss(0.5).list_pairs() is None


def test_noise_too_wide_to_list_has_no_pair() -> None:
    assert DiscreteGaussianLoss(1.1e4, 1).list_pairs() is None


def exact_atoms(first: Law, second: Law) -> list[tuple[float, float]]:
    """Return (loss, P-mass) of every outcome with both masses, in the order of losses."""
    with_both = [(p, q) for p, q in zip(first, second, strict=True) if p > 0 and q > 0]
    return sorted((float(exactly(lambda a, b: (a / b).log())(p, q)), float(p)) for p, q in with_both)


def assert_atoms(pair: DominatingPair, first: Law, second: Law) -> None:
    order = np.argsort(pair.atoms[0])
    for place, (loss, share) in zip(order, exact_atoms(first, second), strict=True):
        assert pair.atoms[0, place] == pytest.approx(loss, rel=1e-14, abs=1e-15)
        assert pair.masses[0, place] == pytest.approx(share, rel=ERROR)


@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 1.0, 30.0, 200.0])
@pytest.mark.parametrize("leak", [0.0, 1e-9, 0.25])
def test_atoms_of_randomized_response(epsilon: float, leak: float) -> None:
    loss = ApproximateLoss(epsilon, leak)
    assert_atoms(only(loss), *laws.response(epsilon, Fraction(leak)))
    assert only(loss).infinite == leak


@pytest.mark.parametrize(("scale", "sensitivity"), [(2.5, 3), (10.0, 1), (0.5, 50), (40.0, 50), (1e4, 7)])
def test_atoms_of_discrete_laplace(scale: float, sensitivity: int) -> None:
    assert_atoms(only(DiscreteLaplaceLoss(scale, sensitivity)), *laws.laplace_outcomes(scale, sensitivity))


@pytest.mark.parametrize("lie", [0.25, 0.01, 0.4999999])
def test_atoms_of_two_answers(lie: float) -> None:
    own, stray = ball(1 - Fraction(lie)), ball(Fraction(lie))
    pair = only(RandomizedResponseLoss(lie))
    kept = DominatingPair(
        None, None, atoms=pair.atoms[:, pair.masses[0] > 0], masses=pair.masses[:, pair.masses[0] > 0]
    )
    assert_atoms(kept, [own, stray], [stray, own])


@pytest.mark.parametrize("lie", [0.5 - 1e-9, 0.5 - 1e-12])
def test_atoms_of_nearly_even_answers_keep_their_digits(lie: float) -> None:
    loss = RandomizedResponseLoss(lie)
    exact = exactly(lambda: float((ball(1 - Fraction(lie)) / ball(Fraction(lie))).log()))()
    assert only(loss).atoms.max() == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("categories", [3, 5, 6, 10, 23, 49])
def test_a_lattice_is_never_negative(categories: int) -> None:
    lattice = only(RandomizedResponseLoss((categories - 1) / categories, categories)).lattice
    assert lattice is None or lattice > 0


@pytest.mark.parametrize(("sigma", "sensitivity"), [(0.3, 1), (1.0, 1), (2.7, 2), (9.3, 50), (30.1, 1)])
def test_atoms_of_the_discrete_gaussian_to_the_error_stated(sigma: float, sensitivity: int) -> None:
    pair, noise = only(DiscreteGaussianLoss(sigma, sensitivity)), laws.discrete_gaussian(sigma, 1e-290)
    middle = pair.atoms.shape[1] // 2
    for x in range(-noise.reach, noise.reach + 1):
        exact = Fraction(sensitivity) * (sensitivity - 2 * x) / (2 * Fraction(sigma) ** 2)
        assert pair.atoms[0, middle + x] == pytest.approx(float(exact), rel=1e-14)
        assert pair.masses[0, middle + x] == pytest.approx(float(noise.at(x)), rel=ERROR)


CELLS = np.linspace(-6, 6, 25)


@pytest.mark.parametrize("mu", [0.05, 0.8, 3.0])
def test_cells_of_the_gaussian(mu: float) -> None:
    p, q, _, error_p, error_q, _ = (found[0] for found in only(GaussianLoss(mu)).measure_cells(CELLS))
    for place, (start, end) in enumerate(pairwise(CELLS.tolist())):
        for found, error, shift in ((p, error_p, mu / 2), (q, error_q, -mu / 2)):
            truth = _normal_cell(start, end, mu, shift)
            assert abs(found[place] - truth) <= error[place] + 1e-15 * truth + 1e-320


@exactly
def _normal_cell(start: float, end: float, mu: float, shift: float) -> float:
    points: list[arb] = [ball(edge) / ball(mu) - ball(shift) for edge in (start, end)]
    if points[0] < 0:
        points = [-points[1], -points[0]]
    return float(laws.normal_above(points[0]) - laws.normal_above(points[1]))


@pytest.mark.parametrize("epsilon", [0.2, 1.1, 5.0])
def test_cells_of_the_continuous_laplace(epsilon: float) -> None:
    """Under P the loss is epsilon - 2x for noise x in (0, epsilon) of density e^-x / 2, under Q e^(x - epsilon) / 2."""
    pair = only(LaplaceLoss(epsilon))
    bounds = np.linspace(-epsilon, epsilon, 14)
    p, q = (found[0] for found in pair.measure_cells(bounds)[:2])
    near, far = (epsilon - bounds[1:]) / 2, (epsilon - bounds[:-1]) / 2
    assert p == pytest.approx((np.exp(-near) - np.exp(-far)) / 2, rel=1e-9, abs=1e-16)
    assert q == pytest.approx((np.exp(far - epsilon) - np.exp(near - epsilon)) / 2, rel=1e-9, abs=1e-16)
    assert sorted(zip(pair.atoms[0], pair.masses[0], strict=True)) == [
        (-epsilon, math.exp(-epsilon) / 2),
        (epsilon, 0.5),
    ]


@pytest.mark.many
@pytest.mark.parametrize("rate", [1e-6, 0.01, 0.5, 1 - 1e-9])
@pytest.mark.parametrize("mu", [0.4, 1.5])
@pytest.mark.parametrize("epsilon", [0.0, 1e-3, 0.1, 0.8])
def test_sampled_gaussian_both_ways_by_integration(rate: float, mu: float, epsilon: float) -> None:
    def mixture(x: float) -> float:
        return float((1 - rate) * stats.norm.pdf(x) + rate * stats.norm.pdf(x - mu))

    def crossing(ratio: float) -> float:
        """Return where mixture / normal passes a ratio; -infinity where it never is so small."""
        inside = 1 + (ratio - 1) / rate
        return math.log(inside) / mu + mu / 2 if inside > 0 else -np.inf

    remove, add = SampledLoss(GaussianLoss(mu), rate).list_pairs() or []
    up, down = math.exp(epsilon), math.exp(-epsilon)
    above, _ = integrate.quad(lambda x: mixture(x) - up * stats.norm.pdf(x), crossing(up), np.inf, epsabs=1e-12)
    below, _ = integrate.quad(lambda x: stats.norm.pdf(x) - up * mixture(x), -np.inf, crossing(down), epsabs=1e-12)
    assert curve(remove, epsilon) == pytest.approx(above, abs=1e-10)
    assert curve(add, epsilon) == pytest.approx(below, abs=1e-10)
