"""Poisson sampling: curves against exact mixtures, Renyi divergences against published numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.privacy import (
    ApproximateLoss,
    BoundedRangeLoss,
    Certified,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FixedSizeSampledLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PureLoss,
    ReplaceSampledGaussianLoss,
    ReplaceSampledLoss,
    SampledLoss,
    ShuffledLoss,
    ZcdpLoss,
    composition,
)
from support import laws
from support.laws import Law, at_most

BASES: list[tuple[Loss, tuple[Law, Law]]] = [
    (PureLoss(1.2), laws.response(1.2)),
    (ApproximateLoss(0.6, 0.05), laws.response(0.6, Fraction(0.05))),
    (DiscreteLaplaceLoss(1.5, 4), laws.laplace_outcomes(1.5, 4)),
    (DiscreteGaussianLoss(1.1, 2), laws.gaussian_outcomes(1.1, 2)),
]
RATES = [1e-6, 0.01, 0.5, 0.999, 1.0]
each_rate = pytest.mark.parametrize("rate", RATES)


@pytest.mark.parametrize(("base", "factor"), BASES, ids=lambda value: repr(value)[:40])
@each_rate
@pytest.mark.parametrize("epsilon", [0.0, 1e-4, 0.1, 0.9, 2.5])
def test_the_curve_is_the_worse_of_both_mixtures(
    base: Loss, factor: tuple[Law, Law], rate: float, epsilon: float
) -> None:
    mixture = laws.mixed(*factor, Fraction(rate))
    both = (laws.hockey_stick(mixture, factor[1], epsilon), laws.hockey_stick(factor[1], mixture, epsilon))
    found = SampledLoss(base, rate).delta(epsilon)
    assert all(at_most(truth, found.high) for truth in both)
    assert found.high <= max(map(float, both)) + 1e-12
    assert found.low <= max(map(float, both)) + 1e-15


@pytest.mark.parametrize("base", [PureLoss(0.5), GaussianLoss(1.0), LaplaceLoss(1.0), BoundedRangeLoss(1.0)], ids=repr)
def test_taking_everybody_is_the_base(base: Loss) -> None:
    for epsilon in (0.0, 0.2, 0.9):
        whole, found = base.delta(epsilon), SampledLoss(base, 1).delta(epsilon)
        assert found.high == pytest.approx(whole.high, rel=1e-12)
    assert SampledLoss(base, 1).pure == pytest.approx(base.pure)


@given(st.floats(1e-9, 1), st.floats(1e-9, 1), st.floats(0, 3))
@settings(max_examples=40, deadline=None)
def test_sampling_more_never_costs_less(one: float, other: float, epsilon: float) -> None:
    few, many = sorted((one, other))
    for base in (GaussianLoss(1.0), LaplaceLoss(2.0)):
        assert SampledLoss(base, few).delta(epsilon).low <= SampledLoss(base, many).delta(epsilon).high
        assert SampledLoss(base, many).delta(epsilon).low <= base.delta(epsilon).high


def test_the_pure_epsilon_is_amplified() -> None:
    assert SampledLoss(PureLoss(1.0), 0.1).pure == pytest.approx(math.log1p(0.1 * math.expm1(1)), rel=1e-15)
    assert SampledLoss(GaussianLoss(1.0), 0.1).pure == math.inf
    assert SampledLoss(GaussianLoss(1.0), 0.1).epsilon(0) == Certified(math.inf, math.inf)


RENYI = {1.5: 6.50070897e-4, 2.5: 1.08541806e-3, 5: 2.18075656e-3, 50: 2.38460375e-2, 100: 167.416308}


@pytest.mark.parametrize(("order", "published"), RENYI.items())
def test_published_renyi_divergences(order: float, published: float) -> None:
    found = (SampledLoss(GaussianLoss(1 / 2.5), 0.01) * 50).renyi(order)
    assert found == pytest.approx(published, rel=1e-8)


@pytest.mark.parametrize("order", [2, 3, 7, 20])
def test_whole_orders_are_the_binomial_sum(order: int) -> None:
    mu, rate = 0.9, 0.05
    terms = [
        math.comb(order, k) * (1 - rate) ** (order - k) * rate**k * math.exp((k * k - k) * mu * mu / 2)
        for k in range(order + 1)
    ]
    exact = math.log(math.fsum(terms)) / (order - 1)
    assert SampledLoss(GaussianLoss(mu), rate).renyi(order) == pytest.approx(exact, rel=1e-9)


@pytest.mark.many
@pytest.mark.parametrize(
    ("sigma", "steps", "published"), [(1.3, 3515, 0.9544), (1.1, 14_062, 2.5966), (0.7, 10_546, 6.3195)]
)
def test_published_epsilons_through_renyi(sigma: float, steps: int, published: float) -> None:
    loss = SampledLoss(GaussianLoss(1 / sigma), 256 / 60_000) * steps
    orders = [1 + step / 10 for step in range(1, 100)] + [float(order) for order in range(11, 33)]
    best = min(composition.convert_renyi(order, loss.renyi(order), 1e-5).epsilon_ for order in orders)
    assert best == pytest.approx(published, abs=2e-3)


def test_renyi_is_never_below_the_curve_it_implies() -> None:
    loss = SampledLoss(GaussianLoss(1.0), 0.1) * 10
    for order in (1.5, 4.0, 16.0):
        implied = composition.convert_renyi(order, loss.renyi(order), 1e-6)
        assert loss.epsilon(1e-6).low <= implied.epsilon_


def test_renyi_of_other_bases_goes_through_their_epsilon() -> None:
    loss = SampledLoss(PureLoss(1.0), 0.1)
    assert loss.renyi(4.0) == pytest.approx(2 * loss.pure**2, rel=1e-12)


@pytest.mark.parametrize("base", [ZcdpLoss(0.1), PureLoss(0.1) * 2, SampledLoss(PureLoss(1.0), 0.5), "pure", None])
def test_bases_without_one_pair_are_refused(base: Loss) -> None:
    with pytest.raises(ParameterError, match=r"^base must be"):
        SampledLoss(base, 0.1)


@pytest.mark.parametrize(
    "base",
    [
        FixedSizeSampledLoss(GaussianLoss(1.0), 10, 100),
        FixedSizeSampledLoss(PureLoss(1.0), 100, 100),
        ReplaceSampledLoss(GaussianLoss(1.0), 0.5),
        ReplaceSampledGaussianLoss(1.0, 0.5),
        ShuffledLoss(1.0, 1000),
    ],
    ids=repr,
)
def test_what_is_stated_for_replace_neighbours_has_no_poisson_sample(base: Loss) -> None:
    with pytest.raises(ParameterError, match=r"^base must be a loss stated for add-remove neighbours"):
        SampledLoss(base, 0.1)
    assert base.replace() is base


@pytest.mark.parametrize("rate", [0, -0.1, 1.0001, math.nan, math.inf, "0.1", None])
def test_rates_that_are_no_rates_are_refused(rate: float) -> None:
    with pytest.raises(ParameterError, match=r"^rate must be"):
        SampledLoss(PureLoss(1.0), rate)


@pytest.mark.parametrize("base", [base for base, _ in BASES], ids=repr)
@each_rate
def test_json_brings_the_same_loss_back(base: Loss, rate: float) -> None:
    loss = SampledLoss(base, rate)
    assert Loss.from_json(loss.to_json()) == loss
    assert len({loss, Loss.from_json(loss.to_json())}) == 1


def test_rates_that_no_float_equals_are_rounded_up() -> None:
    assert Fraction(SampledLoss(PureLoss(1.0), Fraction(1, 3)).rate) > Fraction(1, 3)  # type: ignore[arg-type]
