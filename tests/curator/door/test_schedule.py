"""Schedules: what a fixed list of losses costs as a whole, and which draw a declared loss covers."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.base.errors import OperationError, ParameterError
from discreet.curator.door.schedule import Schedule, covers
from discreet.privacy import ApproximateLoss, BoundedRangeLoss, GaussianLoss, PureLoss
from discreet.privacy.charges import charge_of


def test_the_charge_is_what_the_accountant_certifies_for_all_draws() -> None:
    schedule = Schedule(((GaussianLoss(0.1), 100), (PureLoss(0.01), 5)), 1e-9)
    whole = GaussianLoss(0.1) * 100 + PureLoss(0.01) * 5
    assert schedule.charge == charge_of(ApproximateLoss(Fraction(whole.epsilon(1e-9).high), 1e-9))
    assert schedule.charge.epsilon == whole.epsilon(1e-9).high
    assert schedule.charge.delta == Fraction(1, 10**9)
    assert schedule.draws == 105


def test_the_loss_of_each_place_is_found() -> None:
    schedule = Schedule(((GaussianLoss(0.1), 2), (PureLoss(0.5), 1)), 1e-9)
    assert [schedule.find_loss(place) for place in range(3)] == [GaussianLoss(0.1), GaussianLoss(0.1), PureLoss(0.5)]
    with pytest.raises(OperationError, match="has 3 draws, and one more"):
        schedule.find_loss(3)


def test_a_loss_covers_itself_and_what_surely_loses_less() -> None:
    assert covers(GaussianLoss(0.2), GaussianLoss(0.2))
    assert covers(GaussianLoss(0.2), GaussianLoss(0.1))
    assert not covers(GaussianLoss(0.2), GaussianLoss(0.2000001))
    assert covers(PureLoss(0.5), BoundedRangeLoss(0.5))
    assert not covers(PureLoss(0.5), BoundedRangeLoss(0.6))
    assert not covers(BoundedRangeLoss(0.5), PureLoss(0.5)), "bounded range promises more than purity"
    assert not covers(GaussianLoss(5.0), PureLoss(0.1))
    assert not covers(PureLoss(50.0), GaussianLoss(0.1))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"losses": ()}, "at least one loss"),
        ({"losses": ((GaussianLoss(0.1), 0),)}, "count must be"),
        ({"delta": 0.0}, "delta must be"),
        ({"checkpoint": 0}, "checkpoint must be"),
    ],
)
def test_a_schedule_that_means_nothing_is_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        Schedule(**{"losses": ((GaussianLoss(0.1), 1),), "delta": 1e-9, **wrong})  # type: ignore[arg-type]
