"""Counting what is left out is a tenth of one price: the charge is what was asked for, and the noise fits into it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from discreet.base.errors import QueryError
from discreet.mechanisms import Gaussian, Laplace
from discreet.query.cost import add_charges, cost_measures, fits_within
from discreet.query.draws import Draws
from discreet.query.left_out import UNITS, plan_left_out
from discreet.query.price import Price
from discreet.query.price_choice import price_question
from discreet.query.price_left_out import SHARE, price_left_out
from support.hospital import POLICY, bounded, engine_of

COUNT = "SELECT COUNT(*) FROM visits"
AT_FLOOR = POLICY.replace("delta = 1e-9", "delta = 1e-9\nleast_share = 0.01")


def priced(text: str = COUNT, *, policy: str = POLICY, **amount: Any) -> Price:
    engine = engine_of(policy)
    found = bounded(engine, text)
    ((name, value),) = amount.items()
    counted = plan_left_out(found.plan, UNITS)
    return price_left_out(
        counted, engine.policy, value, lambda each: price_question(found, engine.policy, **{name: each})
    )


def test_an_epsilon_is_for_both_nine_tenths_and_one() -> None:
    found = priced(epsilon=Fraction(1, 2))
    assert (found.charge.epsilon, found.target) == (Fraction(1, 2), Fraction(1, 2))
    assert found.guarantee == "0.5-differentially private"
    assert found.left_out is not None
    (noise,) = found.left_out.draws.noises
    assert isinstance(noise, Laplace)
    assert noise.scale == pytest.approx(20)
    (own,) = found.noises
    assert isinstance(own, Laplace)
    assert own.scale == pytest.approx(3 / (0.5 * float(1 - SHARE)))


def test_a_rho_is_for_both() -> None:
    found = priced(rho=Fraction(1, 5))
    assert found.charge.rho == Fraction(1, 5)
    assert found.guarantee == "0.2-zCDP"
    assert found.left_out is not None
    (noise,) = found.left_out.draws.noises
    assert isinstance(noise, Gaussian)
    assert noise.sigma == pytest.approx(5)


@pytest.mark.parametrize(
    "text",
    [
        COUNT,
        "SELECT ward, COUNT(*), SUM(cost), AVG(age) FROM visits GROUP BY ward",
        "SELECT ward, MEDIAN(cost) FROM visits GROUP BY ward",
        "SELECT seen, COUNT(*) FROM visits GROUP BY seen",
        "SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1",
    ],
)
def test_all_draws_together_fit_into_the_charge(text: str) -> None:
    """Composition: the sum of what every draw costs, in every currency, is within what is charged."""
    amounts: tuple[dict[str, Any], ...] = ({"epsilon": Fraction("0.3")}, {"rho": Fraction("0.01")})
    for amount in amounts:
        found = priced(text, **amount)
        assert found.left_out is not None
        draws = Draws(found.noises, found.selection, found.counted, choice=found.choice)
        answer = cost_measures(found.bounded.plan, draws)
        whole = add_charges(answer, cost_measures(found.left_out.counted.plan, found.left_out.draws))
        assert fits_within(whole, found.charge)
        ((name, value),) = amount.items()
        assert getattr(found.charge, name) == value


def test_a_floor_raises_both() -> None:
    found = priced(policy=AT_FLOOR, epsilon=Fraction("0.001"))
    assert found.charge.epsilon >= found.target > Fraction("0.1")
    assert found.left_out is not None
    (noise,) = found.left_out.draws.noises
    assert isinstance(noise, Laplace)
    assert noise.scale == pytest.approx(float(1 / (found.target * SHARE)))


def test_keys_that_are_public_leave_nothing_out() -> None:
    with pytest.raises(QueryError, match="no row is read"):
        priced("SELECT ward FROM visits GROUP BY ward", epsilon=Fraction(1))
