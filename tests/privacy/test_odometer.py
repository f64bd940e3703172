"""Odometers: a running bound that holds at every time."""

from __future__ import annotations

import pytest

from discreet.base.errors import DiscreetError
from discreet.privacy import ApproximateLoss, GaussianLoss, Odometer, SampledLoss, ZcdpLoss


def test_an_odometer_only_rises_and_never_refuses() -> None:
    meter, readings = Odometer(1e-6), []
    for number in range(60):
        meter = meter.spend(GaussianLoss(0.05 * (1 + number % 4)))
        readings.append(meter.reading().epsilon_)
    assert readings == sorted(readings)
    assert readings[0] < readings[-1]


def test_an_odometer_reads_at_least_what_was_spent() -> None:
    meter, spent = Odometer(1e-6), 0.0
    for mu in (0.01, 0.3, 0.02, 1.0):
        meter, spent = meter.spend(GaussianLoss(mu)), spent + mu * mu / 2
        assert meter.reading().epsilon_ >= ZcdpLoss(spent).epsilon(1e-6).high
        assert meter.reading().delta_ >= 1e-6


def test_an_odometer_before_anything_reads_nothing() -> None:
    assert Odometer(1e-6).reading() == ApproximateLoss(0.0, 0.0)


def test_an_odometer_adds_the_deltas_of_the_losses() -> None:
    assert Odometer(1e-6).spend(ApproximateLoss(0.1, 1e-7)).reading().delta_ == pytest.approx(1.1e-6)


def test_an_odometer_refuses_to_read_what_has_no_rho() -> None:
    with pytest.raises(DiscreetError, match="without a rho"):
        Odometer(1e-6).spend(SampledLoss(GaussianLoss(1.0), 0.1)).reading()
