"""What the best attacker can be right about: the bounds are the least that hold."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.audit.attacks.guesses import bound_caught, bound_right_guesses
from discreet.base.errors import ParameterError

E = math.e


def test_bounds_at_epsilon_one_are_the_published_ones() -> None:
    assert bound_right_guesses(1.0) == pytest.approx(E / (1 + E))
    assert bound_right_guesses(1.0, neighbours="add-remove") == pytest.approx(1 - 1 / (2 * E))


def test_a_delta_adds_to_both_bounds() -> None:
    assert bound_right_guesses(1.0, 0.05) == pytest.approx((E + 0.05) / (1 + E))
    assert bound_right_guesses(1.0, 0.05, "add-remove") == pytest.approx(1 - 0.9 / (2 * E))


def test_randomized_response_reaches_the_bound_of_replace_neighbours() -> None:
    one, other = np.array([E, 1]) / (1 + E), np.array([1, E]) / (1 + E)
    assert np.maximum(one, other).sum() / 2 == pytest.approx(bound_right_guesses(1.0))


def test_some_mechanism_reaches_the_bound_of_add_remove_neighbours() -> None:
    without = np.array([1, 1, E - 1]) / (1 + E)
    one, other = without * [E, 1 / E, 1 / E], without * [1 / E, E, 1 / E]
    for each in (one, other):
        assert each.sum() == pytest.approx(1)
        assert np.all(each <= E * without + 1e-12)
        assert np.all(without <= E * each + 1e-12)
    assert np.maximum(one, other).sum() / 2 == pytest.approx(bound_right_guesses(1.0, neighbours="add-remove"))


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_no_mechanism_of_few_outputs_beats_the_bounds(neighbours: str) -> None:
    chance = np.random.default_rng(7)
    for _ in range(60):
        epsilon, delta = chance.uniform(0.1, 2), chance.choice([0.0, 0.05])
        middle = chance.dirichlet(np.ones(4))
        tables = [middle, *(_disturb(middle, epsilon, delta, chance) for _ in range(2))]
        pair = tables[:2] if neighbours == "replace" else tables[1:]
        assert np.maximum(*pair).sum() / 2 <= bound_right_guesses(epsilon, delta, neighbours) + 1e-9


def _disturb(middle: np.ndarray, epsilon: float, delta: float, chance: np.random.Generator) -> np.ndarray:
    """Return outputs of a neighbour: as far away as the guarantee allows in both directions."""
    target = chance.dirichlet(np.full(4, 0.2))
    low, high = 0.0, 1.0
    for _ in range(30):
        step = (low + high) / 2
        found = step * target + (1 - step) * middle
        far = [np.maximum(a - math.exp(epsilon) * b, 0).sum() for a, b in ((found, middle), (middle, found))]
        low, high = (step, high) if max(far) <= delta else (low, step)
    return np.asarray(low * target + (1 - low) * middle)


def test_members_caught_are_bounded_in_both_directions() -> None:
    assert bound_caught(1.0, 1e-6, 0.01) == pytest.approx(0.01 * E + 1e-6)
    assert bound_caught(1.0, 0.0, 0.5) == pytest.approx(1 - 0.5 / E)
    assert bound_caught(1.0, 0.0, 0.0) == 0.0
    assert bound_caught(1.0, 0.0, 1.0) == 1.0
    assert bound_caught(1e5, 1e-6, 0.01) == 1.0
    assert bound_caught(1e5, 1e-6, 0.0) == pytest.approx(1e-6)


@pytest.mark.parametrize("wrong", [0.0, -1.0, math.nan, math.inf])
def test_an_epsilon_that_is_none_is_refused(wrong: float) -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        bound_right_guesses(wrong)
