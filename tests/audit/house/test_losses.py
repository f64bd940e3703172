"""What losses claim, beside distributions that are written down by other means."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.audit.house.losses import LossClaim, compare, list_loss_claims
from discreet.privacy.losses.noises import DiscreteLaplaceLoss, GaussianLoss

CLAIMS = {each.name: each for each in list_loss_claims()}


@pytest.mark.parametrize("name", CLAIMS)
def test_no_loss_claims_less_than_distributions_give_away(name: str) -> None:
    assert CLAIMS[name].find_shortfall() <= 0


@pytest.mark.parametrize(
    ("name", "loss"),
    [
        ("GaussianLoss", GaussianLoss(0.99)),
        ("DiscreteLaplaceLoss", DiscreteLaplaceLoss(3.03, 1)),
        ("ten Gaussians", GaussianLoss(0.3) * 9),
        ("eight Laplaces", DiscreteLaplaceLoss(3.0, 1) * 7),
    ],
)
def test_a_loss_that_claims_one_percent_too_little_is_found(name: str, loss: object) -> None:
    claim = LossClaim(name, loss, CLAIMS[name].true)  # type: ignore[arg-type]
    assert claim.find_shortfall() > 0


def test_both_directions_count() -> None:
    curve = compare(np.array([1.0, 0.0]), np.array([0.9, 0.1]))
    assert curve(0.0) == pytest.approx(0.1)
    assert curve(math.log(2)) == pytest.approx(0.1)
