"""Meters: every currency is held against the declaration, and draws are ticked off in their order."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.errors import OperationError
from discreet.curator.door.meter import ChargeMeter, ScheduleMeter, make_loss_meter
from discreet.curator.door.schedule import Schedule
from discreet.privacy import ApproximateLoss, GaussianLoss, Loss, PureLoss, ZcdpLoss
from discreet.privacy.charges import Charge

TENTH = Charge(Fraction(1, 10), Fraction(1, 100), Fraction(1, 1000))
LOSS = PureLoss(0.1)

amounts = st.fractions(0, 1, max_denominator=1000)


def test_ten_tenths_fill_a_charge_exactly_and_an_eleventh_is_refused() -> None:
    meter = ChargeMeter(Charge(Fraction(1), Fraction(1, 10), Fraction(1, 100)))
    for _ in range(10):
        meter.admit(TENTH, LOSS)
    with pytest.raises(
        OperationError, match=r"cost epsilon 1\.1, rho 0\.11, delta 0\.011, and it declared epsilon 1, rho"
    ):
        meter.admit(TENTH, LOSS)


@pytest.mark.parametrize("name", ["epsilon", "rho", "delta"])
def test_no_currency_makes_up_for_another(name: str) -> None:
    """The budget's filter admits by either sum; inside a run that would make both declared numbers untrue."""
    plenty = {"epsilon": Fraction(100), "rho": Fraction(100), "delta": Fraction(1, 2)}
    short = Charge(**{**plenty, name: getattr(TENTH, name) * Fraction(999, 1000)})
    with pytest.raises(OperationError):
        ChargeMeter(short).admit(TENTH, LOSS)
    ChargeMeter(Charge(**plenty)).admit(TENTH, LOSS)


def test_noise_without_an_epsilon_needs_a_charge_without_one() -> None:
    gaussian = Charge(math.inf, Fraction(1, 100), Fraction(0))
    with pytest.raises(OperationError):
        ChargeMeter(Charge(Fraction(10**6), Fraction(1))).admit(gaussian, LOSS)
    ChargeMeter(Charge(math.inf, Fraction(1))).admit(gaussian, LOSS)


@given(st.lists(st.tuples(amounts, amounts, amounts), max_size=6), st.tuples(amounts, amounts, amounts))
def test_draws_are_admitted_exactly_while_all_sums_fit(
    draws: list[tuple[Fraction, ...]], most: tuple[Fraction, ...]
) -> None:
    meter = ChargeMeter(Charge(*most))
    sums = [Fraction(0)] * 3
    for draw in draws:
        fits = all(total + part <= limit for total, part, limit in zip(sums, draw, most, strict=True))
        if fits:
            meter.admit(Charge(*draw), LOSS)
            sums = [total + part for total, part in zip(sums, draw, strict=True)]
        else:
            with pytest.raises(OperationError):
                meter.admit(Charge(*draw), LOSS)


def test_a_refused_draw_is_not_counted() -> None:
    meter = ChargeMeter(Charge(Fraction(1, 10), Fraction(1), Fraction(1, 10)))
    with pytest.raises(OperationError):
        meter.admit(Charge(Fraction(1), Fraction(0)), LOSS)
    meter.admit(TENTH, LOSS)


def test_a_schedule_is_ticked_off_in_its_order() -> None:
    schedule = Schedule(((GaussianLoss(0.1), 2), (GaussianLoss(0.2), 1)), 1e-6, checkpoint=3)
    meter = ScheduleMeter(schedule, schedule.charge)
    assert meter.checkpoint == 3
    nothing = Charge(Fraction(0), Fraction(0))
    meter.admit(nothing, GaussianLoss(0.1))
    with pytest.raises(OperationError, match="draw 1 loses"):
        meter.admit(nothing, GaussianLoss(0.2))
    meter.admit(nothing, GaussianLoss(0.05))
    meter.admit(nothing, GaussianLoss(0.2))
    with pytest.raises(OperationError, match="has 3 draws"):
        meter.admit(nothing, GaussianLoss(0.01))


def test_a_gaussian_meter_adds_up_squares_of_mu_and_takes_no_other_noise() -> None:
    meter = make_loss_meter(GaussianLoss(0.5))
    for _ in range(4):
        meter.admit(Charge(math.inf, Fraction(1, 32), Fraction(0)), GaussianLoss(0.25))
    with pytest.raises(OperationError, match="declare all that it draws"):
        meter.admit(Charge(math.inf, Fraction(1, 10**9), Fraction(0)), GaussianLoss(1e-4))
    for loss in (PureLoss(1e-9), ZcdpLoss(1e-9)):
        with pytest.raises(OperationError, match="declare a ZcdpLoss"):
            make_loss_meter(GaussianLoss(0.5)).admit(Charge(0, 0, 0), loss)


@pytest.mark.parametrize("loss", [GaussianLoss(1), ZcdpLoss(1), PureLoss(1)], ids=repr)
def test_a_meter_of_a_loss_without_a_delta_admits_none(loss: Loss) -> None:
    with pytest.raises(OperationError):
        make_loss_meter(loss).admit(Charge(0, 0, Fraction(1, 10**30)), GaussianLoss(1e-9))


def test_no_meter_is_made_of_other_losses() -> None:
    with pytest.raises(OperationError, match="a GaussianLoss, a ZcdpLoss or a PureLoss"):
        make_loss_meter(ApproximateLoss(1, 1e-6))
