"""Charges: what losses cost in the currencies of filters."""

from __future__ import annotations

import math

from discreet.privacy import ApproximateLoss, BoundedRangeLoss, DiscreteLaplaceLoss, GaussianLoss
from discreet.privacy.charges import charge_of


def test_charges_of_losses() -> None:
    assert charge_of(ApproximateLoss(0.5, 1e-6)).delta == 1e-6
    assert charge_of(ApproximateLoss(0.5, 1e-6)).rho == 0.125
    assert charge_of(BoundedRangeLoss(1.0)).rho == 0.125
    assert charge_of(GaussianLoss(1.0)).epsilon == math.inf
    assert charge_of(DiscreteLaplaceLoss(4.0, 1)).epsilon == 0.25
