"""Odometers: a running bound that holds at every time."""

from __future__ import annotations

import pytest

from discreet.base.errors import DiscreetError
from discreet.privacy import (
    ApproximateLoss,
    GaussianLoss,
    Odometer,
    PureLoss,
    RenyiLoss,
    ZcdpLoss,
)


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
        Odometer(1e-6).spend(RenyiLoss([2.0], [0.1])).reading()


@pytest.mark.parametrize("count", [1, 3, 20])
def test_an_odometer_never_reads_more_than_the_sum_of_epsilons(count: int) -> None:
    meter = Odometer(1e-6)
    for _ in range(count):
        meter = meter.spend(PureLoss(0.1))
    assert meter.reading().epsilon_ <= 0.1 * count + 1e-12
    assert meter.reading().delta_ == pytest.approx(1e-6)


def test_an_odometer_reads_the_sum_of_rho_where_that_is_less() -> None:
    meter = Odometer(1e-6).spend(PureLoss(0.001) * 100_000)
    assert meter.reading().epsilon_ < 5
    assert Odometer(1e-6).spend(PureLoss(0.25)).reading().epsilon_ == 0.25


def test_a_loss_without_epsilon_leaves_the_reading_to_rho() -> None:
    pure, mixed = Odometer(1e-6).spend(PureLoss(0.1)), Odometer(1e-6).spend(PureLoss(0.1)).spend(GaussianLoss(1e-9))
    assert pure.reading().epsilon_ == 0.1
    assert mixed.reading().epsilon_ > 0.1
