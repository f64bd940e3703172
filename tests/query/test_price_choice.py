"""The price of a choice: which mechanism at which scale, and what is charged."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.base.errors import ParameterError, QueryError
from discreet.mechanisms import Exponential, PermuteAndFlip
from discreet.query.cost import cost_choice, fits_within
from discreet.query.price import Price
from discreet.query.price_choice import find_shortfall
from support.clinic import open_clinic

MODE = "SELECT MODE(ward) FROM visits"
GROUPED = "SELECT day, MODE(ward) FROM visits GROUP BY day"
AGES = "SELECT age FROM visits GROUP BY age ORDER BY COUNT(*) DESC LIMIT {}"


def price(folder: Path, sql: str, epsilon: float | None = None, **how: object) -> Price:
    with open_clinic(folder, epsilon=100) as curator:
        return curator.prepare(sql, epsilon, **how).priced


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0, 7.3])
def test_one_key_costs_the_epsilon_asked_for(tmp_path: Path, epsilon: float) -> None:
    priced = price(tmp_path, MODE, epsilon)
    assert priced.choice is not None
    assert isinstance(priced.choice.pick, PermuteAndFlip)
    assert priced.choice.pick.scale == pytest.approx(3 / epsilon)
    assert priced.charge.epsilon == Fraction(repr(epsilon))
    assert float(priced.charge.rho) == pytest.approx(epsilon**2 / 2)
    assert priced.noises == ()
    assert fits_within(cost_choice(priced.bounded.plan, priced.choice), priced.charge)
    assert find_shortfall(priced, 0.95) == math.floor(3 / epsilon * math.log(3 / 0.05))


def test_rho_buys_the_exponential_mechanism(tmp_path: Path) -> None:
    priced = price(tmp_path, MODE, rho=0.02)
    assert priced.choice is not None
    assert isinstance(priced.choice.pick, Exponential)
    assert priced.choice.pick.scale == pytest.approx(3 / math.sqrt(8 * 0.02))
    assert priced.charge.rho == Fraction("0.02")
    assert float(priced.charge.epsilon) == pytest.approx(math.sqrt(8 * 0.02))
    assert priced.guarantee == "0.02-zCDP"


def test_many_rounds_or_groups_take_a_delta_where_that_is_less_noise(tmp_path: Path) -> None:
    """Forty rounds at 1/40 each would be far more noise than one delta makes of them."""
    limits = {"max_rows": 3, "max_groups": 3, "max_rows_per_group": 1}
    priced = price(tmp_path, GROUPED, 0.5, **limits)
    assert priced.choice is not None
    assert priced.choice.parts == 730
    few = price(tmp_path / "few", AGES.format(2), 1, **limits)
    assert few.choice is not None
    assert few.choice.count == 2
    assert few.choice.pick.scale == pytest.approx(2.0)
    assert few.charge.epsilon == 1
    assert float(few.charge.rho) == pytest.approx(2 * 0.5**2 / 8)
    for each in (priced, few):
        assert each.choice is not None
        assert fits_within(cost_choice(each.bounded.plan, each.choice), each.charge)


def test_less_than_the_floor_is_priced_at_it(tmp_path: Path) -> None:
    priced = price(tmp_path, MODE, 1e-9)
    assert priced.target > Fraction(1, 10**9)
    assert any("least_share" in note for note in priced.notes)


def test_amounts_that_buy_nothing_are_refused(tmp_path: Path) -> None:
    with open_clinic(tmp_path, delta=0, epsilon=100) as curator:
        with pytest.raises(QueryError, match="delta > 0"):
            curator.prepare(MODE, rho=0.1)
        with pytest.raises(QueryError, match="not several"):
            curator.prepare(MODE, 1, rho=0.1)
        with pytest.raises(ParameterError):
            curator.prepare(MODE, -1)
        with pytest.raises(QueryError, match="within takes columns"):
            curator.prepare(MODE, within={"n": 3})
        with pytest.raises(QueryError, match="no epsilon below 4096"):
            curator.prepare("SELECT ward AS w FROM visits GROUP BY ward ORDER BY SUM(cost) LIMIT 1", within={"w": 1e-3})
