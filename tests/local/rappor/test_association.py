"""Two variables at once."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.local.client import OTHER, Rappor
from discreet.local.oracles.oracle import Batch
from discreet.local.rappor.association import Association, associate
from discreet.local.rappor.candidates import hash_candidates
from discreet.local.rappor.oracle import RapporOracle

MECHANISM = Rappor.take(16, 2, 8, 0.2, 0.8, 0.125)
FIRST, SECOND = hash_candidates(MECHANISM, ["red", "green", "blue"]), hash_candidates(MECHANISM, ["cat", "dog"])
JOINT = np.array([[0.30, 0.05], [0.05, 0.25], [0.15, 0.0], [0.0, 0.20]])
"""The last line is of texts that are not listed."""
PEOPLE = 30_000


def collect(joint: np.ndarray, seed: int = 1) -> tuple[Batch, Batch]:
    values = np.random.default_rng(seed).choice(8, PEOPLE, p=joint.reshape(-1))
    colours = [("red", "green", "blue", f"other {place % 30}")[value // 2] for place, value in enumerate(values)]
    oracle = RapporOracle(MECHANISM)
    animals = [("cat", "dog")[value % 2] for value in values]
    return oracle.encode([each.encode() for each in colours]), oracle.encode([each.encode() for each in animals])


def find(batches: tuple[Batch, Batch]) -> Association:
    return associate(FIRST, SECOND, batches)


def test_a_planted_joint_distribution_is_found() -> None:
    found = find(collect(JOINT))
    assert found.first == ("red", "green", "blue", OTHER)
    assert found.reports == PEOPLE
    assert found.frequencies.sum() == pytest.approx(1)
    assert np.abs(found.frequencies[:, :2] - JOINT).max() < 0.05
    inside = JOINT > 0.02
    apart = (found.frequencies[:, :2] - JOINT)[inside] / found.errors[:, :2][inside]
    assert np.abs(apart).max() < 5
    assert found.p_value < 1e-20
    assert (found.low <= found.frequencies).all()
    assert (found.frequencies <= found.high).all()


def test_independent_variables_are_not_called_associated() -> None:
    joint = np.outer(JOINT.sum(axis=1), JOINT.sum(axis=0))
    assert find(collect(joint)).p_value > 1e-4


def test_pairs_with_an_unsound_report_are_left_out() -> None:
    first, second = collect(JOINT)
    first.seeds[:100] = 99
    second.seeds[50:200] = -1
    assert find((first, second)).reports == PEOPLE - 200


def test_batches_that_make_no_pairs_are_refused() -> None:
    first, second = collect(JOINT)
    with pytest.raises(ParameterError, match="as many first reports"):
        find((first, Batch(second.seeds[1:], second.payloads[1:])))
    with pytest.raises(ParameterError, match="at least one pair"):
        find((Batch(first.seeds - 100, first.payloads), second))
    long = hash_candidates(MECHANISM, [f"word {number}" for number in range(60)])
    with pytest.raises(ParameterError, match="at most 1600 pairs"):
        associate(long, long, (first, second))
