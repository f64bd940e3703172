"""Charges: what losses cost in the currencies of filters."""

from __future__ import annotations

import math
from fractions import Fraction

from discreet.privacy import (
    ApproximateLoss,
    BoundedRangeLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    PureLoss,
)
from discreet.privacy.charges import Charge, charge_of


def test_charges_of_losses() -> None:
    assert charge_of(ApproximateLoss(0.5, 1e-6)).delta == Fraction(1, 10**6)
    assert charge_of(ApproximateLoss(0.5, 1e-6)).rho == 0.125
    assert charge_of(BoundedRangeLoss(1.0)).rho == 0.125
    assert charge_of(GaussianLoss(1.0)).epsilon == math.inf
    assert charge_of(DiscreteLaplaceLoss(4.0, 1)).epsilon == 0.25


def test_charges_are_what_was_stated_to_the_last_digit() -> None:
    assert charge_of(PureLoss(0.1)) == Charge(Fraction(1, 10), Fraction(1, 200))
    assert charge_of(PureLoss(0.1) * 10 + GaussianLoss(0.3)).rho == Fraction(1, 20) + Fraction(9, 200)
    assert charge_of(DiscreteLaplaceLoss(10.0, 1)).epsilon == Fraction(1, 10)


def test_what_code_computed_is_never_charged_below_its_value() -> None:
    """The double nearest to 0.1 is larger than one tenth: as a Fraction it is no tenth."""
    assert charge_of(PureLoss(Fraction(0.1))).epsilon >= Fraction(0.1) > Fraction(1, 10)
    assert charge_of(PureLoss(Fraction(1, 3))).epsilon >= Fraction(1, 3)
    assert charge_of(DiscreteLaplaceLoss(3.0, 1)).epsilon >= Fraction(1, 3)
