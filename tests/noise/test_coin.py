"""Coins and uniform integers are exact: to the last bit that decides them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from discreet.noise import bernoulli, bernoulli_exp, coin, uniform_int
from discreet.noise.bits import replayed
from discreet.noise.coin import bernoulli_real
from support.sampling import ALARM, ScriptedBits, as_words, binary_digits, chi_square_p

COUNT = 10**6
SPARE = [2**63] * 8
TOP = 2**64 - 1


def heads_p(tosses: Any, chance: float) -> float:
    """Return the chi-square p-value of coins against their chance of heads."""
    heads = int(np.count_nonzero(tosses))
    return chi_square_p(np.array([heads, tosses.size - heads]), np.array([chance, 1 - chance]))


def tossed(p: float | Fraction, words: list[int]) -> tuple[bool, int]:
    """Return one coin and how many of the words it took."""
    with replayed(source := ScriptedBits(words)):
        return bool(bernoulli(p, 1)[0]), source.taken


def test_the_chance_of_a_third_has_the_digits_0101() -> None:
    third = 0x5555555555555555
    assert tossed(Fraction(1, 3), [third - 1]) == (True, 1)
    assert tossed(Fraction(1, 3), [third + 1]) == (False, 1)
    assert tossed(Fraction(1, 3), [third, third, third - 1]) == (True, 3)
    assert tossed(Fraction(1, 3), [third, third, third + 1]) == (False, 3)


@pytest.mark.parametrize("p", [Fraction(1, 3), 0.1, 0.5, 0.999, Fraction(10**30, 3 * 10**30 + 1)])
def test_a_million_coins_fit_their_chance(p: float | Fraction) -> None:
    tosses = bernoulli(p, COUNT)
    assert heads_p(tosses, float(p)) >= ALARM
    assert heads_p(tosses, float(p) * 0.95) < ALARM


def test_a_coin_of_chance_1_needs_no_randomness_and_one_of_chance_0_never_falls_heads() -> None:
    with replayed(ScriptedBits([])):
        assert bernoulli(1, 5).all()
        assert bernoulli(1.0, (2, 3)).all()
    assert tossed(0, [0, 0, 1])[0] is False
    assert tossed(0.0, [1])[0] is False
    assert not bernoulli(0, COUNT).any()


@pytest.mark.parametrize("p", [2.0**-70, 5e-324, 1e-300, Fraction(1, 10**50)])
def test_coins_of_tiny_chance_stay_tails_and_their_complements_heads(p: float | Fraction) -> None:
    assert not bernoulli(p, COUNT).any()
    assert bernoulli(1 - Fraction(p), COUNT).all()


@pytest.mark.parametrize("p", [Fraction(1, 3), Fraction(2, 3), Fraction(1, 10**40), Fraction(1, 3**50)])
def test_a_coin_is_decided_by_the_first_digits_that_differ_from_its_chance(p: float | Fraction) -> None:
    for extensions in (0, 1, 2, 4):
        digits = int(Fraction(p) * 2 ** (64 + 64 * extensions))
        if digits > 0:
            assert tossed(p, as_words(digits - 1, extensions) + SPARE) == (True, extensions + 1)
        assert tossed(p, as_words(digits + 1, extensions) + SPARE) == (False, extensions + 1)


@pytest.mark.parametrize(
    ("p", "before", "digit"),
    [
        (2.0**-70, [0], 2**58),
        (Fraction(1, 2**70), [0], 2**58),
        (5e-324, [0] * 16, 2**14),
        (1 - 2.0**-53, [], 2**64 - 2**11),
        (0.5, [], 2**63),
        (0.1, [], int(0.1 * 2**64)),
    ],
)
def test_a_binary_chance_is_met_from_below_only(p: float | Fraction, before: list[int], digit: int) -> None:
    """The uniform real is below p up to the digits of p and not from there on."""
    assert tossed(p, [*before, digit - 1]) == (True, len(before) + 1)
    assert tossed(p, [*before, digit + 1]) == (False, len(before) + 1)
    assert tossed(p, [*before, digit, 0, 0, 1])[0] is False


def test_extension_words_belong_to_the_coins_in_order() -> None:
    third = 0x5555555555555555
    with replayed(ScriptedBits([third, 0, third, third - 1, third + 1])):
        assert bernoulli(Fraction(1, 3), 3).tolist() == [True, True, False]


def test_an_irrational_chance_is_met_at_its_digits() -> None:
    def root_half() -> arb:
        return arb(fmpq(1, 2)).sqrt()

    for extensions in (0, 1, 3):
        digits = binary_digits(root_half, 64 + 64 * extensions)
        for whole, heads in ((digits - 1, True), (digits + 1, False)):
            with replayed(ScriptedBits(as_words(whole, extensions))):
                assert bernoulli_real(root_half, 1).tolist() == [heads]
    assert heads_p(bernoulli_real(root_half, COUNT), math.sqrt(0.5)) >= ALARM
    assert heads_p(bernoulli_real(root_half, COUNT), math.sqrt(0.5) * 0.95) < ALARM


@pytest.mark.parametrize("x", [1e-3, 0.3, Fraction(1, 3), 1, 3.0, 7])
def test_a_million_exponential_coins_fit_their_chance(x: float | Fraction) -> None:
    assert heads_p(bernoulli_exp(x, COUNT), math.exp(-x)) >= ALARM
    assert heads_p(bernoulli_exp(np.full(COUNT, float(x))), math.exp(-x)) >= ALARM


def test_exponential_coins_of_certain_outcome() -> None:
    for x in (0, 0.0, 1e-20, Fraction(1, 10**40)):
        assert bernoulli_exp(x, COUNT).all()
    for x in (50, 1e6, 1e308):
        assert not bernoulli_exp(x, COUNT).any()
    mixed = bernoulli_exp(np.array([0.0, 1e-20, 50.0, 1e6, 1.7e308]))
    assert mixed.tolist() == [True, True, False, False, False]


def test_each_coin_of_an_array_has_its_own_chance() -> None:
    x = np.array([0.0, 0.1, 0.7, 2.0, 5.0])
    tosses = bernoulli_exp(x, (200_000, 5))
    assert tosses.shape == (200_000, 5)
    assert tosses[:, 0].all()
    for column in range(1, 5):
        assert heads_p(tosses[:, column], math.exp(-x[column])) >= ALARM


@pytest.mark.parametrize("x", [1e-20, 1e-3, 0.5, Fraction(1, 3), 1, 10.0, 50, 300.0])
def test_an_exponential_coin_is_decided_at_the_digits_of_its_chance(x: float | Fraction) -> None:
    def chance() -> arb:
        return (-arb(fmpq(Fraction(x).numerator, Fraction(x).denominator))).exp()

    for extensions in range(8):
        digits = binary_digits(chance, 64 + 64 * extensions)
        for whole, heads in ((digits - 1, True), (digits + 1, False)):
            if 0 <= whole < 1 << (64 + 64 * extensions):
                with replayed(ScriptedBits(as_words(whole, extensions) + SPARE)):
                    assert bernoulli_exp(x, 1).tolist() == [heads]
                if isinstance(x, float):
                    with replayed(ScriptedBits(as_words(whole, extensions) + SPARE)):
                        assert bernoulli_exp(np.array([x])).tolist() == [heads]


def test_an_exponential_coin_whose_first_word_straddles_its_chance_takes_more() -> None:
    with ctx.workprec(300):
        digits = binary_digits(lambda: arb(-1).exp(), 64)
    with replayed(source := ScriptedBits([digits, 0])):
        assert bernoulli_exp(1, 1).all()
    assert source.taken == 2


def test_a_coin_without_size_is_one_coin() -> None:
    assert bernoulli_exp(0.0).tolist() == [True]
    assert bernoulli_exp(np.array(0.0)).tolist() is True


@pytest.mark.parametrize("n", [2, 3, 1000])
def test_uniform_integers_are_equally_likely(n: int) -> None:
    draws = uniform_int(n, COUNT)
    assert draws.dtype == np.int64
    assert chi_square_p(np.bincount(draws, minlength=n), np.full(n, 1 / n)) >= ALARM
    lone = np.array([uniform_int(n) for _ in range(20_000)])
    cells = np.bincount(lone * min(n, 50) // n, minlength=min(n, 50))
    assert chi_square_p(cells, np.full(len(cells), 1 / len(cells))) >= ALARM


def test_uniform_integers_reach_2_to_the_63() -> None:
    draws = uniform_int(2**63, COUNT)
    assert draws.min() >= 0
    for cells in (draws >> 55, draws & 255):
        assert chi_square_p(np.bincount(cells, minlength=256), np.full(256, 1 / 256)) >= ALARM
    with replayed(ScriptedBits([TOP, 0, 2**63])):
        assert uniform_int(2**63, 3).tolist() == [2**63 - 1, 0, 0]


def test_one_choice_is_no_choice() -> None:
    assert uniform_int(1) == 0
    assert not uniform_int(1, (3, 4)).any()


def test_single_draws_beyond_64_bits() -> None:
    n = 3 * 2**100
    draws = [uniform_int(n) for _ in range(20_000)]
    assert all(type(draw) is int and 0 <= draw < n for draw in draws)
    for cells, count in (([draw >> 100 for draw in draws], 3), ([draw & 63 for draw in draws], 64)):
        assert chi_square_p(np.bincount(cells, minlength=count), np.full(count, 1 / count)) >= ALARM


def test_words_at_the_rejection_boundary() -> None:
    """2^64 = 1 mod 3, so the topmost word is redrawn; the one below it is kept."""
    with replayed(ScriptedBits([TOP, 5, TOP - 1, TOP, 7])):
        assert uniform_int(3, 3).tolist() == [1, 2, 2]
    with replayed(ScriptedBits([TOP, TOP, TOP - 1])):
        assert uniform_int(3) == (TOP - 1) % 3
    limit = 2**64 - 2**64 % 1000
    with replayed(ScriptedBits([limit - 1, limit, 1])):
        assert uniform_int(1000, 2).tolist() == [999, 1]


def test_wide_words_at_the_rejection_boundary() -> None:
    n = 3 * 2**100
    limit = 2**128 - 2**128 % n
    inside, outside = ([value & TOP, value >> 64] for value in (limit - 1, limit))
    with replayed(source := ScriptedBits(outside + inside)):
        assert uniform_int(n) == n - 1
    assert source.taken == 4


def test_a_range_of_a_power_of_2_64_rejects_nothing() -> None:
    with replayed(ScriptedBits([TOP])):
        assert uniform_int(2**64) == TOP
    with replayed(ScriptedBits([TOP, TOP])):
        assert uniform_int(2**128) == 2**128 - 1


def test_the_coin_by_floats_never_decides_what_the_bits_leave_open() -> None:
    """With the words around the chance, floats say nothing: balls and more bits do."""
    digits = binary_digits(lambda: arb(-1).exp(), 64)
    seen: list[int] = []
    exactly = coin._toss_exactly
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coin, "_toss_exactly", lambda word, *rest: seen.append(word) or exactly(word, *rest))  # type: ignore[func-returns-value]
        with replayed(ScriptedBits([digits - 1, digits, digits + 1, 2**62, 2**63, *SPARE])):
            bernoulli_exp(1, 5)
    assert seen == [digits - 1, digits, digits + 1]
