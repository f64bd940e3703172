"""Rounded and discrete Gaussian draws have exactly the law they name."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from numpy.typing import NDArray
from scipy import special

from discreet.noise import discrete_gaussian, gaussian, rounded_gaussian
from discreet.noise.bits import replayed
from discreet.noise.interval import INT64, NORMAL, Inversion
from support.sampling import ALARM, Cdf, ScriptedBits, as_words, binary_digits, integer_fit_p, kolmogorov_p

SCALES = [0.5, 1, 10, 1e3, 1e9]
COUNT = 10**6
SPARE = [2**63] * 16

Sampler = Callable[..., NDArray[Any]]


def rounded_cdf(sigma: float) -> Cdf:
    def cdf(k: NDArray[np.float64]) -> NDArray[np.float64]:
        share: NDArray[np.float64] = special.ndtr((k + 0.5) / sigma)
        return share

    return cdf


def discrete_cdf(sigma: float) -> Cdf:
    """Sum the probabilities; at 10^9 the continuous law's values half way between integers differ by under 10^-18."""
    if sigma > 1e6:
        return rounded_cdf(sigma)
    reach = int(40 * sigma) + 2
    k = np.arange(-reach, reach + 1)
    mass = np.exp(-0.5 * (k / sigma) ** 2)
    below = np.cumsum(mass) / np.sum(mass)

    def cdf(points: NDArray[np.float64]) -> NDArray[np.float64]:
        share: NDArray[np.float64] = below[np.clip(points + reach, 0, 2 * reach).astype(np.int64)]
        return share

    return cdf


LAWS: list[Any] = [
    pytest.param(rounded_gaussian, rounded_cdf, id="rounded"),
    pytest.param(discrete_gaussian, discrete_cdf, id="discrete"),
]


@pytest.mark.many
@pytest.mark.parametrize("sigma", SCALES)
@pytest.mark.parametrize(("sampler", "law"), LAWS)
def test_a_million_draws_fit_the_exact_law(sampler: Sampler, law: Callable[[float], Cdf], sigma: float) -> None:
    draws = sampler(sigma, COUNT)
    assert integer_fit_p(draws, law(sigma)) >= ALARM
    assert kolmogorov_p(draws, law(sigma)) >= ALARM


@pytest.mark.many
@pytest.mark.parametrize("off", [0.95, 1.05])
@pytest.mark.parametrize("sigma", SCALES)
@pytest.mark.parametrize(("sampler", "law"), LAWS)
def test_a_sigma_5_percent_off_would_be_noticed(
    sampler: Sampler, law: Callable[[float], Cdf], sigma: float, off: float
) -> None:
    draws = sampler(sigma * off, COUNT)
    assert integer_fit_p(draws, law(sigma)) < ALARM
    assert kolmogorov_p(draws, law(sigma)) < ALARM


@pytest.mark.long
@pytest.mark.parametrize("sigma", [0.3, *SCALES])
@pytest.mark.parametrize(("sampler", "law"), LAWS)
def test_ten_million_draws_fit_the_exact_law(sampler: Sampler, law: Callable[[float], Cdf], sigma: float) -> None:
    draws = sampler(sigma, 10 * COUNT)
    assert integer_fit_p(draws, law(sigma)) >= ALARM
    assert kolmogorov_p(draws, law(sigma)) >= ALARM


def exact(number: float | Fraction) -> arb:
    fraction = Fraction(number)
    return arb(fmpq(fraction.numerator, fraction.denominator))


def rounded_tail(sigma: float | Fraction, k: int) -> arb:
    """Pr[|x| >= k] for k >= 1: the real Gaussian is at least k - 1/2 from 0."""
    return (exact(Fraction(2 * k - 1, 2)) / exact(sigma) / arb(2).sqrt()).erfc()


