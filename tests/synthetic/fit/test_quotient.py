"""Quotient fits: the dense fit of the same parities, for any number of columns."""

from __future__ import annotations

import time
from itertools import combinations

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.families.domain import ColumnSet, DenseTable, Domain
from discreet.synthetic.fit.dense import fit_dense
from discreet.synthetic.fit.objective import Measured
from discreet.synthetic.fit.quotient import QuotientFit, fit_quotient
from synthetic.support.tiny import list_sets, write_parities


def write_mask(columns: ColumnSet) -> int:
    return sum(1 << place for place in columns)


def write_lines(sets: list[ColumnSet], width: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    return np.array([(*each, *(-1,) * (width - len(each))) for each in sets], dtype=np.int64)


SETS = ((0, 1), (1, 2), (0, 2), (4,), (3, 4), (0, 1, 5))
ANSWERS = (700, -300, 10, 500, 2000, -90)


def fit_example(start: dict[int, float] | None = None) -> QuotientFit:
    masks = [write_mask(each) for each in SETS]
    return fit_quotient(7, masks, np.array(ANSWERS), [400.0] * 6, 1000.0, 3.0, start=start, tolerance=1e-9)


def test_it_is_the_dense_fit() -> None:
    family = write_parities(7, SETS)
    measured = [Measured(family, group, np.array([answer]), 400.0) for group, answer in enumerate(ANSWERS)]
    table = DenseTable(Domain((2,) * 7), fit_dense(Domain((2,) * 7), measured, 1000.0, 3.0, tolerance=1e-9).shares)
    fitted = fit_example()
    everything = write_parities(7, list_sets(7, 4))
    expected = np.array(
        [everything.answer(group, table.project(each))[0] * 1000 for group, each in enumerate(everything.columns)]
    )
    assert [fitted.answer(write_mask(each)) for each in everything.columns] == pytest.approx(expected, abs=1e-5)
    assert fitted.answer_sets(write_lines(list(everything.columns), 4)) == pytest.approx(expected, abs=1e-5)
    assert fitted.project((0, 3, 5)) == pytest.approx(table.project((0, 3, 5)) * 1000, abs=1e-5)
    assert fitted.project(()) == pytest.approx(1000)


def test_parities_outside_the_span_are_zero_and_connected_parts_are_small() -> None:
    fitted = fit_example()
    assert sorted(len(part.places) for part in fitted.parts) == [1, 1, 1, 2]
    assert fitted.answer(write_mask((6,))) == 0
    assert fitted.answer(write_mask((0,))) == 0
    assert fitted.answer(0) == pytest.approx(1000)
    product = fitted.answer(write_mask((4,))) * fitted.answer(write_mask((3, 4))) / 1000
    assert fitted.answer(write_mask((3,))) == pytest.approx(product)


def test_the_order_and_the_start_do_not_matter() -> None:
    masks = [write_mask(each) for each in SETS]
    backward = fit_quotient(7, masks[::-1], np.array(ANSWERS[::-1]), [400.0] * 6, 1000.0, 3.0, tolerance=1e-9)
    fitted = fit_example()
    warm = fit_example(start=fitted.theta)
    assert warm.report.steps == 0
    for each in list_sets(7, 3):
        assert backward.answer(write_mask(each)) == pytest.approx(fitted.answer(write_mask(each)), abs=1e-6)
        assert warm.answer(write_mask(each)) == pytest.approx(fitted.answer(write_mask(each)), abs=1e-6)


def test_two_measurements_of_one_parity_are_worth_one_of_half_the_variance() -> None:
    twice = fit_quotient(2, [3, 3], np.array([10, 30]), [50.0, 50.0], 100.0, 1.0, tolerance=1e-9)
    once = fit_quotient(2, [3], np.array([20]), [25.0], 100.0, 1.0, tolerance=1e-9)
    assert twice.answer(3) == pytest.approx(once.answer(3))


def test_no_measurements_are_uniform_bits() -> None:
    fitted = fit_quotient(1000, [], np.array([], dtype=np.int64), [], 5.0, 1.0)
    assert fitted.report.converged
    assert not fitted.answer_sets(np.array([[0, 1], [5, -1]])).any()
    assert fitted.sample(10, np.random.default_rng(0)).shape == (10, 1000)


def test_random_rows_have_the_fitted_parities_for_any_number_of_columns() -> None:
    masks = [write_mask(each) for each in ((3, 700), (700, 900), (3, 900), (12,), (12, 13, 14))]
    answers = np.array([800, 500, 600, -700, 300])
    fitted = fit_quotient(1000, masks, answers, [1.0] * 5, 1000.0, 1.0)
    rows = 40_000
    table = fitted.sample(rows, np.random.default_rng(1)).astype(np.int64)
    for each in ((3, 700), (700, 900), (3, 900), (12,), (13, 14), (3,), (5, 6), (3, 12, 700)):
        mean = float((1 - 2 * (table[:, each].sum(axis=1) % 2)).mean())
        assert mean == pytest.approx(fitted.answer(write_mask(each)) / 1000, abs=6 / rows**0.5)


def test_more_connected_parities_than_a_table_holds_are_refused_with_sizes() -> None:
    masks = [1 << place for place in range(27)]
    assert fit_quotient(27, masks, np.full(27, 9), [1.0] * 27, 10.0, 1.0).report.converged
    with pytest.raises(ParameterError, match=r"at most 26 are connected: their table has 2\^26 cells"):
        fit_quotient(27, [*masks, (1 << 27) - 1], np.full(28, 9), [1.0] * 28, 10.0, 1.0)
    with pytest.raises(ParameterError, match="masks of 3 columns"):
        fit_quotient(3, [8], np.array([1]), [1.0], 10.0, 1.0)


@pytest.mark.parametrize("variance", [1e-3, 1.0, 1e12])
def test_parities_of_any_size_and_noise_converge(variance: float) -> None:
    masks = [write_mask(each) for each in list_sets(6, 2)]
    for answers in (np.full(len(masks), 10**9), np.zeros(len(masks)), np.full(len(masks), -(10**8))):
        fitted = fit_quotient(6, masks, answers, [variance] * len(masks), 1e9, 2.0)
        assert fitted.report.converged, fitted.report


def test_nonsense_that_floats_cannot_resolve_ends_and_is_reported() -> None:
    masks = [write_mask(each) for each in list_sets(6, 2)]
    answers = np.random.default_rng(2).integers(-(10**10), 10**10, len(masks))
    fitted = fit_quotient(6, masks, answers, [1.0] * len(masks), 1e9, 2.0)
    assert not fitted.report.converged
    assert fitted.report.residual > 1
    assert all(np.isfinite(part.parities).all() for part in fitted.parts)


@pytest.mark.parametrize("deviation", [1e-4, 1e-3, 1e-2])
def test_answers_that_contradict_each_other_by_far_more_than_their_noise_converge(deviation: float) -> None:
    masks = [write_mask(each) for each in list_sets(8, 2)]
    for seed in range(3):
        answers = np.random.default_rng(seed).choice([-40_000, 40_000], len(masks))
        fitted = fit_quotient(8, masks, answers, [(deviation * 1e5) ** 2] * len(masks), 1e5, 5.0)
        assert fitted.report.converged, fitted.report
        assert fitted.report.residual < 0.01


def test_ten_rounds_on_a_hundred_columns_take_little_time() -> None:
    """Some tenths of a second (bench/synthetic.py): a pass over 2^100 cells would never end."""
    sets = [each for size in (1, 2, 3) for each in combinations(range(100), size)]
    lines = write_lines(sets, 3)
    generator = np.random.default_rng(3)
    began = time.process_time()
    fitted = fit_quotient(100, [], np.array([], dtype=np.int64), [], 1e5, 5.0)
    masks: list[int] = []
    for chosen in generator.integers(0, 40, size=(10, 3)).tolist():
        masks.append(write_mask(tuple(set(chosen))))
        answers = np.full(len(masks), 30_000)
        fitted = fit_quotient(100, masks, answers, [1e4] * len(masks), 1e5, 5.0, start=fitted.theta)
        estimates = fitted.answer_sets(lines)
    assert len(estimates) == 166_750
    assert np.count_nonzero(estimates) >= 10
    assert time.process_time() - began < 20
