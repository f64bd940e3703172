"""What a loss means for a person, in numbers."""

from __future__ import annotations

import math

import pytest
from scipy import special

from discreet.base.errors import ParameterError
from discreet.privacy import GaussianLoss, Loss, PureLoss
from discreet.privacy.risk import ALARMS, PRIORS, assess, assess_family, assess_repeated


def odds_after(epsilon: float, prior: float) -> float:
    odds = math.exp(epsilon) * prior / (1 - prior)
    return odds / (1 + odds)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 3.0])
def test_a_pure_loss_multiplies_the_odds_by_at_most_e_to_the_epsilon(epsilon: float) -> None:
    found = assess(PureLoss(epsilon))
    assert found.belief == pytest.approx([odds_after(epsilon, prior) for prior in PRIORS], rel=1e-9)


def test_epsilon_one_in_numbers() -> None:
    found = assess(PureLoss(1.0))
    assert found.belief == pytest.approx((0.02672, 0.23196, 0.73106), abs=1e-4)
    assert found.caught == pytest.approx((0.02718, 0.13591, 0.81606), abs=0.02)
    assert all(caught >= exact for caught, exact in zip(found.caught, (0.02718, 0.13591, 0.81606), strict=True))


@pytest.mark.parametrize("mu", [0.1, 1.0, 2.5])
def test_a_gaussian_attacker_catches_what_the_normal_law_says(mu: float) -> None:
    found = assess(GaussianLoss(mu))
    for rate, caught in zip(ALARMS, found.caught, strict=True):
        exact = float(special.ndtr(mu - special.ndtri(1 - rate)))
        assert exact - 1e-12 <= caught <= exact + 0.03


def test_a_gaussian_belief_comes_from_a_finding_with_one_false_alarm_in_a_hundred() -> None:
    found = assess(GaussianLoss(1.0))
    for prior, belief in zip(PRIORS, found.belief, strict=True):
        odds = prior / (1 - prior) * found.caught[0] / 0.01
        assert belief == pytest.approx(odds / (1 + odds))


def test_no_loss_teaches_nothing() -> None:
    found = assess(PureLoss(0))
    assert found.belief == pytest.approx(PRIORS)
    assert found.caught == pytest.approx(ALARMS, abs=1e-9)


@pytest.mark.parametrize("loss", [PureLoss(0.3), GaussianLoss(0.3)], ids=repr)
def test_a_family_is_a_group_of_four(loss: Loss) -> None:
    assert assess_family(loss) == assess(loss.group(4))
    assert assess_family(loss, 2) == assess(loss.group(2))


@pytest.mark.parametrize("loss", [PureLoss(0.3), GaussianLoss(0.3)], ids=repr)
def test_being_asked_again_tells_more(loss: Loss) -> None:
    once, often = assess(loss), assess_repeated(loss, 10)
    assert assess_repeated(loss, 1) == once
    assert all(more >= less for less, more in zip(once.caught, often.caught, strict=True))
    assert all(more >= less for less, more in zip(once.belief, often.belief, strict=True))


@pytest.mark.parametrize("times", [0, -1, 1.5, None, True])
def test_times_that_are_no_times_are_refused(times: int) -> None:
    with pytest.raises(ParameterError, match=r"^times must be"):
        assess_repeated(PureLoss(1.0), times)


@pytest.mark.parametrize("loss", [PureLoss(900.0), GaussianLoss(50.0)], ids=repr)
def test_huge_losses_are_certainties(loss: Loss) -> None:
    assert assess(loss).belief[-1] == pytest.approx(1.0, abs=0.02)
    assert assess(loss).caught[0] == pytest.approx(1.0)