def magnitude(sigma: float | Fraction, words: list[int]) -> tuple[int, int]:
    """Return the size of the one draw those words give, and how many of them it took."""
    source = ScriptedBits(words + SPARE)
    with replayed(source):
        return abs(int(rounded_gaussian(sigma, 1)[0])), source.taken


@pytest.mark.parametrize(("sigma", "k"), [(0.5, 1), (1, 1), (1, 5), (10, 30), (1e3, 2_000), (1e9, 10**9), (1e15, 1)])
def test_a_prefix_that_straddles_a_boundary_is_decided_by_more_bits(sigma: float, k: int) -> None:
    for extensions in (1, 2, 5):
        edge = binary_digits(lambda: rounded_tail(sigma, k), 63 + 64 * extensions)
        below, below_took = magnitude(sigma, as_words(edge - 1, extensions, first=63))
        above, above_took = magnitude(sigma, as_words(edge + 1, extensions, first=63))
        assert (below, above) == (k, k - 1)
        assert below_took > extensions
        assert above_took > extensions


@pytest.mark.many
@pytest.mark.parametrize(
    ("sigma", "k"),
    [
        (0.05, 1),
        (0.05, 2),
        (0.05, 3),
        (Fraction(1, 3), 2),
        (0.5, 1),
        (0.5, 10),
        (1, 1),
        (1, 9),
        (1, 60),
        (10, 1),
        (10, 400),
        (1e3, 1),
        (1e3, 9_000),
        (1e9, 1),
        (1e9, 3 * 10**10),
        (1e15, 1),
        (1e15, 10**16),
    ],
)
def test_uniforms_on_either_side_of_a_boundary_give_k_and_k_minus_1(sigma: float | Fraction, k: int) -> None:
    extensions = tried = 0
    while tried < 3:
        edge = binary_digits(lambda: rounded_tail(sigma, k), 63 + 64 * extensions)
        if edge > 4 * sigma:  # else one prefix spans more than one integer
            below, _ = magnitude(sigma, as_words(edge - 1, extensions, first=63))
            above, _ = magnitude(sigma, as_words(edge + 1, extensions, first=63))
            assert (below, above) == (k, k - 1)
            tried += 1
        extensions += 1


PROPOSALS = 17
"""Laplace proposals made for a single discrete Gaussian draw: int(1.4) + 16."""

HEADS = 2**20
"""A coin word that keeps its proposal 0 whatever sigma is here: a uniform real of about 2^-44."""


def first_kept(sigma: float, proposal: int, coin: list[int]) -> tuple[int, int]:
    """Propose `proposal` once and 0 from then on, with the given bits for the first coin; return the draw.

    Also return how many words were left unread.
    """
    t = int(sigma) + 1
    word = binary_digits(lambda: (-(arb(proposal) + arb(0.5)) / t).exp() * 2 / (1 + (arb(-1) / t).exp()), 63)
    words = [word, *[2**63 - 1] * (PROPOSALS - 1), coin[0], *[HEADS] * (PROPOSALS - 1), *coin[1:], *SPARE]
    source = ScriptedBits(words)
    with replayed(source):
        return int(discrete_gaussian(sigma, 1)[0]), len(words) - source.taken


def keeping(sigma: float, proposal: int) -> arb:
    """The chance to keep a proposal (Canonne, Kamath, Steinke 2020, Algorithm 3)."""
    variance = exact(sigma) ** 2
    return (-((abs(proposal) - variance / (int(sigma) + 1)) ** 2) / (2 * variance)).exp()


@pytest.mark.parametrize(("sigma", "proposal"), [(0.05, 1), (0.05, 2), (0.5, 1), (0.5, 4), (1, 2), (3, 1), (10, 9)])
def test_a_proposal_is_kept_just_below_its_chance_and_dropped_just_above(sigma: float, proposal: int) -> None:
    extensions = tried = 0
    while tried < 3:
        edge = binary_digits(lambda: keeping(sigma, proposal), 64 + 64 * extensions)
        if edge >= 1:
            assert first_kept(sigma, proposal, as_words(edge - 1, extensions))[0] == proposal
            assert first_kept(sigma, proposal, as_words(edge + 1, extensions))[0] == 0
            tried += 1
        extensions += 1


