"""Counts of unlisted keys: exact loss on all small neighbours."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache

import numpy as np
import pytest
from flint import arb

from discreet.base.errors import ParameterError
from discreet.mechanisms.robust.stable_histogram import StableHistogram
from support import laws
from support.laws import exactly
from support.small_data import RELATIONS, list_pairs, see_pairs

DOMAIN = (0, 1)
OUTSIDE = 1e-10


@cache
@exactly
def _one(made: StableHistogram, count: int) -> list[arb]:
    """Return the probabilities of a key with this count not being shown, and of each count shown."""
    if count == 0:
        return [arb(1), *[arb(0)] * 40]
    noise, level = laws.laplace(made.noise.scale, OUTSIDE), made.threshold.level
    shown = [noise.at(x - count) for x in range(level, level + 40)]
    return [1 - sum(shown, arb(0)), *shown]


def _hockey_stick(made: StableHistogram, here: tuple[int, ...], there: tuple[int, ...]) -> float:
    first, second = (np.multiply.outer(*([float(p) for p in _one(made, c)] for c in each)) for each in (here, there))
    return float(np.maximum(first - math.exp(made.epsilon) * second, 0).sum())


@pytest.mark.parametrize("relation", RELATIONS)
def test_theorem_histograms_lose_no_more_than_is_charged(relation: str) -> None:
    made = StableHistogram(1.5, 0.1, neighbours=relation)
    pairs = see_pairs(list_pairs(DOMAIN, 6, relation), lambda values: tuple(Counter(values)[key] for key in DOMAIN))
    worst = max(_hockey_stick(made, *pair) for pair in pairs)
    assert 0.02 < worst <= 0.1 + 1e-7
    assert made.loss().epsilon(0.1).high == pytest.approx(1.5)


def test_scales_pay_for_all_keys_and_rows_of_a_unit() -> None:
    made = StableHistogram(1.0, 1e-6, groups=3, rows=2)
    assert (made.noise.scale, made.threshold.groups, made.threshold.rows) == (6.0, 3, 2)
    other = StableHistogram(1.0, 1e-6, groups=3, rows=2, neighbours="replace")
    assert (other.noise.scale, other.threshold.groups) == (12.0, 6)
    assert made.interval(0.95) == made.noise.interval(0.95)


def test_heavy_keys_are_told_in_order_and_rare_ones_are_not() -> None:
    made = StableHistogram(1.0, 1e-6)
    told = made.release({"b": 500, "a": 900, "once": 1, "none": 0})
    assert list(told) == ["a", "b"]
    assert abs(told["a"] - 900) < 60
    assert made.release({}) == {}
    assert list(made.release({("x", 2): 500, 7: 500, "y": 500})) == [7, "y", ("x", 2)]


def test_senseless_parameters_are_refused() -> None:
    wrong = [("epsilon", (0, 0.1)), ("delta", (1.0, 0.5)), ("groups", (1.0, 0.1, 0)), ("rows", (1.0, 0.1, 1, 0))]
    for name, given in wrong:
        with pytest.raises(ParameterError, match=rf"^{name} must be"):
            StableHistogram(*given)  # type: ignore[arg-type]
