"""Whether a release fits is told from what is left: of the whole budget, and of the cap of who asks."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from discreet.curator.owner.budget import Share
from discreet.privacy.budget import BudgetFilter
from discreet.privacy.charges import Charge
from discreet.topdown.planning.budget_outlook import MEASURED, BudgetOutlook


def share(name: str, epsilon: int) -> Share:
    delta = Fraction(1, 10**9)
    return Share(name, Fraction(epsilon), delta, BudgetFilter(Fraction(epsilon), delta))


def cost(rho: Fraction) -> Charge:
    return Charge(float("inf"), rho)


def test_what_fits_says_what_is_left_now_and_after() -> None:
    found = BudgetOutlook(cost(Fraction(1, 10)), (share("total", 10), share("ann", 5)), False)
    assert found.fits is True
    now, after = found.left["total"]
    assert now == 1.0
    assert after is not None
    assert 0 < after < 1
    small = found.left["ann"][1]
    assert small is not None
    assert small < after
    assert str(found) == (
        f"it fits into what is left of the budget: total 100.00% left now, {after:.2%} after, "
        f"ann 100.00% left now, {small:.2%} after"
    )


def test_the_smaller_of_two_budgets_decides() -> None:
    charge = cost(Fraction(1))
    assert BudgetOutlook(charge, (share("total", 10),), False).fits is True
    found = BudgetOutlook(charge, (share("total", 10), share("ann", 1)), False)
    assert found.fits is False
    assert found.left["ann"][1] is None
    assert "too little of epsilon (100.00% left) and rho (100.00% left) in ann. A run is refused" in str(found)


def test_what_was_measured_before_fits_and_takes_nothing() -> None:
    found = BudgetOutlook(cost(Fraction(1000)), (share("total", 1),), True)
    assert found.fits is True
    assert found.left == {"total": (1.0, 1.0)}
    assert str(found) == MEASURED


@pytest.mark.parametrize("measured", [True, False, None])
def test_without_a_ledger_nothing_is_promised(measured: bool | None) -> None:
    found = BudgetOutlook(cost(Fraction(1)), measured=measured, unknown="there is no ledger")
    assert found.fits is None
    assert str(found) == "whether it fits the budget is not known: there is no ledger"
    told = found.to_dict()
    assert (told["fits"], told["measured"], told["left"]) == (None, measured, {})
    assert (told["unknown"], told["refusals"]) == ("there is no ledger", [])
    assert not found.is_admitted


def test_where_it_cannot_be_told_whether_it_was_measured_that_is_said() -> None:
    assert str(BudgetOutlook(cost(Fraction(1)), (share("total", 10),))).endswith("where the same was measured before")


def test_a_run_that_fits_and_is_refused_for_something_else_is_not_admitted() -> None:
    found = BudgetOutlook(cost(Fraction(1, 10)), (share("total", 10),), False)
    assert found.is_admitted
    refused = replace(found, refusals=("census.toml: attributes.kin: there is no column",))
    assert (refused.fits, refused.is_admitted) == (True, False)
    lines = str(refused).splitlines()
    assert lines[:2] == ["a run is refused:", "  census.toml: attributes.kin: there is no column"]
    assert lines[2].startswith("it fits into what is left")
    assert refused.to_dict()["refusals"] == ["census.toml: attributes.kin: there is no column"]