def test_a_coin_word_equal_to_the_chance_takes_more_bits() -> None:
    edge = binary_digits(lambda: keeping(3, 1), 64)
    assert first_kept(3, 1, [edge])[1] < len(SPARE)
    assert first_kept(3, 1, [edge - 2])[1] == len(SPARE)


def test_the_chance_to_keep_makes_the_discrete_gaussian() -> None:
    """Proposals times chances are proportional to exp(-x^2 / (2 sigma^2)), to 300 bits."""
    with ctx.workprec(300):
        for sigma in (0.3, 1.0, 7.5):
            t = int(sigma) + 1
            shares = [
                (arb(-k) / t).exp() * keeping(sigma, k) / (-(arb(k) ** 2) / (2 * exact(sigma) ** 2)).exp()
                for k in range(6)
            ]
            assert all(abs(share - shares[0]) < arb(2) ** -250 for share in shares)


def test_rounded_draws_beyond_int64_saturate_and_wide_draws_do_not() -> None:
    """A scale beyond the public limit, since at 10^15 a draw beyond int64 would take a million words of zeros."""
    sigma = 1e18
    law = Inversion(NORMAL, sigma, lambda: arb(fmpq(1, 2)), signed=True)
    for sign, top in ((1, 0), (-1, 2**63)):
        words = [top, 0, 12345 << 40, *SPARE]
        whole = int.from_bytes(b"".join(word.to_bytes(8, "big") for word in words[1:]), "big")
        with ctx.workprec(3000):
            u = arb(fmpq(whole, 1 << (63 + 64 * (len(words) - 1))))
            true = (exact(sigma) * arb(2).sqrt() * u.erfcinv() + arb(0.5)).floor().unique_fmpz()
        assert true is not None
        assert int(true) > INT64
        with replayed(ScriptedBits(words)):
            draws = law.draw(1)
        assert draws.shaped((1,), wide=False)[0] == sign * INT64
        assert draws.shaped((1,), wide=True)[0] == sign * int(true)


def test_discrete_draws_beyond_int64_saturate_and_wide_draws_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every proposal but the first is kept: a coin that keeps a draw beyond int64 would take a million words."""
    monkeypatch.setattr(gaussian, "exponential_coin", lambda exponent, error, exact: np.arange(len(exponent)) > 0)
    extension = [*[0] * 230, 5 * 2**60, *SPARE]
    words = [2**62, 2**63, *[2**62] * (PROPOSALS - 1), *extension]
    whole = int.from_bytes(b"".join(word.to_bytes(8, "big") for word in extension), "big")
    with ctx.workprec(64 * len(words) + 400):
        t = arb(10**15 + 1)
        u = arb(fmpq(whole, 1 << (63 + 64 * len(extension))))
        true = (t * ((2 / (1 + (-1 / t).exp())).log() - u.log())).floor().unique_fmpz()
    assert true is not None
    with replayed(ScriptedBits(words)):
        first, second = discrete_gaussian(1e15, 2).tolist()
    assert first == -INT64
    assert 0 < second < 10**16
    with replayed(ScriptedBits(words)):
        assert discrete_gaussian(1e15, 2, wide=True).tolist() == [-int(true), second]


@pytest.mark.parametrize("sampler", [rounded_gaussian, discrete_gaussian])
def test_draws_have_the_shape_and_type_asked_for(sampler: Sampler) -> None:
    assert sampler(3.0, 5).shape == (5,)
    assert sampler(3.0, (2, 0, 4)).shape == (2, 0, 4)
    assert sampler(3.0, ()).shape == ()
    assert sampler(3.0, 5).dtype == np.int64
    assert all(type(entry) is int for entry in sampler(3.0, 5, wide=True))
