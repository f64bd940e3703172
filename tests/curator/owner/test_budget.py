"""Shares of a budget."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from discreet.curator.owner.budget import Share
from discreet.privacy import BudgetFilter, Charge
from support.clinic import open_clinic


def test_how_many_more_fit_is_what_the_filter_admits() -> None:
    share = Share("total", Fraction(3), Fraction(0), BudgetFilter(Fraction(3), spent=(Fraction(1), 0.0, 0.0)))
    assert share.more(Charge(Fraction(1, 10), 0.005)) == 20
    assert share.more(Charge(Fraction(4), 1.0)) == 0
    assert share.spent == pytest.approx(1 / 3)


def test_what_is_left_is_of_epsilon_though_delta_is_used_up() -> None:
    delta = Fraction(1, 10**6)
    spent = BudgetFilter(Fraction(1), delta, spent=(Fraction(1, 5), Fraction(1, 50), delta / 2))
    share = Share("total", Fraction(1), delta, spent)
    assert share.left == pytest.approx(0.8)
    told = share.describe(5)
    assert told[0] == "total   20.00% spent,  80.00% left of epsilon 1, delta 1e-06"
    assert any("delta   100.00% spent" in line for line in told)


def test_in_a_notebook_shares_are_drawn_for_each_cap_and_currency(tmp_path: Path) -> None:
    with open_clinic(tmp_path, analysts=True, analyst="alice") as curator:
        curator.ask("SELECT COUNT(*) FROM visits", 0.3)
        html = curator.budget._repr_html_()
    assert html.count("<svg") == 8
    assert "90.00% left of epsilon 3, delta 1e-09" in html
    assert 'aria-label="30.00% spent"' in html
