"""Pairs of mixtures of Gaussians: losses are inverted, and tails are those of the densities."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.privacy.accountant.mixture_pairs import invert_loss, make_gaussian_mixture
from support.densities import integrate_stick

SHIFTS, WEIGHTS = [0.0, 0.4, 2.0], [0.5, 0.3, 0.2]


@pytest.mark.parametrize("x", [-8.0, -1.0, 0.0, 0.5, 3.0, 20.0])
def test_the_place_of_a_loss_is_found(x: float) -> None:
    c, w = np.array([[0.4], [2.0]]), np.array([[0.3], [0.2]])
    loss = math.log(0.5 + 0.3 * math.exp(0.4 * x - 0.08) + 0.2 * math.exp(2 * x - 2))
    assert invert_loss(np.array([loss]), c, w) == pytest.approx([x], rel=1e-9, abs=1e-9)


def test_nothing_lies_below_the_least_loss() -> None:
    c, w = np.array([[0.4], [2.0]]), np.array([[0.3], [0.2]])
    assert np.isneginf(invert_loss(np.array([math.log(0.5), -3.0]), c, w)).all()


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
def test_the_tails_of_both_directions_give_the_integrals(epsilon: float) -> None:
    mixture, plain = list(zip(SHIFTS, WEIGHTS, strict=True)), [(0.0, 1.0)]
    sides = [(mixture, plain), (plain, mixture)]
    for pair, (first, second) in zip(make_gaussian_mixture(SHIFTS, WEIGHTS), sides, strict=True):
        over = pair.measure_above(epsilon)
        found = float(over.p[0] - math.exp(epsilon) * over.q[0])
        assert found == pytest.approx(integrate_stick(first, second, epsilon), rel=1e-6, abs=1e-9)
        assert over.excess == pytest.approx(over.p - over.q, rel=1e-9)


def test_many_shifts_take_more_effort() -> None:
    efforts = [make_gaussian_mixture([0.1 * i for i in range(n)], [1 / n] * n)[0].effort for n in (2, 20, 60)]
    assert efforts == sorted(efforts)
    assert efforts[0] == 1
