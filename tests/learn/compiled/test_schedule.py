"""The noise of a sampled run is calibrated by the certified accountant."""

from __future__ import annotations

import pytest

from discreet.base.errors import ParameterError
from discreet.learn.compiled import schedule
from discreet.learn.compiled.schedule import CLOSE, plan_schedule
from discreet.privacy import GaussianLoss, SampledLoss


@pytest.mark.slow
def test_the_schedule_costs_what_was_asked_and_not_much_less() -> None:
    planned = plan_schedule(2.0, 1e-6, steps=40, batch=50, size=1000)
    assert planned.rate == 0.05
    assert planned.loss.delta(2.0).high <= 1e-6
    less = SampledLoss(GaussianLoss(CLOSE * 1.001 / planned.multiplier), 0.05) * 40
    assert less.delta(2.0).high > 1e-6
    assert planned.epsilon_after(0) == 0
    assert planned.epsilon_after(20) < planned.epsilon_after(40) <= 2.0


def test_a_full_batch_is_the_gaussian_mechanism() -> None:
    planned = plan_schedule(1.0, 1e-6, steps=4, batch=100, size=100)
    assert planned.loss.delta(1.0).high == pytest.approx((GaussianLoss(2 / planned.multiplier)).delta(1.0).high)


def test_a_schedule_that_no_noise_affords_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "MOST_NOISE", 2.0)
    with pytest.raises(ParameterError, match="fewer steps"):
        plan_schedule(0.01, 1e-6, steps=1000, batch=100, size=100)
