"""Mechanisms right and wrong: what an audit finds in each with few outputs."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.audit.blackbox.search import find_worst
from discreet.audit.suite import counting, maxima, sparse_vectors
from discreet.audit.suite.specimens import EPSILON, Specimen, list_changes, list_histograms

ALL = [*counting.list_specimens(), *maxima.list_specimens(), *sparse_vectors.list_specimens()]
EASY = {"prefix sums", "truncated noise", "Laplace in floats", "sparse vector 5"}


def test_patterns_are_neighbours() -> None:
    assert all(np.abs(np.subtract(*pair)).max() == 1 for pair in list_changes(10))
    assert all(np.abs(np.subtract(*pair)).sum() == 1 for pair in list_histograms(5))


@pytest.mark.parametrize("specimen", [each for each in ALL if each.name in EASY], ids=lambda each: each.name)
def test_what_is_far_off_is_flagged_by_few_outputs(specimen: Specimen) -> None:
    found = [find_worst(specimen.draw, specimen.pairs, samples=600_000).bound for _ in range(2)]
    assert any(bound.refutes(2 * EPSILON) for bound in found)


@pytest.mark.parametrize("specimen", [each for each in ALL if each.right], ids=lambda each: each.name)
def test_what_is_right_is_not_flagged(specimen: Specimen) -> None:
    found = find_worst(specimen.draw, specimen.pairs, samples=200_000, confidence=1 - 1e-6).bound
    assert found.fault is None
    assert not found.refutes(EPSILON)


@pytest.mark.parametrize("specimen", ALL, ids=lambda each: each.name)
def test_every_specimen_gives_an_output_for_each_run(specimen: Specimen) -> None:
    for pair in specimen.pairs:
        assert all(len(specimen.draw(given, 7)) == 7 for given in pair)
