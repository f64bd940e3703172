"""Pairs of sampled releases: losses there and back, and masses that keep their digits at small rates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb

from discreet.privacy.accountant.pairs import make_gaussian, make_laplace, make_pure
from discreet.privacy.accountant.sampled_pairs import make_poisson_sampled, sample_loss, unsample_loss
from support import laws
from support.laws import ball, exactly

RATES = [1e-12, 1e-6, 0.01, 0.5, 0.99, 1 - 1e-9]


@pytest.mark.parametrize("rate", RATES)
def test_losses_are_sampled_and_unsampled(rate: float) -> None:
    x = np.array([-30.0, -2.0, -1e-3, 0.0, 1e-6, 0.7, 20.0, 300.0, 900.0])
    assert unsample_loss(sample_loss(x, rate), rate)[2:] == pytest.approx(x[2:], rel=1e-6, abs=1e-9)
    expected = [float(exactly(lambda e: (1 - ball(rate) + ball(rate) * ball(e).exp()).log())(e)) for e in x.tolist()]
    assert sample_loss(x, rate) == pytest.approx(expected, rel=1e-13)


def test_nothing_lies_below_the_least_loss() -> None:
    least = math.log1p(-0.3)
    assert np.isneginf(unsample_loss(np.array([least - 1e-9, -5.0, -np.inf]), 0.3)).all()


@exactly
def exact_excess(mu: float, rate: float, start: float, end: float) -> arb:
    """Return mixture minus Q of the losses between two bounds: rate (P - Q)."""
    points = [((1 + ball(edge).expm1() / ball(rate)).log() / ball(mu) + ball(mu) / 2) for edge in (start, end)]
    p = laws.normal_above(points[0] - ball(mu)) - laws.normal_above(points[1] - ball(mu))
    return ball(rate) * (p - laws.normal_above(points[0]) + laws.normal_above(points[1]))


@pytest.mark.parametrize("rate", [1e-12, 1e-6, 0.3])
@pytest.mark.parametrize("mu", [0.5, 2.0])
def test_mixture_minus_q_is_as_exact_as_it_says_at_every_rate(mu: float, rate: float) -> None:
    remove, add = make_poisson_sampled(make_gaussian(mu), rate)
    bounds = rate * np.array([-0.4, -0.1, 0.0, 0.5, 3.0, 9.0])
    cells, swapped = remove.measure_cells(bounds), add.measure_cells(-bounds[::-1])
    for place in range(5):
        truth = exact_excess(mu, rate, float(bounds[place]), float(bounds[place + 1]))
        assert abs(ball(float(cells.excess[0, place])) - truth) <= ball(float(cells.error_excess[0, place]))
        assert abs(ball(float(swapped.excess[0, 4 - place])) + truth) <= ball(float(swapped.error_excess[0, 4 - place]))
        assert float(cells.error_excess[0, place]) <= 1e-9 * rate


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("base", [make_gaussian(1.0), make_laplace(1.0), make_pure(1.0)])
def test_the_two_directions_are_swaps_of_each_other(rate: float, base: object) -> None:
    remove, add = make_poisson_sampled(base, rate)  # type: ignore[arg-type]
    assert add.atoms == pytest.approx(-remove.atoms)
    assert add.masses == pytest.approx(remove.masses * np.exp(-remove.atoms), rel=1e-9)
    if remove.above is not None and add.below is not None:
        x = rate * np.array([-0.3, 0.1, 1.0])
        forth, back = remove.above(x), add.below(-x)
        assert back.p.ravel() == pytest.approx(forth.q.ravel())
        assert back.excess.ravel() == pytest.approx(-forth.excess.ravel())
