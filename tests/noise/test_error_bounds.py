"""The float errors that the samplers assume, against ball arithmetic: at least 8 times the worst that occurs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from numpy.typing import NDArray
from scipy import special

from discreet.noise import interval, race
from discreet.noise.interval import EXPONENTIAL, LOG_ERROR, NDTRI_ERROR, NORMAL, SMALLEST, Curve, Inversion
from discreet.noise.laplace import LARGEST_SCALE, SMALLEST_SCALE

Floats = NDArray[np.float64]
MARGIN = 8
SIZES = [1, pytest.param(4, marks=pytest.mark.slow), pytest.param(24, marks=pytest.mark.long)]
"""Multiples of the number of points, which are some 700,000 in all."""


@pytest.fixture(autouse=True)
def balls_of_160_bits() -> Iterator[None]:
    with ctx.workprec(160):
        yield


def uniforms(count: int, seed: int) -> Floats:
    """Floats in (0, 1) of every kind a sampler meets: even, in the lower tail, close to 1, and the very ends."""
    generator = np.random.default_rng([seed, count])
    even = generator.random(count // 2)
    tail = np.exp2(-64 * generator.random(count // 4))
    close = 1 - np.exp2(-53 * generator.random(count // 4 - 400))
    ends = np.concatenate([np.arange(1, 201) * 2.0**-63, 1 - np.arange(1, 201) * 2.0**-53])
    found = np.concatenate([even, tail, close, ends])
    return found[(found > 0) & (found < 1)]


def worst_relative_error(values: Floats, points: Floats, truth: Callable[[arb], arb]) -> float:
    """Return the greatest |value - truth(point)| / |value|."""
    worst = 0.0
    for value, point in zip(values.tolist(), points.tolist(), strict=True):
        worst = max(worst, abs(float(arb(value) - truth(arb(point)))) / abs(value))
    return worst


@pytest.mark.parametrize("size", SIZES)
def test_log_is_eight_times_better_than_assumed(size: int) -> None:
    w = uniforms(300_000 * size, seed=1)
    assert len(w) > 275_000 * size
    assert worst_relative_error(EXPONENTIAL.estimate(w.copy()), w, lambda u: -u.log()) <= LOG_ERROR / MARGIN


@pytest.mark.parametrize("size", SIZES)
def test_log_of_an_exponential_is_eight_times_better_than_assumed(size: int) -> None:
    """The Gumbel variable's outer logarithm, whose argument runs from 2^-64 to 45."""
    generator = np.random.default_rng([2, size])
    points = np.concatenate(
        [generator.exponential(1.0, 37_500 * size), np.exp2(generator.uniform(-64, 5.5, 37_500 * size))]
    )
    points = points[points != 1]
    assert worst_relative_error(np.log(points), points, lambda e: e.log()) <= LOG_ERROR / MARGIN


@pytest.mark.parametrize("size", SIZES)
def test_log1p_is_eight_times_better_than_assumed(size: int) -> None:
    w = uniforms(100_000 * size, seed=3)
    assert worst_relative_error(-np.log1p(-w), w, lambda u: -(1 - u).log()) <= LOG_ERROR / MARGIN


@pytest.mark.parametrize("size", SIZES)
def test_ndtri_is_eight_times_better_than_assumed(size: int) -> None:
    """Phi at z (1 +- bound / 8) lies on either side of v, so ndtri(v) errs by less than bound / 8."""
    w = uniforms(50_000 * size, seed=4)
    found = NORMAL.estimate(w.copy())
    root, slack = arb(2).sqrt(), arb(NDTRI_ERROR) / MARGIN
    near, far = (1 - slack) / root, (1 + slack) / root
    for z, point in zip(found.tolist(), w.tolist(), strict=True):
        u = arb(point)
        assert (z * far).erfc() < u < (z * near).erfc(), f"ndtri({point} / 2) = {z}"


def test_both_curves_are_0_at_1_and_finite_at_the_smallest_uniform() -> None:
    for curve in (EXPONENTIAL, NORMAL):
        ends = curve.estimate(np.array([1.0, 2.0**-64]))
        assert ends[0] == 0
        assert 9 < ends[1] < 45
    assert special.ndtri(0.5) == 0


class FloorSpy:
    """numpy, remembering what it was asked to floor: the ends of the interval that floats leave to a draw."""

    def __init__(self) -> None:
        self.seen: list[Floats] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def floor(self, values: Floats, **options: Any) -> Any:
        self.seen.append(values.copy())
        return np.floor(values, **options)


