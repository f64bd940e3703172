"""What is spent through the door is at the policy's floor at least: questions, bounds and the operations of wings."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from discreet.base.errors import BudgetError, QueryError
from discreet.query.bound import bound
from discreet.query.floors import find_floors
from support.clinic import open_clinic
from support.toy_wings import two_looks

COUNT = "SELECT COUNT(*) FROM visits"


@pytest.mark.parametrize("how", [{"epsilon": 1e-12}, {"rho": 1e-15}, {"rho": 5e-324}])
def test_a_question_below_the_floor_is_answered_and_says_so(tmp_path: Path, how: dict[str, Any]) -> None:
    with open_clinic(tmp_path) as curator:
        answer, floors = curator.ask(COUNT, **how), find_floors(curator.policy)
        assert answer.receipt.charge.epsilon >= floors.epsilon
        assert answer.receipt.charge.rho >= floors.rho
        (name,) = how
        assert any(note.startswith(f"asked for {name}") for note in answer.notes)
        assert f"asked for {name}" in str(curator.explain(COUNT, **how))


def test_bounds_cost_the_floor_at_least_and_get_the_noise_for_it(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        charge, floors = curator.bounds("visits.cost", 1e-12).receipt.charge, find_floors(curator.policy)
        assert charge.epsilon >= floors.epsilon
        assert charge.rho >= floors.rho


def test_an_operation_of_a_wing_is_charged_the_floor_at_least(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        plan = curator.prepare("SELECT ward, COUNT(*) FROM visits GROUP BY ward", 1).operation.plan
        _, receipt = curator.session().perform(two_looks(plan, Fraction(1, 10**9)))
        floors = find_floors(curator.policy)
        assert receipt.charge.epsilon == floors.epsilon
        assert receipt.charge.rho >= floors.rho


def test_the_floor_is_never_more_than_what_is_left(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=1.0, delta=0.0) as curator:
        curator.ask(COUNT, Fraction(10**6 - 1, 10**6))
        curator.ask(COUNT, 1e-12)
        with pytest.raises(BudgetError):
            curator.ask(COUNT, 1e-12, fresh=True)


def test_work_that_one_unit_could_make_too_much_is_refused_before_any_charge(tmp_path: Path) -> None:
    padded = ", ".join(["LPAD(a.ward, 1000, 'x')"] * 24)
    text = f"SELECT ward, COUNT(*) FROM visits AS a WHERE {'UPPER(' * 9}CONCAT({padded}{')' * 10} <> 'a' GROUP BY ward"
    with open_clinic(tmp_path, limits="max_rows = 30") as curator:
        before = str(curator.budget)
        with pytest.raises(QueryError, match="one unit's rows could take"):
            curator.prepare(text, 1)
        planned = bound(curator.session().plan(text), curator.session()._holdings.catalog).plan
        curator.session()._holdings.issued.add(planned)
        with pytest.raises(QueryError, match="one unit's rows could take"):
            curator.session().perform(two_looks(planned, Fraction(1, 2)))
        assert str(curator.budget) == before
