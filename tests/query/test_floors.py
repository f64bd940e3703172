"""The floor of a charge, in each currency: a question below it is priced there, noise included."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from discreet.base.errors import ParameterError
from discreet.mechanisms import Gaussian, Laplace
from discreet.policy import Policy, loads
from discreet.privacy.budget import rho_cap
from discreet.privacy.charges import Charge
from discreet.query.cost import cost_measures, fits_within
from discreet.query.draws import Draws
from discreet.query.floors import Floors, find_floors
from discreet.query.price import Price, price
from support.hospital import POLICY, bounded, engine_of

SMALL = loads(POLICY, "p.toml")
PURE = loads(POLICY.replace("delta = 1e-9\n", ""), "p.toml")
TINY = replace(SMALL, least_share=Fraction(5e-324))

QUESTIONS = [
    "SELECT COUNT(*) FROM visits",
    "SELECT AVG(age), VARIANCE(cost), COUNT(*) FROM visits",
    "SELECT MEDIAN(age) FROM visits",
    "SELECT secret, COUNT(*) FROM visits GROUP BY secret",
]


def priced(text: str, policy: Policy = SMALL, **asked: Any) -> Price:
    return price(bounded(engine_of(POLICY.replace('hidden = ["secret"]\n', "")), text), policy, **asked)


def cost_of(found: Price) -> Charge:
    """Return what the noises themselves cost."""
    return cost_measures(found.bounded.plan, Draws(found.noises, found.selection, found.counted))


def test_floors_are_parts_of_the_budget_in_each_currency() -> None:
    floors = find_floors(SMALL)
    assert floors.epsilon == SMALL.epsilon / 10**6
    assert floors.rho == Fraction(rho_cap(SMALL.epsilon, SMALL.delta / 2)) / 10**6 > 0
    assert find_floors(PURE) == Floors(PURE.epsilon / 10**6, Fraction(0))


@pytest.mark.parametrize("text", QUESTIONS)
@pytest.mark.parametrize("currency", ["epsilon", "rho"])
def test_a_question_below_the_floor_is_charged_it_and_gets_the_noise_for_it(text: str, currency: str) -> None:
    asked: dict[str, Any] = {currency: Fraction(1, 10**15)}
    found, floors = priced(text, **asked), find_floors(SMALL)
    assert found.charge.epsilon >= floors.epsilon
    assert found.charge.rho >= floors.rho
    cost = cost_of(found)
    assert fits_within(cost, found.charge)
    assert cost.rho >= floors.rho * (1 - Fraction(1, 10**9)) or cost.epsilon >= found.charge.epsilon
    assert cost.rho <= 2 * floors.rho
    assert found.notes[0].startswith(f"asked for {currency} 1e-15, and every question costs at least 1e-06")


def test_a_pure_budget_has_a_floor_of_epsilon_alone() -> None:
    found = priced("SELECT COUNT(*) FROM visits", PURE, epsilon=Fraction(1, 10**15))
    assert found.charge.epsilon == PURE.epsilon / 10**6
    (noise,) = found.noises
    assert isinstance(noise, Laplace)
    assert noise.scale == pytest.approx(
        float(found.bounded.plan.l1(found.bounded.plan.measures[0]) / found.charge.epsilon)
    )


def test_what_is_above_the_floor_stays_as_it_was_asked() -> None:
    found = priced("SELECT COUNT(*) FROM visits", epsilon=Fraction(1, 2))
    assert found.charge.epsilon in (Fraction(1, 2), float("inf"))
    assert found.notes == ()
    rho = priced("SELECT COUNT(*) FROM visits", rho=Fraction(1, 100))
    assert (rho.charge.rho, rho.notes) == (Fraction(1, 100), ())


def test_no_more_askings_fit_than_the_share_says_in_either_currency() -> None:
    for found in (priced(QUESTIONS[0], epsilon=Fraction(1, 10**9)), priced(QUESTIONS[0], rho=Fraction(1, 10**9))):
        assert SMALL.epsilon / Fraction(min(found.charge.epsilon, 10**9)) <= 10**6
        assert Fraction(rho_cap(SMALL.epsilon, SMALL.delta / 2)) / Fraction(found.charge.rho) <= 10**6


def test_the_least_rho_of_all_is_answered_at_the_floor() -> None:
    found = priced("SELECT COUNT(*) FROM visits", rho=Fraction(5e-324))
    assert isinstance(found.noises[0], Gaussian)
    assert "asked for rho" in found.notes[0]


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_rho_that_is_too_small_is_refused_in_words_about_rho(text: str) -> None:
    with pytest.raises(ParameterError, match="rho must be larger here") as found:
        priced(text, TINY, rho=Fraction(5e-324))
    assert found.value.name == "rho"
