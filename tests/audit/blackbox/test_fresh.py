"""What makes a bound hold: outputs that nobody has looked at, and a test that fits how they are looked at."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.audit.blackbox.betting import PairBets
from discreet.audit.blackbox.direct import DirectTest
from discreet.audit.blackbox.lower_bound import lower_bound
from discreet.audit.blackbox.search import find_worst
from discreet.base.grid import Floats

TRIES = 20


def say_anything(_given: int, outputs: int) -> Floats:
    """Return one of many outputs, whatever the input is: by chance each is oftener on one of the two."""
    return np.random.default_rng().integers(0, 40, (outputs, 2)).astype(np.float64)


@pytest.mark.slow
def test_what_chance_showed_while_learning_is_no_evidence() -> None:
    found = [lower_bound(say_anything, 0, 1, samples=6_000) for _ in range(TRIES)]
    assert sum(each.refutes(0.0) for each in found) <= 6


def test_the_outputs_that_certify_are_drawn_after_those_that_teach() -> None:
    drawn: list[tuple[int, int]] = []

    def draw(given: int, outputs: int) -> Floats:
        drawn.append((given, outputs))
        return np.random.default_rng().laplace(given, 1.0, outputs)

    found = lower_bound(draw, 0, 1, samples=10_000)
    assert sum(count for _, count in drawn) == found.samples == 10_000
    assert [count for _, count in drawn] == [1_500, 1_500, 3_500, 3_500]
    assert isinstance(found.evidence, DirectTest)
    assert found.evidence.counts.pairs == 3_500


def test_what_chance_showed_in_one_stage_is_no_evidence_in_the_same() -> None:
    def say_one(_given: int, outputs: int) -> Floats:
        return np.random.default_rng().integers(0, 100, outputs).astype(np.float64)

    found = [find_worst(say_one, [(0, 1)], samples=8_000, claim=0.0) for _ in range(TRIES)]
    assert sum(each.bound.refutes(0.0) for each in found) <= 6


@pytest.mark.parametrize(("early", "kind"), [(True, PairBets), (False, DirectTest)])
def test_who_may_stop_early_bets_and_who_may_not_tests(early: bool, kind: type) -> None:
    found = lower_bound(
        lambda given, outputs: np.random.default_rng().laplace(3 * given, 1.0, outputs),
        0,
        1,
        samples=200_000,
        claim=0.1,
        stop_early=early,
    )
    assert isinstance(found.evidence, kind)
    assert (found.samples < 200_000) is early
    assert found.refutes(0.1)
