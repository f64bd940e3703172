"""Discrete Laplace and geometric draws have exactly the law they name."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from numpy.typing import NDArray

from discreet.noise import discrete_laplace, geometric
from discreet.noise.bits import replayed
from discreet.noise.interval import INT64
from support.sampling import ALARM, Cdf, ScriptedBits, as_words, binary_digits, integer_fit_p, kolmogorov_p

SCALES = [0.5, 1, 10, 1e3, 1e9]
COUNT = 10**6
SPARE = [2**63] * 16

Sampler = Callable[..., NDArray[Any]]


def laplace_cdf(scale: float) -> Cdf:
    q = np.exp(-1 / scale)

    def cdf(k: NDArray[np.float64]) -> NDArray[np.float64]:
        upper = np.exp(-(np.maximum(k, 0) + 1) / scale) / (1 + q)
        lower = np.exp(np.minimum(k, -1) / scale) / (1 + q)
        share: NDArray[np.float64] = np.where(k >= 0, 1 - upper, lower)
        return share

    return cdf


def geometric_cdf(scale: float) -> Cdf:
    return lambda k: np.where(k < 0, 0.0, -np.expm1(-(np.maximum(k, 0) + 1) / scale))


LAWS: list[Any] = [
    pytest.param(discrete_laplace, laplace_cdf, id="laplace"),
    pytest.param(geometric, geometric_cdf, id="geometric"),
]


@pytest.mark.many
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(("sampler", "law"), LAWS)
def test_a_million_draws_fit_the_exact_law(sampler: Sampler, law: Callable[[float], Cdf], scale: float) -> None:
    draws = sampler(scale, COUNT)
    assert integer_fit_p(draws, law(scale)) >= ALARM
    assert kolmogorov_p(draws, law(scale)) >= ALARM


@pytest.mark.many
@pytest.mark.parametrize("off", [0.95, 1.05])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(("sampler", "law"), LAWS)
def test_a_scale_5_percent_off_would_be_noticed(
    sampler: Sampler, law: Callable[[float], Cdf], scale: float, off: float
) -> None:
    draws = sampler(scale * off, COUNT)
    assert integer_fit_p(draws, law(scale)) < ALARM
    assert kolmogorov_p(draws, law(scale)) < ALARM


@pytest.mark.long
@pytest.mark.parametrize("scale", [0.2, *SCALES])
@pytest.mark.parametrize(("sampler", "law"), LAWS)
def test_ten_million_draws_fit_the_exact_law(sampler: Sampler, law: Callable[[float], Cdf], scale: float) -> None:
    draws = sampler(scale, 10 * COUNT)
    assert integer_fit_p(draws, law(scale)) >= ALARM
    assert kolmogorov_p(draws, law(scale)) >= ALARM


def exact(scale: float | Fraction) -> arb:
    fraction = Fraction(scale)
    return arb(fmpq(fraction.numerator, fraction.denominator))


def laplace_tail(scale: float | Fraction, k: int) -> arb:
    """Pr[|x| >= k] for k >= 1, where half of the mass at 0 has either sign: twice the sum of one tail."""
    q = (-1 / exact(scale)).exp()
    return 2 * q**k / (1 + q)


def geometric_tail(scale: float | Fraction, k: int) -> arb:
    return (-k / exact(scale)).exp()


BOUNDARIES: list[Any] = [
    (scale, k)
    for scale, points in [
        (1e-3, [1]),
        (0.05, [1, 2, 3, 4, 20]),
        (0.5, [1, 2, 50]),
        (Fraction(1, 3), [1, 5]),
        (1, [1, 2, 43, 44, 1000]),
        (10, [1, 7, 300, 4000]),
        (1e3, [1, 999, 40_000, 10**6]),
        (1e9, [1, 10**9, 5 * 10**10]),
        (1e15, [1, 10**15, 10**17]),
    ]
    for k in points
]
TAILS: list[Any] = [
    pytest.param(discrete_laplace, laplace_tail, id="laplace"),
    pytest.param(geometric, geometric_tail, id="geometric"),
]


def magnitude(sampler: Sampler, words: list[int]) -> tuple[int, int]:
    """Return the size of the one draw those words give, and how many of them it took."""
    source = ScriptedBits(words + SPARE)
    with replayed(source):
        return abs(int(sampler(size=1)[0])), source.taken


def bounded(sampler: Sampler, scale: float | Fraction) -> Sampler:
    return lambda size: sampler(scale, size)


@pytest.mark.parametrize(("scale", "k"), [(0.05, 1), (1, 1), (1, 20), (10, 3), (1e3, 700), (1e9, 1), (1e15, 10**15)])
@pytest.mark.parametrize(("sampler", "tail"), TAILS)
def test_a_prefix_that_straddles_a_boundary_is_decided_by_more_bits(
    sampler: Sampler, tail: Callable[[float | Fraction, int], arb], scale: float, k: int
) -> None:
    for extensions in (1, 2, 5):
        edge = binary_digits(lambda: tail(scale, k), 63 + 64 * extensions)
        below, below_took = magnitude(bounded(sampler, scale), as_words(edge - 1, extensions, first=63))
        above, above_took = magnitude(bounded(sampler, scale), as_words(edge + 1, extensions, first=63))
        assert (below, above) == (k, k - 1)
        assert below_took > extensions
        assert above_took > extensions


@pytest.mark.parametrize(("scale", "k"), BOUNDARIES)
@pytest.mark.parametrize(("sampler", "tail"), TAILS)
def test_uniforms_on_either_side_of_a_boundary_give_k_and_k_minus_1(
    sampler: Sampler, tail: Callable[[float | Fraction, int], arb], scale: float | Fraction, k: int
) -> None:
    """Neighbouring prefixes of 63, 127, ... bits: just below the tail's probability is k, just above it k - 1."""
    extensions = tried = 0
    while tried < 3:
        edge = binary_digits(lambda: tail(scale, k), 63 + 64 * extensions)
        if edge > 4 * scale:  # else one prefix spans more than one integer
            below, _ = magnitude(bounded(sampler, scale), as_words(edge - 1, extensions, first=63))
            above, _ = magnitude(bounded(sampler, scale), as_words(edge + 1, extensions, first=63))
            assert (below, above) == (k, k - 1)
            tried += 1
        extensions += 1


