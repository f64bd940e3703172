"""Sampling under replace neighbours, against whole mechanisms summed over every sample that can be drawn."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.base.errors import ParameterError
from discreet.privacy import (
    ApproximateLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FixedSizeSampledLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PureLoss,
    ReplaceSampledLoss,
    SampledLoss,
    ZcdpLoss,
)
from support import laws
from support.laws import at_most

EPSILONS = [0.0, 0.05, 0.3, 1.0]
Law = NDArray[np.float64]


def add_noise(total: int, scale: float) -> Law:
    """Return discrete Laplace noise on a total, over a range that leaves out 1e-14 at most."""
    reach = math.ceil(34 * scale) + 12
    fall = math.exp(-1 / scale)
    law: Law = (1 - fall) / (1 + fall) * fall ** np.abs(np.arange(-reach, reach + 1) - total)
    return law


def stick(first: Law, second: Law, epsilon: float) -> float:
    return float(np.maximum(first - math.exp(epsilon) * second, 0.0).sum())


def draw_fixed(values: tuple[int, ...], taken: int, scale: float) -> Law:
    """Return the law of a noisy sum over `taken` of the values."""
    samples = list(combinations(values, taken))
    return sum((add_noise(sum(sample), scale) for sample in samples), np.zeros(1)) / len(samples)


def draw_poisson(values: tuple[int, ...], rate: float, scale: float) -> Law:
    """Return the law of a noisy sum over values that are taken with probability `rate` each."""
    law: Law = np.zeros(1)
    for flags in product((0, 1), repeat=len(values)):
        chance = math.prod(rate if flag else 1 - rate for flag in flags)
        law = law + chance * add_noise(sum(flag * value for flag, value in zip(flags, values, strict=True)), scale)
    return law


@pytest.mark.parametrize(("taken", "size"), [(1, 4), (2, 4), (3, 4), (4, 4)])
@pytest.mark.parametrize("others", [(0, 0, 0), (2, 0, 1)])
def test_a_fixed_size_sample_covers_every_mechanism(taken: int, size: int, others: tuple[int, ...]) -> None:
    loss = FixedSizeSampledLoss(DiscreteLaplaceLoss(1.5, 2), taken, size)
    before, after = (draw_fixed((own, *others), taken, 1.5) for own in (2, 0))
    for epsilon in EPSILONS:
        for first, second in ((before, after), (after, before)):
            assert stick(first, second, epsilon) <= loss.delta(epsilon).high + 1e-13
            two = stick(np.outer(first, first).ravel(), np.outer(second, second).ravel(), epsilon)
            assert two <= (loss * 2).delta(epsilon).high + 1e-12


@pytest.mark.parametrize(("taken", "size"), [(1, 3), (1, 100), (7, 11)])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_curve_of_a_fixed_size_sample_is_attained(taken: int, size: int, epsilon: float) -> None:
    first, second = laws.response(1.2)
    truth = laws.hockey_stick(laws.mixed(first, second, Fraction(taken, size)), second, epsilon)
    found = FixedSizeSampledLoss(PureLoss(1.2), taken, size).delta(epsilon)
    assert at_most(truth, found.high)
    assert found.high <= float(truth) + 1e-12
    assert found.low <= float(truth) + 1e-12


@pytest.mark.long
def test_a_composed_fixed_size_sample_is_bracketed_closely() -> None:
    found = (FixedSizeSampledLoss(GaussianLoss(1.0), 10, 1000) * 20).epsilon(1e-6)
    sampled = (SampledLoss(GaussianLoss(1.0), 0.01) * 20).epsilon(1e-6)
    assert sampled.low <= found.high <= 1.3 * found.low


@pytest.mark.parametrize("rate", [0.01, 0.3, 0.8])
@pytest.mark.parametrize("others", [(), (1, -2)])
def test_poisson_under_replace_covers_every_mechanism(rate: float, others: tuple[int, ...]) -> None:
    loss = ReplaceSampledLoss(DiscreteLaplaceLoss(1.5, 2), rate)
    for old, new in ((2, -2), (2, 0), (-1, 2)):
        first, second = (draw_poisson((own, *others), rate, 1.5) for own in (old, new))
        for epsilon in EPSILONS:
            assert stick(first, second, epsilon) <= loss.delta(epsilon).high + 1e-13
            two = stick(np.outer(first, first).ravel(), np.outer(second, second).ravel(), epsilon)
            assert two <= (loss * 2).delta(epsilon).high + 1e-12


@pytest.mark.parametrize("rate", [0.01, 0.3])
def test_poisson_under_replace_is_within_half_of_opposite_noises(rate: float) -> None:
    """Noise moved by +d and by -d is the worst for Laplace noise; the theorem holds for every base, and costs more."""
    loss = ReplaceSampledLoss(DiscreteLaplaceLoss(1.5, 2), rate)
    first, second = (draw_poisson((own,), rate, 1.5) for own in (2, -2))
    for share in (0.1, 0.5):
        epsilon = share * loss.pure
        truth = stick(first, second, epsilon)
        assert truth <= loss.delta(epsilon).high + 1e-13 <= 2.5 * truth


@pytest.mark.parametrize(
    "base",
    [PureLoss(0.5), ApproximateLoss(0.4, 1e-3), GaussianLoss(0.8), LaplaceLoss(0.7), DiscreteGaussianLoss(3.0, 2)],
    ids=repr,
)
def test_replacing_costs_no_less_than_removing_and_no_more_than_both_steps(base: Loss) -> None:
    loss = ReplaceSampledLoss(base, 0.1)
    for epsilon in (0.01, 0.1, 0.5):
        assert SampledLoss(base, 0.1).delta(epsilon).low <= loss.delta(epsilon).high * (1 + 1e-9)
        assert loss.delta(epsilon).high <= SampledLoss(base.replace(), 0.1).delta(epsilon).high * (1 + 1e-9)
    many = (loss * 20).epsilon(1e-2)
    assert many.low <= many.high <= (SampledLoss(base.replace(), 0.1) * 20).epsilon(1e-2).high * 1.02


def test_the_pure_epsilon_is_that_of_opposite_mixtures() -> None:
    rate, top = 0.2, 1.0
    exact = math.log((1 + rate * math.expm1(top)) / (1 + rate * math.expm1(-top)))
    assert ReplaceSampledLoss(PureLoss(top), rate).pure == pytest.approx(exact, rel=1e-12)
    assert FixedSizeSampledLoss(PureLoss(top), 1, 5).pure == pytest.approx(math.log1p(0.2 * math.expm1(1)), rel=1e-12)


@pytest.mark.parametrize(
    "loss", [FixedSizeSampledLoss(PureLoss(0.5), 3, 10), ReplaceSampledLoss(GaussianLoss(0.5), 0.3)], ids=repr
)
def test_losses_for_replace_stay_as_they_are_under_replace(loss: Loss) -> None:
    assert loss.replace() == loss
    assert Loss.from_json(loss.to_json()) == loss


def test_taking_everybody_is_the_base() -> None:
    base = GaussianLoss(0.5)
    assert (FixedSizeSampledLoss(base, 9, 9) * 4).epsilon(1e-6).high == pytest.approx(
        (base * 4).epsilon(1e-6).high, rel=2e-3
    )
    assert ReplaceSampledLoss(base, 1).delta(0.5).high == pytest.approx(base.replace().delta(0.5).high, rel=1e-9)


def test_senseless_samples_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"^taken must be"):
        FixedSizeSampledLoss(PureLoss(1.0), 4, 3)
    with pytest.raises(ParameterError, match=r"^base must be"):
        FixedSizeSampledLoss(ZcdpLoss(1.0), 1, 3)
    with pytest.raises(ParameterError, match=r"^base must be"):
        ReplaceSampledLoss(SampledLoss(PureLoss(1.0), 0.1), 0.1)
    with pytest.raises(ParameterError, match=r"^rate must be"):
        ReplaceSampledLoss(PureLoss(1.0), 0.0)


@pytest.mark.parametrize("kind", [SampledLoss, ReplaceSampledLoss])
@pytest.mark.parametrize("size", [3 * 10**6, 10**9])
def test_a_base_of_too_many_outcomes_is_sampled_without_the_accountant(kind: type[Loss], size: int) -> None:
    """Under replace the outcomes double, so that a base may be listed where its replaced form is not."""
    loss: Loss = kind(DiscreteLaplaceLoss(float(size), size), 0.1)  # type: ignore[call-arg]
    assert 0 < loss.epsilon(1e-6).high <= loss.pure
    if not loss.has_pairs:
        assert loss.list_pairs() is None
        assert (loss * 3).epsilon(1e-6).high <= 3 * loss.pure * (1 + 1e-9)
        assert "too many outcomes" in (loss * 3).epsilon(1e-6).note
