"""What still fits: the largest epsilon, rho or delta of keys at which a refused question would be admitted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from discreet.curator.owner.budget import Budget
from discreet.policy.model import Policy
from discreet.privacy.charges import Charge
from discreet.query.floors import find_floors
from discreet.query.price import Price
from discreet.query.price_choice import price_again
from discreet.query.price_left_out import price_left_out
from discreet.query.price_several import price_several

STEPS = 24
"""Halvings of the range in which the largest amount is looked for: enough for its three digits."""


@dataclass(frozen=True, slots=True)
class Fitting:
    """The largest amount that fits, to three digits and rounded down, and what is said about it."""

    words: str
    amount: float | None = None

    def __str__(self) -> str:
        return self.words


def find_what_fits(priced: Price, policy: Policy, budget: Budget, analyst: str | None) -> Fitting:
    """Return what of a question that was refused still fits into the budget and the analyst's own cap: free."""
    key_delta = Fraction(priced.charge.delta)
    left = budget.find_left("delta", analyst)
    if key_delta > left:
        rest = _round_down(left)
        if rest:
            return Fitting(f"Keys from the data fit with key_delta={float(rest):g} at most, or group by public keys")
        return Fitting("No keys from the data fit any more: group by keys with declared values or bounds")
    name, floors = ("rho", find_floors(policy).rho) if priced.by_rho else ("epsilon", find_floors(policy).epsilon)

    def charge(amount: Fraction) -> Charge:
        def make(each: Fraction) -> Price:
            how = {name: each, "key_delta": key_delta or None}
            if not priced.beside:
                return price_again(priced, policy, **how)
            return price_several((priced.bounded, *(one.bounded for one in priced.beside)), policy, **how)

        if priced.left_out is None:
            return make(amount).charge
        return price_left_out(priced.left_out.counted, policy, amount, make).charge

    found = _find_largest(lambda amount: budget.admits(charge(amount), analyst), floors, priced.target)
    if found is None:
        return Fitting(f"No {name} fits any more, however small")
    return Fitting(f"The largest {name} that fits is {float(found):g}", float(found))


def _find_largest(fits: Callable[[Fraction], bool], least: Fraction, asked: Fraction) -> Fraction | None:
    """Return an amount that fits, the largest to three digits; larger amounts cost more."""
    low = _round_up(max(least, asked / 10**9))
    if low >= asked or not fits(low):
        return None
    high = asked
    for _ in range(STEPS):
        middle = Fraction(float(low * high) ** 0.5)
        low, high = (middle, high) if fits(middle) else (low, middle)
    return next((each for each in (_round_down(high), _round_down(low)) if fits(each)), low)


def _round_down(value: Fraction) -> Fraction:
    return Fraction(Context(prec=3, rounding=ROUND_FLOOR).create_decimal(Decimal(float(value)))) if value > 0 else value


def _round_up(value: Fraction) -> Fraction:
    return value * Fraction(1001, 1000)
