"""Floats decide where they can, balls elsewhere, and the draws do not depend on who decided."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from numpy.typing import NDArray

from discreet import noise
from discreet.noise import coin, interval, race
from discreet.noise.bits import replayed
from discreet.noise.interval import EXPONENTIAL, INT64, NORMAL, Inversion, Prefix, WholeDraws
from support.sampling import GeneratorBits, ScriptedBits

SAMPLERS = [noise.discrete_laplace, noise.geometric, noise.rounded_gaussian, noise.discrete_gaussian]
SCALES = [1e-6, 0.05, 0.5, 1.0, 37.5, 1e3, 1e9, 1e12, 1e15, Fraction(10, 3), Fraction(10**15 - 1, 7)]


def force_balls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let floats decide nothing anywhere; the list counts what balls decided."""
    decided: list[int] = []

    def nothing(law: Inversion, prefixes: NDArray[np.int64], shift: float, out: NDArray[np.int64]) -> NDArray[np.bool_]:
        out[...] = -(2**40)
        decided.append(len(prefixes))
        return np.ones(len(prefixes), dtype=bool)

    def unknown(estimate: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def infinite_error(words: Any) -> Any:
            value, error = estimate(words)
            decided.append(len(words))
            return value, np.full_like(error, np.inf)

        return infinite_error

    monkeypatch.setattr(Inversion, "_estimate", nothing)
    monkeypatch.setattr(coin, "LOG_ERROR", 1e300)
    for name in ("GUMBEL_NOISE", "EXPONENTIAL_NOISE", "LAPLACE_NOISE"):
        variable = getattr(race, name)
        monkeypatch.setattr(race, name, replace(variable, estimate=unknown(variable.estimate)))
    return decided


def both_ways(task: Callable[[], Any], monkeypatch: pytest.MonkeyPatch, seed: int) -> tuple[Any, Any, list[int]]:
    """Run a task twice on the same bits, the second time by balls alone: what it gave and the words it took."""
    with replayed(usual := GeneratorBits(seed)):
        first = task()
    with monkeypatch.context() as patch, replayed(forced := GeneratorBits(seed)):
        decided = force_balls(patch)
        second = task()
    return (first, usual.taken), (second, forced.taken), decided


@pytest.mark.many
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_balls_alone_give_the_same_draws_from_the_same_bits(
    sampler: Callable[..., NDArray[Any]], scale: float | Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, forced, decided = both_ways(lambda: sampler(scale, 3_000).tolist(), monkeypatch, seed=11)
    assert usual == forced
    assert sum(decided) >= 3_000


@pytest.mark.long
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_balls_alone_give_the_same_hundred_thousand_draws(
    sampler: Callable[..., NDArray[Any]], scale: float | Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, forced, _ = both_ways(lambda: sampler(scale, 100_000).tolist(), monkeypatch, seed=12)
    assert usual == forced


@pytest.mark.parametrize("x", [0.0, 1e-20, 1e-3, 0.7, Fraction(1, 3), 20, 50.0, 1e6])
def test_balls_alone_toss_the_same_coins(x: float | Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    tosses: list[int] = []
    exactly = coin._toss_exactly
    monkeypatch.setattr(coin, "_toss_exactly", lambda *given: tosses.append(1) or exactly(*given))  # type: ignore[func-returns-value]
    usual, forced, _ = both_ways(lambda: noise.bernoulli_exp(x, 3_000).tolist(), monkeypatch, seed=13)
    assert usual == forced
    assert len(tosses) >= 3_000


def test_balls_alone_toss_the_same_coins_for_an_array(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(14).exponential(1.0, 5_000)
    usual, forced, _ = both_ways(lambda: noise.bernoulli_exp(x).tolist(), monkeypatch, seed=15)
    assert usual == forced


RACES: list[tuple[Any, float | Fraction]] = [
    ([0, 0, 1, 3, 2], 1.0),
    ([5, 5, 5, 5], Fraction(1, 7)),
    ([0, -(10**9), 10**9], 1e9),
    ([3, 10**12, 7 * 10**11], 1e12),
    ([0, 10**15, 1], 1e15),
    ([0, 1], 1e15),
    ([10**30, 10**30 + 2], 3.0),
]


@pytest.mark.many
@pytest.mark.parametrize(("scores", "scale"), RACES)
@pytest.mark.parametrize("pick", [noise.gumbel_argmax, noise.exponential_argmax])
def test_balls_alone_give_the_same_winners(
    pick: Callable[..., int], scores: Any, scale: float | Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, forced, _ = both_ways(lambda: [pick(scores, scale) for _ in range(1_000)], monkeypatch, seed=16)
    assert usual == forced


def test_balls_alone_give_the_same_winners_with_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    scores: Any = [70, 0, 68, 69]
    weights = [1, 10**30, 3, 2]
    usual, forced, _ = both_ways(
        lambda: [noise.gumbel_argmax(scores, 1.0, weights) for _ in range(2_000)], monkeypatch, seed=17
    )
    assert usual == forced


@pytest.mark.many
@pytest.mark.parametrize(("scores", "scale"), RACES)
def test_balls_alone_give_the_same_winner_and_lead(
    scores: Any, scale: float | Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, forced, _ = both_ways(
        lambda: [noise.laplace_argmax(scores[:2], scale) for _ in range(1_000)], monkeypatch, seed=18
    )
    assert usual == forced


def test_draws_do_not_depend_on_how_many_are_drawn_at_once() -> None:
    """Elements are decided chunk by chunk, and each belongs to its own place."""
    count = 3 * interval.CHUNK + 5
    with replayed(GeneratorBits(19)):
        together = noise.geometric(50.0, count)
    with replayed(GeneratorBits(19)):
        apart = np.concatenate([noise.geometric(50.0, part) for part in (interval.CHUNK, count - interval.CHUNK)])
    assert np.array_equal(together, apart)


@pytest.mark.parametrize("curve", [EXPONENTIAL, NORMAL], ids=["exponential", "normal"])
def test_a_prefix_encloses_the_curve_on_its_whole_interval(curve: interval.Curve) -> None:
    for whole, count in [(1, 63), (2, 63), (12345, 63), (2**62, 63), (2**63 - 1, 63), (3, 127), (10**30, 127)]:
        with ctx.workprec(400):
            found = Prefix(whole, count).enclose(curve)
            assert found is not None
            for edge in (whole, whole + 1):
                u = arb(fmpq(edge, 1 << count))
                assert found.contains(curve.enclose(u)) if edge < 1 << count else found.contains(arb(0))


def test_a_prefix_of_zeros_encloses_nothing_yet() -> None:
    assert Prefix(0, 63).enclose(EXPONENTIAL) is None


def test_a_prefix_grows_by_fresh_words_at_its_end() -> None:
    prefix = Prefix(5, 63)
    with replayed(ScriptedBits([7, 2**64 - 1])):
        prefix.extend()
        prefix.extend()
    assert (prefix.whole, prefix.count) == ((5 << 128) + (7 << 64) + 2**64 - 1, 191)


def test_the_steepness_of_the_normal_curve_bounds_mills_ratio() -> None:
    """u |f'(u)| = Phi(-z) / phi(z), greatest at z = 0, where it is sqrt(pi / 2)."""
    with ctx.workprec(200):
        assert arb(NORMAL.steepness) >= (arb.pi() / 2).sqrt()


def test_words_that_say_too_little_are_left_to_balls() -> None:
    law = Inversion(EXPONENTIAL, 1.0, lambda: arb(0), signed=False)
    prefixes = np.array([0, 1, interval.SMALLEST - 1, interval.SMALLEST + 12345, 2**62], dtype=np.int64)
    undecided = law._estimate(prefixes, 0.0, np.empty(5, dtype=np.int64))
    assert undecided.tolist() == [True, True, True, False, False]


def test_wide_draws_show_what_int64_cannot() -> None:
    draws = WholeDraws(np.array([1, INT64, -INT64, INT64]), {1: 2**70, 2: -(2**80)})
    assert draws.shaped((2, 2), wide=True).tolist() == [[1, 2**70], [-(2**80), INT64]]
    assert draws.shaped((2, 2), wide=False).tolist() == [[1, INT64], [-INT64, INT64]]


def test_a_draw_beyond_int64_is_saturated_by_the_law_and_kept_whole() -> None:
    law = Inversion(EXPONENTIAL, 1e17, lambda: arb(0), signed=True)
    with replayed(ScriptedBits([2**63, 2**62, 0, 5, *[2**63] * 4])):
        draws = law.draw(2)
    assert draws.values[0] == -INT64
    assert list(draws.beyond) == [0]
    assert -(10**20) < draws.beyond[0] < -INT64
