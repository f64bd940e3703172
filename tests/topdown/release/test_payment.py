"""A run says whether it was charged or found, what that is worth, and what is left."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.answers.receipt import CHARGED, FREE, SHARED, Mark, Receipt
from discreet.privacy.charges import Charge
from discreet.topdown.release.payment import ReleasePayment


@pytest.mark.parametrize(
    ("paid", "told"),
    [
        (CHARGED, "charged rho 1/2 (0.5). Left of the budget: 25.00% of total, 12.50% of ann"),
        (
            SHARED,
            "charged rho 1/2 (0.5) to the own cap of ann: others had it measured before. Left of the budget: ",
        ),
        (
            FREE,
            "nothing was charged: rho 1/2 (0.5) was paid before, and what it bought was found. Left of the budget: ",
        ),
    ],
)
def test_each_way_of_paying_has_its_words(paid: str, told: str) -> None:
    receipt = Receipt(Mark(3, "0" * 64), "ann", Charge(float("inf"), Fraction(1, 2)), paid)
    found = ReleasePayment(receipt, {"total": 0.25, "ann": 0.125}, Fraction(1, 2))
    assert str(found).startswith(told)
    assert found.to_dict()["paid"] == paid
    assert found.to_dict()["rho"] == "1/2"
    assert found.to_dict()["left"] == {"total": 0.25, "ann": 0.125}


def test_a_charge_above_rho_is_the_least_of_the_policy_and_said_to_be() -> None:
    receipt = Receipt(Mark(3, "0" * 64), None, Charge(float("inf"), Fraction(1, 100)), CHARGED)
    found = ReleasePayment(receipt, {"total": 0.25}, Fraction(1, 1000))
    assert str(found).startswith("charged rho 0.01, the policy's least, for rho 1/1000 (0.001). Left")
    nearly = Receipt(Mark(3, "0" * 64), None, Charge(float("inf"), Fraction(1, 1000) + Fraction(1, 10**30)), CHARGED)
    assert str(ReleasePayment(nearly, {}, Fraction(1, 1000))).startswith("charged rho 1/1000 (0.001). Left")
