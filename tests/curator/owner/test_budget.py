"""Shares of a budget."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.curator.owner.budget import Share
from discreet.privacy import BudgetFilter, Charge


def test_how_many_more_fit_is_what_the_filter_admits() -> None:
    share = Share("total", Fraction(3), Fraction(0), BudgetFilter(Fraction(3), spent=(Fraction(1), 0.0, 0.0)))
    assert share.more(Charge(Fraction(1, 10), 0.005)) == 20
    assert share.more(Charge(Fraction(4), 1.0)) == 0
    assert share.spent == pytest.approx(1 / 3)