def test_the_top_bit_is_the_sign_and_changes_nothing_else() -> None:
    words = [5 * 2**40, 2**62, 2**63 - 1]
    with replayed(ScriptedBits([*words, *(word | 2**63 for word in words)])):
        draws = discrete_laplace(1e3, 6)
    assert list(draws[3:]) == list(-draws[:3])
    assert draws[0] > 0


@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize(("sampler", "log_shift"), [(discrete_laplace, True), (geometric, False)])
def test_draws_beyond_int64_saturate_and_wide_draws_do_not(sampler: Sampler, log_shift: bool, negative: bool) -> None:
    scale, zeros = 1e15, 230
    words = [2**63 if negative else 0, *[0] * (zeros - 1), 0xDEADBEEF << 30, *SPARE]
    whole = int.from_bytes(b"".join(word.to_bytes(8, "big") for word in words[1:]), "big")
    with ctx.workprec(64 * len(words) + 400):
        u = arb(fmpq(whole, 1 << (63 + 64 * (len(words) - 1))))
        noise = -u.log() + ((2 / (1 + (-1 / exact(scale)).exp())).log() if log_shift else 0)
        found = (exact(scale) * noise).floor().unique_fmpz()
    assert found is not None
    true = int(found)
    assert true > INT64
    sign = -1 if negative and sampler is discrete_laplace else 1
    with replayed(ScriptedBits(words)):
        assert sampler(scale, 1)[0] == sign * INT64
    with replayed(ScriptedBits(words)):
        wide = sampler(scale, 1, wide=True)
    assert wide.dtype == object
    assert wide[0] == sign * true


@pytest.mark.parametrize("sampler", [discrete_laplace, geometric])
def test_draws_have_the_shape_and_type_asked_for(sampler: Sampler) -> None:
    assert sampler(3.0, 5).shape == (5,)
    assert sampler(3.0, (2, 0, 4)).shape == (2, 0, 4)
    assert sampler(3.0, ()).shape == ()
    assert sampler(3.0, 5).dtype == np.int64
    assert all(type(entry) is int for entry in sampler(3.0, 5, wide=True))


@pytest.mark.parametrize("sampler", [discrete_laplace, geometric])
def test_an_odd_scale_is_held_exactly_as_a_fraction(sampler: Sampler) -> None:
    """At scale 10^15 the float next to 10^15 - 1/3 is 1/12 away from it, which moves draws of 40 scales by 3."""
    scale = 10**15 - Fraction(1, 3)
    with replayed(ScriptedBits([1, *SPARE])):
        draw = int(sampler(scale, 1, wide=True)[0])
    with ctx.workprec(1000):
        u = arb(fmpq(int.from_bytes(b"".join(w.to_bytes(8, "big") for w in [1, *SPARE]), "big"), 1 << (63 + 64 * 16)))
        shift = (2 / (1 + (-1 / exact(scale)).exp())).log() if sampler is discrete_laplace else arb(0)
        true = (exact(scale) * (shift - u.log())).floor().unique_fmpz()
    assert draw == true
