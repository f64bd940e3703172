"""Senseless parameters are refused by name, before any randomness is drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.mechanisms import (
    CountingQueries,
    DiscreteGaussian,
    Exponential,
    Gaussian,
    Grid,
    Laplace,
    NoisyMax,
    PermuteAndFlip,
    RandomizedResponse,
    SparseVector,
    Staircase,
    TruncatedLaplace,
)
from discreet.noise.bits import replayed
from support.sampling import ScriptedBits

Make = Callable[[Any], object]
NOT_POSITIVE = [0, 0.0, -1.0, math.nan, math.inf, -math.inf, "1", None, True, 1j, [1.0], np.array([1.0])]
NOT_WHOLE = [0, -1, 1.5, math.nan, "1", None, True]


@pytest.fixture(autouse=True)
def _no_randomness() -> Iterator[None]:
    """Fail a test that draws: there is not a single word to be had."""
    with replayed(ScriptedBits([])):
        yield


def refused(name: str, make: Make, value: object) -> ParameterError:
    with pytest.raises(ParameterError, match=rf"^{name} must be") as caught:
        make(value)
    assert caught.value.name == name
    return caught.value


def test_a_draw_would_be_noticed() -> None:
    with pytest.raises(AssertionError, match="in the script"):
        Laplace(1.0).release(1)


SCALES: dict[str, tuple[str, Make]] = {
    "Laplace": ("scale", Laplace),
    "TruncatedLaplace": ("scale", lambda scale: TruncatedLaplace(scale, 0, 1)),
    "Gaussian": ("sigma", Gaussian),
    "DiscreteGaussian": ("sigma", DiscreteGaussian),
    "Staircase": ("epsilon", lambda epsilon: Staircase(epsilon, 1, 1)),
    "Exponential": ("scale", Exponential),
    "NoisyMax": ("scale", NoisyMax),
    "PermuteAndFlip": ("scale", PermuteAndFlip),
    "RandomizedResponse": ("lie", RandomizedResponse),
    "SparseVector threshold": ("threshold_scale", lambda scale: SparseVector(scale, 1.0)),
    "SparseVector questions": ("question_scale", lambda scale: SparseVector(1.0, scale)),
}
EPSILONS: dict[str, Make] = {
    "Laplace": Laplace.calibrate,
    "TruncatedLaplace": lambda epsilon: TruncatedLaplace.calibrate(epsilon, 0, 1),
    "Gaussian": lambda epsilon: Gaussian.calibrate(epsilon, 1e-6),
    "Gaussian classical": lambda epsilon: Gaussian.calibrate_classical(epsilon, 1e-6),
    "DiscreteGaussian": lambda epsilon: DiscreteGaussian.calibrate(epsilon, 1e-6),
    "Staircase": Staircase.calibrate,
    "Exponential": Exponential.calibrate,
    "NoisyMax": NoisyMax.calibrate,
    "NoisyMax with gap": NoisyMax.with_gap,
    "PermuteAndFlip": PermuteAndFlip.calibrate,
    "RandomizedResponse": RandomizedResponse.calibrate,
    "SparseVector": SparseVector.calibrate,
    "CountingQueries": lambda epsilon: CountingQueries.calibrate(epsilon, 3),
}
SENSITIVITIES: dict[str, Make] = {
    "Laplace": Laplace(1.0).loss,
    "Laplace.calibrate": lambda d: Laplace.calibrate(1.0, d),
    "TruncatedLaplace": TruncatedLaplace(1.0, 0, 1).loss,
    "DiscreteGaussian": DiscreteGaussian(1.0).loss,
    "DiscreteGaussian.calibrate": lambda d: DiscreteGaussian.calibrate(1.0, 1e-6, d),
    "Staircase": Staircase(1.0, 1, 1).loss,
    "Staircase.calibrate": lambda d: Staircase.calibrate(1.0, d),
    "Exponential": Exponential(1.0).loss,
    "Exponential.calibrate": lambda d: Exponential.calibrate(1.0, d),
    "NoisyMax": NoisyMax(1.0).loss,
    "PermuteAndFlip": PermuteAndFlip(1.0).loss,
    "SparseVector": SparseVector(1.0, 1.0).loss,
    "SparseVector.calibrate": lambda d: SparseVector.calibrate(1.0, 1, d),
    "Gaussian": Gaussian(1.0).loss,
    "Gaussian.calibrate": lambda d: Gaussian.calibrate(1.0, 1e-6, d),
    "Gaussian.calibrate_zcdp": lambda d: Gaussian.calibrate_zcdp(1.0, d),
}
DELTAS: dict[str, Make] = {
    "Gaussian": lambda delta: Gaussian.calibrate(0.5, delta),
    "Gaussian classical": lambda delta: Gaussian.calibrate_classical(0.5, delta),
    "DiscreteGaussian": lambda delta: DiscreteGaussian.calibrate(0.5, delta),
}
WHOLE: dict[str, tuple[str, Make]] = {
    "values of an interval": ("values", lambda n: Laplace(1.0).interval(0.9, n)),
    "dim of a Laplace mechanism": ("dim", lambda n: Laplace(1.0, dim=n).loss(1)),
    "dim of a Laplace calibration": ("dim", lambda n: Laplace.calibrate(1.0, 1, None, n)),
    "dim on a grid": ("dim", lambda n: Laplace(1.0, Grid(1), n)),
    "dim of a Gaussian mechanism": ("dim", lambda n: Gaussian(1.0, dim=n)),
    "dim of a Gaussian calibration": ("dim", lambda n: Gaussian.calibrate(1.0, 1e-6, 1, None, n)),
    "dim of a discrete Gaussian mechanism": ("dim", lambda n: DiscreteGaussian(1.0, dim=n)),
    "cutoff": ("cutoff", lambda n: SparseVector(1.0, 1.0, n)),
    "cutoff of a calibration": ("cutoff", lambda n: SparseVector.calibrate(1.0, n)),
    "queries": ("queries", lambda n: CountingQueries(n, Laplace(1.0))),
    "queries of a calibration": ("queries", lambda n: CountingQueries.calibrate(1.0, n)),
    "width": ("width", lambda n: Staircase(1.0, n, 1)),
    "tread": ("tread", lambda n: Staircase(1.0, 3, n)),
    "candidates": ("candidates", lambda n: Exponential(1.0).shortfall(0.9, n)),
    "best": ("best", lambda n: Exponential(1.0).shortfall(0.9, 9, n)),
    "questions": ("questions", lambda n: SparseVector(1.0, 1.0).accuracy(0.9, n)),
    "categories": ("categories", lambda n: RandomizedResponse(0.3, n)),
    "total": ("total", lambda n: RandomizedResponse(0.3).interval(0.95, n)),
}


@pytest.mark.parametrize("value", NOT_POSITIVE, ids=repr)
@pytest.mark.parametrize("where", SCALES)
def test_scales_are_finite_and_positive(where: str, value: object) -> None:
    name, make = SCALES[where]
    refused(name, make, value)


@pytest.mark.parametrize("value", NOT_POSITIVE, ids=repr)
@pytest.mark.parametrize("where", EPSILONS)
def test_epsilons_are_finite_and_positive(where: str, value: object) -> None:
    refused("epsilon", EPSILONS[where], value)


@pytest.mark.parametrize("value", NOT_POSITIVE, ids=repr)
@pytest.mark.parametrize("where", SENSITIVITIES)
def test_sensitivities_are_finite_and_positive(where: str, value: object) -> None:
    refused("sensitivity", SENSITIVITIES[where], value)


@pytest.mark.parametrize("value", [0.5, 1.5, Fraction(7, 3)])
@pytest.mark.parametrize("where", [where for where in SENSITIVITIES if not where.startswith("Gaussian")])
def test_a_fractional_sensitivity_needs_a_grid(where: str, value: object) -> None:
    assert "grid" in str(refused("sensitivity", SENSITIVITIES[where], value))


@pytest.mark.parametrize("value", [0, 0.0, 1, 1.0, 1.5, -1e-9, math.nan, math.inf, "0.1", None], ids=repr)
@pytest.mark.parametrize("where", DELTAS)
def test_a_gaussian_needs_a_delta_between_zero_and_one(where: str, value: object) -> None:
    assert "> 0 and < 1" in str(refused("delta", DELTAS[where], value))


@pytest.mark.parametrize("value", [1, 1.5, -1e-9, math.nan, math.inf, "0.1", None], ids=repr)
def test_counting_queries_take_delta_zero_but_nothing_senseless(value: object) -> None:
    refused("delta", lambda delta: CountingQueries.calibrate(0.5, 3, delta), value)


@pytest.mark.parametrize("value", NOT_WHOLE, ids=repr)
@pytest.mark.parametrize("where", WHOLE)
def test_counts_are_whole_and_positive(where: str, value: object) -> None:
    name, make = WHOLE[where]
    refused(name, make, value)


@pytest.mark.parametrize("value", [0, 1, -0.1, 1.1, math.nan, math.inf, "0.9", None], ids=repr)
@pytest.mark.parametrize(
    "made",
    [Laplace(1.0), Gaussian(1.0), DiscreteGaussian(1.0), Staircase(1.0, 1, 1), TruncatedLaplace(1.0, 0, 9)],
    ids=lambda made: type(made).__name__,
)
def test_confidence_lies_strictly_between_zero_and_one(made: Any, value: object) -> None:
    refused("confidence", made.interval, value)


@pytest.mark.parametrize("value", [0, 1, -0.1, math.nan, "0.1"], ids=repr)
def test_the_confidence_of_a_bound_lies_strictly_between_zero_and_one(value: object) -> None:
    for made in (Exponential(1.0), NoisyMax(1.0), PermuteAndFlip(1.0), SparseVector(1.0, 1.0)):
        bound = made.accuracy if isinstance(made, SparseVector) else made.shortfall
        refused("confidence", lambda sure, bound=bound: bound(sure, 3), value)  # type: ignore[misc]


@pytest.mark.parametrize("value", [0, -1.0, math.nan, math.inf, "1", None], ids=repr)
def test_rho_is_finite_and_positive(value: object) -> None:
    for kind in (Gaussian, DiscreteGaussian):
        refused("rho", kind.calibrate_zcdp, value)


def test_an_epsilon_that_asks_for_too_much_noise_is_refused() -> None:
    for where in ("Laplace", "TruncatedLaplace", "Staircase", "SparseVector", "CountingQueries"):
        refused("epsilon", EPSILONS[where], 1e-17)
    for kind in (Gaussian, DiscreteGaussian):
        refused("epsilon", lambda epsilon, kind=kind: kind.calibrate(epsilon, 1e-18), 1e-17)  # type: ignore[misc]


def test_a_rho_that_asks_for_too_much_noise_is_refused() -> None:
    for kind in (Gaussian, DiscreteGaussian):
        refused("rho", kind.calibrate_zcdp, 1e-40)


def test_an_epsilon_that_asks_for_too_wide_a_choice_is_refused() -> None:
    for kind in (Exponential, NoisyMax, PermuteAndFlip):
        refused("epsilon", kind.calibrate, 1e-200)


@pytest.mark.parametrize(
    ("lower", "upper", "name"), [(3, 3, "upper"), (3, 2, "upper"), (0.5, 2, "lower"), (0, None, "upper")]
)
def test_truncation_bounds_are_whole_and_in_order(lower: Any, upper: Any, name: str) -> None:
    refused(name, lambda _: TruncatedLaplace(1.0, lower, upper), None)


@pytest.mark.parametrize("flag", ["yes", 1, None])
def test_flags_are_true_or_false(flag: Any) -> None:
    refused("monotone", lambda value: Exponential(1.0, value), flag)
    refused("monotone", lambda value: SparseVector(1.0, 1.0, monotone=value), flag)
    refused("redraw", lambda value: SparseVector(1.0, 1.0, redraw=value), flag)


@pytest.mark.parametrize("share", [-0.1, 1, 1.5, math.nan, "0.5"], ids=repr)
def test_the_share_for_numbers_is_below_one(share: Any) -> None:
    refused("answers", lambda value: SparseVector.calibrate(1.0, answers=value), share)
