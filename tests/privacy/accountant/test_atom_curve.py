"""The curve of many atoms against the sum over all of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.privacy import PureLoss
from discreet.privacy.accountant.atom_curve import AtomCurve
from discreet.privacy.accountant.pairs import make_atomic, make_discrete_gaussian, make_pure

dice = np.random.default_rng(7)
LOSSES = dice.normal(0.1, 0.5, 400)
MASSES = dice.dirichlet(np.ones(400)) * 0.999


def add_up(epsilon: float, infinite: float) -> float:
    terms = (mass * max(0.0, 1 - math.exp(epsilon - loss)) for loss, mass in zip(LOSSES, MASSES, strict=True))
    return math.fsum(terms) + infinite


@pytest.mark.parametrize("epsilon", [0.0, 1e-9, 0.1, 0.7, float(np.sort(LOSSES)[-2]), 1.4, 3.0])
def test_it_brackets_the_sum_closely(epsilon: float) -> None:
    curve = AtomCurve(make_atomic(list(LOSSES), list(MASSES), infinite=0.001))
    found, truth = curve.bracket(epsilon), add_up(epsilon, 0.001)
    assert found.low <= truth <= found.high
    assert found.high == pytest.approx(found.low, rel=1e-8)


def test_randomized_response_has_its_curve() -> None:
    curve = AtomCurve(make_pure(1.3))
    for epsilon in (0.0, 0.5, 1.2999):
        assert curve.bracket(epsilon).high == pytest.approx(PureLoss(1.3).delta(epsilon).high, rel=1e-6)
    assert curve.bracket(1.4).high < 1e-299


def test_far_tails_keep_their_digits() -> None:
    curve = AtomCurve(make_discrete_gaussian(5.0, 1))
    found = curve.bracket(1.2)
    assert 0 < found.low <= found.high < 1e-8
    assert found.high == pytest.approx(found.low, rel=1e-6)
