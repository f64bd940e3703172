"""Private selection of keys."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, product

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import special

from discreet.base.errors import ParameterError
from discreet.base.rounding import precision
from discreet.mechanisms import KeySelection
from discreet.mechanisms.key_selection import ERROR
from discreet.noise.bits import replayed
from discreet.privacy import ApproximateLoss
from support import laws
from support.laws import at_most, exactly
from support.sampling import ALARM, GeneratorBits, ScriptedBits, as_words, binary_digits

TARGETS = [
    (epsilon, delta, groups)
    for epsilon in (0.01, 0.3, 1.0, 5.0)
    for delta in (1e-12, 1e-5, 0.2)
    for groups in (1, 3)
    if epsilon / groups > 0.005
]


@lru_cache
@exactly
def _best(epsilon: float, delta: float) -> list[arb]:
    """Follow the recurrence of the theorem until it reaches 1."""
    grow, found = laws.ball(epsilon).exp(), [arb(0)]
    while not found[-1] >= 1:
        before = found[-1]
        rising = grow * before + laws.ball(delta)
        falling = 1 - (1 - before - laws.ball(delta)) / grow
        found.append(rising.min(falling).min(arb(1)))
    return found


@exactly
def _stated(made: KeySelection) -> list[arb]:
    return [made.probability_ball(count) for count in range(made.threshold[1] + 2)]


@exactly
def _outcomes(p: arb) -> list[arb]:
    return [p, 1 - p]


@pytest.mark.parametrize(("epsilon", "delta", "groups"), TARGETS)
def test_theorem_every_key_is_kept_as_often_as_its_share_allows(epsilon: float, delta: float, groups: int) -> None:
    made = KeySelection(epsilon, delta, groups)
    stated = _stated(made)
    own, small = made.each
    assert float(stated[0]) == 0
    assert stated[-1] == 1
    for fewer, more in pairwise(stated):
        assert exactly(lambda fewer=fewer, more=more: bool(more >= fewer))()
        for one, other in ((fewer, more), (more, fewer)):
            assert at_most(laws.hockey_stick(_outcomes(one), _outcomes(other), own), small)


@pytest.mark.parametrize(("epsilon", "delta", "groups"), TARGETS)
def test_theorem_no_selection_keeps_more(epsilon: float, delta: float, groups: int) -> None:
    made = KeySelection(epsilon, delta, groups)
    best = _best(*made.each)
    assert made.threshold == (1, len(best) - 1)
    for ours, theirs in zip(_stated(made), best, strict=False):
        assert exactly(lambda a=ours, b=theirs: abs(a - b) <= b * laws.ball(1e-40))()


@pytest.mark.parametrize("delta", [1e-12, 0.01, 0.3])
@pytest.mark.parametrize("groups", [1, 2, 3])
def test_theorem_a_unit_in_so_many_keys_costs_no_more_than_asked(delta: float, groups: int) -> None:
    made = KeySelection(0.8 * groups, delta, groups)
    p, loss = _stated(made), made.loss()
    assert isinstance(loss, ApproximateLoss)
    assert (loss.epsilon_, loss.delta_) == (0.8 * groups, delta)
    spent = []
    for counts in product((0, 1, 2, len(p) // 2, len(p) - 3), repeat=groups):
        here, there = ([_outcomes(p[n + more]) for n in counts] for more in (0, 1))
        for first, second in ((here, there), (there, here)):
            spent.append(laws.product_delta(list(zip(first, second, strict=True)), loss.epsilon_))
    assert all(at_most(cost, delta, slack=1e-15 * delta) for cost in spent)
    assert max(float(cost) for cost in spent) == pytest.approx(delta, rel=1e-9)


def test_each_key_gets_its_share_and_no_more() -> None:
    own, small = KeySelection(1.0, 1e-6, 7).each
    assert 1 / 7 * (1 - 1e-15) <= own <= Fraction(1, 7)
    assert small == pytest.approx(-math.expm1(math.log1p(-1e-6) / 7), rel=1e-14)
    assert 1 - (1 - Fraction(small)) ** 7 <= Fraction(1e-6)


@given(st.floats(1e-6, 1e4), st.floats(1e-300, 0.499), st.integers(1, 1000))
@settings(max_examples=200, deadline=None)
def test_any_sensible_target_has_a_law(epsilon: float, delta: float, groups: int) -> None:
    made = KeySelection(epsilon, max(delta, 1e-290), groups)
    _, sure = made.threshold
    assert made.probability(sure).low == 1
    assert made.probability(sure - 1).low < 1
    assert made.probability(0).high == 0
    assert made.loss().epsilon_ <= epsilon  # type: ignore[attr-defined]


def test_exact_fractions_are_rounded_down_to_what_fits() -> None:
    made = KeySelection(Fraction(1, 10), Fraction(1, 10**6), 1)  # type: ignore[arg-type]
    assert made.epsilon <= Fraction(1, 10)
    assert made.delta <= Fraction(1, 10**6)


@given(st.floats(1e-14, 800.0), st.floats(1e-299, 0.499), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_floats_estimate_within_an_eighth_of_the_error_assumed(epsilon: float, delta: float, random: object) -> None:
    law = KeySelection(epsilon, delta)._law
    picks = {1, law.rise, law.rise + 1, law.sure - 1, *(random.randrange(1, law.sure) for _ in range(20))}  # type: ignore[attr-defined]
    counts = np.array(sorted(n for n in picks if 0 < n < law.sure), dtype=np.int64)
    for count, estimate in zip(counts.tolist(), law.estimate(counts).tolist(), strict=True):
        with precision(256):
            truth = law.probability(count)
            assert abs(arb(estimate) - truth) <= truth * arb(ERROR / 8)


DRAWN = KeySelection(0.4, 2e-3)
EACH = 80_000


def _fit(kept: NDArray[np.int64], made: KeySelection) -> float:
    """Return the p-value of how many of EACH keys were kept at every count, all counts together."""
    p = np.array([made.probability(count + 1).high for count in range(len(kept))])
    open_ = (p * EACH > 100) & ((1 - p) * EACH > 100)
    expected, spread = EACH * p[open_], EACH * p[open_] * (1 - p[open_])
    return float(special.chdtrc(open_.sum(), np.sum((kept[open_] - expected) ** 2 / spread)))


def test_sampler_keeps_these_shares_and_not_those_a_few_percent_off() -> None:
    sure = DRAWN.threshold[1]
    assert sure * EACH > 1_000_000
    counts = np.repeat(np.arange(1, sure + 3)[:, None], EACH, axis=1)
    kept = DRAWN.release(counts).sum(axis=1)
    assert np.all(kept[sure - 1 :] == EACH)
    kept = kept[: sure - 1]
    assert _fit(kept, DRAWN) > ALARM
    for epsilon, delta in ((0.4 * 1.03, 2e-3), (0.4 / 1.03, 2e-3), (0.4, 2e-3 * 1.05), (0.4, 2e-3 / 1.05)):
        assert _fit(kept, KeySelection(epsilon, delta)) < ALARM


@pytest.mark.parametrize("made", [DRAWN, KeySelection(0.01, 1e-12), KeySelection(3.0, 1e-30, 4)], ids=repr)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
def test_a_uniform_real_beside_the_probability_is_decided_by_its_last_bit(made: KeySelection, share: float) -> None:
    count = 1 + round(share * (made.threshold[1] - 2))
    digits = binary_digits(lambda: made.probability_ball(count), 192)
    for whole, kept in ((digits - 1, True), (digits + 1, False)):
        with replayed(ScriptedBits(as_words(whole, 2))):
            assert made.release(count) is kept


def test_what_is_certain_draws_nothing() -> None:
    sure = DRAWN.threshold[1]
    with replayed(ScriptedBits([])):
        assert DRAWN.release([0, sure, 10**400, -5, None]) == [False, True, True, False, False]
        assert DRAWN.release(np.array([0, 2**63 - 1, -(2**63)])).tolist() == [False, True, False]
        assert DRAWN.release(0) is False
        assert DRAWN.release(10**30) is True
        assert DRAWN.release([]) == []
        assert DRAWN.release(np.zeros((2, 0), dtype=np.int64)).shape == (2, 0)


def test_lists_arrays_and_shapes_are_alike() -> None:
    counts = np.arange(60).reshape(3, 20)
    told = []
    for form in (counts, counts.astype(np.int16), counts.astype(object), counts.tolist()):
        with replayed(GeneratorBits(3)):
            told.append(np.asarray(DRAWN.release(form)))
    assert all(each.shape == (3, 20) and np.array_equal(each, told[0]) for each in told)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        *[("epsilon", (bad, 1e-6, 1)) for bad in (0, -1, math.nan, math.inf, "1", None, True, 1e-16)],
        *[("delta", (1.0, bad, 1)) for bad in (0, -1e-9, 0.5, 1, math.nan, "1", None, 1e-301)],
        *[("groups", (1.0, 1e-6, bad)) for bad in (0, -1, 1.5, "1", None, True)],
        ("epsilon", (1e-9, 1e-6, 10**7)),
        ("delta", (1.0, 1e-299, 1000)),
    ],
)
def test_senseless_parameters_are_refused_by_name(name: str, arguments: tuple[object, ...]) -> None:
    with pytest.raises(ParameterError, match=rf"^{name} must be"):
        KeySelection(*arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("counts", [1.5, [86420, 0.5], "86420", np.array([0.5]), None, {86420: 1}])
def test_what_is_no_count_is_refused_unquoted(counts: object) -> None:
    with replayed(ScriptedBits([])), pytest.raises(ParameterError, match=r"^counts must be") as caught:
        DRAWN.release(counts)
    assert "86420" not in str(caught.value)
