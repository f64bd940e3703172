"""A question that is refused is told what ran out, and the largest amount that still fits."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.base.errors import BudgetError, QueryError
from support.clinic import open_clinic

COUNT = "SELECT COUNT(*) AS n FROM visits WHERE age > {}"
KEYED = "SELECT patient_id // 7 AS p, COUNT(*) AS n FROM visits WHERE age > {} GROUP BY p"


def test_the_largest_epsilon_that_fits_is_told_and_fits(tmp_path: Path) -> None:
    with open_clinic(tmp_path, delta=0) as curator:
        curator.ask(COUNT.format(1), 2.75)
        with pytest.raises(
            BudgetError, match=r"of epsilon \(8\.33% of 3\) in the budget.* largest epsilon .* 0\.25"
        ) as no:
            curator.ask(COUNT.format(2), 1)
        assert no.value.fits == 0.25
        curator.ask(COUNT.format(2), no.value.fits)
        with pytest.raises(BudgetError, match="No epsilon fits any more") as no:
            curator.ask(COUNT.format(3), 1)
        assert no.value.fits is None


def test_with_a_delta_the_larger_of_both_sums_decides_and_both_are_named(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        curator.ask(COUNT.format(1), 2.9)
        with pytest.raises(BudgetError, match=r"epsilon .* and rho .* in the budget") as no:
            curator.ask(COUNT.format(2), 3)
        largest = no.value.fits
        assert largest is not None
        assert 0.1 <= largest < 3, "adding up epsilons leaves a tenth"
        curator.ask(COUNT.format(2), largest)


def test_an_own_cap_that_is_short_is_named(tmp_path: Path) -> None:
    with open_clinic(tmp_path, analyst="bob", analysts=True, delta=0) as bob:
        bob.ask(COUNT.format(1), 0.4)
        with pytest.raises(BudgetError, match=r"of epsilon \(20\.00% of 0\.5\) in the own cap of 'bob'\.") as no:
            bob.ask(COUNT.format(2), 0.2)
        assert no.value.fits == 0.1


def test_a_thousand_questions_may_take_their_keys_from_the_data(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        priced = curator.explain(KEYED.format(1), 0.001).priced
        assert priced.charge.delta * 1000 == curator.policy.delta / 2
        total = curator.budget.total
        assert total.more(type(priced.charge)(0.0, 0.0, priced.charge.delta)) == 1000


def test_delta_that_ran_out_is_named_with_what_would_fit(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        half = curator.policy.delta / 2
        curator.ask(KEYED.format(1), 0.1, key_delta=float(half * 3 / 4))
        with pytest.raises(
            BudgetError, match=r"of delta \(25\.00% of 5e-10\) in the budget.*key_delta=1\.25e-10 at most"
        ):
            curator.ask(KEYED.format(2), 0.1, key_delta=float(half / 2))
        curator.ask(KEYED.format(2), 0.1, key_delta=1.25e-10)
        assert curator.budget.total.parts["delta"][0] == pytest.approx(1), "deltas of keys add up"
        assert curator.budget.total.parts["epsilon"][0] < 0.1
        with pytest.raises(BudgetError, match="No keys from the data fit any more"):
            curator.ask(KEYED.format(3), 0.1)
        curator.ask(COUNT.format(3), 0.1)


def test_the_delta_of_keys_is_at_most_that_of_a_question_and_for_keys_alone(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        with pytest.raises(QueryError, match=r"one question may have 1e-09 at most \(question_delta in the policy\)"):
            curator.explain(KEYED.format(1), 0.1, key_delta=2e-9)
        with pytest.raises(QueryError, match="this question has none; leave it out"):
            curator.explain(COUNT.format(1), 0.1, key_delta=1e-10)


def test_a_budget_shows_each_currency_apart(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        curator.ask(KEYED.format(1), 0.3)
        lines = str(curator.budget).splitlines()
        assert lines[0].split()[0] == "total"
        assert [line.split()[0] for line in lines[1:4]] == ["epsilon", "rho", "delta"]
        assert "10.00% spent of 3" in lines[1]
        assert "0.10% spent of 5e-10, for keys taken from the data" in lines[3]
        curator.ask(COUNT.format(1), rho=0.001)
        assert "used up" in str(curator.budget).splitlines()[1], "rho alone has no epsilon"