def prefixes(count: int, seed: int) -> NDArray[np.int64]:
    """Return 63-bit prefixes from the smallest that floats decide to the largest, in all sizes."""
    generator = np.random.default_rng([seed, count])
    even = generator.integers(SMALLEST, 2**63, count // 2)
    tail = np.exp2(generator.uniform(20, 63, count // 4)).astype(np.int64)
    close = 2**63 - 1 - np.exp2(generator.uniform(0, 62, count // 4)).astype(np.int64)
    ends = np.concatenate([SMALLEST + np.arange(50), 2**63 - 1 - np.arange(50)])
    return np.concatenate([even, np.clip(tail, SMALLEST, None), close, ends])


def exponential_holds(low: arb, high: arb, whole: int) -> bool:
    """Say whether -ln u is between low and high for all u in the interval of the prefix."""
    return bool(low <= -arb(fmpq(whole + 1, 2**63)).log() and -arb(fmpq(whole, 2**63)).log() <= high)


def normal_holds(low: arb, high: arb, whole: int) -> bool:
    root = arb(2).sqrt()
    return bool((low / root).erfc() >= arb(fmpq(whole + 1, 2**63)) and (high / root).erfc() <= arb(fmpq(whole, 2**63)))


def laplace_shift(scale: arb) -> arb:
    return scale * (2 / (1 + (-1 / scale).exp())).log()


SHIFTS: dict[str, Callable[[arb], arb]] = {
    "none": lambda scale: arb(0),
    "half": lambda scale: arb(0.5),
    "laplace": laplace_shift,
}
MODELS: list[tuple[Curve, Callable[[arb, arb, int], bool], str, float | Fraction]] = [
    *((EXPONENTIAL, exponential_holds, "laplace", s) for s in (1e-6, 0.05, 1.0, Fraction(10, 3), 1e3, 1e9, 1e15)),
    *((EXPONENTIAL, exponential_holds, "none", s) for s in (1e-6, 0.7, Fraction(10**15 - 1, 3), 1e15)),
    *((NORMAL, normal_holds, "half", s) for s in (1e-6, 0.05, 1.0, Fraction(10, 3), 1e9, 1e15)),
]


@pytest.mark.many
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("curve", "holds", "shift", "scale"), MODELS)
def test_the_float_interval_holds_every_value_that_the_bits_allow(
    curve: Curve,
    holds: Callable[[arb, arb, int], bool],
    shift: str,
    scale: float | Fraction,
    size: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The complete model: scale * curve(u) + shift, for all u with those 63 bits, lies between the floats floored."""
    fraction = Fraction(scale)
    exact_scale = arb(fmpq(fraction.numerator, fraction.denominator))
    exact_shift = SHIFTS[shift](exact_scale)
    law = Inversion(curve, scale, lambda: exact_shift, signed=False)
    wholes = prefixes(10_000 * size, seed=5)
    spy = FloorSpy()
    monkeypatch.setattr(interval, "np", spy)
    law._estimate(wholes, float(exact_shift), np.empty(len(wholes), dtype=np.int64))
    low, high = spy.seen
    assert np.all(low < high)
    for bottom, top, whole in zip(low.tolist(), high.tolist(), wholes.tolist(), strict=True):
        assert holds((bottom - exact_shift) / exact_scale, (top - exact_shift) / exact_scale, whole), whole


RACE_TRUTHS: list[Any] = [
    pytest.param(race.EXPONENTIAL_NOISE, lambda u: -u.log(), id="exponential"),
    pytest.param(race.GUMBEL_NOISE, lambda u: -(-(1 - u).log()).log(), id="gumbel"),
]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("variable", "truth"), RACE_TRUTHS)
def test_a_racing_variable_lies_within_its_float_error(
    variable: race.Variable, truth: Callable[[arb], arb], size: int
) -> None:
    """At both ends of the interval that 64 bits leave (both variables are monotone)."""
    words = (prefixes(15_000 * size, seed=6).astype(np.uint64) << np.uint64(1)) | np.uint64(1)
    value, error = variable.estimate(words)
    known = np.isfinite(error)
    assert np.count_nonzero(known) > 10_000 * size
    for word, middle, slack in zip(words[known].tolist(), value[known].tolist(), error[known].tolist(), strict=True):
        for edge in (word, word + 1):
            if 0 < edge < 2**64:
                assert abs(truth(arb(fmpq(edge, 2**64))) - middle) <= slack, word


def test_a_laplace_variable_is_an_exponential_one_with_a_sign() -> None:
    words = prefixes(1_000, seed=7).astype(np.uint64)
    value, error = race.LAPLACE_NOISE.estimate(words)
    mirrored, same_error = race.LAPLACE_NOISE.estimate(words | np.uint64(2**63))
    assert np.array_equal(mirrored, -value)
    assert np.array_equal(same_error, error)
    truth = [-math.log((word + 0.5) / 2**63) for word in words.tolist()]
    assert np.allclose(value, truth, rtol=1e-12, atol=1e-12)


def test_the_models_reach_the_ends_of_the_scales_taken() -> None:
    scales = [scale for _, _, _, scale in MODELS]
    assert min(scales) == SMALLEST_SCALE
    assert max(scales) == LARGEST_SCALE
