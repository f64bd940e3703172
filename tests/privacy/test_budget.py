"""The budget's filter: both branches, exact sums, and the largest rho that converts."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import BudgetError
from discreet.privacy import ApproximateLoss, BudgetFilter, GaussianLoss, PureLoss, ZcdpLoss
from discreet.privacy.budget import rho_cap
from discreet.privacy.charges import Charge
from discreet.privacy.filters import PureFilter


def test_many_small_questions_cost_less_than_the_sum_of_epsilons() -> None:
    assert BudgetFilter(1.0, 1e-6).fits(PureLoss(0.001)) > 20 * BudgetFilter(1.0).fits(PureLoss(0.001))


@given(st.floats(1e-3, 3), st.floats(1e-3, 5), st.sampled_from([0.0, 1e-9, 1e-5, 0.01]))
@settings(max_examples=40, deadline=None)
def test_the_budget_never_admits_less_than_adding_epsilons(epsilon: float, cap: float, delta: float) -> None:
    assert BudgetFilter(cap, delta).fits(PureLoss(epsilon), most=5000) >= PureFilter(cap).fits(
        PureLoss(epsilon), most=5000
    )


def test_a_charge_without_rho_cannot_slip_past_a_budget_without_delta() -> None:
    assert BudgetFilter(Fraction(3)).take(Charge(Fraction(4), 0.0)) is None
    purse = BudgetFilter(Fraction(3)).take(Charge(Fraction(1), 0.0))
    assert purse is not None
    assert purse.remaining() == pytest.approx(2 / 3)


def test_a_budget_without_delta_only_adds_epsilons() -> None:
    assert BudgetFilter(1.0).fits(PureLoss(0.01)) == PureFilter(1.0).fits(PureLoss(0.01))
    assert not BudgetFilter(1.0).admits(GaussianLoss(1e-6))
    assert not BudgetFilter(1.0).admits(ApproximateLoss(0.1, 1e-12))


def test_deltas_take_at_most_half_of_the_budget() -> None:
    fresh = BudgetFilter(10.0, 1e-6)
    assert fresh.admits(ApproximateLoss(0.1, 4.99e-7))
    assert not fresh.admits(ApproximateLoss(0.1, 5.01e-7))
    assert not fresh.spend(ApproximateLoss(0.1, 3e-7)).admits(ApproximateLoss(0.1, 3e-7))


def test_gaussians_go_through_the_second_branch() -> None:
    fresh = BudgetFilter(1.0, 1e-6)
    count = fresh.fits(GaussianLoss(0.01))
    assert ZcdpLoss(count * 0.5e-4).epsilon(5e-7).high <= 1.0
    assert ZcdpLoss((count + 2) * 0.5e-4).epsilon(5e-7).high > 1.0 - 1e-3


def test_both_branches_share_one_history() -> None:
    state = BudgetFilter(1.0, 1e-6).spend(GaussianLoss(0.1))
    assert math.isinf(state.spent[0])
    assert not state.admits(PureLoss(0.9))
    assert BudgetFilter(1.0, 1e-6).admits(PureLoss(0.9))


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-6), (0.1, 1e-9), (8.0, 1e-3)])
def test_the_cap_on_rho_is_the_largest_that_converts(epsilon: float, delta: float) -> None:
    cap = rho_cap(epsilon, delta)
    assert ZcdpLoss(cap).delta(epsilon).high <= delta
    assert ZcdpLoss(cap * (1 + 1e-9)).delta(epsilon).high > delta


def test_thirty_exact_tenths_fill_a_budget_of_three() -> None:
    """Floats rounded up would refuse the thirtieth; Fractions are added exactly."""
    purse, tenth = BudgetFilter(Fraction(3)), Charge(Fraction(1, 10), Fraction(1, 200))
    for _ in range(30):
        after = purse.take(tenth)
        assert after is not None
        purse = after
    assert purse.remaining() == 0
    assert purse.take(Charge(Fraction(1, 10**40), Fraction(0))) is None


@given(st.lists(st.floats(1e-6, 1.0), max_size=20), st.floats(1e-6, 1.0))
def test_a_fraction_beside_floats_is_never_rounded_down(floats: list[float], last: float) -> None:
    purse = BudgetFilter(Fraction(100))
    for value in [*floats, last]:
        after = purse.take(Charge(Fraction(value), value))
        assert after is not None
        purse = after
    assert purse.spent[0] == sum(map(Fraction, [*floats, last]), Fraction(0))
    assert purse.spent[1] >= purse.spent[0]


def test_a_refusal_names_the_currency_that_is_gone() -> None:
    spent = BudgetFilter(epsilon=1.0, delta=1e-6).spend(ApproximateLoss(0.1, 4.9e-7))
    with pytest.raises(BudgetError, match=r"what is left of the budget, 2\.00% of delta$"):
        spent.spend(ApproximateLoss(0.1, 4e-7))
    with pytest.raises(BudgetError, match=r"% of epsilon and .*% of rho$"):
        spent.spend(PureLoss(50))
