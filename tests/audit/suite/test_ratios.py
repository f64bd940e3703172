"""How likely outputs of sparse vectors are: the formulas beside what is drawn, and what is known of the best event."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from discreet.audit.blackbox.expecting import EventAim
from discreet.audit.suite.ratios import find_best, find_chances
from discreet.audit.suite.sparse_vectors import (
    ABOVE,
    BELOW,
    ENDED,
    PARALLEL,
    SILENT,
    SparseVectorSpecimen,
    make_1,
    make_2,
    make_3,
    make_4,
    make_5,
    make_6,
)
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats

ANSWERS = [1, 0, 2, 1]


def list_outputs(length: int, cutoff: int | None) -> Floats:
    """Return everything that may be said to so many questions."""
    found = set()
    for said in itertools.product((BELOW, ABOVE), repeat=length):
        whole = list(said)
        if cutoff is not None and sum(said) >= cutoff:
            last = [place for place, word in enumerate(said) if word == ABOVE][cutoff - 1]
            whole[last + 1 :] = [ENDED] * (length - last - 1)
        found.add(tuple(whole))
    return np.array(sorted(found))


@pytest.mark.parametrize("variant", [make_1(), make_1(2), make_4(), make_4(3), make_5(), make_6()])
def test_chances_of_all_outputs_add_up_to_one(variant: SparseVectorSpecimen) -> None:
    rows = list_outputs(4, variant.cutoff)
    assert np.exp(find_chances(variant, rows, ANSWERS)).sum() == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("variant", [make_1(), make_4(3), make_6()])
def test_outputs_are_as_frequent_as_they_are_likely(variant: SparseVectorSpecimen) -> None:
    outputs = 100_000
    kinds, counts = np.unique(variant.watch(ANSWERS, outputs), axis=0, return_counts=True)
    expected = np.exp(find_chances(variant, kinds, ANSWERS)) * outputs
    assert (np.abs(counts - expected) < 7 * np.sqrt(expected) + 7).all()


def test_told_answers_are_as_frequent_as_their_density_says() -> None:
    variant, outputs = make_3(), 100_000
    rows = variant.watch(ANSWERS, outputs)
    for place in range(4):
        said = np.array([SILENT] * place + [0.0] + [ENDED] * (3 - place))
        cells = np.tile(said, (40, 1))
        cells[:, place] = np.arange(-20, 20) + 0.5
        expected = np.exp(find_chances(variant, cells, ANSWERS)) * outputs
        counts = [np.count_nonzero(rows[:, place] == value) for value in range(-20, 20)]
        assert (np.abs(counts - expected) < 7 * np.sqrt(expected) + 7).all()


def test_one_question_is_randomized_response_of_the_difference_of_two_noises() -> None:
    variant = SparseVectorSpecimen(1.0, 1.0, 1)
    above = math.exp(find_chances(variant, np.array([[ABOVE]]), [3])[0])
    assert above == pytest.approx(1 - math.exp(-2) * (2 + 2) / 4, abs=1e-3)


def test_renewed_thresholds_are_refused() -> None:
    with pytest.raises(ParameterError, match="keeps its threshold"):
        find_chances(make_2(), np.zeros((1, 4)), ANSWERS)


def test_right_ones_have_no_event_that_exceeds_the_claim_and_wrong_ones_have() -> None:
    aim = EventAim(450_000, 0.0, 0.95, 0.1)
    half = [([1] * 10, [0] * 5 + [2] * 5)]
    assert find_best([make_1()], half, aim, 20_000).excess < 0
    assert find_best([make_1()], half, aim, 20_000).epsilon < 0.1
    for variants in ([make_3()], [make_4()], [make_4(3)], [make_6()], PARALLEL):
        assert find_best(variants, half, aim, 20_000).excess > 4
    assert 0.1 < find_best([make_4()], half, aim, 20_000).epsilon < 0.175
