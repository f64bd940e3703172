"""What all mechanisms that select by score share: the price of a score's sensitivity, grids, neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.mechanisms import Exponential, Grid, NoisyMax, PermuteAndFlip
from discreet.mechanisms.selection import Selection
from support import laws

KINDS: list[type[Selection]] = [Exponential, NoisyMax, PermuteAndFlip]
each_kind = pytest.mark.parametrize("kind", KINDS)
each = pytest.mark.parametrize(
    "made", [Exponential(2.0), NoisyMax(2.0), NoisyMax(2.0, noise="laplace"), PermuteAndFlip(2.0)], ids=repr
)


@each_kind
def test_two_scores_move_apart_by_twice_the_sensitivity(kind: type[Selection]) -> None:
    assert kind(4.0).loss(3).pure == 1.5
    assert kind.calibrate(0.5, 3).scale == 12.0


@each_kind
def test_monotone_scores_cost_half(kind: type[Selection]) -> None:
    assert kind(4.0, monotone=True).loss(3).pure == 0.75
    assert kind.calibrate(0.5, 3, monotone=True).scale == 6.0


@each_kind
def test_monotone_scores_are_refused_under_replace(kind: type[Selection]) -> None:
    with pytest.raises(ParameterError, match="neighbours must be 'add-remove' where monotone"):
        kind(4.0, monotone=True).loss(1, "replace")
    assert kind(4.0).loss(1, "replace").pure == 0.5


@each_kind
@pytest.mark.parametrize("monotone", [False, True])
def test_an_unknown_neighbour_relation_is_refused(kind: type[Selection], monotone: bool) -> None:
    with pytest.raises(ParameterError, match="neighbours must be"):
        kind(4.0, monotone).loss(1, "cousins")


@each_kind
def test_on_a_grid_the_sensitivity_is_counted_in_steps(kind: type[Selection]) -> None:
    assert kind(4.0, grid=Grid(0.5)).loss(1.2).pure == 1.5
    assert kind(4.0, True, Grid(0.5)).loss(1.2).pure == 0.75


@each_kind
@given(st.floats(1e-6, 1e3), st.integers(1, 10**6), st.booleans())
@settings(max_examples=60, deadline=None)
def test_calibration_never_exceeds_the_epsilon_asked(
    kind: type[Selection], epsilon: float, sensitivity: int, monotone: bool
) -> None:
    assert kind.calibrate(epsilon, sensitivity, monotone).loss(sensitivity).pure <= epsilon


@each_kind
@given(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3), st.booleans())
@settings(max_examples=40, deadline=None)
def test_calibration_on_a_grid_never_exceeds_it_either(
    kind: type[Selection], epsilon: float, sensitivity: float, monotone: bool
) -> None:
    made = kind.calibrate(epsilon, sensitivity, monotone, Grid(0.3))
    assert made.loss(sensitivity).pure <= epsilon


@each
def test_a_far_better_candidate_wins(made: Selection) -> None:
    assert made.release([0, 10**9, 5]) == 1  # type: ignore[attr-defined]
    assert made.release([-(10**400), 10**400]) == 1  # type: ignore[attr-defined]
    assert made.release(np.array([-(2**63), 2**63 - 1])) == 1  # type: ignore[attr-defined]


@each
def test_the_only_candidate_wins(made: Selection) -> None:
    assert made.release([7]) == 0  # type: ignore[attr-defined]


@each
def test_equal_candidates_all_win_sometimes(made: Selection) -> None:
    wins = Counter(made.release([5, 5, 5]) for _ in range(300))  # type: ignore[attr-defined]
    assert set(wins) == {0, 1, 2}


@pytest.mark.parametrize("kind", KINDS)
def test_on_a_grid_scores_are_rounded_and_missing_ones_are_public(kind: type[Selection]) -> None:
    made = kind(1e-3, grid=Grid(0.5, missing=2.0))
    assert made.release([0.1, 1.6, float("nan")]) == 2  # type: ignore[attr-defined]
    assert made.release([0.1, 2.6, float("nan")]) == 1  # type: ignore[attr-defined]
    assert made.release([float("-inf"), float("inf"), 1e300 / 1e10, 3.0]) in (1, 2)  # type: ignore[attr-defined]


@each
@pytest.mark.parametrize("beta", [0.5, 0.05, 1e-6])
def test_shortfall_bounds_the_exact_tail(made: Selection, beta: float) -> None:
    by_name: dict[str, Callable[[tuple[int, ...], float], laws.Law]] = {
        "Exponential": laws.softmax,
        "PermuteAndFlip": laws.permute_and_flip,
        "NoisyMax": laws.laplace_max if getattr(made, "noise", "") == "laplace" else laws.exponential_max,
    }
    law = by_name[type(made).__name__]
    for scores in [(0, 0, 0, 9), (0, 3, 6, 9), (0, 0, 0, 30)]:
        bound = made.shortfall(1 - beta, 4)  # type: ignore[attr-defined]
        chances = law(scores, 2.0)
        worse = sum(float(p) for s, p in zip(scores, chances, strict=True) if s <= max(scores) - bound)
        assert worse <= beta


def test_shortfall_is_in_the_units_of_the_scores() -> None:
    plain, fine = Exponential(2.0).shortfall(0.9, 10), Exponential(2.0, grid=Grid(0.25)).shortfall(0.9, 10)
    assert fine == pytest.approx((plain + 1) / 4, rel=1e-14)  # two scores may each be rounded by half a step
    assert Fraction(fine) >= Fraction(plain) / 4


@pytest.mark.parametrize("scale", [0.7, 2.0])
def test_permute_and_flip_has_the_law_of_noisy_max_with_exponential_noise(scale: float) -> None:
    for scores in product(range(4), repeat=3):
        flipped, largest = laws.permute_and_flip(scores, scale), laws.exponential_max(scores, scale)
        assert all(a.overlaps(b) for a, b in zip(flipped, largest, strict=True))
