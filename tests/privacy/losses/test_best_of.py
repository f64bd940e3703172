"""The best of several tries: the theorem against sums over every coin and every outcome of small tries."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special, stats

from discreet.base.errors import ParameterError
from discreet.privacy import (
    ApproximateLoss,
    BestOfLoss,
    GaussianLoss,
    Loss,
    PureLoss,
    RenyiLoss,
    ZcdpLoss,
)
from discreet.privacy.charges import charge_of

HALF = Fraction(1, 2)
ORDERS = [1.05, 1.5, 2.0, 4.0, 9.0, 30.0, 200.0]


@dataclass(frozen=True)
class Outcomes:
    """A small try: its score for each outcome, and the probabilities of outcomes for two neighbours."""

    scores: tuple[int, ...]
    one: tuple[float, ...]
    other: tuple[float, ...]

    def swap(self) -> Outcomes:
        return Outcomes(self.scores, self.other, self.one)


def choose(tries: list[Outcomes], chance: float) -> tuple[dict[tuple[int, int], float], ...]:
    """Return what wins with what probability for both neighbours: over all coins and outcomes, one by one."""
    found: tuple[dict[tuple[int, int], float], ...] = (defaultdict(float), defaultdict(float))
    none = (1 - chance) ** len(tries)
    for coins in product([False, True], repeat=len(tries)):
        if not any(coins):
            continue
        counted = math.prod(chance if coin else 1 - chance for coin in coins) / (1 - none)
        for seen in product(*(range(len(each.scores)) for each in tries)):
            score, place = max(
                (each.scores[outcome], -at)
                for at, (each, outcome, coin) in enumerate(zip(tries, seen, coins, strict=True))
                if coin
            )
            winner = (-place, seen[-place])
            assert tries[-place].scores[seen[-place]] == score
            for law, side in zip(found, ("one", "other"), strict=True):
                law[winner] += counted * math.prod(
                    getattr(each, side)[outcome] for each, outcome in zip(tries, seen, strict=True)
                )
    return found


def diverge(one: dict[tuple[int, int], float], other: dict[tuple[int, int], float], order: float) -> float:
    terms = [order * math.log(one[key]) + (1 - order) * math.log(other[key]) for key in one]
    return float(special.logsumexp(terms)) / (order - 1)


def exceed(one: dict[tuple[int, int], float], other: dict[tuple[int, int], float], epsilon: float) -> float:
    return sum(max(one[key] - math.exp(epsilon) * other[key], 0.0) for key in one)


def respond(epsilon: float, high_first: bool) -> Outcomes:
    """Randomized response, the score of which says its answer: the worst release of a pure epsilon."""
    likely = 1 / (1 + math.exp(-epsilon))
    scores = (1, 0) if high_first else (0, 1)
    return Outcomes(scores, (likely, 1 - likely), (1 - likely, likely))


def bin_normal(mu: float, edges: list[float], scores: tuple[int, ...]) -> Outcomes:
    """Gaussian noise, of which only a bin is told: it loses no more than the Gaussian mechanism."""
    cuts = [-math.inf, *edges, math.inf]
    laws = [
        tuple(float(p) for p in stats.norm.cdf(cuts[1:], shift) - stats.norm.cdf(cuts[:-1], shift)) for shift in (0, mu)
    ]
    return Outcomes(scores, laws[0], laws[1])


SMALL: list[tuple[Loss, list[Outcomes]]] = [
    (PureLoss(0.5), [respond(0.5, True)] * 4),
    (PureLoss(0.5), [respond(0.5, True), respond(0.5, False), respond(0.5, True)]),
    (PureLoss(1.5), [respond(1.5, False)] * 3),
    (PureLoss(0.1), [respond(0.1, True)] * 6),
    (GaussianLoss(0.5), [bin_normal(0.5, [-1.0, 0.5, 2.0], (0, 1, 2, 3))] * 3),
    (GaussianLoss(0.5), [bin_normal(0.5, [0.0, 1.0], (2, 1, 0)), bin_normal(-0.5, [0.0, 1.0, 2.5], (0, 1, 2, 2))] * 2),
    (ZcdpLoss(0.125), [bin_normal(0.5, [-0.5, 0.5, 1.5], (0, 0, 1, 5))] * 3),
    (GaussianLoss(1.5), [bin_normal(1.5, [0.0, 1.5, 3.0, 4.0], (0, 1, 2, 3, 4))] * 3),
]


@pytest.mark.parametrize(("base", "tries"), SMALL, ids=lambda value: repr(value)[:30])
@pytest.mark.parametrize("chance", [0.25, 0.75])
def test_no_small_tries_lose_more_than_the_theorem_says(base: Loss, tries: list[Outcomes], chance: float) -> None:
    loss = BestOfLoss(base, len(tries), chance)
    laws = choose(tries, chance)
    for one, other in (laws, laws[::-1]):
        assert sum(one.values()) == pytest.approx(1)
        for order in ORDERS:
            truth = diverge(one, other, order)
            assert truth <= loss.renyi(order) * (1 + 1e-9)
            assert truth <= order * loss.zcdp() * (1 + 1e-9)
        for epsilon in (0.0, 0.1, 0.4, 1.0, 2.0):
            assert exceed(one, other, epsilon) <= loss.delta(epsilon).high + 1e-12
        if math.isfinite(loss.pure):
            assert max(math.log(one[key] / other[key]) for key in one) <= loss.pure + 1e-12


def find_normal_divergence(mu: float, tries: int, chance: float, order: float) -> float:
    """Return the divergence of the best of tries that each tell a Gaussian number, which is its own score."""

    y = np.linspace(-12 - abs(mu) * order, 12 + abs(mu) * order, 200_001)

    def log_density(shift: float) -> NDArray[np.float64]:
        unbeaten = (tries - 1) * np.log1p(-chance * stats.norm.sf(y, shift))
        return np.asarray(stats.norm.logpdf(y, shift) + unbeaten)

    factor = tries * chance / (1 - (1 - chance) ** tries)
    terms = order * log_density(mu) + (1 - order) * log_density(0.0)
    return float(special.logsumexp(terms) + math.log(factor * (y[1] - y[0]))) / (order - 1)


@pytest.mark.parametrize(("tries", "chance"), [(4, 0.5), (10, 0.5), (20, 0.25)])
def test_the_bound_holds_for_gaussian_scores_and_is_near_them(tries: int, chance: float) -> None:
    """A number that is its own score: some truth for the theorem, and what is lost to it."""
    loss = BestOfLoss(GaussianLoss(0.3), tries, chance)
    for order in (2.0, 8.0, 20.0):
        truth = max(find_normal_divergence(shift, tries, chance, order) for shift in (0.3, -0.3))
        assert truth <= loss.renyi(order)
        assert loss.renyi(order) <= 4 * truth


def test_the_best_of_five_costs_far_less_than_five() -> None:
    base, loss = GaussianLoss(0.15), BestOfLoss(GaussianLoss(0.15), 10, HALF)
    assert loss.mean == pytest.approx(5, rel=0.01)
    assert loss.epsilon(1e-6).high < 0.75 * (base * 5).epsilon(1e-6).high < (base * 10).epsilon(1e-6).high
    assert loss.epsilon(1e-6).high > base.epsilon(1e-6).high
    assert 5 * base.zcdp() < loss.zcdp() < 6 * base.zcdp()


def test_one_try_costs_what_it_costs_and_more_tries_cost_more() -> None:
    base = GaussianLoss(0.4)
    one = BestOfLoss(base, 1, HALF)
    for order in ORDERS:
        assert one.renyi(order) == pytest.approx(base.renyi(order), rel=1e-12)
    assert one.zcdp() == pytest.approx(base.zcdp(), rel=1e-9)
    assert BestOfLoss(PureLoss(0.3), 1, HALF).pure == pytest.approx(0.3, rel=1e-15)
    found = [BestOfLoss(base, tries, HALF).epsilon(1e-6).high for tries in (1, 2, 5, 20)]
    assert found == sorted(found)
    likelier = [BestOfLoss(base, 10, chance).epsilon(1e-6).high for chance in (0.01, 0.2, 0.5, 0.9)]
    assert likelier == sorted(likelier)


def test_a_number_of_tries_that_is_hardly_random_costs_all_of_them() -> None:
    base = GaussianLoss(0.1)
    loss = BestOfLoss(base, 8, Fraction(10**12 - 1, 10**12))
    assert loss.renyi(2.0) == pytest.approx(8 * base.renyi(2.0), rel=1e-6)
    assert loss.zcdp() <= 8 * base.zcdp() * (1 + 1e-12)


@pytest.mark.parametrize("mu", [0.0, 1e-9, 50.0, 500.0])
def test_no_base_is_too_small_or_too_large(mu: float) -> None:
    base = GaussianLoss(mu)
    loss = BestOfLoss(base, 4, HALF)
    assert base.zcdp() <= loss.zcdp() <= 4 * base.zcdp()
    assert base.epsilon(1e-6).low <= loss.epsilon(1e-6).high < math.inf


def test_rho_bounds_every_order_and_is_what_is_charged() -> None:
    for base in (GaussianLoss(0.02), GaussianLoss(0.3), GaussianLoss(2.0), ZcdpLoss(0.01)):
        loss = BestOfLoss(base, 12, HALF)
        rho = loss.zcdp()
        shares = [loss.renyi(1 + 2.0 ** (step / 5)) / (1 + 2.0 ** (step / 5)) for step in range(-20, 50)]
        assert max(shares) <= rho <= 1.03 * max(shares)
        assert charge_of(loss).rho == rho
        assert charge_of(loss).delta == 0
        assert charge_of(loss).epsilon == loss.pure


def test_the_best_of_pure_tries_is_pure() -> None:
    loss = BestOfLoss(PureLoss(0.1), 10, HALF)
    assert 0.1 < loss.pure < 0.5
    assert loss.epsilon(0).high == loss.pure
    assert loss.delta(loss.pure).high == 0


def test_groups_and_replaced_units_cost_the_best_of_their_tries() -> None:
    loss = BestOfLoss(ZcdpLoss(0.25), 6, HALF)
    assert loss.replace() == BestOfLoss(ZcdpLoss(1.0), 6, HALF)


def test_the_best_of_composes_with_other_releases() -> None:
    loss, more = BestOfLoss(GaussianLoss(0.1), 6, HALF), GaussianLoss(0.2)
    both = loss + more
    assert max(loss.epsilon(1e-6).low, more.epsilon(1e-6).low) < both.epsilon(1e-6).high
    assert both.epsilon(1e-6).high < loss.epsilon(5e-7).high + more.epsilon(5e-7).high
    assert both.zcdp() == pytest.approx(loss.zcdp() + more.zcdp())


def test_a_loss_comes_back_from_json() -> None:
    for loss in (BestOfLoss(GaussianLoss(0.3), 4, 0.25), BestOfLoss(PureLoss(1), 2, Fraction(1, 3))):
        assert Loss.from_json(loss.to_json()) == loss
    assert BestOfLoss(GaussianLoss(0.3), 4, 0.25).to_dict() == {
        "kind": "best-of",
        "version": 1,
        "base": {"kind": "gaussian", "version": 1, "mu": 0.3},
        "tries": 4,
        "chance": 0.25,
    }


@pytest.mark.parametrize(
    ("base", "tries", "chance", "name"),
    [
        (ApproximateLoss(1, 1e-6), 3, 0.5, "base"),
        (RenyiLoss([2.0], [0.1]), 3, 0.5, "base"),
        ("gaussian", 3, 0.5, "base"),
        (GaussianLoss(1), 0, 0.5, "tries"),
        (GaussianLoss(1), 2.5, 0.5, "tries"),
        (GaussianLoss(1), 3, 0, "chance"),
        (GaussianLoss(1), 3, 1, "chance"),
    ],
)
def test_senseless_choices_are_refused(base: Loss, tries: int, chance: float, name: str) -> None:
    with pytest.raises(ParameterError, match=rf"^{name} must be"):
        BestOfLoss(base, tries, chance)
