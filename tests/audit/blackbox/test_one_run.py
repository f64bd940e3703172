"""An audit of one run by right guesses."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.audit.blackbox.one_run import bound_one_run, find_p_value
from discreet.base.errors import ParameterError


@pytest.mark.parametrize(("correct", "bound"), [(7311, 0.963), (8808, 1.949), (9820, 3.874)])
def test_randomized_response_gives_the_published_bounds(correct: int, bound: float) -> None:
    assert bound_one_run(10_000, 10_000, correct) == pytest.approx(bound, abs=0.001)


def test_a_delta_lowers_the_bound_and_raises_the_p_value() -> None:
    assert bound_one_run(1_000, 800, 700, delta=1e-4) < bound_one_run(1_000, 800, 700)
    assert find_p_value(1_000, 800, 700, 1.5, 1e-5) > find_p_value(1_000, 800, 700, 1.5)


def test_claims_that_hold_are_seldom_refuted() -> None:
    generator, epsilon = np.random.default_rng(3), 1.0
    correct = generator.binomial(500, 1 / (1 + np.exp(-epsilon)), 2_000)
    assert sum(find_p_value(500, 500, int(each), epsilon) <= 0.05 for each in correct) <= 140


def test_guesses_by_chance_show_nothing() -> None:
    assert bound_one_run(100, 100, 50) == 0
    assert find_p_value(100, 10, 0, 1.0, 0.01) == 1


@pytest.mark.parametrize(("canaries", "guesses", "correct"), [(10, 11, 5), (10, 5, 6), (0, 0, 0)])
def test_impossible_counts_are_refused(canaries: int, guesses: int, correct: int) -> None:
    with pytest.raises(ParameterError, match="canaries"):
        bound_one_run(canaries, guesses, correct)
