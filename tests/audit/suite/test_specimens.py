"""Mechanisms right and wrong: what an audit finds in each with few outputs, and with two million."""

from __future__ import annotations

import statistics

import numpy as np
import pytest

from discreet.audit.blackbox.betting import PairCounts
from discreet.audit.blackbox.direct import DirectTest
from discreet.audit.blackbox.lower_bound import LowerBound
from discreet.audit.blackbox.patterns import list_changes, list_histograms
from discreet.audit.suite import sparse_vectors
from discreet.audit.suite.sparse_vectors import (
    PARALLEL,
    SparseVectorSpecimen,
    make_1,
    make_2,
    make_3,
    make_4,
    make_5,
    make_6,
)
from discreet.audit.suite.specimens import EPSILON, Specimen
from discreet.audit.suite.trials import SAMPLES, SpecimenTrial, judge, list_specimens, try_specimen

ALL = list_specimens()
EASY = {"prefix sums", "truncated noise", "Laplace in floats", "sparse vector 5"}
TRIALS = 20


def test_patterns_are_neighbours() -> None:
    assert all(np.abs(np.subtract(*pair)).max() == 1 for pair in list_changes(10))
    assert all(np.abs(np.subtract(*pair)).sum() == 1 for pair in list_histograms(5))


@pytest.mark.many
@pytest.mark.parametrize("specimen", [each for each in ALL if each.name in EASY], ids=lambda each: each.name)
def test_what_is_far_off_is_flagged_by_few_outputs(specimen: Specimen) -> None:
    assert any(try_specimen(specimen, 200_000).bound.refutes(EPSILON) for _ in range(3))


@pytest.mark.many
@pytest.mark.parametrize("specimen", [each for each in ALL if each.right], ids=lambda each: each.name)
def test_what_is_right_is_not_flagged(specimen: Specimen) -> None:
    found = try_specimen(specimen, 30_000).bound
    assert found.fault is None
    assert found.find_p_value(EPSILON) > 1e-7


@pytest.mark.parametrize("specimen", ALL, ids=lambda each: each.name)
def test_every_specimen_gives_an_output_for_each_run(specimen: Specimen) -> None:
    for pair in specimen.pairs:
        assert all(len(specimen.draw(given, 7)) == 7 for given in pair)


def test_sparse_vectors_end_at_their_cutoff() -> None:
    for variant in (make_1(1), make_2(2), make_4(3)):
        said = variant.watch([5] * 10, 2_000)
        assert (said == sparse_vectors.ABOVE).sum(axis=1).max() == variant.cutoff
        ended = said == sparse_vectors.ENDED
        assert np.array_equal(ended, np.maximum.accumulate(ended, axis=1))
    assert not (make_6().watch([5] * 10, 2_000) == sparse_vectors.ENDED).any()


def test_sparse_vectors_have_the_noise_that_the_literature_gives_them() -> None:
    assert make_1() == SparseVectorSpecimen(20, 40, 1)
    assert make_2() == SparseVectorSpecimen(40, 80, 2, renew=True)
    assert make_3() == SparseVectorSpecimen(20, 20, 1, tell=True)
    assert make_4() == SparseVectorSpecimen(40, 4 / (3 * EPSILON), 1)
    assert make_4(3).answer_scale == make_4().answer_scale
    assert (make_5(), make_6()) == (SparseVectorSpecimen(20, 0, None), SparseVectorSpecimen(20, 20, None))
    assert (SparseVectorSpecimen(20, 40, 2, tell=True), make_4(2)) == PARALLEL


def test_verdicts_count_trials_by_specimen_and_correct_over_all() -> None:
    def make_trial(specimen: Specimen, first: int, second: int) -> SpecimenTrial:
        test = DirectTest(PairCounts(0, first, second, 1_000), 1)
        return SpecimenTrial(
            specimen, LowerBound(first / 1_000, 0.0, 0.0, 0.95, "an event", 10, evidence=test), first / 100
        )

    found = judge([make_trial(ALL[0], 50, 50), make_trial(ALL[1], 900, 100), make_trial(ALL[0], 72, 45)])
    assert [each.specimen.name for each in found] == [ALL[0].name, ALL[1].name]
    assert [(each.trials, each.flagged, each.corrected) for each in found] == [(2, 1, 0), (1, 1, 1)]
    assert (found[0].median, found[0].seconds) == (0.061, 0.72)


@pytest.mark.long
@pytest.mark.parametrize("specimen", ALL, ids=lambda each: each.name)
def test_two_million_outputs_flag_what_is_wrong_and_nothing_that_is_right(specimen: Specimen) -> None:
    """Of right ones no trial may be flagged after Holm's correction, even where it is the weakest.

    That is where all trials of all wrong ones are refuted, and only those of right ones are left to correct for.
    """
    trials = [try_specimen(specimen) for _ in range(TRIALS)]
    assert max(trial.bound.samples for trial in trials) <= SAMPLES
    p_values = [trial.bound.find_p_value(EPSILON) for trial in trials]
    if specimen.right:
        assert min(p_values) > 0.05 / (TRIALS * sum(each.right for each in ALL))
    else:
        assert sum(trial.bound.refutes(EPSILON) for trial in trials) >= TRIALS - 1
    if specimen.name == "Laplace":
        assert statistics.median(trial.bound.epsilon for trial in trials) >= 0.9 * EPSILON
