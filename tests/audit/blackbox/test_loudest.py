"""What so many outputs can show at all: a bound by luck alone is no larger."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from discreet.audit.blackbox.betting import PairCounts
from discreet.audit.blackbox.direct import DirectTest
from discreet.audit.blackbox.loudest import find_loudest
from discreet.audit.blackbox.search import find_worst
from discreet.audit.blackbox.staged import StagedTest
from discreet.base.grid import Floats

NORMAL = NormalDist()
MISS = 0.05


def find_most(pairs: int, delta: float = 0.0) -> float:
    """Return the largest epsilon that Clopper and Pearson's bounds of an event that all are in, or none, leave."""
    return math.log((1 - delta) / (1 - MISS ** (1 / pairs)))


def stage(pairs: float, seed: int) -> DirectTest:
    """Return a stage whose event holds all outputs of one input and none of the other's."""
    return DirectTest(PairCounts(0, pairs, 0, 0), seed)


@pytest.mark.parametrize("delta", [0.0, 0.01, 0.3])
def test_the_loudest_outcome_has_the_largest_chance_that_the_claim_allows(delta: float) -> None:
    unlikely = np.linspace(0, 1, 200_001)
    for epsilon in (-1.0, 0.0, 0.5, 3.0):
        likely = np.minimum(1.0, math.exp(epsilon) * unlikely + delta)
        found = float(find_loudest(np.array([epsilon]), np.array([delta]), 3)[0])
        assert found == pytest.approx(float(((likely * (1 - unlikely)) ** 3).max()), rel=1e-4)


@pytest.mark.parametrize(("pairs", "delta"), [(6_000, 0.0), (6_000, 0.01), (350, 0.0), (350, 0.3)])
def test_stages_that_are_lucky_show_no_larger_epsilon_than_the_outputs_can(pairs: int, delta: float) -> None:
    tests = [StagedTest(tuple(stage(pairs / 5, 5 * seed + n) for n in range(5))) for seed in range(60)]
    lucky = [test.bound_epsilon(delta, MISS) for test in tests]
    assert find_most(pairs, delta) - 0.05 < max(lucky) <= find_most(pairs, delta)
    assert not any(test.find_p_value(find_most(pairs, delta) + 0.01, delta) <= MISS for test in tests)


@pytest.mark.parametrize("tangent", [-0.5, 0.0, 2.0])
def test_stages_that_are_lucky_show_no_larger_mu_than_the_outputs_can(tangent: float) -> None:
    most = 2 * NORMAL.inv_cdf(MISS ** (1 / (2 * 600)))
    tests = [StagedTest(tuple(stage(120, 5 * seed + n) for n in range(5))) for seed in range(12)]
    assert max(test.bound_mu(tangent, MISS) for test in tests) <= most


def test_all_outputs_apart_show_nearly_as_much_as_they_can() -> None:
    found = [stage(6_000, seed).bound_epsilon(0.0, MISS) for seed in range(20)]
    assert find_most(6_000) - 2 < np.median(found) <= find_most(6_000)


def test_what_outputs_can_show_is_told_as_it_was() -> None:
    """The smallest p-values of 600,000 pairs are far below all others, and their bounds far above."""
    far = DirectTest(PairCounts(0, 30_000, 0, 570_000), 3)
    p_values = far.test_claims(np.array([0.1, 1.0, 8.0]), np.zeros(3))
    assert far.find_p_values(np.array([0.1, 1.0, 8.0]), np.zeros(3)).tolist() == p_values.tolist()
    assert far.bound_epsilon(0.0, MISS) > 8


def test_no_float_is_too_large_a_claim() -> None:
    assert stage(600, 1).find_p_value(1e9, 0.0) == 1.0


def test_a_mechanism_that_nearly_tells_its_input_shows_no_more_than_its_outputs_can() -> None:
    generator = np.random.default_rng(5)

    def tell(given: int, count: int) -> Floats:
        lie = generator.random(count) < 1 / (1 + math.exp(12))
        return np.where(lie, 1.0 - given, given)

    found = [find_worst(tell, [(0, 1)], samples=2_000, claim=0.5).bound for _ in range(8)]
    assert all(bound.refutes(0.5) for bound in found)
    assert max(bound.epsilon for bound in found) <= find_most(600)
    assert max(bound.mu for bound in found) <= 2 * NORMAL.inv_cdf(MISS ** (1 / (2 * 600)))
