"""Draws made on the device are those that the CPU's exact path makes of the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from numpy.typing import NDArray
from scipy import special

from discreet.base.errors import ParameterError
from discreet.noise.bits import replayed
from discreet.noise.device.frame import jax_modules, wide
from discreet.noise.device.gaussian import (
    UNDECIDED,
    begin_rounded_gaussian,
    enclose_draws,
    read_draws,
    rounded_gaussian_on_device,
)
from discreet.noise.device.quantile import QUANTILE_ERROR, SMALLEST, find_magnitude
from discreet.noise.interval import INT64, NORMAL, Inversion
from noise.device.test_quantile import MARGIN, holds, uniforms
from servers.accelerated import require_jax
from support.sampling import ALARM, Cdf, GeneratorBits, binary_digits, integer_fit_p

SIGMAS = [0.3, 1.0, 37.5, 1e3, 1e6, 1e9, 1e12]
COUNT = 1 << 18


def exact_draw(sigma: float, word: int) -> int:
    return Inversion(NORMAL, sigma, lambda: arb(fmpq(1, 2)), signed=True).finish(word)


def on_device(words: NDArray[np.uint64], sigma: float) -> NDArray[np.int64]:
    jax, jnp = jax_modules()
    with wide():
        found: NDArray[np.int64] = np.asarray(jax.jit(lambda w, s: read_draws(w, s, jnp))(words, np.float64(sigma)))
    return found


def hostile_words(sigma: float) -> NDArray[np.uint64]:
    """Return words at the ends of the range and on either side of boundaries between integers, with both signs."""
    found = [0, 1, SMALLEST - 1, SMALLEST, SMALLEST + 1, INT64 - 1, INT64]
    for k in (1, 2, max(1, round(sigma)), max(1, round(3 * sigma))):
        tail = (2 * k - 1) / (2 * sigma)
        if tail < 6:
            edge = binary_digits(lambda k=k: (arb(fmpq(2 * k - 1, 2)) / arb(sigma) / arb(2).sqrt()).erfc(), 63)  # type: ignore[misc]
            found += [min(INT64, max(0, edge + off)) for off in (-1000, -2, -1, 0, 1, 2, 1000)]
    return np.array([*found, *(word + 2**63 for word in found)], dtype=np.uint64)


@pytest.mark.parametrize("sigma", SIGMAS)
def test_a_decided_draw_is_what_balls_decide_from_the_same_bits(sigma: float) -> None:
    require_jax()
    generator = np.random.default_rng([7, int(sigma)])
    words = np.concatenate([hostile_words(sigma), generator.integers(0, 2**64, 3_000, dtype=np.uint64)])
    found = on_device(np.resize(words, 4096), sigma)[: len(words)]
    undecided = found == UNDECIDED
    assert undecided.sum() >= 2 * 3
    with replayed(GeneratorBits(3)):
        exact = [exact_draw(sigma, int(word)) for word in words[~undecided]]
    assert found[~undecided].tolist() == exact
    if sigma <= 1e6:
        assert undecided[-3_000:].sum() <= 1


@pytest.mark.parametrize("sigma", SIGMAS[1::2])
def test_the_floats_hold_every_value_that_the_bits_allow(sigma: float) -> None:
    require_jax()
    jax, jnp = jax_modules()
    generator = np.random.default_rng(8)
    prefixes = np.concatenate([generator.integers(SMALLEST, 2**63, 2_000), SMALLEST + np.arange(48)])
    with wide():
        low, high = jax.jit(lambda p, s: enclose_draws(p, s, jnp))(prefixes, np.float64(sigma))
        low, high = np.asarray(low), np.asarray(high)
    with ctx.workprec(160):
        root = arb(2).sqrt() * arb(sigma)
        for bottom, top, whole in zip(low.tolist(), high.tolist(), prefixes.tolist(), strict=True):
            assert ((arb(bottom) - 0.5) / root).erfc() >= arb(fmpq(whole + 1, 2**63))
            assert ((arb(top) - 0.5) / root).erfc() <= arb(fmpq(whole, 2**63))


def test_the_device_is_eight_times_better_than_assumed() -> None:
    require_jax()
    jax, jnp = jax_modules()
    u = uniforms(60_000, seed=3)
    with wide():
        z = np.asarray(jax.jit(lambda points: find_magnitude(points, jnp))(u))
    assert holds(z, u, QUANTILE_ERROR / MARGIN)


def rounded_cdf(sigma: float) -> Cdf:
    def cdf(k: NDArray[np.float64]) -> NDArray[np.float64]:
        share: NDArray[np.float64] = special.ndtr((k + 0.5) / sigma)
        return share

    return cdf


@pytest.mark.parametrize("sigma", [0.5, 10.0, 1e6])
def test_draws_fit_the_exact_law_and_5_percent_off_would_be_noticed(sigma: float) -> None:
    require_jax()
    draws = np.asarray(rounded_gaussian_on_device(sigma, COUNT))
    assert integer_fit_p(draws, rounded_cdf(sigma)) >= ALARM
    for off in (0.95, 1.05):
        other = np.asarray(rounded_gaussian_on_device(sigma * off, COUNT))
        assert integer_fit_p(other, rounded_cdf(sigma)) < ALARM


def test_undecided_draws_are_decided_on_the_host_from_their_own_bits() -> None:
    """At 10^14 floats decide few draws, so nearly all come back with their bits."""
    require_jax()
    sigma, count = 1e14, 20_000
    pending = begin_rounded_gaussian(sigma, count)
    draws, words = np.asarray(pending.finish()), np.asarray(pending.words)
    assert pending.undecided > 0.8 * count
    assert len(draws) >= count
    assert not np.any(draws == UNDECIDED)
    law = Inversion(NORMAL, sigma, lambda: arb(fmpq(1, 2)), signed=True)
    for draw, word in zip(draws[-300:].tolist(), words[-300:].tolist(), strict=True):
        with replayed(GeneratorBits(1)):
            assert abs(draw - law.finish(word)) <= 64 * max(1, 2**63 // max(1, word & INT64))


def test_draws_never_come_twice_and_have_the_shape_asked_for() -> None:
    require_jax()
    first, second = (np.asarray(rounded_gaussian_on_device(1e9, (2, 1500))) for _ in range(2))
    assert first.shape == (2, 1500)
    assert first.dtype == np.int64
    assert not np.any(first == second)
    assert np.asarray(rounded_gaussian_on_device(3.0, (0, 2))).shape == (0, 2)


@pytest.mark.parametrize(("sigma", "count"), [(0.0, 5), (1e16, 5), (1.0, 0), (1.0, 2.5), (1.0, 2**36)])
def test_what_cannot_be_drawn_is_refused_before_a_key_is_taken(sigma: float, count: Any) -> None:
    require_jax()
    with replayed(source := GeneratorBits(1)), pytest.raises(ParameterError):
        begin_rounded_gaussian(sigma, count)
    assert source.taken == 0
