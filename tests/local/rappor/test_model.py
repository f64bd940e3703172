"""The linear model of rates, and its fit."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from discreet.local.client import Rappor
from discreet.local.rappor.candidates import hash_candidates
from discreet.local.rappor.model import Design, Fit
from discreet.local.rappor.rates import estimate_rates
from support.rappor_counts import draw_counts, fall

PLAIN = Rappor.take(32, 2, 16, 0.1, 0.9, 0)
MANY = hash_candidates(PLAIN, [f"word {number}" for number in range(40)])
FREQUENCIES = fall(40, 10)
ALL = np.arange(40)


def draw_design(seed: int) -> Design:
    counts = draw_counts(MANY, FREQUENCIES, 20_000, np.random.default_rng(seed))
    return Design.build(MANY, estimate_rates(PLAIN, counts))


def test_products_and_squares_are_those_of_the_columns() -> None:
    design, values = draw_design(1), np.random.default_rng(2).normal(size=MANY.rows)
    columns = design.write_columns(ALL)
    assert np.allclose(design.correlate(values), columns.T @ values)
    assert np.allclose(design.sum_powers(3, values), (columns**3).T @ values)
    assert np.allclose(design.sum_squares(values**2), (columns**2).T @ values**2)


def test_the_fit_is_the_least_squares_one_over_the_rows_that_are_kept() -> None:
    design, kept = draw_design(1), np.arange(MANY.rows) % 7 > 0
    fit = Fit.solve(design, ALL, kept)
    columns = np.concatenate([design.write_columns(ALL), design.apart[:, None]], axis=1)
    expected = np.linalg.lstsq(columns[kept], design.target[kept])[0]
    assert np.allclose(fit.estimates, expected)


@pytest.mark.slow
def test_standard_errors_are_those_of_repeated_collections() -> None:
    """Noise is small here, so that people's falling into cohorts makes most of the variance of frequent candidates.

    The standard deviation of 150 estimates errs by 6 %; without the covariance of bits it would be 10 % off.
    """
    kept, fits = np.ones(MANY.rows, dtype=bool), []
    for seed in range(150):
        fits.append(Fit.solve(draw_design(seed), ALL, kept))
    spread = np.std([fit.estimates for fit in fits], axis=0)
    claimed = np.sqrt(np.mean([np.diag(fit.inverse) + np.diag(fit.sampling) for fit in fits], axis=0))
    assert np.mean([fit.estimates for fit in fits], axis=0)[0] == pytest.approx(FREQUENCIES[0], abs=5e-4)
    assert np.all(np.abs(spread[:4] / claimed[:4] - 1) < 0.25)
    assert np.mean(spread / claimed) == pytest.approx(1, abs=0.06)
    assert np.sqrt(fits[0].inverse[0, 0]) < 0.93 * spread[0]


def test_bits_that_the_same_people_set_vary_together() -> None:
    """What falling into cohorts adds to a candidate's variance, pair of bits by pair of bits."""
    fit = Fit.solve(draw_design(1), ALL, np.ones(MANY.rows, dtype=bool))
    columns, held = MANY.write_columns(ALL), np.clip(fit.estimates, 0.0, 1.0)
    rates, influence, total = columns @ held, fit.influence[0] * fit.design.scales, 0.0
    for cohort in range(PLAIN.cohorts):
        rows = range(cohort * PLAIN.bits, (cohort + 1) * PLAIN.bits)
        for first, second in permutations(rows, 2):
            together = held @ (columns[first] * columns[second]) - rates[first] * rates[second]
            total += influence[first] * influence[second] * together / fit.design.reports[cohort]
    assert total > 0.1 * fit.inverse[0, 0]
    assert fit.sampling[0, 0] == pytest.approx(total)


def test_the_misfit_is_one_where_the_list_is_whole() -> None:
    kept = np.ones(MANY.rows, dtype=bool)
    assert np.mean([Fit.solve(draw_design(seed), ALL, kept).misfit for seed in range(10)]) == pytest.approx(1, abs=0.1)
    assert Fit.solve(draw_design(0), ALL[3:], kept).misfit > 3


def test_few_reports_take_nothing_off_the_variance_of_the_total() -> None:
    fits = []
    for seed in range(60):
        counts = draw_counts(MANY, FREQUENCIES, 40, np.random.default_rng(seed))
        design = Design.build(MANY, estimate_rates(PLAIN, counts))
        fits.append(Fit.solve(design, np.arange(5), np.ones(MANY.rows, dtype=bool)))
    assert any(fit.sampling.sum() < 0 for fit in fits)
    assert all(fit.total_variance >= fit.inverse.sum() for fit in fits)
